"""Foreign text in messages and displays: quoted, listed, and made visible.

Text that a candidate wrote is stored, measured and returned verbatim. Only where it is displayed
do characters that act on the display, or that show as nothing, become symbols that can be seen and
do nothing.
"""

import difflib
import heapq
import math
import re
from collections.abc import Iterable, Sequence
from typing import Final

__all__ = [
    "BLANK",
    "INVISIBLE",
    "count_invisible",
    "listed",
    "nearest",
    "one_line",
    "plural",
    "quoted",
    "symbols",
    "visible",
    "without_invisible",
]

_QUOTED_LENGTH: Final = 80
_LISTED: Final = 10
_COMPARED_LENGTH: Final = 100

# The inside of a regular expression's character class. The ranges are written out, since Python's
# own tables of Unicode differ from version to version and have no `Default_Ignorable_Code_Point`;
# a test holds them against those tables and against Perl's. Tab and the line endings are left:
# every display lays lines out by them itself. Spaces of any width show as a space, and so does the
# blank of Braille.
_ACTING: Final = (
    # Control characters.
    "\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f"
    # Soft hyphen, Arabic letter mark, Hangul fillers, Khmer vowels without a shape.
    "\\u00ad\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u3164\\uffa0"
    # Zero-width space, marks of direction, separators, embeddings, isolates, word joiner,
    # invisible operators, deprecated format characters.
    "\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f"
    # Byte order mark, annotations and what is reserved for the like; noncharacters.
    "\\ufeff\\ufff0-\\ufffb\\ufdd0-\\ufdef\\ufffe\\uffff"
    # Lone surrogates.
    "\\ud800-\\udfff"
    # Format controls of hieroglyphs, shorthand and music.
    "\\U00013430-\\U0001343f\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a"
    # Tag characters, and all else of that plane but its variation selectors.
    "\\U000e0000-\\U000e00ff\\U000e01f0-\\U000e0fff"
)
# Variation selectors, and what is one but in name: Mongolian's, the combining grapheme joiner.
_SELECTORS: Final = "\\u034f\\u180b-\\u180f\\ufe00-\\ufe0f\\U000e0100-\\U000e01ef"
_JOINERS: Final = "\\u200c\\u200d"

INVISIBLE: Final = _ACTING + _SELECTORS + _JOINERS
"""All characters that act or show as nothing, as the inside of a regular expression's class."""
BLANK: Final = (
    "\\t\\n\\r \\x85\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u2800\\u3000"
)
"""All characters that show as blank space, as the inside of a regular expression's class."""

_ACTS: Final = re.compile(f"[{_ACTING}]")
_INVISIBLE: Final = re.compile(f"[{INVISIBLE}]")
_PLAIN: Final = b"\t\n\r" + bytes(range(0x20, 0x7F))
# A selector chooses between the shapes of a symbol, a digit or a letter that is not Latin; a
# joiner stands after a letter of a script that joins, after an emoji or after its selector.
_JOINS_NOTHING: Final = re.compile(
    f"[{_SELECTORS}]"
    f"(?<![^{INVISIBLE}{BLANK}\\x00-\\x22\\x24-\\x29\\x2b-\\x2f\\x3a-\\x7f][{_SELECTORS}])"
    f"|[{_JOINERS}](?<![^{_ACTING}{_JOINERS}{BLANK}\\x00-\\u05ff][{_JOINERS}])"
)


def visible(text: str) -> str:
    r"""Replace the characters that act on a display or show as nothing by symbols that show.

    Joiners and variation selectors are left: scripts and emoji are written with them.

    >>> print(visible("a\x1b[31m\u202eb\ud800\u200b"))
    a␛[31m[U+202E]b[U+D800][U+200B]
    """
    return _ACTS.sub(lambda match: _symbol(ord(match[0])), text)


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
    return {acting: _symbol(ord(acting)) for acting in sorted(set(_ACTS.findall(text)))}


def count_invisible(text: str) -> int:
    r"""Count the characters that show as nothing, and the joiners that join nothing.

    >>> count_invisible("a\u200bb\u200d"), count_invisible("\u2764\ufe0f\u200d\U0001f525")
    (2, 0)
    """
    # All texts are counted, and few have any of these: what is plain is put aside at once.
    unusual = text.encode("utf-8", "surrogatepass").translate(None, _PLAIN)
    if not _INVISIBLE.search(unusual.decode("utf-8", "surrogatepass")):
        return 0
    return len(_ACTS.findall(text)) + len(_JOINS_NOTHING.findall(text))


def without_invisible(text: str) -> str:
    r"""Leave out all that shows as nothing, joiners and variation selectors too.

    >>> without_invisible("a |\u200b L9\ufe0f")
    'a | L9'
    """
    return _INVISIBLE.sub("", text)


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


def plural(count: int, noun: str) -> str:
    """Write how many there are of something.

    >>> plural(1, "line"), plural(2000, "line")
    ('1 line', '2,000 lines')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
