"""Did another wording change the scores: two arms on the same texts."""

import itertools
from collections.abc import Hashable
from typing import Any, Final

import msgspec
import numpy as np
import pandas as pd
from scipy import stats

from shape_magic.analysis.cr2 import Floats
from shape_magic.analysis.frame import Columns, Rows, read_rows, term
from shape_magic.analysis.report import Result, name_of, points, probability, span
from shape_magic.analysis.slope import (
    FEWEST_ROUNDS,
    FOLLOWING,
    Effect,
    behind,
    checked_confidence,
    slope_of,
)
from shape_magic.errors import ArgumentError
from shape_magic.report import Report
from shape_magic.wording import one_line, quoted

__all__ = ["Comparison", "Moved", "compare_arms"]

EXACT_ROUNDS: Final = 14
"""Up to how many rounds all swaps are counted."""
DRAWS: Final = 9_999


class Moved(msgspec.Struct, frozen=True):
    """How far a proposal's score moved from the first arm to the second, evaluators averaged."""

    round: Hashable
    agent: Hashable
    difference: float


class Comparison(Result, frozen=True, kw_only=True):
    """What the second arm's scores have over the first's, on what both have."""

    first: str
    second: str
    score: str
    verdict: str
    """Of the mean: for these agents, not shown, or why there is no verdict."""
    mean: float | None = None
    """The mean over rounds of the paired differences, second less first."""
    interval: tuple[float, float] | None = None
    """By t over rounds."""
    p: float | None = None
    """How often the arms, swapped in whole rounds, differ as much."""
    slopes: tuple[float | None, float | None] = (None, None)
    """The slope in each arm."""
    slope: Effect
    """How the difference goes with the attribute: the change of slope."""
    means: tuple[tuple[Hashable, float, float], ...] = ()
    """Each round with its mean in both arms."""
    moved: tuple[Moved, ...] = ()
    """Every proposal that both arms have, those that moved most first."""

    def _report(self) -> Report:
        change, percent = self.slope, f"{100 * self.confidence:g} %"
        cells = [["mean", points(self.mean), span(self.interval), probability(self.p)]]
        if change.these_agents is not None:
            near, far = change.these_agents, change.agents_like_these
            name = f"slope {change.unit}, these agents"
            cells.append([name, points(change.points), span(near.bounds), probability(near.p)])
            if far is not None:
                cells.append(["  agents like these", "", span(far.bounds), probability(far.p)])
        moved = [
            f"{points(each.difference)} {name_of(each.agent)} in round {name_of(each.round)}"
            for each in self.moved[:3]
        ]
        slopes = ""
        if self.slopes[0] is not None and self.slopes[1] is not None:
            slopes = f", from {points(self.slopes[0])} to {points(self.slopes[1])}"
        return Report(
            f"{one_line(self.score)}: {quoted(self.second)} less {quoted(self.first)}",
            ["", "change", percent, "p"],
            cells if self.mean is not None else [],
            [
                f"mean {self.verdict}",
                f"slope{slopes}: {change.verdict}",
                *([f"moved most: {', '.join(moved)}"] if moved else []),
                *behind(self),
                "It speaks of these agents and these evaluators"
                + (
                    ": one evaluator's own shift looks like the arm's." * (self.evaluators == 1)
                    or "."
                ),
            ],
        )

    def _figures(self) -> list[dict[str, Any]]:
        return [
            {"round": each.round, "agent": each.agent, "difference": each.difference}
            for each in self.moved
        ]


