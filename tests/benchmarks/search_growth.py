"""Search for texts with which a function's time grows faster than the text.

    python -m tests.benchmarks.search_growth --tries 2000

A text is a beginning, a part that is repeated and an end, each of a few pieces drawn at random.
Each is tried at two sizes, one eight times the other; what grows more than twice as fast as the
text is tried again, and printed where that holds. Nothing is asserted.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable
from typing import Final

from shape_magic.deliberation.reply import read_reply
from shape_magic.guard import TAGS, WORDS, guarded, own_words
from shape_magic.wording import count_invisible, visible, without_invisible

FACTOR: Final = 8
PIECES: Final = (
    *("<", "/", ">", ":", "\n", " ", "\t", "\r\n", "\u200b", "\u200d", "\ufe0f", "\u3164"),
    *("F", "FINAL", "T", "THOUGHT", "c", "ca", "x", "é", "\U0001f600", "&lt;"),
    *("{", "}", "[", "]", ",", "'", '"', "\u201c", "\u201d", "\\", "```", "1"),
    *("//", "#", "/*", "*/", "<think>", "</think>", "evaluations:", "arguments:"),
    *("{}", "null", '"a"', '{"agent_id":"A","stance":1}'),
    *(tag[:-1] for tag in TAGS),
    *TAGS,
    *WORDS,
)
FUNCTIONS: Final[dict[str, Callable[[str], object]]] = {
    "guarded": guarded,
    "own_words": lambda text: list(own_words(text)),
    "visible": visible,
    "count_invisible": count_invisible,
    "without_invisible": without_invisible,
    "read_reply": lambda text: read_reply(text, keys=["A", "B"]),
    "read_reply, in part": lambda text: read_reply(text, keys=["A", "B"], partial=True),
}
"""The functions that are searched, by name."""


def seconds(function: Callable[[str], object], text: str) -> float:
    """Give the least processor time of three calls."""
    least = float("inf")
    for _ in range(3):
        start = time.process_time()
        function(text)
        least = min(least, time.process_time() - start)
    return least


def growth(function: Callable[[str], object], parts: tuple[str, str, str], *, size: int) -> float:
    """Give how many times as long a text of `FACTOR` times the size takes."""
    before, unit, after = parts
    small, large = (
        before + unit * (length // len(unit)) + after for length in (size, size * FACTOR)
    )
    return seconds(function, large) / max(seconds(function, small), 1e-6)


def main(arguments: list[str] | None = None) -> None:
    """Print what grows too fast, and how much was tried."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tries", type=int, default=1_000, help="texts (1,000)")
    parser.add_argument("--size", type=int, default=4_000, help="characters (4,000)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    draw = random.Random(options.seed)
    worst = 0.0
    for _ in range(options.tries):
        before, unit, after = (
            "".join(draw.choices(PIECES, k=draw.randint(least, 4))) for least in (0, 1, 0)
        )
        for name, function in FUNCTIONS.items():
            grown = growth(function, (before, unit, after), size=options.size)
            if grown > 2 * FACTOR:
                grown = growth(function, (before, unit, after), size=options.size * FACTOR)
            worst = max(worst, grown)
            if grown > 2 * FACTOR:
                sys.stdout.write(f"{name}: {grown:.0f} for {(before, unit, after)!a}\n")
    sys.stdout.write(
        f"{options.tries:,} texts; {FACTOR} times the text took at most {worst:.0f} times as long\n"
    )


if __name__ == "__main__":
    main()
