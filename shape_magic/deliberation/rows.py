"""A version of a proposal as a row of its table."""

from typing import Any, Final

import msgspec

from shape_magic.deliberation.encoding import (
    damage_reported,
    decoded,
    decoded_json,
    decoded_shape,
    encoded,
)
from shape_magic.shape import Shape

__all__ = ["COLUMNS", "ROUND", "Row", "row_of", "where"]

COLUMNS: Final = "id, round, agent, version, shape, score, content, thoughts, readable, unknown"
ROUND: Final = "coalesce(:round, (SELECT max(round) FROM versions WHERE agent = :agent))"


class Row(msgspec.Struct, frozen=True):
    """A version of a proposal as it is stored, without its measurement's details."""

    id: int
    round: int
    agent_id: str
    version: int
    shape_data: bytes
    aggregated_score: float | None
    content: str
    thoughts: str | None
    text: str
    """The readable form."""
    unknown: Any
    """What a transcript's record held beside the known fields, None where there was no record."""

    @property
    def shape(self) -> Shape:
        """The eight attributes."""
        return decoded_shape(self.shape_data)

    @property
    def thought_process(self) -> str:
        """The thoughts; empty where a record had null."""
        return self.thoughts or ""


def where(
    *, agent: str | None = None, round: int | None = None, version: int | None = None
) -> tuple[str, list[object]]:
    """Write the condition for what is named, and its values."""
    wanted = {
        "agent": None if agent is None else encoded(agent),
        "round": round,
        "version": version,
    }
    named = {column: value for column, value in wanted.items() if value is not None}
    if not named:
        return "", []
    return f"WHERE {' AND '.join(f'{column} = ?' for column in named)}", list(named.values())


def row_of(found: tuple[Any, ...]) -> Row:
    """Read a row of the `COLUMNS`."""
    row_id, number, agent, version, shape, score, content, thoughts, readable, unknown = found
    with damage_reported("a proposal"):
        text = decoded(content)
        return Row(
            id=row_id,
            round=number,
            agent_id=decoded(agent),
            version=version,
            shape_data=shape,
            aggregated_score=score,
            content=text,
            thoughts=None if thoughts is None else decoded(thoughts),
            text=text if readable is None else decoded(readable),
            unknown=None if unknown is None else decoded_json(unknown),
        )
