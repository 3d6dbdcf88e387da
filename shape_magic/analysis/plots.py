"""Pictures of scores and shape: matplotlib axes in and out, readable in grey.

What tells rounds or agents apart is never a colour alone: markers and line styles go along. Ids
are made visible, and they are no formulas: a `$` in one is a dollar.
"""

import itertools
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Final

import msgspec
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from shape_magic.analysis.columns import column, rows_by_round, rows_of
from shape_magic.analysis.estimates import SMALLEST_ROUND
from shape_magic.analysis.results import Correlations, Estimate
from shape_magic.visible import visible
from shape_magic.vocabulary import ATTRIBUTE_NAMES

__all__ = ["plot_attribute", "plot_attributes", "plot_coefficients", "plot_score"]

Floats = NDArray[np.float64]

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


class _Look(msgspec.Struct, frozen=True):
    """How a round or an agent is drawn."""

    colour: str
    marker: str = ""
    line: Any = ""


def plot_score(
    frame: pd.DataFrame,
    attribute: str,
    *,
    score: str = "conciseness",
    within: str | Sequence[str] = "round",
    ax: Axes | None = None,
) -> Axes:
    """Plot a score against an attribute: each round's points and trend, and the pooled trend.

    A round has its colour and its marker, and where it has three scored proposals or more, its
    least-squares line. The pooled line is black, thick and dashed: where it slopes against the
    others, what differs between rounds hides what happens in them.
    """
    axes = _own_axes() if ax is None else ax
    values, scores = column(frame, attribute), column(frame, score)
    complete = np.isfinite(values) & np.isfinite(scores)
    drawn = []
    for (label, rows), cycled in zip(rows_by_round(frame, within).items(), _looks(), strict=False):
        look = _Look(cycled.colour, cycled.marker, "-")
        chosen = rows[complete[rows]]
        if not len(chosen):
            continue
        axes.scatter(
            values[chosen],
            scores[chosen],
            color=look.colour,
            marker=look.marker,
            s=38,
            linewidths=0.6,
            edgecolors="white",
            zorder=3,
        )
        if len(chosen) >= SMALLEST_ROUND:
            _draw_trend(axes, values[chosen], scores[chosen], look, width=1.5)
        drawn.append((f"round {_label_text(label)}", look))
    pooled = _Look("black", line=(0, (5, 2)))
    entries = drawn[:LEGEND_ENTRIES]
    if len(drawn) > LEGEND_ENTRIES:
        entries.append((f"and {len(drawn) - LEGEND_ENTRIES} more rounds", _Look(GREY)))
    if _draw_trend(axes, values[complete], scores[complete], pooled, width=2.8):
        entries.append(("pooled", pooled))
    _name(axes, x=attribute, y=score)
    _draw_legend(axes, entries, outside=ax is None)
    return axes


def plot_coefficients(
    result: Correlations, *, controlled: bool = False, ax: Axes | None = None
) -> Axes:
    """Plot a strip for each attribute: every round's coefficient, their mean and its interval.

    The pooled coefficient is a cross beside them. Where there is no coefficient, the strip says
    why. `controlled` shows the coefficients with the control taken out.
    """
    found = [
        (one, one.controlled if controlled else one.within)
        for one in result.attributes
        if not (controlled and one.attribute == result.control)
    ]
    axes = _own_axes(height=1.6 + 0.42 * len(found)) if ax is None else ax
    a_round, mean, pooled = _Look(GREY, "o"), _Look(COLOURS[0], "D"), _Look(COLOURS[1], "x")
    interval = _Look(BAND, line="-")
    axes.axvline(0, color="black", linewidth=0.8, zorder=1)
    for height, (one, estimate) in enumerate(found):
        _draw_strip(axes, height, estimate, a_round=a_round, mean=mean, interval=interval)
        if one.pooled is not None and not controlled:
            axes.plot([one.pooled], [height], color=pooled.colour, marker="x", markersize=8,
                      markeredgewidth=2.2, linestyle="", zorder=5)  # fmt: skip
    names = [_shown(one.attribute) for one, _ in found]
    axes.set_yticks(range(len(names)), names, parse_math=False)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlim(-1.05, 1.05)
    given = f", {result.control} taken out" if controlled else ""
    _name(axes, x=f"Spearman coefficient with {result.score}{given}", y="")
    entries = [("a round", a_round), ("mean of rounds", mean)]
    if any(estimate.interval for _, estimate in found):
        entries.append((f"{100 * result.confidence:g} % interval of the mean", interval))
    if not controlled:
        entries.append(("pooled", pooled))
    _draw_legend(axes, entries, outside=ax is None)
    return axes


