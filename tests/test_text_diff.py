"""Which lines of two texts are the same, and that no pair of texts makes it slow."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shape_magic.notebook.text_diff import Stretch, diff_lines

lines = st.lists(st.sampled_from("abcde"), max_size=30) | st.lists(st.text(max_size=2), max_size=30)


@given(lines, lines)
def test_diff__covers_both_texts_in_order(left: list[str], right: list[str]) -> None:
    at_left = at_right = 0
    before = None
    for part in diff_lines(left, right):
        if part.same:
            assert part.left == part.right > 0
            same = left[at_left : at_left + part.left]
            assert same == right[at_right : at_right + part.right]
        else:
            assert part.left + part.right > 0
        assert part.same is not before
        before = part.same
        at_left, at_right = at_left + part.left, at_right + part.right
    assert (at_left, at_right) == (len(left), len(right))


@given(lines)
def test_diff__of_a_text_with_itself_is_one_stretch(text: list[str]) -> None:
    assert diff_lines(text, text) == ([Stretch(True, len(text), len(text))] if text else [])


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("abc", "abc", [(True, 3, 3)]),
        ("abc", "axc", [(True, 1, 1), (False, 1, 1), (True, 1, 1)]),
        ("ab", "acb", [(True, 1, 1), (False, 0, 1), (True, 1, 1)]),
        ("abab", "ab", [(True, 2, 2), (False, 2, 0)]),
        ("", "ab", [(False, 0, 2)]),
        ("aabb", "bbaa", [(False, 2, 0), (True, 2, 2), (False, 0, 2)]),
    ],
)
def test_diff__finds(left: str, right: str, expected: list[tuple[bool, int, int]]) -> None:
    assert [(part.same, part.left, part.right) for part in diff_lines(left, right)] == expected


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (["a", "b"] * 10_000, ["b", "c"] * 10_000),
        ([str(n) for n in range(20_000)], [str(n) for n in reversed(range(20_000))]),
        ([str(n // 2) for n in range(20_000)], [str(n // 3) for n in range(20_000)]),
    ],
)
def test_diff__of_long_texts_ends(left: list[str], right: list[str]) -> None:
    assert sum(part.left for part in diff_lines(left, right)) == len(left)
