"""How pictures tell rounds and agents apart, and how they write what an id may hold."""

import itertools
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Final

import msgspec
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

from shape_magic.wording import visible

__all__ = [
    "BAND",
    "COLOURS",
    "GREY",
    "LEGEND_ENTRIES",
    "Entries",
    "Look",
    "bounded",
    "draw_figure_legend",
    "draw_legend",
    "label_text",
    "looks",
    "name_axes",
    "shown",
]

# Okabe and Ito's colours, which the colour-blind tell apart; their yellow is too pale for a line.
COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "*")
LINES: Final = ("-", "--", "-.", ":")
GREY: Final = "0.35"
BAND: Final = "#9CC7E0"
"""An interval, pale enough for the points on it to be seen."""

LEGEND_ENTRIES: Final = 12
"""How many rounds or agents a legend names."""
NAME_LENGTH: Final = 24
"""How many characters of a name a picture shows."""

# A picture's lines are its own, and matplotlib's font has no pictures of controls.
_CONTROLS: Final = {code: f"[U+{code:04X}]" for code in (*range(0x20), 0x7F)}


class Look(msgspec.Struct, frozen=True):
    """How a round or an agent is drawn."""

    colour: str
    marker: str = ""
    line: Any = ""
    width: float = 2


Entries = Sequence[tuple[str, Look]]
"""What a legend names, and the look of each."""


def looks() -> Iterator[Look]:
    """Give looks without end; the first 66 differ."""
    cycles = zip(
        itertools.cycle(COLOURS), itertools.cycle(MARKERS), itertools.cycle(LINES), strict=False
    )
    return (Look(colour, marker, line) for colour, marker, line in cycles)


def bounded(entries: Entries, *, what: str) -> list[tuple[str, Look]]:
    """Keep what a legend has room for, and say how many more there are."""
    more = len(entries) - LEGEND_ENTRIES
    kept = list(entries[:LEGEND_ENTRIES])
    return [*kept, (f"and {more} more {what}", Look(GREY))] if more > 0 else kept


def name_axes(axes: Axes, *, x: str, y: str) -> None:
    """Name both axes, and take the frame away that says nothing."""
    axes.set_xlabel(shown(x, length=100), parse_math=False)
    axes.set_ylabel(shown(y, length=100), parse_math=False)
    axes.spines[["top", "right"]].set_visible(False)


def draw_legend(axes: Axes, entries: Entries, *, outside: bool) -> None:
    """Draw a legend beside the axes, or where there is most room in them."""
    handles, blanks = _handles(entries)
    if outside:
        legend = axes.legend(
            handles, blanks, loc="upper left", bbox_to_anchor=(1, 1), frameon=False
        )
    else:
        legend = axes.legend(handles, blanks, loc="best", fontsize="small")
    _write(legend, entries)


def draw_figure_legend(figure: Figure, entries: Entries) -> None:
    """Draw one legend for all axes of a figure, beside them."""
    handles, blanks = _handles(entries)
    _write(figure.legend(handles, blanks, loc="outside right upper", frameon=False), entries)


def _write(legend: Legend, entries: Entries) -> None:
    # Written afterwards: a legend leaves out labels that begin with an underscore, as ids may.
    for text, (label, _) in zip(legend.get_texts(), entries, strict=True):
        text.set_parse_math(False)
        text.set_text(label)


def _handles(entries: Entries) -> tuple[list[Line2D], list[str]]:
    handles = [
        Line2D(
            [],
            [],
            color=look.colour,
            marker=look.marker,
            linestyle=look.line,
            linewidth=look.width,
            markersize=6,
            markeredgewidth=2 if look.marker == "x" else 0,
        )
        for _, look in entries
    ]
    return handles, [""] * len(handles)


def label_text(label: Hashable) -> str:
    """Write a round's or an agent's label, which is a tuple where several columns tell it."""
    parts = label if isinstance(label, tuple) else (label,)
    return shown(", ".join(str(part) for part in parts))


def shown(text: str, *, length: int = NAME_LENGTH) -> str:
    """Make a name visible in one line, and cut it."""
    cut = text if len(text) <= length else f"{text[: length - 1]}…"
    return visible(cut.translate(_CONTROLS))
