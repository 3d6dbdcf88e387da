"""What a tool answers, as a `str` that displays itself."""

from collections.abc import Iterable, Iterator
from html import escape
from typing import Final, Self

from IPython.lib.pretty import RepresentationPrinter

from shape_magic.deliberation.read_proposal import Piece
from shape_magic.lines import normalize_endings
from shape_magic.wording import visible

__all__ = ["FRAME", "Answer"]

FRAME: Final = (
    "margin:0;overflow-x:auto;font-size:13px;line-height:1.5;"
    # Hosts break lines of output within words.
    "white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere;"
    "font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace"
)
# What stands around an agent's words is not selected with them, so that a copy has them alone.
_AROUND: Final = "opacity:.65;user-select:none;-webkit-user-select:none"


class Answer(str):
    """An answer: verbatim as a str, made visible and escaped where it is displayed."""

    __slots__ = ("_pieces",)
    _pieces: tuple[Piece, ...]

    def __new__(cls, pieces: Iterable[Piece]) -> Self:
        """Join an answer's pieces."""
        kept = tuple(pieces)
        answer = super().__new__(cls, "".join(piece.text for piece in kept))
        answer._pieces = kept
        return answer

    def __reduce__(self) -> tuple[type["Answer"], tuple[tuple[Piece, ...]]]:
        """Give what a copy or a pickle is made from."""
        return Answer, (self._pieces,)

    def _repr_pretty_(self, printer: RepresentationPrinter, cycle: bool) -> None:
        printer.text(_shown(self))

    def _repr_html_(self) -> str:
        return f'<pre style="{FRAME}">{"".join(_html(self._pieces))}</pre>'


def _html(pieces: Iterable[Piece]) -> Iterator[str]:
    for piece in pieces:
        text = escape(_shown(piece.text))
        yield text if piece.quoted else f'<span style="{_AROUND}">{text}</span>'


def _shown(text: str) -> str:
    return normalize_endings(visible(text))
