"""Why each line of a Markdown text was counted as it was, and why it was not counted otherwise.

`MarkdownAnalyzer.reasons` loads this module when it is first asked, so measuring costs nothing for
it. The parser says what there is; what only looks like structure is read here, line by line,
without the markers of the quotes and items that the line stands in.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

import msgspec

from shape_magic.analyzers.commonmark import Block, count_cells, delimiter_cells, parse_blocks
from shape_magic.lines import split_lines
from shape_magic.shape import Measurement, Reason
from shape_magic.wording import plural

__all__ = ["markdown_reasons"]

_QUOTED_LENGTH: Final = 40

_HEADINGS: Final = "CommonMark 4.2"
_UNDERLINED: Final = "CommonMark 4.3"
_INDENTED: Final = "CommonMark 4.4"
_FENCES: Final = "CommonMark 4.5"
_HTML: Final = "CommonMark 4.6"
_PARAGRAPHS: Final = "CommonMark 4.8"
_ITEMS: Final = "CommonMark 5.2"
_TABLES: Final = "GFM 4.10"
_WHITE_SPACE: Final = "CommonMark 2.1"
_OWN: Final = "shape_magic, Markdown"

_ITEM: Final = re.compile(r"(?:[-+*]|([0-9]++)[.)])(?=[ \t]|\Z)")
_NEARLY_ITEM: Final = re.compile(r"(?:-|[0-9]{1,9}[.)])(?=[^\W\d_])|(?:[-+*]|[0-9]{1,9}[.)])(?=\s)")
# What writers type for a bullet: dots, rings, squares and dashes.
_BULLET: Final = re.compile("[\u2022\u25e6\u25aa\u2023\u25cf\u25cb\u2013\u2014](?=[ \\t])")
_BREAK: Final = re.compile(r"([*_-])[ \t]*+(?:\1[ \t]*+){2,}+\Z")
_FENCE: Final = re.compile(r"`{3,}+|~{3,}+")
_BLANK: Final = " \t"


class _Line(msgspec.Struct, gc=False):
    """A line within the containers that it stands in."""

    number: int
    text: str
    """What is left without the containers' markers and the white space before and after."""
    indent: int
    """How many columns of white space stand before that, from where the container's text begins."""
    item: Block | None
    """The innermost item that the line stands in."""
    lazy: bool
    """Whether a container of the line shows no marker or indent here."""
    leaf: Block | None = None
    """The heading, the fence or the table that the line belongs to."""
    opaque: tuple[int, int] | None = None
    """The first and the last line of the HTML block or the indented code around the line."""
    paragraph: int = 0
    """The first line of the paragraph that the line belongs to, or 0."""


def markdown_reasons(measurement: Measurement) -> list[Reason]:
    """Give the reasons for the figures of a Markdown measurement, in the order of the lines."""
    found = _reasons(measurement, split_lines(measurement.text))
    return sorted(found, key=lambda reason: (reason.first_line, reason.last_line))


def _reasons(measurement: Measurement, source: Sequence[str]) -> Iterator[Reason]:
    parsed = parse_blocks(source)
    opaque = [(first + 1, end) for first, end in parsed.opaque]
    underlined = [(first + 1, underline + 1) for first, underline in parsed.underlined]
    lines = _read(source, parsed.blocks, opaque)
    for block in parsed.blocks:
        yield from _counted(block, lines)
    for line in lines:
        if line.text:
            yield from _not_counted(line, lines)
    yield from _tables_that_are_none(lines)
    yield from _continuations(measurement, lines)
    yield from _prose(measurement, lines, underlined)
    yield from _lead(measurement)


# What a line is, within its containers.


