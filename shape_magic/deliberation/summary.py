"""The scores of a round, each with the shape that earned it."""

import math
import os
from collections.abc import Iterable, Sequence

from shape_magic.deliberation.encoding import json_line
from shape_magic.deliberation.json_lines import lines_path, read_lines, save_lines
from shape_magic.deliberation.records import (
    EvaluationEntry,
    ProposalScore,
    RoundSummary,
    read_record,
    to_wire,
)
from shape_magic.deliberation.store import Store
from shape_magic.errors import RecordError
from shape_magic.shape import Shape
from shape_magic.vocabulary import CATEGORY_NAMES

__all__ = ["best_first", "load_summaries", "proposal_score", "save_summaries", "summarize"]


def summarize(store: Store, round: int) -> RoundSummary:
    """Sum up a round; see `Deliberation.summarize`."""
    with store.rows(rounds=[round]) as rows:
        return RoundSummary(
            round=round,
            proposal_scores=tuple(
                proposal_score(
                    row.agent_id,
                    aggregated_score=row.aggregated_score,
                    evaluations=store.evaluations(row.id),
                    shape=row.shape,
                )
                for row in rows
            ),
        )


def proposal_score(
    agent_id: str,
    *,
    aggregated_score: float | None,
    evaluations: Sequence[EvaluationEntry],
    shape: Shape | None,
) -> ProposalScore:
    """Sum up what a proposal earned.

    Synthetic evaluations are counted and are part of no other figure. A mean is over all real
    evaluations that gave that score, whose number stands beside it; where none did, it is None.
    """
    real = [entry.evaluation for entry in evaluations if not entry.synthetic]
    given = {
        category: [
            score
            for evaluation in real
            if (score := (evaluation.category_scores or {}).get(category)) is not None
        ]
        for category in CATEGORY_NAMES
    }
    return ProposalScore(
        agent_id=agent_id,
        aggregated_score=aggregated_score,
        category_breakdown={category: _mean(scores) for category, scores in given.items()},
        category_eval_counts={category: len(scores) for category, scores in given.items()},
        controversy_score=_variance([one.score for one in real if one.score is not None]),
        real_eval_count=len(real),
        synthetic_eval_count=len(evaluations) - len(real),
        shape=shape,
    )


def _mean(values: Sequence[float]) -> float | None:
    """Give the mean; None where there are no values, or where no float holds their sum."""
    if not values:
        return None
    try:
        # Exactly rounded, so that no order of evaluations gives another mean.
        mean = math.fsum(values) / len(values)
    except OverflowError:
        return None
    return mean if math.isfinite(mean) else None


def _variance(values: Sequence[float]) -> float | None:
    """Give the population variance, or None as for a mean."""
    mean = _mean(values)
    # Not as a power, which raises where a product is infinite.
    return None if mean is None else _mean([(value - mean) * (value - mean) for value in values])


def best_first(summary: RoundSummary) -> list[ProposalScore]:
    """Order a round's scores: the best first, those without a score last."""

    def place(score: ProposalScore) -> tuple[bool, float, str]:
        aggregated = score.aggregated_score
        return aggregated is None, -(aggregated or 0.0), score.agent_id

    return sorted(summary.proposal_scores or (), key=place)


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
