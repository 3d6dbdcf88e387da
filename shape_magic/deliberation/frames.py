"""Scores and evaluations as pandas data frames (extra `analysis`)."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from shape_magic.deliberation.records import ProposalScore, RoundSummary
from shape_magic.deliberation.store import Store
from shape_magic.deliberation.summary import ScoredVersion
from shape_magic.errors import FrameWarning
from shape_magic.extras import analysis_extra
from shape_magic.vocabulary import ATTRIBUTE_NAMES, CATEGORY_NAMES
from shape_magic.wording import plural

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["EXTERNAL", "evaluations_to_frame", "scored_to_frame", "summaries_to_frame"]

EXTERNAL: Final = "external"
"""The analyzer of a shape that a summary brought without saying what measured it."""

# Ids are objects: pandas' own text takes no lone surrogate.
_SCORES: Final = {
    "round": "int64",
    "agent_id": "object",
    "kind": "object",
    "analyzer": "object",
    **dict.fromkeys(ATTRIBUTE_NAMES, "Int64"),
    **dict.fromkeys(("aggregated_score", *CATEGORY_NAMES, "controversy_score"), "float64"),
    "real_eval_count": "Int64",
    "synthetic_eval_count": "Int64",
}
_EVALUATIONS: Final = {
    "round": "int64",
    "agent_id": "object",
    "version": "int64",
    "latest": "bool",
    "evaluator_agent_id": "object",
    "arm": "object",
    "trial": "int64",
    "synthetic": "bool",
    "prompt": "object",
    "key": "object",
    "place": "Int64",
    "kind": "object",
    "analyzer": "object",
    **dict.fromkeys(ATTRIBUTE_NAMES, "Int64"),
    **dict.fromkeys(("score", "endorsement_weight", *CATEGORY_NAMES), "float64"),
    "stance": "object",
}


def summaries_to_frame(
    summaries: Iterable[RoundSummary],
    *,
    analyzers: Mapping[tuple[int, str], tuple[str, str]] | None = None,
) -> "pd.DataFrame":
    """Give round summaries as a data frame, one row a proposal and round.

    Its columns are `round`, `agent_id`, `kind`, `analyzer` (with its version, as in `markdown/2`),
    the eight attributes, `aggregated_score`, the six categories, `controversy_score` and the two
    evaluation counts. What an entry does not have, as one from before `shape`, is missing there.
    A summary does not say which analyzer measured: `analyzers` gives the kind and the analyzer
    for a round and an agent, and a shape without them says `external`. A frame that has both is a
    FrameWarning, since figures of other rules are not comparable.

    `frame.to_csv(path, index=False)` writes it; ids that hold lone surrogates need
    `errors="surrogatepass"` beside that, and Parquet cannot hold them.
    """
    known = analyzers or {}
    rows = []
    for summary in summaries:
        for score in summary.proposal_scores or ():
            unknown = None, None if score.shape is None else EXTERNAL
            named = known.get((summary.round, score.agent_id), unknown)
            rows.append(_row(summary.round, score, *named))
    external = sum(row["analyzer"] == EXTERNAL for row in rows)
    ours = sum(row["analyzer"] not in {None, EXTERNAL} for row in rows)
    if external and ours:
        warnings.warn(
            f"{plural(external, 'shape')} came with a summary and {ours:,} from an analyzer that "
            "is known: figures of other rules are not comparable; `analyzer` tells them apart",
            FrameWarning,
            stacklevel=2,
        )
    return _frame(_SCORES, rows)


def scored_to_frame(scored: Mapping[int, Sequence[ScoredVersion]]) -> "pd.DataFrame":
    """Give the scored versions of rounds as a data frame; see `Deliberation.to_frame`."""
    return _frame(
        _SCORES,
        [
            _row(number, version.score, version.kind, version.analyzer)
            for number, versions in scored.items()
            for version in versions
        ],
    )


def evaluations_to_frame(store: Store) -> "pd.DataFrame":
    """Give evaluations as a data frame; see `Deliberation.evaluations_frame`."""
    with store.database.reading():
        with store.rows(latest=False) as versions:
            # Ordered by version, so the latest of a round and agent stands last.
            by_id = {row.id: row for row in versions}
        with store.evaluations(latest=False) as evaluations:
            kept_ones = list(evaluations)
        figures = store.figures(kept.measurement for kept in kept_ones)
    latest = {(row.round, row.agent_id): row.version for row in by_id.values()}
    rows = []
    for kept, (kind, analyzer, shape) in zip(kept_ones, figures, strict=True):
        row = by_id[kept.row_id]
        entry = kept.entry
        evaluation, prompt = entry.evaluation, entry.prompt
        categories = evaluation.category_scores or {}
        rows.append(
            {
                "round": row.round,
                "agent_id": row.agent_id,
                "version": row.version,
                "latest": row.version == latest[row.round, row.agent_id],
                "evaluator_agent_id": entry.evaluator_agent_id,
                "arm": kept.arm,
                "trial": entry.trial,
                "synthetic": entry.synthetic,
                "prompt": None if prompt is None else prompt.digest,
                "key": None if prompt is None else prompt.key,
                "place": None if prompt is None else prompt.place,
                "kind": kind,
                "analyzer": analyzer,
                **shape.as_dict(),
                "score": evaluation.score,
                "endorsement_weight": evaluation.endorsement_weight,
                **{category: categories.get(category) for category in CATEGORY_NAMES},
                "stance": evaluation.stance,
            }
        )
    return _frame(_EVALUATIONS, rows)


def _frame(dtypes: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> "pd.DataFrame":
    with analysis_extra():
        import pandas as pd
    columns = {
        name: pd.Series([row[name] for row in rows], dtype=dtype) for name, dtype in dtypes.items()
    }
    return pd.DataFrame(columns)


def _row(
    round: int, score: ProposalScore, kind: str | None, analyzer: str | None
) -> dict[str, Any]:
    shape = dict.fromkeys(ATTRIBUTE_NAMES) if score.shape is None else score.shape.as_dict()
    categories = score.category_breakdown or {}
    return {
        "round": round,
        "agent_id": score.agent_id,
        "kind": kind,
        "analyzer": analyzer,
        **shape,
        "aggregated_score": score.aggregated_score,
        **{category: categories.get(category) for category in CATEGORY_NAMES},
        "controversy_score": score.controversy_score,
        "real_eval_count": score.real_eval_count,
        "synthetic_eval_count": score.synthetic_eval_count,
    }
