"""Leaf blocks: the library's rules, with what they found recorded.

Only the rule for thematic breaks is replaced: called for by `- - - …` on one long line, which the
library reads character by character at every level of nesting.
"""

import re
from typing import Final

from markdown_it.rules_block import fence as library_fence
from markdown_it.rules_block import heading as library_heading
from markdown_it.rules_block import html_block as library_html_block
from markdown_it.rules_block.html_block import HTML_SEQUENCES

from shape_magic.analyzers.commonmark.state import BlockState

__all__ = ["fence", "heading", "html_block", "thematic_break"]

_THEMATIC_BREAK: Final = re.compile(r"([*_-])[ \t]*+(?:\1[ \t]*+){2,}+\Z")


def fence(state: BlockState, start_line: int, end_line: int, silent: bool) -> bool:
    """Take a fenced block (CommonMark, section 4.5), by the library's rule."""
    if not library_fence(state, start_line, end_line, silent):
        return False
    if not silent:
        # The block's content has every line between the fences, each with its ending.
        inside = state.token.content.count("\n")
        closed = inside == state.line - start_line - 2
        state.add("fence", start_line, state.line, closed=closed)
    return True


def heading(state: BlockState, start_line: int, end_line: int, silent: bool) -> bool:
    """Take an ATX heading (CommonMark, section 4.2), by the library's rule."""
    if not library_heading(state, start_line, end_line, silent):
        return False
    if not silent:
        state.add_heading(start_line, state.line, rank=int(state.token.tag[1]))
    return True


def html_block(state: BlockState, start_line: int, end_line: int, silent: bool) -> bool:
    """Take an HTML block (CommonMark, section 4.6), by the library's rule.

    The seventh kind may not interrupt a paragraph, but it may follow one on a line that would
    be a lazy one, which the library does not distinguish.
    """
    if silent and state.lazy and not state.is_code_block(start_line):
        opening = state.text_of(start_line)
        return any(begin.search(opening) for begin, _, _ in HTML_SEQUENCES)
    if not library_html_block(state, start_line, end_line, silent):
        return False
    if not silent:
        state.opaque.append((start_line, state.line))
    return True


def thematic_break(state: BlockState, start_line: int, end_line: int, silent: bool) -> bool:
    """Take a thematic break (CommonMark, section 4.1)."""
    begin = state.bMarks[start_line] + state.tShift[start_line]
    end = state.eMarks[start_line]
    # The last character tells at once of most lines that they are none, however long they are.
    if state.is_code_block(start_line) or state.src[end - 1] not in "*_- \t":
        return False
    if not _THEMATIC_BREAK.match(state.src, begin, end):
        return False
    if not silent:
        state.line = start_line + 1
    return True
