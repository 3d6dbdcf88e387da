"""Do these evaluators reward shape: several attributes, each beside the others."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
import numpy as np
import pandas as pd

from shape_magic.analysis.cr2 import Effects, Fit, Floats, explained, fit
from shape_magic.analysis.frame import Columns, Rows, read_rows, term
from shape_magic.analysis.report import Result, points, probability, span
from shape_magic.analysis.slope import (
    CAUTION,
    FEWEST_AGENTS,
    FEWEST_ROUNDS,
    FOLLOWING,
    Interval,
    behind,
    checked_confidence,
    following,
    interval_of,
    unusable,
)
from shape_magic.errors import ArgumentError
from shape_magic.report import Report
from shape_magic.wording import one_line, quoted

__all__ = ["DEFAULT_ATTRIBUTES", "Part", "Parts", "effects", "holm"]

DEFAULT_ATTRIBUTES: Final = (
    "chars", "prose_chars", "lead_over_prose", "list_items",
    "any_code", "any_heading", "any_table",
)  # fmt: skip
"""What can be told apart: lead itself goes with prose, and lines with chars."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One attribute beside the others; where it has no slope, `verdict` says why."""

    attribute: str
    unit: str
    verdict: str
    points: float | None = None
    """The score's points per `unit`, the other attributes held."""
    these_agents: Interval | None = None
    """The wider of the classical interval and the one of rounds."""
    agents_like_these: Interval | None = None
    """The widest of those and the one of agents."""
    p_holm: float | None = None
    """The p of the widest interval, adjusted over the attributes by Holm's method."""
    carried: int = 0
    """How many proposals have it at all."""
    varies: float = 0
    """Its standard deviation, in `unit`, once evaluators, rounds and agents are taken out."""


class Parts(Result, frozen=True, kw_only=True):
    """How a score goes with several attributes, each beside the others."""

    score: str
    parts: tuple[Part, ...]
    following_p: float | None = None
    proposals: int = 0

    def __getitem__(self, attribute: str) -> Part:
        """Give one attribute's part; ArgumentError where it was not asked for."""
        for part in self.parts:
            if part.attribute == attribute:
                return part
        names = ", ".join(quoted(part.attribute) for part in self.parts)
        raise ArgumentError(f"{quoted(attribute)} was not estimated; there are {names}")

    @property
    def verdict(self) -> str:
        """Give each attribute's verdict, a line each."""
        return "\n".join(f"{one_line(part.attribute)} {part.verdict}" for part in self.parts)

    def _report(self) -> Report:
        cells = []
        for part in self.parts:
            widest = part.agents_like_these or part.these_agents
            cells.append(
                [
                    f"{one_line(part.attribute, length=40)} ({part.unit})",
                    points(part.points),
                    span(widest.bounds) if widest else "",
                    probability(part.p_holm),
                    f"{part.carried:,}",
                    f"{part.varies:.2g}",
                ]
            )
        head = ["", "points", f"{100 * self.confidence:g} %", "Holm p", "have it", "varies by"]
        verdicts = [f"{one_line(part.attribute)}: {part.verdict}" for part in self.parts]
        return Report(
            f"{one_line(self.score)} and {len(self.parts)} attributes, each beside the others",
            head,
            cells,
            [*verdicts, *behind(self), f"{self.proposals:,} proposals", CAUTION],
        )

    def _figures(self) -> list[dict[str, Any]]:
        rows = []
        for part in self.parts:
            row = msgspec.structs.asdict(part)
            for name in ("these_agents", "agents_like_these"):
                each = row.pop(name)
                for field in ("low", "high", "p", "freedom"):
                    row[f"{name}_{field}"] = None if each is None else getattr(each, field)
            rows.append(row)
        return rows


def effects(
    frame: pd.DataFrame,
    *,
    attributes: str | Sequence[str] = DEFAULT_ATTRIBUTES,
    score: str = "conciseness",
    arm: str | None = None,
    columns: Columns = Columns(),  # noqa: B008
    confidence: float = 0.95,
) -> Parts:
    """Estimate how a score goes with several attributes, each beside the others.

    Names and effects are those of `effect`. Beside the others, `chars` stands as a curve (a
    natural spline of three knots), since a straight line leaves some of the length to whatever
    goes with it. An interval is the widest of three (classical, clusters by rounds, by agents) and
    verdicts go by its p after Holm's method; for these agents, by the wider of the first two.
    An attribute that nobody has, or that the others explain, gets a sentence.
    """
    names = [attributes] if isinstance(attributes, str) else list(attributes)
    if not names or len(set(names)) < len(names):
        raise ArgumentError(f"attributes is {quoted(names)}; it names one or more, each once")
    units = {name: term(frame, name).unit for name in names}
    rows = read_rows(frame, score, names, columns=columns, arm=arm)
    rounds, agents, evaluators = (len(labels) for labels in rows.labels)
    cells = rows.rounds * max(1, agents) + rows.agents
    first = np.unique(cells, return_index=True)[1]
    result = Parts(score=score, parts=(), rounds=rounds, agents=agents, evaluators=evaluators,
                   rows=len(cells), proposals=len(first), notes=rows.notes,
                   confidence=checked_confidence(confidence))  # fmt: skip
    reasons = dict.fromkeys(names, unusable(rows, score))
    if not any(reasons.values()):
        reasons = _reasons(rows, names)
    used = [name for name in names if not reasons[name]]
    found: dict[str, Part] = {}
    if used:
        found, following_p = _estimated(rows, used, units, confidence)
        result = msgspec.structs.replace(result, following_p=following_p)
    parts = []
    for name in names:
        part = found.get(name) or Part(
            attribute=name, unit=units[name], verdict=f"no verdict: {reasons[name]}"
        )
        carried = int((rows.values[name][first] != 0).sum())
        parts.append(msgspec.structs.replace(part, carried=carried))
    return msgspec.structs.replace(result, parts=tuple(parts))


