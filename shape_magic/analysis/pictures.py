"""Pictures of results: matplotlib axes in and out, readable in grey, with six rounds or with 100.

Ids are made visible, and they are no formulas: a `$` in one is a dollar.
"""

from collections.abc import Hashable, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator
from scipy import stats

from shape_magic.analysis.arms import Comparison
from shape_magic.analysis.attributes import Parts
from shape_magic.analysis.cr2 import Floats
from shape_magic.analysis.frame import Columns, Rows, read_rows, term
from shape_magic.analysis.reliability import Evaluators, Mean
from shape_magic.analysis.slope import slope_of
from shape_magic.analysis.standings import Ranking
from shape_magic.errors import ArgumentError
from shape_magic.wording import one_line

__all__ = ["plot_arms", "plot_effects", "plot_evaluators", "plot_ranking",
           "plot_rounds", "plot_slope"]  # fmt: skip

# Two of Okabe and Ito's colours, which the colour-blind tell apart, and greys.
BLUE: Final = "#0072B2"
ORANGE: Final = "#D55E00"
GREY: Final = "0.35"
PALE: Final = "0.72"

# matplotlib's font has no pictures of controls, which symbols elsewhere are.
_CONTROLS: Final = {code: f"[U+{code:04X}]" for code in (*range(0x20), 0x7F)}


def plot_slope(
    frame: pd.DataFrame,
    attribute: str = "chars",
    *,
    score: str = "conciseness",
    arm: str | None = None,
    columns: Columns = Columns(),  # noqa: B008
    ax: Axes | None = None,
) -> Axes:
    """Plot proposals, each round's own line, the estimated slope, and the line through all points.

    Where the dashed line through all points runs against the others, what differs between rounds
    hides what happens within them (Simpson's paradox).
    """
    axes = _own_axes() if ax is None else ax
    rows = read_rows(frame, score, [attribute], columns=columns, arm=arm)
    values, scores, rounds = _proposals(rows, attribute)
    axes.plot(values, scores, "o", color=GREY, markersize=4, markeredgewidth=0, alpha=0.6)
    for number in range(len(rows.labels[0])):
        mine = rounds == number
        _line(axes, values[mine], scores[mine], color=PALE, linewidth=0.9, zorder=1)
    handles = [*axes.lines[1:2]]
    labels = ["a round's own line"] if handles else []
    unit = term(frame, attribute).unit
    found = slope_of(rows, attribute, score=score, unit=unit, confidence=0.95)
    if found.points is not None:
        ends = np.array([values.min(), values.max()])
        heights = scores.mean() + found.points * (ends - values.mean())
        handles += axes.plot(ends, heights, color=BLUE, linewidth=3)
        labels.append(f"slope within rounds: {found.points:+.3g} {unit}")
    pooled = _line(axes, values, scores, color="black", linestyle="--", linewidth=1.8)
    handles, labels = [*handles, *pooled], [*labels, *["through all points"] * len(pooled)]
    name = attribute
    if attribute == "chars":
        axes.xaxis.set_major_formatter(FuncFormatter(lambda power, _: f"{2**power:,.0f}"))
        name = "chars (each step multiplies)"
    _name_axes(axes, name, score)
    if handles:
        axes.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=3,
                    frameon=False, fontsize="small")  # fmt: skip
    return axes


def plot_rounds(
    frame: pd.DataFrame,
    attribute: str = "chars",
    *,
    score: str = "conciseness",
    arm: str | None = None,
    columns: Columns = Columns(),  # noqa: B008
    ax: Axes | None = None,
) -> Axes:
    """Plot Spearman's coefficient of score and attribute in each round, as points and no more.

    Rounds of the same agents are no independent witnesses, so there is no test of these points.
    A round of fewer than three, or in which either is the same for all, has none.
    """
    axes = _own_axes(height=3.2) if ax is None else ax
    rows = read_rows(frame, score, [attribute], columns=columns, arm=arm)
    values, scores, rounds = _proposals(rows, attribute)
    found = []
    for number in range(len(rows.labels[0])):
        sides = values[rounds == number], scores[rounds == number]
        if len(sides[0]) >= 3 and all(np.ptp(side) > 0 for side in sides):
            found.append((number, float(stats.spearmanr(*sides).statistic)))
    axes.axhline(0, color="black", linewidth=0.8)
    if found:
        axes.plot(*zip(*found, strict=True), "o", color=BLUE, markersize=5, markeredgewidth=0)
    axes.set_ylim(-1.08, 1.08)
    _name_places(axes.xaxis, rows.labels[0])
    _name_axes(axes, "round", f"Spearman, {attribute}")
    return axes


