"""CommonMark's block structure plus GFM tables.

markdown-it-py parses. Its rules for quotes, lists, tables, paragraphs and thematic breaks are
replaced through its ruler by those here: the reference (cmark-gfm) decides differently in the cases
that each module names, and the library's cost grows too fast on hostile text. Fences, indented
code, ATX headings and HTML blocks are the library's own.
"""

from shape_magic.analyzers.commonmark.parser import MAX_NESTING, parse_blocks
from shape_magic.analyzers.commonmark.state import Block, BlockState
from shape_magic.analyzers.commonmark.table import count_cells, delimiter_cells

__all__ = ["MAX_NESTING", "Block", "BlockState", "count_cells", "delimiter_cells", "parse_blocks"]
