"""Where the claims that evaluators quote stand in a text."""

import bisect
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice
from typing import Final

from shape_magic.guard import unguarded
from shape_magic.lines import LineRange, split_lines

__all__ = ["MOST_PLACES", "claim_places"]

MOST_PLACES: Final = 20
"""How many places of one claim are found at most, the first ones."""


def claim_places(text: str, claims: Iterable[str | None]) -> list[tuple[LineRange, ...]]:
    r"""Find for each claim the lines that hold it word for word; an empty tuple where none do.

    A run of white space, line endings too, is compared as one space. What the guard writes for an
    evaluator is undone on both sides, so that a quotation of what was shown is found. Case counts.
    At most the first 20 places of a claim are given.

    >>> claim_places("Use a queue.\nIt has no\nlock.\n", ["a queue", "no  lock.", "a lock", ""])
    [(LineRange(first=1, last=1),), (LineRange(first=2, last=3),), (), ()]
    """
    lines = [" ".join(line.split()) for line in split_lines(unguarded(text))]
    numbers = [number for number, line in enumerate(lines, start=1) if line]
    written = [line for line in lines if line]
    joined = " ".join(written)
    starts = list(accumulate((len(line) + 1 for line in written), initial=0))
    return [
        tuple(
            LineRange(*(numbers[bisect.bisect_right(starts, at) - 1] for at in (first, last)))
            for first, last in islice(_found(joined, claim), MOST_PLACES)
        )
        for claim in (" ".join(unguarded(claim or "").split()) for claim in claims)
    ]


def _found(text: str, wanted: str) -> Iterator[Sequence[int]]:
    """Give the first and the last character of each place; places do not overlap."""
    at = text.find(wanted) if wanted else -1
    while at >= 0:
        yield at, at + len(wanted) - 1
        at = text.find(wanted, at + len(wanted))
