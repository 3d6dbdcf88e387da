"""Deliberations to run experiments on, and judges that reply at once."""

from collections.abc import Callable

from shape_magic.deliberation import Deliberation
from shape_magic.deliberation.matrix import Matrix, MatrixEvaluation, MatrixRow
from shape_magic.deliberation.prompts import EvaluationPrompt
from shape_magic.shape import Shape
from shape_magic.vocabulary import CATEGORY_NAMES
from tests.servers.evaluator import Bias, Evaluator

__all__ = ["AGENTS", "TASK", "fill_rounds", "judge", "large_matrix"]

TASK = "Name a `queue`, a `lock`, what happens at `night`, and a `limit`."
AGENTS = ("Ann", "Bob", "Cleo")
_WORDS = ("queue", "lock", "night", "limit")


def fill_rounds(deliberation: Deliberation, count: int, *, first: int = 1) -> None:
    """Let three agents propose in each round; what a text is worth does not go with its length."""
    for number in range(first, first + count):
        for place, agent_id in enumerate(AGENTS):
            worth = (number * 7 + place * 3) % 5
            named = "".join(f"- the {word}\n" for word in _WORDS[:worth])
            padding = "It is worth recalling. " * ((number * 5 + place * 11) % 13)
            deliberation.propose(agent_id, f"Round {number}. {padding}\n\n{named}", round=number)
        deliberation.set_task(number, TASK)


def judge(bias: Bias = "honest") -> Callable[[EvaluationPrompt], str]:
    """Make a judge that reads the prompt, and replies at once without a tool."""
    evaluator = Evaluator(bias)
    return lambda prompt: evaluator.reply(prompt.text)


def large_matrix(candidates: int, *, arms: int, evaluators: int, trials: int) -> Matrix:
    """Make a matrix of many candidates in one round, all of them evaluated in every arm."""
    names = [f"arm {n}" for n in range(arms)]
    rows = []
    for n in range(candidates):
        scores = {
            name: -90.0 + (n * 7 + at) % 180 + 1 / 3 for at, name in enumerate(CATEGORY_NAMES)
        }
        evaluations = tuple(
            MatrixEvaluation(
                evaluator_agent_id=f"Judge {judge}",
                arm=arm,
                trial=trial + 1,
                synthetic=False,
                score=0.25,
                endorsement_weight=20.0,
                category_scores=scores,
                stance="agree",
                prompt=f"{judge}{trial}{arm}",
            )
            for arm in names
            for judge in range(evaluators)
            for trial in range(trials)
        )
        rows.append(
            MatrixRow(
                round=1,
                agent_id=f"Candidate {n}",
                shape=Shape(chars=100 * n),
                scores={arm: {"aggregated_score": 0.5, **scores} for arm in names},
                evaluations=evaluations,
            )
        )
    return Matrix(rows=tuple(rows), arms=tuple(names), score="conciseness")
