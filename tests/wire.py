"""Wire records to draw from, with fields left out, nulls, and fields that no record knows."""

from typing import Any

from hypothesis import strategies as st

from shape_magic.vocabulary import ATTRIBUTE_NAMES, CATEGORY_NAMES
from tests.strategies import json_values, texts

__all__ = ["proposal_records", "round_summaries"]


def unknown_beside(known: dict[str, st.SearchStrategy[Any]], *, optional: str = "") -> Any:
    """Draw an object of the known fields, some left out, among fields that no record knows."""
    left_out = {name: known[name] for name in optional.split()}
    always = {name: draw for name, draw in known.items() if name not in left_out}
    names = texts.filter(lambda name: name not in known)
    return st.builds(
        lambda one, other: {**other, **one},
        st.fixed_dictionaries(always, optional=left_out),
        st.dictionaries(names, json_values, max_size=3),
    )


scores = st.none() | st.floats(-1, 1) | st.integers(-1, 1)
category_scores = st.dictionaries(st.sampled_from(CATEGORY_NAMES) | texts, scores, max_size=7)
claims = unknown_beside(
    {"claim": st.none() | texts, "verdict": st.none() | texts}, optional="claim verdict"
)
evaluations = unknown_beside(
    {
        "score": scores,
        "justification": st.none() | texts,
        "stance": st.none() | texts,
        "claim_assessments": st.none() | st.lists(claims, max_size=2),
        "category_scores": st.none() | category_scores,
    },
    optional="score justification stance claim_assessments category_scores",
)
entries = unknown_beside(
    {"evaluator_agent_id": texts, "evaluation": evaluations, "synthetic": st.booleans()},
    optional="synthetic",
)
bodies = unknown_beside(
    {"content": texts, "thought_process": st.none() | texts}, optional="thought_process"
)
proposal_records = unknown_beside(
    {
        "round": st.integers(0, 2**63 - 1),
        "author_agent_id": texts,
        "proposal": bodies,
        "evaluations": st.none() | st.lists(entries, max_size=2),
        "aggregated_score": scores,
    },
    optional="evaluations aggregated_score",
)
shapes = unknown_beside({name: st.integers(0) for name in ATTRIBUTE_NAMES})
proposal_scores = unknown_beside(
    {
        "agent_id": texts,
        "aggregated_score": scores,
        "category_breakdown": st.none() | category_scores,
        "controversy_score": scores,
        "real_eval_count": st.none() | st.integers(0),
        "synthetic_eval_count": st.none() | st.integers(0),
        "shape": st.none() | shapes,
    },
    optional="aggregated_score category_breakdown controversy_score real_eval_count "
    "synthetic_eval_count shape",
)
round_summaries = unknown_beside(
    {
        "round": st.integers(0, 2**63 - 1),
        "proposal_scores": st.none() | st.lists(proposal_scores, max_size=2),
    },
    optional="proposal_scores",
)
