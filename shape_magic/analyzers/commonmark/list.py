"""Lists (CommonMark, sections 5.2 and 5.3)."""

import re
from typing import Final

from shape_magic.analyzers.commonmark.leaves import thematic_break
from shape_magic.analyzers.commonmark.state import BlockState, width

__all__ = ["list_block"]

_MARKER: Final = re.compile(r"(?:[-+*]|([0-9]{1,9})[.)])(?=[ \t]|\Z)")


def list_block(state: BlockState, line: int, silent: bool) -> bool:
    """Take a list, item by item; `state.lazy` says that no paragraph is being interrupted."""
    text = state.texts[line]
    marker = _MARKER.match(text)
    if marker is None:
        return False
    if silent and not state.lazy:
        # Only an item that begins with 1 and is not empty may interrupt a paragraph.
        blank = not text[marker.end() :].strip(" \t")
        if blank or (marker[1] is not None and int(marker[1]) != 1):
            return False
    if not state.may_open_container(line):
        return False
    if silent:
        return True
    block = state.add("list", line, line)
    kind = marker[0][-1]
    while marker is not None and marker[0][-1] == kind:
        _item(state, state.line, marker[0])
        marker = _next_marker(state)
    block.end = state.content_end
    return True


def _next_marker(state: BlockState) -> "re.Match[str] | None":
    """Find the marker of one more item at the state's line."""
    line = state.line
    if line >= state.limit or not 0 <= state.indents[line] - state.indent < 4:
        return None
    marker = _MARKER.match(state.texts[line])
    if marker is None or thematic_break(state, line, True):
        return None
    return marker


def _item(state: BlockState, line: int, marker: str) -> None:
    rest = state.texts[line][len(marker) :]
    text = rest.lstrip(" \t")
    initial = state.indents[line] + len(marker)
    white = rest[: len(rest) - len(text)]
    spaces = 1 if white == " " else width(white, state.bases.get(line, 0) + initial)
    state.texts[line] = text
    state.indents[line] = initial + spaces
    # More than four spaces after the marker, and the item begins with indented code.
    content_offset = initial + (spaces if text and spaces <= 4 else 1)

    block = state.add("item", line, line)
    state.content_end = line + 1
    state.level += 1
    indent, state.indent = state.indent, content_offset
    state.offsets.append(content_offset)
    if not text and (line + 1 >= state.limit or not state.texts[line + 1]):
        # An item may begin with one blank line at the most.
        state.skip_blank(line + 1)
    elif text and spaces <= 4 and text[0] not in state.rules:
        # Most items are one paragraph, and need not be asked what they begin with.
        state.paragraph(state, line, False)
        line = state.skip_blank(state.line)
        if line < state.limit and state.indents[line] >= content_offset:
            state.parse(line)
    else:
        state.parse(line)
    state.offsets.pop()
    state.indent = indent
    state.level -= 1
    block.end = state.content_end
