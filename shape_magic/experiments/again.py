"""How a reply that could not be taken is asked for again."""

from collections.abc import Iterable
from typing import Final

import msgspec

from shape_magic.deliberation.prompts import EvaluationPrompt
from shape_magic.guard import guarded

__all__ = ["asked_again"]

_LONGEST: Final = 20_000
"""How many characters of the reply are shown again."""
_NAMED: Final = 30
"""How many of its problems are."""


def asked_again(
    prompt: EvaluationPrompt, *, reply: str, problems: Iterable[str]
) -> EvaluationPrompt:
    """Give a prompt that ends with the reply it was given, and what was wrong with it.

    It is the same prompt otherwise, with its digest and its tools.
    """
    cut = reply[:_LONGEST]
    more = len(reply) - len(cut)
    parts = [
        prompt.text,
        "",
        "You replied to this before, and nothing of your reply was taken:",
        f"<your_reply>\n{guarded(cut)}\n</your_reply>",
    ]
    if more:
        parts.append(f"[{more:,} more characters]")
    parts.append("What is wrong with it:")
    named = list(problems)
    parts += [f"- {guarded(problem)}" for problem in named[:_NAMED]]
    if len(named) > _NAMED:
        parts.append(f"- and {len(named) - _NAMED:,} more")
    parts.append("Reply again, whole, in the form that is asked for above.")
    return msgspec.structs.replace(prompt, text="\n".join(parts))