def _reasons(rows: Rows, names: Sequence[str]) -> dict[str, str]:
    """Say of each attribute why it can have no slope, if so."""
    reasons, usable = dict.fromkeys(names, ""), []
    for name in names:
        values, called = rows.values[name], one_line(name, length=40)
        if np.isinf(values).any():
            reasons[name] = f"{called} holds infinite numbers"
        elif (values == values[0]).all():
            same = f"{called} is the same everywhere"
            reasons[name] = f"nobody has {called}" if values[0] == 0 else same
        else:
            usable.append(name)
    effects = Effects(rows.groups, rows.agents if len(rows.labels[0]) > 1 else None)
    if usable:
        columns = np.stack([rows.values[name] for name in usable], axis=1)
        for index in explained(columns, effects):
            reasons[usable[index]] = (
                "it differs between agents or between rounds only, or goes with what stands above"
            )
    usable = [name for name in usable if not reasons[name]]
    # A curve of chars takes one column more.
    if len(rows.scores) - effects.rank - len(usable) < 2:
        return {name: reasons[name] or "there are too few rows for so many" for name in names}
    return reasons


def _estimated(
    rows: Rows, names: Sequence[str], units: Mapping[str, str], confidence: float
) -> tuple[dict[str, Part], float]:
    effects = Effects(rows.groups, rows.agents if len(rows.labels[0]) > 1 else None)
    straight = np.stack([rows.values[name] for name in names], axis=1)
    fits = [fit(rows.scores, straight, effects)]
    if "chars" in names and len(names) > 1:
        curved = np.column_stack([straight, _bend(rows.values["chars"])])
        if not explained(curved, effects):
            fits.append(fit(rows.scores, curved, effects))
    spreads = [_spreads(rows, fitted) for fitted in fits]
    following_p = following(rows, fits[-1])
    parts, all_p, near_p = {}, [], []
    for index, name in enumerate(names):
        which = 0 if name == "chars" else -1
        fitted = fits[which]
        three = [interval_of(fitted, index, spread[index], confidence) for spread in spreads[which]]
        near = max(three[:2], key=lambda each: each.p) if three else None
        far = max(three, key=lambda each: each.p) if len(three) == 3 else None
        all_p.append(far.p if far else 1.0)
        near_p.append(near.p if near else 1.0)
        own = effects.taken_out(straight[:, [index]])
        parts[name] = Part(
            attribute=name,
            unit=units[name],
            verdict="",
            points=float(fitted.coefficients[index]),
            these_agents=near,
            agents_like_these=far,
            varies=float(np.sqrt((own**2).mean())),
        )
    shown, near_shown = holm(all_p), holm(near_p)
    for index, (name, part) in enumerate(parts.items()):
        adjusted = shown[index] if part.agents_like_these else near_shown[index]
        part = msgspec.structs.replace(part, p_holm=adjusted if part.these_agents else None)
        verdict = _verdict(part, near_shown[index], following_p, rows, 1 - confidence)
        parts[name] = msgspec.structs.replace(part, verdict=verdict)
    return parts, following_p


def _spreads(rows: Rows, fitted: Fit) -> list[Any]:
    """Give the classical spreads, those by rounds, and where there are enough, those by agents."""
    if len(rows.labels[0]) < FEWEST_ROUNDS:
        return []
    classical = [fitted.classical(index) for index in range(fitted.columns.shape[1])]
    spreads = [classical, fitted.clustered(rows.rounds)]
    return [*spreads, fitted.clustered(rows.agents)] * (
        len(rows.labels[1]) >= FEWEST_AGENTS
    ) or spreads


def _verdict(part: Part, near_p: float, following_p: float, rows: Rows, alpha: float) -> str:
    near, far = part.these_agents, part.agents_like_these
    if near is None:
        rounds = len(rows.labels[0])
        return f"no verdict: there are {rounds} rounds, and intervals take {FEWEST_ROUNDS}"
    amount = f"{points(part.points)} points {part.unit}"
    if far is not None and part.p_holm is not None and part.p_holm < alpha:
        return f"shown: {amount}, for these agents and for agents like these"
    if near_p < alpha and following_p >= FOLLOWING:
        return f"for these agents: {amount}; with other agents it may be 0"
    reach = max(abs(end) for end in (far or near).bounds)
    return f"not shown: up to ±{reach:.3g} points {part.unit} remain possible"


def _bend(values: Floats) -> Floats:
    """Give what a natural cubic spline of three knots adds to a straight line.

    Harrell's knots (2015, "Regression Modeling Strategies", section 2.4.6): the 10th, 50th and
    90th percentile. A column of 0 where two of them coincide.
    """
    low, middle, high = np.quantile(values, (0.1, 0.5, 0.9))
    if not low < middle < high:
        return np.zeros_like(values)
    cubes = [np.maximum(values - knot, 0) ** 3 for knot in (low, middle, high)]
    bend = cubes[0] + (cubes[2] * (middle - low) - cubes[1] * (high - low)) / (high - middle)
    return np.asarray(bend / (high - low) ** 2)


def holm(p: Sequence[float]) -> list[float]:
    """Adjust probabilities by Holm's method (1979): any number of true ones, at once.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted, worst = [0.0] * len(p), 0.0
    for done, index in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        worst = max(worst, min(1.0, (len(p) - done) * p[index]))
        adjusted[index] = worst
    return adjusted
