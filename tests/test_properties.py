"""What holds for every text, whatever its kind."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given

import shape_magic
from shape_magic.lines import normalize_endings, split_lines
from shape_magic.notebook.display import bundle
from shape_magic.prompting.candidate import outline_element
from shape_magic.vocabulary import LINE_KINDS
from tests.strategies import json_documents, markdown, texts


def markdown_shape(text: str) -> dict[str, int]:
    return shape_magic.measure(text, analyzer="markdown").shape.as_dict()


@given(texts)
def test_measure__passes_the_check_that_other_packages_analyzers_must_pass(text: str) -> None:
    shape_magic.measure(text).check()


@given(texts)
def test_measure__lines_of_every_kind_and_their_endings_are_chars(text: str) -> None:
    measurement = shape_magic.measure(text)
    lines = split_lines(measurement.text)
    endings = len(measurement.text) - sum(map(len, lines))
    by_kind = [
        sum(len(line) for line, own in zip(lines, measurement.kinds, strict=True) if own == kind)
        for kind in LINE_KINDS
    ]
    assert sum(by_kind) + endings == measurement.shape.chars


@given(texts)
def test_measure__evidence_is_no_empty_range(text: str) -> None:
    for items in shape_magic.measure(text).evidence.values():
        assert all(item.amount > 0 for item in items)


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


@pytest.mark.parametrize(
    ("value", "would_do"),
    [
        (b"# A", r"\.decode\(\) makes one of it"),
        (None, r"str\(\) makes one of it"),
        (["# A"], "measure_many measures several"),
        (Path("a.md"), "measure_file measures a file"),
        (np.array(["a"]), r"measure_many measures its \.tolist\(\)"),
        (SimpleNamespace(content="# A"), r"its \.content is one"),
    ],
)
def test_measure__says_what_came_and_what_would_do(value: object, would_do: str) -> None:
    with pytest.raises(TypeError, match=f"is a str, not {type(value).__name__}; {would_do}"):
        shape_magic.measure(value)  # type: ignore[arg-type]
