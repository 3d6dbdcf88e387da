"""Checks of what a call was given; each refusal is one line that says what would do."""

import math
import operator
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import SupportsFloat

import msgspec

from shape_magic.deliberation.records import LAST_ROUND
from shape_magic.errors import ArgumentError
from shape_magic.wording import listed, quoted

__all__ = [
    "Described",
    "agent_id_text",
    "described",
    "file_path",
    "integer",
    "number",
    "round_number",
    "text",
    "texts",
    "version_number",
    "words",
]


class Described(msgspec.Struct, frozen=True):
    """What a model is told of a tool's argument, and of each item where it is a list."""

    description: str
    schema: dict[str, object]


def described(description: str, **schema: object) -> Described:
    """Describe a tool's argument, with what its schema has beside the type."""
    return Described(description, schema)


def integer(name: str, value: object, *, least: int | None = None) -> int:
    """Check that a value is an integer, of whatever type, that is not under the least."""
    wanted = "an integer" if least is None else f"an integer from {least:,} up"
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)  # type: ignore[arg-type]  # That is what is asked here.
    except TypeError:
        raise ArgumentError(f"{name} is {wanted}, not {quoted(value)}") from None
    if least is not None and number < least:
        raise ArgumentError(f"{name} is {quoted(number)}, and the least is {least:,}")
    return number


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
    # A number of another package, as numpy's, converts to a float; a text would, too.
    if isinstance(value, (bool, str)) or not isinstance(value, SupportsFloat):
        raise ArgumentError(f"{name} is a number, not {quoted(value)}")
    try:
        converted = float(value)
    except (OverflowError, ValueError):
        converted = math.inf
    except TypeError:
        raise ArgumentError(f"{name} is a number, not {quoted(value)}") from None
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
    found = [text(f"each of {name}", item) for item in value]
    if "" in found:
        raise ArgumentError(
            f"{name} holds an empty text, which would match everything; leave it out"
        )
    return found


def words(name: str, value: object, known: Sequence[str]) -> list[str]:
    """Check that a value is a list of known words, whatever their case."""
    found = [word.casefold() for word in texts(name, value)]
    for word in found:
        if word not in known:
            raise ArgumentError(f"{name} holds {quoted(word)}; there are {listed(known)}")
    return found


def file_path(path: str | os.PathLike[str]) -> Path:
    """Make a path of what a caller gave; a `~` at the start is the home folder."""
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentError(f"a path is a str or a Path, not {type(path).__name__}")
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise ArgumentError(f"{str(path)!r}: there is no such home folder") from None
