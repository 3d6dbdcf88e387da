"""The parser: which rule is asked where, in one visible table."""

import re
from collections.abc import Sequence
from typing import Final

from shape_magic.analyzers.commonmark.html_block import html_block
from shape_magic.analyzers.commonmark.leaves import fence, heading, thematic_break
from shape_magic.analyzers.commonmark.list import list_block
from shape_magic.analyzers.commonmark.paragraph import UNDERLINE_START, paragraph
from shape_magic.analyzers.commonmark.quote import block_quote
from shape_magic.analyzers.commonmark.state import BlockState, Rule
from shape_magic.analyzers.commonmark.table import DELIMITER_START

__all__ = ["may_hold_blocks", "parse_blocks"]

_BEGINNINGS: Final[dict[Rule, tuple[str, str]]] = {
    fence: ("`~", "```|~~~"),
    block_quote: (">", ">"),
    thematic_break: ("*-_", r"(?:[*_-][ \t]*+){3}"),
    list_block: ("*-+0123456789", r"(?:[-+*]|[0-9]{1,9}[.)])(?=[ \t\n]|\Z)"),
    html_block: ("<", "<[A-Za-z/!?]"),
    heading: ("#", r"#{1,6}(?=[ \t\n]|\Z)"),
}
"""What a rule can begin with: first characters, and an expression that may match more than it.

The rules are asked in this order.
"""

_MAKES_MORE_OF_A_PARAGRAPH: Final = "".join(sorted(DELIMITER_START | UNDERLINE_START))

_RULES: Final = {
    character: tuple(rule for rule, (first, _) in _BEGINNINGS.items() if character in first)
    for character in _MAKES_MORE_OF_A_PARAGRAPH.join(first for first, _ in _BEGINNINGS.values())
}
"""The rules by first character: without an entry, a line after text is more of that text."""

# A text without a line like these, or indented code, is one paragraph after another, and a third
# of real answers are such texts.
_BEGINS: Final = re.compile(
    r"\n(?: {4}| {0,3}(?:\t|"
    + "|".join(expression for _, expression in _BEGINNINGS.values())
    + f"|[{re.escape(_MAKES_MORE_OF_A_PARAGRAPH)}]))"
)


def may_hold_blocks(source: str) -> bool:
    r"""Tell whether a text, whose line endings are LF, can hold anything but paragraphs.

    >>> may_hold_blocks("a\nb c\n"), may_hold_blocks("a\n> b")
    (False, True)
    """
    return _BEGINS.search("\n" + source) is not None


def parse_blocks(lines: Sequence[str]) -> BlockState:
    """Parse a document of lines and give the state, which holds the blocks.

    >>> [block.kind for block in parse_blocks(["# A", "> - b"]).blocks]
    ['heading', 'quote', 'list', 'item']
    """
    state = BlockState(lines, rules=_RULES, paragraph=paragraph)
    state.parse(0)
    return state