class _Cursor:
    """Reads a line column by column, as containers take their part of it."""

    def __init__(self, line: str) -> None:
        self.line = line
        self.pos = self.column = self.indent = 0
        self._skip()

    def _skip(self) -> None:
        """Find how many columns of spaces and tabs come next."""
        start = column = self.column + self.indent
        while self.pos < len(self.line) and self.line[self.pos] in _BLANK:
            column += 1 if self.line[self.pos] == " " else 4 - column % 4
            self.pos += 1
        self.indent += column - start

    def take_columns(self, count: int) -> None:
        """Take columns of white space."""
        self.column += count
        self.indent -= count

    def take_marker(self, width: int) -> None:
        """Take the white space before a marker, and the marker."""
        self.column += self.indent + width
        self.indent = 0
        self.pos += width
        self._skip()

    @property
    def blank(self) -> bool:
        return self.pos >= len(self.line)


def _read(
    source: Sequence[str], blocks: Sequence[Block], opaque: Sequence[tuple[int, int]]
) -> list[_Line]:
    containers = iter([block for block in blocks if block.kind in {"quote", "item"}])
    following = next(containers, None)
    open_blocks: list[tuple[Block, int]] = []
    lines = []
    for index, written in enumerate(source):
        # An item's last line is not blank, and yet blank lines up to the next item are the list's.
        if written.strip(" \t>"):
            while open_blocks and open_blocks[-1][0].end <= index:
                open_blocks.pop()
        cursor = _Cursor(written)
        lazy = False
        for block, width in open_blocks:
            if cursor.blank:
                break
            if block.kind == "quote":
                lazy = cursor.indent > 3 or written[cursor.pos] != ">"
                if not lazy:
                    _take_quote(cursor)
            else:
                lazy = cursor.indent < width
                if not lazy:
                    cursor.take_columns(width)
            if lazy:
                break
        while following is not None and following.first == index:
            open_blocks = [opened for opened in open_blocks if opened[0].depth < following.depth]
            open_blocks.append((following, _open(cursor, following)))
            following = next(containers, None)
        items = [block for block, _ in open_blocks if block.kind == "item"]
        text = written[cursor.pos :].rstrip(_BLANK)
        lines.append(_Line(index + 1, text, cursor.indent, items[-1] if items else None, lazy))
    for block in blocks:
        if block.kind in {"heading", "fence", "table"}:
            for line in lines[block.first : block.end]:
                line.leaf = block
    for first, last in opaque:
        for line in lines[first - 1 : last]:
            line.opaque = (first, last)
    _find_paragraphs(lines)
    return lines


def _take_quote(cursor: _Cursor) -> None:
    cursor.take_marker(1)
    if cursor.indent:
        cursor.take_columns(1)


def _open(cursor: _Cursor, block: Block) -> int:
    """Take the marker of a container that begins here; give the columns that an item's text has."""
    if block.kind == "quote":
        _take_quote(cursor)
        return 0
    marker = _ITEM.match(cursor.line, cursor.pos)
    width = len(marker[0]) if marker else 1
    before = cursor.indent
    cursor.take_marker(width)
    # More than four columns after the marker, and the item begins with indented code.
    after = cursor.indent if not cursor.blank and cursor.indent <= 4 else 1
    cursor.take_columns(min(after, cursor.indent))
    return before + width + after


def _find_paragraphs(lines: Sequence[_Line]) -> None:
    previous = None
    for line in lines:
        if line.text and line.leaf is None and line.opaque is None and not _is_break(line):
            goes_on = previous is not None and previous.paragraph and not _begins_item(line)
            line.paragraph = previous.paragraph if previous and goes_on else line.number
        previous = line


def _is_break(line: _Line) -> bool:
    return line.indent < 4 and _BREAK.match(line.text) is not None


def _begins_item(line: _Line) -> bool:
    return line.item is not None and line.item.first == line.number - 1


# What was counted.


