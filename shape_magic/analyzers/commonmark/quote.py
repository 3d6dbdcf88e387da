"""Block quotes (CommonMark, section 5.1), in place of the library's rule.

Called for by deep quotes, deep quotes with lazy lines, and quotes that end at once before many
lines that might have been lazy: with the library's rule the cost of these grows faster than the
text.
"""

from shape_magic.analyzers.commonmark.state import BlockState, Quote

__all__ = ["block_quote"]


def block_quote(state: BlockState, startLine: int, endLine: int, silent: bool) -> bool:  # noqa: N803
    """Open a quote at a line that begins with its marker, and parse what it holds."""
    if state.is_code_block(startLine):
        return False
    if state.src[state.bMarks[startLine] + state.tShift[startLine]] != ">":
        return False
    if not state.may_open_container(startLine):
        return False
    if silent:
        return True
    limit, indent, offsets = state.lineMax, state.blkIndent, state.offsets
    quote = Quote(end=startLine, offsets=offsets)
    state.take_run(quote, startLine, limit)
    state.quotes.append(quote)
    state.lineMax, state.blkIndent, state.offsets = quote.end, 0, [0]
    block = state.add("quote", startLine, quote.end)
    state.level += 1

    state.rules.tokenize(state, startLine, quote.end)

    state.level -= 1
    block.end = state.line
    state.quotes.pop()
    state.lineMax = state.quotes[-1].end if state.quotes else state.total
    state.blkIndent, state.offsets = indent, offsets
    return True
