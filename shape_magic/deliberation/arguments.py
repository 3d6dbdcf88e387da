"""Checks of what a call was given; each refusal is one line that says what would do."""

import math
from collections.abc import Iterable, Sequence

from shape_magic.deliberation.records import LAST_ROUND
from shape_magic.errors import ArgumentError
from shape_magic.wording import listed, quoted

__all__ = [
    "agent_id_text",
    "integer",
    "number",
    "round_number",
    "text",
    "texts",
    "version_number",
    "words",
]


def integer(name: str, value: object, *, least: int) -> int:
    """Check that a value is an integer that is not under the least."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ArgumentError(f"{name} is an integer from {least:,} up, not {quoted(value)}")
    if value < least:
        raise ArgumentError(f"{name} is {quoted(value)}, and the least is {least:,}")
    return value


def round_number(value: object) -> int:
    """Check that a value may number a round."""
    return _kept_number("round", value, least=0)


def version_number(value: object) -> int:
    """Check that a value may number a version."""
    return _kept_number("version", value, least=1)


def _kept_number(name: str, value: object, *, least: int) -> int:
    number = integer(name, value, least=least)
    if number > LAST_ROUND:
        raise ArgumentError(f"{name} is {quoted(value)}, and the highest is {LAST_ROUND}")
    return number


def number(name: str, value: object) -> float:
    """Check that a value is a finite number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ArgumentError(f"{name} is a number, not {quoted(value)}")
    try:
        converted = float(value)
    except OverflowError:
        converted = math.inf
    if not math.isfinite(converted):
        raise ArgumentError(f"{name} is a finite number, not {quoted(value)}")
    return converted


def text(name: str, value: object) -> str:
    """Check that a value is a str."""
    if not isinstance(value, str):
        raise ArgumentError(f"{name} is a str, not {type(value).__name__}")
    return value


def agent_id_text(value: object, *, name: str = "agent_id") -> str:
    """Check that a value may be an agent's id: any text but the empty one."""
    agent_id = text(name, value)
    if not agent_id:
        raise ArgumentError(f"{name} is empty; an agent is named by at least one character")
    return agent_id


def texts(name: str, value: object) -> list[str]:
    """Check that a value is a list of texts that are not empty; one text stands for itself."""
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, Iterable):
        raise ArgumentError(f"{name} is a list of texts, not {quoted(value)}")
    found = [text(f"each of {name}", one) for one in value]
    if "" in found:
        raise ArgumentError(
            f"{name} holds an empty text, which would match everything; leave it out"
        )
    return found


def words(name: str, value: object, known: Sequence[str]) -> list[str]:
    """Check that a value is a list of known words."""
    found = texts(name, value)
    for one in found:
        if one not in known:
            raise ArgumentError(f"{name} holds {quoted(one)}; there are {listed(known)}")
    return found
