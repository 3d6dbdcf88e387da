r"""JSON: a whole text that is one RFC 8259 object or array, measured on its readable form.

The readable form has a two-space indent and one field or element a line, `{}` and `[]` for empty
ones. Keys stay in the author's order and repeated keys all stay; numbers keep their spelling;
strings are decoded as far as JSON allows. The standard library parses; what is here decides what
it may pass over, writes the readable form and counts while it writes.
"""

import json
import re
from collections import Counter
from json.encoder import encode_basestring
from typing import Final, NoReturn

from shape_magic.analyzers.notes import limited
from shape_magic.lines import count_lines
from shape_magic.shape import (
    LABEL_LENGTH,
    Anchor,
    Evidence,
    Meanings,
    Measurement,
    Note,
    Reason,
    sum_evidence,
)
from shape_magic.vocabulary import LineKind

__all__ = ["MAX_DEPTH", "JsonAnalyzer", "fault", "refusal"]

MAX_DEPTH: Final = 128
"""How deep arrays and objects may nest; deeper text is not recognised."""

SWOLLEN: Final = 10
"""A readable form of more than this many times the text is worth a note."""

_WHITE_SPACE: Final = " \t\n\r"
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_LONE: Final = re.compile("[\ud800-\udfff]")
# A string that is never closed runs to the end, so that the scan stays linear.
_STRING_OR_BRACKET: Final = re.compile(
    r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|([\[{])|[\]}]', re.DOTALL
)


class _Number(str):
    """A number as the author spelt it."""

    __slots__ = ()


class _Fields(list[tuple[str, object]]):
    """An object: every field in the author's order, repeated keys included."""

    __slots__ = ()


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_Fields,
    parse_float=_Number,
    parse_int=_Number,
    parse_constant=_refuse_constant,
)


def _looks_like_json(text: str) -> bool:
    inner = text.strip(_WHITE_SPACE)
    return (inner[:1], inner[-1:]) in {("{", "}"), ("[", "]")}


def _check_depth(text: str) -> None:
    # Text with few brackets cannot nest deeply, and nearly all text is such.
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        if match[1]:
            depth += 1
            if depth > MAX_DEPTH:
                raise ValueError(f"it nests deeper than {MAX_DEPTH}")
        elif match[0][0] != '"':
            depth -= 1


def _parse(text: str) -> object:
    """Parse a text that looks like JSON; ValueError says why it is not."""
    _check_depth(text)
    return _DECODER.decode(text)


def refusal(text: str) -> Note | None:
    """Say why a text that begins and ends like JSON is not measured as JSON.

    >>> refusal('[1, 2,]').code
    'json-refused'
    >>> refusal('[1, 2]') is None
    True
    """
    if not _looks_like_json(text):
        return None
    try:
        _parse(text)
    except json.JSONDecodeError as error:
        # Where something is missing at the end, the place is after the last line ending.
        line = min(count_lines(text[: error.pos] + "."), count_lines(text))
        reason = fault(error)
    except ValueError as error:
        line, reason = 1, str(error)
    else:
        return None
    return Note("json-refused", line, f"begins and ends like JSON, but is not: {reason}")


_FAULTS: Final = (
    ("Expecting value", "a value is missing"),
    ("Expecting property name", "a key in double quotes is missing"),
    ("Expecting ':'", "a colon is missing after a key"),
    ("Expecting ','", "a comma or a closing bracket is missing"),
    ("Illegal trailing comma", "a comma stands before a closing bracket"),
    ("Extra data", "something follows the end of the document"),
    ("Unterminated string", "a string is never closed"),
    ("Invalid control character", "a control character stands in a string unescaped"),
    ("Invalid \\escape", "an escape in a string is not one that JSON knows"),
    ("Invalid \\u", "four hexadecimal digits are missing after \\u"),
)


def fault(error: json.JSONDecodeError) -> str:
    r"""Say what the standard library found, in words that stand by themselves.

    >>> fault(json.JSONDecodeError("Invalid control character at", "", 0))
    'a control character stands in a string unescaped'
    """
    known = (words for beginning, words in _FAULTS if error.msg.startswith(beginning))
    return next(known, "it cannot be read")


def _has_no_surrogate(text: str) -> bool:
    """Tell whether a text holds no surrogate, neither as it is nor escaped: nearly all do not."""
    return "\\u" not in text and (text.isascii() or not _LONE.search(text))


def _decoded(string: str) -> str:
    """Join a high surrogate and the low one after it, however they were spelt."""
    if string.isascii() or not _LONE.search(string):
        return string
    return _PAIR.sub(
        lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), string
    )


def _spelt(string: str) -> str:
    """Write a decoded string with its quotes, escaped only where JSON or Unicode demands it."""
    spelt = encode_basestring(string)
    if spelt.isascii() or not _LONE.search(spelt):
        return spelt
    # Only a lone surrogate has no UTF-8, and its replacement is JSON's own escape.
    return spelt.encode("utf-8", "backslashreplace").decode("utf-8")


_ATOMS: Final[dict[object, str]] = {True: "true", False: "false", None: "null"}


