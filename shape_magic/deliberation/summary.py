"""The scores of a round, each with the shape that earned it."""

import os
from collections.abc import Iterable, Sequence

import msgspec

from shape_magic.deliberation.encoding import json_line
from shape_magic.deliberation.records import (
    EvaluationEntry,
    ProposalScore,
    RoundSummary,
    read_record,
    to_wire,
)
from shape_magic.deliberation.store import KeptEvaluation, Store, aggregated_score, mean, trials_of
from shape_magic.deliberation.transcripts import lines_path, read_lines, save_lines
from shape_magic.errors import RecordError
from shape_magic.shape import Shape
from shape_magic.vocabulary import CATEGORY_NAMES

__all__ = [
    "ScoredVersion",
    "load_summaries",
    "proposal_score",
    "save_summaries",
    "scored_versions",
    "summarize",
]


class ScoredVersion(msgspec.Struct, frozen=True):
    """What a proposal's latest version earned, and the measurement that its evaluators were shown.

    Where several were shown, it is that of the latest evaluation.
    """

    score: ProposalScore
    kind: str
    analyzer: str


def summarize(store: Store, round: int, *, arm: str) -> RoundSummary:
    """Sum up a round; see `Deliberation.summarize`."""
    scored = scored_versions(store, round, arm=arm)
    return RoundSummary(round=round, proposal_scores=tuple(version.score for version in scored))


def scored_versions(store: Store, round: int, *, arm: str) -> list[ScoredVersion]:
    """Score the latest versions of a round by the evaluations of one arm, by agent."""
    by_version: dict[int, list[KeptEvaluation]] = {}
    with store.database.reading():
        with store.evaluations(rounds=[round], arm=arm) as evaluations:
            for evaluation in evaluations:
                by_version.setdefault(evaluation.row_id, []).append(evaluation)
        with store.rows(rounds=[round]) as rows:
            versions = [(row, by_version.get(row.id, [])) for row in rows]
        figures = store.figures(
            kept[-1].measurement if kept else row.measurement for row, kept in versions
        )
    scored = []
    for (row, kept), (kind, analyzer, shape) in zip(versions, figures, strict=True):
        entries = [evaluation.entry for evaluation in kept]
        score = proposal_score(
            row.agent_id,
            # One that a record brought stands until the evaluations change.
            aggregated_score=aggregated_score(entries) if arm else row.aggregated_score,
            evaluations=entries,
            shape=shape,
        )
        scored.append(ScoredVersion(score, kind, analyzer))
    return scored


def proposal_score(
    agent_id: str,
    *,
    aggregated_score: float | None,
    evaluations: Sequence[EvaluationEntry],
    shape: Shape | None,
) -> ProposalScore:
    """Sum up what a proposal earned.

    Synthetic evaluations are counted and are part of no other figure. A mean is over all real
    evaluations that gave that score, an evaluator's trials being averaged before; their number
    stands beside it. What nobody gave is left out.
    """
    evaluators = [[entry.evaluation for entry in trials] for trials in trials_of(evaluations)]
    given = {
        category: [
            score
            for trials in evaluators
            if (score := mean((trial.category_scores or {}).get(category) for trial in trials))
            is not None
        ]
        for category in CATEGORY_NAMES
    }
    means = {category: mean(scores) for category, scores in given.items()}
    return ProposalScore(
        agent_id=agent_id,
        aggregated_score=aggregated_score,
        category_breakdown={
            category: found for category, found in means.items() if found is not None
        },
        category_eval_counts={category: len(scores) for category, scores in given.items()},
        controversy_score=_variance(
            [mean(trial.score for trial in trials) for trials in evaluators]
        ),
        real_eval_count=len(evaluators),
        synthetic_eval_count=sum(entry.synthetic for entry in evaluations),
        shape=shape,
    )


def _variance(values: Iterable[float | None]) -> float | None:
    """Give the population variance of what is there, or None as for a mean."""
    given = [value for value in values if value is not None]
    middle = mean(given)
    # Not as a power, which raises where a product is infinite.
    return None if middle is None else mean((value - middle) * (value - middle) for value in given)


def load_summaries(path: str | os.PathLike[str]) -> list[RoundSummary]:
    """Read a file of round summaries, one JSON object a line.

    TranscriptError names the file, the line and the field of the first that cannot be read.
    """
    file = lines_path(path)
    with open(file, "rb") as lines:
        return list(read_lines(file, lines, _read_summary))


def _read_summary(wire: object) -> RoundSummary:
    summary = read_record(RoundSummary, wire)
    if "proposal_scores" in summary.absent:
        # Every field but the round may be left out, and a proposal has a round, too.
        raise RecordError("$: object missing required field proposal_scores")
    return summary


def save_summaries(summaries: Iterable[RoundSummary], path: str | os.PathLike[str]) -> int:
    """Write round summaries, one JSON object a line, and give how many there were.

    The file is replaced as by `Deliberation.save`.
    """
    return save_lines(lines_path(path), (json_line(to_wire(summary)) for summary in summaries))
