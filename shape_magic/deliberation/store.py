"""What a deliberation keeps: versions, measurements, evaluations, prompts, templates and replies.

Agents are taken here as they are written; finding one by half a name is `agents.py`. What reading
needs is stored with a version, so nothing is measured again.
"""

import contextlib
import itertools
import json
import math
import operator
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

import msgspec

from shape_magic.deliberation.database import Database
from shape_magic.deliberation.encoding import (
    decoded,
    encoded,
    json_line,
    without_justification,
)
from shape_magic.deliberation.proposal import Proposal
from shape_magic.deliberation.records import EvaluationEntry, read_record, to_wire
from shape_magic.errors import ArgumentError, StoreError
from shape_magic.shape import Anchor, Evidence, Meanings, Measurement, Note, Shape
from shape_magic.wording import quoted

__all__ = [
    "EvaluationColumns",
    "KeptCandidate",
    "KeptColumns",
    "KeptEvaluation",
    "KeptPrompt",
    "KeptReply",
    "MeasurementColumns",
    "Row",
    "RowColumns",
    "Store",
    "aggregated_score",
    "evaluation_columns",
    "kept_of",
    "mean",
    "measurement_columns",
    "measurement_of",
    "row_of",
    "trials_of",
]

_ROW: Final = (
    "versions.id, round, agent, version, measurement, measurements.shape, score, content, "
    "thoughts, readable, unknown"
)
_DISPLAYED: Final = "versions JOIN measurements ON measurements.id = versions.measurement"
_ROUND: Final = "coalesce(:round, (SELECT max(round) FROM versions WHERE agent = :agent))"
_EVALUATION: Final = "evaluations.id, proposal, evaluations.measurement, arm, justification, record"

Outcome = Literal["", "taken", "refused", "failed"]
"""What became of a reply: '' until it was read."""


RowColumns = tuple[Any, ...]
"""A version's columns, in the order of the fields of `Row`; a text that is the content is None."""

KeptColumns = tuple[int, int, int, bytes, bytes | None, bytes]
"""An evaluation's columns, in the order of the fields of `KeptEvaluation`."""


class Row(msgspec.Struct, frozen=True):
    """A version of a proposal with its latest measurement's figures, without that one's details."""

    id: int
    round: int
    agent_id: str
    version: int
    measurement: int
    """The id of the latest measurement, which is displayed."""
    shape_data: bytes
    aggregated_score: float | None
    content: str
    thoughts: str | None
    text: str
    """The readable form."""
    unknown_data: bytes | None = None

    @property
    def shape(self) -> Shape:
        """The eight attributes."""
        return _shape(self.shape_data)

    @property
    def thought_process(self) -> str:
        """The thoughts; empty where a record had null."""
        return self.thoughts or ""

    @property
    def unknown(self) -> Any:
        """What a transcript's record held beside the known fields, None where there was none."""
        if self.unknown_data is None:
            return None
        with _damage_reported("a record"):
            return json.loads(decoded(self.unknown_data))


class MeasurementColumns(NamedTuple):
    """A measurement as the columns of its table, which are far smaller than itself."""

    kind: bytes
    analyzer: bytes
    shape: bytes
    readable: bytes | None
    """The readable form; None where it is the content."""
    details: bytes


class EvaluationColumns(NamedTuple):
    """An evaluation as the columns of its table, but for what it is of."""

    evaluator: bytes
    arm: bytes
    trial: int
    prompt: bytes | None
    place: int | None
    key: bytes | None
    justification: bytes | None
    record: bytes
    """The wire record without the justification."""

    @property
    def said(self) -> tuple[bytes | None, bytes]:
        """What tells two evaluations apart: the whole wire record."""
        return self.justification, self.record


class KeptEvaluation(msgspec.Struct, frozen=True):
    """An evaluation as it is kept."""

    id: int
    row_id: int
    """The version's."""
    measurement: int
    """The id of the measurement that the evaluator was shown."""
    arm: str
    justification: bytes | None
    record: bytes
    """The wire record without the justification."""

    @property
    def entry(self) -> EvaluationEntry:
        """The wire record."""
        return read_record(EvaluationEntry, self.wire)

    @property
    def wire(self) -> dict[str, Any]:
        """The wire record as parsed JSON."""
        with _damage_reported("an evaluation"):
            wire = json.loads(decoded(self.record))
        if not isinstance(wire, dict) or not isinstance(wire.get("evaluation"), dict):
            raise StoreError("the deliberation's file is damaged: an evaluation cannot be read")
        if self.justification is not None:
            wire["evaluation"]["justification"] = decoded(self.justification)
        return wire


