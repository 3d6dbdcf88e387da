"""The p of a mean of round coefficients, from permuting within the rounds.

Each round has its own null distribution: the coefficients that its permutations give, listed in
full for a round of up to `ENUMERATED` proposals. The rounds are independent of one another, so
the distribution of their sum is the convolution, which is exact without a list of all
permutations of all rounds at once. Where even that is too much, permutations are drawn.
"""

import functools
import itertools
import sys
from collections.abc import Callable, Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

__all__ = ["ENUMERATED", "PermutationTest", "RoundNull", "permutation_test", "round_null"]

Floats = NDArray[np.float64]
Distribution = tuple[Floats, Floats]

ENUMERATED: Final = 8
"""The largest round whose permutations are listed: 8! are 40,320."""

WORK: Final = 4_000_000
"""How many sums are formed before permutations are drawn instead."""

DIGITS: Final = 12
"""Coefficients that differ later than in this decimal are equal but for rounding."""

TOLERANCE: Final = 1e-8


class RoundNull(msgspec.Struct, frozen=True):
    """The coefficients that a round could give, and how probable each is; or how to draw them."""

    values: Floats
    weights: Floats
    draw: Callable[[np.random.Generator, int], Floats]
    listed: bool


class PermutationTest(msgspec.Struct, frozen=True):
    """A two-sided test: how often permutations lead at least as far from 0 as the data did."""

    p: float
    smallest_p: float
    """The p of the most extreme result that these rounds could have given."""
    exact: bool


def round_null(
    coefficients_of: Callable[[Floats], Floats], permuted: Floats, *, fixed: Floats | None = None
) -> RoundNull:
    """Describe a round by what permuting `permuted` gives, added to what stays `fixed`.

    `coefficients_of` takes one permutation a row. A permutation that has no coefficient is left
    out, as a round without one is.
    """
    size = len(permuted)
    base = np.zeros(size) if fixed is None else fixed

    def draw_permutations(random: np.random.Generator, count: int) -> Floats:
        rows = random.permuted(np.tile(permuted, (count, 1)), axis=1)
        # An undefined coefficient pulls a mean nowhere; among listed permutations it is left out.
        return np.nan_to_num(coefficients_of(base + rows))

    if size > ENUMERATED:
        empty = np.empty(0)
        return RoundNull(empty, empty, draw_permutations, listed=False)
    coefficients = coefficients_of(base + permuted[_orders(size)])
    coefficients = coefficients[np.isfinite(coefficients)]
    values, weights = _merged(coefficients, np.full(len(coefficients), 1 / len(coefficients)))

    def draw_listed(random: np.random.Generator, count: int) -> Floats:
        return random.choice(values, size=count, p=weights / weights.sum())

    return RoundNull(values, weights, draw_listed, listed=True)


def permutation_test(
    observed: float, rounds: Sequence[RoundNull], *, resamples: int, seed: int
) -> PermutationTest:
    """Test a sum of round coefficients against what permuting within the rounds gives."""
    halves = _halves(rounds)
    if halves is not None:
        highest = sum(float(values.max()) for values, _ in halves)
        lowest = sum(float(values.min()) for values, _ in halves)
        extreme = max(abs(highest), abs(lowest))
        return PermutationTest(_tail(abs(observed), *halves), _tail(extreme, *halves), exact=True)
    random = np.random.default_rng(seed)
    sums = np.zeros(resamples)
    for one in rounds:
        sums += one.draw(random, resamples)
    reached = int(np.sum(np.abs(sums) >= abs(observed) - TOLERANCE))
    # The data are one of the permutations, so p is never 0.
    return PermutationTest((reached + 1) / (resamples + 1), 1 / (resamples + 1), exact=False)


@functools.cache
def _orders(size: int) -> NDArray[np.intp]:
    return np.array(list(itertools.permutations(range(size))), dtype=np.intp)


def _merged(values: Floats, weights: Floats) -> Distribution:
    """Add up the weights of values that are equal but for rounding."""
    unique, position = np.unique(np.round(values, DIGITS), return_inverse=True)
    return unique, np.bincount(position, weights=weights).astype(np.float64)


def _halves(rounds: Sequence[RoundNull]) -> list[Distribution] | None:
    """Convolve the rounds into two distributions, or None where their support grows too large.

    Two are enough: the tail of their sum is looked up without convolving them.
    """
    if not all(one.listed for one in rounds):
        return None
    alike: dict[bytes, list[Distribution]] = {}
    for one in rounds:
        alike.setdefault(one.values.tobytes(), []).append((one.values, one.weights))
    work = WORK
    support: list[Distribution] = []
    for group in alike.values():
        # One after another: the sums of alike rounds coincide, and the support stays small.
        convolved = group[0]
        for other in group[1:]:
            work -= len(convolved[0]) * len(other[0])
            if work < 0:
                return None
            convolved = _convolved(convolved, other)
        support.append(convolved)
    while len(support) > 2:
        support.sort(key=lambda one: len(one[0]))
        work -= len(support[0][0]) * len(support[1][0])
        if work < 0:
            return None
        support[:2] = [_convolved(*support[:2])]
    return support


def _convolved(one: Distribution, other: Distribution) -> Distribution:
    sums = np.add.outer(one[0], other[0]).ravel()
    return _merged(sums, np.multiply.outer(one[1], other[1]).ravel())


def _tail(reached: float, *halves: Distribution) -> float:
    """Give the probability of a sum at least as far from 0."""
    values, weights = halves[0]
    others, other_weights = halves[1] if len(halves) > 1 else (np.zeros(1), np.ones(1))
    # Each tail is added up from its own end, so that a tiny one is not lost in the difference of
    # two sums.
    above = np.append(np.cumsum(other_weights[::-1])[::-1], 0.0)
    below = np.insert(np.cumsum(other_weights), 0, 0.0)
    edge = reached - TOLERANCE
    at_least = above[np.searchsorted(others, edge - values, side="left")]
    at_most = below[np.searchsorted(others, -edge - values, side="right")]
    # Where the edge is 0, a sum of 0 is in both tails. And no p is 0, only too small for a float.
    return min(1.0, max(float(weights @ (at_least + at_most)), sys.float_info.min))