def plot_attribute(
    frame: pd.DataFrame, attribute: str, *, ax: Axes | None = None, legend: bool = True
) -> Axes:
    """Plot an attribute over the rounds, a line an agent.

    Where an agent did not propose in a round, its line has a gap.
    """
    axes = _own_axes() if ax is None else ax
    entries = _draw_attribute(axes, frame, attribute)
    if legend:
        _draw_legend(axes, entries, outside=ax is None)
    return axes


def plot_attributes(
    frame: pd.DataFrame,
    *,
    attributes: Sequence[str] = ATTRIBUTE_NAMES,
    axes: Sequence[Axes] | None = None,
) -> list[Axes]:
    """Plot several attributes over the rounds, each on axes of its own, by default all eight."""
    if axes is None:
        columns = min(4, len(attributes))
        lines = -(-len(attributes) // columns)
        grid = _own_figure(3.1 * columns, 2.5 * lines).subplots(lines, columns, squeeze=False)
        chosen = list(grid.flat)
        for unused in chosen[len(attributes) :]:
            unused.remove()
        chosen = chosen[: len(attributes)]
    else:
        chosen = list(axes)
        if len(chosen) != len(attributes):
            raise ValueError(f"{len(attributes)} attributes need as many axes, not {len(chosen)}")
    entries: list[tuple[str, _Look]] = []
    for one, attribute in zip(chosen, attributes, strict=True):
        entries = _draw_attribute(one, frame, attribute)
    if axes is None:
        handles = [_handle(look) for _, look in entries]
        figure = chosen[0].figure
        assert isinstance(figure, Figure)
        legend = figure.legend(
            handles, [""] * len(handles), loc="outside right upper", frameon=False
        )
        _write(legend, entries)
    else:
        _draw_legend(chosen[0], entries, outside=False)
    return chosen


def _draw_attribute(axes: Axes, frame: pd.DataFrame, attribute: str) -> list[tuple[str, _Look]]:
    values, rounds = column(frame, attribute), column(frame, "round")
    drawn = []
    for (agent_id, rows), look in zip(rows_of(frame, ["agent_id"]).items(), _looks(), strict=False):
        every = np.arange(rounds[rows].min(), rounds[rows].max() + 1)
        heights = pd.Series(values[rows], index=rounds[rows]).reindex(every)
        axes.plot(every, heights.to_numpy(), color=look.colour, marker=look.marker,
                  linestyle=look.line, linewidth=1.6, markersize=5)  # fmt: skip
        drawn.append((_label_text(agent_id), look))
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True, min_n_ticks=1))
    axes.yaxis.set_major_locator(MaxNLocator(6, integer=True, min_n_ticks=1))
    _name(axes, x="round", y=attribute)
    entries = drawn[:LEGEND_ENTRIES]
    if len(drawn) > LEGEND_ENTRIES:
        entries.append((f"and {len(drawn) - LEGEND_ENTRIES} more agents", _Look(GREY)))
    return entries


