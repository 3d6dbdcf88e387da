"""Block quotes (CommonMark, section 5.1)."""

from shape_magic.analyzers.commonmark.state import BlockState, Quote

__all__ = ["block_quote"]


def block_quote(state: BlockState, line: int, silent: bool) -> bool:
    """Open a quote at a line that begins with its marker, and parse what it holds."""
    if not state.may_open_container(line):
        return False
    if silent:
        return True
    limit, indent, offsets = state.limit, state.indent, state.offsets
    quote = Quote(end=line, offsets=offsets)
    state.take_run(quote, line, limit)
    state.quotes.append(quote)
    state.limit, state.indent, state.offsets = quote.end, 0, [0]
    block = state.add("quote", line, quote.end)
    state.level += 1

    state.parse(line)

    state.level -= 1
    block.end = state.line
    state.quotes.pop()
    state.limit = state.quotes[-1].end if state.quotes else state.total
    state.indent, state.offsets = indent, offsets
    return True
