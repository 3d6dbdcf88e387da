"""Markdown, and everything else: CommonMark's block structure plus GFM tables.

The rules are the design's section 'Markdown'. Structure is what CommonMark says it is, at any
depth, and structure inside a fence is not structure.
"""

from collections.abc import Sequence
from typing import Final

from shape_magic.analyzers.commonmark import Block, may_hold_blocks, parse_blocks
from shape_magic.analyzers.json import refusal
from shape_magic.analyzers.notes import markdown_notes
from shape_magic.lines import normalize_endings, split_lines
from shape_magic.shape import Anchor, Evidence, Meanings, Measurement, Reason, sum_evidence
from shape_magic.vocabulary import LineKind

__all__ = ["MarkdownAnalyzer"]


class MarkdownAnalyzer:
    r"""Measures any text, as Markdown.

    >>> measurement = MarkdownAnalyzer().measure("Answer.\n\n## Why\n\n- a\n- b\n")
    >>> measurement.shape.lead_chars, measurement.shape.list_items
    (7, 2)
    """

    kind: Final = "markdown"
    version: Final = "2"
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
        """Measure a text; it recognises every text."""
        source = normalize_endings(text)
        lines = split_lines(source)
        parsed = parse_blocks(lines) if may_hold_blocks(source) else None
        found = _Found(lines)
        if parsed is not None:
            for block in parsed.blocks:
                found.take(block)
        found.end()
        count = len(lines)
        return sum_evidence(
            kind=self.kind,
            version=self.version,
            text=text,
            kinds=found.kinds,
            evidence={
                "chars": [Evidence(1, count, len(text))] if lines else [],
                "lines": [Evidence(1, count, count)] if lines else [],
                "lead_chars": found.lead,
                "prose_chars": found.prose,
                "headings": found.headings,
                "code_blocks": found.code_blocks,
                "list_items": found.list_items,
                "table_rows": found.table_rows,
            },
            outline=found.outline,
            notes=markdown_notes(source, lines, found.kinds, parsed, refused=refusal(text)),
            meanings=self.meanings,
        )

    def reasons(self, text: str) -> list[Reason]:
        """Say line by line what was counted, and what looks as if it should have been."""
        # Loaded when first asked for, so that measuring costs nothing for it.
        from shape_magic.analyzers.markdown_reasons import markdown_reasons

        return markdown_reasons(self.measure(text))


class _Found:
    """What the blocks say, gathered in the order of the document.

    A container comes before what it holds, so a line's last kind is the innermost one, and what no
    block paints is prose.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.kinds: list[LineKind] = ["prose"] * len(lines)
        self.lead: list[Evidence] = []
        self.prose: list[Evidence] = []
        self.headings: list[Evidence] = []
        self.code_blocks: list[Evidence] = []
        self.list_items: list[Evidence] = []
        self.table_rows: list[Evidence] = []
        self.outline: list[Anchor] = []
        self._painted = 0
        """The line after the last that a block has painted."""
        self._containers = {0: (-1, len(lines))}
        """The first line and the end of the last container at each depth."""
        self._sections: list[tuple[int, int, int, int]] = []
        """The open sections: depth, its container's first line, rank and place in the outline."""

    def take(self, block: Block) -> None:
        """Take in the next block."""
        first, end = block.first, block.end
        match block.kind:
            case "item":
                self.list_items.append(Evidence(first + 1, end, 1))
                self._containers[block.depth + 1] = first, end
            case "list":
                # The lines of a list in a list are painted already.
                if first >= self._painted:
                    self._paint("list", first, end)
            case "heading":
                self._paint("heading", first, end)
                self.headings.append(Evidence(first + 1, end, 1))
                self._open_section(block)
            case "fence":
                self._paint("code", first, end)
                self.code_blocks.append(Evidence(first + 1, end, 1))
                self.outline.append(Anchor(first + 1, "code", end))
            case "table":
                self._paint("table", first, end)
                self.table_rows.append(Evidence(first + 1, end, end - first))
                self.outline.append(Anchor(first + 1, "table", end))
            case "quote":
                self._containers[block.depth + 1] = first, end

    def end(self) -> None:
        """Take in what stands after the last block."""
        self._paint("prose", len(self.lines), len(self.lines))

    def _open_section(self, block: Block) -> None:
        """Open a heading's section: it ends before the next heading of its own or a higher level.

        It ends with its container, too, and a heading in another container closes nothing here.
        """
        container, end = self._containers[block.depth]
        sections = self._sections
        while sections and sections[-1][0] >= block.depth:
            depth, its_container, rank, place = sections[-1]
            if (depth, its_container) == (block.depth, container):
                if rank < block.rank:
                    break
                anchor = self.outline[place]
                self.outline[place] = Anchor(anchor.line, anchor.label, block.first)
            sections.pop()
        sections.append((block.depth, container, block.rank, len(self.outline)))
        self.outline.append(Anchor(block.first + 1, block.label, max(end, block.end)))

    def _paint(self, kind: LineKind, first: int, end: int) -> None:
        """Paint a block's lines; those passed over since the last block are prose."""
        if first > self._painted:
            amount = sum(map(len, self.lines[self._painted : first]))
            if amount:
                self.prose.append(Evidence(self._painted + 1, first, amount))
                if self._painted == 0:
                    self.lead = self.prose[:]
        self.kinds[first:end] = [kind] * (end - first)
        self._painted = max(self._painted, end)
