"""How fast measuring is, beside parsers that do other work over the same texts.

    python -m tests.benchmarks.speed --answers answers.jsonl

Every peer reads the same texts in the same run, in turn, several times; the least time of each
counts. Ratios are printed, nothing is asserted. None of the peers measures: each parses Markdown
whole, inline text included, and cmark-gfm, which is written in C, renders HTML as well. JSON
documents are made, and held against the standard library reading and writing them.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import marko
import mistune
from cmarkgfm import github_flavored_markdown_to_html
from markdown_it import MarkdownIt

import shape_magic
from tests.benchmarks.texts import add_option, make_documents, read_or_make

OURS = "shape_magic.measure"
C_PARSER = "cmark-gfm to HTML (C)"
JSON = "json.loads and dumps"


def peers() -> dict[str, Callable[[str], Any]]:
    """Give what is timed, by name: this package first."""
    return {
        OURS: shape_magic.measure,
        "markdown-it-py parse": MarkdownIt("commonmark").enable("table").parse,
        "mistune parse": mistune.create_markdown(renderer=None, plugins=["table"]),
        "marko parse": marko.Markdown(extensions=["gfm"]).parse,
        C_PARSER: github_flavored_markdown_to_html,
    }


def read_and_write(document: str) -> str:
    """Do what measuring JSON cannot do without: read it, and write its readable form."""
    return json.dumps(json.loads(document), indent=2)


def least_times(
    texts: list[str], peers: Mapping[str, Callable[[str], Any]], *, times: int
) -> dict[str, float]:
    """Give each one's least processor time in seconds, over all texts."""
    least = dict.fromkeys(peers, float("inf"))
    for _ in range(times):
        for name, read in peers.items():
            start = time.process_time()
            for text in texts:
                read(text)
            least[name] = min(least[name], time.process_time() - start)
    return least


def main(arguments: list[str] | None = None) -> None:
    """Print a row for each peer."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    add_option(parser)
    parser.add_argument("--times", type=int, default=3, help="read this often each (3)")
    options = parser.parse_args(arguments)
    texts = read_or_make(options.answers)
    characters = sum(map(len, texts))
    least = least_times(texts, peers(), times=options.times)
    write = sys.stdout.write
    write(f"{len(texts):,} texts, {characters:,} characters\n\n")
    write(f"{'':24} {'seconds':>8} {'MB/s':>6} {'times as long as measure':>25}\n")
    for name, seconds in least.items():
        rate = characters / seconds / 1e6
        write(f"{name:24} {seconds:8.2f} {rate:6.1f} {seconds / least[OURS]:25.2f}\n")
    ahead = least[OURS] / least[C_PARSER]
    write(f"\nThe C parser, HTML included, is {ahead:.1f} times as fast as measuring.\n")
    documents = make_documents()
    both: dict[str, Callable[[str], Any]] = {OURS: shape_magic.measure, JSON: read_and_write}
    least = least_times(documents, both, times=options.times)
    write(f"{len(documents):,} JSON documents, {sum(map(len, documents)):,} characters: measuring ")
    write(f"takes {least[OURS] / least[JSON]:.1f} times as long as {JSON}(indent=2) together.\n")


if __name__ == "__main__":
    main()
