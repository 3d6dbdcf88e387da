"""Do these evaluators reward an attribute: one slope, and how far it holds."""

from functools import lru_cache
from typing import Any, Final

import msgspec
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from shape_magic.analysis.cr2 import Codes, Effects, Fit, Floats, Spread, explained, fit
from shape_magic.analysis.frame import Columns, Rows, read_rows, term
from shape_magic.analysis.report import Result, points, probability, span
from shape_magic.errors import ArgumentError
from shape_magic.report import Report
from shape_magic.wording import one_line, quoted

__all__ = ["CAUTION", "Effect", "Interval", "behind", "checked_confidence", "effect",
           "following", "interval_of", "slope_of", "unusable"]  # fmt: skip

FEWEST_ROUNDS: Final = 6
FEWEST_AGENTS: Final = 4
FOLLOWING: Final = 0.1
"""Below which p rounds are taken to follow one another."""
SHUFFLES: Final = 999

CAUTION: Final = (
    "A text's own quality still goes with its shape: only edited texts separate the two."
)


class Interval(msgspec.Struct, frozen=True):
    """An interval by Student's t, its degrees of freedom, and the p of a slope of 0."""

    low: float
    high: float
    p: float
    freedom: float

    @property
    def bounds(self) -> tuple[float, float]:
        """Give both ends."""
        return self.low, self.high


class Effect(Result, frozen=True, kw_only=True):
    """How a score goes with one attribute, and how far that holds.

    Where nothing can be estimated, `points` is None and `verdict` says why.
    """

    attribute: str
    score: str
    unit: str
    verdict: str
    """A sentence: shown, for these agents, not shown, or why there is no verdict."""
    points: float | None = None
    """The score's points per `unit`."""
    these_agents: Interval | None = None
    """For these agents over more rounds: clusters are rounds."""
    agents_like_these: Interval | None = None
    """For other agents like these: clusters are agents."""
    following_p: float | None = None
    """How often rounds in another order follow one another as closely as these do."""

    def _report(self) -> Report:
        found = [
            (name, interval)
            for name, interval in (
                ("these agents, more rounds", self.these_agents),
                ("agents like these", self.agents_like_these),
            )
            if interval is not None
        ]
        cells = [
            [name, span(each.bounds), probability(each.p), f"{each.freedom:.1f}"]
            for name, each in found
        ]
        title = f"{one_line(self.score)} and {one_line(self.attribute)}"
        if self.points is not None:
            title += f": {points(self.points)} points {self.unit}"
        return Report(
            title,
            ["", f"{100 * self.confidence:g} %", "p", "degrees of freedom"],
            cells,
            [self.verdict, *behind(self), CAUTION],
        )

    def _figures(self) -> list[dict[str, Any]]:
        return [figures_of(self)]


def effect(
    frame: pd.DataFrame,
    attribute: str,
    *,
    score: str = "conciseness",
    arm: str | None = None,
    columns: Columns = Columns(),  # noqa: B008
    confidence: float = 0.95,
) -> Effect:
    """Estimate how a score goes with one attribute: points per doubling, per item, per share.

    `frame` has a row an evaluation (`evaluations_frame`) or a proposal (`to_frame`). Evaluators in
    their rounds, and agents, may each be kinder or better by any amount: those effects are taken
    out of score and attribute alike. The intervals are CR2's with Bell and McCaffrey's degrees of
    freedom. "shown" takes both without 0, "for these agents" the first; the latter is not said
    where residuals follow one another over rounds, since the first interval is too short then.

    - attribute: `chars` (in doublings), a count (per 1,000 characters), `prose_chars` and
      `lead_chars` (shares of the text), `lead_over_prose`, `any_code`, `any_heading`,
      `any_table`, or any other column as it is.
    - arm: whose evaluations count; it must be named where the frame holds several.
    - FrameError where a column is missing or holds no numbers; ArgumentError for a confidence
      that is not between 0 and 1. What cannot be estimated is said in the result.

    >>> import pandas as pd
    >>> scores = [[40, 29], [32, 18], [44, 35], [29, 20], [50, 39], [41, 33]]
    >>> frame = pd.DataFrame({
    ...     "round": [number for number in range(6) for _ in range(2)],
    ...     "agent_id": ["A", "B"] * 6,
    ...     "chars": [400, 800, 500, 1500, 400, 700, 900, 1800, 300, 600, 700, 900],
    ...     "conciseness": [score for pair in scores for score in pair],
    ... })
    >>> found = effect(frame, "chars")
    >>> f"{found.points:.1f}", found.rounds, found.agents_like_these
    ('-5.0', 6, None)
    """
    unit = term(frame, attribute).unit
    rows = read_rows(frame, score, [attribute], columns=columns, arm=arm)
    return slope_of(
        rows, attribute, score=score, unit=unit, confidence=checked_confidence(confidence)
    )


