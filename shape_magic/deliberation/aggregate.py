"""The score that a proposal earned: one sum over its real evaluations."""

import math
from collections.abc import Iterable

from shape_magic.deliberation.records import EvaluationEntry

__all__ = ["aggregated_score"]


def aggregated_score(entries: Iterable[EvaluationEntry]) -> float | None:
    """Sum sign(s)·√|s| over the scores s of the real evaluations; None where there is none.

    Synthetic evaluations and those without a score are no part of it.

    >>> from shape_magic.deliberation.records import Evaluation
    >>> aggregated_score(
    ...     EvaluationEntry(evaluator_agent_id="B", evaluation=Evaluation(score=score))
    ...     for score in (0.25, -0.04, None)
    ... )
    0.3
    """
    scores = [
        entry.evaluation.score
        for entry in entries
        if not entry.synthetic and entry.evaluation.score is not None
    ]
    if not scores:
        return None
    # Exactly rounded, so that no order of evaluations gives another sum.
    return math.fsum(math.copysign(math.sqrt(abs(score)), score) for score in scores)
