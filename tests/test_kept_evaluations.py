"""Evaluations as a deliberation keeps them, each with its version of a proposal."""

import math

import pytest

from shape_magic.deliberation import Deliberation
from shape_magic.deliberation.records import Evaluation, EvaluationEntry
from shape_magic.errors import (
    ArgumentError,
    EvaluationExistsError,
    NotFoundError,
    RecordError,
)
from tests.deliberations import entry


def test_evaluations__belong_to_the_version_they_were_given_to(deliberation: Deliberation) -> None:
    first = deliberation.propose("Ann", "a")
    deliberation.add_evaluations([(first, entry("Eve", 0.25)), (first, entry("Zoe", -1.0))])
    second = deliberation.propose("Ann", "b")
    assert deliberation.evaluations(second) == []
    assert deliberation.aggregated_score(second) is None
    assert deliberation.evaluations(first) == [entry("Eve", 0.25), entry("Zoe", -1.0)]
    assert deliberation.evaluations("ann", round=1, version=1) == deliberation.evaluations(first)
    assert deliberation.aggregated_score(first) == math.sqrt(0.25) - 1


def test_add_evaluations__with_one_that_cannot_be__adds_none(deliberation: Deliberation) -> None:
    first, second = deliberation.propose("Ann", "a"), deliberation.propose("Bob", "b")
    deliberation.add_evaluations([(second, entry("Eve", 0.25))])
    with pytest.raises(EvaluationExistsError) as caught:
        deliberation.add_evaluations([(first, entry("Eve", 1.0)), (second, entry("Eve", 1.0))])
    assert str(caught.value) == (
        "'Eve' has evaluated 'Bob' in round 1, version 1, before; "
        "replace=True puts this one in its place"
    )
    assert deliberation.evaluations(first) == []
    assert deliberation.aggregated_score(first) is None


def test_add_evaluations__replacing__leaves_one_of_each_evaluator(
    deliberation: Deliberation,
) -> None:
    proposal = deliberation.propose("Ann", "a")
    deliberation.add_evaluations([(proposal, entry("Eve", 0.25)), (proposal, entry("Zoe", 1.0))])
    deliberation.add_evaluations([(proposal, entry("Eve", -1.0))], replace=True)
    assert deliberation.evaluations(proposal) == [entry("Zoe", 1.0), entry("Eve", -1.0)]
    assert deliberation.aggregated_score(proposal) == 0.0


@pytest.mark.parametrize(
    ("agents", "evaluator"),
    [(["Ann (x)"], "Ann"), (["Ann"], "Ann (x)"), (["Ann"], " ann"), (["Ann"], "Ann")],
)
def test_add_evaluations__of_ones_own__is_refused(
    deliberation: Deliberation, agents: list[str], evaluator: str
) -> None:
    for agent_id in agents:
        proposal = deliberation.propose(agent_id, "a")
    with pytest.raises(ArgumentError, match="and nobody evaluates itself"):
        deliberation.add_evaluations([(proposal, entry(evaluator, 1.0))])


def test_add_evaluations__by_one_who_may_be_two_agents__is_refused(
    deliberation: Deliberation,
) -> None:
    proposal, _ = (deliberation.propose(agent_id, "a") for agent_id in ("Ann (x)", "Ann (y)"))
    with pytest.raises(NotFoundError, match=r"'Ann' may be any of 'Ann \(x\)', 'Ann \(y\)'"):
        deliberation.add_evaluations([(proposal, entry("Ann", 1.0))])


@pytest.mark.parametrize("again", ["Eve", "eve ", "Eve (model)"])
def test_add_evaluations__by_the_same_evaluator_written_otherwise__is_a_second_one(
    deliberation: Deliberation, again: str
) -> None:
    proposal = deliberation.propose("Ann", "a")
    deliberation.add_evaluations([(proposal, entry("Eve", 0.25))])
    with pytest.raises(EvaluationExistsError):
        deliberation.add_evaluations([(proposal, entry(again, 1.0))])
    deliberation.add_evaluations([(proposal, entry(again, 1.0))], replace=True)
    assert deliberation.evaluations(proposal) == [entry(again, 1.0)]


def too_deep() -> object:
    value: object = 0
    for _ in range(500):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("evaluation", "reason"),
    [
        (Evaluation(score=math.nan), "cannot be kept as JSON: Out of range float"),
        (Evaluation(score=math.inf), "cannot be kept as JSON: Out of range float"),
        (Evaluation(extra={"x": {1}}), "cannot be kept as JSON: Object of type set"),
        (Evaluation(extra={"x": too_deep()}), "nests too deeply"),
        (Evaluation(score="high"), r"\$\.evaluation\.score: expected float"),  # type: ignore[arg-type]
    ],
    ids=["nan", "infinity", "set", "deep", "text"],
)
def test_add_evaluations__what_no_record_can_hold__is_refused(
    deliberation: Deliberation, evaluation: Evaluation, reason: str
) -> None:
    proposal = deliberation.propose("Ann", "a")
    bad = EvaluationEntry(evaluator_agent_id="Eve", evaluation=evaluation)
    with pytest.raises(RecordError, match=reason):
        deliberation.add_evaluations([(proposal, entry("Zoe", 1.0)), (proposal, bad)])
    assert deliberation.evaluations(proposal) == []


def test_add_evaluations__of_no_proposal__is_an_argument_error(deliberation: Deliberation) -> None:
    proposal = deliberation.propose("Ann", "a")
    for other in (("Ann", entry("Eve", 1.0)), (proposal,), proposal, (proposal, "agree")):
        with pytest.raises(ArgumentError, match="a pair of a Proposal and an EvaluationEntry, not"):
            deliberation.add_evaluations([other])  # type: ignore[list-item]


def test_add_evaluations__to_a_version_that_is_gone__is_an_error(
    deliberation: Deliberation,
) -> None:
    proposal = deliberation.propose("Ann", "a")
    deliberation.reset()
    with pytest.raises(NotFoundError, match="no agent is called 'Ann'; none has proposed"):
        deliberation.add_evaluations([(proposal, entry("Eve", 1.0))])
