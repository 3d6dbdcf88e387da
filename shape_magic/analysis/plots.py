"""Pictures of scores and shape: matplotlib axes in and out, readable in grey.

What tells rounds or agents apart is never a colour alone: markers and line styles go along. Ids
are made visible, and they are no formulas: a `$` in one is a dollar.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from shape_magic.analysis.columns import (
    attribute_names,
    column,
    rows_by_round,
    rows_of,
    within_names,
)
from shape_magic.analysis.estimates import SMALLEST_ROUND
from shape_magic.analysis.looks import (
    BAND,
    COLOURS,
    GREY,
    Entries,
    Look,
    bounded,
    draw_figure_legend,
    draw_legend,
    label_text,
    looks,
    name_axes,
    shown,
)
from shape_magic.analysis.results import Correlations, Estimate
from shape_magic.errors import ArgumentError
from shape_magic.vocabulary import ATTRIBUTE_NAMES

__all__ = ["plot_attribute", "plot_attributes", "plot_coefficients", "plot_score"]

Floats = NDArray[np.float64]


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
    for (label, rows), cycled in zip(rows_by_round(frame, within).items(), looks(), strict=False):
        look = Look(cycled.colour, cycled.marker, "-", width=1.5)
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
            _draw_trend(axes, values[chosen], scores[chosen], look)
        drawn.append((f"round {label_text(label)}", look))
    pooled = Look("black", line=(0, (5, 2)), width=2.8)
    entries = bounded(drawn, what="rounds")
    if _draw_trend(axes, values[complete], scores[complete], pooled):
        entries.append(("pooled", pooled))
    name_axes(axes, x=attribute, y=score)
    draw_legend(axes, entries, outside=ax is None)
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
    a_round, mean, pooled = Look(GREY, "o"), Look(COLOURS[0], "D"), Look(COLOURS[1], "x")
    interval = Look(BAND, line="-", width=8)
    axes.axvline(0, color="black", linewidth=0.8, zorder=1)
    for height, (one, estimate) in enumerate(found):
        _draw_strip(axes, height, estimate, a_round=a_round, mean=mean, interval=interval)
        if one.pooled is not None and not controlled:
            axes.plot([one.pooled], [height], color=pooled.colour, marker="x", markersize=8,
                      markeredgewidth=2.2, linestyle="", zorder=5)  # fmt: skip
    names = [shown(one.attribute) for one, _ in found]
    axes.set_yticks(range(len(names)), names, parse_math=False)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlim(-1.05, 1.05)
    given = f", {result.control} taken out" if controlled else ""
    name_axes(axes, x=f"Spearman coefficient with {result.score}{given}", y="")
    entries = [("a round", a_round), ("mean of rounds", mean)]
    if any(estimate.interval for _, estimate in found):
        entries.append((f"{100 * result.confidence:g} % interval of the mean", interval))
    if not controlled:
        entries.append(("pooled", pooled))
    draw_legend(axes, entries, outside=ax is None)
    return axes


def plot_attribute(
    frame: pd.DataFrame,
    attribute: str,
    *,
    within: str | Sequence[str] = "round",
    ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """Plot an attribute over the rounds, a line an agent.

    Where an agent did not propose in a round, its line has a gap. `within` names the column, or
    columns, that tell rounds apart: the last one numbers them, and for each value of the others
    an agent has a line of its own, as with within=["deliberation", "round"].
    """
    axes = _own_axes() if ax is None else ax
    entries = _draw_attribute(axes, frame, attribute, within=within)
    if legend:
        draw_legend(axes, entries, outside=ax is None)
    return axes


def plot_attributes(
    frame: pd.DataFrame,
    *,
    attributes: str | Sequence[str] = ATTRIBUTE_NAMES,
    within: str | Sequence[str] = "round",
    axes: Sequence[Axes] | None = None,
) -> list[Axes]:
    """Plot several attributes over the rounds, each on axes of its own, by default all eight.

    `within` is that of `plot_attribute`.
    """
    attributes = attribute_names(attributes)
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
            raise ArgumentError(
                f"{len(attributes)} attributes need as many axes, not {len(chosen)}"
            )
    entries: Entries = []
    for one, attribute in zip(chosen, attributes, strict=True):
        entries = _draw_attribute(one, frame, attribute, within=within)
    if axes is None:
        figure = chosen[0].figure
        assert isinstance(figure, Figure)
        draw_figure_legend(figure, entries)
    else:
        draw_legend(chosen[0], entries, outside=False)
    return chosen


def _draw_attribute(
    axes: Axes, frame: pd.DataFrame, attribute: str, *, within: str | Sequence[str]
) -> Entries:
    *apart, numbering = within_names(within)
    # For its checks: a line has one point a round, and every point has a round.
    rows_by_round(frame, within)
    values, rounds = column(frame, attribute), column(frame, numbering)
    drawn = []
    lines = rows_of(frame, [*apart, "agent_id"])
    for (agent_id, rows), look in zip(lines.items(), looks(), strict=False):
        ordered = rows[np.argsort(rounds[rows], kind="stable")]
        numbers, heights = rounds[ordered], values[ordered]
        gaps = np.flatnonzero(np.diff(numbers) > 1) + 1
        numbers = np.insert(numbers, gaps, numbers[gaps - 1] + 1)
        axes.plot(numbers, np.insert(heights, gaps, np.nan), color=look.colour, marker=look.marker,
                  linestyle=look.line, linewidth=1.6, markersize=5)  # fmt: skip
        drawn.append((label_text(agent_id), look))
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True, min_n_ticks=1))
    axes.yaxis.set_major_locator(MaxNLocator(6, integer=True, min_n_ticks=1))
    name_axes(axes, x=numbering, y=attribute)
    return bounded(drawn, what="agents")


def _draw_strip(
    axes: Axes, height: int, estimate: Estimate, *, a_round: Look, mean: Look, interval: Look
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
            linewidth=interval.width,
            solid_capstyle="butt",
            zorder=2,
        )
    axes.plot([estimate.coefficient], [height], color=mean.colour, marker=mean.marker,
              markersize=8, markeredgecolor="white", linestyle="", zorder=4)  # fmt: skip


def _draw_trend(axes: Axes, values: Floats, scores: Floats, look: Look) -> bool:
    """Draw a least-squares line over the values' range; False where there is none to draw."""
    if len(values) < 2 or np.ptp(values) == 0:
        return False
    ends = np.array([values.min(), values.max()])
    axes.plot(ends, np.polynomial.Polynomial.fit(values, scores, 1)(ends), color=look.colour,
              linestyle=look.line, linewidth=look.width, zorder=2)  # fmt: skip
    return True


def _own_axes(*, height: float = 4.2) -> Axes:
    return _own_figure(7.6, height).subplots()


def _own_figure(width: float, height: float) -> Figure:
    # Only where a figure is made here: axes that are handed in need no pyplot.
    from matplotlib import pyplot

    return pyplot.figure(figsize=(width, height), layout="constrained")
