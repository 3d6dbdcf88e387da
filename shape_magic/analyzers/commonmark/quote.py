"""Block quotes (CommonMark, section 5.1), in place of the library's rule.

Called for by deep quotes, deep quotes with lazy lines, and quotes that end at once before many
lines that might have been lazy: with the library's rule the cost of these grows faster than the
text.
"""

from shape_magic.analyzers.commonmark.state import BlockState, Quote

__all__ = ["block_quote"]


def block_quote(state: BlockState, start_line: int, end_line: int, silent: bool) -> bool:
    """Open a quote at a line that begins with its marker, and parse what it holds."""
    if state.is_code_block(start_line):
        return False
    if state.src[state.bMarks[start_line] + state.tShift[start_line]] != ">":
        return False
    if not state.may_open_container(start_line):
        return False
    if silent:
        return True
    limit, indent, offsets = state.lineMax, state.blkIndent, state.offsets
    quote = Quote(end=start_line, offsets=offsets)
    state.take_run(quote, start_line, limit)
    state.quotes.append(quote)
    state.lineMax, state.blkIndent, state.offsets = quote.end, 0, [0]
    block = state.add("quote", start_line, quote.end)
    state.level += 1

    state.rules.tokenize(state, start_line, quote.end)

    state.level -= 1
    block.end = state.line
    state.quotes.pop()
    state.lineMax = state.quotes[-1].end if state.quotes else state.total
    state.blkIndent, state.offsets = indent, offsets
    return True
