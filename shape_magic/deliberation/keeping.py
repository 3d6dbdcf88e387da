"""Proposals kept in one SQLite database: proposing, listing and removing."""

import os
from pathlib import Path
from types import TracebackType
from typing import Self

from shape_magic.analyzers.registry import Registry, default_registry
from shape_magic.deliberation.arguments import agent_id_text, round_number, text
from shape_magic.deliberation.database import Database
from shape_magic.deliberation.encoding import measurement_columns
from shape_magic.deliberation.json_lines import file_path
from shape_magic.deliberation.proposal import Proposal
from shape_magic.deliberation.retrieval import find_row
from shape_magic.deliberation.store import Row, Store
from shape_magic.errors import ArgumentError, NotFoundError, StoreError
from shape_magic.wording import listed, quoted

__all__ = ["KeptProposals"]


class KeptProposals:
    """The part of a deliberation that keeps proposals; see `Deliberation`."""

    def __init__(
        self, *, registry: Registry | None = None, path: str | os.PathLike[str] | None = None
    ) -> None:
        """Make a deliberation in memory, measured by the default registry where none is given."""
        self._registry = registry
        self._store = Store(Database(None if path is None else file_path(path)))

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, registry: Registry | None = None) -> Self:
        """Open the deliberation in a file; a file that is not there yet is made.

        A `~` at the start is the home folder, here and wherever a path is given.
        A file that is no deliberation, or one of a newer release, raises StoreError and is left
        as it is.
        """
        return cls(registry=registry, path=path)

    @property
    def path(self) -> Path | None:
        """The file, None in memory."""
        return self._store.database.path

    @property
    def registry(self) -> Registry:
        """The analyzers that measure what is proposed."""
        return default_registry() if self._registry is None else self._registry

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._store.database.closed

    def close(self) -> None:
        """Close the file; what was in memory only is gone. Closing again does nothing."""
        self._store.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        place = "in memory" if self.path is None else f"at {self._store.database.name}"
        try:
            with self._store.database.reading():
                count, agents, rounds = self._store.count(), self.agents(), self.rounds()
        except StoreError as error:
            return f"<Deliberation: {error}>"
        if not count:
            return f"<Deliberation {place}: empty>"
        return (
            f"<Deliberation {place}: {count:,} proposal{'' if count == 1 else 's'}, "
            f"agents {listed(agents)}, rounds {listed(rounds)}>"
        )

    def propose(
        self,
        agent_id: str,
        content: str,
        *,
        round: int | None = None,
        thought_process: str = "",
        analyzer: str | None = None,
    ) -> Proposal:
        """Measure a solution and store it as the agent's proposal, by default of the current round.

        In a round where the agent has proposed, other content or other thoughts make a new
        version. The same content makes none, with the same thoughts or without any; where it
        comes out measured otherwise than before, as by a newer analyzer, the stored measurement
        is renewed.

        >>> from shape_magic import Deliberation
        >>> deliberation = Deliberation()
        >>> [deliberation.propose("Ann", text).version for text in ("a", "a", "b")]
        [1, 1, 2]
        """
        agent_id = agent_id_text(agent_id)
        content = text("content", content)
        thought_process = text("thought_process", thought_process)
        number = None if round is None else round_number(round)
        measurement = self.registry.measure(content, analyzer=analyzer)
        measured = measurement_columns(measurement, content=content)
        with self._store.database.transaction():
            row = self._store.propose(
                agent_id, measured, round=number, content=content, thoughts=thought_process
            )
            return self._store.proposal(row)

    @property
    def current_round(self) -> int:
        """The highest round there is, 1 where there is none."""
        return self._store.current_round()

    def rounds(self) -> list[int]:
        """Give the rounds that have a proposal, in order."""
        return self._store.rounds()

    def agents(self, *, round: int | None = None) -> list[str]:
        """Give the ids of the agents that proposed, in one round or in any, in order."""
        return self._store.agents(None if round is None else round_number(round))

    def proposal(
        self, agent_id: str, *, round: int | None = None, version: int | None = None
    ) -> Proposal:
        """Give an agent's proposal, by default the latest version of its latest round."""
        with self._store.database.reading():
            return self._store.proposal(
                find_row(self._store, agent_id, round=round, version=version)
            )

    def proposals(self, *, round: int | None = None) -> list[Proposal]:
        """Give the latest versions of one round, or of every round, by round and agent."""
        rounds = None if round is None else [round_number(round)]
        with self._store.rows(rounds=rounds) as rows:
            return [self._store.proposal(row) for row in rows]

    def versions(self, agent_id: str, *, round: int | None = None) -> list[Proposal]:
        """Give all versions of an agent's proposal, the first one first.

        By default they are those of the agent's latest round.
        """
        with self._store.database.reading():
            found = find_row(self._store, agent_id, round=round)
            with self._store.rows(
                rounds=[found.round], agent_ids=[found.agent_id], latest=False
            ) as rows:
                return [self._store.proposal(one) for one in rows]

    def remove(
        self,
        agent_id: str | None = None,
        *,
        round: int | None = None,
        version: int | None = None,
    ) -> int:
        """Remove an agent, a round, an agent's proposal in a round, or one version of that.

        Their evaluations go with them. Gives how many versions were removed; where there is
        nothing that matches, NotFoundError says what there is.
        """
        if agent_id is None:
            if round is None or version is not None:
                raise ArgumentError(
                    "remove() takes an agent_id, a round, or both, and a version beside both; "
                    "reset() removes everything"
                )
            number = round_number(round)
            with self._store.database.transaction():
                self._check_round(number)
                return self._store.remove(round=number)
        if version is not None and round is None:
            raise ArgumentError("a version is removed from a round; give round, too")
        with self._store.database.transaction():
            row = find_row(self._store, agent_id, round=round, version=version)
            return self._store.remove(agent_id=row.agent_id, round=round, version=version)

    def reset(self) -> int:
        """Remove everything, and give how many versions that were."""
        return self._store.remove()

    def _check_round(self, round: int) -> None:
        rounds = self._store.rounds()
        if round not in rounds:
            there_are = f"there are rounds {listed(rounds)}" if rounds else "nobody has proposed"
            raise NotFoundError(f"round {round} has no proposals; {there_are}")

    def _version(self, agent_id: str | Proposal, round: int | None, version: int | None) -> Row:
        if isinstance(agent_id, Proposal):
            one = agent_id
            row = find_row(self._store, one.agent_id, round=one.round, version=one.version)
            if (row.agent_id, row.content, row.thought_process) != (
                one.agent_id,
                one.content,
                one.thought_process,
            ):
                raise NotFoundError(
                    f"{quoted(row.agent_id)} has another proposal as round {row.round}, version "
                    f"{row.version}: the one that was given is not kept any more"
                )
            return row
        return find_row(self._store, agent_id, round=round, version=version)
