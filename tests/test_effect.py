"""One attribute and several: verdicts, what cannot be said, and what changes nothing."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shape_magic.analysis import Columns, Effect, effect, effects
from shape_magic.errors import ArgumentError, FrameError
from tests.worlds import evaluations


def frame_of(seed: int = 1, rounds: int = 12, agents: int = 5, **world: Any) -> pd.DataFrame:
    return evaluations(np.random.default_rng(seed), rounds, agents, **world)


def with_attributes(frame: pd.DataFrame) -> pd.DataFrame:
    """Give a frame the other attributes, drawn."""
    chance, rows = np.random.default_rng(8), len(frame)
    prose = (frame["chars"] * chance.uniform(0.2, 0.9, rows)).round()
    return frame.assign(
        lines=10, prose_chars=prose, lead_chars=(prose * chance.uniform(0, 1, rows)).round(),
        headings=chance.integers(0, 3, rows), code_blocks=chance.integers(0, 2, rows),
        list_items=chance.integers(0, 9, rows), table_rows=0,
    )  # fmt: skip


def test_effect__a_strong_slope_is_shown() -> None:
    found = effect(frame_of(slope=1.5), "chars")
    assert found.verdict.startswith("shown: +")
    assert found.points == pytest.approx(30, abs=12)
    assert (found.rounds, found.agents, found.evaluators, found.rows) == (12, 5, 1, 60)


def test_effect__without_a_slope_says_what_remains_possible() -> None:
    found = effect(frame_of(), "chars")
    near, far = found.these_agents, found.agents_like_these
    assert near is not None
    assert far is not None
    reach = max(map(abs, (*near.bounds, *far.bounds)))
    assert found.verdict == (
        f"not shown: up to ±{reach:.3g} points per doubling of chars remain possible"
    )


def test_effect__three_agents_speak_for_themselves_alone() -> None:
    found = effect(frame_of(agents=3, slope=2.0), "chars")
    assert found.verdict.startswith("for these agents: +")
    assert found.verdict.endswith("; 3 agents cannot speak for others")
    assert found.agents_like_these is None


def test_effect__rounds_that_follow_one_another_take_both_intervals() -> None:
    for seed in range(40):
        found = effect(frame_of(seed, follows=0.9, slope=0.5, rounds=20), "chars")
        near, far = found.these_agents, found.agents_like_these
        assert near is not None
        assert far is not None
        assert found.following_p is not None
        if near.p < 0.05 < far.p and found.following_p < 0.1:
            assert "rounds follow one another" in found.verdict
            assert found.verdict.startswith("not shown: ")
            return
    pytest.fail("no such deliberation was drawn")


def constant(name: str, value: float) -> Any:
    return lambda frame: frame.assign(**{name: value})


# What is done to twelve rounds of five, and what is then said.
NO_VERDICT = {
    "one value everywhere": (constant("chars", 800), "chars is the same everywhere"),
    "an attribute that nobody has": (constant("chars", 1.0), "nobody has chars"),
    "one score everywhere": (constant("conciseness", 7.0), "conciseness does not vary"),
    "no score": (constant("conciseness", np.nan), "no row has conciseness"),
    "an infinite score": (constant("conciseness", np.inf), "conciseness holds infinite numbers"),
    "an infinite attribute": (constant("chars", np.inf), "chars holds infinite numbers"),
    "a single agent": (lambda frame: frame[frame["agent_id"] == 0], "there is a single agent"),
    "one round": (lambda frame: frame[frame["round"] == 0], "one round cannot tell"),
    "five rounds": (lambda frame: frame[frame["round"] < 5], "chars varies in 5 of 5 rounds"),
    "each agent keeps its length": (
        lambda frame: frame.assign(chars=2.0 ** (8 + frame["agent_id"])),
        "chars differs between agents or between rounds only",
    ),
    "empty texts": (constant("chars", 0), "no row has conciseness"),
}


@pytest.mark.parametrize("case", NO_VERDICT)
def test_effect__what_cannot_be_said_is_a_sentence(case: str) -> None:
    change, reason = NO_VERDICT[case]
    found = effect(change(frame_of()), "chars")
    assert found.verdict.startswith(f"no verdict: {reason}")
    assert found.these_agents is None
    assert found.agents_like_these is None
    # Few rounds give an estimate without a verdict; all else gives no number.
    assert (found.points is not None) == (case in ("one round", "five rounds"))
    assert found.verdict in repr(found)


def test_effect__missing_scores_and_texts_are_left_out_and_counted() -> None:
    frame = frame_of()
    frame.loc[3, "conciseness"] = np.nan
    frame.loc[[5, 6], "chars"] = 0
    found = effect(frame, "chars")
    assert found.rows == 57
    assert found.notes[:2] == (
        "1 row without conciseness left out",
        "2 rows whose text is empty left out",
    )


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), missing=st.sampled_from([0.0, 0.2]))
@example(seed=12, missing=0.2)  # too few rounds for an interval
def test_effect__order_of_rows_labels_and_levels_change_nothing(seed: int, missing: float) -> None:
    frame = frame_of(seed, rounds=8, agents=4, missing=missing, slope=0.5)
    chance = np.random.default_rng(seed)
    names = dict(enumerate(chance.permutation(["Ann", "Bob", "\ud800", "$x$"])))
    changed = frame.sample(frac=1, random_state=seed)
    changed["conciseness"] += chance.normal(0, 50, 8)[changed["round"]]
    changed["conciseness"] += chance.normal(0, 50, 4)[changed["agent_id"]]
    changed["agent_id"] = pd.Series(
        [names[agent] for agent in changed["agent_id"]], index=changed.index, dtype=object
    )
    changed["round"] = changed["round"] * 10 + 3
    one, other = effect(frame, "chars"), effect(changed, "chars")
    assert close(one, other)


def close(one: Effect, other: Effect) -> bool:
    figures = [[found.points] for found in (one, other)]
    for row, found in zip(figures, (one, other), strict=True):
        for each in (found.these_agents, found.agents_like_these):
            row += [each.low, each.high, each.p, each.freedom] if each else [None]
    # Of what there is not, None, no tolerance can be asked.
    numbers = [[math.nan if figure is None else figure for figure in row] for row in figures]
    return one.following_p == other.following_p and numbers[0] == pytest.approx(
        numbers[1], rel=1e-6, nan_ok=True
    )


def test_effect__several_arms_need_a_name() -> None:
    frame = pd.concat([frame_of().assign(arm=arm) for arm in ("control", "default")])
    with pytest.raises(FrameError, match="2 arms, and their rows are of the same texts: name one"):
        effect(frame, "chars")
    with pytest.raises(ArgumentError, match="there is no arm 'contrl'; there are 'control'"):
        effect(frame, "chars", arm="contrl")
    assert effect(frame, "chars", arm="default").rows == 60


def test_effect__earlier_versions_are_left_out_and_trials_averaged() -> None:
    frame = frame_of()
    apart = frame.assign(trial=2, conciseness=frame["conciseness"] + 8)
    both = pd.concat([frame.assign(trial=1), apart]).assign(latest=True)
    old = both.assign(latest=False, conciseness=0)
    found = effect(pd.concat([both, old]), "chars")
    assert found.points == pytest.approx(effect(frame, "chars").points)
    assert (found.rows, found.notes[0]) == (60, "120 rows of earlier versions left out")


def test_effect__synthetic_evaluations_count_in_nothing() -> None:
    frame = frame_of().assign(synthetic=False, evaluator_agent_id="Judge")
    made_up = frame.assign(synthetic=True, evaluator_agent_id="Other", conciseness=0)
    found = effect(pd.concat([frame, made_up]), "chars")
    assert found.points == effect(frame, "chars").points
    assert (found.evaluators, found.notes) == (1, ("60 rows of synthetic evaluations left out",))


def test_effect__a_frame_of_several_deliberations_names_what_tells_them_apart() -> None:
    frame = pd.concat([frame_of(seed).assign(deliberation=seed) for seed in (1, 2)])
    with pytest.raises(FrameError, match="the agent '0' stands twice in round 0"):
        effect(frame, "chars")
    found = effect(frame, "chars", columns=Columns(round=("deliberation", "round")))
    assert found.rounds == 24


def test_effect__the_score_that_depends_on_the_field_is_warned_of() -> None:
    found = effect(
        frame_of().assign(score=lambda frame: frame["conciseness"]), "chars", score="score"
    )
    assert any("depends on how many candidates" in note for note in found.notes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda frame: frame.drop(columns="chars"), "no column 'chars'"),
        (lambda frame: frame.assign(conciseness="a"), "'conciseness' holds what is no number"),
        (lambda frame: frame.assign(agent_id=None), "'agent_id' has rows without a value"),
        (lambda frame: frame.rename(columns={"round": "rounds"}), "no column 'round'; the nearest"),
    ],
)
def test_effect__a_frame_that_cannot_be_read_is_an_error(change: Any, message: str) -> None:
    with pytest.raises(FrameError, match=message):
        effect(change(frame_of()), "chars")


def test_effect__reads_in_text_html_and_frame() -> None:
    frame = frame_of(slope=1.5).rename(columns={"conciseness": "<b>\x1b"})
    found = effect(frame, "chars", score="<b>\x1b")
    text, html = repr(found), found._repr_html_()
    assert text.splitlines()[0].startswith("<b>␛ and chars: +")
    assert "&lt;b&gt;␛ and chars" in html
    assert "\x1b" not in text + html
    assert found.verdict in text
    row = found.to_frame().iloc[0]
    assert row["points"] == found.points
    assert row["these_agents_low"] == found.these_agents.low  # type: ignore[union-attr]


def test_effects__each_beside_the_others() -> None:
    frame = with_attributes(frame_of(slope=2.0))
    found = effects(frame)
    assert found["chars"].verdict.startswith("shown: +")
    assert found["any_table"].verdict == "no verdict: nobody has any_table"
    assert found["any_table"].carried == 0
    assert found["any_heading"].carried == int((frame["headings"] > 0).sum())
    assert found["list_items"].verdict.startswith("not shown: ")
    assert len(found.to_frame()) == 7
    assert "each beside the others" in repr(found)
    with pytest.raises(ArgumentError, match="'lines' was not estimated; there are 'chars'"):
        found["lines"]


def test_effects__alone_chars_has_the_slope_of_effect() -> None:
    frame = frame_of(slope=1.0)
    assert effects(frame, attributes="chars")["chars"].points == effect(frame, "chars").points


def test_effects__what_goes_with_another_is_a_sentence() -> None:
    frame = frame_of().assign(twice=lambda frame: 2 * np.log2(frame["chars"]))
    part = effects(frame, attributes=["chars", "twice"])["twice"]
    assert part.points is None
    assert "goes with what stands above" in part.verdict


@pytest.mark.parametrize("case", NO_VERDICT)
def test_effects__what_cannot_be_said_is_a_sentence(case: str) -> None:
    part = effects(NO_VERDICT[case][0](frame_of()), attributes=["chars"])["chars"]
    assert part.verdict.startswith("no verdict: ")
    assert part.these_agents is None


def test_effects__no_attribute_or_one_twice_is_an_error() -> None:
    for attributes in ([], ["chars", "chars"]):
        with pytest.raises(ArgumentError, match="names one or more, each once"):
            effects(frame_of(), attributes=attributes)


@pytest.mark.parametrize("confidence", [0, 1, 95])
def test_confidence__lies_between_0_and_1(confidence: float) -> None:
    with pytest.raises(ArgumentError, match="it lies between 0 and 1"):
        effect(frame_of(), "chars", confidence=confidence)
