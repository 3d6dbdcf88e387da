"""The wire records keep what they do not know and name what they cannot read."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shape_magic.deliberation.records import (
    Evaluation,
    EvaluationEntry,
    ProposalBody,
    ProposalRecord,
    ProposalScore,
    Record,
    RoundSummary,
    read_record,
    to_wire,
)
from shape_magic.deliberation.store import aggregated_score
from shape_magic.errors import RecordError
from shape_magic.shape import Shape
from shape_magic.vocabulary import ATTRIBUTE_NAMES
from tests.wire import proposal_records, round_summaries


@given(proposal_records)
def test_proposal_record__read_and_written__is_the_wire_form(wire: dict[str, Any]) -> None:
    assert to_wire(read_record(ProposalRecord, wire)) == wire


@given(round_summaries)
def test_round_summary__read_and_written__is_the_wire_form(wire: dict[str, Any]) -> None:
    assert to_wire(read_record(RoundSummary, wire)) == wire


@given(proposal_records)
def test_proposal_record__written_and_read__is_the_record(wire: dict[str, Any]) -> None:
    record = read_record(ProposalRecord, wire)
    assert read_record(ProposalRecord, to_wire(record)) == record


def test_record__made_in_python__is_written_in_full() -> None:
    record = ProposalRecord(round=1, author_agent_id="A", proposal=ProposalBody(content="x"))
    assert to_wire(record) == {
        "round": 1,
        "author_agent_id": "A",
        "proposal": {"content": "x", "thought_process": ""},
        "evaluations": [],
    }
    assert read_record(ProposalRecord, to_wire(record)) == record


def test_record__fields_named_as_its_own__are_kept() -> None:
    wire = {"claim": "c", "verdict": "v", "extra": [1], "absent": {"claim": 2}}
    assert to_wire(read_record(ProposalScore, {"agent_id": "A", **wire})) == {
        "agent_id": "A",
        **wire,
    }


SHAPE = dict.fromkeys(ATTRIBUTE_NAMES, 1)


@pytest.mark.parametrize("shape", [None, SHAPE], ids=["null", "given"])
def test_proposal_score__shape_given__is_read(shape: dict[str, int] | None) -> None:
    entry = read_record(ProposalScore, {"agent_id": "A", "shape": shape})
    assert entry.shape == (Shape(*[1] * 8) if shape else None)
    assert "shape" not in entry.absent


def test_proposal_score__shape_absent__is_not_invented() -> None:
    entry = read_record(ProposalScore, {"agent_id": "A"})
    assert entry.shape is None
    assert to_wire(entry) == {"agent_id": "A"}


def proposal(**changes: object) -> dict[str, object]:
    return {"round": 1, "author_agent_id": "A", "proposal": {"content": "x"}, **changes}


def evaluation(**fields: object) -> dict[str, object]:
    return proposal(evaluations=[{"evaluator_agent_id": "B", "evaluation": fields}])


@pytest.mark.parametrize(
    ("kind", "wire", "message"),
    [
        (ProposalRecord, [], "$: expected object, got array"),
        (ProposalRecord, {}, "$: object missing required field round"),
        (ProposalRecord, proposal(round="1"), "$.round: expected int, got str"),
        (ProposalRecord, proposal(round=True), "$.round: expected int, got bool"),
        (ProposalRecord, proposal(round=-1), "$.round: expected int >= 0"),
        (
            ProposalRecord,
            proposal(proposal={}),
            "$.proposal: object missing required field content",
        ),
        (
            ProposalRecord,
            evaluation(score="high"),
            "$.evaluations[0].evaluation.score: expected float, got str",
        ),
        (
            ProposalRecord,
            evaluation(claim_assessments=[{}, {"claim": 1}]),
            "$.evaluations[0].evaluation.claim_assessments[1].claim: expected str, got int",
        ),
        (
            ProposalRecord,
            evaluation(category_scores={"novelty": "high"}),
            "$.evaluations[0].evaluation.category_scores[...]: expected float, got str",
        ),
        (
            ProposalScore,
            {"agent_id": "A", "shape": {"chars": 1}},
            "$.shape: object missing required field lines",
        ),
        (
            ProposalScore,
            {"agent_id": "A", "shape": {**SHAPE, "lines": 1.5}},
            "$.shape.lines: expected int, got float",
        ),
    ],
)
def test_read_record__bad_field__is_named(kind: type[Record], wire: object, message: str) -> None:
    with pytest.raises(RecordError) as caught:
        read_record(kind, wire)
    assert str(caught.value) == message


def entry(score: float | None, *, synthetic: bool = False) -> EvaluationEntry:
    return EvaluationEntry(
        evaluator_agent_id="B", evaluation=Evaluation(score=score), synthetic=synthetic
    )


@pytest.mark.parametrize(
    ("given_scores", "expected"),
    [
        ([], None),
        ([None], None),
        ([0.25], 0.5),
        ([-0.25], -0.5),
        ([0.25, 0.25, -1, None], 0.0),
        ([0], 0.0),
    ],
)
def test_aggregated_score__is_the_sum_of_signed_roots(
    given_scores: list[float | None], expected: float | None
) -> None:
    assert aggregated_score(map(entry, given_scores)) == expected


def test_aggregated_score__synthetic_evaluations__are_left_out() -> None:
    assert aggregated_score([entry(0.25), entry(1, synthetic=True)]) == 0.5


@given(st.lists(st.floats(-1, 1)), st.randoms())
def test_aggregated_score__any_order__is_the_same(values: list[float], random: Any) -> None:
    shuffled = random.sample(values, len(values))
    assert aggregated_score(map(entry, values)) == aggregated_score(map(entry, shuffled))


def test_wire_form__of_a_record__is_plain_json() -> None:
    wire = evaluation(score=0.5, stance="agree", source={"page": 3})
    assert json.loads(json.dumps(to_wire(read_record(ProposalRecord, wire)))) == wire
