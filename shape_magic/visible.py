"""Make visible what a terminal or a page would act on instead of showing.

Text that a candidate wrote is stored, measured and returned verbatim. Only where it is displayed
do control characters, bidirectional controls, line separators and lone surrogates become symbols
that can be seen and do nothing.
"""

import re
from typing import Final

__all__ = ["one_line", "symbols", "visible"]

# Tab and the line endings are left: every display lays lines out by them itself.
_ACTING: Final = re.compile(
    "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069"
    "\\ufff9-\\ufffb\\ud800-\\udfff]"
)


def visible(text: str) -> str:
    r"""Replace the characters of a text that act by symbols that show.

    >>> print(visible("a\x1b[31m\u202eb\ud800"))
    a␛[31m[U+202E]b[U+D800]
    """
    return _ACTING.sub(lambda match: _symbol(ord(match[0])), text)


def one_line(text: str, *, length: int | None = None) -> str:
    r"""Replace tabs and line endings by symbols, too, and cut what is longer than a length.

    >>> print(one_line("two\nlines\x1b"), one_line("too long", length=4))
    two␊lines␛ too…
    """
    shown = visible(text).replace("\t", "␉").replace("\n", "␊").replace("\r", "␍")
    return shown if length is None or len(shown) <= length else f"{shown[: length - 1]}…"


def symbols(text: str) -> dict[str, str]:
    r"""Give the characters of a text that `visible` replaces, each with its symbol.

    A display that must keep the text verbatim, such as one that copies it, takes these along.

    >>> symbols("a\x1b[31m\x1b")
    {'\x1b': '␛'}
    """
    return {acting: _symbol(ord(acting)) for acting in sorted(set(_ACTING.findall(text)))}


def _symbol(code: int) -> str:
    # Unicode draws a picture for the ASCII controls; the others are named.
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return f"[U+{code:04X}]"
