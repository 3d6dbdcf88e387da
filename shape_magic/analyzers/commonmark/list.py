"""Lists (CommonMark, sections 5.2 and 5.3), in place of the library's rule.

Called for by a list in a quote that goes on after a lazy line (`> 1. a`, `b`, `> 2. c`): the quote
then reaches further than was known when the list began. By an empty item before several blank
lines, which the library ends its list at. And by an item after a lazy line, which may begin with
any number there.
"""

import re
from typing import Final

from shape_magic.analyzers.commonmark.leaves import thematic_break
from shape_magic.analyzers.commonmark.state import BlockState

__all__ = ["list_block"]

_MARKER: Final = re.compile(r"(?:[-+*]|([0-9]{1,9})[.)])(?=[ \t]|\Z)")


def list_block(state: BlockState, start_line: int, end_line: int, silent: bool) -> bool:
    """Parse a list, item by item; `state.lazy` says that no paragraph is being interrupted."""
    if state.is_code_block(start_line):
        return False
    marker = _marker(state, start_line)
    if marker is None:
        return False
    if silent and not state.lazy:
        # Only an item that begins with 1 and is not empty may interrupt a paragraph.
        blank = not state.src[marker.end() : state.eMarks[start_line]].strip(" \t")
        if blank or (marker[1] is not None and int(marker[1]) != 1):
            return False
    if not state.may_open_container(start_line):
        return False
    if silent:
        return True
    block = state.add("list", start_line, start_line)
    kind = marker[0][-1]
    while marker is not None and marker[0][-1] == kind:
        _item(state, state.line, marker)
        marker = _next_marker(state)
    block.end = state.line
    return True


def _marker(state: BlockState, line: int) -> "re.Match[str] | None":
    return _MARKER.match(state.src, state.bMarks[line] + state.tShift[line], state.eMarks[line])


def _next_marker(state: BlockState) -> "re.Match[str] | None":
    """Find the marker of one more item at the state's line, past any blank lines."""
    state.line = line = state.skipEmptyLines(state.line)
    if line >= state.lineMax or not 0 <= state.sCount[line] - state.blkIndent < 4:
        return None
    marker = _marker(state, line)
    if marker is None or thematic_break(state, line, state.lineMax, True):
        return None
    return marker


def _item(state: BlockState, line: int, marker: "re.Match[str]") -> None:
    end = state.eMarks[line]
    pos = marker.end()
    initial = column = state.sCount[line] + pos - marker.start()
    while pos < end:
        if state.src[pos] == " ":
            column += 1
        elif state.src[pos] == "\t":
            column += 4 - (column + state.bsCount[line]) % 4
        else:
            break
        pos += 1
    spaces = column - initial
    # More than four spaces after the marker, and the item begins with indented code.
    content_offset = initial + (spaces if pos < end and spaces <= 4 else 1)

    block = state.add("item", line, line)
    state.level += 1
    indent = state.blkIndent
    state.blkIndent = content_offset
    state.offsets.append(content_offset)
    state.tShift[line] = pos - state.bMarks[line]
    state.sCount[line] = column
    if pos >= end and (line + 1 >= state.lineMax or state.isEmpty(line + 1)):
        # An item may begin with one blank line at the most.
        state.line = line + 1
    else:
        state.rules.tokenize(state, line, state.lineMax)
    state.offsets.pop()
    state.blkIndent = indent
    state.level -= 1
    block.end = state.line
