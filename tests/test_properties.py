"""What holds for every text, whatever its kind."""

import pytest
from hypothesis import given

import shape_magic
from shape_magic.lines import normalize_endings, split_lines
from shape_magic.notebook.display import bundle
from shape_magic.prompting.candidate import outline_element
from shape_magic.shape import Measurement
from shape_magic.vocabulary import ATTRIBUTE_NAMES, LINE_KINDS
from tests.strategies import json_documents, markdown, texts


def markdown_shape(text: str) -> dict[str, int]:
    return shape_magic.measure(text, analyzer="markdown").shape.as_dict()


@given(texts)
def test_measure__each_attribute_is_the_sum_of_its_evidence(text: str) -> None:
    measurement = shape_magic.measure(text)
    for name in ATTRIBUTE_NAMES:
        amounts = [item.amount for item in measurement.evidence[name]]
        assert getattr(measurement.shape, name) == sum(amounts), name


@given(texts)
def test_measure__lines_of_every_kind_and_their_endings_are_chars(text: str) -> None:
    measurement = shape_magic.measure(text)
    lines = split_lines(measurement.text)
    assert len(measurement.kinds) == len(lines) == measurement.shape.lines
    assert set(measurement.kinds) <= set(LINE_KINDS)
    endings = len(measurement.text) - sum(map(len, lines))
    by_kind = [
        sum(len(line) for line, own in zip(lines, measurement.kinds, strict=True) if own == kind)
        for kind in LINE_KINDS
    ]
    assert sum(by_kind) + endings == measurement.shape.chars == len(measurement.text)


@given(texts)
def test_measure__every_range_lies_in_the_text(text: str) -> None:
    measurement = shape_magic.measure(text)
    count = measurement.shape.lines
    for anchor in measurement.outline:
        assert 1 <= anchor.line <= anchor.last_line <= count
        assert len(anchor.label) <= 60
    for items in measurement.evidence.values():
        for item in items:
            assert 1 <= item.first_line <= item.last_line <= count
            assert item.amount > 0
    for note in measurement.notes:
        assert 1 <= note.line <= max(count, 1)


@given(texts)
def test_outline__holds_no_angle_bracket(text: str) -> None:
    outline = outline_element(shape_magic.measure(text))
    inner = outline.removeprefix("<outline>").removesuffix("</outline>")
    assert "<" not in inner
    assert ">" not in inner
    assert "\n" not in inner
    assert "\r" not in inner


@given(markdown)
def test_markdown__closing_the_last_line_adds_one_character_and_nothing_else(text: str) -> None:
    open_text = text.rstrip("\r\n")
    if open_text:
        before, after = markdown_shape(open_text), markdown_shape(open_text + "\n")
        assert after == before | {"chars": before["chars"] + 1}


@given(markdown)
def test_markdown__line_endings_change_chars_alone(text: str) -> None:
    with_lf = normalize_endings(text)
    figures = markdown_shape(with_lf)
    for ending in ("\r\n", "\r"):
        other = markdown_shape(with_lf.replace("\n", ending))
        extra = with_lf.count("\n") * (len(ending) - 1)
        assert other == figures | {"chars": figures["chars"] + extra}


@given(json_documents)
def test_json__its_readable_form_has_the_same_shape(text: str) -> None:
    first = shape_magic.measure(text)
    assert first.kind == "json"
    again = shape_magic.measure(first.text)
    assert (again.shape, again.text, again.kinds) == (first.shape, first.text, first.kinds)


@given(texts)
def test_bundle__never_fails_and_encodes(text: str) -> None:
    data, _ = bundle(shape_magic.measure(text))
    for name in ("text/plain", "text/html"):
        data[name].encode("utf-8")


@pytest.mark.parametrize("value", [b"# A", None, 3, ["# A"]])
def test_measure__says_what_came_and_what_is_wanted(value: object) -> None:
    with pytest.raises(TypeError, match=f"is a str, not {type(value).__name__}"):
        shape_magic.measure(value)  # type: ignore[arg-type]


def test_measurement__refuses_an_attribute_that_no_prompt_explains() -> None:
    with pytest.raises(ValueError, match="'words' is no attribute of the vocabulary"):
        Measurement.from_evidence(
            kind="toy", version="1", text="", kinds=[], evidence={"words": []}
        )
