"""What a frame may hold, and what a correlation says of itself: text, table, errors."""

import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from shape_magic.analysis import correlate
from shape_magic.errors import ArgumentError, FrameError, MissingExtraError, ShapeMagicError
from tests.correlation_data import frame_of, simulated


def test_scores_that_differ_by_rounding_alone__are_ties() -> None:
    exact = frame_of([([1, 2, 3, 4], [0.3, 0.3, 50, 20])])
    rounded = frame_of([([1, 2, 3, 4], [0.1 + 0.2, 0.3, 50, 20])])
    assert 0.1 + 0.2 != 0.3
    assert correlate(rounded, attributes=["chars"]) == correlate(exact, attributes=["chars"])


def test_prose_share__is_worked_out_and_empty_proposals_have_none() -> None:
    frame = frame_of([([10, 20, 40, 0], [1, 2, 3, 4])])
    frame["prose_chars"] = [10, 10, 10, 0]
    found = correlate(frame, attributes=["prose_share"])["prose_share"]
    assert found.within.coefficient == pytest.approx(-1)
    assert found.missing == 1


def test_several_deliberations__are_told_apart_by_their_columns() -> None:
    frame = frame_of([([1, 2, 3], [1, 2, 3])])
    both = pd.concat([frame.assign(deliberation="a"), frame.assign(deliberation="b")])
    found = correlate(both, attributes=["chars"], within=["deliberation", "round"])["chars"].within
    assert [point.round for point in found.rounds] == [("a", 1), ("b", 1)]


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({}, {"score": "concisness"}, "no column 'concisness'; did you mean 'conciseness'"),
        ({}, {"within": "turn"}, "no column 'turn'; there are 'round', 'agent_id'"),
        ({}, {"within": []}, "within names no column"),
        ({"chars": "many"}, {}, "the column 'chars' holds what is no number"),
        ({"conciseness": math.inf}, {}, "the column 'conciseness' holds an infinite number"),
        ({"round": None}, {}, "the column 'round' has rows without a value"),
        ({"agent_id": "A"}, {}, "the agent 'A' stands twice in round 1"),
    ],
)
def test_frame_that_cannot_be_read__is_an_error_that_says_why(
    change: dict[str, object], options: dict[str, object], message: str
) -> None:
    frame = frame_of([([1, 2, 3], [1, 2, 3])]).assign(**change)  # type: ignore[arg-type]
    with pytest.raises(FrameError, match=message) as caught:
        correlate(frame, attributes=["chars"], **options)  # type: ignore[arg-type]
    assert isinstance(caught.value, ShapeMagicError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("options", [{"confidence": 95}, {"confidence": 0}, {"resamples": 0}])
def test_bad_option__is_refused(options: dict[str, int]) -> None:
    with pytest.raises(ArgumentError, match=next(iter(options))):
        correlate(frame_of([([1, 2, 3], [1, 2, 3])]), attributes=["chars"], **options)  # type: ignore[arg-type]


def test_empty_frame__has_no_rounds_and_reasons() -> None:
    frame = frame_of([([1], [1])]).iloc[:0]
    result = correlate(frame, attributes=["chars"])
    assert (result.rounds, result["chars"].within.reason) == (0, "rounds too small")


def test_text__is_a_table_with_the_remarks_a_reader_needs() -> None:
    frame = frame_of([([1, 2, 3], [3, 2, 1]), ([1, 2, 3], [3, 1, 2])])
    assert str(correlate(frame, attributes=["chars"])).splitlines() == [
        "conciseness: mean within-round Spearman coefficients",
        "        mean  95 %       p    Holm  rounds  pooled",
        "chars  -0.75        0.2778  0.2778       2  -0.75",
        "",
        "6 of 6 proposals have a score; 0 of 2 rounds have fewer than three such and say nothing.",
        "p: all permutations of the scores within rounds. "
        "The smallest that these rounds could give: 0.0556, after Holm over 1 attribute "
        "at best 0.0556.",
        "There is no interval under 6 rounds, or where all agree exactly.",
    ]


def test_hostile_column_name__acts_nowhere_in_the_text() -> None:
    frame = frame_of([([1, 2, 3], [3, 2, 1])]).rename(columns={"chars": "\x1b[31mred"})
    result = correlate(frame.assign(chars=1), attributes=["\x1b[31mred"])
    assert "\x1b" not in str(result)
    assert "\u241b[31mred" in str(result)


def test_to_frame__has_every_estimate() -> None:
    frame = simulated(np.random.default_rng(6), [5] * 7, effect=0.4)
    result = correlate(
        frame.assign(lead_chars=frame["chars"] ** 2), attributes=["chars", "lead_chars"]
    )
    rows = {
        (row["attribute"], row["estimate"]): row for row in result.to_frame().to_dict("records")
    }
    assert len(rows) == 4
    within = result["lead_chars"].within
    row = rows["lead_chars", "within"]
    assert (row["low"], row["high"]) == within.interval
    assert (row["p"], row["rounds"]) == (within.p, 7)
    assert rows["chars", "controlled"]["reason"] == "the control"


def test_unknown_attribute__is_named_with_those_there_are() -> None:
    result = correlate(frame_of([([1, 2, 3], [3, 2, 1])]), attributes=["chars"])
    with pytest.raises(ArgumentError, match="'lines' was not correlated; there are 'chars'"):
        result["lines"]


@pytest.mark.parametrize("missing", ["pandas", "scipy", "matplotlib"])
def test_without_the_extra__the_error_says_how_to_install_it(missing: str) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None; import shape_magic.analysis"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "shape_magic.errors.MissingExtraError: this needs the extra 'analysis', and "
        f"{missing!r} is not installed: pip install 'shape_magic[analysis]'"
    )
    assert issubclass(MissingExtraError, ImportError)