def _draw_strip(
    axes: Axes, height: int, estimate: Estimate, *, a_round: _Look, mean: _Look, interval: _Look
) -> None:
    if estimate.coefficient is None:
        axes.text(0.02, height, estimate.reason, va="center", style="italic", parse_math=False)
        return
    points = [point.coefficient for point in estimate.rounds]
    # Equal points stand above one another, so that each can be counted.
    offsets = np.empty(len(points))
    seen: dict[float, int] = {}
    for place in np.argsort(points, kind="stable"):
        key = round(points[place], 2)
        seen[key] = seen.get(key, 0) + 1
        offsets[place] = (seen[key] // 2) * (-1 if seen[key] % 2 else 1)
    step = min(0.1, 0.36 / max(1.0, float(np.abs(offsets).max())))
    axes.plot(points, height + step * offsets, color=a_round.colour, marker=a_round.marker,
              markersize=4.5, markeredgewidth=0, linestyle="", zorder=3)  # fmt: skip
    if estimate.interval is not None:
        axes.plot(
            estimate.interval,
            (height, height),
            color=interval.colour,
            linewidth=8,
            solid_capstyle="butt",
            zorder=2,
        )
    axes.plot([estimate.coefficient], [height], color=mean.colour, marker=mean.marker,
              markersize=8, markeredgecolor="white", linestyle="", zorder=4)  # fmt: skip


def _draw_trend(axes: Axes, values: Floats, scores: Floats, look: _Look, *, width: float) -> bool:
    """Draw a least-squares line over the values' range; False where there is none to draw."""
    if len(values) < 2 or np.ptp(values) == 0:
        return False
    ends = np.array([values.min(), values.max()])
    axes.plot(ends, np.polynomial.Polynomial.fit(values, scores, 1)(ends), color=look.colour,
              linestyle=look.line, linewidth=width, zorder=2)  # fmt: skip
    return True


def _looks() -> Iterator[_Look]:
    cycles = zip(
        itertools.cycle(COLOURS), itertools.cycle(MARKERS), itertools.cycle(LINES), strict=False
    )
    return (_Look(colour, marker, line) for colour, marker, line in cycles)


def _own_axes(*, height: float = 4.2) -> Axes:
    return _own_figure(7.6, height).subplots()


def _own_figure(width: float, height: float) -> Figure:
    # Only where a figure is made here: axes that are handed in need no pyplot.
    from matplotlib import pyplot

    return pyplot.figure(figsize=(width, height), layout="constrained")


def _name(axes: Axes, *, x: str, y: str) -> None:
    axes.set_xlabel(_shown(x, length=100), parse_math=False)
    axes.set_ylabel(_shown(y, length=100), parse_math=False)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_legend(axes: Axes, entries: Sequence[tuple[str, _Look]], *, outside: bool) -> None:
    handles = [_handle(look) for _, look in entries]
    if outside:
        legend = axes.legend(
            handles, [""] * len(handles), loc="upper left", bbox_to_anchor=(1, 1), frameon=False
        )
    else:
        legend = axes.legend(handles, [""] * len(handles), loc="best", fontsize="small")
    _write(legend, entries)


def _write(legend: Any, entries: Sequence[tuple[str, _Look]]) -> None:
    # Set afterwards: a legend leaves out labels that begin with an underscore, as ids may.
    for text, (label, _) in zip(legend.get_texts(), entries, strict=True):
        text.set_parse_math(False)
        text.set_text(label)


def _handle(look: _Look) -> Line2D:
    return Line2D(
        [],
        [],
        color=look.colour,
        marker=look.marker,
        linestyle=look.line,
        linewidth=8 if look.colour == BAND else 2,
        markersize=6,
        markeredgewidth=2 if look.marker == "x" else 0,
    )


def _label_text(label: Hashable) -> str:
    parts = label if isinstance(label, tuple) else (label,)
    return _shown(", ".join(str(part) for part in parts))


def _shown(text: str, *, length: int = NAME_LENGTH) -> str:
    """Make a name visible in one line, and cut it."""
    cut = text if len(text) <= length else f"{text[: length - 1]}…"
    return visible(cut.translate(_CONTROLS))