class _Writer:
    """Writes the readable form and counts what stands on each line."""

    def __init__(self, *, plain: bool) -> None:
        self.plain = plain
        """Whether the text holds no surrogate, however spelt."""
        self.lines: list[str] = []
        self.kinds: list[LineKind] = []
        self.prose: list[Evidence] = []
        self.code: list[Evidence] = []
        self.items: list[Evidence] = []
        self.keys: list[Anchor] = []
        self.repeated: list[tuple[int, str]] = []

    def write(self, value: object, indent: str, head: str, comma: str, kind: LineKind) -> None:
        """Write one value behind a line's head; `kind` is the line's where it holds no string."""
        if type(value) is str:
            number = len(self.lines) + 1
            string = value if self.plain else _decoded(value)
            if string:
                self.prose.append(Evidence(number, number, len(string)))
            kind = "prose"
            if "\n" in string:
                self.code.append(Evidence(number, number, 1))
                kind = "code"
            written = encode_basestring(string) if self.plain else _spelt(string)
        elif type(value) is _Number:
            written = value
        elif not isinstance(value, list):
            written = _ATOMS[value]
        elif not value:
            written = "{}" if isinstance(value, _Fields) else "[]"
        else:
            self.kinds.append(kind)
            kind = "syntax"
            if isinstance(value, _Fields):
                self.lines.append(f"{head}{{")
                self._fields(value, indent + "  ")
                written = "}"
            else:
                self.lines.append(f"{head}[")
                self._elements(value, indent + "  ")
                written = "]"
            head = indent
        self.lines.append(f"{head}{written}{comma}")
        self.kinds.append(kind)

    def _fields(self, fields: _Fields, indent: str) -> None:
        keys = [key if self.plain else _decoded(key) for key, _ in fields]
        counts = Counter(keys) if len(set(keys)) < len(keys) else {}
        top = indent == "  "
        kind: LineKind = "heading" if top else "syntax"
        left = len(keys)
        for key, (_, value) in zip(keys, fields, strict=True):
            left -= 1
            number = len(self.lines) + 1
            spelt = encode_basestring(key) if self.plain else _spelt(key)
            if counts and counts[key] > 1:
                self.repeated.append((number, spelt))
            self.write(value, indent, f"{indent}{spelt}: ", "," if left else "", kind)
            if top:
                self.keys.append(Anchor(number, spelt[1:-1][:LABEL_LENGTH], len(self.lines)))

    def _elements(self, values: list[object], indent: str) -> None:
        left = len(values)
        for value in values:
            left -= 1
            number = len(self.lines) + 1
            self.write(value, indent, indent, "," if left else "", "list")
            self.items.append(Evidence(number, len(self.lines), 1))


class JsonAnalyzer:
    r"""Measures a JSON object or array on its readable form (the design's section 'JSON').

    >>> measurement = JsonAnalyzer().measure('{"a": [1.0, "x"]}')
    >>> print(measurement.text)
    {
      "a": [
        1.0,
        "x"
      ]
    }
    """

    kind: Final = "json"
    version: Final = "1"
    meanings: Final = Meanings(
        {
            "chars": "total characters of the readable form: two-space indent, "
            "one field or element a line",
            "lines": "total lines of the readable form",
            "lead_chars": "characters before the line of the first top-level key; "
            "all of them where there is no such key",
            "prose_chars": "characters inside string values, without the syntax around them",
            "headings": "top-level keys",
            "code_blocks": "string values that contain a newline",
            "list_items": "array elements, at any depth",
            "table_rows": "always 0",
            "anchor": "a top-level key",
        }
    )

    def measure(self, text: str) -> Measurement | None:
        """Measure a whole text that is an object or an array; None for any other text."""
        if not _looks_like_json(text):
            return None
        try:
            value = _parse(text)
        except ValueError:
            return None
        writer = _Writer(plain=_has_no_surrogate(text))
        writer.write(value, "", "", "", "syntax")
        readable = "\n".join(writer.lines)
        chars, lines = len(readable), len(writer.lines)
        if writer.keys:
            before = writer.keys[0].line - 1
            lead = Evidence(1, before, sum(len(line) + 1 for line in writer.lines[:before]))
        else:
            lead = Evidence(1, lines, chars)
        return sum_evidence(
            kind=self.kind,
            version=self.version,
            text=readable,
            kinds=writer.kinds,
            evidence={
                "chars": [Evidence(1, lines, chars)],
                "lines": [Evidence(1, lines, lines)],
                "lead_chars": [lead],
                "prose_chars": writer.prose,
                "headings": [Evidence(key.line, key.last_line, 1) for key in writer.keys],
                "code_blocks": writer.code,
                "list_items": writer.items,
            },
            outline=writer.keys,
            notes=_notes(text, readable=readable, repeated=writer.repeated),
            meanings=self.meanings,
        )

    def reasons(self, text: str) -> list[Reason]:
        """Say which string, key or element each figure comes from, or why a text is not JSON."""
        # Loaded when first asked for, so that measuring costs nothing for it.
        from shape_magic.analyzers.json_reasons import json_reasons, refusal_reason

        measurement = self.measure(text)
        if measurement is not None:
            return json_reasons(measurement)
        refused = refusal(text)
        return [] if refused is None else [refusal_reason(refused)]


def _notes(text: str, *, readable: str, repeated: list[tuple[int, str]]) -> list[Note]:
    notes = limited(
        Note(
            "repeated-key",
            line,
            f"the key {key[:LABEL_LENGTH]} stands more than once in its object",
        )
        for line, key in repeated
    )
    if len(readable) > SWOLLEN * len(text):
        times = len(readable) // len(text)
        notes.append(
            Note("swollen", 1, f"the readable form is {times} times as long as what was written")
        )
    return notes
