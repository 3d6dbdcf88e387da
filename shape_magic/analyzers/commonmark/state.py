"""The parser's state: what was found, which containers are open, and what belongs to them.

The library's quote rule looks ahead over every line that might be lazy and leaves it to the inner
rules to find out. Nested quotes then read the same lines again at every level, and a quote that
turns out to hold no open paragraph reads to the end for nothing. Here a quote takes the marker off
the lines that carry one, and an open paragraph asks for more lines one at a time (`reach`).
"""

from bisect import bisect_right
from enum import Enum, auto
from itertools import accumulate
from typing import Literal, Protocol

import msgspec
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from shape_magic.shape import LABEL_LENGTH

__all__ = ["Block", "BlockRules", "BlockState", "Place", "Quote"]


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


class BlockRules(Protocol):
    """What the rules ask of the parser that holds them."""

    telling: frozenset[str]
    """The first characters that can make a line more than one more line of a paragraph."""

    def tokenize(self, state: "BlockState", start_line: int, end_line: int) -> None:
        """Parse from a line to where the innermost open container ends."""

    def begins_block(self, state: "BlockState", line: int, character: str) -> bool:
        """Tell whether a line with that first character begins a block that ends a paragraph."""


class BlockState(StateBlock):
    """The library's state, with the blocks found, the open quotes and the open items beside it.

    `lineMax` is where the innermost quote ends as far as is known. It moves on while a paragraph
    in that quote goes on.
    """

    def __init__(self, lines: list[str], md: MarkdownIt, rules: BlockRules) -> None:
        # What the library's own constructor builds, from lines that are split already.
        self.src = "\n".join(lines) + "\n"
        self.md = md
        self.env = {}
        self.tokens = []
        lengths = [len(line) for line in lines]
        self.bMarks = list(accumulate([length + 1 for length in lengths], initial=0))
        self.eMarks = [begin + length for begin, length in zip(self.bMarks, lengths, strict=False)]
        self.eMarks.append(self.bMarks[-1])
        self.tShift = [len(line) - len(line.lstrip(" \t")) for line in lines]
        self.tShift.append(0)
        self.sCount = self.tShift.copy()
        if "\t" in self.src:
            for number, line in enumerate(lines):
                indent = line[: self.tShift[number]]
                if "\t" in indent:
                    self.sCount[number] = len(indent.expandtabs(4))
        self.bsCount = [0] * len(self.bMarks)
        self.blkIndent = 0
        self.line = 0
        self.lineMax = len(lines)
        self.tight = False
        self.ddIndent = -1
        self.listIndent = -1
        self.parentType = "root"
        self.level = 0
        self.result = ""
        self._code_enabled = True

        self.rules = rules
        self.total = len(lines)
        self.blocks: list[Block] = []
        self.token = Token("", "", 0)
        """What the library's rules fill in; only the last of each call matters, and only here."""
        self.quotes: list[Quote] = []
        self.offsets: list[int] = [0]
        self.lazy = False
        """Whether the line that rules are asked about would be a lazy one."""
        self.underlined: list[tuple[int, int]] = []
        """Underlined text of several lines: its first line and its underline."""
        self.opaque: list[tuple[int, int]] = []
        """HTML blocks and indented code, whose text is no Markdown: first line and end."""
        self.too_deep: int | None = None
        """The first line with a container that was one too many."""

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        """Give the library's rules a token to fill in, always the same one."""
        self.token.type = ttype
        self.token.tag = tag
        return self.token

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
        label = self.text_of(first).rstrip(" \t")[:LABEL_LENGTH]
        self.blocks.append(Block("heading", first, end, self.level, rank=rank, label=label))

    def text_of(self, line: int) -> str:
        """Give a line's text without the containers' markers and white space before it."""
        return self.src[self.bMarks[line] + self.tShift[line] : self.eMarks[line]]

    def may_open_container(self, line: int) -> bool:
        """Tell whether one more quote or item may be opened, and note the line where not."""
        if self.level < self.md.options.maxNesting:
            return True
        if self.too_deep is None:
            self.too_deep = line
        return False

    def take_marker(self, line: int, base: int) -> bool:
        """Take a quote's marker off a line, if the line has one at an indent of `base` to 3 more.

        What remains of the line is then all that the rules see. A tab after the marker is taken
        in part, as in CommonMark (section 2.2).
        """
        indent = self.sCount[line]
        pos = self.bMarks[line] + self.tShift[line]
        if not base <= indent < base + 4 or self.src[pos] != ">":
            return False
        pos += 1
        column = self.bsCount[line] + indent + 1
        following = self.src[pos]
        begin = pos
        if following == " " or (following == "\t" and column % 4 == 3):
            begin = pos = pos + 1
            column += 1
        elif following == "\t":
            # The marker takes one column of this tab; the others are still there.
            column += 1
        self.bMarks[line] = begin
        self.bsCount[line] = column
        first = column
        end = self.eMarks[line]
        while pos < end:
            if self.src[pos] == " ":
                column += 1
            elif self.src[pos] == "\t":
                column += 4 - column % 4
            else:
                break
            pos += 1
        self.tShift[line] = pos - begin
        self.sCount[line] = column - first
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
        self.lineMax = limit
        return Place.INSIDE if line < limit else Place.OUTSIDE

    def place(self, line: int, offsets: list[int]) -> Place:
        """Find whether a line that some container does not go on in continues a paragraph.

        It does where it is not blank and begins no block in the containers that do go on.
        """
        pos = self.bMarks[line] + self.tShift[line]
        if pos >= self.eMarks[line]:
            return Place.OUTSIDE
        indent = self.blkIndent
        self.blkIndent = offsets[bisect_right(offsets, self.sCount[line]) - 1]
        self.lazy = True
        begins = self.rules.begins_block(self, line, self.src[pos])
        self.lazy = False
        self.blkIndent = indent
        return Place.OUTSIDE if begins else Place.LAZY

    def close_paragraph(self, line: int) -> None:
        """Let every open quote reach as far as the paragraph in it did."""
        for quote in self.quotes:
            quote.end = max(quote.end, line)
        if self.quotes:
            self.lineMax = self.quotes[-1].end
        self.line = line
