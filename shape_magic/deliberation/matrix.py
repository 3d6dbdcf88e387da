"""Scores as a matrix: a row a candidate, a column a score or an arm, and each evaluation below."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final

import msgspec

from shape_magic.deliberation.records import EvaluationEntry, RoundSummary
from shape_magic.deliberation.store import (
    KeptEvaluation,
    Row,
    Store,
    aggregated_score,
    mean,
    trials_of,
)
from shape_magic.deliberation.summary import proposal_score
from shape_magic.errors import ArgumentError, NotFoundError
from shape_magic.report import Report
from shape_magic.shape import Shape
from shape_magic.vocabulary import ATTRIBUTES, CATEGORY_NAMES
from shape_magic.wording import listed, one_line, plural, quoted

__all__ = [
    "ARM_SCORES",
    "DEFAULT_SCORE",
    "SCORES",
    "Matrix",
    "MatrixColumn",
    "MatrixEvaluation",
    "MatrixRow",
    "Score",
    "arm_name",
    "columns_of",
    "make_matrix",
    "matrix_of_summary",
    "name_of",
    "text_digest",
]

Figure = float | int | None

DEFAULT_SCORE: Final = "conciseness"
"""What arms are compared by, where nothing else is asked for."""

_MOST_ROWS: Final = 400
_NAME_LENGTH: Final = 60
_MISSING: Final = "-"


class Score(msgspec.Struct, frozen=True):
    """A figure that evaluators give, or that follows from what they gave."""

    name: str
    meaning: str
    digits: int = 0
    signed: bool = False
    most: float | None = None
    """How far from 0 it can be; None where nothing bounds it."""

    def written(self, figure: Figure) -> str:
        """Write a figure; `-` where there is none."""
        if figure is None:
            return _MISSING
        return f"{figure:{'+' if self.signed else ''},.{self.digits}f}"


SCORES: Final = (
    Score(
        "aggregated_score",
        "aggregated score: the sum of the signed square roots of the real scores",
        digits=2,
        signed=True,
    ),
    Score(
        "endorsement_weight",
        "mean of endorsement_weight over the real evaluations that gave it, -100 to 100",
        digits=1,
        signed=True,
        most=100,
    ),
    *(
        Score(
            category,
            f"mean of {category} over the real evaluations that gave it, -100 to 100",
            digits=1,
            signed=True,
            most=100,
        )
        # What the shape stands beside comes first.
        for category in sorted(CATEGORY_NAMES, key=lambda name: name != DEFAULT_SCORE)
    ),
    Score("controversy_score", "population variance of the real scores", digits=3),
    Score("real_eval_count", "how many real evaluations"),
    Score(
        "synthetic_eval_count", "how many synthetic evaluations; they are part of no other figure"
    ),
)
"""All that a row has in an arm."""

ARM_SCORES: Final = tuple(score.name for score in SCORES if score.signed)
"""The names of those that arms can be compared by."""

_BY_NAME: Final = {score.name: score for score in SCORES}


class MatrixEvaluation(msgspec.Struct, frozen=True, kw_only=True):
    """One evaluation of a candidate, without its words."""

    evaluator_agent_id: str
    arm: str
    trial: int
    synthetic: bool
    score: float | None
    endorsement_weight: float | None
    category_scores: Mapping[str, float | None]
    stance: str | None
    prompt: str | None
    """The digest of what the evaluator was shown, where that is known."""


class MatrixRow(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate: the latest version that an agent proposed in a round."""

    round: int
    agent_id: str
    version: int | None = None
    """None where a summary does not tell it."""
    text: str = ""
    """A digest of the version's content."""
    shape: Shape | None = None
    """As the evaluators were shown it."""
    scores: Mapping[str, Mapping[str, Figure]] = {}
    """By arm, each of `SCORES` by its name. Trials of one evaluator are averaged before
    evaluators are, and synthetic evaluations are counted and part of no mean."""
    evaluations: tuple[MatrixEvaluation, ...] = ()

    def figure(self, arm: str, score: str) -> Figure:
        """Give what the candidate has of a score in an arm."""
        return self.scores.get(arm, {}).get(score)


