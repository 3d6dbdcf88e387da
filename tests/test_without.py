"""The shape without some lines: the text measured again, and of JSON whole fields or elements."""

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shape_magic import Registry, measure
from shape_magic.analyzers.json import JsonAnalyzer
from shape_magic.analyzers.markdown import MarkdownAnalyzer
from shape_magic.debugging.without import shape_without
from shape_magic.errors import RemovalError
from shape_magic.lines import LineRange, split_lines_keeping_ends


@given(st.text(alphabet="# -|`a\n\r", max_size=60), st.data())
def test_markdown__is_measured_without_the_lines(text: str, data: st.DataObject) -> None:
    measurement = measure(text, analyzer="markdown")
    parts = split_lines_keeping_ends(text)
    assume(parts)
    first = data.draw(st.integers(1, len(parts)))
    last = data.draw(st.integers(first, len(parts)))
    rest = "".join(parts[: first - 1] + parts[last:])
    shape = shape_without(measurement, LineRange(first, last))
    assert shape == measure(rest, analyzer="markdown").shape


def test_markdown__stays_markdown_where_the_rest_is_json() -> None:
    measurement = measure("text\n[1]\n")
    assert shape_without(measurement, LineRange(1, 1)).list_items == 0


JSON = '{"a": [1, {"b": 2, "c": "]"}, []], "d": {}, "e": "x"}'
READABLE = """\
{
  "a": [
    1,
    {
      "b": 2,
      "c": "]"
    },
    []
  ],
  "d": {},
  "e": "x"
}"""

WHOLE = [
    ((2, 9), '{"d": {}, "e": "x"}'),
    ((3, 3), '{"a": [{"b": 2, "c": "]"}, []], "d": {}, "e": "x"}'),
    ((3, 8), '{"a": [], "d": {}, "e": "x"}'),
    ((4, 7), '{"a": [1, []], "d": {}, "e": "x"}'),
    ((4, 8), '{"a": [1], "d": {}, "e": "x"}'),
    ((5, 6), '{"a": [1, {}, []], "d": {}, "e": "x"}'),
    ((6, 6), '{"a": [1, {"b": 2}, []], "d": {}, "e": "x"}'),
    ((10, 11), '{"a": [1, {"b": 2, "c": "]"}, []]}'),
    ((11, 11), '{"a": [1, {"b": 2, "c": "]"}, []], "d": {}}'),
    ((2, 11), "{}"),
]


@pytest.mark.parametrize(("lines", "rest"), WHOLE)
def test_json__without_whole_parts_is_measured(lines: tuple[int, int], rest: str) -> None:
    measurement = measure(JSON)
    assert measurement.text == READABLE
    assert shape_without(measurement, LineRange(*lines)) == measure(rest).shape


@pytest.mark.parametrize("lines", [(1, 1), (1, 12), (2, 3), (2, 8), (3, 4), (7, 7), (8, 9), (6, 8)])
def test_json__without_half_a_part_has_no_shape(lines: tuple[int, int]) -> None:
    with pytest.raises(RemovalError, match="no whole fields or elements"):
        shape_without(measure(JSON), LineRange(*lines))


values = st.recursive(
    st.none() | st.integers(-9, 9) | st.text(alphabet='a "\\[{]},:\n', max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet="ab", max_size=2), inner)
    ),
    max_leaves=12,
)


@given(st.lists(values, min_size=1, max_size=4), st.data())
def test_json__without_any_run_of_elements_is_the_shorter_array(
    elements: list[object], data: st.DataObject
) -> None:
    measurement = measure(json.dumps(elements))
    first = data.draw(st.integers(0, len(elements) - 1))
    end = data.draw(st.integers(first + 1, len(elements)))
    starts = [
        number
        for number, line in enumerate(measurement.text.split("\n"), start=1)
        if line[:2] == "  " and line[2] not in " ]}"
    ]
    assert len(starts) == len(elements)
    stop = starts[end] - 1 if end < len(elements) else len(measurement.kinds) - 1
    shape = shape_without(measurement, LineRange(starts[first], stop))
    assert shape == measure(json.dumps(elements[:first] + elements[end:])).shape


def test_lines__past_the_end_are_refused() -> None:
    with pytest.raises(RemovalError, match="lines 1 to 3 are not all there: the text has 1"):
        shape_without(measure("a"), LineRange(1, 3))


def test_analyzer__that_is_gone_is_named() -> None:
    measurement = measure('{"a": 1}')
    registry = Registry([], fallback=MarkdownAnalyzer())
    with pytest.raises(RemovalError, match="the analyzer 'json'"):
        shape_without(measurement, LineRange(2, 2), registry=registry)
    registry.register(JsonAnalyzer())
    assert shape_without(measurement, LineRange(2, 2), registry=registry).lines == 1