def plot_effects(result: Parts, *, ax: Axes | None = None) -> Axes:
    """Plot each attribute's points for as much as it varies, with the widest interval.

    Units differ, so each slope is taken times its attribute's standard deviation within rounds
    and agents. An attribute without a slope says why.
    """
    axes = _own_axes(height=1.4 + 0.45 * len(result.parts)) if ax is None else ax
    axes.axvline(0, color="black", linewidth=0.8, zorder=1)
    for height, part in enumerate(result.parts):
        if part.points is None:
            text = part.verdict.removeprefix("no verdict: ")
            axes.text(0, height, f" {text}", va="center", style="italic", fontsize="small",
                      parse_math=False)  # fmt: skip
            continue
        interval = part.agents_like_these or part.these_agents
        shown = not part.verdict.startswith("no")
        bounds = interval.bounds if interval else None
        _mark(axes, height, part.points * part.varies, bounds, factor=part.varies, filled=shown)
    _name_heights(axes, [part.attribute for part in result.parts])
    _name_axes(
        axes, f"points of {result.score} for what an attribute varies by (filled: shown)", ""
    )
    return axes


def plot_arms(result: Comparison, *, ax: Axes | None = None) -> Axes:
    """Plot each round's mean in both arms as a pair with a line, and the mean over rounds.

    What both arms have in common in a round is taken out, so that a change is seen beside it.
    """
    axes = _own_axes(width=4.6) if ax is None else ax
    pairs = np.array([means[1:] for means in result.means]).reshape(-1, 2)
    pairs = pairs - pairs.mean(axis=1, keepdims=True)
    strength = min(1.0, 0.25 + 6 / max(1, len(pairs)))
    for pair in pairs:
        axes.plot((0, 1), pair, "o-", color=GREY, linewidth=0.9, markersize=3.5, alpha=strength)
    if len(pairs):
        axes.plot((0, 1), pairs.mean(axis=0), "D-", color=BLUE, linewidth=3, markersize=8,
                  label="mean over rounds")  # fmt: skip
        axes.legend(frameon=False, fontsize="small")
    names = [_written(arm) for arm in (result.first, result.second)]
    axes.set_xticks((0, 1), names, parse_math=False)
    axes.set_xlim(-0.25, 1.25)
    _name_axes(axes, "", f"{result.score} beside the mean of both, a line a round")
    return axes


def plot_evaluators(result: Evaluators, *, axes: Sequence[Axes] | None = None) -> list[Axes]:
    """Plot each evaluator's severity, agreement and slope with their intervals, side by side."""
    if axes is None:
        height = 1.4 + 0.4 * max(1, len(result.judged))
        axes = list(_own_figure(9.5, height).subplots(1, 3, sharey=True))
    if len(axes) != 3:
        raise ArgumentError(f"evaluators are drawn on 3 axes, not on {len(axes)}")
    titles = ("severity", "agreement", f"slope {result.unit}")
    for panel, title in zip(axes, titles, strict=True):
        panel.axvline(0, color="black", linewidth=0.8, zorder=1)
        for height, judged in enumerate(result.judged):
            mean: Mean | None = getattr(judged, title.split()[0])
            if mean is not None:
                _mark(panel, height, mean.value, mean.interval)
        _name_axes(panel, title, "")
    _name_heights(axes[0], [judged.evaluator for judged in result.judged])
    return list(axes)


