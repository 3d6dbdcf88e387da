"""Finding an agent by what a reader calls it."""

import difflib
import heapq
import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from shape_magic.errors import NotFoundError

__all__ = ["find_agent", "known_as", "listed", "plain_id", "shown"]

_SHOWN_LENGTH: Final = 80
_LISTED: Final = 10
_COMPARED_LENGTH: Final = 100

_NAME_AND_MODEL: Final = re.compile(r"(?P<name>.*\S)\s+\([^()]*\)\s*", re.DOTALL)


def find_agent(asked: str, known: Sequence[str]) -> str:
    """Give the id that is meant.

    That is the exact one, else the one that is equal without regard to case and surrounding
    space, else the one whose name before ` (model)` is. More than one or none raises
    NotFoundError, which names the matches or, the nearest first, the ids there are.

    >>> find_agent("ann", ["Ann (model-x)", "Bob (model-x)"])
    'Ann (model-x)'
    """
    found = _the_one(asked, known, (plain_id, _plain_name))
    if found is not None:
        return found
    if not known:
        raise NotFoundError(f"no agent is called {shown(asked)}; none has proposed")
    raise NotFoundError(
        f"no agent is called {shown(asked)}; there are {listed(nearest(asked, known))}"
    )


def known_as(evaluator: str, known: Sequence[str]) -> str | None:
    """Give the known id that an evaluator is, None where it is none of them.

    It is found as an agent is, and also where the known id is the name before its ` (model)`.
    More than one match raises NotFoundError.

    >>> known_as("judge (model-x)", ["Ann", "Judge"])
    'Judge'
    """
    found = _the_one(evaluator, known, (plain_id, _plain_name))
    name = _plain_name(evaluator)
    if found is not None or name is None:
        return found
    return _the_one(evaluator, known, (plain_id,), wanted=name)


def _the_one(
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
        matches = [one for one in dict.fromkeys(known) if form(one) == wanted]
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise NotFoundError(f"{shown(asked)} may be any of {listed(matches)}; give one exactly")
    return None


def nearest(asked: str, known: Iterable[str]) -> list[str]:
    """Order ids by how near they are to what was asked for, the nearest first."""
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(plain_id(asked)[:_COMPARED_LENGTH])

    def nearness(one: str) -> float:
        matcher.set_seq1(plain_id(one)[:_COMPARED_LENGTH])
        # Letters in common tell well enough, and a misspelt id must not take seconds.
        return matcher.quick_ratio()

    ids = list(known)
    best = heapq.nlargest(_LISTED, ids, key=nearness)
    chosen = set(best)
    return [*best, *(one for one in ids if one not in chosen)]


def shown(value: object) -> str:
    """Write a value for one line of a message: quoted, escaped and cut."""
    try:
        written = repr(value)
    except (ValueError, RecursionError):
        # Python writes no integer of more than some thousand digits, and nothing very deep.
        if isinstance(value, int):
            digits = int(value.bit_length() * math.log10(2))
            written = f"about {'-' if value < 0 else ''}10**{digits}"
        else:
            written = f"a {type(value).__name__} that is too large to write"
    return written if len(written) <= _SHOWN_LENGTH else f"{written[: _SHOWN_LENGTH - 1]}…"


def listed(values: Sequence[object]) -> str:
    """Write the first values of a list, and how many more there are."""
    names = ", ".join(shown(one) for one in values[:_LISTED])
    more = len(values) - _LISTED
    return f"{names} and {more:,} more" if more > 0 else names


def plain_id(agent_id: str) -> str:
    """Write an id without regard to case and surrounding space."""
    return agent_id.strip().casefold()


def _plain_name(agent_id: str) -> str | None:
    match = _NAME_AND_MODEL.fullmatch(agent_id)
    return plain_id(match["name"]) if match else None