class KeptCandidate(msgspec.Struct, frozen=True):
    """A candidate as an evaluator was shown it."""

    place: int
    """From 1 on; 0 for the evaluator's own proposal; below 0 for one of an earlier round, which the
    prompt's tools reach and its text does not show."""
    key: str
    agent_id: str
    version: int
    row_id: int | None
    """The version's id; None once that was removed."""
    measurement: int | None
    """The id of the measurement that was shown."""


class KeptPrompt(msgspec.Struct, frozen=True, kw_only=True):
    """An evaluation prompt as it was shown."""

    digest: str
    round: int
    evaluator: str | None
    trial: int = 1
    template: str
    """The template's name, which is the arm's."""
    task: str
    seed: int | None
    anonymous: bool
    text: str
    candidates: tuple[KeptCandidate, ...]


class KeptReply(msgspec.Struct, frozen=True, kw_only=True):
    """One reply that a judge was asked for."""

    prompt: str
    """The prompt's digest."""
    judge: str
    trial: int
    attempt: int
    started: float
    """When it was asked for, in seconds since 1970."""
    seconds: float | None = None
    reply: str | None = None
    """None until it came."""
    usage: dict[str, Any] | None = None
    error: str | None = None
    """Why no reply came."""
    outcome: Outcome = ""
    problems: tuple[str, ...] = ()


