"""A mean of round coefficients: each round's coefficient, its permutations, and the interval."""

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy import stats

from shape_magic.analysis.permutation import RoundNull, permutation_test, round_null
from shape_magic.analysis.results import INTERVAL_ROUNDS, Estimate, RoundCoefficient

__all__ = ["SMALLEST_ROUND", "RoundValues", "estimate", "holm", "mean_interval"]

Floats = NDArray[np.float64]

SMALLEST_ROUND: Final = 3
"""Two proposals agree or not, whatever they are."""

SMALLEST_CONTROLLED_ROUND: Final = 4
"""Of three, nothing is left to vary once the control is taken out."""

NOTHING: Final = 1e-9


class RoundValues(msgspec.Struct, frozen=True):
    """One round's values, one proposal a place."""

    label: Hashable
    attribute: Floats
    score: Floats
    control: Floats | None = None


def estimate(
    rounds: Iterable[RoundValues], *, confidence: float, resamples: int, seed: int
) -> Estimate:
    """Estimate the mean coefficient over rounds, the control taken out where rounds have one."""
    points: list[RoundCoefficient] = []
    nulls: list[RoundNull] = []
    too_small = without_variation = 0
    for one in rounds:
        if len(one.score) < (SMALLEST_ROUND if one.control is None else SMALLEST_CONTROLLED_ROUND):
            too_small += 1
            continue
        found = _plain(one) if one.control is None else _controlled(one, one.control)
        if found is None:
            without_variation += 1
            continue
        coefficient, null = found
        points.append(RoundCoefficient(one.label, len(one.score), coefficient))
        nulls.append(null)
    if not points:
        return Estimate(
            reason="no variation" if without_variation else "rounds too small",
            rounds_too_small=too_small,
            rounds_without_variation=without_variation,
        )
    coefficients = [point.coefficient for point in points]
    total = math.fsum(coefficients)
    test = permutation_test(total, nulls, resamples=resamples, seed=seed)
    return Estimate(
        coefficient=total / len(points),
        p=test.p,
        smallest_p=test.smallest_p,
        exact=test.exact,
        interval=mean_interval(coefficients, confidence=confidence),
        rounds=tuple(points),
        rounds_too_small=too_small,
        rounds_without_variation=without_variation,
    )


def mean_interval(
    coefficients: Sequence[float], *, confidence: float = 0.95
) -> tuple[float, float] | None:
    """Give an interval for the mean coefficient over rounds like these; None for too few.

    It is Student's interval for the mean, carried to Fisher's z by the delta method, so that it
    stays between -1 and 1 and leans away from the nearer bound. In simulations it holds its
    coverage better than what else was tried: Student's own interval and one over the rounds' z
    cover too seldom where coefficients are skewed, as they are in small rounds. With 6 and more
    rounds of 3 to 6 proposals, and true means up to 0.5, 93 to 97 % of its nominal 95 % intervals
    cover; beyond that, or with many ties, 90 to 95 %. Fewer rounds hardly show how far they
    spread, and in rounds of three they may all agree by chance. Where they agree exactly there is
    no spread to draw on, and no interval.

    >>> low, high = mean_interval([0.5, 0.8, 0.1, 0.6, 0.4, 0.9])
    >>> print(f"{low:.2f} to {high:.2f}")
    0.18 to 0.78
    """
    count = len(coefficients)
    if count < INTERVAL_ROUNDS:
        return None
    mean = math.fsum(coefficients) / count
    error = float(stats.sem(coefficients))
    if error < NOTHING or 1 - abs(mean) < NOTHING:
        return None
    low, high = stats.t.interval(
        confidence, count - 1, loc=np.arctanh(mean), scale=error / (1 - mean**2)
    )
    return float(np.tanh(low)), float(np.tanh(high))


def holm(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Adjust the p of a family by Holm's method; what has no p is not of the family."""
    tested = sorted((one.p, place) for place, one in enumerate(estimates) if one.p is not None)
    adjusted = list(estimates)
    highest = 0.0
    for rank, (p, place) in enumerate(tested):
        highest = max(highest, min(1.0, p * (len(tested) - rank)))
        adjusted[place] = msgspec.structs.replace(estimates[place], p_holm=highest)
    return adjusted


def _plain(one: RoundValues) -> tuple[float, RoundNull] | None:
    attribute, score = _unit_ranks(one.attribute), _unit_ranks(one.score)
    if attribute is None or score is None:
        return None
    return float(attribute @ score), round_null(lambda rows: rows @ attribute, score)


def _controlled(one: RoundValues, control_values: Floats) -> tuple[float, RoundNull] | None:
    attribute, score = _unit_ranks(one.attribute), _unit_ranks(one.score)
    control = _unit_ranks(control_values)
    if attribute is None or score is None or control is None:
        return None
    attribute_rest = attribute - (attribute @ control) * control
    explained = (score @ control) * control
    score_rest = score - explained
    if np.linalg.norm(attribute_rest) < NOTHING or np.linalg.norm(score_rest) < NOTHING:
        return None
    direction = attribute_rest / np.linalg.norm(attribute_rest)

    def coefficients_of(rows: Floats) -> Floats:
        rest = np.square(rows).sum(axis=1) - np.square(rows @ control)
        length = np.sqrt(np.where(rest > NOTHING, rest, np.nan))
        return np.asarray(rows @ direction / length)

    null = round_null(coefficients_of, score_rest, fixed=explained)
    return float(coefficients_of(score[np.newaxis])[0]), null


def _unit_ranks(values: Floats) -> Floats | None:
    """Give the ranks, centred and of length 1, so that a product of two is their coefficient."""
    centred = stats.rankdata(values) - (len(values) + 1) / 2
    length = np.linalg.norm(centred)
    return None if length < NOTHING else centred / length