def compare_arms(
    frame: pd.DataFrame,
    first: str,
    second: str,
    *,
    attribute: str = "chars",
    score: str = "conciseness",
    columns: Columns = Columns(),  # noqa: B008
    confidence: float = 0.95,
    seed: int = 0,
) -> Comparison:
    """Compare two arms on what both have: the same text by the same evaluator.

    The mean of the differences (second less first) is tested by swapping the arms in whole rounds:
    all swaps are counted up to 14 rounds, 9,999 drawn from `seed` beyond, and under six rounds
    there is no p. The change of slope is `effect` on the differences. `to_frame` gives how far
    each proposal moved.
    """
    if first == second:
        raise ArgumentError(f"both arms are {quoted(first)}; name two")
    unit = term(frame, attribute).unit
    sides = [
        read_rows(frame, score, [attribute], columns=columns, arm=arm) for arm in (first, second)
    ]
    paired, scores = _paired(*sides)
    confidence = checked_confidence(confidence)
    change = slope_of(paired, attribute, score=score, unit=unit, confidence=confidence)
    rounds, agents, evaluators = (len(labels) for labels in paired.labels)
    result = Comparison(first=first, second=second, score=score, slope=change, rounds=rounds,
                        agents=agents, evaluators=evaluators, rows=len(paired.scores),
                        notes=paired.notes, confidence=confidence, verdict="")  # fmt: skip
    if not rounds or np.isinf(scores).any():
        why = "scores are infinite" if rounds else "no evaluator scored the same text in both arms"
        return msgspec.structs.replace(result, verdict=f"no verdict: {why}")
    counts = np.bincount(paired.rounds)
    means = np.stack([np.bincount(paired.rounds, side) / counts for side in scores])
    differences = means[1] - means[0]
    interval, p = None, None
    if rounds >= FEWEST_ROUNDS:
        error = float(differences.std(ddof=1)) / np.sqrt(rounds)
        reach = float(stats.t.ppf((1 + confidence) / 2, rounds - 1)) * error
        interval = (float(differences.mean()) - reach, float(differences.mean()) + reach)
        p = swapped(differences, seed)
    arms = [msgspec.structs.replace(paired, scores=side) for side in scores]
    own = [slope_of(rows, attribute, score=score, unit=unit, confidence=confidence).points
           for rows in arms]  # fmt: skip
    result = msgspec.structs.replace(
        result,
        mean=float(differences.mean()),
        interval=interval,
        p=p,
        slopes=(own[0], own[1]),
        moved=_moved(paired),
        means=tuple(zip(paired.labels[0], *means.tolist(), strict=True)),
    )
    return msgspec.structs.replace(result, verdict=_verdict(result))


def swapped(differences: Floats, seed: int) -> float:
    """Tell how often rounds' differences, each with either sign, have a mean as far from 0."""
    rounds = len(differences)
    if rounds <= EXACT_ROUNDS:
        signs = np.array(list(itertools.product((1.0, -1.0), repeat=rounds)))
    else:
        drawn = np.random.default_rng(seed).choice((1.0, -1.0), size=(DRAWS, rounds))
        signs = np.vstack([np.ones(rounds), drawn])
    sums = np.abs(signs @ differences)
    return float((sums >= sums[0] - 1e-9 * float(np.abs(differences).sum())).mean())


def _verdict(result: Comparison) -> str:
    if result.p is None or result.interval is None or result.mean is None:
        return (
            f"no verdict: both arms have {result.rounds} rounds, and a test takes {FEWEST_ROUNDS}"
        )
    if result.p < 1 - result.confidence:
        after = result.slope.following_p
        caution = ""
        if after is not None and after < FOLLOWING:
            caution = "; rounds follow one another, and the test takes them for independent"
        return f"for these agents: {points(result.mean)} points{caution}"
    reach = max(abs(end) for end in result.interval)
    return f"not shown: up to ±{reach:.3g} points remain possible"


def _paired(one: Rows, other: Rows) -> tuple[Rows, Floats]:
    """Give the rows that both have with the differences as scores, and both sides' scores."""
    places = [{key: place for place, key in enumerate(_keys(rows))} for rows in (one, other)]
    both = [key for key in places[0] if key in places[1]]
    chosen = [np.array([own[key] for key in both], dtype=np.intp) for own in places]
    scores = np.stack([one.scores[chosen[0]], other.scores[chosen[1]]])
    infinite = np.isinf(scores).any(axis=0)
    differences = np.where(infinite, np.inf, 0.0)
    differences[~infinite] = scores[1, ~infinite] - scores[0, ~infinite]
    rows = one.chosen(chosen[0])
    left_out = len(one.scores) + len(other.scores) - 2 * len(both)
    notes = list(dict.fromkeys([*one.notes, *other.notes]))
    if left_out:
        notes.append(f"{left_out:,} row{'s' * (left_out != 1)} that one arm alone has left out")
    return msgspec.structs.replace(rows, scores=differences, notes=tuple(notes)), scores


def _keys(rows: Rows) -> list[tuple[Hashable, Hashable, Hashable]]:
    rounds, agents, evaluators = rows.labels
    codes = zip(rows.rounds, rows.agents, rows.evaluators, strict=True)
    return [(rounds[where], agents[agent], evaluators[own]) for where, agent, own in codes]


def _moved(paired: Rows) -> tuple[Moved, ...]:
    rounds, agents, _ = paired.labels
    cells = paired.rounds * len(agents) + paired.agents
    there, places = np.unique(cells, return_inverse=True)
    means = np.bincount(places, paired.scores) / np.bincount(places)
    order = np.argsort(-np.abs(means), kind="stable")
    return tuple(
        Moved(rounds[cell // len(agents)], agents[cell % len(agents)], float(mean))
        for cell, mean in zip(there[order], means[order], strict=True)
    )
