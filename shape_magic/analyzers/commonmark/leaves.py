"""Leaf blocks of one rule each: fences, ATX headings and thematic breaks."""

import re
from typing import Final

from shape_magic.analyzers.commonmark.state import BlockState

__all__ = ["fence", "heading", "thematic_break"]

_FENCE: Final = re.compile(r"`{3,}+(?=[^`]*+\Z)|~{3,}+")
_HEADING: Final = re.compile(r"#{1,6}+(?=[ \t]|\Z)")
_THEMATIC_BREAK: Final = re.compile(r"([*_-])[ \t]*+(?:\1[ \t]*+){2,}+\Z")


def fence(state: BlockState, line: int, silent: bool) -> bool:
    """Take a fenced block (CommonMark, section 4.5)."""
    opening = _FENCE.match(state.texts[line])
    if opening is None:
        return False
    if silent:
        return True
    first, marker = line, opening[0]
    closed = False
    while not closed and (line := line + 1) < state.limit:
        text = state.texts[line]
        if text and state.indents[line] < state.indent:
            break
        closed = (
            text.startswith(marker)
            and not text.lstrip(marker[0]).strip(" \t")
            and state.indents[line] - state.indent < 4
        )
    end = line + closed
    state.add("fence", first, end, closed=closed)
    state.end_leaf(end)
    return True


def heading(state: BlockState, line: int, silent: bool) -> bool:
    """Take an ATX heading (CommonMark, section 4.2)."""
    opening = _HEADING.match(state.texts[line])
    if opening is None:
        return False
    if not silent:
        state.add_heading(line, line + 1, rank=opening.end())
    return True


def thematic_break(state: BlockState, line: int, silent: bool) -> bool:
    """Take a thematic break (CommonMark, section 4.1)."""
    text = state.texts[line]
    # The last character rules out most lines at once, however long they are.
    if text[-1] not in "*_- \t" or not _THEMATIC_BREAK.match(text):
        return False
    if not silent:
        state.end_leaf(line + 1)
    return True