class Store:
    """What is kept in a database; each method is one transaction, or part of the one it is in."""

    def __init__(self, database: Database) -> None:
        self.database = database

    # Rounds, agents and versions

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
        table = "versions" if agent_id is None else "(SELECT round FROM versions WHERE agent = ?)"
        values = [] if agent_id is None else [encoded(agent_id)]
        with self.database.reading() as connection:
            return [number for (number,) in _distinct(connection, "round", table, values)]

    def has_round(self, round: int) -> bool:
        """Tell whether a round has a proposal."""
        with self.database.reading() as connection:
            found = connection.execute("SELECT 1 FROM versions WHERE round = ? LIMIT 1", (round,))
            return found.fetchone() is not None

    def agents(self, round: int | None = None) -> list[str]:
        """Give the ids of the agents that proposed, in a round or in any, in order."""
        table = "versions" if round is None else "(SELECT agent FROM versions WHERE round = ?)"
        values = [] if round is None else [round]
        with self.database.reading() as connection:
            return [decoded(agent) for (agent,) in _distinct(connection, "agent", table, values)]

    def versions(self, agent_id: str, *, round: int | None = None) -> list[int]:
        """Give the versions of an agent's proposals, in a round or in its latest one, in order."""
        with self.database.reading() as connection:
            found = connection.execute(
                f"SELECT version FROM versions WHERE agent = :agent AND round = {_ROUND} "
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
                f"SELECT {_ROW} FROM {_DISPLAYED} WHERE agent = :agent AND round = {_ROUND} "
                "AND version = coalesce(:version, version) ORDER BY version DESC LIMIT 1",
                {"agent": encoded(agent_id), "round": round, "version": version},
            ).fetchone()
        return None if found is None else row_of(found)

    def row_by_id(self, row_id: int, measurement: int | None = None) -> Row:
        """Give the version of an id, with its latest measurement or another one of it."""
        with self.database.reading() as connection:
            found = connection.execute(
                f"SELECT {_ROW} FROM versions JOIN measurements "
                "ON measurements.id = coalesce(?, versions.measurement) WHERE versions.id = ?",
                (measurement, row_id),
            )
            return row_of(found.fetchone())

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
        with self.row_columns(rounds=rounds, agent_ids=agent_ids, latest=latest) as found:
            yield map(row_of, found)

    @contextlib.contextmanager
    def row_columns(
        self,
        *,
        rounds: Iterable[int] | None = None,
        agent_ids: Iterable[str] | None = None,
        latest: bool = True,
    ) -> Iterator[Iterator[RowColumns]]:
        """Give what `rows` makes its records of, for who needs few of many."""
        condition, values = _condition(rounds=rounds, agent_ids=agent_ids, latest=latest)
        with self.database.reading() as connection:
            found = connection.execute(
                f"SELECT {_ROW} FROM {_DISPLAYED} {condition} ORDER BY round, agent, version",
                values,
            )
            try:
                yield found
            finally:
                found.close()

    def proposal(self, row: Row, *, measurement: int | None = None) -> Proposal:
        """Give a version's proposal, with its latest measurement or another one as it is stored."""
        with self.database.reading() as connection:
            columns = connection.execute(
                "SELECT kind, analyzer, shape, readable, details FROM measurements WHERE id = ?",
                (row.measurement if measurement is None else measurement,),
            ).fetchone()
            previous = connection.execute(
                f"SELECT shape FROM {_DISPLAYED} WHERE agent = ? AND (round, version) < (?, ?) "
                "ORDER BY round DESC, version DESC LIMIT 1",
                (encoded(row.agent_id), row.round, row.version),
            ).fetchone()
        return Proposal(
            agent_id=row.agent_id,
            round=row.round,
            version=row.version,
            content=row.content,
            thought_process=row.thought_process,
            measurement=measurement_of(MeasurementColumns(*columns), content=row.content),
            previous_shape=None if previous is None else _shape(previous[0]),
        )

    def propose(
        self,
        agent_id: str,
        measured: MeasurementColumns,
        *,
        round: int | None,
        content: str,
        thoughts: str | None,
    ) -> Row:
        """Store a proposal with its measurement, and give its version.

        The same content with the same thoughts, or none, makes no new version; where it was
        measured otherwise before, as by an older analyzer, this measurement is added.
        """
        with self.database.transaction():
            number = self.current_round() if round is None else round
            last = self.row(agent_id, round=number)
            same = (
                last is not None
                and last.content == content
                and (not thoughts or thoughts == last.thought_process)
            )
            if last is not None and same:
                self.add_measurement(last.id, measured)
                return self.row_by_id(last.id)
            row_id = self.insert(
                encoded(agent_id),
                measured,
                round=number,
                content=encoded(content),
                thoughts=None if thoughts is None else encoded(thoughts),
            )
            return self.row_by_id(row_id)

    def insert(
        self,
        agent: bytes,
        measured: MeasurementColumns,
        *,
        round: int,
        content: bytes,
        thoughts: bytes | None,
        unknown: bytes | None = None,
    ) -> int:
        """Store a new version, also where its text is that of an earlier one, and give its id."""
        with self.database.transaction() as connection:
            (last,) = connection.execute(
                "SELECT max(version) FROM versions WHERE round = ? AND agent = ?", (round, agent)
            ).fetchone()
            if last is not None:
                connection.execute(
                    "UPDATE versions SET latest = 0 WHERE round = ? AND agent = ? AND version = ?",
                    (round, agent, last),
                )
            row_id = connection.execute(
                "INSERT INTO versions (round, agent, version, latest, content, thoughts, unknown) "
                "VALUES (?, ?, ?, 1, ?, ?, ?)",
                (round, agent, 1 if last is None else last + 1, content, thoughts, unknown),
            ).lastrowid
            assert row_id is not None
            self.add_measurement(row_id, measured)
        return row_id

    def same_texts(
        self, agent: bytes, *, round: int, content: bytes, thoughts: bytes | None
    ) -> list[tuple[int, bytes | None, float | None]]:
        """Give id, unknown fields and score of an agent's versions of one text, in order."""
        with self.database.reading() as connection:
            return connection.execute(
                "SELECT id, unknown, score FROM versions WHERE round = ? AND agent = ? "
                "AND content = ? AND thoughts IS ? ORDER BY version",
                (round, agent, content, thoughts),
            ).fetchall()

    def set_unknown(self, row_id: int, unknown: bytes) -> None:
        """Set what a transcript's record held beside the fields that have columns."""
        with self.database.transaction() as connection:
            connection.execute("UPDATE versions SET unknown = ? WHERE id = ?", (unknown, row_id))

    def remove(
        self,
        *,
        agent_id: str | None = None,
        round: int | None = None,
        version: int | None = None,
    ) -> int:
        """Remove what matches, with its evaluations, and give how many versions that were.

        With no condition everything is removed, also prompts, templates, replies and tasks. The
        highest version that is left of a round is the latest one then.
        """
        wanted = {
            "agent": None if agent_id is None else encoded(agent_id),
            "round": round,
            "version": version,
        }
        named = {column: value for column, value in wanted.items() if value is not None}
        condition = " AND ".join(f"{column} = :{column}" for column in named) or "true"
        with self.database.transaction() as connection:
            removed = connection.execute(f"DELETE FROM versions WHERE {condition}", named).rowcount
            if version is not None:
                connection.execute(
                    "UPDATE versions SET latest = 1 WHERE latest = 0 AND NOT EXISTS (SELECT 1 "
                    "FROM versions AS higher WHERE higher.round = versions.round "
                    "AND higher.agent = versions.agent AND higher.version > versions.version)"
                )
            if not named:
                for table in ("prompts", "templates", "replies", "rounds"):
                    connection.execute(f"DELETE FROM {table}")
        return removed

    # Measurements

    def add_measurement(self, row_id: int, measured: MeasurementColumns) -> int:
        """Add a measurement to a version, which is displayed from now on, and give its id.

        One that is there already is taken in place of a second one like it.
        """
        with self.database.transaction() as connection:
            measurement = self.measurement_id(row_id, measured)
            if measurement is None:
                measurement = connection.execute(
                    "INSERT INTO measurements (proposal, kind, analyzer, shape, readable, details) "
                    "VALUES (?, ?, ?, ?, ?, ?)",
                    (row_id, *measured),
                ).lastrowid
                assert measurement is not None
            connection.execute(
                "UPDATE versions SET measurement = ? WHERE id = ?", (measurement, row_id)
            )
        return measurement

    def measurement_id(self, row_id: int, measured: MeasurementColumns) -> int | None:
        """Find a measurement of a version by what it says."""
        for measurement, columns in self.measurements(row_id).items():
            if _says_the_same(columns, measured):
                return measurement
        return None

    def measurements(self, row_id: int) -> dict[int, MeasurementColumns]:
        """Give the measurements of a version by their ids, in the order in which they came."""
        with self.database.reading() as connection:
            found = connection.execute(
                "SELECT id, kind, analyzer, shape, readable, details FROM measurements "
                "WHERE proposal = ? ORDER BY id",
                (row_id,),
            )
            return {measurement: MeasurementColumns(*columns) for measurement, *columns in found}

    def figures(self, measurements: Iterable[int]) -> list[tuple[str, str, Shape]]:
        """Give the kind, the analyzer and the shape of each of some measurements."""
        figures = []
        with self.database.reading() as connection:
            for measurement in measurements:
                kind, analyzer, shape = connection.execute(
                    "SELECT kind, analyzer, shape FROM measurements WHERE id = ?", (measurement,)
                ).fetchone()
                figures.append((decoded(kind), decoded(analyzer), _shape(shape)))
        return figures

    # Evaluations

    @contextlib.contextmanager
    def evaluations(
        self,
        *,
        row_id: int | None = None,
        rounds: Iterable[int] | None = None,
        agent_ids: Iterable[str] | None = None,
        latest: bool = True,
        arm: str | None = None,
    ) -> Iterator[Iterator[KeptEvaluation]]:
        """Give evaluations one by one: of one version, or in the order of `rows`.

        Those of one version come in the order in which they were given.
        """
        with self.evaluation_columns(
            row_id=row_id, rounds=rounds, agent_ids=agent_ids, latest=latest, arm=arm
        ) as found:
            # Those of one version are few: SQLite would sort the records of all.
            yield (
                kept_of(columns)
                for _, given in itertools.groupby(found, key=operator.itemgetter(1))
                for columns in sorted(given)
            )

    @contextlib.contextmanager
    def evaluation_columns(
        self,
        *,
        row_id: int | None = None,
        rounds: Iterable[int] | None = None,
        agent_ids: Iterable[str] | None = None,
        latest: bool = True,
        arm: str | None = None,
    ) -> Iterator[Iterator[KeptColumns]]:
        """Give what `evaluations` makes its records of, those of one version in no order."""
        if row_id is None:
            condition, values = _condition(rounds=rounds, agent_ids=agent_ids, latest=latest)
        else:
            condition, values = "WHERE proposal = ?", [row_id]
        if arm is not None:
            condition = f"{condition} {'AND' if condition else 'WHERE'} arm = ?"
            values.append(encoded(arm))
        # Versions first, in their order, so that what is sorted is no record.
        tables = "evaluations"
        order = "evaluations.id"
        if row_id is None:
            tables = "versions CROSS JOIN evaluations ON evaluations.proposal = versions.id"
            order = "round, agent, version"
        with self.database.reading() as connection:
            found = connection.execute(
                f"SELECT {_EVALUATION} FROM {tables} {condition} ORDER BY {order}", values
            )
            try:
                yield found
            finally:
                found.close()

    def entries(self, row_id: int, *, arm: str | None = "") -> list[EvaluationEntry]:
        """Give the evaluations of a version under one arm or any, in the order they came in."""
        with self.evaluations(row_id=row_id, arm=arm) as found:
            return [kept.entry for kept in found]

    def evaluators(self, row_id: int, *, arm: str = "", trial: int = 1) -> list[str]:
        """Give the ids of those who evaluated a version, in the order in which they did."""
        with self.database.reading() as connection:
            found = connection.execute(
                "SELECT evaluator FROM evaluations WHERE proposal = ? AND arm = ? AND trial = ? "
                "ORDER BY id",
                (row_id, encoded(arm), trial),
            )
            return [decoded(evaluator) for (evaluator,) in found]

    def add_evaluations(
        self,
        row_id: int,
        entries: Iterable[EvaluationEntry],
        *,
        arm: str = "",
        measurement: int | None = None,
    ) -> None:
        """Add evaluations to a version and compute its score anew.

        The evaluators were shown the version's latest measurement, or the one that is named.
        """
        with self.database.transaction() as connection:
            if measurement is None:
                (measurement,) = connection.execute(
                    "SELECT measurement FROM versions WHERE id = ?", (row_id,)
                ).fetchone()
            assert measurement is not None
            columns = [evaluation_columns(entry, arm=arm) for entry in entries]
            self.insert_evaluations(row_id, [(measurement, given) for given in columns])
            if arm == "":
                self.set_score(row_id, aggregated_score(self.entries(row_id)))

    def insert_evaluations(
        self, row_id: int, evaluations: Iterable[tuple[int, EvaluationColumns]]
    ) -> None:
        """Add evaluations, each with the measurement that was shown, and leave the score."""
        with self.database.transaction() as connection:
            connection.executemany(
                "INSERT INTO evaluations (proposal, measurement, evaluator, arm, trial, prompt, "
                "place, key, justification, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [(row_id, measurement, *columns) for measurement, columns in evaluations],
            )

    def remove_evaluations(
        self, row_id: int, *, evaluator: str, arm: str = "", trial: int = 1
    ) -> int:
        """Remove what one evaluator gave a version, and compute its score anew."""
        with self.database.transaction() as connection:
            removed = connection.execute(
                "DELETE FROM evaluations WHERE proposal = ? AND evaluator = ? AND arm = ? "
                "AND trial = ?",
                (row_id, encoded(evaluator), encoded(arm), trial),
            ).rowcount
            if removed and arm == "":
                self.set_score(row_id, aggregated_score(self.entries(row_id)))
        return removed

    def set_score(self, row_id: int, score: float | None) -> None:
        """Set a version's aggregated score, which stands until its evaluations change."""
        with self.database.transaction() as connection:
            connection.execute("UPDATE versions SET score = ? WHERE id = ?", (score, row_id))

    def arms(self) -> list[str]:
        """Give the arms under which there are evaluations, in order."""
        with self.database.reading() as connection:
            found = connection.execute("SELECT DISTINCT arm FROM evaluations ORDER BY arm")
            return [decoded(arm) for (arm,) in found]

    # Tasks, templates and prompts

    def set_task(self, round: int, task: str) -> None:
        """Keep a round's task, in place of an earlier one."""
        with self.database.transaction() as connection:
            connection.execute(
                "INSERT INTO rounds (round, task) VALUES (?, ?) "
                "ON CONFLICT (round) DO UPDATE SET task = excluded.task",
                (round, encoded(task)),
            )

    def task(self, round: int) -> str | None:
        """Give a round's task, None where none was kept."""
        return self.tasks().get(round)

    def tasks(self) -> dict[int, str]:
        """Give the tasks by round."""
        with self.database.reading() as connection:
            found = connection.execute("SELECT round, task FROM rounds ORDER BY round")
            return {number: decoded(task) for number, task in found}

    def keep_template(self, name: str, *, digest: str, content: str) -> None:
        """Keep a template; ArgumentError where its name stands for another wording."""
        with self.database.transaction() as connection:
            kept = self.template(name)
            if kept is not None and kept[0] != digest:
                raise ArgumentError(
                    f"the template {quoted(name)} has another wording here than before (its digest "
                    f"is {digest[:12]}, and was {kept[0][:12]}): give this one another name"
                )
            if kept is None:
                connection.execute(
                    "INSERT INTO templates (name, digest, content) VALUES (?, ?, ?)",
                    (encoded(name), encoded(digest), encoded(content)),
                )

    def template(self, name: str) -> tuple[str, str] | None:
        """Give a template's digest and content, None where there is none of that name."""
        return self.templates().get(name)

    def templates(self) -> dict[str, tuple[str, str]]:
        """Give the digest and the content of each template, by name."""
        with self.database.reading() as connection:
            found = connection.execute("SELECT name, digest, content FROM templates ORDER BY name")
            return {
                decoded(name): (decoded(digest), decoded(content))
                for name, digest, content in found
            }

    def keep_prompt(self, prompt: KeptPrompt) -> None:
        """Keep a prompt; one of the same digest is shown anew, with the candidates of now."""
        with self.database.transaction() as connection:
            # A new row, so that the last prompt is the one that was shown last.
            connection.execute("DELETE FROM prompts WHERE digest = ?", (encoded(prompt.digest),))
            prompt_id = connection.execute(
                "INSERT INTO prompts (digest, round, evaluator, trial, template, task, seed, "
                "anonymous, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    encoded(prompt.digest),
                    prompt.round,
                    None if prompt.evaluator is None else encoded(prompt.evaluator),
                    prompt.trial,
                    encoded(prompt.template),
                    encoded(prompt.task),
                    prompt.seed,
                    prompt.anonymous,
                    encoded(prompt.text),
                ),
            ).lastrowid
            connection.executemany(
                "INSERT INTO candidates (prompt, place, key, agent, version, proposal, "
                "measurement) VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        prompt_id,
                        candidate.place,
                        encoded(candidate.key),
                        encoded(candidate.agent_id),
                        candidate.version,
                        candidate.row_id,
                        candidate.measurement,
                    )
                    for candidate in prompt.candidates
                ],
            )

    def prompt(self, digest: str) -> KeptPrompt | None:
        """Give the prompt of a digest, None where there is none."""
        found = self._prompts("WHERE digest = ?", [encoded(digest)])
        return found[0] if found else None

    def prompt_digests(self, *, round: int | None = None) -> list[tuple[str, str | None]]:
        """Give each prompt's digest and evaluator, of one round or of any, the last shown first."""
        condition = "" if round is None else "WHERE round = ?"
        with self.database.reading() as connection:
            found = connection.execute(
                f"SELECT digest, evaluator FROM prompts {condition} ORDER BY id DESC",
                [round][: round is not None],
            )
            return [
                (decoded(digest), None if evaluator is None else decoded(evaluator))
                for digest, evaluator in found
            ]

    def prompts(self, *, round: int | None = None) -> list[KeptPrompt]:
        """Give the prompts, of one round or of any, in the order in which they were shown."""
        return self._prompts(
            "" if round is None else "WHERE round = ?", [round][: round is not None]
        )

    def _prompts(self, condition: str, values: Sequence[object]) -> list[KeptPrompt]:
        with self.database.reading() as connection:
            found = connection.execute(
                "SELECT id, digest, round, evaluator, trial, template, task, seed, anonymous, text "
                f"FROM prompts {condition} ORDER BY id",
                values,
            ).fetchall()
            return [
                KeptPrompt(
                    digest=decoded(digest),
                    round=number,
                    evaluator=None if evaluator is None else decoded(evaluator),
                    trial=trial,
                    template=decoded(template),
                    task=decoded(task),
                    seed=seed,
                    anonymous=bool(anonymous),
                    text=decoded(text),
                    candidates=tuple(
                        KeptCandidate(place, decoded(key), decoded(agent), *ids)
                        for place, key, agent, *ids in connection.execute(
                            "SELECT place, key, agent, version, proposal, measurement "
                            "FROM candidates WHERE prompt = ? ORDER BY place",
                            (prompt_id,),
                        )
                    ),
                )
                for (
                    prompt_id,
                    digest,
                    number,
                    evaluator,
                    trial,
                    template,
                    task,
                    seed,
                    anonymous,
                    text,
                ) in found
            ]

    # Replies

    def start_reply(self, prompt: str, judge: str, *, trial: int = 1, attempt: int = 1) -> bool:
        """Note that a judge is asked; False where that call has its reply or its error already."""
        with self.database.transaction() as connection:
            started = connection.execute(
                "INSERT INTO replies (prompt, judge, trial, attempt, started, outcome) "
                "VALUES (?, ?, ?, ?, ?, '') ON CONFLICT (prompt, judge, trial, attempt) "
                "DO UPDATE SET started = excluded.started WHERE reply IS NULL AND error IS NULL",
                (encoded(prompt), encoded(judge), trial, attempt, time.time()),
            )
            return started.rowcount > 0

    def keep_reply(
        self,
        prompt: str,
        judge: str,
        *,
        trial: int = 1,
        attempt: int = 1,
        reply: str | None = None,
        error: str | None = None,
        seconds: float | None = None,
        usage: Mapping[str, Any] | None = None,
    ) -> None:
        """Keep the reply to a call that was started, or why none came."""
        self._change_reply(
            (prompt, judge, trial, attempt),
            reply=None if reply is None else encoded(reply),
            error=None if error is None else encoded(error),
            seconds=seconds,
            usage=None if usage is None else json_line(dict(usage)),
        )

    def close_reply(
        self,
        prompt: str,
        judge: str,
        *,
        trial: int = 1,
        attempt: int = 1,
        outcome: Outcome,
        problems: Iterable[str] = (),
    ) -> None:
        """Note what became of a reply."""
        self._change_reply(
            (prompt, judge, trial, attempt), outcome=outcome, problems=json_line(list(problems))
        )

    def _change_reply(self, call: tuple[str, str, int, int], **columns: object) -> None:
        prompt, judge, trial, attempt = call
        setting = ", ".join(f"{column} = :{column}" for column in columns)
        with self.database.transaction() as connection:
            changed = connection.execute(
                f"UPDATE replies SET {setting} WHERE prompt = :prompt AND judge = :judge "
                "AND trial = :trial AND attempt = :attempt",
                {
                    "prompt": encoded(prompt),
                    "judge": encoded(judge),
                    "trial": trial,
                    "attempt": attempt,
                    **columns,
                },
            ).rowcount
            if not changed:
                raise StoreError(
                    f"no reply of {quoted(judge)} to the prompt {prompt[:12]} was asked for as "
                    f"trial {trial}, attempt {attempt}"
                )

    def replies(self, *, prompt: str | None = None, judge: str | None = None) -> list[KeptReply]:
        """Give the replies to a prompt, of a judge, or all, in the order they were asked for."""
        wanted = {"prompt": prompt, "judge": judge}
        named = {name: encoded(value) for name, value in wanted.items() if value is not None}
        condition = " AND ".join(f"{name} = :{name}" for name in named) or "true"
        with self.database.reading() as connection:
            found = connection.execute(
                "SELECT prompt, judge, trial, attempt, started, seconds, reply, usage, error, "
                f"outcome, problems FROM replies WHERE {condition} ORDER BY id",
                named,
            )
            with _damage_reported("a reply"):
                return [_reply(columns) for columns in found]

    def put_reply(self, reply: KeptReply) -> None:
        """Put a reply of another deliberation in, where there is none of that call."""
        with self.database.transaction() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO replies VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    encoded(reply.prompt),
                    encoded(reply.judge),
                    reply.trial,
                    reply.attempt,
                    reply.started,
                    reply.seconds,
                    None if reply.reply is None else encoded(reply.reply),
                    None if reply.usage is None else json_line(reply.usage),
                    None if reply.error is None else encoded(reply.error),
                    reply.outcome,
                    json_line(list(reply.problems)),
                ),
            )