def _counted(block: Block, lines: Sequence[_Line]) -> Iterator[Reason]:
    first, last = block.first + 1, block.end
    line = lines[block.first]
    match block.kind:
        case "heading" if last > first:
            yield Reason(
                first,
                last,
                "headings",
                True,
                "underlined",
                f"one line of text, {_quote(line.text)}, with the underline "
                f"{_quote(lines[last - 1].text)} under it",
                _UNDERLINED,
            )
        case "heading":
            sentence = f"{_quote(line.text)} begins with 1 to 6 number signs and a space"
            yield Reason(first, last, "headings", True, "heading", sentence, _HEADINGS)
        case "fence":
            fence = _FENCE.match(line.text)
            marks = fence[0] if fence else line.text
            if block.closed:
                end = f"closes in line {last}, the first that holds {_quote(marks)} or more alone"
            else:
                end = f"is never closed and ends with its container, in line {last}"
            sentence = f"the fence that {_quote(marks)} opens in line {first} {end}"
            rule = "fence" if block.closed else "unclosed-fence"
            yield Reason(first, last, "code_blocks", True, rule, sentence, _FENCES)
        case "table":
            sentence = (
                f"a header row, the delimiter row {_quote(lines[first].text)} with as many "
                f"cells under it, and all lines up to a blank one or another block"
            )
            yield Reason(first, last, "table_rows", True, "table", sentence, _TABLES)
        case "item":
            within = "" if block.depth == 0 else f", within {plural(block.depth, 'container')}"
            sentence = f"a list marker and a space begin an item{within}"
            yield Reason(first, first, "list_items", True, "item", sentence, _ITEMS)


# What looks as if it should have been counted.


def _not_counted(line: _Line, lines: Sequence[_Line]) -> Iterator[Reason]:
    for attribute, looks, reason in (
        ("headings", _looks_like_heading, _why_no_heading),
        ("code_blocks", _looks_like_fence, _why_no_fence),
        ("list_items", _looks_like_item, _why_no_item),
    ):
        if not looks(line):
            continue
        why = _why_nothing(line) or reason(line, lines)
        if why is not None:
            rule, sentence, source = why
            yield Reason(line.number, line.number, attribute, False, rule, sentence, source)


_Why = tuple[str, str, str]
"""A rule's name, the sentence and the source."""


def _looks_like_heading(line: _Line) -> bool:
    return line.text.lstrip().startswith("#") and (line.leaf is None or line.leaf.kind != "heading")


def _looks_like_fence(line: _Line) -> bool:
    if not _FENCE.match(line.text.lstrip()):
        return False
    # A fence's own first and last lines are its fences.
    leaf = line.leaf
    return leaf is None or (
        leaf.first + 1 < line.number and not (leaf.closed and line.number == leaf.end)
    )


def _looks_like_item(line: _Line) -> bool:
    text = line.text.lstrip()
    if line.leaf is not None and line.leaf.kind == "heading":
        return False
    return any(look.match(text) for look in (_ITEM, _NEARLY_ITEM, _BULLET))


def _why_nothing(line: _Line) -> _Why | None:
    """Say why a line is no structure, whatever it looks like."""
    if line.leaf is not None and line.leaf.kind == "fence":
        if _FENCE.match(line.text.lstrip()):
            return None
        sentence = (
            f"{_quote(line.text)} stands inside the fence of line {line.leaf.first + 1}, "
            "where nothing is structure"
        )
        return "inside-fence", sentence, _FENCES
    if line.leaf is not None and line.leaf.kind == "table":
        sentence = f"{_quote(line.text)} is a row of the table of line {line.leaf.first + 1}"
        return "inside-table", sentence, _TABLES
    if line.indent >= 4:
        where = "where its container's text begins" if line.item else "the start of the line"
        if line.paragraph and line.paragraph < line.number:
            then = f"so it continues the paragraph of line {line.paragraph}"
        else:
            then = "so it is indented code, which is running text here"
        sentence = f"{_quote(line.text)} is indented by {line.indent} from {where}, {then}"
        return "indented", sentence, _INDENTED
    if line.opaque is not None:
        first, last = line.opaque
        sentence = f"{_quote(line.text)} stands in the HTML block of lines {first} to {last}"
        return "inside-html", sentence, _HTML
    if line.text[0].isspace():
        sentence = (
            f"it begins with U+{ord(line.text[0]):04X}, and only spaces and tabs may stand before "
            "a marker"
        )
        return "white-space", sentence, _WHITE_SPACE
    return None


