"""Foreign text in messages and displays: quoted, listed, and made visible.

Text that a candidate wrote is stored, measured and returned verbatim. Only where it is displayed
do control characters, bidirectional controls, line separators and lone surrogates become symbols
that can be seen and do nothing.
"""

import difflib
import heapq
import math
import re
from collections.abc import Iterable, Sequence
from typing import Final

__all__ = ["listed", "nearest", "one_line", "quoted", "symbols", "visible"]

_QUOTED_LENGTH: Final = 80
_LISTED: Final = 10
_COMPARED_LENGTH: Final = 100

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


def nearest(asked: str, known: Iterable[str]) -> list[str]:
    """Order ids by how near they are to what was asked for, the nearest first."""
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(asked.strip().casefold()[:_COMPARED_LENGTH])

    def nearness(known_id: str) -> float:
        matcher.set_seq1(known_id.strip().casefold()[:_COMPARED_LENGTH])
        # Letters in common tell well enough, and a misspelt id must not take seconds.
        return matcher.quick_ratio()

    ids = list(known)
    best = heapq.nlargest(_LISTED, ids, key=nearness)
    chosen = set(best)
    return [*best, *(known_id for known_id in ids if known_id not in chosen)]


def quoted(value: object) -> str:
    """Write a value for one line of a message: quoted, escaped and cut."""
    try:
        written = repr(value)
    except (ValueError, RecursionError):
        # Python writes no integer of more than some thousand digits, and nothing very deep.
        if isinstance(value, int):
            digits = int(value.bit_length() * math.log10(2))
            written = f"about {'-' if value < 0 else ''}10**{digits}"
        else:
            written = f"a {type(value).__name__} that is too large to write"
    return written if len(written) <= _QUOTED_LENGTH else f"{written[: _QUOTED_LENGTH - 1]}…"


def listed(values: Sequence[object]) -> str:
    """Write the first values of a list, and how many more there are."""
    names = ", ".join(quoted(value) for value in values[:_LISTED])
    more = len(values) - _LISTED
    return f"{names} and {more:,} more" if more > 0 else names