def _distinct(connection: Any, column: str, table: str, values: list[Any]) -> list[tuple[Any, ...]]:
    """Give the different values of an indexed column, in order.

    SQLite reads every entry of an index for DISTINCT; this leaps from one value to the next.
    """
    found: list[tuple[Any, ...]] = connection.execute(
        f"WITH RECURSIVE leap (found) AS (SELECT min({column}) FROM {table} UNION ALL "
        f"SELECT (SELECT min({column}) FROM {table} WHERE {column} > found) FROM leap "
        "WHERE found IS NOT NULL) SELECT found FROM leap WHERE found IS NOT NULL",
        [*values, *values],
    ).fetchall()
    return found


def _condition(
    *, rounds: Iterable[int] | None, agent_ids: Iterable[str] | None, latest: bool
) -> tuple[str, list[Any]]:
    conditions = ["latest = 1"] if latest else []
    values: list[Any] = []
    for column, wanted in (
        ("round", None if rounds is None else list(rounds)),
        ("agent", None if agent_ids is None else [encoded(agent) for agent in agent_ids]),
    ):
        if wanted is not None:
            conditions.append(f"{column} IN ({', '.join('?' * len(wanted))})")
            values += wanted
    return f"WHERE {' AND '.join(conditions)}" if conditions else "", values


