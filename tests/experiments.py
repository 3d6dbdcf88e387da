"""Deliberations to run experiments on, and judges that reply at once."""

from collections.abc import Callable

from shape_magic.deliberation import Deliberation
from shape_magic.deliberation.prompts import EvaluationPrompt
from tests.servers.evaluator import Bias, Evaluator

__all__ = ["AGENTS", "TASK", "fill_rounds", "judge"]

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
