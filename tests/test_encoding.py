"""Any `str` and any measurement come back equal from their bytes."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shape_magic.analyzers.registry import default_registry
from shape_magic.deliberation.encoding import (
    decoded,
    encoded,
    json_line,
    parse_json,
)
from shape_magic.deliberation.store import measurement_columns, measurement_of
from tests.strategies import texts

surrogates = st.text('\ud83d\ude00\ud800\udfff\\u"x\n')


@given(texts | surrogates)
def test_text__encoded_and_decoded__is_equal(text: str) -> None:
    assert decoded(encoded(text)) == text


@given(texts | surrogates)
def test_json_line__parsed__is_equal_and_one_line(text: str) -> None:
    line = json_line({text: [text]})
    assert b"\n" not in line
    assert parse_json(decoded(line)) == {text: [text]}


@given(texts.filter(lambda text: not any("\ud800" <= char <= "\udbff" for char in text)))
def test_json_line__without_a_pair_of_surrogates__is_valid_utf_8(text: str) -> None:
    assert json.loads(json_line(text).decode("utf-8")) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no JSON: a value is missing at character 1"),
        ('{"a": }', "no JSON: a value is missing at character 7"),
        ("[NaN]", "no JSON: NaN is no JSON number"),
        ("[-Infinity]", "no JSON: -Infinity is no JSON number"),
        ("[1e999]", "no JSON that can be read: 1e999 is out of a float's range"),
        ("[" * 100_000, "no JSON that can be read: it nests too deeply, and the most is 128"),
        ("9" * 5_000, "no JSON that can be read: an integer in it is too long"),
    ],
    ids=["empty", "no value", "nan", "infinity", "too large", "too deep", "too long"],
)
def test_parse_json__what_is_no_json__is_named(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(reason)}$"):
        parse_json(text)


@given(texts)
def test_measurement__encoded_and_put_together__is_equal(text: str) -> None:
    measurement = default_registry().measure(text)
    again = measurement_of(measurement_columns(measurement, content=text), content=text)
    assert again == measurement


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_parse_json__nested__to_128_and_no_deeper(opening: str) -> None:
    closing = {"[": "]", '{"a":': "}"}[opening]

    def nested(depth: int) -> str:
        return opening * depth + "0" + closing * depth

    assert json.loads(decoded(json_line(parse_json(nested(128))))) == json.loads(nested(128))
    with pytest.raises(ValueError, match="nests too deeply, and the most is 128"):
        parse_json(nested(129))
