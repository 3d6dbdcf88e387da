"""Markdown, and everything else: CommonMark's block structure plus GFM tables.

The rules are the design's section 'Markdown'. Structure is what CommonMark says it is, at any
depth, and structure inside a fence is none.
"""

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Final

from shape_magic.analyzers.commonmark import Block, parse_blocks
from shape_magic.analyzers.markdown_notes import markdown_notes
from shape_magic.lines import split_lines
from shape_magic.shape import Anchor, Evidence, Meanings, Measurement, Reason
from shape_magic.vocabulary import LineKind

__all__ = ["MarkdownAnalyzer"]

# A text without a line like these has no structure, and a third of real answers are such texts.
_STRUCTURE: Final = re.compile(
    r"^[ \t]*(?:[#>=|:-]|```|~~~|[+*](?:[ \t]|$)|[0-9]{1,9}[.)](?:[ \t]|$))", re.MULTILINE
)
_MARKERS: Final = " \t>"


class MarkdownAnalyzer:
    r"""Measures any text, as Markdown.

    >>> measurement = MarkdownAnalyzer().measure("Answer.\n\n## Why\n\n- a\n- b\n")
    >>> measurement.shape.lead_chars, measurement.shape.list_items
    (7, 2)
    """

    kind: Final = "markdown"
    version: Final = "1"
    meanings: Final = Meanings(
        {
            "headings": "lines that begin with 1 to 6 `#` and a space, and one line of text "
            "underlined with `=` or `-`",
            "code_blocks": "fenced blocks; indented code is running text",
            "list_items": "items at any depth; every line of a list counts as the list's",
            "table_rows": "lines of tables: header row, delimiter row and data rows",
            "anchor": "a heading, a fenced block (`code`) or a table (`table`)",
        }
    )

    def measure(self, text: str) -> Measurement:
        """Measure a text; there is none that it does not recognise."""
        lines = split_lines(text)
        found = _Found(lines)
        parsed = parse_blocks(lines) if _STRUCTURE.search("\n".join(lines)) else None
        if parsed is not None:
            for block in parsed.blocks:
                found.take(block)
        found.end()
        count = len(lines)
        whole = [Evidence(1, count, amount) for amount in (len(text), count)] if lines else []
        return Measurement.from_evidence(
            kind=self.kind,
            version=self.version,
            text=text,
            kinds=found.kinds,
            evidence={
                "chars": whole[:1],
                "lines": whole[1:],
                "lead_chars": _lead(found.kinds, lines),
                "prose_chars": _prose(found.kinds, lines),
                "headings": found.headings,
                "code_blocks": found.code_blocks,
                "list_items": found.list_items,
                "table_rows": found.table_rows,
            },
            outline=found.outline,
            notes=markdown_notes(text, lines, found.kinds, parsed),
            meanings=self.meanings,
        )

    def reasons(self, text: str) -> list[Reason]:
        """Say line by line what was counted, and what looks as if it should have been."""
        # Loaded when first asked for, so that measuring costs nothing for it.
        from shape_magic.analyzers.markdown_reasons import markdown_reasons

        return markdown_reasons(self.measure(text))


class _Container:
    """The document, a quote or an item that is open."""

    __slots__ = ("item", "last", "sections")

    def __init__(self, last: int, *, item: int | None = None) -> None:
        self.last = last
        self.item = item
        """The place of an item's evidence."""
        self.sections: list[tuple[int, int]] = []
        """The open sections, as (place in the outline, rank)."""


class _Found:
    """What the blocks say, gathered in the order of the document.

    A container comes before what it holds, so a line's last kind is the innermost one. A
    heading's section ends with the container that the heading stands in.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.kinds: list[LineKind] = ["prose"] * len(lines)
        self.headings: list[Evidence] = []
        self.code_blocks: list[Evidence] = []
        self.list_items: list[Evidence] = []
        self.table_rows: list[Evidence] = []
        self.outline: list[Anchor] = []
        self._containers = [_Container(len(lines))]
        self._listed = 0
        self._fenced = 0
        self._trimmed: dict[int, int] = {}

    def take(self, block: Block) -> None:
        """Take in the next block."""
        while len(self._containers) > block.depth + 1:
            self._close_container()
        first, last = block.first + 1, block.end
        match block.kind:
            case "heading":
                self._paint("heading", first, last)
                self.headings.append(Evidence(first, last, 1))
                self._open_section(block)
            case "fence":
                self._paint("code", first, last)
                self._fenced = last
                self.code_blocks.append(Evidence(first, last, 1))
                self.outline.append(Anchor(first, "code", last))
            case "table":
                self._paint("table", first, last)
                self.table_rows.append(Evidence(first, last, last - first + 1))
                self.outline.append(Anchor(first, "table", last))
            case "list":
                # The lines of a list in a list are painted already.
                if first > self._listed:
                    self._listed = self._trim(last)
                    self._paint("list", first, self._listed)
            case "item":
                self._containers.append(_Container(self._trim(last), item=len(self.list_items)))
                self.list_items.append(Evidence(first, self._trim(last), 1))
            case "quote":
                self._containers.append(_Container(last))

    def end(self) -> None:
        """End what is open at the end of the document."""
        while self._containers:
            self._close_container()

    def _open_section(self, block: Block) -> None:
        sections = self._containers[-1].sections
        while sections and sections[-1][1] >= block.rank:
            self._end_section(sections.pop()[0], block.first)
        sections.append((len(self.outline), block.rank))
        self.outline.append(Anchor(block.first + 1, block.label, block.end))

    def _close_container(self) -> None:
        container = self._containers.pop()
        if container.item is not None and self._fenced > container.last:
            # Blank lines of an open fence are the fence's, and so the item's.
            container.last = self._fenced
            item = self.list_items[container.item]
            self.list_items[container.item] = Evidence(item.first_line, self._fenced, 1)
        for place, _ in container.sections:
            self._end_section(place, container.last)

    def _end_section(self, place: int, last: int) -> None:
        anchor = self.outline[place]
        self.outline[place] = Anchor(anchor.line, anchor.label, max(last, anchor.last_line))

    def _paint(self, kind: LineKind, first: int, last: int) -> None:
        self.kinds[first - 1 : last] = [kind] * (last - first + 1)

    def _trim(self, last: int) -> int:
        """Go back to the last line that holds more than white space and quote markers."""
        # Nested items end at the same line, so the blank lines before it are read once.
        if last not in self._trimmed:
            trimmed = last
            while trimmed > 1 and not self.lines[trimmed - 1].strip(_MARKERS):
                trimmed -= 1
            self._trimmed[last] = trimmed
        return self._trimmed[last]


def _lead(kinds: Sequence[LineKind], lines: Sequence[str]) -> list[Evidence]:
    count = next((number for number, kind in enumerate(kinds) if kind != "prose"), len(kinds))
    amount = sum(map(len, lines[:count]))
    return [Evidence(1, count, amount)] if amount else []


def _prose(kinds: Sequence[LineKind], lines: Sequence[str]) -> list[Evidence]:
    evidence = []
    first = 1
    for kind, run in groupby(kinds):
        last = first + len(list(run)) - 1
        if kind == "prose" and (amount := sum(map(len, lines[first - 1 : last]))):
            evidence.append(Evidence(first, last, amount))
        first = last + 1
    return evidence
