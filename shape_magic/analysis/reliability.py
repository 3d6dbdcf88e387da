"""Can an evaluator be relied on: severity, agreement, noise, its slope, and the effect of place."""

from collections.abc import Hashable
from typing import Any

import msgspec
import numpy as np
import pandas as pd
from scipy import stats

from shape_magic.analysis.cr2 import Floats
from shape_magic.analysis.frame import Columns, Rows, read_rows, term
from shape_magic.analysis.report import Result, name_of, points, span
from shape_magic.analysis.slope import FEWEST_ROUNDS, behind, checked_confidence, slope_of
from shape_magic.report import Report
from shape_magic.wording import one_line

__all__ = ["Evaluator", "Evaluators", "Mean", "evaluators"]


class Mean(msgspec.Struct, frozen=True):
    """A mean over rounds, with its interval by t over them (None under six)."""

    value: float
    interval: tuple[float, float] | None
    rounds: int


class Evaluator(msgspec.Struct, frozen=True, kw_only=True):
    """One evaluator beside the others; None where the frame cannot say."""

    evaluator: Hashable
    rows: int
    severity: Mean | None
    """Its scores less the others' of the same texts: below 0 it is stricter."""
    agreement: Mean | None
    """Its mean rank correlation with each other evaluator within rounds, -1 to 1."""
    noise: float | None
    """The standard deviation of its scores of one text over trials."""
    retest: float | None
    """The share of its scores' variance within rounds that is not noise."""
    slope: Mean | None
    """Points per unit of the attribute; the interval is for these agents."""
    place: Mean | None
    """Points per place further down the prompt."""


class Evaluators(Result, frozen=True, kw_only=True):
    """Each evaluator beside the others."""

    score: str
    attribute: str
    unit: str
    verdict: str
    judged: tuple[Evaluator, ...] = ()

    def _report(self) -> Report:
        cells = [
            [
                name_of(each.evaluator),
                *(_mean(mean) for mean in (each.severity, each.agreement)),
                "" if each.noise is None else f"{each.noise:.3g}",
                "" if each.retest is None else f"{each.retest:.2f}",
                *(_mean(mean) for mean in (each.slope, each.place)),
            ]
            for each in self.judged
        ]
        head = ["", "severity", "agreement", "noise", "retest", f"slope {self.unit}", "per place"]
        return Report(
            f"{one_line(self.score)}: {self.evaluators} evaluators", head, cells,
            [self.verdict, *behind(self)],
        )  # fmt: skip

    def _figures(self) -> list[dict[str, Any]]:
        rows = []
        for each in self.judged:
            row = msgspec.structs.asdict(each)
            for name in ("severity", "agreement", "slope", "place"):
                mean: Mean | None = row.pop(name)
                low, high = (mean and mean.interval) or (None, None)
                row |= {name: mean and mean.value, f"{name}_low": low, f"{name}_high": high,
                        f"{name}_rounds": mean and mean.rounds}  # fmt: skip
            rows.append(row)
        return rows


def evaluators(
    frame: pd.DataFrame,
    *,
    attribute: str = "chars",
    score: str = "conciseness",
    arm: str | None = None,
    columns: Columns = Columns(),  # noqa: B008
    confidence: float = 0.95,
) -> Evaluators:
    """Describe each evaluator beside the others: intervals, and no tests.

    Severity and agreement come from texts that others scored too, noise and retest from trials,
    the effect of place from prompts whose order was random and kept. A difference of two slopes
    wants some 30 rounds before it says anything.
    """
    unit = term(frame, attribute).unit
    confidence = checked_confidence(confidence)
    rows = read_rows(frame, score, [attribute], columns=columns, arm=arm)
    rounds, agents, count = (len(labels) for labels in rows.labels)
    result = Evaluators(
        score=score,
        attribute=attribute,
        unit=unit,
        verdict="",
        rounds=rounds,
        agents=agents,
        evaluators=count,
        rows=len(rows.scores),
        confidence=confidence,
        notes=rows.notes,
    )
    if not len(rows.scores) or np.isinf(rows.scores).any():
        why = "scores are infinite" if len(rows.scores) else f"no row has {one_line(score)}"
        return msgspec.structs.replace(result, verdict=f"no verdict: {why}")
    table = _table(rows)
    judged = tuple(_described(rows, table, number, unit, score, confidence)
                   for number in range(count))  # fmt: skip
    verdict = "no verdict: intervals describe; a difference of slopes wants 30 rounds"
    if count == 1:
        verdict = "no verdict: a single evaluator, so nobody to hold it against"
    elif all(each.severity is None for each in judged):
        verdict = "no verdict: no text was scored by two evaluators"
    elif rounds < FEWEST_ROUNDS:
        verdict = f"no verdict: {rounds} rounds, and intervals take {FEWEST_ROUNDS}"
    return msgspec.structs.replace(result, judged=judged, verdict=verdict)


