"""HTML blocks (CommonMark, section 4.6), whose text is no Markdown.

Seven kinds, each with what begins and what ends it. White space is a space or a tab: a block that
a no-break space would open here, and in no other parser, could hide structure.
"""

import re
from typing import Final, NamedTuple

from markdown_it.common.html_blocks import block_names

from shape_magic.analyzers.commonmark.state import BlockState

__all__ = ["html_block"]

_VERBATIM: Final = "script|pre|style|textarea"
_ATTRIBUTE: Final = (
    r"[ \t]++[A-Za-z_:][A-Za-z0-9_.:-]*+"
    r"""(?:[ \t]*+=[ \t]*+(?:[^ \t"'=<>`]++|'[^']*+'|"[^"]*+"))?+"""
)
_TAG: Final = (
    rf"<(?:[A-Za-z][A-Za-z0-9-]*+(?:{_ATTRIBUTE})*+[ \t]*+/?|/[A-Za-z][A-Za-z0-9-]*+[ \t]*+)>"
)


class _Kind(NamedTuple):
    begin: re.Pattern[str]
    end: re.Pattern[str] | None
    """None where a blank line ends the block."""
    interrupts: bool = True
    """Whether it may interrupt a paragraph."""


_KINDS: Final = (
    _Kind(
        re.compile(rf"<(?:{_VERBATIM})(?:[ \t>]|\Z)", re.IGNORECASE | re.ASCII),
        re.compile(rf"</(?:{_VERBATIM})>", re.IGNORECASE | re.ASCII),
    ),
    _Kind(re.compile("<!--"), re.compile("-->")),
    _Kind(re.compile(r"<\?"), re.compile(r"\?>")),
    _Kind(re.compile("<![A-Za-z]"), re.compile(">")),
    _Kind(re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
    _Kind(
        re.compile(rf"</?(?:{'|'.join(block_names)})(?:[ \t]|/?>|\Z)", re.IGNORECASE | re.ASCII),
        None,
    ),
    _Kind(re.compile(rf"{_TAG}[ \t]*+\Z"), None, interrupts=False),
)


def html_block(state: BlockState, line: int, silent: bool) -> bool:
    """Take an HTML block.

    The seventh kind may not interrupt a paragraph, but it may follow one on a line that would be
    a lazy one.
    """
    text = state.texts[line]
    kind = next((kind for kind in _KINDS if kind.begin.match(text)), None)
    if kind is None:
        return False
    if silent:
        return kind.interrupts or state.lazy
    end = _end(state, line, kind)
    state.opaque.append((line, end))
    state.end_leaf(end)
    return True


def _end(state: BlockState, line: int, kind: _Kind) -> int:
    """Find the line after a block's last that is not blank."""
    end = line
    while line < state.limit:
        text = state.texts[line]
        if text:
            if state.indents[line] < state.indent:
                break
            end = line + 1
            if kind.end is not None and kind.end.search(text):
                break
        elif kind.end is None:
            break
        line += 1
    return end
