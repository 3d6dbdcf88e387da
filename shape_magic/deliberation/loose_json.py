r"""Finding JSON in text, and repairing what has one reading.

A model's reply is often nearly JSON: with trailing commas, raw line breaks in strings, Python's
`True`. The scanner here makes the repairs that it names, tells each with its place, and refuses
everything else; what is refused is never read in another way. It is linear: where a piece ends that
cannot be read, scanning goes on, and nothing is looked at twice.

>>> value, = find_values("Sure: {'a': [.5, None,]} Done.").values
>>> value.plain()
{'a': [0.5, None]}
>>> [repair.message for repair in value.repairs]
['single quotes around a string', '.5 for 0.5', 'None for null', 'a trailing comma']
"""

import bisect
import json
import math
import operator
import re
from collections.abc import Mapping
from typing import Any, Final, SupportsIndex

import msgspec

from shape_magic.wording import BLANK, one_line, quoted

__all__ = [
    "Broken",
    "Found",
    "Node",
    "Places",
    "Repair",
    "Value",
    "find_values",
    "node_of",
    "place_text",
    "read_number",
    "whole_string",
]

MOST_NESTING: Final = 128
"""How many arrays and objects may stand in one another."""
LONGEST_NUMBER: Final = 400
"""Characters of a number; no field of a reply needs more than a few."""

_OPENS: Final = re.compile(r"[\[{]")
_SPACE: Final = re.compile(r"[ \t\n\r]*+")
# What other languages take for white space, and the byte order mark.
_OTHER_SPACE: Final = re.compile(
    f"[{BLANK}\\x0b\\x0c\\x1c-\\x1f\\u200b\\u2060\\ufeff]++".replace("\\t\\n\\r ", "")
)
_COMMENT: Final = re.compile(r"//[^\n\r]*+|#[^\n\r]*+|/\*(?:[^*]|\*(?!/))*+\*/")
_DELIMITER: Final = re.compile(
    f"[\\]}},:/#{BLANK}\\x0b\\x0c\\x1c-\\x1f\\u200b\\u2060\\ufeff]|\\Z".replace(
        "/#", "/#\\t\\n\\r "
    )
)
_NUMBER: Final = re.compile(
    r"(?P<plus>\+?)(?P<minus>-?)(?P<digits>[0-9]*+)(?P<rest>\.[0-9]++)?+([eE][+-]?[0-9]++)?+"
)
_WORD: Final = re.compile(r"[^\W\d][\w$-]*+|\$[\w$-]*+")
# Each mark that opens a string, with the one that closes it, and what its content may hold raw:
# within typographic quotes, nothing that may be another such quote.
_CLOSING: Final = {'"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019"}
_STRING_PART: Final = {
    '"': re.compile(r'[^"\\\x00-\x1f]*+'),
    "'": re.compile(r"[^'\\\x00-\x1f]*+"),
    "\u201c": re.compile(r'[^\u201c\u201d"\\\x00-\x1f]*+'),
    "\u2018": re.compile(r"[^\u2018\u2019'\\\x00-\x1f]*+"),
}
_ESCAPES: Final = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
}
_HEX: Final = re.compile("[0-9a-fA-F]{4}")
_LITERALS: Final[Mapping[str, object]] = {"true": True, "false": False, "null": None}
_PYTHONS: Final = {"True": "true", "False": "false", "None": "null"}
_LINE_ENDING: Final = re.compile(r"\r\n|\r|\n")


class Repair(msgspec.Struct, frozen=True):
    """Something that was read in spite of its form."""

    message: str
    line: int | None = None
    """The line of the reply, counted from 1; None where the reply was no text."""
    column: int | None = None
    """The character of the line, counted from 1."""

    def __str__(self) -> str:
        return f"{place_text(self.line, self.column)}{self.message}"


def place_text(line: int | None, column: int | None = None) -> str:
    """Write a place, as the beginning of a message."""
    if line is None:
        return ""
    return f"line {line}: " if column is None else f"line {line}, character {column}: "


class Node:
    """A value with its place: a scalar, a list of nodes or a dict of nodes."""

    __slots__ = ("closed", "column", "line", "value")

    def __init__(self, value: Any, place: tuple[int | None, int | None], *, closed: bool) -> None:
        self.value = value
        self.line, self.column = place
        self.closed = closed
        """Whether the text holds all of it."""

    def plain(self) -> Any:
        """Give the value alone."""
        match self.value:
            case dict():
                return {key: inner.plain() for key, inner in self.value.items()}
            case list():
                return [inner.plain() for inner in self.value]
            case _:
                return self.value


