"""The interval: how often it holds the mean coefficient that it is an interval for."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from shape_magic.analysis.estimates import mean_interval
from tests.correlation_data import Floats, simulated_round

ROUNDS = 12
SIMULATIONS = 1_000
SIZES = (3, 4, 5, 6)

SCENARIOS = [
    pytest.param({"effect": 0.0}, id="no effect"),
    pytest.param({"effect": 0.3, "ties": True}, id="weak, with ties"),
    pytest.param({"effect": -0.5, "spread": 0.3}, id="middling, not the same in all rounds"),
    pytest.param({"effect": 0.6}, id="strong"),
]
VERY_STRONG = {"effect": -0.7, "ties": True}


def coefficients(random: np.random.Generator, rounds: int, scenario: dict[str, Any]) -> list[float]:
    """Draw the coefficients of rounds that have one; their sizes take turns."""
    drawn = (
        spearman(*simulated_round(random, SIZES[number % len(SIZES)], **scenario))
        for number in range(rounds)
    )
    return [coefficient for coefficient in drawn if coefficient is not None]


def spearman(chars: Floats, scores: Floats) -> float | None:
    if np.ptp(chars) == 0 or np.ptp(scores) == 0:
        return None
    return float(np.corrcoef(stats.rankdata(chars), stats.rankdata(scores))[0, 1])


def drawn_samples(seed: int, scenario: dict[str, Any]) -> tuple[list[list[float]], float]:
    """Draw samples of twelve rounds, and the mean of a great many rounds: the truth."""
    random = np.random.default_rng(seed)
    truth = float(np.mean(coefficients(random, 20_000, scenario)))
    return [coefficients(random, ROUNDS, scenario) for _ in range(SIMULATIONS)], truth


def coverage(intervals: list[tuple[float, float] | None], truth: float) -> float:
    held = [one[0] <= truth <= one[1] for one in intervals if one is not None]
    assert len(held) > 0.99 * SIMULATIONS
    return float(np.mean(held))


@pytest.mark.slow
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_interval__covers_in_93_to_97_percent_at_twelve_rounds(scenario: dict[str, Any]) -> None:
    samples, truth = drawn_samples(20, scenario)
    assert 0.93 <= coverage([mean_interval(sample) for sample in samples], truth) <= 0.97


@pytest.mark.slow
def test_other_intervals__cover_less_often_where_coefficients_are_skewed() -> None:
    samples, truth = drawn_samples(21, VERY_STRONG)
    students = [
        stats.t.interval(0.95, len(sample) - 1, loc=np.mean(sample), scale=stats.sem(sample))
        for sample in samples
    ]
    over_z = [np.arctanh(np.clip(sample, -0.99, 0.99)) for sample in samples]
    averaged_z = [
        np.tanh(stats.t.interval(0.95, len(zs) - 1, loc=np.mean(zs), scale=stats.sem(zs)))
        for zs in over_z
    ]
    ours = coverage([mean_interval(sample) for sample in samples], truth)
    assert 0.90 <= ours <= 0.95
    assert coverage(students, truth) < ours - 0.02
    assert coverage(averaged_z, truth) < ours - 0.02


def test_interval__needs_six_rounds() -> None:
    sample = [0.1, 0.5, -0.3, 0.8, 0.2, 0.4]
    assert mean_interval(sample[:5]) is None
    assert mean_interval(sample) is not None


@pytest.mark.parametrize("value", [-1.0, 0.5, 1.0])
def test_interval__is_not_made_of_rounds_that_all_agree(value: float) -> None:
    assert mean_interval([value] * 12) is None


def test_interval__turns_with_the_sign_and_stays_within_bounds() -> None:
    sample = [1.0, 1.0, 1.0, 0.5, 1.0, 1.0]
    interval = mean_interval(sample)
    turned = mean_interval([-one for one in sample])
    assert interval is not None
    assert turned == pytest.approx((-interval[1], -interval[0]))
    assert -1 < interval[0] < np.mean(sample) < interval[1] < 1


def test_interval__widens_with_the_confidence() -> None:
    sample = [0.1, 0.5, -0.3, 0.8, 0.2, 0.4]
    narrow, wide = mean_interval(sample, confidence=0.8), mean_interval(sample, confidence=0.99)
    assert narrow is not None
    assert wide is not None
    assert wide[0] < narrow[0] < narrow[1] < wide[1]
