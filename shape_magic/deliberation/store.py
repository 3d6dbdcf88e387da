"""The table of a deliberation's proposals, version by version.

Agents are taken here as they are written; finding one by half a name is `agents.py`. What reading
needs is stored with a proposal, so nothing is measured again.
"""

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

from shape_magic.deliberation.encoding import (
    Columns,
    decoded,
    decoded_shape,
    encoded,
    json_line,
    measurement_of,
)
from shape_magic.deliberation.kept_evaluations import KeptEvaluations
from shape_magic.deliberation.proposal import Proposal
from shape_magic.deliberation.rows import COLUMNS, ROUND, Row, row_of, where

__all__ = ["Row", "Store"]


class Store(KeptEvaluations):
    """What is kept in a database; each method is one transaction, or part of the one it is in."""

    def current_round(self) -> int:
        """Give the highest round, 1 where there is none."""
        with self.database.reading() as connection:
            (highest,) = connection.execute("SELECT max(round) FROM versions").fetchone()
        return 1 if highest is None else int(highest)

    def count(self) -> int:
        """Count the proposals, each by its latest version."""
        with self.database.reading() as connection:
            (count,) = connection.execute(
                "SELECT count(*) FROM versions WHERE latest = 1"
            ).fetchone()
        return int(count)

    def rounds(self, agent_id: str | None = None) -> list[int]:
        """Give the rounds that have a proposal, of one agent or of any, in order."""
        condition, values = where(agent=agent_id)
        with self.database.reading() as connection:
            found = connection.execute(
                f"SELECT DISTINCT round FROM versions {condition} ORDER BY round", values
            )
            return [number for (number,) in found]

    def agents(self, round: int | None = None) -> list[str]:
        """Give the ids of the agents that proposed, in a round or in any, in order."""
        condition, values = where(round=round)
        with self.database.reading() as connection:
            found = connection.execute(
                f"SELECT DISTINCT agent FROM versions {condition} ORDER BY agent", values
            )
            return [decoded(agent) for (agent,) in found]

    def versions(self, agent_id: str, *, round: int | None = None) -> list[int]:
        """Give the versions of an agent's proposals, in a round or in its latest one, in order."""
        with self.database.reading() as connection:
            found = connection.execute(
                f"SELECT version FROM versions WHERE agent = :agent AND round = {ROUND} "
                "ORDER BY version",
                {"agent": encoded(agent_id), "round": round},
            )
            return [version for (version,) in found]

    def row(
        self, agent_id: str, *, round: int | None = None, version: int | None = None
    ) -> Row | None:
        """Give a version: by default the highest of the round, by default the agent's latest."""
        with self.database.reading() as connection:
            found = connection.execute(
                f"SELECT {COLUMNS} FROM versions WHERE agent = :agent AND round = {ROUND} "
                "AND version = coalesce(:version, version) ORDER BY version DESC LIMIT 1",
                {"agent": encoded(agent_id), "round": round, "version": version},
            ).fetchone()
        return None if found is None else row_of(found)

    @contextlib.contextmanager
    def rows(
        self,
        *,
        rounds: Iterable[int] | None = None,
        agent_ids: Iterable[str] | None = None,
        latest: bool = True,
    ) -> Iterator[Iterator[Row]]:
        """Give versions by round, agent and version, of all rounds and agents or of those named.

        They are read one by one, as they stand at one moment. When the context ends they end, so
        that none which an error's traceback keeps alive holds on to the database.
        """
        conditions = ["latest = 1"] if latest else []
        values: list[object] = []
        for column, wanted in (
            ("round", None if rounds is None else list(rounds)),
            ("agent", None if agent_ids is None else [encoded(one) for one in agent_ids]),
        ):
            if wanted is not None:
                conditions.append(f"{column} IN ({', '.join('?' * len(wanted))})")
                values += wanted
        condition = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        with self.database.reading() as connection:
            found = connection.execute(
                f"SELECT {COLUMNS} FROM versions {condition} ORDER BY round, agent, version",
                values,
            )
            try:
                yield map(row_of, found)
            finally:
                found.close()

    def proposal(self, row: Row) -> Proposal:
        """Give a version's proposal, with its measurement as it was stored."""
        with self.database.reading() as connection:
            kind, analyzer, details = connection.execute(
                "SELECT kind, analyzer, details FROM versions WHERE id = ?", (row.id,)
            ).fetchone()
            previous = connection.execute(
                "SELECT shape FROM versions WHERE agent = ? AND (round, version) < (?, ?) "
                "ORDER BY round DESC, version DESC LIMIT 1",
                (encoded(row.agent_id), row.round, row.version),
            ).fetchone()
        return Proposal(
            agent_id=row.agent_id,
            round=row.round,
            version=row.version,
            content=row.content,
            thought_process=row.thought_process,
            measurement=measurement_of(
                kind=kind,
                analyzer=analyzer,
                shape=row.shape_data,
                text=row.text,
                details=details,
            ),
            previous_shape=None if previous is None else decoded_shape(previous[0]),
        )

    def columns(self, row_id: int) -> Columns:
        """Give a version's measurement as its columns."""
        names = ("kind", "analyzer", "shape", "readable", "details")
        with self.database.reading() as connection:
            found = connection.execute(
                f"SELECT {', '.join(names)} FROM versions WHERE id = ?", (row_id,)
            ).fetchone()
        return dict(zip(names, found, strict=True))

    def propose(
        self,
        agent_id: str,
        measured: Columns,
        *,
        round: int | None,
        content: str,
        thoughts: str | None,
    ) -> Row:
        """Store a proposal with its measurement's columns, and give its version.

        The same content with the same thoughts, or none, makes no new version; where it was
        measured otherwise before, as by an older analyzer, its measurement is renewed.
        """
        with self.database.transaction() as connection:
            number = self.current_round() if round is None else round
            last = self.row(agent_id, round=number)
            same = (
                last is not None
                and last.content == content
                and (not thoughts or thoughts == last.thought_process)
            )
            if last is not None and same:
                row_id = last.id
                setting = ", ".join(f"{column} = :{column}" for column in measured)
                connection.execute(
                    f"UPDATE versions SET {setting} WHERE id = :id", {**measured, "id": row_id}
                )
                return self._row_by_id(row_id)
            return self.insert(agent_id, measured, round=number, content=content, thoughts=thoughts)

    def insert(
        self,
        agent_id: str,
        measured: Columns,
        *,
        round: int,
        content: str,
        thoughts: str | None,
    ) -> Row:
        """Store a new version of a proposal, also where its text is that of an earlier one."""
        with self.database.transaction() as connection:
            last = self.row(agent_id, round=round)
            if last is not None:
                connection.execute("UPDATE versions SET latest = 0 WHERE id = ?", (last.id,))
            columns = {
                "round": round,
                "agent": encoded(agent_id),
                "version": 1 if last is None else last.version + 1,
                "latest": 1,
                "content": encoded(content),
                "thoughts": None if thoughts is None else encoded(thoughts),
                **measured,
            }
            names = ", ".join(columns)
            places = ", ".join(f":{column}" for column in columns)
            inserted = connection.execute(
                f"INSERT INTO versions ({names}) VALUES ({places})", columns
            )
            assert inserted.lastrowid is not None
            return self._row_by_id(inserted.lastrowid)

    def _row_by_id(self, row_id: int) -> Row:
        with self.database.reading() as connection:
            found = connection.execute(f"SELECT {COLUMNS} FROM versions WHERE id = ?", (row_id,))
            return row_of(found.fetchone())

    def set_unknown(self, row_id: int, unknown: Any) -> None:
        """Set what a transcript's record held beside the fields that have columns."""
        with self.database.transaction() as connection:
            connection.execute(
                "UPDATE versions SET unknown = ? WHERE id = ?", (json_line(unknown), row_id)
            )

    def remove(
        self,
        *,
        agent_id: str | None = None,
        round: int | None = None,
        version: int | None = None,
    ) -> int:
        """Remove what matches, with its evaluations, and give how many versions that were.

        With no condition, everything is removed.
        """
        condition, values = where(agent=agent_id, round=round, version=version)
        with self.database.transaction() as connection:
            removed = connection.execute(f"DELETE FROM versions {condition}", values).rowcount
            if version is not None:
                # The highest version that is left is the latest one now.
                condition, values = where(agent=agent_id, round=round)
                connection.execute(
                    f"UPDATE versions SET latest = 1 WHERE id = (SELECT id FROM versions "
                    f"{condition} ORDER BY version DESC LIMIT 1)",
                    values,
                )
        return removed

    def analyzers(self) -> dict[tuple[int, str], tuple[str, str]]:
        """Give the kind and the analyzer of each latest version, by round and agent."""
        with self.database.reading() as connection:
            found = connection.execute(
                "SELECT round, agent, kind, analyzer FROM versions WHERE latest = 1"
            )
            return {
                (number, decoded(agent)): (decoded(kind), decoded(analyzer))
                for number, agent, kind, analyzer in found
            }