def slope_of(rows: Rows, attribute: str, *, score: str, unit: str, confidence: float) -> Effect:
    """Estimate one attribute's slope from rows that were read."""
    values = rows.values[attribute]
    rounds, agents, evaluators = (len(labels) for labels in rows.labels)
    said = Effect(attribute=attribute, score=score, unit=unit, verdict="", rounds=rounds,
                  agents=agents, evaluators=evaluators, rows=len(values), confidence=confidence,
                  notes=rows.notes)  # fmt: skip
    reason = unusable(rows, score) or _unusable_values(values, attribute)
    if reason:
        return msgspec.structs.replace(said, verdict=f"no verdict: {reason}")
    # In one round an agent has one text, and its effect would take that text's length along.
    effects = Effects(rows.groups, rows.agents if rounds > 1 else None)
    if explained(values[:, None], effects):
        verdict = f"no verdict: {_all_between(attribute)}"
        return msgspec.structs.replace(said, verdict=verdict)
    fitted = fit(rows.scores, values[:, None], effects)
    said = msgspec.structs.replace(said, points=float(fitted.coefficients[0]))
    if rounds == 1:
        verdict = "no verdict: one round cannot tell an agent's quality from its texts' shape"
        return msgspec.structs.replace(said, verdict=verdict)
    informative = _varying(fitted, rows.rounds), _varying(fitted, rows.agents)
    if informative[0] < FEWEST_ROUNDS:
        verdict = (
            f"no verdict: {one_line(attribute)} varies in {informative[0]} of {rounds} rounds, "
            f"and an interval takes {FEWEST_ROUNDS}"
        )
        return msgspec.structs.replace(said, verdict=verdict)
    near = interval_of(fitted, 0, fitted.clustered(rows.rounds)[0], confidence)
    far = None
    if informative[1] >= FEWEST_AGENTS:
        far = interval_of(fitted, 0, fitted.clustered(rows.agents)[0], confidence)
    said = msgspec.structs.replace(
        said, these_agents=near, agents_like_these=far, following_p=following(rows, fitted)
    )
    return msgspec.structs.replace(said, verdict=_verdict(said))


def _verdict(said: Effect) -> str:
    near, far, alpha = said.these_agents, said.agents_like_these, 1 - said.confidence
    assert near is not None
    assert said.following_p is not None
    few = f"; {said.agents} agents cannot speak for others" if far is None else ""
    amount = f"{points(said.points)} points {said.unit}"
    if far is not None and max(near.p, far.p) < alpha:
        return f"shown: {amount}, for these agents and for agents like these"
    if near.p < alpha and said.following_p >= FOLLOWING:
        other = few or "; with other agents it may be 0"
        return f"for these agents: {amount}{other}"
    reach = max(abs(end) for each in (near, far) if each is not None for end in each.bounds)
    why = ""
    if near.p < alpha:
        why = "; rounds follow one another, so the first interval alone shows nothing"
    return f"not shown: up to ±{reach:.3g} points {said.unit} remain possible{why}{few}"


