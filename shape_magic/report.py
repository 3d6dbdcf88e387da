"""How a result reads: a title, a table and sentences, as text and as HTML."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

import msgspec

from shape_magic.wording import one_line

__all__ = ["Report", "preformatted"]

# Hosts have rules of their own for cells, so each has its style; a wide table scrolls by itself.
_CELL: Final = "padding:1px 8px;white-space:nowrap;text-align:"
_BREAKS: Final = "word-break:normal;overflow-wrap:anywhere"
_WORDS: Final = f"white-space:normal;{_BREAKS}"


class Report(msgspec.Struct, frozen=True):
    """What a result says to a reader; all of it is made visible where it is written.

    >>> print(Report("Two texts", ["text", "lines"], [["a", "1"], ["b", "12"]], ["b is longer."]))
    Two texts
      text  lines
      a         1
      b        12
    b is longer.
    """

    title: str
    """Empty for none."""
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    sentences: Sequence[str] = ()
    texts: int = 1
    """How many columns, from the first on, are texts; the others are figures."""
    meanings: Sequence[str] = ()
    """What the columns mean, where it is at hand."""

    def __str__(self) -> str:
        lines = [one_line(self.title)] if self.title else []
        if self.rows:
            cells = [[one_line(cell) for cell in row] for row in (self.head, *self.rows)]
            widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
            for row in cells:
                aligned = (
                    cell.ljust(width) if place < self.texts else cell.rjust(width)
                    for place, (cell, width) in enumerate(zip(row, widths, strict=True))
                )
                lines.append("  ".join(["", *aligned]).rstrip(" "))
        return "\n".join([*lines, *map(one_line, self.sentences)])

    def html(self) -> str:
        """Write it as HTML that needs no script and no stylesheet."""
        sentences = "".join(
            f'<div style="{_WORDS}">{_safe(sentence)}</div>' for sentence in self.sentences
        )
        title = ""
        if self.title:
            title = f'<div style="{_WORDS}"><strong>{_safe(self.title)}</strong></div>'
        return (
            f'<div style="font-size:13px;line-height:1.5">{title}{self._table()}{sentences}</div>'
        )

    def _table(self) -> str:
        if not self.rows:
            return ""
        meanings = self.meanings or [""] * len(self.head)
        head = "".join(
            f'<th scope="col" style="{self._style(place)}"'
            + (f' title="{_safe(meaning)}"' if meaning else "")
            + f">{_safe(cell)}</th>"
            for place, (cell, meaning) in enumerate(zip(self.head, meanings, strict=True))
        )
        rows = "".join(f"<tr>{self._cells(row)}</tr>" for row in self.rows)
        return (
            '<div style="overflow-x:auto;margin:4px 0"><table style="font-size:13px">'
            f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
        )

    def _cells(self, row: Iterable[str]) -> str:
        (name, *rest) = row
        cells = "".join(
            f'<td style="{self._style(place)}">{_safe(cell)}</td>'
            for place, cell in enumerate(rest, start=1)
        )
        return f'<th scope="row" style="{self._style(0)}">{_safe(name)}</th>{cells}'

    def _style(self, place: int) -> str:
        return _CELL + ("left" if place < self.texts else "right")


def preformatted(text: str) -> str:
    """Write lines as HTML that keeps their spaces, and breaks a long one between words.

    >>> preformatted("a < b").endswith(">a &lt; b</pre>")
    True
    """
    # Hosts break preformatted lines within words.
    return f'<pre style="white-space:pre-wrap;{_BREAKS}">{escape(text)}</pre>'


def _safe(text: str) -> str:
    return escape(one_line(text))
