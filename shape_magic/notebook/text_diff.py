"""Which lines of two texts are the same: by lines that occur once in both, as `patience` diffs do.

Between those, short stretches are compared line by line, and long ones count as replaced, so that
time grows with the texts and no pair of them can make it slow.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from typing import Final

import msgspec

__all__ = ["Stretch", "diff_lines"]

_COMPARED: Final = 10_000
"""How many pairs of lines of one stretch are compared at most."""

_ROUNDS: Final = 30
"""How often a line is looked at, in the mean, before what is left counts as replaced."""


class Stretch(msgspec.Struct, frozen=True, array_like=True):
    """How many lines of the left text stand beside how many of the right one; either may be 0."""

    same: bool
    left: int
    right: int


def diff_lines(left: Sequence[str], right: Sequence[str]) -> list[Stretch]:
    """Divide two texts into stretches that are the same, and stretches that are not.

    >>> [(part.same, part.left, part.right) for part in diff_lines(["a", "b"], ["a", "c", "d"])]
    [(True, 1, 1), (False, 1, 2)]
    """
    pairs = _same_lines(left, right)
    stretches: list[Stretch] = []
    at_left = at_right = 0
    for l_line, r_line in [*pairs, (len(left), len(right))]:
        if l_line > at_left or r_line > at_right:
            stretches.append(Stretch(False, l_line - at_left, r_line - at_right))
        if l_line < len(left) and r_line < len(right):
            if stretches and stretches[-1].same:
                count = stretches.pop().left + 1
                stretches.append(Stretch(True, count, count))
            else:
                stretches.append(Stretch(True, 1, 1))
        at_left, at_right = l_line + 1, r_line + 1
    return stretches


def _same_lines(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """Pair lines that are the same, in ascending order on both sides."""
    pairs: list[tuple[int, int]] = []
    # A list in place of recursion: stretches may nest deeply.
    todo = [(0, len(left), 0, len(right))]
    looks = _ROUNDS * (len(left) + len(right))
    while todo and looks >= 0:
        l_start, l_end, r_start, r_end = todo.pop()
        looks -= l_end - l_start + r_end - r_start
        while l_start < l_end and r_start < r_end and left[l_start] == right[r_start]:
            pairs.append((l_start, r_start))
            l_start, r_start = l_start + 1, r_start + 1
        while l_start < l_end and r_start < r_end and left[l_end - 1] == right[r_end - 1]:
            l_end, r_end = l_end - 1, r_end - 1
            pairs.append((l_end, r_end))
        if l_start == l_end or r_start == r_end:
            continue
        anchors = _unique_in_both(left, right, l_start, l_end, r_start, r_end)
        if anchors:
            at_left, at_right = l_start, r_start
            for l_line, r_line in [*anchors, (l_end, r_end)]:
                todo.append((at_left, l_line, at_right, r_line))
                at_left, at_right = l_line + 1, r_line + 1
            pairs += anchors
        elif (l_end - l_start) * (r_end - r_start) <= _COMPARED:
            found = _longest_common(left[l_start:l_end], right[r_start:r_end])
            pairs += [(l_start + l_line, r_start + r_line) for l_line, r_line in found]
    return sorted(pairs)


def _unique_in_both(
    left: Sequence[str], right: Sequence[str], l_start: int, l_end: int, r_start: int, r_end: int
) -> list[tuple[int, int]]:
    """Pair the lines that occur once on either side, as many as ascend on both."""
    l_counts = Counter(left[l_start:l_end])
    r_counts = Counter(right[r_start:r_end])
    places = {line: n for n, line in enumerate(right[r_start:r_end], start=r_start)}
    pairs = [
        (n, places[line])
        for n, line in enumerate(left[l_start:l_end], start=l_start)
        if l_counts[line] == 1 and r_counts[line] == 1
    ]
    # The longest ascending run, by piles of patience sorting.
    tops: list[int] = []
    piles: list[int] = []
    before: list[int] = []
    for index, (_, r_line) in enumerate(pairs):
        pile = bisect_left(tops, r_line)
        before.append(piles[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [r_line]
        piles[pile : pile + 1] = [index]
    run = []
    index = piles[-1] if piles else -1
    while index >= 0:
        run.append(pairs[index])
        index = before[index]
    return run[::-1]


def _longest_common(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    lengths = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for n in range(len(left) - 1, -1, -1):
        for m in range(len(right) - 1, -1, -1):
            same = left[n] == right[m]
            longer = max(lengths[n + 1][m], lengths[n][m + 1])
            lengths[n][m] = lengths[n + 1][m + 1] + 1 if same else longer
    found = []
    n = m = 0
    while n < len(left) and m < len(right):
        if left[n] == right[m]:
            found.append((n, m))
            n, m = n + 1, m + 1
        elif lengths[n + 1][m] >= lengths[n][m + 1]:
            n += 1
        else:
            m += 1
    return found