class Matrix(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Scores as a table: its text in a terminal, a view in a notebook.

    Where it has a `score`, the columns are arms; else they are the scores of its one arm.
    """

    rows: tuple[MatrixRow, ...]
    """By round, the best first."""
    arms: tuple[str, ...]
    score: str | None = None
    store: Store | None = None
    """Where the texts, the replies and the prompts are; None where they are nowhere."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Give what a copy or a pickle is made from: the figures, without the texts."""
        return _made_again, (self.rows, self.arms, self.score)

    def __repr__(self) -> str:
        """Show the same table as `str`."""
        return str(self)

    def __str__(self) -> str:
        """Write the table."""
        if not self.rows:
            return f"{self.title}: no candidates"
        columns = columns_of(self)
        several = len({row.round for row in self.rows}) > 1
        heads = [one_line(column.title, length=_NAME_LENGTH) for column in columns]
        head = [*(["round"] if several else []), "agent_id", *heads]
        table = [
            [
                *([str(row.round)] if several else []),
                name_of(row.agent_id),
                *(column.written(row) for column in columns),
            ]
            for row in islice(self.rows, _MOST_ROWS)
        ]
        more = len(self.rows) - _MOST_ROWS
        rest = [f"and {plural(more, 'more candidate')}"] if more > 0 else []
        return str(Report(self.title, head, table, rest, texts=1 + several))

    @property
    def title(self) -> str:
        """What it is of, in one line."""
        rounds = {row.round for row in self.rows}
        where = f"round {min(rounds)}" if len(rounds) == 1 else plural(len(rounds), "round")
        if self.score is not None:
            return f"{where}: {self.score} by arm"
        arm = self.arms[0] if self.arms else ""
        return where if arm == "" else f"{where}: arm {one_line(arm, length=_NAME_LENGTH)}"


class MatrixColumn(msgspec.Struct, frozen=True):
    """A column of figures."""

    group: str
    """What it stands under with others; empty where it stands alone."""
    name: str
    meaning: str
    score: Score
    figure: Callable[[MatrixRow], Figure]
    colour: bool = False
    """Whether its figures have colours: those that evaluators gave."""

    @property
    def title(self) -> str:
        """Its name, where no group stands above it."""
        return f"{self.name} {self.group}" if self.group.startswith("less ") else self.name

    def written(self, row: MatrixRow) -> str:
        """Write the figure of a row."""
        return self.score.written(self.figure(row))


def arm_name(arm: str) -> str:
    """Give what an arm is called where it is shown; an evaluation may be of no arm."""
    return arm or "(no arm)"


def columns_of(matrix: Matrix) -> list[MatrixColumn]:
    """Give the columns of a matrix: the scores, and the shape that earned them."""
    if matrix.score is not None:
        return [*_arm_columns(matrix), *_shape_columns("shape")]
    arm = matrix.arms[0] if matrix.arms else ""
    scores = [
        MatrixColumn("", score.name, score.meaning, score, _figure(arm, score.name), score.signed)
        for score in SCORES
        if score.name != "endorsement_weight"
    ]
    # Conciseness and the shape that it is scored from stand side by side.
    return [*scores[:2], *_shape_columns(""), *scores[2:]]


def _arm_columns(matrix: Matrix) -> list[MatrixColumn]:
    assert matrix.score is not None
    score = _BY_NAME[matrix.score]
    first, *others = matrix.arms
    columns = [
        MatrixColumn(
            score.name,
            arm_name(arm),
            f"{score.meaning}, in the arm {arm_name(arm)}",
            score,
            _figure(arm, score.name),
            True,
        )
        for arm in matrix.arms
    ]
    columns += [
        MatrixColumn(
            f"less {arm_name(first)}",
            arm_name(other),
            f"the difference: {arm_name(other)} less {arm_name(first)}",
            score,
            _difference(first, other, score.name),
            True,
        )
        for other in others
    ]
    if len(matrix.arms) > 2:
        columns.append(
            MatrixColumn(
                "",
                "largest difference",
                "the difference between the arm that gave most and the one that gave least",
                msgspec.structs.replace(score, signed=False),
                _spread(matrix.arms, score.name),
            )
        )
    return columns


def _shape_columns(group: str) -> list[MatrixColumn]:
    return [
        MatrixColumn(
            group,
            attribute.name,
            attribute.meaning,
            Score(attribute.name, attribute.meaning),
            _attribute(attribute.name),
        )
        for attribute in ATTRIBUTES
    ]


def _figure(arm: str, score: str) -> Callable[[MatrixRow], Figure]:
    return lambda row: row.figure(arm, score)


def _attribute(name: str) -> Callable[[MatrixRow], Figure]:
    return lambda row: None if row.shape is None else getattr(row.shape, name)


def _difference(first: str, other: str, score: str) -> Callable[[MatrixRow], Figure]:
    def difference(row: MatrixRow) -> Figure:
        before, after = row.figure(first, score), row.figure(other, score)
        return None if before is None or after is None else after - before

    return difference


def _spread(arms: Sequence[str], score: str) -> Callable[[MatrixRow], Figure]:
    def spread(row: MatrixRow) -> Figure:
        given = [figure for arm in arms if (figure := row.figure(arm, score)) is not None]
        return max(given) - min(given) if len(given) > 1 else None

    return spread


def make_matrix(
    store: Store,
    *,
    rounds: Sequence[int] | None = None,
    arms: Sequence[str] | None = None,
    score: str | None = None,
) -> Matrix:
    """Make a matrix of what a deliberation has; see `Deliberation.matrix`."""
    if score is not None and score not in ARM_SCORES:
        raise ArgumentError(f"score is {quoted(score)}; there are {listed(ARM_SCORES)}")
    with store.database.reading():
        known = store.arms()
        for arm in arms or ():
            if arm not in known and arm != "":
                raise NotFoundError(f"there is no arm {quoted(arm)}; there are {listed(known)}")
        by_version: dict[int, list[KeptEvaluation]] = {}
        with store.evaluations(rounds=rounds) as evaluations:
            for kept in evaluations:
                if arms is None or kept.arm in arms:
                    by_version.setdefault(kept.row_id, []).append(kept)
        with store.rows(rounds=rounds) as versions:
            rows = [_Version(row, by_version.get(row.id, [])) for row in versions]
        figures = store.figures(version.measurement for version in rows)
    given = sorted({kept.arm for version in by_version.values() for kept in version})
    named = tuple(dict.fromkeys(given if arms is None else arms)) or ("",)
    if score is None and len(named) > 1:
        score = DEFAULT_SCORE
    made = (
        version.row_of(shape, named) for version, (_, _, shape) in zip(rows, figures, strict=True)
    )
    return Matrix(rows=_best_first(made, named[0], score), arms=named, score=score, store=store)


class _Version:
    """A version while its row is made; a text is held no longer than it takes to digest it."""

    def __init__(self, row: Row, kept: Sequence[KeptEvaluation]) -> None:
        self.round, self.agent_id, self.version = row.round, row.agent_id, row.version
        self.text = text_digest(row.content)
        self.aggregated_score = row.aggregated_score
        self.given = [(evaluation.arm, evaluation.entry) for evaluation in kept]
        self.measurement = kept[-1].measurement if kept else row.measurement

    def row_of(self, shape: Shape, arms: Iterable[str]) -> MatrixRow:
        scores = {}
        for arm in arms:
            entries = [entry for named, entry in self.given if named == arm]
            if entries or arm == "":
                # One that a record brought stands until the evaluations change.
                scores[arm] = _scores(entries, self.aggregated_score if arm == "" else None, arm)
        return MatrixRow(
            round=self.round,
            agent_id=self.agent_id,
            version=self.version,
            text=self.text,
            shape=shape,
            scores=scores,
            evaluations=tuple(_evaluation(arm, entry) for arm, entry in self.given),
        )


def matrix_of_summary(summary: RoundSummary) -> Matrix:
    """Show a summary's figures as a matrix, where nothing is known but them."""
    rows = [
        MatrixRow(
            round=summary.round,
            agent_id=score.agent_id,
            shape=score.shape,
            scores={
                "": {
                    "aggregated_score": score.aggregated_score,
                    **(score.category_breakdown or {}),
                    "controversy_score": score.controversy_score,
                    "real_eval_count": score.real_eval_count,
                    "synthetic_eval_count": score.synthetic_eval_count,
                }
            },
        )
        for score in summary.proposal_scores or ()
    ]
    return Matrix(rows=_best_first(rows, "", None), arms=("",))


def text_digest(content: str) -> str:
    """Name a text by its contents."""
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def name_of(agent_id: str) -> str:
    """Write an id in one visible line."""
    return one_line(agent_id, length=_NAME_LENGTH)


def _made_again(rows: tuple[MatrixRow, ...], arms: tuple[str, ...], score: str | None) -> Matrix:
    return Matrix(rows=rows, arms=arms, score=score)


def _scores(
    entries: Sequence[EvaluationEntry], aggregated: float | None, arm: str
) -> dict[str, Figure]:
    summed = proposal_score(
        "",
        aggregated_score=aggregated_score(entries) if arm else aggregated,
        evaluations=entries,
        shape=None,
    )
    weights = [
        mean(entry.evaluation.endorsement_weight for entry in trials)
        for trials in trials_of(entries)
    ]
    return {
        "aggregated_score": summed.aggregated_score,
        "endorsement_weight": mean(weights),
        **(summed.category_breakdown or {}),
        "controversy_score": summed.controversy_score,
        "real_eval_count": summed.real_eval_count,
        "synthetic_eval_count": summed.synthetic_eval_count,
    }


def _evaluation(arm: str, entry: EvaluationEntry) -> MatrixEvaluation:
    given = entry.evaluation
    return MatrixEvaluation(
        evaluator_agent_id=entry.evaluator_agent_id,
        arm=arm,
        trial=entry.trial,
        synthetic=entry.synthetic,
        score=given.score,
        endorsement_weight=given.endorsement_weight,
        category_scores=given.category_scores or {},
        stance=given.stance,
        prompt=None if entry.prompt is None else entry.prompt.digest,
    )


def _best_first(rows: Iterable[MatrixRow], arm: str, score: str | None) -> tuple[MatrixRow, ...]:
    def place(row: MatrixRow) -> tuple[int, bool, float, str]:
        figure = row.figure(arm, score or "aggregated_score")
        return row.round, figure is None, -(figure or 0.0), row.agent_id

    return tuple(sorted(rows, key=place))
