"""Transcripts: files of proposal records, one JSON object a line."""

import contextlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec

from shape_magic.analyzers.registry import Registry
from shape_magic.deliberation.agents import plain_id
from shape_magic.deliberation.arguments import agent_id_text
from shape_magic.deliberation.encoding import Columns, json_line, measurement_columns
from shape_magic.deliberation.json_lines import BadLine, read_lines, save_lines
from shape_magic.deliberation.records import (
    EvaluationEntry,
    ProposalBody,
    ProposalRecord,
    read_record,
    to_wire,
)
from shape_magic.deliberation.store import Row, Store
from shape_magic.errors import TranscriptError
from shape_magic.wording import quoted

__all__ = [
    "BadLine",
    "TranscriptReport",
    "add_transcript",
    "copy_versions",
    "left_evaluations_text",
    "record_of",
    "save_transcript",
]

_BAR_AFTER: Final = 1.0
"""Seconds after which a progress bar shows."""
_NAMED: Final = 3
"""How many bad lines a warning names."""


class TranscriptReport(msgspec.Struct, frozen=True):
    """What was taken in from a transcript, and what was not; `str` of it says that in a line."""

    path: str
    records: int
    """How many records were taken."""
    left_out: tuple[BadLine, ...] = ()
    left_evaluations: tuple[str, ...] = ()
    """Evaluations that were not taken, since what their evaluator gave that version before stands;
    each as `'Eve' on 'Ann', round 1, version 2`."""

    def __str__(self) -> str:
        parts = []
        if self.left_out:
            total = self.records + len(self.left_out)
            bad = [f"line {one.line}: {one.reason}" for one in self.left_out]
            parts.append(f"{len(bad):,} of {total:,} records left out: {_named(bad)}")
        if self.left_evaluations:
            parts.append(left_evaluations_text(self.left_evaluations))
        if not parts:
            parts.append(f"{self.records:,} {_counted('record', self.records)} taken")
        return f"{self.path}: {'; '.join(parts)}"


def left_evaluations_text(left: Sequence[str]) -> str:
    """Say which evaluations were left as they were."""
    return (
        f"{len(left):,} {_counted('evaluation', len(left))} not taken, since the evaluator's "
        f"earlier one stands: {_named(left)}"
    )


def _counted(noun: str, count: int) -> str:
    return noun if count == 1 else f"{noun}s"


def _named(items: Sequence[str]) -> str:
    more = len(items) - _NAMED
    return "; ".join(items[:_NAMED]) + (f"; and {more:,} more" if more > 0 else "")


def add_transcript(
    store: Store, path: Path, *, registry: Registry, skip_bad: bool, replace: bool
) -> TranscriptReport:
    """Take a transcript in; see `Deliberation.add_transcript`."""

    def measured(wire: object) -> tuple[ProposalRecord, Columns]:
        record = read_record(ProposalRecord, wire)
        agent_id_text(record.author_agent_id, name="$.author_agent_id")
        content = record.proposal.content
        return record, measurement_columns(registry.measure(content), content=content)

    # All is parsed and measured before the database is locked, and stored in one transaction.
    left_out: list[BadLine] = []
    with open(path, "rb") as file, _progress(file) as lines:
        taken = list(read_lines(path, lines, measured, left_out=left_out if skip_bad else None))
    with store.database.transaction():
        if replace:
            store.remove()
        left_evaluations = take_records(store, taken)
    return TranscriptReport(str(path), len(taken), tuple(left_out), tuple(left_evaluations))


@contextlib.contextmanager
def _progress(file: BinaryIO) -> Iterator[Iterator[bytes]]:
    """Give a file's lines, with a progress bar where that takes its time."""
    from tqdm.auto import tqdm

    size = os.fstat(file.fileno()).st_size
    with tqdm(total=size, unit="B", unit_scale=True, delay=_BAR_AFTER, leave=False) as bar:

        def lines() -> Iterator[bytes]:
            for line in file:
                yield line
                bar.update(len(line))

        yield lines()


def take_records(store: Store, taken: Iterable[tuple[ProposalRecord, Columns]]) -> list[str]:
    """Store measured records, all of them or none, and name the evaluations that were not taken.

    Several of one round and agent are its versions, also where their text is the same. Each
    version that is there already stands for one record at most, which is then not stored again.
    """
    by_place: dict[tuple[int, str], list[tuple[ProposalRecord, Columns]]] = {}
    for record, measured in taken:
        by_place.setdefault((record.round, record.author_agent_id), []).append((record, measured))
    left: list[str] = []
    with store.database.transaction():
        for (number, agent_id), records in by_place.items():
            with store.rows(rounds=[number], agent_ids=[agent_id], latest=False) as rows:
                there = list(rows)
            for record, measured in records:
                row = _same_version(store, there, record)
                if row is not None:
                    there.remove(row)
                left += _take(store, record, measured, row)
    return left


