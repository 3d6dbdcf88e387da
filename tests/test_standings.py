"""Evaluators beside one another, and agents ranked."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

from shape_magic.analysis import Ranking, effect, evaluators, ranking
from shape_magic.errors import FrameError
from tests.worlds import evaluations


def judged(seed: int = 1, rounds: int = 12, trials: int = 2) -> pd.DataFrame:
    """Make three evaluators: one stern, one that rewards length, one that likes the first place."""
    chance = np.random.default_rng(seed)
    texts = evaluations(chance, rounds, 5)
    parts = []
    for name, severity, slope, by_place in (
        ("stern", -15, 0, 0), ("long", 5, 20, 0), ("first", 10, 0, -6)
    ):  # fmt: skip
        for trial in range(1, trials + 1):
            place = np.concatenate([chance.permutation(5) for _ in range(rounds)])
            scores = texts["conciseness"] + severity + slope * (np.log2(texts["chars"]) - 10)
            scores += by_place * place + chance.normal(0, 5, len(texts))
            parts.append(texts.assign(evaluator_agent_id=name, trial=trial, place=place,
                                      conciseness=scores))  # fmt: skip
    return pd.concat(parts, ignore_index=True)


def test_evaluators__each_is_told_by_what_it_does() -> None:
    found = evaluators(judged())
    first, long, stern = found.judged
    assert [each.evaluator for each in found.judged] == ["first", "long", "stern"]
    assert stern.severity is not None
    assert stern.severity.interval is not None
    assert stern.severity.interval[1] < 0
    assert first.place is not None
    assert first.place.interval is not None
    assert first.place.value == pytest.approx(-6, abs=3)
    assert long.slope is not None
    assert stern.slope is not None
    assert long.slope.value - stern.slope.value == pytest.approx(20, abs=4)
    for each in found.judged:
        assert each.agreement is not None
        assert each.agreement.value > 0.5
    for each in (stern, long):
        assert each.noise == pytest.approx(5, abs=1)
        assert each.retest is not None
        assert each.retest > 0.9
    assert "a difference of slopes wants 30 rounds" in repr(found)
    assert len(found.to_frame()) == 3


def test_evaluators__severity_is_over_texts_in_common() -> None:
    frame = judged(trials=1)
    # The stern one alone scored agent 0: that says nothing of its severity.
    kept = frame[(frame["agent_id"] != 0) | (frame["evaluator_agent_id"] == "stern")].copy()
    changed = kept.copy()
    changed.loc[changed["agent_id"] == 0, "conciseness"] += 500
    one, other = evaluators(kept).judged[2], evaluators(changed).judged[2]
    assert one.severity == other.severity


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda frame: frame[frame["evaluator_agent_id"] == "long"], "a single evaluator"),
        (lambda frame: frame[frame["round"] < 3], "3 rounds, and intervals take 6"),
        (
            lambda frame: frame[frame["round"] % 3 == frame["evaluator_agent_id"].map(len) % 3],
            "3 evaluators",
        ),
        (lambda frame: frame.assign(conciseness=np.nan), "no row has conciseness"),
        (lambda frame: frame.assign(conciseness=np.inf), "scores are infinite"),
    ],
)
def test_evaluators__what_cannot_be_said_is_a_sentence(change: Any, reason: str) -> None:
    found = evaluators(change(judged()))
    assert found.verdict.startswith("no verdict: ")
    assert reason in repr(found)
    assert all(each.severity is None or each.severity.interval is None for each in found.judged)


def test_evaluators__in_one_round_only_have_nobody_beside_them() -> None:
    frame = judged(trials=1)
    alone = frame[frame["round"].isin([0, 1, 2])]
    names = {0: "stern", 1: "long", 2: "first"}
    found = evaluators(alone[alone["evaluator_agent_id"] == alone["round"].map(names)])
    assert found.verdict == "no verdict: no text was scored by two evaluators"
    assert all(each.severity is None and each.agreement is None for each in found.judged)


def test_ranking__adjusted_is_the_effect_at_equal_length() -> None:
    frame = evaluations(np.random.default_rng(4), 12, 5, slope=2.0, missing=0.1)
    found = ranking(frame)
    slope = effect(frame, "chars").points
    assert found.slope == pytest.approx(slope)
    # The same by least squares with a column an effect.
    length = np.log2(frame["chars"]).to_numpy()
    design = np.hstack([
        pd.get_dummies(frame["agent_id"]).to_numpy(float),
        pd.get_dummies(frame["round"]).to_numpy(float)[:, 1:],
        length[:, None],
    ])  # fmt: skip
    theirs = np.linalg.lstsq(design, frame["conciseness"].to_numpy(), rcond=None)[0]
    assert theirs[-1] == pytest.approx(slope)
    places = {each.agent: each.adjusted for each in found.standings}
    ours = np.array([places[agent] for agent in range(5)], dtype=float)
    np.testing.assert_allclose(ours - ours.mean(), theirs[:5] - theirs[:5].mean(), rtol=1e-8)


def test_ranking__the_jackknife_leaves_whole_rounds_out() -> None:
    frame = evaluations(np.random.default_rng(5), 8, 4)
    found = ranking(frame)
    without = [
        {
            each.agent: each.adjusted or 0.0
            for each in ranking(frame[frame["round"] != number]).standings
        }
        for number in range(8)
    ]
    for each in found.standings:
        # What a round's absence does to the level of all is no part of the jackknife.
        left = [places[each.agent] - np.mean(list(places.values())) for places in without]
        values = np.array(left)
        error = np.sqrt(7 / 8 * ((values - values.mean()) ** 2).sum())
        assert each.interval is not None
        assert each.adjusted is not None
        reach = stats.t.ppf(0.975, 7) * error
        assert each.interval == pytest.approx((each.adjusted - reach, each.adjusted + reach))


def preferences(seed: int = 3, rounds: int = 30) -> pd.DataFrame:
    """Make preferences whose logit is an agent's own part and one for length."""
    chance = np.random.default_rng(seed)
    frame = evaluations(chance, rounds, 4)
    frame["baseline_chars"] = 1024.0
    longer = np.tanh((frame["chars"] - 1024) / frame["chars"].std())
    logit = 0.5 * frame["agent_id"] - 1 + 1.5 * longer + chance.normal(0, 0.3, len(frame))
    return frame.assign(preference=special.expit(logit))