def _described(
    rows: Rows, table: Floats, number: int, unit: str, score: str, confidence: float
) -> Evaluator:
    own, others = table[number], np.delete(table, number, axis=0)
    known, own_known = ~np.isnan(others), ~np.isnan(own)
    counts = known.sum(axis=0)
    sums = np.where(known, others, 0).sum(axis=0)
    both = own_known & (counts > 0)
    beside = own - sums / np.maximum(counts, 1)
    severity = [float(mean[there].mean()) for mean, there in zip(beside, both, strict=True)
                if there.any()]  # fmt: skip
    agreement = []
    for mine_there, theirs in zip(own, np.moveaxis(others, 1, 0), strict=True):
        ranks = [rank for other in theirs if (rank := _rank(mine_there, other)) is not None]
        if ranks:
            agreement.append(float(np.mean(ranks)))
    mine = rows.chosen(rows.evaluators == number)
    (attribute,) = rows.values
    noise, retest = _retested(rows, mine, number)
    return Evaluator(
        evaluator=rows.labels[2][number],
        rows=len(mine.scores),
        severity=_over_rounds(severity, confidence),
        agreement=_over_rounds(agreement, confidence),
        noise=noise,
        retest=retest,
        slope=_slope(mine, attribute, score, unit, confidence),
        place=_place(mine, score, confidence),
    )


def _table(rows: Rows) -> Floats:
    """Give scores by evaluator, round and agent, NaN where there is none."""
    rounds, agents, count = (len(labels) for labels in rows.labels)
    table = np.full((count, rounds, agents), np.nan)
    table[rows.evaluators, rows.rounds, rows.agents] = rows.scores
    return table


def _rank(one: Floats, other: Floats) -> float | None:
    """Give Spearman's coefficient of two evaluators in a round; None where it has none."""
    both = ~np.isnan(one) & ~np.isnan(other)
    if both.sum() < 3 or np.ptp(one[both]) == 0 or np.ptp(other[both]) == 0:
        return None
    ranks = [stats.rankdata(side[both]) for side in (one, other)]
    return float(np.corrcoef(*ranks)[0, 1])


def _over_rounds(values: list[float], confidence: float) -> Mean | None:
    if not values:
        return None
    mean, rounds, interval = float(np.mean(values)), len(values), None
    if rounds >= FEWEST_ROUNDS:
        error = float(np.std(values, ddof=1)) / rounds**0.5
        reach = float(stats.t.ppf((1 + confidence) / 2, rounds - 1)) * error
        interval = (mean - reach, mean + reach)
    return Mean(mean, interval, rounds)


def _retested(rows: Rows, mine: Rows, number: int) -> tuple[float | None, float | None]:
    pieces = [piece for evaluator, piece in rows.retests if evaluator == number]
    freedom = sum(len(piece) - 1 for piece in pieces)
    if not freedom:
        return None, None
    noise = sum(float(((piece - piece.mean()) ** 2).sum()) for piece in pieces) / freedom
    trials = float(np.mean([len(piece) for piece in pieces]))
    counts = np.bincount(mine.rounds)
    centred = mine.scores - (np.bincount(mine.rounds, mine.scores) / counts)[mine.rounds]
    spare = len(centred) - len(counts)
    # What scores averaged over trials vary by has one trials-th of the noise in it.
    between = float((centred**2).sum()) / spare - noise / trials if spare else 0.0
    total = max(between, 0.0) + noise
    return noise**0.5, max(between, 0.0) / total if total else None


def _slope(rows: Rows, attribute: str, score: str, unit: str, confidence: float) -> Mean | None:
    found = slope_of(rows, attribute, score=score, unit=unit, confidence=confidence)
    if found.points is None:
        return None
    near = found.these_agents
    return Mean(found.points, near.bounds if near else None, found.rounds)


def _place(rows: Rows, score: str, confidence: float) -> Mean | None:
    if np.isnan(rows.places).any():
        return None
    placed = msgspec.structs.replace(rows, values={"place": rows.places})
    return _slope(placed, "place", score, "per place", confidence)


def _mean(mean: Mean | None) -> str:
    if mean is None:
        return ""
    return points(mean.value) + (f" ({span(mean.interval)})" if mean.interval else "")
