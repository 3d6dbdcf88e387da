"""Paragraphs, and what a later line makes of one: a heading by its underline, or a table.

In place of the library's rules `paragraph`, `lheading`, `reference` and `table`, which each read
the paragraph's lines. The others are asked about a line only where its first character could
begin a block. Called for by speed, by the tables that the reference sees differently, and by
text that is nothing but link reference definitions.
"""

import re
from typing import Final

from shape_magic.analyzers.commonmark.definitions import count_definition_lines
from shape_magic.analyzers.commonmark.state import BlockState, Place
from shape_magic.analyzers.commonmark.table import (
    DELIMITER_START,
    count_cells,
    delimiter_cells,
    table,
)

__all__ = ["paragraph"]

_UNDERLINE: Final = re.compile(r"(?:=+|-+)[ \t]*\Z")


def paragraph(state: BlockState, start_line: int, end_line: int, silent: bool) -> bool:
    """Take a paragraph, or the heading or table that its last lines turn out to be."""
    rules = state.rules
    src, begins, shifts, ends = state.src, state.bMarks, state.tShift, state.eMarks
    first = line = start_line
    may_be_table = True
    while True:
        line += 1
        if line >= state.lineMax:
            place = state.reach(line) if state.quotes else Place.OUTSIDE
            if place is Place.OUTSIDE:
                break
            if place is Place.LAZY:
                continue
        pos = begins[line] + shifts[line]
        if pos >= ends[line]:
            break
        character = src[pos]
        if character not in rules.telling:
            continue
        indent = state.sCount[line] - state.blkIndent
        if indent >= 4:
            continue
        if indent < 0:
            if state.place(line, state.offsets) is Place.OUTSIDE:
                break
            continue
        if character in "=-" and _UNDERLINE.match(src, pos, ends[line]):
            text_lines = _text_lines(state, first, line)
            if text_lines == 0:
                # All above were definitions, and so the underline is a paragraph's first line.
                first = line
                continue
            state.close_paragraph(line + 1)
            if text_lines == 1:
                state.add_heading(line - 1, line + 1, rank=1 if character == "=" else 2)
            else:
                state.underlined.append((line - text_lines, line))
            return True
        if rules.begins_block(state, line, character):
            break
        if may_be_table and character in DELIMITER_START:
            cells = delimiter_cells(src[pos : ends[line]])
            header = state.text_of(line - 1)
            if cells and count_cells(header) == cells:
                state.close_paragraph(line)
                table(state, line - 1)
                return True
            # The reference tries one delimiter row a paragraph, so that its cost stays bounded.
            may_be_table = not cells
    state.close_paragraph(line)
    return True


def _text_lines(state: BlockState, first: int, end: int) -> int:
    """Count the lines of a paragraph that are not link reference definitions."""
    count = end - first
    if state.src[state.bMarks[first] + state.tShift[first]] != "[":
        return count
    text = "\n".join([state.text_of(line) for line in range(first, end)])
    return count - count_definition_lines(text)
