"""Why each line of JSON's readable form was counted as it was, and why a text is not JSON.

`JsonAnalyzer.reasons` loads this module when it is first asked, so measuring costs nothing for it.
"""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from shape_magic.lines import split_lines
from shape_magic.shape import Measurement, Note, Reason

__all__ = ["json_reasons", "refusal_reason"]

_OWN: Final = "shape_magic, JSON"
_PATH_LENGTH: Final = 60

_FIELD: Final = re.compile(r' *+("(?:[^"\\]++|\\.)*+"): (.*)', re.DOTALL)


def refusal_reason(refused: Note) -> Reason:
    """Say why a text that begins and ends like JSON is not recognised."""
    return Reason(refused.line, refused.line, "", False, "refused", refused.message, "RFC 8259")


class _Open(msgspec.Struct, gc=False):
    """An object or an array that is open."""

    path: str
    is_array: bool
    count: int = 0
    """How many elements there were so far."""


class _Value(msgspec.Struct, gc=False):
    """A value and where it stands."""

    number: int
    path: str
    within: str
    """The path of the object or the array that it is in."""
    spelt: str
    """What stands on its first line, without key and comma."""
    depth: int
    key: str | None
    element: int


def json_reasons(measurement: Measurement) -> list[Reason]:
    """Give the reasons for the figures of a JSON measurement, in the order of the lines."""
    amounts = {
        name: {item.first_line: item for item in measurement.evidence[name]}
        for name in ("headings", "list_items", "code_blocks", "prose_chars")
    }
    reasons = []
    for lead in measurement.evidence["lead_chars"]:
        before = "before the line of the first top-level key"
        if not measurement.outline:
            before = "all of the text: there is no top-level key"
        reasons.append(Reason(lead.first_line, lead.last_line, "lead_chars", True, "lead", before))
    for value in _values(measurement.text):
        number = value.number
        string = value.spelt.startswith('"')
        if value.key is not None:
            key = amounts["headings"].get(number)
            last = number if key is None else key.last_line
            sentence = f"{value.key} is a top-level key"
            if key is None:
                sentence = f"{value.key} is a key at depth {value.depth}, detail within a section"
            rule = "nested-key" if key is None else "top-level-key"
            reasons.append(Reason(number, last, "headings", key is not None, rule, sentence))
        elif element := amounts["list_items"].get(number):
            sentence = f"element {value.element} of the array at {value.within}"
            reasons.append(
                Reason(number, element.last_line, "list_items", True, "element", sentence)
            )
        if not string:
            continue
        where = f"the string at {value.path}"
        holds = number in amounts["code_blocks"]
        sentence = f"{where} holds {'a' if holds else 'no'} line break (LF)"
        rule = "line-break" if holds else "no-line-break"
        reasons.append(Reason(number, number, "code_blocks", holds, rule, sentence))
        if prose := amounts["prose_chars"].get(number):
            what = "1 character" if prose.amount == 1 else f"{prose.amount:,} characters"
            sentence = f"{where} has {what}, decoded and without its quotes"
            reasons.append(Reason(number, number, "prose_chars", True, "string", sentence))
    return [msgspec.structs.replace(reason, source=_OWN) for reason in reasons]


def _values(text: str) -> Iterator[_Value]:
    """Read the readable form line by line: one value begins on each that is no closing bracket."""
    opened: list[_Open] = []
    for number, line in enumerate(split_lines(text), start=1):
        if line.lstrip(" ")[0] in "]}":
            opened.pop()
            continue
        field = _FIELD.fullmatch(line)
        within = opened[-1] if opened else None
        spelt = (field[2] if field else line).strip(" ").removesuffix(",")
        if within is None:
            path = "the top"
        elif field is not None:
            path = _joined(within, field[1])
        else:
            within.count += 1
            path = _joined(within, f"[{within.count}]")
        if within is not None:
            yield _Value(
                number,
                path,
                within.path,
                spelt,
                len(opened),
                _cut(field[1]) if field is not None else None,
                within.count,
            )
        if spelt in {"{", "["}:
            opened.append(_Open(path, spelt == "["))


def _joined(within: _Open, step: str) -> str:
    if within.path == "the top":
        return _cut(step)
    path = within.path + (step if within.is_array else f".{step}")
    return path if len(path) <= _PATH_LENGTH else f"…{path[1 - _PATH_LENGTH :]}"


def _cut(text: str) -> str:
    return text if len(text) <= _PATH_LENGTH else f"{text[: _PATH_LENGTH - 1]}…"
