"""Who is ahead once shape is taken out: agents ranked, raw and adjusted."""

from collections.abc import Hashable
from typing import Any

import msgspec
import numpy as np
import pandas as pd
from scipy import special, stats

from shape_magic.analysis.cr2 import Effects, Floats
from shape_magic.analysis.frame import Columns, Rows, figures, read_rows, term
from shape_magic.analysis.report import Result, name_of, points, span
from shape_magic.analysis.slope import (
    CAUTION,
    FOLLOWING,
    behind,
    checked_confidence,
    slope_of,
    unusable,
)
from shape_magic.errors import FrameError
from shape_magic.report import Report
from shape_magic.wording import one_line, quoted

__all__ = ["Ranking", "Standing", "ranking"]


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """Where one agent stands."""

    agent: Hashable
    place: int
    """By the adjusted figure, or the raw one where there is none; 1 is first."""
    raw: float
    """Its mean score after evaluators' severities; of preferences, its win rate in percent."""
    adjusted: float | None
    """The same as if its texts were of the field's length; of preferences, the baseline's."""
    interval: tuple[float, float] | None
    """Of the adjusted figure, over more rounds like these."""
    rows: int


class Ranking(Result, frozen=True, kw_only=True):
    """Agents ranked with shape taken out, best first."""

    score: str
    attribute: str
    verdict: str
    slope: float | None = None
    """What is taken out, in points per unit of the attribute; of preferences, in logits."""
    standings: tuple[Standing, ...] = ()

    def _report(self) -> Report:
        cells = [
            [f"{each.place}. {name_of(each.agent)}", f"{each.raw:.1f}",
             "" if each.adjusted is None else f"{each.adjusted:.1f}", span(each.interval)]
            for each in self.standings
        ]  # fmt: skip
        return Report(
            f"{one_line(self.score)}: {self.agents} agents, {one_line(self.attribute)} taken out",
            ["", "raw", "adjusted", f"{100 * self.confidence:g} %"],
            cells,
            [self.verdict, *behind(self), CAUTION],
        )

    def _figures(self) -> list[dict[str, Any]]:
        rows = []
        for each in self.standings:
            row = msgspec.structs.asdict(each)
            row["low"], row["high"] = row.pop("interval") or (None, None)
            rows.append(row)
        return rows


def ranking(
    frame: pd.DataFrame,
    *,
    attribute: str = "chars",
    score: str = "conciseness",
    baseline: str | None = None,
    arm: str | None = None,
    columns: Columns = Columns(),  # noqa: B008
    confidence: float = 0.95,
) -> Ranking:
    """Rank agents by their scores, raw and with an attribute's part taken out.

    Adjusted is raw less slope times how far the agent's mean of the attribute lies from the
    field's. Intervals are a jackknife's over rounds with t; none where rounds follow one another.

    With `baseline`, a column of the baseline answer's chars, the score is a preference of 0 to 1
    against that answer, and the attribute is `chars`: a logit with effects of rounds and agents
    and tanh of the difference in length over its standard deviation, as in length-controlled
    AlpacaEval (Dubois et al. 2024), but with one slope for all. Adjusted are the win rates (in
    percent) at equal length. FrameError where a preference lies outside 0 to 1.
    """
    confidence = checked_confidence(confidence)
    taken = attribute
    if baseline is not None:
        taken = "chars over the baseline's"
        frame = frame.assign(**{taken: figures(frame, "chars") - figures(frame, baseline)})
    unit = term(frame, taken).unit
    rows = read_rows(frame, score, [taken], columns=columns, arm=arm)
    if baseline is not None and ((rows.scores < 0) | (rows.scores > 1)).any():
        raise FrameError(f"the column {quoted(score)} holds what is no preference of 0 to 1")
    counts = [len(labels) for labels in rows.labels]
    result = Ranking(score=score, attribute=attribute, verdict="", confidence=confidence,
                     rounds=counts[0], agents=counts[1], evaluators=counts[2],
                     rows=len(rows.scores), notes=rows.notes)  # fmt: skip
    if baseline is not None and len(rows.scores):
        longer = rows.values[taken]
        squeezed = np.tanh(longer / (longer.std() or 1.0))
        rows = msgspec.structs.replace(rows, values={taken: squeezed})
        unit = "per tanh of a standard deviation of length"
    found = slope_of(rows, taken, score=score, unit=unit, confidence=confidence)
    if unusable(rows, score):
        return msgspec.structs.replace(result, verdict=found.verdict)
    slope, without, why = None, None, ""
    adjusted: Floats | None = None
    values = rows.values[taken]
    if found.points is None or counts[0] == 1:
        raw = rows.scores.mean() + Effects(rows.groups, rows.agents).of_agents(rows.scores)
        verdict = found.verdict
    elif baseline is None:
        slope, raw, adjusted, without = _linear(rows, values)
        verdict = f"{points(slope)} points {unit} taken out"
    else:
        slope, raw, adjusted, without = _logit(rows, values)
        verdict = f"{points(slope)} logits {unit} taken out"
    if adjusted is not None:
        verdict += f" ({found.verdict}); "
        why = "intervals are for more rounds of these agents"
        if found.these_agents is None:
            without, why = None, f"no interval: {found.verdict.removeprefix('no verdict: ')}"
        elif found.following_p is not None and found.following_p < FOLLOWING:
            without, why = None, "no interval: rounds follow one another"
    standings = _standings(rows, raw, adjusted, _reach(without, confidence))
    return msgspec.structs.replace(result, standings=standings, slope=slope, verdict=verdict + why)


