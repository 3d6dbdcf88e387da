"""Round summaries: every figure recomputed, and every generation of the wire form read."""

import json
import math
import statistics
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shape_magic.deliberation import Deliberation
from shape_magic.deliberation.records import (
    Evaluation,
    EvaluationEntry,
    RoundSummary,
    read_record,
    to_wire,
)
from shape_magic.deliberation.summary import (
    load_summaries,
    proposal_score,
    save_summaries,
)
from shape_magic.errors import NotFoundError, TranscriptError
from shape_magic.vocabulary import CATEGORY_NAMES

CASES = Path(__file__).parent / "cases" / "summaries"
GENERATIONS = sorted(CASES.glob("*.json"))

SCORE = st.none() | st.sampled_from([-1.0, -0.25, 0.0, 0.5, 1.0])
CATEGORY_SCORES = st.none() | st.dictionaries(
    st.sampled_from(CATEGORY_NAMES), st.none() | st.integers(-100, 100) | st.floats(-100, 100)
)


@st.composite
def entries(draw: st.DrawFn) -> list[EvaluationEntry]:
    return [
        EvaluationEntry(
            evaluator_agent_id=f"E{number}",
            evaluation=Evaluation(score=draw(SCORE), category_scores=draw(CATEGORY_SCORES)),
            synthetic=draw(st.booleans()),
        )
        for number in range(draw(st.integers(0, 5)))
    ]


def recomputed(given_entries: list[EvaluationEntry]) -> dict[str, Any]:
    """Sum up once more, as plainly as the design says it."""
    real = [entry.evaluation for entry in given_entries if not entry.synthetic]
    scores = [evaluation.score for evaluation in real if evaluation.score is not None]
    breakdown: dict[str, float] = {}
    counts = {}
    for category in CATEGORY_NAMES:
        values = []
        for evaluation in real:
            value = evaluation.category_scores.get(category) if evaluation.category_scores else None
            if value is not None:
                values.append(value)
        if values:
            breakdown[category] = statistics.mean(values)
        counts[category] = len(values)
    return {
        "aggregated_score": sum(math.copysign(abs(s) ** 0.5, s) for s in scores)
        if scores
        else None,
        "controversy_score": statistics.pvariance(scores) if scores else None,
        "category_breakdown": breakdown,
        "category_eval_counts": counts,
        "real_eval_count": len(real),
        "synthetic_eval_count": len(given_entries) - len(real),
    }


@given(st.lists(entries(), min_size=1, max_size=4))
def test_summary__equals_a_plain_recomputation(by_agent: list[list[EvaluationEntry]]) -> None:
    with Deliberation() as deliberation:
        for number, its_entries in enumerate(by_agent):
            proposal = deliberation.propose(f"Agent {number}", f"# Plan {number}\n\nText.\n")
            deliberation.add_evaluations([(proposal, entry) for entry in its_entries])
        summary = deliberation.summarize()
        shapes = {proposal.agent_id: proposal.shape for proposal in deliberation.proposals()}
    assert summary.round == 1
    assert [score.agent_id for score in summary.proposal_scores or ()] == sorted(shapes)
    for score, its_entries in zip(summary.proposal_scores or (), by_agent, strict=True):
        assert score.shape == shapes[score.agent_id]
        for name, value in recomputed(its_entries).items():
            assert getattr(score, name) == pytest.approx(value), name
    assert read_record(RoundSummary, json.loads(json.dumps(to_wire(summary)))) == summary


def test_mean__is_over_the_evaluators_who_gave_that_score_and_says_how_many() -> None:
    score = proposal_score(
        "Ann",
        aggregated_score=1.0,
        shape=None,
        evaluations=[
            entry("B", {"conciseness": 10, "novelty": None}),
            entry("C", {"conciseness": 40, "novelty": -30}),
            entry("D", None),
            entry("E", {"conciseness": -100}, synthetic=True),
        ],
    )
    assert score.category_breakdown is not None
    assert score.category_eval_counts is not None
    assert (score.category_breakdown["conciseness"], score.category_eval_counts["conciseness"]) == (
        25,
        2,
    )
    assert (score.category_breakdown["novelty"], score.category_eval_counts["novelty"]) == (-30, 1)
    # What nobody gave is left out, for the deliberation system reads numbers there.
    assert "correctness" not in score.category_breakdown
    assert score.category_eval_counts["correctness"] == 0
    assert (score.real_eval_count, score.synthetic_eval_count) == (3, 1)


def entry(
    evaluator: str, categories: dict[str, float | None] | None, *, synthetic: bool = False
) -> EvaluationEntry:
    return EvaluationEntry(
        evaluator_agent_id=evaluator,
        evaluation=Evaluation(score=0.5, category_scores=categories),
        synthetic=synthetic,
    )


def test_order_of_evaluations__changes_no_figure() -> None:
    evaluations = [entry(f"E{n}", {"conciseness": value}) for n, value in
                   enumerate([0.1, 0.2, 0.3, -77.7, 1e-9])]  # fmt: skip
    first, other = (
        proposal_score("A", aggregated_score=None, evaluations=ordered, shape=None)
        for ordered in (evaluations, evaluations[::-1])
    )
    assert first == other


