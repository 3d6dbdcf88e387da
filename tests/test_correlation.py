"""Correlation: within rounds, counted in full, and honest about what the rounds cannot tell."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from shape_magic.analysis import correlate
from shape_magic.analysis.estimates import mean_interval
from tests.correlation_data import (
    enumerated_controlled_p,
    enumerated_p,
    frame_of,
    partial_of_ranks,
    simulated,
)

SMALL = st.integers(0, 4).map(float)


@given(st.lists(st.tuples(SMALL, SMALL), min_size=3, max_size=7))
def test_one_round__has_scipys_coefficient(pairs: list[tuple[float, float]]) -> None:
    chars, scores = zip(*pairs, strict=True)
    assume(len(set(chars)) > 1 and len(set(scores)) > 1)
    found = correlate(frame_of([(chars, scores)]), attributes=["chars"])["chars"]
    assert found.within.coefficient == pytest.approx(stats.spearmanr(chars, scores).statistic)
    assert found.pooled == pytest.approx(found.within.coefficient)


def test_several_rounds__have_the_mean_of_their_coefficients_whatever_their_sizes() -> None:
    frame = simulated(np.random.default_rng(1), [3, 4, 9, 5], effect=0.3)
    found = correlate(frame, attributes=["chars"])["chars"].within
    by_round = [
        stats.spearmanr(one["chars"], one["conciseness"]).statistic
        for _, one in frame.groupby("round")
    ]
    assert [point.coefficient for point in found.rounds] == pytest.approx(by_round)
    assert [(point.round, point.proposals) for point in found.rounds] == [
        (1, 3), (2, 4), (3, 9), (4, 5),
    ]  # fmt: skip
    assert found.coefficient == pytest.approx(np.mean(by_round))
    assert found.interval is None


def test_interval__is_made_of_the_rounds_coefficients() -> None:
    frame = simulated(np.random.default_rng(1), [3, 4, 9, 5, 5, 4], effect=0.3)
    found = correlate(frame, attributes=["chars"], confidence=0.9)["chars"].within
    by_round = [point.coefficient for point in found.rounds]
    assert found.interval is not None
    assert found.interval == mean_interval(by_round, confidence=0.9)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("effect", [0.0, -0.5, 0.9])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("sizes", [[3, 4, 5], [3], [5], [4, 4], [3, 3, 3, 4]])
def test_p__equals_full_enumeration(sizes: list[int], effect: float, ties: bool, seed: int) -> None:
    frame = simulated(np.random.default_rng(seed), sizes, effect=effect, ties=ties)
    varying = frame.groupby("round")[["chars", "conciseness"]].nunique().min(axis=1) > 1
    frame = frame[frame["round"].isin(varying[varying].index)]
    assert len(frame) > 0
    found = correlate(frame, attributes=["chars"])["chars"].within
    assert found.exact
    assert (found.p, found.smallest_p) == pytest.approx(enumerated_p(frame))


def test_p__of_many_rounds_is_exact_and_tiny_where_all_agree() -> None:
    rounds = [([1, 2, 3, 4, 5], [5, 4, 3, 2, 1])] * 20
    found = correlate(frame_of(rounds), attributes=["chars"])["chars"].within
    assert found.exact
    assert found.p == pytest.approx(2 / math.factorial(5) ** 20, rel=1e-9)
    assert found.p == found.smallest_p


def test_p__is_never_0() -> None:
    rounds = [([1, 2, 3, 4], [4, 3, 2, 1])] * 240
    found = correlate(frame_of(rounds), attributes=["chars"])["chars"].within
    assert found.p is not None
    assert found.exact
    assert 0 < found.p < 1e-300


def test_p__of_large_rounds_is_drawn_and_agrees_with_scipys() -> None:
    frame = simulated(np.random.default_rng(3), [12], effect=0.45)
    found = correlate(frame, attributes=["chars"], resamples=20_000)["chars"].within
    ranks = stats.rankdata(frame["chars"])
    theirs = stats.permutation_test(
        (stats.rankdata(frame["conciseness"]),),
        lambda scores: stats.pearsonr(scores, ranks).statistic,
        permutation_type="pairings",
        n_resamples=5_000,
        rng=np.random.default_rng(4),
    )
    assert not found.exact
    assert found.smallest_p == 1 / 20_001
    assert found.p == pytest.approx(theirs.pvalue, abs=0.02)
    assert 0.01 < theirs.pvalue < 0.5


def test_p__drawn_is_close_to_p_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = simulated(np.random.default_rng(5), [4, 5, 6, 4], effect=0.3, ties=True)
    counted = correlate(frame, attributes=["chars"])["chars"].within
    monkeypatch.setattr("shape_magic.analysis.permutation.WORK", 1)
    drawn = correlate(frame, attributes=["chars"])["chars"].within
    assert (counted.exact, drawn.exact) == (True, False)
    assert counted.p is not None
    assert 0.02 < counted.p < 0.98
    assert drawn.p == pytest.approx(counted.p, abs=0.015)


def test_opposite_effects__are_told_apart_and_named() -> None:
    frame = simulated(np.random.default_rng(2), [5] * 8, effect=-0.8, between=3.0)
    result = correlate(frame, attributes=["chars"])
    found = result["chars"]
    assert found.within.coefficient is not None
    assert found.pooled is not None
    assert found.within.coefficient < -0.5
    assert found.pooled > 0.5
    assert found.opposed
    assert "! Pooled has the other sign" in str(result)


def test_agreeing_effects__are_not_called_opposed() -> None:
    result = correlate(
        simulated(np.random.default_rng(2), [5] * 8, effect=0.8, between=3.0), attributes=["chars"]
    )
    assert not result["chars"].opposed
    assert "other sign" not in str(result)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1_000), shuffle=st.integers(0, 1_000))
def test_shuffled_rows_and_renamed_agents__change_nothing(seed: int, shuffle: int) -> None:
    random = np.random.default_rng(seed)
    frame = simulated(random, [3, 9, 4, 6, 5, 5, 2], effect=0.2, ties=bool(seed % 2))
    frame["lead_chars"] = np.round(random.normal(size=len(frame)))
    frame.loc[frame.index[seed % 7], "conciseness"] = np.nan
    shuffled = frame.sample(frac=1, random_state=shuffle)
    order = np.random.default_rng(shuffle).permutation(len(shuffled))
    shuffled["agent_id"] = [f"Renamed {number}" for number in order]
    attributes = ["chars", "lead_chars"]
    before = correlate(frame, attributes=attributes, resamples=99)
    assert correlate(shuffled, attributes=attributes, resamples=99) == before


@pytest.mark.parametrize(
    ("rounds", "reason"),
    [
        ([([7, 7, 7], [1, 2, 3])] * 2, "no variation"),
        ([([1, 2, 3], [5, 5, 5])], "no variation"),
        ([([1, 2], [5, 6])], "rounds too small"),
        ([([1, 2, 3], [5, 6, None])], "rounds too small"),
        ([([7, 7, 7], [1, 2, 3]), ([8, 8, 8], [4, 5, 6])], "no variation"),
    ],
)
def test_rounds_that_say_nothing__give_a_reason_and_no_zero(
    rounds: list[tuple[list[float], list[float | None]]], reason: str
) -> None:
    result = correlate(frame_of(rounds), attributes=["chars"])
    found = result["chars"].within
    assert found.reason == reason
    assert (found.coefficient, found.p, found.p_holm, found.smallest_p) == (None,) * 4
    assert found.interval is None
    assert reason in str(result)


def test_pooled__is_given_though_nothing_varies_within_rounds() -> None:
    found = correlate(
        frame_of([([7, 7, 7], [1, 2, 3]), ([8, 8, 8], [4, 5, 6])]), attributes=["chars"]
    )["chars"]
    assert found.within.coefficient is None
    assert found.pooled is not None
    assert found.pooled > 0
    assert not found.opposed


def test_counts__tell_what_was_left_out() -> None:
    frame = frame_of(
        [
            ([1, 2, 3, 4], [4, 3, None, 1]),
            ([1, 2], [1, 2]),
            ([5, 5, 5], [1, 2, 3]),
            ([1, 2, 3], [None, None, 2]),
            ([1, 2, 3], [2, 1, 3]),
        ]
    )
    frame["synthetic_eval_count"] = 1
    frame["lead_chars"] = [1.0, 2, 3, None, *range(len(frame) - 4)]
    result = correlate(frame, attributes=["chars", "lead_chars"])
    assert (result.proposals, result.scored, result.missing_scores) == (15, 12, 3)
    assert (result.rounds, result.rounds_left_out) == (5, 2)
    assert result.synthetic_evaluations == 15
    within = result["chars"].within
    assert (within.rounds_too_small, within.rounds_without_variation) == (2, 1)
    assert [point.round for point in within.rounds] == [1, 5]
    assert (result["chars"].missing, result["lead_chars"].missing) == (0, 1)
    # Without the first round's last lead there are only two values in it.
    assert [point.round for point in result["lead_chars"].within.rounds] == [3, 5]
    text = str(result)
    assert "12 of 15 proposals have a score; 2 of 5 rounds have fewer than three" in text
    assert "15 synthetic evaluations are in no score" in text
    assert "1 scored proposals lack an attribute" in text


def test_controlled__equals_the_coefficient_of_what_the_control_leaves() -> None:
    random = np.random.default_rng(8)
    frame = simulated(random, [4, 6, 9], effect=0.4, ties=True)
    frame["lead_chars"] = np.round(frame["chars"] + random.normal(size=len(frame)), 1)
    found = correlate(frame, attributes=["lead_chars"])["lead_chars"].controlled
    expected = [
        partial_of_ranks(
            one["lead_chars"].to_numpy(), one["conciseness"].to_numpy(), one["chars"].to_numpy()
        )
        for _, one in frame.groupby("round")
    ]
    assert [point.coefficient for point in found.rounds] == pytest.approx(expected)


# Seeds whose rounds all have something left to vary once the control is taken out.
CONTROLLED = [
    *(([4], seed) for seed in (1, 3, 4)),
    *(([5], seed) for seed in (0, 1, 3)),
    *(([4, 5], seed) for seed in (2, 3, 4, 6)),
]


@pytest.mark.parametrize(("sizes", "seed"), CONTROLLED)
def test_controlled_p__equals_full_enumeration(sizes: list[int], seed: int) -> None:
    random = np.random.default_rng(seed)
    frame = simulated(random, sizes, effect=0.5)
    frame["lead_chars"] = frame["chars"] + random.normal(size=len(frame))
    found = correlate(frame, attributes=["lead_chars"])["lead_chars"].controlled
    assert (found.exact, len(found.rounds)) == (True, len(sizes))
    expected = enumerated_controlled_p(frame, "lead_chars")
    assert (found.p, found.smallest_p) == pytest.approx(expected)


def test_controlled__needs_four_proposals() -> None:
    frame = simulated(np.random.default_rng(1), [3, 3, 4], effect=0.5)
    frame["lead_chars"] = [3.0, 1, 2, 1, 3, 2, 4, 1, 3, 2]
    found = correlate(frame, attributes=["lead_chars"])["lead_chars"]
    assert [point.round for point in found.within.rounds] == [1, 2, 3]
    assert [point.round for point in found.controlled.rounds] == [3]
    assert found.controlled.rounds_too_small == 2


def test_controlled__has_no_coefficient_where_the_control_decides_all() -> None:
    frame = simulated(np.random.default_rng(1), [5, 5], effect=0.5)
    frame["lines"] = 2 * frame["chars"]
    result = correlate(frame, attributes=["chars", "lines"])
    assert result["lines"].controlled.reason == "no variation"
    assert result["lines"].controlled.rounds_without_variation == 2
    assert result["chars"].controlled.reason == "the control"


def test_controlled__has_a_right_p_where_the_control_is_unrelated() -> None:
    random = np.random.default_rng(17)
    reached = 0
    for _ in range(300):
        frame = simulated(random, [5, 5, 5], effect=0.0)
        frame["lead_chars"] = random.normal(size=len(frame))
        p = correlate(frame, attributes=["lead_chars"], resamples=199)["lead_chars"].controlled.p
        assert p is not None
        reached += p <= 0.1
    assert 0.06 <= reached / 300 <= 0.14


def test_holm__adjusts_over_the_attributes_that_have_a_coefficient() -> None:
    random = np.random.default_rng(4)
    frame = simulated(random, [5, 4, 5], effect=-0.9)
    for name in ("lead_chars", "lines"):
        frame[name] = random.normal(size=len(frame))
    frame["headings"] = 3
    names = ["chars", "headings", "lead_chars", "lines"]
    result = correlate(frame, attributes=names)
    tested = [result[name].within for name in names if name != "headings"]
    ps = sorted(one.p for one in tested if one.p is not None)
    adjusted = [max(min(1.0, p * (3 - rank)) for rank, p in enumerate(ps[: place + 1]))
                for place in range(3)]  # fmt: skip
    assert sorted(one.p_holm for one in tested if one.p_holm is not None) == adjusted
    assert result["headings"].within.p_holm is None
    assert "after Holm over 3 attributes" in str(result)