def row_of(found: RowColumns) -> Row:
    """Make a version's record of its columns."""
    row_id, number, agent, version, measurement, shape, score, *texts, unknown = found
    content, thoughts, readable = texts
    with _damage_reported("a proposal"):
        text = decoded(content)
        return Row(
            row_id,
            number,
            decoded(agent),
            version,
            measurement,
            shape,
            score,
            text,
            None if thoughts is None else decoded(thoughts),
            text if readable is None else decoded(readable),
            unknown,
        )


def kept_of(columns: KeptColumns) -> KeptEvaluation:
    """Make an evaluation's record of its columns."""
    kept, row_id, measurement, arm, justification, record = columns
    return KeptEvaluation(kept, row_id, measurement, decoded(arm), justification, record)


def evaluation_columns(entry: EvaluationEntry, *, arm: str) -> EvaluationColumns:
    """Write an evaluation as the columns of its table."""
    prompt, wire = entry.prompt, to_wire(entry)
    justification, record = without_justification(wire)
    return EvaluationColumns(
        evaluator=encoded(entry.evaluator_agent_id),
        arm=encoded(arm),
        trial=entry.trial,
        prompt=None if prompt is None else encoded(prompt.digest),
        place=None if prompt is None else prompt.place,
        key=None if prompt is None else encoded(prompt.key),
        justification=justification,
        record=record,
    )


