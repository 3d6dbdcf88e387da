"""A deliberation to try things on, and what it holds."""

from shape_magic.deliberation import Deliberation
from shape_magic.deliberation.records import Evaluation, EvaluationEntry


def entry(evaluator: str, score: float | None, *, synthetic: bool = False) -> EvaluationEntry:
    """Make an evaluation as a record has it."""
    return EvaluationEntry(
        evaluator_agent_id=evaluator,
        evaluation=Evaluation(score=score, justification=f"by {evaluator}"),
        synthetic=synthetic,
    )


def filled(deliberation: Deliberation) -> None:
    """Let two agents propose twice in each of two rounds, and evaluate the latest ones."""
    for agent_id in ("Ann", "Bob"):
        for number in (1, 2):
            for text in ("x", "y"):
                deliberation.propose(agent_id, f"{agent_id} {number} {text}", round=number)
    proposals = deliberation.proposals()
    deliberation.add_evaluations([(proposal, entry("Eve", 0.25)) for proposal in proposals])


def everything(deliberation: Deliberation) -> set[tuple[str, int, int]]:
    """Give every version that there is, as (agent, round, version)."""
    return {
        (proposal.agent_id, proposal.round, proposal.version)
        for agent_id in deliberation.agents()
        for number in deliberation.rounds()
        if agent_id in deliberation.agents(round=number)
        for proposal in deliberation.versions(agent_id, round=number)
    }
