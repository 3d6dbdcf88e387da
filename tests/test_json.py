"""The readable form against the standard library's own parser."""

import json

import pytest
from hypothesis import given

import shape_magic
from shape_magic.analyzers.json import JsonAnalyzer, fault, refusal
from shape_magic.shape import Note
from tests.strategies import json_documents


def pairs(text: str) -> object:
    """Parse with every field kept, repeated keys too, and numbers as they are spelt."""
    return json.loads(text, object_pairs_hook=list, parse_int=str, parse_float=str)


def joined(value: object) -> object:
    """Join surrogate pairs in every string, as UTF-16 does."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    if isinstance(value, dict):
        return {joined(key): joined(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(joined(item) for item in value)
    return value


@given(json_documents)
def test_readable_form__is_the_same_document(text: str) -> None:
    assert joined(pairs(shape_magic.measure(text).text)) == joined(pairs(text))


@given(json_documents)
def test_readable_form__is_laid_out_as_the_standard_library_indents(text: str) -> None:
    laid_out = json.dumps(joined(json.loads(text)), ensure_ascii=False, indent=2)
    # A lone surrogate stays escaped.
    expected = laid_out.encode("utf-8", "backslashreplace").decode("utf-8")
    assert shape_magic.measure(text).text == expected


def test_fault__that_no_release_knew__is_one_all_the_same() -> None:
    assert fault(json.JSONDecodeError("Something new", "", 0)) == "it cannot be read"


def test_evidence__is_of_the_lines_that_hold_it() -> None:
    evidence = shape_magic.measure(
        '{"a": "x", "b": ["yy", {"c": "z\\nz"}, [1, ""]], "d": {"e": ""}}'
    ).evidence
    found = {
        name: sorted((item.first_line, item.last_line, item.amount) for item in evidence[name])
        for name in evidence
    }
    assert found == {
        "chars": [(1, 16, 125)],
        "lines": [(1, 16, 16)],
        "lead_chars": [(1, 1, 2)],
        "prose_chars": [(2, 2, 1), (4, 4, 2), (6, 6, 3)],
        "headings": [(2, 2, 1), (3, 12, 1), (13, 15, 1)],
        "code_blocks": [(6, 6, 1)],
        "list_items": [(4, 4, 1), (5, 7, 1), (8, 11, 1), (9, 9, 1), (10, 10, 1)],
        "table_rows": [],
    }


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("[1,\n2\n3]", 3, ""),
        ('{"a": NaN}', 1, "NaN is no JSON number"),
        ("[" * 129 + "]" * 129, 1, "it nests deeper than 128"),
        ('{"a": 1}\r\n{}', 2, "something follows the end of the document"),
        ("[\n[]\n", 2, "a comma or a closing bracket is missing"),
        ("[\n[],\r\n]", 3, "a value is missing"),
        ("{'a': 1}", 1, "a key in double quotes is missing"),
        ('{"a" 1}', 1, "a colon is missing after a key"),
        ('["a]', 1, "a string is never closed"),
        ('["\n"]', 1, "a control character stands in a string unescaped"),
        ('["\\x"]', 1, "an escape in a string is not one that JSON knows"),
        ('["\\u12"]', 1, "four hexadecimal digits are missing after \\u"),
    ],
)
def test_refusal__names_the_line_and_the_reason(text: str, line: int, reason: str) -> None:
    note = refusal(text)
    assert isinstance(note, Note)
    assert note.line == line
    assert note.message.startswith(f"begins and ends like JSON, but is not: {reason}")


@pytest.mark.parametrize("text", ["", "a", "[link](x)", "3", '"a"', "{", "```json\n{}\n```"])
def test_json__is_not_asked_about_text_of_another_kind(text: str) -> None:
    assert JsonAnalyzer().measure(text) is None
    assert refusal(text) is None


def test_json__deep_nesting_raises_nothing() -> None:
    text = "[" * 100_000 + "]" * 100_000
    assert shape_magic.measure(text).kind == "markdown"
    assert shape_magic.measure('{"a":' * 100_000 + "1" + "}" * 100_000).kind == "markdown"


def test_json__a_string_never_closed_is_scanned_once() -> None:
    assert shape_magic.measure("[" * 200 + '"\\' * 100_000 + "]").kind == "markdown"
