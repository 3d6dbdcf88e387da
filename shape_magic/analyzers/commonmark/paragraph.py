"""Paragraphs, and what a later line makes of one: a heading by its underline, or a table.

The other rules are asked about a line only where its first character could begin a block.
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

__all__ = ["UNDERLINE_START", "paragraph"]

UNDERLINE_START: Final = frozenset("=-")
"""What the first character of an underline may be."""

_UNDERLINE: Final = re.compile(r"(?:=++|-++)[ \t]*+\Z")


def paragraph(state: BlockState, line: int, silent: bool) -> bool:
    """Take a paragraph, or the heading or table that its last lines turn out to be."""
    texts, indents, rules = state.texts, state.indents, state.rules
    first = line
    may_be_table = True
    while True:
        line += 1
        if line >= state.limit:
            place = state.reach(line) if state.quotes else Place.OUTSIDE
            if place is Place.OUTSIDE:
                break
            if place is Place.LAZY:
                continue
        text = texts[line]
        if not text:
            break
        character = text[0]
        if character not in rules:
            continue
        indent = indents[line] - state.indent
        if indent >= 4:
            continue
        if indent < 0:
            if state.place(line, state.offsets) is Place.OUTSIDE:
                break
            continue
        if character in UNDERLINE_START and _UNDERLINE.match(text):
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
        if state.begins_block(line):
            break
        if may_be_table and character in DELIMITER_START:
            cells = delimiter_cells(text)
            if cells and count_cells(texts[line - 1]) == cells:
                table(state, line - 1)
                return True
            # The reference tries one delimiter row a paragraph, so that its cost stays bounded.
            may_be_table = not cells
    state.close_paragraph(line)
    return True


def _text_lines(state: BlockState, first: int, end: int) -> int:
    """Count the lines of a paragraph that are not link reference definitions."""
    count = end - first
    if not state.texts[first].startswith("["):
        return count
    return count - count_definition_lines("\n".join(state.texts[first:end]))