def interval_of(fitted: Fit, index: int, spread: Spread, confidence: float) -> Interval:
    """Give a coefficient's interval from its spread."""
    coefficient = float(fitted.coefficients[index])
    low, high = spread.interval(coefficient, confidence)
    return Interval(low, high, spread.p(coefficient), spread.freedom)


def following(rows: Rows, fitted: Fit) -> float:
    """Tell how often rounds in a shuffled order follow one another as closely as these do.

    What is compared is the sum of products of an agent's residuals in neighbouring rounds. Small
    where a good round of an agent is followed by another good round.
    """
    shape = len(rows.labels[0]), len(rows.labels[1])
    cells = rows.rounds * shape[1] + rows.agents
    sums = np.bincount(cells, fitted.residuals, shape[0] * shape[1]).reshape(shape)
    products = sums @ sums.T
    orders = _orders(shape[0])
    shuffled = products[orders[:, :-1], orders[:, 1:]].sum(axis=1)
    own = float(np.diag(products, 1).sum())
    tie = 1e-9 * float(np.abs(products).max(initial=0))
    return (1 + int((shuffled >= own - tie).sum())) / (1 + len(orders))


@lru_cache(maxsize=8)
def _orders(rounds: int) -> NDArray[np.intp]:
    ordered = np.tile(np.arange(rounds, dtype=np.intp), (SHUFFLES, 1))
    return np.random.default_rng(0).permuted(ordered, axis=1)


def unusable(rows: Rows, score: str) -> str:
    """Say why rows allow no estimate at all, if so."""
    name = one_line(score, length=40)
    if not len(rows.scores):
        return f"no row has {name} and all the attributes"
    if np.isinf(rows.scores).any():
        return f"{name} holds infinite numbers"
    if len(rows.labels[1]) == 1:
        return "there is a single agent, and scores are relative to a round's field"
    agents = rows.agents if len(rows.labels[0]) > 1 else None
    if explained(rows.scores[:, None], Effects(rows.groups, agents)):
        return f"{name} does not vary within rounds beyond what the agents differ by"
    return ""


def _unusable_values(values: Floats, attribute: str) -> str:
    name = one_line(attribute, length=40)
    if np.isinf(values).any():
        return f"{name} holds infinite numbers"
    if (values == values[0]).all():
        return f"nobody has {name}" if values[0] == 0 else f"{name} is the same everywhere"
    return ""


def _all_between(attribute: str) -> str:
    name = one_line(attribute, length=40)
    return f"{name} differs between agents or between rounds only, and cannot be told from them"


def _varying(fitted: Fit, clusters: Codes) -> int:
    """Count the clusters in which anything is left of the attribute."""
    squares = np.bincount(clusters, (fitted.columns**2).sum(axis=1))
    return int((squares > 1e-10 * squares.sum()).sum())


def behind(result: Any) -> list[str]:
    """Say what a result was made from, and what was left out."""
    counts = [
        f"{count:,} {name}{'s' * (count != 1)}"
        for count, name in (
            (result.rounds, "round"),
            (result.agents, "agent"),
            (result.evaluators, "evaluator"),
            (result.rows, "row"),
        )
    ]
    return [f"from {', '.join(counts)}", *result.notes]


def figures_of(result: Effect) -> dict[str, Any]:
    """Give an effect's figures by name."""
    row: dict[str, Any] = {"attribute": result.attribute, "score": result.score,
                           "points": result.points, "unit": result.unit}  # fmt: skip
    for name in ("these_agents", "agents_like_these"):
        each: Interval | None = getattr(result, name)
        for field in ("low", "high", "p", "freedom"):
            row[f"{name}_{field}"] = None if each is None else getattr(each, field)
    for name in ("following_p", "rounds", "agents", "evaluators", "rows", "verdict"):
        row[name] = getattr(result, name)
    return row


def checked_confidence(confidence: float) -> float:
    """Give a confidence between 0 and 1; ArgumentError for another."""
    if not 0 < confidence < 1:
        raise ArgumentError(f"confidence is {quoted(confidence)}; it lies between 0 and 1, as 0.95")
    return confidence