def test_tiny_scores__are_figures_like_others() -> None:
    scores: list[float | None] = [1, 2, 3, 4, 4 * (1 + 1e-15)]
    exact = correlate(frame_of([([1, 2, 3, 4, 5], scores)]), attributes=["chars"])
    for scale in (1e-300, 1e-310, 1e300):
        scaled = [None if one is None else one * scale for one in scores]
        found = correlate(frame_of([([1, 2, 3, 4, 5], scaled)]), attributes=["chars"])
        assert found == exact


HOSTILE = "c\x1b[31m\n\u202e"


@pytest.mark.parametrize(
    ("change", "options"),
    [
        ({}, {"score": "none"}),
        ({}, {"score": "c\x1b[31m"}),
        ({HOSTILE: "a\x1b\u202e\nb"}, {"score": HOSTILE}),
        ({HOSTILE: math.inf}, {"score": HOSTILE}),
        ({HOSTILE: None}, {"within": HOSTILE}),
        ({HOSTILE: 1, "agent_id": HOSTILE}, {"within": HOSTILE}),
        ({HOSTILE: HOSTILE, "agent_id": "A"}, {"within": ["round", HOSTILE]}),
        ({}, {"attributes": [HOSTILE, HOSTILE]}),
    ],
)
def test_error__with_hostile_names__is_one_line_in_which_nothing_acts(
    change: dict[str, object], options: dict[str, object]
) -> None:
    frame = frame_of([([1, 2, 3], [1, 2, 3])]).assign(**{HOSTILE: 1} | change)  # type: ignore[arg-type]
    with pytest.raises((FrameError, ArgumentError)) as caught:
        correlate(frame, **{"attributes": ["chars"]} | options)  # type: ignore[arg-type]
    assert not {"\x1b", "\n", "\u202e"} & set(str(caught.value))


def test_unknown_attribute__beside_hostile_names__is_one_line_in_which_nothing_acts() -> None:
    frame = frame_of([([1, 2, 3], [3, 2, 1])]).assign(**{HOSTILE: 1})
    result = correlate(frame, attributes=["chars", HOSTILE])
    with pytest.raises(ArgumentError) as caught:
        result["\x1b\n"]
    assert not {"\x1b", "\n", "\u202e"} & set(str(caught.value))


def test_names_with_line_endings__break_no_table() -> None:
    frame = frame_of([([1, 2, 3], [3, 2, 1])] * 2)
    hostile = frame.rename(columns={"conciseness": "s\nx", "chars": "a\nb"}).assign(**{"c\r\n": 1})
    found = correlate(hostile, score="s\nx", attributes=["a\nb", "c\r\n"], control="c\r\n")
    lines = str(found).splitlines()
    assert lines[0] == "s␊x: mean within-round Spearman coefficients"
    assert [line.split()[0] for line in lines[2:4]] == ["a␊b", "c␍␊"]


def test_attributes__one_name_is_one_attribute() -> None:
    frame = frame_of([([1, 2, 3], [3, 2, 1])])
    assert correlate(frame, attributes="chars") == correlate(frame, attributes=["chars"])


@pytest.mark.parametrize(
    ("attributes", "message"),
    [([], "attributes names no column"), (["chars", "chars"], "attributes names 'chars' 2 times")],
)
def test_attributes__that_are_none_or_doubled__are_refused(
    attributes: list[str], message: str
) -> None:
    with pytest.raises(ArgumentError, match=message):
        correlate(frame_of([([1, 2, 3], [3, 2, 1])]), attributes=attributes)


@pytest.mark.parametrize("name", ["chars", "conciseness", "round", "agent_id"])
def test_column_that_is_doubled__is_an_error_that_says_so(name: str) -> None:
    frame = frame_of([([1, 2, 3], [3, 2, 1])])
    doubled = pd.concat([frame, frame[[name]]], axis=1)
    with pytest.raises(FrameError, match=f"the frame has 2 columns '{name}'"):
        correlate(doubled, attributes="chars")