def test_ranking__of_preferences_takes_length_out() -> None:
    found = ranking(preferences(), score="preference", baseline="baseline_chars")
    assert found.slope == pytest.approx(1.5, abs=0.4)
    assert [each.agent for each in found.standings] == [3, 2, 1, 0]
    for each in found.standings:
        own = 100 * special.expit(0.5 * int(str(each.agent)) - 1)
        assert each.adjusted == pytest.approx(own, abs=6)
        assert 0 < each.raw < 100


def test_ranking__of_preferences_has_the_jackknifes_intervals() -> None:
    frame = preferences(4)

    def ranked(kept: pd.DataFrame) -> Ranking:
        return ranking(kept, score="preference", baseline="baseline_chars")

    found = ranked(frame)
    without = [
        {each.agent: each.adjusted for each in ranked(frame[frame["round"] != left]).standings}
        for left in range(30)
    ]
    for each in found.standings:
        values = np.array([left[each.agent] for left in without], dtype=float)
        reach = stats.t.ppf(0.975, 29) * np.sqrt(29 / 30 * ((values - values.mean()) ** 2).sum())
        assert each.interval is not None
        assert each.adjusted is not None
        # One step of Newton's, and a standard deviation that stays, stand for thirty whole fits.
        assert each.interval[1] - each.adjusted == pytest.approx(reach, rel=0.15)


def test_ranking__an_agent_that_always_wins_is_ranked() -> None:
    frame = preferences()
    frame.loc[frame["agent_id"] == 1, "preference"] = 1.0
    frame.loc[frame["round"] == 2, "preference"] = 0.0
    found = ranking(frame, score="preference", baseline="baseline_chars")
    assert found.standings[0].agent == 1
    assert found.standings[0].adjusted == pytest.approx(100, abs=8)


def test_ranking__what_is_no_preference_is_an_error() -> None:
    frame = preferences().assign(preference=3.0)
    with pytest.raises(FrameError, match="'preference' holds what is no preference of 0 to 1"):
        ranking(frame, score="preference", baseline="baseline_chars")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda frame: frame[frame["agent_id"] == 0], "no verdict: there is a single agent"),
        (lambda frame: frame.assign(conciseness=1.0), "no verdict: conciseness does not vary"),
        (lambda frame: frame[frame["round"] < 3], "no interval: chars varies in 3 of 3 rounds"),
    ],
)
def test_ranking__what_cannot_be_said_is_a_sentence(change: Any, reason: str) -> None:
    found = ranking(change(evaluations(np.random.default_rng(1), 12, 5)))
    assert reason in found.verdict
    assert all(each.interval is None for each in found.standings)
