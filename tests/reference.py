"""GitHub's own parser (cmark-gfm) as the reference for block structure.

It renders HTML in which every block carries its source position. What is read from that HTML is
only where headings, fences, list items and tables begin and how many lines a table has.
"""

import re
from html.parser import HTMLParser
from typing import NamedTuple

from cmarkgfm.cmark import Options, markdown_to_html_with_extensions

from shape_magic.lines import split_lines
from shape_magic.shape import Measurement


class Structure(NamedTuple):
    """First lines of every block, and a table's number of lines beside its first."""

    headings: list[int]
    code_blocks: list[int]
    list_items: list[int]
    tables: list[tuple[int, int]]


def structure_of(measurement: Measurement) -> Structure:
    """Read the structure off a measurement."""
    evidence = measurement.evidence
    return Structure(
        headings=[item.first_line for item in evidence["headings"]],
        code_blocks=[item.first_line for item in evidence["code_blocks"]],
        list_items=[item.first_line for item in evidence["list_items"]],
        tables=[(item.first_line, item.amount) for item in evidence["table_rows"]],
    )


def reference_structure(text: str) -> Structure:
    """Read the structure off the reference, but for underlined text of several lines.

    Such text is a heading in CommonMark and prose here, by the design.
    """
    reader = _Reader(split_lines(text))
    reader.feed(markdown_to_html_with_extensions(text, Options.CMARK_OPT_SOURCEPOS, ["table"]))
    reader.close()
    return Structure(
        sorted(reader.headings),
        sorted(reader.code_blocks),
        sorted(reader.list_items),
        sorted(reader.tables),
    )


_UNDERLINE = re.compile(r"[ \t>]*(?:=+|-+)[ \t]*")
_ATX = re.compile(r"#{1,6}(?:[ \t]|\Z)")
_BLOCK = re.compile("p|h[1-6]|pre|li|ul|ol|blockquote|table|thead|tbody|tr|td|th")
_POSITION = re.compile(r"(\d+):(\d+)-(\d+):(\d+)")


class _Reader(HTMLParser):
    def __init__(self, lines: list[str]) -> None:
        super().__init__()
        self.lines = lines
        self.headings: list[int] = []
        self.code_blocks: list[int] = []
        self.list_items: list[int] = []
        self.tables: list[tuple[int, int]] = []
        self._text: list[str] = []
        self._open: tuple[str, int, int] | None = None
        self._language = False
        self._table: tuple[int, int] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "code" and self._open and self._open[0] == "pre":
            self._language = "class" in attributes
        position = _POSITION.match(attributes.get("data-sourcepos") or "")
        if position is None:
            return
        line, column = int(position[1]), int(position[2])
        if re.fullmatch("h[1-6]|pre", tag):
            self._open, self._language = (tag, line, column), False
        elif tag == "li":
            self.list_items.append(line)
        elif tag == "table":
            self._table = (int(position[3]), 0)
        elif tag == "tr" and self._table:
            self._table = (self._table[0], self._table[1] + 1)
        self._text = []

    def handle_data(self, data: str) -> None:
        self._text.append(data)

    def handle_endtag(self, tag: str) -> None:
        text = "".join(self._text)
        if tag == "table" and self._table:
            # The header row's position is that of the whole paragraph whose last line it was,
            # so the table is counted back from its end; the delimiter row has no tag.
            end, rows = self._table
            self.tables.append((end - rows, rows + 1))
            self._table = None
        elif self._open and tag == self._open[0]:
            if tag == "pre":
                self._code_block(text)
            else:
                self._heading(text)
            self._open = None
        if _BLOCK.fullmatch(tag):
            self._text = []

    def _code_block(self, text: str) -> None:
        assert self._open
        _, line, column = self._open
        opening = self.lines[line - 1].encode()[column - 1 :].decode()
        # Indented code that looks like a fence has it as its first line; no fence has its own.
        first = text.split("\n", 1)[0]
        if self._language or (opening[:3] in {"```", "~~~"} and first != opening):
            self.code_blocks.append(line)

    def _heading(self, text: str) -> None:
        assert self._open
        _, line, column = self._open
        source = self.lines[line - 1].encode()[column - 1 :].decode()
        if _ATX.match(source):
            self.headings.append(line)
            return
        underline = next(
            number
            for number in range(line + 1, len(self.lines) + 1)
            if _UNDERLINE.fullmatch(self.lines[number - 1])
        )
        if source.startswith("["):
            # Definitions above the text are no part of the heading, but of its position.
            while "\n" not in text and not _is_underline_of(self.lines, underline, text):
                underline += 1
            several = "\n" in text
        else:
            several = underline > line + 1 or "\n" in text
        if not several:
            self.headings.append(underline - 1)


def _is_underline_of(lines: list[str], number: int, text: str) -> bool:
    if number >= len(lines):
        return True
    title = lines[number - 2]
    words = re.findall(r"\w+", text)
    held = all(word in title for word in words) if words else text.strip() in title
    return held and bool(_UNDERLINE.fullmatch(lines[number - 1]))