def test_summary__is_of_the_current_round_or_the_one_named() -> None:
    deliberation = Deliberation()
    deliberation.propose("Ann", "one")
    deliberation.propose("Ann", "longer", round=2)
    assert deliberation.summarize().round == 2
    (score,) = deliberation.summarize(1).proposal_scores or ()
    assert score.shape is not None
    assert score.shape.chars == 3
    with pytest.raises(NotFoundError, match="round 3 has no proposals; there are rounds 1, 2"):
        deliberation.summarize(3)


def test_summary__has_the_latest_version_and_its_evaluations_alone() -> None:
    deliberation = Deliberation()
    first = deliberation.propose("Ann", "one")
    deliberation.add_evaluations([(first, entry("B", {"conciseness": 5}))])
    deliberation.propose("Ann", "two words")
    (score,) = deliberation.summarize().proposal_scores or ()
    assert score.shape is not None
    assert (score.shape.chars, score.real_eval_count) == (9, 0)


def test_score_that_a_record_brought__stands_in_the_summary(tmp_path: Path) -> None:
    record = {
        "round": 1,
        "author_agent_id": "Ann",
        "proposal": {"content": "a", "thought_process": ""},
        "evaluations": [{"evaluator_agent_id": "B", "evaluation": {"score": 0.25}}],
        "aggregated_score": 7.5,
    }
    path = tmp_path / "rounds.jsonl"
    path.write_text(json.dumps(record))
    (score,) = Deliberation.load(path).summarize().proposal_scores or ()
    assert (score.aggregated_score, score.real_eval_count) == (7.5, 1)
    assert score.category_breakdown == {}


def test_generations__are_three() -> None:
    assert [path.stem for path in GENERATIONS] == [
        "conciseness_null",
        "with_shape_and_conciseness",
        "without_shape_and_conciseness",
    ]


@pytest.mark.parametrize("path", GENERATIONS, ids=lambda path: path.stem)
def test_wire_form_of_every_generation__comes_back_as_it_was(path: Path, tmp_path: Path) -> None:
    wire = json.loads(path.read_text())
    lines = tmp_path / "summaries.jsonl"
    lines.write_text(json.dumps(wire) + "\n\n" + json.dumps(wire) + "\n")
    summaries = load_summaries(lines)
    assert [to_wire(summary) for summary in summaries] == [wire, wire]
    assert save_summaries(summaries, tmp_path / "again.jsonl") == 2
    assert load_summaries(tmp_path / "again.jsonl") == summaries


def test_shape_and_conciseness__are_never_invented() -> None:
    old, null, new = (
        read_record(RoundSummary, json.loads((CASES / f"{name}.json").read_text()))
        for name in (
            "without_shape_and_conciseness",
            "conciseness_null",
            "with_shape_and_conciseness",
        )
    )
    assert [
        score.shape for score in (*(old.proposal_scores or ()), *(null.proposal_scores or ()))
    ] == [None] * 3
    (first,) = old.proposal_scores or ()
    assert "conciseness" not in (first.category_breakdown or {})
    (last,) = new.proposal_scores or ()
    assert last.shape is not None
    assert last.shape.prose_chars == 900


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (
            b'{"round": 1, "proposal_scores": [{"aggregated_score": 1}]}',
            r"\$\.proposal_scores\[0\]",
        ),
        (b'{"round": "1"}', r"\$\.round: expected int, got str"),
        # A proposal's record, which has a round, too.
        (
            b'{"round": 1, "author_agent_id": "A", "proposal": {"content": "x"}}',
            r"\$: object missing required field proposal_scores",
        ),
        (b"{", "no JSON"),
        (b"\xff", "no UTF-8"),
    ],
)
def test_line_that_cannot_be_read__is_named(line: bytes, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "summaries.jsonl"
    path.write_bytes(b'{"round": 1, "proposal_scores": []}\n' + line)
    with pytest.raises(TranscriptError, match=f"summaries.jsonl, line 2: .*{reason}"):
        load_summaries(path)


@pytest.mark.parametrize("scores", [[1e200], [1e200, -1e200], [1e308, 1e308], [1e308, -1e308]])
def test_summary__of_scores_beyond_all_bounds__can_be_written(
    scores: list[float], tmp_path: Path
) -> None:
    evaluations = [
        {
            "evaluator_agent_id": f"E{number}",
            "evaluation": {"score": score, "category_scores": {"novelty": score}},
        }
        for number, score in enumerate(scores)
    ]
    path = tmp_path / "rounds.jsonl"
    path.write_text(
        json.dumps(
            {
                "round": 1,
                "author_agent_id": "Ann",
                "proposal": {"content": "a"},
                "evaluations": evaluations,
            }
        )
    )
    summary = Deliberation.load(path).summarize()
    assert save_summaries([summary], tmp_path / "summaries.jsonl") == 1
    assert load_summaries(tmp_path / "summaries.jsonl") == [summary]