def _why_no_heading(line: _Line, lines: Sequence[_Line]) -> _Why | None:
    signs = len(line.text) - len(line.text.lstrip("#"))
    if signs > 6:
        sentence = f"{_quote(line.text)} begins with {signs} number signs, and 6 are the most"
        return "seven-signs", sentence, _HEADINGS
    following = line.text[signs : signs + 1]
    if following and following not in _BLANK:
        what = f"U+{ord(following):04X}" if following.isspace() else _quote(following)
        sentence = (
            f"in {_quote(line.text)} a number sign is followed by {what}, not by a space or a tab"
        )
        return "no-space", sentence, _HEADINGS
    return None


def _why_no_fence(line: _Line, lines: Sequence[_Line]) -> _Why | None:
    marks = _FENCE.match(line.text.lstrip())
    assert marks is not None
    leaf = line.leaf
    if leaf is not None and leaf.kind == "fence":
        opening = _FENCE.match(lines[leaf.first].text)
        opened = opening[0] if opening else ""
        if marks[0][0] != opened[:1]:
            because = f"a fence of {_quote(opened)} is closed by the same character"
        elif len(marks[0]) < len(opened):
            because = f"the fence has {len(opened)} characters, and no fewer close it"
        elif line.text.lstrip() != marks[0]:
            because = "text follows, and a closing fence stands alone"
        elif line.indent >= 4:
            because = f"it is indented by {line.indent}, and 3 are the most"
        else:
            return None
        sentence = (
            f"{_quote(line.text)} does not close the fence of line {leaf.first + 1} "
            f"nor opens another: {because}"
        )
        return "no-closing-fence", sentence, _FENCES
    if marks[0][0] == "`" and "`" in line.text[len(marks[0]) :]:
        sentence = f"in {_quote(line.text)} a backtick follows, so it is code within a line"
        return "backtick-after-fence", sentence, _FENCES
    return None


def _why_no_item(line: _Line, lines: Sequence[_Line]) -> _Why | None:
    text = line.text
    if _is_break(line):
        return "thematic-break", f"{_quote(text)} is a thematic break", "CommonMark 4.1"
    marker = _ITEM.match(text)
    if marker is None:
        if _BULLET.match(text):
            sentence = f"{_quote(text[0])} is no list marker: `-`, `*`, `+`, `1.` and `1)` are"
            return "bullet", sentence, _ITEMS
        nearly = _NEARLY_ITEM.match(text)
        after = text[nearly.end()] if nearly else ""
        what = f"U+{ord(after):04X}" if after.isspace() else _quote(after)
        sentence = f"the marker in {_quote(text)} is followed by {what}, not by a space or a tab"
        return "no-space", sentence, _ITEMS
    if marker[1] is not None and len(marker[1]) > 9:
        return "long-number", f"{_quote(text)} has more than 9 digits", _ITEMS
    if line.paragraph and line.paragraph < line.number:
        if marker.end() == len(text):
            because = "an empty item"
        elif marker[1] is not None and int(marker[1]) != 1:
            because = f"an ordered item that begins with {marker[1]} and not with 1"
        else:
            return None
        sentence = f"{because} does not interrupt the paragraph of line {line.paragraph}"
        return "interrupts-paragraph", sentence, _ITEMS
    return None


def _tables_that_are_none(lines: Sequence[_Line]) -> Iterator[Reason]:
    """Say of each run of rows of pipes that is no table why not."""
    for looks, run in groupby(lines, key=_looks_like_row):
        if looks:
            rows = list(run)
            rule, sentence, source = _why_nothing(rows[0]) or _why_no_table(rows)
            yield Reason(
                rows[0].number, rows[-1].number, "table_rows", False, rule, sentence, source
            )


