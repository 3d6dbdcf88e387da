"""How many lines on which two analyzers differ have a reason that names the cause.

    python -m tests.benchmarks.reasons --answers PATH

PATH is a folder of text files, or JSON Lines with `id` and `text`. The analyzers are the Markdown
one and the plain line scan of the notebook `03-analyzers.ipynb`.
"""

import argparse
import time
from pathlib import Path

from shape_magic import compare_analyzers, measure
from tests.answers import answers
from tests.plain_scan import PlainScan


def main() -> None:
    """Compare the two and print the comparison."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--answers", type=Path, required=True)
    options = parser.parse_args()
    texts = {
        name: text for name, text in answers(options.answers) if measure(text).kind == "markdown"
    }
    started = time.perf_counter()
    comparison = compare_analyzers(texts, "markdown", PlainScan())
    seconds = time.perf_counter() - started
    # The answers themselves are other people's, so only the figures are printed.
    print("\n".join(str(comparison).split("\n")[:11]))  # noqa: T201
    print(f"{seconds:.1f} s")  # noqa: T201


if __name__ == "__main__":
    main()
