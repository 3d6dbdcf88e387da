"""The parser's state: what was found, which containers are open, and what belongs to them.

A line is what its open containers leave of it: `texts` has no container's marker and no white space
before it, and `indents` has how many columns of white space there were. A quote takes the marker
off the lines that carry one, and an open paragraph asks for more lines one at a time (`reach`), so
that nested quotes do not read the same lines again at every level.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from enum import Enum, auto
from operator import sub
from typing import Final, Literal

import msgspec

from shape_magic.shape import LABEL_LENGTH

__all__ = ["MAX_NESTING", "Block", "BlockState", "Place", "Quote", "Rule", "width"]

MAX_NESTING: Final = 100
"""How deep quotes and list items may nest; a deeper one is text of the innermost container."""


class Block(msgspec.Struct, gc=False):
    """A block that was found: its lines count from 0, and `end` is the line after its last.

    No garbage collector looks at it: a hostile text holds hundreds of thousands of blocks.
    """

    kind: Literal["heading", "fence", "table", "list", "item", "quote"]
    first: int
    end: int
    depth: int
    """How many quotes and items it stands in."""
    rank: int = 0
    """A heading's level, 1 to 6."""
    label: str = ""
    """The beginning of a heading's own source text."""
    closed: bool = True
    """Whether a fence has its closing fence."""


class Place(Enum):
    """What a line is to the paragraph that is open above it."""

    INSIDE = auto()
    """All the paragraph's containers go on in it."""
    LAZY = auto()
    """Some container does not go on in it, and yet it continues the paragraph."""
    OUTSIDE = auto()
    """It ends the paragraph."""


class Quote:
    """A block quote that is open."""

    __slots__ = ("end", "offsets")

    def __init__(self, *, end: int, offsets: list[int]) -> None:
        self.end = end
        """The first line after those whose marker has been taken off."""
        self.offsets = offsets
        """The content offsets of the list items around it, up to the quote around those."""


Rule = Callable[["BlockState", int, bool], bool]
"""Takes the block that begins at a line, or tells (`silent`) whether one ends a paragraph there.

It is asked only about lines that are neither blank nor indented so far that they are code.
"""


