"""Two arms: what is paired, the swap test, and what stands in a sentence."""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from shape_magic.analysis import compare_arms
from shape_magic.analysis.arms import swapped
from shape_magic.errors import ArgumentError
from tests.worlds import two_arms


def frame_of(seed: int = 1, rounds: int = 12, agents: int = 5, **slopes: Any) -> pd.DataFrame:
    return two_arms(np.random.default_rng(seed), rounds, agents, **slopes)


def test_compare_arms__a_change_of_slope_is_told_from_a_change_of_level() -> None:
    found = compare_arms(frame_of(slopes=(2.0, 0.0)), "control", "default")
    assert found.verdict.startswith("not shown: ")
    assert found.slope.verdict.startswith("shown: -")
    first, second = found.slopes
    assert first is not None
    assert second is not None
    assert found.slope.points == pytest.approx(second - first)


def test_compare_arms__a_change_of_level_is_told_from_a_change_of_slope() -> None:
    frame = frame_of()
    frame.loc[frame["arm"] == "default", "conciseness"] += 30
    found = compare_arms(frame, "control", "default")
    assert found.verdict.startswith("for these agents: +")
    assert found.slope.verdict.startswith("not shown: ")
    assert found.mean is not None
    assert found.mean == pytest.approx(30, abs=10)


def test_compare_arms__turned_round_changes_signs_alone() -> None:
    frame = frame_of(slopes=(0.6, 0.0))
    one, other = (
        compare_arms(frame, "control", "default"),
        compare_arms(frame, "default", "control"),
    )
    assert one.mean is not None
    assert one.mean == pytest.approx(-other.mean)  # type: ignore[operator]
    assert one.p == other.p
    assert one.slope.these_agents is not None
    assert one.slope.these_agents.low == pytest.approx(-other.slope.these_agents.high)  # type: ignore[union-attr]


def test_compare_arms__the_mean_has_scipys_interval_over_rounds() -> None:
    found = compare_arms(frame_of(), "control", "default")
    differences = [second - first for _, first, second in found.means]
    theirs = stats.ttest_1samp(differences, 0).confidence_interval(0.95)
    assert found.interval == pytest.approx((theirs.low, theirs.high))


def test_swapped__counts_every_swap() -> None:
    differences = np.array([3.0, -1.0, 2.0, 2.5, 0.0, 4.0, 1.0])
    means = [abs(np.mean(differences * signs)) for signs in product((1, -1), repeat=7)]
    expected = np.mean([mean >= means[0] - 1e-12 for mean in means])
    assert swapped(differences, 0) == pytest.approx(expected)


def test_swapped__drawn_swaps_come_near_the_permutation_test() -> None:
    differences = np.random.default_rng(2).normal(0.4, 1, 20)
    theirs = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=9_999, random_state=1
    )
    assert swapped(differences, 3) == swapped(differences, 3)
    assert swapped(differences, 3) == pytest.approx(theirs.pvalue, abs=0.02)


def test_compare_arms__pairs_what_both_have_and_counts_the_rest() -> None:
    frame = frame_of()
    gone = (frame["arm"] == "default") & (frame["agent_id"] == 2) & (frame["round"] < 4)
    found = compare_arms(frame[~gone], "control", "default")
    assert found.rows == 56
    assert "4 rows that one arm alone has left out" in found.notes
    assert len(found.moved) == 56
    assert found.to_frame()["difference"].abs().is_monotonic_decreasing


def test_compare_arms__agents_in_an_order_of_their_own_are_paired_by_name() -> None:
    frame = frame_of(slopes=(0.5, 0.0))
    shuffled = frame.sample(frac=1, random_state=4)
    one, other = (compare_arms(made, "control", "default") for made in (frame, shuffled))
    assert one.mean == pytest.approx(other.mean)
    assert one.slope.points == pytest.approx(other.slope.points)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda frame: frame[frame["round"] < 5], "both arms have 5 rounds, and a test takes 6"),
        (
            lambda frame: frame[(frame["arm"] == "default") != (frame["round"] < 6)],
            "no evaluator scored the same text in both arms",
        ),
        (lambda frame: frame.assign(conciseness=np.inf), "scores are infinite"),
        (lambda frame: frame.assign(conciseness=np.nan), "no evaluator scored the same text"),
    ],
)
def test_compare_arms__what_cannot_be_said_is_a_sentence(change: Any, reason: str) -> None:
    found = compare_arms(change(frame_of()), "control", "default")
    assert found.verdict.startswith(f"no verdict: {reason}")
    assert found.p is None
    assert found.interval is None
    assert found.slope.verdict.startswith("no verdict: ")
    assert found.verdict in repr(found)


def test_compare_arms__an_unknown_arm_or_one_arm_twice_is_an_error() -> None:
    with pytest.raises(ArgumentError, match="no arm 'defalt'; there are 'default', 'control'"):
        compare_arms(frame_of(), "control", "defalt")
    with pytest.raises(ArgumentError, match="both arms are 'control'; name two"):
        compare_arms(frame_of(), "control", "control")


def test_compare_arms__one_evaluator_is_warned_of() -> None:
    assert "one evaluator's own shift looks like the arm's" in repr(
        compare_arms(frame_of(), "control", "default")
    )


def test_compare_arms__rounds_that_follow_one_another_are_told() -> None:
    frame = frame_of()
    drift = 20 * np.sin(frame["round"] / 2 + frame["agent_id"])
    frame["conciseness"] += np.where(frame["arm"] == "default", 40 + drift, 0.0)
    found = compare_arms(frame, "control", "default")
    assert found.slope.following_p is not None
    assert found.slope.following_p < 0.1
    assert found.verdict.endswith(
        "rounds follow one another, and the test takes them for independent"
    )
