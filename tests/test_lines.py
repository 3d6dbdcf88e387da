import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shape_magic.lines import (
    LineRange,
    normalize_endings,
    split_lines,
    split_lines_keeping_ends,
    strip_mark,
)

texts = st.text(st.sampled_from("ab \r\n\u2028\x0c\x85\ufeff\ud800"))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("\n", [""]),
        ("\n\n", ["", ""]),
        ("a\r\nb\rc\nd", ["a", "b", "c", "d"]),
        ("\n\r", ["", ""]),
        ("\r\n", [""]),
        ("a\x0bb\x0cc\x1cd\x1ee\x85f\u2028g\u2029h", ["a\x0bb\x0cc\x1cd\x1ee\x85f\u2028g\u2029h"]),
    ],
)
def test_split_lines__ends_lines_as_commonmark_does(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines


@given(texts)
def test_split_lines_keeping_ends__joins_to_the_text_and_has_the_same_lines(text: str) -> None:
    kept = split_lines_keeping_ends(text)
    assert "".join(kept) == text
    assert [line.rstrip("\r\n") for line in kept] == split_lines(text)


@given(texts)
def test_normalize_endings__keeps_the_lines(text: str) -> None:
    assert "\r" not in normalize_endings(text)
    assert split_lines(normalize_endings(text)) == split_lines(text)


def test_strip_mark__takes_one_mark_at_the_start() -> None:
    assert strip_mark("\ufeff\ufeffa\ufeff") == "\ufeffa\ufeff"
    assert strip_mark("a") == "a"


@pytest.mark.parametrize(("first", "last"), [(0, 1), (2, 1), (-1, -1)])
def test_line_range__refuses_what_is_not_a_range(first: int, last: int) -> None:
    with pytest.raises(ValueError, match=f"lines {first} to {last} are not a range"):
        LineRange(first, last)


def test_line_range__includes_both_ends() -> None:
    assert LineRange(3, 3).count == 1
    assert LineRange(1, 2) < LineRange(1, 3) < LineRange(2, 2)


def test_line_range__takes_the_integers_of_a_data_frame() -> None:
    lines = LineRange(np.int64(2), np.int64(5))  # type: ignore[arg-type]
    assert (type(lines.first), type(lines.last), lines) == (int, int, LineRange(2, 5))
    with pytest.raises(TypeError):
        LineRange(1.0, 2)  # type: ignore[arg-type]