def plot_ranking(result: Ranking, *, ax: Axes | None = None) -> Axes:
    """Plot each agent's raw figure (hollow) and its adjusted one (filled), best first."""
    axes = _own_axes(height=1.6 + 0.26 * len(result.standings)) if ax is None else ax
    for height, each in enumerate(result.standings):
        adjusted = each.raw if each.adjusted is None else each.adjusted
        axes.plot((each.raw, adjusted), (height, height), color=PALE, linewidth=1.2, zorder=1)
        axes.plot([each.raw], [height], "o", color=ORANGE, markerfacecolor="white", zorder=3,
                  label="raw" if height == 0 else None)  # fmt: skip
        _mark(axes, height, adjusted, each.interval,
              label=f"{result.attribute} taken out" if height == 0 else None)  # fmt: skip
    _name_heights(axes, [each.agent for each in result.standings])
    _name_axes(axes, result.score, "")
    if result.standings:
        axes.legend(frameon=False, fontsize="small", loc="best")
    return axes


def _proposals(rows: Rows, attribute: str) -> tuple[Any, ...]:
    """Give each proposal's value, score and round, evaluators averaged."""
    cells = rows.rounds * len(rows.labels[1]) + rows.agents
    _, first, places = np.unique(cells, return_index=True, return_inverse=True)
    scores = np.bincount(places, rows.scores) / np.bincount(places)
    values = rows.values[attribute][first]
    finite = np.isfinite(values) & np.isfinite(scores)
    return values[finite], scores[finite], rows.rounds[first][finite]


def _line(axes: Axes, values: Floats, scores: Floats, **look: Any) -> list[Any]:
    """Draw a least-squares line over the values' range, where there is one."""
    if len(values) < 2 or np.ptp(values) == 0:
        return []
    ends = np.array([values.min(), values.max()])
    return axes.plot(ends, np.polynomial.Polynomial.fit(values, scores, 1)(ends), **look)


def _mark(
    axes: Axes,
    height: int,
    value: float,
    interval: tuple[float, float] | None,
    *,
    factor: float = 1,
    filled: bool = True,
    label: str | None = None,
) -> None:
    if interval is not None:
        axes.plot([end * factor for end in interval], (height, height), color=BLUE, linewidth=1.6)
    axes.plot([value], [height], "D", color=BLUE, markerfacecolor=BLUE if filled else "white",
              markersize=6, zorder=4, label=label)  # fmt: skip


def _written(label: Hashable, *, length: int = 24) -> str:
    """Write what others named in one visible line; a tuple's parts with commas."""
    parts = label if isinstance(label, tuple) else (label,)
    text = ", ".join(str(part) for part in parts)
    cut = text if len(text) <= length else f"{text[: length - 1]}…"
    return one_line(cut.translate(_CONTROLS))


def _name_axes(axes: Axes, x: str, y: str) -> None:
    axes.set_xlabel(_written(x, length=100), parse_math=False)
    axes.set_ylabel(_written(y, length=60), parse_math=False)
    axes.spines[["top", "right"]].set_visible(False)


def _name_heights(axes: Axes, names: Sequence[Hashable]) -> None:
    axes.set_yticks(range(len(names)), [_written(name) for name in names], parse_math=False)
    axes.set_ylim(len(names) - 0.4, -0.6)


def _name_places(axis: Any, labels: Sequence[Hashable]) -> None:
    """Name rounds under their places, as many as there is room for."""

    def named(place: float, _: int | None) -> str:
        number = int(place)
        return _written(labels[number]) if place == number and 0 <= number < len(labels) else ""

    axis.set_major_locator(MaxNLocator(6, integer=True, min_n_ticks=1))
    axis.set_major_formatter(FuncFormatter(named))


def _own_axes(*, width: float = 7.6, height: float = 4.2) -> Axes:
    return _own_figure(width, height).subplots()


def _own_figure(width: float, height: float) -> Figure:
    # Only where a figure is made here: axes that are handed in need no pyplot.
    from matplotlib import pyplot

    return pyplot.figure(figsize=(width, height), layout="constrained")