class Value(msgspec.Struct, frozen=True):
    """An array or an object that stands in a text."""

    node: Node
    start: int
    end: int
    repairs: tuple[Repair, ...]

    def plain(self) -> Any:
        """Give the value alone."""
        return self.node.plain()


class Broken(msgspec.Struct, frozen=True):
    """A piece that begins like JSON and cannot be read."""

    start: int
    end: int
    reason: str
    node: Node | None = None
    """What there is of it, where the text ends before it does."""
    repairs: tuple[Repair, ...] = ()


class Found(msgspec.Struct, frozen=True):
    """All that a text holds, in its order."""

    values: tuple[Value, ...]
    broken: tuple[Broken, ...]


class _RefusedError(Exception):
    """What cannot be read; `ended` where the text was at its end.

    `read_to` is where scanning goes on, where more was looked at than up to the place.
    """

    def __init__(
        self, at: int, reason: str, *, ended: bool = False, read_to: int | None = None
    ) -> None:
        super().__init__(reason)
        self.at = at
        self.read_to = at if read_to is None else read_to
        self.reason = reason
        self.ended = ended


class Places:
    """Where the characters of a text stand; all at one place, where the text stood in a string."""

    def __init__(self, text: str, *, fixed: tuple[int | None, int | None] | None = None) -> None:
        self._starts = [0, *(match.end() for match in _LINE_ENDING.finditer(text))]
        self._fixed = fixed

    def __call__(self, at: int) -> tuple[int | None, int | None]:
        if self._fixed is not None:
            return self._fixed
        line = bisect.bisect_right(self._starts, at)
        return line, at - self._starts[line - 1] + 1


def find_values(text: str, *, start: int = 0, places: Places | None = None) -> Found:
    """Find the arrays and objects of a text, with what was repaired, and what cannot be read."""
    scanner = _Scanner(text, Places(text) if places is None else places)
    values, broken = [], []
    opening = _OPENS.search(text, start)
    while opening:
        start = opening.start()
        try:
            node, end = scanner.value(start)
        except _RefusedError as error:
            # Always past the opening, so that nothing is read again.
            end = max(error.read_to, start + 1)
            reason = f"{place_text(*scanner.places(error.at))}{error.reason}"
            cut = scanner.root if error.ended else None
            broken.append(Broken(start, end, reason, cut, tuple(scanner.repairs)))
        else:
            values.append(Value(node, start, end, tuple(scanner.repairs)))
        opening = _OPENS.search(text, end)
    return Found(tuple(values), tuple(broken))


def whole_string(text: str) -> str | None:
    """Give the content of a text that is one JSON string, white space around it aside.

    >>> whole_string(' "a\\\\n" ')
    'a\\n'
    >>> whole_string('"a" "b"')
    """
    scanner = _Scanner(text, Places(text))
    try:
        start = scanner.spaces(0)
        if text[start : start + 1] != '"':
            return None
        content, end = scanner.string(start, root=True)
        return content if scanner.spaces(end) == len(text) else None
    except _RefusedError:
        return None


def node_of(value: object, *, depth: int = 0) -> Node:
    """Give parsed JSON as nodes without a place; ValueError for a value that JSON does not have."""
    if depth > MOST_NESTING:
        raise ValueError(f"it nests too deeply, and the most is {MOST_NESTING}")
    nowhere = (None, None)
    match value:
        case float() if not math.isfinite(value):
            raise ValueError(f"JSON has no number {value}")
        case int() if abs(value) >= 10**LONGEST_NUMBER:
            raise ValueError("an integer in it is too long")
        case None | bool() | int() | str():
            return Node(value, nowhere, closed=True)
        case float():
            # A calculated score is often numpy's own kind of float.
            return Node(float(value), nowhere, closed=True)
        case SupportsIndex():
            return node_of(operator.index(value), depth=depth)
        case list() | tuple():
            return Node([node_of(item, depth=depth + 1) for item in value], nowhere, closed=True)
        case Mapping():
            for key in value:
                if not isinstance(key, str):
                    raise ValueError(f"the key {quoted(key)} is no text")
            inner = {key: node_of(item, depth=depth + 1) for key, item in value.items()}
            return Node(inner, nowhere, closed=True)
        case _:
            raise ValueError(f"JSON has no value of the type {type(value).__name__}")