def _same_version(store: Store, there: Sequence[Row], record: ProposalRecord) -> Row | None:
    """Find the version that a record is of; the one that is most like it where there are several.

    It has the record's text and thoughts, and no unknown field that the record has not.
    """
    text = (record.proposal.content, record.proposal.thought_process)
    alike = [
        row
        for row in there
        if (row.content, row.thoughts) == text and _loses_nothing(row.unknown, _unknown(record))
    ]
    if len(alike) < 2:
        return alike[0] if alike else None

    def likeness(row: Row) -> tuple[bool, int, bool]:
        given = Counter(_lines(record.evaluations or ()))
        different = given.copy()
        different.subtract(_lines(store.evaluations(row.id)))
        return (
            json_line(row.unknown) == json_line(_unknown(record)),
            -sum(map(abs, different.values())),
            row.aggregated_score == record.aggregated_score,
        )

    return max(alike, key=likeness)


def _loses_nothing(before: Any, after: dict[str, Any]) -> bool:
    if before is None:
        return True
    return all(
        name in after[part]["extra"] and json_line(after[part]["extra"][name]) == json_line(value)
        for part in ("record", "proposal")
        for name, value in before[part]["extra"].items()
    )


def _lines(entries: Iterable[EvaluationEntry]) -> list[bytes]:
    return [json_line(to_wire(entry)) for entry in entries]


def _take(
    store: Store, record: ProposalRecord, measured: Columns, row: Row | None
) -> Iterator[str]:
    """Store a record, as a new version where it is of none; name the evaluations left out."""
    if row is None:
        row = store.insert(
            record.author_agent_id,
            measured,
            round=record.round,
            content=record.proposal.content,
            thoughts=record.proposal.thought_process,
        )
    unknown = _unknown(record)
    if json_line(row.unknown) != json_line(unknown):
        store.set_unknown(row.id, unknown)
    present = store.evaluations(row.id)
    known = set(_lines(present))
    evaluators = {plain_id(entry.evaluator_agent_id) for entry in present}
    new = []
    for entry in record.evaluations or ():
        if plain_id(entry.evaluator_agent_id) not in evaluators:
            new.append(entry)
        elif json_line(to_wire(entry)) not in known:
            yield (
                f"{quoted(entry.evaluator_agent_id)} on {quoted(row.agent_id)}, round {row.round}, "
                f"version {row.version}"
            )
    if new:
        store.add_evaluations(row.id, new)
    # The score that a record brings is that of the record's evaluations, and of no others.
    given = record.evaluations or ()
    if record.aggregated_score is not None and set(_lines([*present, *new])) <= set(_lines(given)):
        store.set_score(row.id, record.aggregated_score)


def _unknown(record: ProposalRecord) -> dict[str, Any]:
    """Gather what a record holds beside what the tables have columns for."""
    return {
        "record": {"extra": record.extra, "absent": sorted(record.absent)},
        "proposal": {"extra": record.proposal.extra, "absent": sorted(record.proposal.absent)},
        "evaluations_null": record.evaluations is None,
    }


def record_of(store: Store, row: Row) -> ProposalRecord:
    """Write a version as a wire record again."""
    unknown = row.unknown or {"record": {}, "proposal": {}, "evaluations_null": False}
    evaluations = tuple(store.evaluations(row.id))
    score = row.aggregated_score
    # What a record left out it may have been given since.
    since = {"evaluations"} if evaluations else set()
    if score is not None:
        since.add("aggregated_score")
    return ProposalRecord(
        round=row.round,
        author_agent_id=row.agent_id,
        proposal=ProposalBody(
            content=row.content, thought_process=row.thoughts, **_kept(unknown["proposal"])
        ),
        evaluations=evaluations or (None if unknown["evaluations_null"] else ()),
        aggregated_score=score,
        **_kept(unknown["record"], since=since),
    )


def _kept(unknown: dict[str, Any], *, since: AbstractSet[str] = frozenset()) -> dict[str, Any]:
    return {
        "extra": unknown.get("extra", {}),
        "absent": frozenset(unknown.get("absent", ())) - since,
    }


def copy_versions(source: Store, target: Store) -> tuple[int, list[str]]:
    """Copy every version with its measurement and evaluations.

    Gives how many there were, and names the evaluations that were not taken.
    """
    with source.rows(latest=False) as rows:
        taken = [(record_of(source, row), source.columns(row.id)) for row in rows]
    return len(taken), take_records(target, taken)


def save_transcript(store: Store, path: Path) -> int:
    """Write every version as a transcript; see `Deliberation.save`."""
    database = store.database.path
    if database is not None and path.exists() and path.samefile(database):
        raise TranscriptError(f"{path} is the deliberation's own database; save to another file")
    with store.rows(latest=False) as rows:
        return save_lines(path, (json_line(to_wire(record_of(store, row))) for row in rows))