class BlockState:
    """The lines of a document, what was found in them, and the containers that are open.

    `limit` is where the innermost quote ends as far as is known. It moves on while a paragraph
    in that quote goes on.
    """

    def __init__(
        self, lines: Sequence[str], *, rules: Mapping[str, Sequence[Rule]], paragraph: Rule
    ) -> None:
        self.texts = [line.lstrip(" \t") for line in lines]
        self.indents: list[int] = list(map(sub, map(len, lines), map(len, self.texts)))
        # Few texts have a tab anywhere.
        if "\t" in "".join(lines):
            self.indents = [
                width(line[:indent], 0) for line, indent in zip(lines, self.indents, strict=True)
            ]
        self.bases: dict[int, int] = {}
        """The column at which a line begins, where quotes took markers off it."""
        self.rules = rules
        """For each character that can begin a block, the rules to ask."""
        self.paragraph = paragraph
        self.total = len(lines)
        self.limit = len(lines)
        self.line = 0
        """The line to go on with."""
        self.content_end = 0
        """The line after the last that holds anything but white space and quote markers."""
        self.indent = 0
        """The column at which the innermost container's content begins."""
        self.level = 0
        """How many quotes and items are open."""
        self.quotes: list[Quote] = []
        self.offsets: list[int] = [0]
        """The content offsets of the open items in the innermost quote."""
        self.lazy = False
        """Whether the line that rules are asked about would be a lazy one."""

        self.blocks: list[Block] = []
        self.underlined: list[tuple[int, int]] = []
        """Underlined text of several lines: its first line and its underline."""
        self.opaque: list[tuple[int, int]] = []
        """HTML blocks and indented code, whose text is no Markdown: first line and end."""
        self.too_deep: int | None = None
        """The first line with a container that was one too many."""

    def parse(self, line: int) -> None:
        """Parse from a line to where the innermost open container ends.

        A quote may come to reach further while it is parsed, so the end is `limit` at the time.
        """
        texts, indents, rules = self.texts, self.indents, self.rules
        while (line := self.skip_blank(line)) < self.limit:
            indent = indents[line] - self.indent
            if indent < 0:
                return
            if indent >= 4:
                self._take_indented_code(line)
            else:
                for rule in rules.get(texts[line][0], ()):
                    if rule(self, line, False):
                        break
                else:
                    self.paragraph(self, line, False)
            line = self.line

    def skip_blank(self, line: int) -> int:
        """Go on to the first line from here on that is not blank, or to the limit."""
        texts, limit = self.texts, self.limit
        while line < limit and not texts[line]:
            line += 1
        self.line = line
        return line

    def _take_indented_code(self, line: int) -> None:
        """Take indented code (CommonMark, section 4.4), which is running text here."""
        first = line
        end = line = line + 1
        while line < self.limit:
            if self.texts[line]:
                if self.indents[line] - self.indent < 4:
                    break
                end = line + 1
            line += 1
        self.opaque.append((first, end))
        self.end_leaf(end)

    def end_leaf(self, line: int) -> None:
        """Go on with a line after a block that is no container."""
        self.line = self.content_end = line

    def begins_block(self, line: int) -> bool:
        """Tell whether a line begins a block that ends a paragraph; it is not indented code."""
        return any(rule(self, line, True) for rule in self.rules.get(self.texts[line][0], ()))

    def add(
        self,
        kind: Literal["fence", "table", "list", "item", "quote"],
        first: int,
        end: int,
        *,
        closed: bool = True,
    ) -> Block:
        """Record a block; a container's end is set when it closes."""
        block = Block(kind, first, end, self.level, closed=closed)
        self.blocks.append(block)
        return block

    def add_heading(self, first: int, end: int, *, rank: int) -> None:
        """Record a heading, with its own source text up to the length of a label."""
        label = self.texts[first].rstrip(" \t")[:LABEL_LENGTH]
        self.blocks.append(Block("heading", first, end, self.level, rank, label))
        self.end_leaf(end)

    def may_open_container(self, line: int) -> bool:
        """Tell whether one more quote or item may be opened, and note the line where not."""
        if self.level < MAX_NESTING:
            return True
        if self.too_deep is None:
            self.too_deep = line
        return False

    def take_marker(self, line: int, base: int) -> bool:
        """Take a quote's marker off a line, if the line has one at an indent of `base` to 3 more.

        A tab after the marker is taken in part, as in CommonMark (section 2.2).
        """
        indent, text = self.indents[line], self.texts[line]
        if not base <= indent < base + 4 or not text.startswith(">"):
            return False
        rest = text[1:]
        column = self.bases.get(line, 0) + indent + 1
        following = rest[:1]
        if following in {" ", "\t"}:
            # The marker takes one column; of a wider tab, the others are still there.
            if following == " " or column % 4 == 3:
                rest = rest[1:]
            column += 1
        self.bases[line] = column
        self.texts[line] = text = rest.lstrip(" \t")
        self.indents[line] = width(rest[: len(rest) - len(text)], column)
        return True

    def take_run(self, quote: Quote, line: int, limit: int) -> bool:
        """Take a quote's marker off `line` and the lines after it, as far as they carry one."""
        base = quote.offsets[-1]
        end = line
        while end < limit and self.take_marker(end, base):
            end += 1
        if end == line:
            return False
        quote.end = end
        return True

    def reach(self, line: int) -> Place:
        """Find what `line` is to an open paragraph that has come to the end of its quote.

        Containers are matched from the outermost to the innermost, as in CommonMark's appendix.
        """
        limit = self.total
        for quote in self.quotes:
            if quote.end <= line:
                if line >= limit:
                    return Place.OUTSIDE
                if not self.take_run(quote, line, limit):
                    return self.place(line, quote.offsets)
            limit = quote.end
        self.limit = limit
        return Place.INSIDE if line < limit else Place.OUTSIDE

    def place(self, line: int, offsets: list[int]) -> Place:
        """Find whether a line that some container does not go on in continues a paragraph.

        It does where it is not blank and begins no block in the containers that do go on.
        """
        if not self.texts[line]:
            return Place.OUTSIDE
        indent = self.indent
        self.indent = offsets[bisect_right(offsets, self.indents[line]) - 1]
        self.lazy = True
        begins = self.indents[line] - self.indent < 4 and self.begins_block(line)
        self.lazy = False
        self.indent = indent
        return Place.OUTSIDE if begins else Place.LAZY

    def close_paragraph(self, line: int) -> None:
        """Let every open quote reach as far as the paragraph in it did."""
        if self.quotes:
            for quote in self.quotes:
                quote.end = max(quote.end, line)
            self.limit = self.quotes[-1].end
        self.line = self.content_end = line


def width(white: str, column: int) -> int:
    r"""Count the columns of white space that begins at a column: a tab reaches to the next fourth.

    >>> width("  ", 1), width(" \t", 1), width("\t", 3), width("\t", 4)
    (2, 3, 1, 4)
    """
    if "\t" not in white:
        return len(white)
    return len((" " * (column % 4) + white).expandtabs(4)) - column % 4
