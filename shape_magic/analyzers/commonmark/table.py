r"""Tables (GFM, section 4.10).

The reference makes a table only of lines that would otherwise be a paragraph's: of the last line
of one, where the line below is a delimiter row of as many cells. A one-column header needs no pipe
(`a` over `|-|`), and a row may have any number of cells.
"""

import re
from typing import Final

from shape_magic.analyzers.commonmark.state import BlockState

__all__ = ["DELIMITER_START", "count_cells", "delimiter_cells", "split_cells", "table"]

DELIMITER_START: Final = frozenset("|:-\v\f")
"""What the first character of a delimiter row may be."""

_SPACES: Final = " \t\v\f"
_DELIMITER: Final = re.compile(
    r"\|?+[ \t\v\f]*+:?+-++:?+[ \t\v\f]*+(?:\|[ \t\v\f]*+:?+-++:?+[ \t\v\f]*+)*+(?:\|[ \t\v\f]*+)?+"
)
_DASHES: Final = re.compile("-+")
_PIPE: Final = re.compile(r"(?<!\\)\|")


def delimiter_cells(row: str) -> int:
    """Count the cells of a delimiter row; 0 where the text is no delimiter row.

    >>> delimiter_cells("| - | :-: |"), delimiter_cells("|-|"), delimiter_cells("| a |")
    (2, 1, 0)
    """
    return len(_DASHES.findall(row)) if _DELIMITER.fullmatch(row) else 0


def count_cells(row: str) -> int:
    r"""Count the cells of a row, as the reference does: a pipe after a backslash is text.

    >>> count_cells("| a | b |"), count_cells(r"a \| b"), count_cells("||"), count_cells("|")
    (2, 1, 1, 0)
    """
    return len(split_cells(row))


def split_cells(row: str) -> list[str]:
    """Split a row into its cells, white space included.

    >>> split_cells("| a | b |")
    ['a ', ' b ']
    """
    row = row[1:].lstrip(_SPACES) if row.startswith("|") else row
    *cells, last = _PIPE.split(row)
    return [*cells, last] if last.strip(_SPACES) else cells


def table(state: BlockState, header: int) -> None:
    """Take the table whose header is a line and whose delimiter row is the next."""
    line = header + 2
    while line < state.limit and 0 <= state.indents[line] - state.indent < 4:
        text = state.texts[line]
        # A row may be any text that begins no block; only a lone pipe has no cell.
        if not text or (text[0] == "|" and not text[1:].strip(_SPACES)):
            break
        state.lazy = True
        begins = state.begins_block(line)
        state.lazy = False
        if begins:
            break
        line += 1
    state.add("table", header, line)
    state.end_leaf(line)