def _looks_like_row(line: _Line) -> bool:
    if line.leaf is not None and line.leaf.kind == "table":
        return False
    text = line.text.lstrip()
    return (text.startswith("|") and "|" in text[1:]) or (line.leaf is None and " | " in text)


def _why_no_table(rows: Sequence[_Line]) -> _Why:
    header = rows[0]
    if header.lazy:
        sentence = (
            f"{_quote(header.text)} continues the paragraph above, in an item or a quote that it "
            "does not stand in: no blank line stands between"
        )
        return "lazy-row", sentence, _PARAGRAPHS
    if delimiter_cells(header.text):
        return "no-header-row", f"a delimiter row, {_quote(header.text)}, heads them", _TABLES
    below = rows[1] if len(rows) > 1 else None
    delimiters = delimiter_cells(below.text) if below is not None else 0
    if below is None or not delimiters:
        sentence = f"no delimiter row such as `|---|---|` is under {_quote(header.text)}"
        return "no-delimiter-row", sentence, _TABLES
    cells = count_cells(header.text)
    if cells != delimiters:
        sentence = (
            f"the first has {plural(cells, 'cell')}, and the delimiter row under it has "
            f"{delimiters}"
        )
        return "other-cells", sentence, _TABLES
    if below.lazy:
        sentence = (
            f"the delimiter row in line {below.number} stands outside of the item or quote of "
            "the row above"
        )
        return "lazy-row", sentence, _TABLES
    return "refused-row", "the delimiter row in the same paragraph was refused before", _TABLES


def _continuations(measurement: Measurement, lines: Sequence[_Line]) -> Iterator[Reason]:
    """Say of the lines of a list that begin no item why they are the list's."""

    def part(line: _Line) -> tuple[int, str] | None:
        if measurement.kinds[line.number - 1] != "list" or line.item is None or _begins_item(line):
            return None
        how = "blank" if not line.text else "lazy" if line.lazy else "inside"
        return line.item.first + 1, how

    words = {
        "blank": "blank, within the list that the item of line {} belongs to",
        "lazy": "continues the paragraph in the item of line {}: no blank line stands between",
        "inside": "indented as far as the text of the item of line {}, so it belongs to that",
    }
    for found, run in groupby(lines, key=part):
        if found is not None:
            own = list(run)
            yield Reason(
                own[0].number,
                own[-1].number,
                "prose_chars",
                False,
                f"item-{found[1]}",
                words[found[1]].format(found[0]),
                _ITEMS if found[1] != "lazy" else _PARAGRAPHS,
            )


def _prose(
    measurement: Measurement, lines: Sequence[_Line], underlined: Sequence[tuple[int, int]]
) -> Iterator[Reason]:
    for first, underline in underlined:
        if measurement.kinds[first - 1] == "prose":
            sentence = (
                f"{underline - first} lines stand above the underline in line {underline}, and an "
                "underline makes a heading of one line only"
            )
            yield Reason(
                first, underline, "headings", False, "underlined-paragraph", sentence, _OWN
            )
    for item in measurement.evidence["prose_chars"]:
        sentence = (
            f"{plural(item.amount, 'character')} of running text: no heading, fence, list or table"
        )
        yield Reason(item.first_line, item.last_line, "prose_chars", True, "prose", sentence, _OWN)


def _lead(measurement: Measurement) -> Iterator[Reason]:
    for item in measurement.evidence["lead_chars"]:
        if item.last_line < len(measurement.kinds):
            kind = measurement.kinds[item.last_line]
            what = f"the first structure, of kind {kind}, is in line {item.last_line + 1}"
        else:
            what = "there is no structure, so all of the text comes before it"
        yield Reason(item.first_line, item.last_line, "lead_chars", True, "lead", what, _OWN)


def _quote(text: str) -> str:
    cut = text if len(text) <= _QUOTED_LENGTH else f"{text[: _QUOTED_LENGTH - 1]}…"
    return f"`{cut}`" if "`" not in cut else f"``{cut}``" if cut[0] != "`" else f"`` {cut} ``"