class _Scanner:
    """Reads one value after another from a text."""

    def __init__(self, text: str, places: Places) -> None:
        self.text = text
        self.places = places
        self.repairs: list[Repair] = []
        self.root: Node | None = None

    def value(self, at: int) -> tuple[Node, int]:
        """Read the array or object that begins at a place."""
        self.repairs = []
        self.root = None
        return self._value(at, depth=1)

    def _repaired(self, at: int, message: str) -> None:
        self.repairs.append(Repair(message, *self.places(at)))

    def _refused(self, at: int, wanted: str) -> _RefusedError:
        if at >= len(self.text):
            return _RefusedError(len(self.text), "the text ends here, within JSON", ended=True)
        return _RefusedError(at, f"{quoted(self.text[at])} where {wanted} is wanted")

    def spaces(self, at: int) -> int:
        """Pass over white space and comments."""
        while True:
            start, at = at, _SPACE.match(self.text, at).end()  # type: ignore[union-attr]
            if other := _OTHER_SPACE.match(self.text, at):
                self._repaired(at, "white space that JSON does not know")
                at = other.end()
            elif comment := _COMMENT.match(self.text, at):
                if '"' in comment[0]:
                    # It may as well be the end of a string that holds a quote.
                    reason = "a comment with a quotation mark in it"
                    raise _RefusedError(at, reason, read_to=comment.end())
                self._repaired(at, "a comment")
                at = comment.end()
            elif self.text.startswith("/*", at):
                raise _RefusedError(len(self.text), "a comment is not closed", ended=True)
            elif at == start or not self.text[at : at + 1]:
                return at

    def _value(
        self, at: int, *, depth: int, parent: Node | None = None, key: str = ""
    ) -> tuple[Node, int]:
        """Read a value, and put it into its parent before it is closed."""
        sign = self.text[at : at + 1]
        if sign in ("{", "["):
            if depth > MOST_NESTING:
                raise _RefusedError(at, f"it nests too deeply, and the most is {MOST_NESTING}")
            node = Node({} if sign == "{" else [], self.places(at), closed=False)
            self._put(node, parent, key)
            end = self._object(node, at, depth) if sign == "{" else self._array(node, at, depth)
            node.closed = True
            return node, end
        scalar, end = self._scalar(at)
        node = Node(scalar, self.places(at), closed=True)
        self._put(node, parent, key)
        return node, end

    def _put(self, node: Node, parent: Node | None, key: str) -> None:
        if parent is None:
            self.root = node
        elif isinstance(parent.value, dict):
            parent.value[key] = node
        else:
            parent.value.append(node)

    def _object(self, node: Node, at: int, depth: int) -> int:
        at = self.spaces(at + 1)
        while self.text[at : at + 1] != "}":
            key, end = self._key(at)
            if key in node.value:
                raise _RefusedError(at, f"the key {quoted(key)} stands twice in one object")
            at = self.spaces(end)
            if self.text[at : at + 1] != ":":
                raise self._refused(at, "`:`")
            _, at = self._value(self.spaces(at + 1), depth=depth + 1, parent=node, key=key)
            at = self._next(at, "}")
        return at + 1

    def _array(self, node: Node, at: int, depth: int) -> int:
        at = self.spaces(at + 1)
        while self.text[at : at + 1] != "]":
            _, at = self._value(at, depth=depth + 1, parent=node)
            at = self._next(at, "]")
        return at + 1

    def _next(self, at: int, closing: str) -> int:
        """Go to the next member, or to what closes."""
        at = self.spaces(at)
        if self.text[at : at + 1] == ",":
            comma, at = at, self.spaces(at + 1)
            if self.text[at : at + 1] == closing:
                self._repaired(comma, "a trailing comma")
        elif self.text[at : at + 1] != closing:
            raise self._refused(at, f"`,` or `{closing}`")
        return at

    def _key(self, at: int) -> tuple[str, int]:
        if self.text[at : at + 1] in _CLOSING:
            return self.string(at)
        if word := _WORD.match(self.text, at):
            self._repaired(at, f"the key {one_line(word[0][:60])} without quotes")
            return word[0], word.end()
        raise self._refused(at, "a key")

    def _scalar(self, at: int) -> tuple[object, int]:
        sign = self.text[at : at + 1]
        if sign in _CLOSING and sign:
            return self.string(at)
        if word := _WORD.match(self.text, at):
            spelt = word[0]
            if word.end() == len(self.text):
                # It may be the beginning of a longer word.
                raise self._refused(word.end(), "")
            if spelt in _PYTHONS:
                self._repaired(at, f"{spelt} for {_PYTHONS[spelt]}")
            known = _PYTHONS.get(spelt, spelt)
            if known not in _LITERALS or not _DELIMITER.match(self.text, word.end()):
                raise _RefusedError(at, f"{quoted(spelt)} where a value is wanted")
            return _LITERALS[known], word.end()
        if sign and (sign in "+-." or "0" <= sign <= "9"):
            return self._number(at)
        raise self._refused(at, "a value")

    def _number(self, at: int) -> tuple[int | float, int]:
        match = _NUMBER.match(self.text, at)
        assert match is not None, "the pattern takes the empty text"
        end, spelt = match.end(), match[0]
        if end == len(self.text):
            raise self._refused(end, "")
        number = read_number(spelt)
        if number is None or not _DELIMITER.match(self.text, end):
            # What follows belongs to it: `60%`, `1_000`, `0x1F`, `1.`, `5"`.
            raise _RefusedError(end, f"{quoted(self.text[at : end + 1][:40])} is no number")
        value, plain = number
        if not plain:
            self._repaired(at, f"{spelt} for {value!r}")
        return value, end

    def string(self, at: int, *, root: bool = False) -> tuple[str, int]:
        """Read a string that begins with any quotation mark, and give where it ends."""
        opening = self.text[at]
        closing = _CLOSING[opening]
        part = _STRING_PART[opening]
        if opening != '"':
            kind = "single" if opening == "'" else "typographic"
            self._repaired(at, f"{kind} quotes around a string")
        parts: list[str] = []
        position = at + 1
        told = False
        while True:
            chunk = part.match(self.text, position)
            assert chunk is not None, "the pattern takes the empty text"
            parts.append(chunk[0])
            position = chunk.end()
            sign = self.text[position : position + 1]
            if sign == closing:
                break
            if sign == "\\":
                position = self._escape(position, parts, closing)
            elif sign and sign in "\t\n\r":
                if not told:
                    self._repaired(position, "a raw line break or tab within a string, as it is")
                told = True
                parts.append(sign)
                position += 1
            elif not sign:
                raise self._refused(position, "")
            elif sign < " ":
                raise _RefusedError(position, f"{quoted(sign)} within a string")
            else:
                raise _RefusedError(position, f"{quoted(sign)} within quotes of its own kind")
        end = position + 1
        after = end if root else self._after_string(end)
        return "".join(parts), after

    def _after_string(self, end: int) -> int:
        if not _DELIMITER.match(self.text, end) or self.text[end : end + 1] in ("/", "#"):
            raise _RefusedError(
                end, f"{quoted(self.text[end])} right after a quotation mark that closes a string"
            )
        return end

    def _escape(self, at: int, parts: list[str], closing: str) -> int:
        sign = self.text[at + 1 : at + 2]
        if not sign:
            raise self._refused(at + 1, "")
        if sign == "u" and (digits := _HEX.match(self.text, at + 2)):
            code = int(digits[0], 16)
            low = None
            if 0xD800 <= code < 0xDC00 and self.text.startswith("\\u", digits.end()):
                low = _HEX.match(self.text, digits.end() + 2)
            if low and 0xDC00 <= int(low[0], 16) < 0xE000:
                pair = 0x10000 + ((code - 0xD800) << 10) + int(low[0], 16) - 0xDC00
                parts.append(chr(pair))
                return low.end()
            parts.append(chr(code))
            return digits.end()
        if sign == "u" and len(self.text) - at < 6:
            raise self._refused(len(self.text), "")
        if sign in _ESCAPES or sign == closing:
            parts.append(_ESCAPES.get(sign, sign))
            return at + 2
        self._repaired(at, f"the escape \\{one_line(sign)}, which JSON does not know")
        parts.append("\\")
        # The character itself is looked at again: it may be a raw line break.
        if sign < " ":
            return at + 1
        parts.append(sign)
        return at + 2


def read_number(spelt: str) -> tuple[int | float, bool] | None:
    """Read a number, and tell whether JSON spells it so; None for anything else.

    >>> read_number("+.5"), read_number("-60"), read_number("05"), read_number("1.")
    ((0.5, False), (-60, True), None, None)
    """
    match = _NUMBER.fullmatch(spelt)
    if match is None or len(spelt) > LONGEST_NUMBER or (match["plus"] and match["minus"]):
        return None
    digits, rest = match["digits"], match["rest"]
    if (not digits and not rest) or (len(digits) > 1 and digits[0] == "0"):
        return None
    plain = bool(digits) and not match["plus"]
    written = f"{match['minus']}{digits or '0'}{spelt[match.end('digits') :]}"
    value = json.loads(written)
    if value in (float("inf"), float("-inf")):
        return None
    return value, plain
