"""Exercises: an answer is right where the figure is, and a wrong one says what was found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shape_magic import Deliberation, measure
from shape_magic.errors import ArgumentError
from shape_magic.teaching.exercise import check_exercise, predict
from shape_magic.vocabulary import ATTRIBUTE_NAMES

TEXT = "There are three ways. Delete on change.\n\n- One is to expire.\n#no\n"


@given(st.sampled_from(ATTRIBUTE_NAMES), st.integers(0, 100))
def test_prediction__is_right_where_it_equals_the_figure(name: str, guess: int) -> None:
    subject = measure(TEXT)
    (answer,) = predict(subject, **{name: guess}).answers
    assert answer.right == (getattr(subject.shape, name) == guess)
    assert bool(answer.because) == (not answer.right)


@pytest.mark.parametrize(
    ("goal", "right"),
    [
        ("<= 1", True),
        (">=1", True),
        ("1", True),
        (1, True),
        ("= 1", True),
        ("> 1", False),
        ("< 1", False),
        ("<= 0", False),
        (">= 2", False),
        ("0", False),
    ],
)
def test_goal__is_compared_as_it_is_written(goal: int | str, right: bool) -> None:
    assert check_exercise(measure(TEXT), list_items=goal).right is right


def test_miss__is_explained_by_its_lines() -> None:
    assert str(predict(measure(TEXT), headings=1)).splitlines() == [
        "headings  1  not yet: it is 0",
        "    not counted: L4: in `#no` a number sign is followed by `n`, not by a space or a tab "
        "(CommonMark 4.2)",
    ]


def test_keeping__names_each_missing_word_with_its_line() -> None:
    checked = check_exercise(measure("one two"), keeping="Two one\nthree two")
    assert not checked.right
    assert checked.answers[0].because == (
        "missing: 'two' (line 1 of the original), 'three' (line 2 of the original)"
    )


def test_keeping__names_the_words_of_one_line_together() -> None:
    checked = check_exercise(measure("two"), keeping="one two three\nfour four")
    assert str(checked).splitlines() == [
        "words  all kept  not yet: 4 missing",
        "    missing: 'one', 'three' (line 1 of the original), 'four' (line 2 of the original) "
        "and 1 more",
    ]


def test_subject__may_be_a_text_or_a_proposal() -> None:
    proposal = Deliberation().propose("Ann", TEXT)
    for subject in (TEXT, proposal):
        assert check_exercise(subject, keeping=TEXT, list_items=1).right
        assert predict(subject, list_items=1).right


@pytest.mark.parametrize("subject", [None, 3])
def test_subject_without_numbers__is_refused(subject: object) -> None:
    with pytest.raises(ArgumentError, match=f"{subject} has no numbers: give a measurement, a "):
        check_exercise(subject, headings=1)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="has no numbers"):
        predict(subject, headings=1)  # type: ignore[arg-type]


@given(st.lists(st.sampled_from(["a", "b", "c", "ü"]), max_size=8), st.randoms())
def test_keeping__takes_the_same_words_in_any_order(words: list[str], random: object) -> None:
    text = " ".join(words)
    assert check_exercise(measure("# " + " ".join(sorted(words))), keeping=text).right


def test_keeping__counts_how_often_a_word_stood_there() -> None:
    assert not check_exercise(measure("a"), keeping="a a").right


@pytest.mark.parametrize(
    ("goals", "message"),
    [
        ({}, "an exercise asks for something: name an attribute, or keeping=text"),
        ({"headings": "few"}, "headings='few' is no goal: give a number, or one after <=, "),
        ({"headings": -1}, "headings=-1 is no goal"),
        ({"heading": 1}, "'heading' is no attribute; the nearest is headings, "),
    ],
)
def test_goal_that_cannot_be_read__is_refused(goals: dict[str, int | str], message: str) -> None:
    with pytest.raises(ArgumentError) as raised:
        check_exercise(measure(TEXT), keeping=None, **goals)
    assert str(raised.value).startswith(message)


def test_html__escapes_the_text_that_was_measured() -> None:
    html = predict(measure("#<script>alert(1)</script>\n"), headings=1)._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
