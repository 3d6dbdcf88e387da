"""Round summaries as a pandas data frame: one row a proposal and round (extra `analysis`)."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from shape_magic.deliberation.records import ProposalScore, RoundSummary
from shape_magic.extras import analysis_extra
from shape_magic.vocabulary import ATTRIBUTE_NAMES, CATEGORY_NAMES

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["summaries_to_frame"]

# Ids are objects: pandas' own text takes no lone surrogate.
_DTYPES: Final = {
    "round": "int64",
    "agent_id": "object",
    "kind": "object",
    "analyzer": "object",
    **dict.fromkeys(ATTRIBUTE_NAMES, "Int64"),
    **dict.fromkeys(("aggregated_score", *CATEGORY_NAMES, "controversy_score"), "float64"),
    "real_eval_count": "Int64",
    "synthetic_eval_count": "Int64",
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
    for a round and an agent.

    `frame.to_csv(path, index=False)` writes it; ids that hold lone surrogates need
    `errors="surrogatepass"` beside that, and Parquet cannot hold them.
    """
    with analysis_extra():
        import pandas as pd
    known = analyzers or {}
    rows = [
        _row(summary.round, score, known.get((summary.round, score.agent_id), (None, None)))
        for summary in summaries
        for score in summary.proposal_scores or ()
    ]
    columns = {
        name: pd.Series([row[name] for row in rows], dtype=dtype) for name, dtype in _DTYPES.items()
    }
    return pd.DataFrame(columns)


def _row(
    round: int, score: ProposalScore, analyzer: tuple[str | None, str | None]
) -> dict[str, Any]:
    shape = dict.fromkeys(ATTRIBUTE_NAMES) if score.shape is None else score.shape.as_dict()
    categories = score.category_breakdown or {}
    return {
        "round": round,
        "agent_id": score.agent_id,
        "kind": analyzer[0],
        "analyzer": analyzer[1],
        **shape,
        "aggregated_score": score.aggregated_score,
        **{category: categories.get(category) for category in CATEGORY_NAMES},
        "controversy_score": score.controversy_score,
        "real_eval_count": score.real_eval_count,
        "synthetic_eval_count": score.synthetic_eval_count,
    }