def _reply(columns: tuple[Any, ...]) -> KeptReply:
    prompt, judge, trial, attempt, started, seconds, reply, usage, error, outcome, problems = (
        columns
    )
    return KeptReply(
        prompt=decoded(prompt),
        judge=decoded(judge),
        trial=trial,
        attempt=attempt,
        started=started,
        seconds=seconds,
        reply=None if reply is None else decoded(reply),
        usage=None if usage is None else json.loads(decoded(usage)),
        error=None if error is None else decoded(error),
        outcome=outcome,
        problems=() if problems is None else tuple(json.loads(decoded(problems))),
    )


def aggregated_score(entries: Iterable[EvaluationEntry]) -> float | None:
    """Sum sign(s)·√|s| over the scores s of the real evaluations; None without any.

    Synthetic evaluations and those without a score are no part of it. Of an evaluator's trials the
    mean counts once.

    >>> from shape_magic.deliberation.records import Evaluation
    >>> aggregated_score(
    ...     EvaluationEntry(evaluator_agent_id="B", evaluation=Evaluation(score=score))
    ...     for score in (0.25, -0.04, None)
    ... )
    0.3
    """
    scores = [
        score
        for trials in trials_of(entries)
        if (score := mean(entry.evaluation.score for entry in trials)) is not None
    ]
    if not scores:
        return None
    # Exactly rounded, so that no order of evaluations gives another sum.
    return math.fsum(math.copysign(math.sqrt(abs(score)), score) for score in scores)


