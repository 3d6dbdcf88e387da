"""Link reference definitions at the start of a paragraph (CommonMark, section 4.7).

They matter in one place: text above an underline is a heading only where it is no definition. So
they are looked at only there.
"""

import re
from typing import Final

from markdown_it.helpers import parseLinkDestination, parseLinkTitle

__all__ = ["count_definition_lines"]

_LABEL: Final = re.compile(r"\[((?:[^\\\[\]]|\\.){1,999})\]:", re.DOTALL)
_SPACE: Final = re.compile(r"[ \t]*(?:\n[ \t]*)?")
_REST_OF_LINE: Final = re.compile(r"[ \t]*(?:\n|\Z)")


def count_definition_lines(text: str) -> int:
    r"""Count the lines that the definitions at the start of a paragraph take.

    >>> count_definition_lines("[a]: /u\n[b]:\n  /v 'title'\ntext")
    3
    """
    pos = 0
    while (end := _definition(text, pos)) is not None:
        pos = end
    lines = text.count("\n", 0, pos)
    return lines + 1 if pos == len(text) and pos and not text.endswith("\n") else lines


def _definition(text: str, pos: int) -> int | None:
    """Find where the definition at a position ends, its line ending included."""
    label = _LABEL.match(text, pos)
    if label is None or not label[1].strip(" \t\n"):
        return None
    start = _skip_space(text, label.end())
    # The library's helper would step over a line ending after a backslash.
    line_end = text.find("\n", start)
    line_end = len(text) if line_end < 0 else line_end
    destination = parseLinkDestination(text, start, line_end)
    if not destination.ok or destination.pos == start:
        return None
    without_title = _REST_OF_LINE.match(text, destination.pos)
    gap = _skip_space(text, destination.pos)
    if gap > destination.pos:
        title = parseLinkTitle(text, gap, len(text))
        rest = _REST_OF_LINE.match(text, title.pos) if title.ok else None
        if rest is not None:
            return rest.end()
    return without_title.end() if without_title else None


def _skip_space(text: str, pos: int) -> int:
    """Go past spaces and tabs, and past one line ending at the most."""
    space = _SPACE.match(text, pos)
    return space.end() if space else pos
