"""What a run spends of its own: `python -m tests.benchmarks.experiment`.

36 calls (three judges, six rounds, two arms) of judges that reply at once, in memory and in a file.
The judges' own time is taken out.
"""

# ruff: noqa: T201 (a benchmark prints its table)

import argparse
import tempfile
import time
from pathlib import Path

from shape_magic.deliberation import Deliberation
from shape_magic.deliberation.prompts import EvaluationPrompt
from shape_magic.experiments import run_evaluations
from tests.experiments import fill_rounds, judge

ROUNDS = 6
NAMES = ("Eve", "Lee", "Moe")
MARK = 10.0
"""Milliseconds of its own that a call may take."""


def milliseconds_a_call(path: Path | None) -> float:
    """Run once, and give the milliseconds that a call took beside the judge's own."""
    judged = 0.0
    honest = judge()

    def replies(prompt: EvaluationPrompt) -> str:
        nonlocal judged
        begin = time.perf_counter()
        reply = honest(prompt)
        judged += time.perf_counter() - begin
        return reply

    with Deliberation(path=path) as deliberation:
        fill_rounds(deliberation, ROUNDS)
        begin = time.perf_counter()
        # One at a time, so that the judge's time can be told apart.
        run = run_evaluations(
            deliberation, dict.fromkeys(NAMES, replies), concurrency=1, progress=False
        )
        spent = time.perf_counter() - begin
    assert run.left == 0
    return 1e3 * (spent - judged) / run.calls


def main() -> None:
    """Print the figures, and whether they are under the mark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=5, help="of how many runs the best counts")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for place in ("memory", "file"):
            paths = [
                None if place == "memory" else Path(folder, f"{number}.db")
                for number in range(options.times)
            ]
            best = min(milliseconds_a_call(path) for path in paths)
            print(f"in {place:6} {best:6.2f} ms a call (the mark is {MARK:.0f} ms)")


if __name__ == "__main__":
    main()
