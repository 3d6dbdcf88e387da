"""Finding an agent by what a reader calls it."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from shape_magic.errors import NotFoundError
from shape_magic.wording import listed, nearest, quoted

__all__ = ["find_agent", "known_as", "plain_id"]

_NAME_AND_MODEL: Final = re.compile(r"(?P<name>.*\S)\s+\([^()]*\)\s*", re.DOTALL)


def find_agent(asked: str, known: Sequence[str]) -> str:
    """Give the id that is meant.

    That is the exact one, else the one that is equal without regard to case and surrounding
    space, else the one whose name before ` (model)` is. More than one or none raises
    NotFoundError, which names the matches or, the nearest first, the ids there are.

    >>> find_agent("ann", ["Ann (model-x)", "Bob (model-x)"])
    'Ann (model-x)'
    """
    found = _only_match(asked, known, (plain_id, _plain_name))
    if found is not None:
        return found
    if not known:
        raise NotFoundError(f"no agent is called {quoted(asked)}; none has proposed")
    raise NotFoundError(
        f"no agent is called {quoted(asked)}; there are {listed(nearest(asked, known))}"
    )


def known_as(evaluator: str, known: Sequence[str]) -> str | None:
    """Find the known id of an evaluator; None where it is not known.

    It is found as an agent is, and also where the known id is the name before its ` (model)`.
    More than one match raises NotFoundError.

    >>> known_as("judge (model-x)", ["Ann", "Judge"])
    'Judge'
    """
    found = _only_match(evaluator, known, (plain_id, _plain_name))
    name = _plain_name(evaluator)
    if found is not None or name is None:
        return found
    return _only_match(evaluator, known, (plain_id,), wanted=name)


def _only_match(
    asked: str,
    known: Sequence[str],
    forms: Iterable[Callable[[str], str | None]],
    *,
    wanted: str | None = None,
) -> str | None:
    if asked in known:
        return asked
    wanted = plain_id(asked) if wanted is None else wanted
    for form in forms:
        matches = [agent_id for agent_id in dict.fromkeys(known) if form(agent_id) == wanted]
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise NotFoundError(
                f"{quoted(asked)} may be any of {listed(matches)}; give one exactly"
            )
    return None


def plain_id(agent_id: str) -> str:
    """Write an id without regard to case and surrounding space."""
    return agent_id.strip().casefold()


def _plain_name(agent_id: str) -> str | None:
    match = _NAME_AND_MODEL.fullmatch(agent_id)
    return plain_id(match["name"]) if match else None
