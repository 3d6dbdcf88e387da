"""The parser: which rule is asked where, in one visible table."""

from collections.abc import Callable
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock

from shape_magic.analyzers.commonmark.leaves import fence, heading, html_block, thematic_break
from shape_magic.analyzers.commonmark.list import list_block
from shape_magic.analyzers.commonmark.paragraph import paragraph
from shape_magic.analyzers.commonmark.quote import block_quote
from shape_magic.analyzers.commonmark.state import BlockState
from shape_magic.analyzers.commonmark.table import DELIMITER_START

__all__ = ["MAX_NESTING", "BlockParser", "parse_blocks"]

MAX_NESTING: Final = 100
"""How deep quotes and list items may nest; a deeper one is text of the innermost container."""

Rule = Callable[[Any, int, int, bool], bool]

_RULES: Final[dict[str, Rule]] = {
    "fence": fence,
    "blockquote": block_quote,
    "hr": thematic_break,
    "list": list_block,
    "html_block": html_block,
    "heading": heading,
    "paragraph": paragraph,
}
"""The rules that stand in for the library's of the same name."""

_FIRST_CHARACTERS: Final = {
    "fence": "`~",
    "blockquote": ">",
    "hr": "*-_",
    "list": "*-+0123456789",
    "html_block": "<",
    "heading": "#",
}
"""Which first characters a rule can begin with, in the order in which the rules are asked."""


class BlockParser(ParserBlock):
    """The library's block parser with rules replaced, asked by a line's first character."""

    def __init__(self) -> None:
        super().__init__()
        for name, rule in _RULES.items():
            self.ruler.at(name, rule)
        self.ruler.disable(["table", "reference", "lheading"])
        rules: dict[str, Rule] = dict(
            zip(self.ruler.get_active_rules(), self.ruler.getRules(""), strict=True)
        )
        self._code = rules["code"]
        self._paragraph = rules["paragraph"]
        self._rules: dict[str, tuple[Rule, ...]] = {
            character: tuple(
                rules[name] for name, starts in _FIRST_CHARACTERS.items() if character in starts
            )
            for character in set("".join(_FIRST_CHARACTERS.values()))
        }
        self.telling = frozenset(self._rules) | DELIMITER_START | frozenset("=")
        """The first characters that can make a line more than one more line of a paragraph."""

    def tokenize(self, state: Any, start_line: int, end_line: int) -> None:
        """Parse from a line to where the innermost open container ends.

        A quote may come to reach further while it is parsed, so the end is `state.lineMax` and
        not what was known of it at the start.
        """
        line = start_line
        while True:
            state.line = line = state.skipEmptyLines(line)
            if line >= state.lineMax:
                return
            indent = state.sCount[line] - state.blkIndent
            if indent < 0:
                return
            if indent >= 4:
                self._code(state, line, state.lineMax, False)
                state.opaque.append((line, state.line))
            else:
                character = state.src[state.bMarks[line] + state.tShift[line]]
                for rule in self._rules.get(character, ()):
                    if rule(state, line, state.lineMax, False):
                        break
                else:
                    self._paragraph(state, line, state.lineMax, False)
            line = state.line

    def begins_block(self, state: BlockState, line: int, character: str) -> bool:
        """Tell whether a line with that first character begins a block that ends a paragraph."""
        rules = self._rules.get(character, ())
        return any(rule(state, line, state.lineMax, True) for rule in rules)


_PARSER: Final = BlockParser()
_MARKDOWN: Final = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING})
_MARKDOWN.block = _PARSER


def parse_blocks(lines: list[str]) -> BlockState:
    """Parse a document of lines and give the state, which holds the blocks.

    >>> [block.kind for block in parse_blocks(["# A", "> - b"]).blocks]
    ['heading', 'quote', 'list', 'item']
    """
    state = BlockState(lines, _MARKDOWN, _PARSER)
    _PARSER.tokenize(state, 0, state.lineMax)
    return state