def trials_of(entries: Iterable[EvaluationEntry]) -> list[list[EvaluationEntry]]:
    """Give the real evaluations, those together that are one evaluator's trials.

    A record may hold two of one evaluator and trial, which are two evaluations.
    """
    seen: Counter[tuple[str, int]] = Counter()
    together: dict[tuple[str, int], list[EvaluationEntry]] = {}
    for entry in entries:
        if not entry.synthetic:
            which = entry.evaluator_agent_id, entry.trial
            seen[which] += 1
            together.setdefault((entry.evaluator_agent_id, seen[which]), []).append(entry)
    return list(together.values())


def mean(values: Iterable[float | None]) -> float | None:
    """Give the mean of what is there; None where nothing is, or where no float holds their sum."""
    given = [value for value in values if value is not None]
    if not given:
        return None
    try:
        # Exactly rounded, so that no order of evaluations gives another mean.
        found = math.fsum(given) / len(given)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


@contextlib.contextmanager
def _damage_reported(what: str) -> Iterator[None]:
    """Turn what goes wrong in reading a column into StoreError."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise StoreError(f"the deliberation's file is damaged: {what} cannot be read") from error


def _shape(data: bytes) -> Shape:
    with _damage_reported("a shape"):
        return Shape(*json.loads(data))


def measurement_columns(measurement: Measurement, *, content: str) -> MeasurementColumns:
    """Write a measurement as the columns of its table."""
    runs = [[kind, len(list(run))] for kind, run in itertools.groupby(measurement.kinds)]
    details = {
        "outline": [
            [anchor.line, anchor.label, anchor.last_line] for anchor in measurement.outline
        ],
        "kinds": runs,
        "evidence": {
            name: [[item.first_line, item.last_line, item.amount] for item in items]
            for name, items in measurement.evidence.items()
        },
        "notes": [[note.code, note.line, note.message] for note in measurement.notes],
        "meanings": dict(measurement.meanings),
    }
    return MeasurementColumns(
        kind=encoded(measurement.kind),
        analyzer=encoded(measurement.analyzer),
        shape=json_line(list(measurement.shape.as_dict().values())),
        readable=None if measurement.text == content else encoded(measurement.text),
        details=json_line(details),
    )


def _says_the_same(kept: MeasurementColumns, measured: MeasurementColumns) -> bool:
    """Compare measurements; an earlier release wrote the same details otherwise."""
    if kept == measured:
        return True
    with _damage_reported("a measurement"):
        return kept[:4] == measured[:4] and _details(kept) == _details(measured)


def _details(columns: MeasurementColumns) -> dict[str, Any]:
    return {"meanings": {}, **json.loads(decoded(columns.details))}


def measurement_of(columns: MeasurementColumns, *, content: str) -> Measurement:
    """Put a measurement together again from its columns."""
    with _damage_reported("a measurement"):
        details = _details(columns)
        return Measurement(
            kind=decoded(columns.kind),
            analyzer=decoded(columns.analyzer),
            shape=_shape(columns.shape),
            outline=tuple(Anchor(*anchor) for anchor in details["outline"]),
            text=content if columns.readable is None else decoded(columns.readable),
            kinds=tuple(kind for kind, count in details["kinds"] for _ in range(count)),
            evidence={
                name: tuple(Evidence(*item) for item in items)
                for name, items in details["evidence"].items()
            },
            notes=tuple(Note(*note) for note in details["notes"]),
            meanings=Meanings(details["meanings"]),
        )