def _reach(without: Floats | None, confidence: float) -> Floats | None:
    """Give how far the jackknife's intervals reach, from the estimates without each round."""
    if without is None:
        return None
    rounds = len(without)
    squares = ((without - without.mean(axis=0)) ** 2).sum(axis=0)
    t = float(stats.t.ppf((1 + confidence) / 2, rounds - 1))
    return np.asarray(t * np.sqrt(squares * (rounds - 1) / rounds))


def _standings(
    rows: Rows, raw: Floats, adjusted: Floats | None, reach: Floats | None
) -> tuple[Standing, ...]:
    figures = raw if adjusted is None else adjusted
    standings = []
    for place, agent in enumerate(np.argsort(-figures, kind="stable"), 1):
        figure, interval = float(figures[agent]), None
        if reach is not None and not np.isnan(reach[agent]):
            interval = (figure - float(reach[agent]), figure + float(reach[agent]))
        standings.append(
            Standing(
                agent=rows.labels[1][agent],
                place=place,
                raw=float(raw[agent]),
                adjusted=None if adjusted is None else figure,
                interval=interval,
                rows=int((rows.agents == agent).sum()),
            )
        )
    return tuple(standings)


def _linear(rows: Rows, values: Floats) -> tuple[float, Floats, Floats, Floats]:
    """Give the slope, agents' means raw and adjusted, and adjusted without each round.

    All of it comes from sums of products within groups, which add up over rounds.
    """
    groups, agents = rows.groups, len(rows.labels[1])
    columns = np.column_stack([np.eye(agents)[rows.agents], values, rows.scores])
    columns = Effects(groups, None).taken_out(columns)
    order = np.argsort(rows.rounds, kind="stable")
    parts = np.split(columns[order], np.cumsum(np.bincount(rows.rounds))[:-1])
    products = np.stack([part.T @ part for part in parts])
    whole = products.sum(axis=0)
    level = float(rows.scores.mean())
    slope, raw, adjusted = _solved(whole[None])
    with np.errstate(divide="ignore", invalid="ignore"):
        _, _, without = _solved(whole - products)
    return float(slope[0]), level + raw[0], level + adjusted[0], level + without


def _solved(products: Floats) -> tuple[Floats, Floats, Floats]:
    """Solve for slope and agents' effects, raw and adjusted, from stacked sums of products.

    An agent that a stack does not have gets NaN.
    """
    within, sides = products[:, :-2, :-2], products[:, :-2, -2:]
    own = np.linalg.pinv(within, rcond=1e-9, hermitian=True) @ sides
    left = products[:, -2, -2:] - (sides[:, :, :1] * own).sum(axis=1)
    slope = left[:, 1] / left[:, 0]
    missing = np.einsum("raa->ra", within) <= 1e-9 * np.abs(within).max()
    raw = np.where(missing, np.nan, own[:, :, 1])
    return slope, raw, raw - slope[:, None] * own[:, :, 0]


def _logit(rows: Rows, longer: Floats) -> tuple[float, Floats, Floats, Floats]:
    """Give the slope and win rates in percent, raw and at equal length, and without each round.

    A round's effect is drawn to 0 by a tenth of an observation, so that a round that all win has
    one; the jackknife takes one step of Newton's from the whole solution.
    """
    shape = len(rows.labels[0]), len(rows.labels[1])
    cells, last = (rows.rounds, rows.agents), shape[1]
    in_rounds, effects = np.zeros(shape[0]), np.zeros(last + 1)
    for _ in range(100):
        fitted = special.expit(
            in_rounds[rows.rounds] + effects[rows.agents] + effects[last] * longer
        )
        weights = np.maximum(fitted * (1 - fitted), 1e-9)
        left = rows.scores - fitted
        table, slopes = np.zeros((2, *shape)), np.zeros((3, shape[0]))
        np.add.at(table[0], cells, weights)
        np.add.at(table[1], cells, left)
        for row, column in enumerate((weights * longer, weights * longer**2, left * longer)):
            slopes[row] = np.bincount(rows.rounds, column, shape[0])
        across = np.bincount(rows.agents, weights * longer, last)
        crossed = np.column_stack([table[0], slopes[0]])
        widths = crossed[:, :last].sum(axis=1) + 0.1
        inner = np.diag(np.append(table[0].sum(axis=0), slopes[1].sum()))
        inner[last, :last] = inner[:last, last] = across
        pulls = np.column_stack([table[1], slopes[2]])
        pulled = table[1].sum(axis=1) - 0.1 * in_rounds
        bread = np.linalg.pinv(inner - crossed.T @ (crossed / widths[:, None]), hermitian=True)
        step = bread @ (pulls.sum(axis=0) - crossed.T @ (pulled / widths))
        round_step = (pulled - crossed @ step) / widths
        scale = min(1.0, 3 / max(1e-9, np.abs(step).max(), np.abs(round_step).max()))
        effects, in_rounds = effects + scale * step, in_rounds + scale * round_step
        if max(np.abs(step).max(), np.abs(round_step).max()) < 1e-8:
            break
    wins = 100 * special.expit(in_rounds[:, None] + effects[:last])
    adjusted = wins.mean(axis=0)
    # Without a round its own pull on the shared coefficients is gone.
    moved = -pulls @ bread
    rates = wins * (1 - wins / 100)
    carried = (moved[:, :last] * rates.sum(axis=0)) - moved @ (crossed / widths[:, None]).T @ rates
    without = (shape[0] * adjusted - wins + carried) / (shape[0] - 1)
    counts = np.bincount(rows.agents, minlength=last)
    raw = 100 * np.bincount(rows.agents, rows.scores, last) / counts
    return float(effects[last]), raw, adjusted, without
