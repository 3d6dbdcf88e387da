r"""Tables (GFM, section 4.10), in place of the library's rule.

The reference makes a table only of lines that would otherwise be a paragraph's: of the last line
of one, where the line below is a delimiter row of as many cells. The library's rule runs before
all others, misses a one-column header without a pipe (`a` over `|-|`) and stops a wide table after
some 65,000 cells that it fills in.
"""

import re
from typing import Final

from shape_magic.analyzers.commonmark.state import BlockState

__all__ = ["DELIMITER_START", "count_cells", "delimiter_cells", "table"]

DELIMITER_START: Final = frozenset("|:-\v\f")
"""What the first character of a delimiter row may be."""

_SPACES: Final = " \t\v\f"
_DELIMITER: Final = re.compile(
    r"\|?+[ \t\v\f]*+:?+-++:?+[ \t\v\f]*+(?:\|[ \t\v\f]*+:?+-++:?+[ \t\v\f]*+)*+(?:\|[ \t\v\f]*+)?+"
)
_DASHES: Final = re.compile("-+")
_PIPE: Final = re.compile(r"(?<!\\)\|")


def delimiter_cells(row: str) -> int:
    """Count the cells of a delimiter row; 0 where the text is none.

    >>> delimiter_cells("| - | :-: |"), delimiter_cells("|-|"), delimiter_cells("| a |")
    (2, 1, 0)
    """
    return len(_DASHES.findall(row)) if _DELIMITER.fullmatch(row) else 0


def count_cells(row: str) -> int:
    r"""Count the cells of a row, as the reference does: a pipe after a backslash is text.

    >>> count_cells("| a | b |"), count_cells(r"a \| b"), count_cells("||"), count_cells("|")
    (2, 1, 1, 0)
    """
    row = row[1:].lstrip(_SPACES) if row.startswith("|") else row
    *cells, last = _PIPE.split(row)
    return len(cells) + bool(last.strip(_SPACES))


def table(state: BlockState, header: int) -> None:
    """Take the table whose header is a line and whose delimiter row is the next."""
    line = header + 2
    src = state.src
    while line < state.lineMax and 0 <= state.sCount[line] - state.blkIndent < 4:
        pos = state.bMarks[line] + state.tShift[line]
        end = state.eMarks[line]
        # A row may be any text that begins no block; only a lone pipe has no cell.
        if pos >= end or (src[pos] == "|" and not src[pos + 1 : end].strip(_SPACES)):
            break
        state.lazy = True
        begins = state.rules.begins_block(state, line, src[pos])
        state.lazy = False
        if begins:
            break
        line += 1
    state.add("table", header, line)
    state.line = line
