"""CommonMark's block structure plus GFM tables: which blocks a text has, and in which lines.

Each rule is a function in a file of its own, or of a family, and `parser.py` has the table of them.
markdown-it-py gives the names of HTML's blocks and reads link destinations and titles; its block
rules are not used, since they build what a renderer needs, differ from the reference (cmark-gfm) in
tables, lists and white space, and grow too fast on hostile text.
"""

from shape_magic.analyzers.commonmark.parser import may_hold_blocks, parse_blocks
from shape_magic.analyzers.commonmark.state import MAX_NESTING, Block, BlockState
from shape_magic.analyzers.commonmark.table import count_cells, delimiter_cells, split_cells

__all__ = [
    "MAX_NESTING",
    "Block",
    "BlockState",
    "count_cells",
    "delimiter_cells",
    "may_hold_blocks",
    "parse_blocks",
    "split_cells",
]
