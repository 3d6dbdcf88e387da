"""Transcripts: files of proposal records, one JSON object a line."""

import contextlib
import os
import shutil
import uuid
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec

from shape_magic.analyzers.registry import Registry
from shape_magic.deliberation.arguments import agent_id_text
from shape_magic.deliberation.encoding import (
    Columns,
    decoded,
    json_line,
    measurement_columns,
    parse_json,
)
from shape_magic.deliberation.records import ProposalBody, ProposalRecord, read_record, to_wire
from shape_magic.deliberation.store import Row, Store
from shape_magic.errors import ShapeMagicError, TranscriptError, TranscriptWarning
from shape_magic.lines import strip_mark

__all__ = [
    "BadLine",
    "TranscriptReport",
    "add_transcript",
    "copy_versions",
    "record_of",
    "save_transcript",
]

_BAR_AFTER: Final = 1.0
"""Seconds after which a progress bar shows."""
_NAMED: Final = 3
"""How many bad lines a warning names."""


class BadLine(msgspec.Struct, frozen=True):
    """A line of a transcript that was left out, and why."""

    line: int
    reason: str


class TranscriptReport(msgspec.Struct, frozen=True):
    """What was taken in from a transcript, and what was not."""

    records: int
    """How many records were taken."""
    left_out: tuple[BadLine, ...] = ()


def add_transcript(
    store: Store, path: Path, *, registry: Registry, skip_bad: bool
) -> TranscriptReport:
    """Take a transcript in; see `Deliberation.add_transcript`."""
    # All is parsed and measured before the database is locked, and stored in one transaction.
    taken: list[tuple[ProposalRecord, Columns]] = []
    left_out: list[BadLine] = []
    with open(path, "rb") as file, _progress(file) as lines:
        for number, line in enumerate(lines, start=1):
            try:
                text = decoded(line)
                if number == 1:
                    text = strip_mark(text)
                if text.strip():
                    record = read_record(ProposalRecord, parse_json(text))
                    agent_id_text(record.author_agent_id)
                    content = record.proposal.content
                    measurement = registry.measure(content)
                    taken.append((record, measurement_columns(measurement, content=content)))
            except (ShapeMagicError, ValueError) as error:
                reason = "no UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
                if not skip_bad:
                    raise TranscriptError(f"{path}, line {number}: {reason}") from None
                left_out.append(BadLine(number, reason))
    take_records(store, taken)
    if left_out:
        named = "; ".join(f"line {bad.line}: {bad.reason}" for bad in left_out[:_NAMED])
        more = len(left_out) - _NAMED
        warnings.warn(
            f"{path}: {len(left_out)} of {len(left_out) + len(taken)} records left out: {named}"
            + (f"; and {more:,} more" if more > 0 else ""),
            TranscriptWarning,
            stacklevel=3,
        )
    return TranscriptReport(len(taken), tuple(left_out))


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


def take_records(store: Store, taken: Iterable[tuple[ProposalRecord, Columns]]) -> None:
    """Store measured records, all of them or none.

    Several of one round and agent are its versions. Those that are there already, as where a
    transcript is taken in twice or has grown since, are not stored again.
    """
    versions: Counter[tuple[int, str]] = Counter()
    with store.database.transaction():
        for record, measured in taken:
            place = (record.round, record.author_agent_id)
            versions[place] += 1
            _take(store, record, measured, version=versions[place])


def _take(store: Store, record: ProposalRecord, measured: Columns, *, version: int) -> None:
    """Store a record, which is the given one of the versions that are taken."""
    agent_id, content = record.author_agent_id, record.proposal.content
    thoughts = record.proposal.thought_process
    row = store.row(agent_id, round=record.round, version=version)
    if row is None or (row.content, row.thoughts) != (content, thoughts):
        row = store.propose(
            agent_id,
            measured,
            round=record.round,
            content=content,
            thoughts=thoughts,
        )
    unknown = _unknown(record)
    if row.unknown != unknown:
        store.set_unknown(row.id, unknown)
    present = Counter(json_line(to_wire(entry)) for entry in store.evaluations(row.id))
    new = []
    for entry in record.evaluations or ():
        wire = json_line(to_wire(entry))
        if present[wire]:
            present[wire] -= 1
        else:
            new.append(entry)
    if new:
        store.add_evaluations(row.id, new)
    # The score that a record brings is that of the record's evaluations, and of no others.
    others = sum(present.values())
    if record.aggregated_score is not None and not others:
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


def copy_versions(source: Store, target: Store) -> int:
    """Copy every version with its measurement and evaluations, and give how many there were."""
    with source.database.reading():
        taken = [
            (record_of(source, row), source.columns(row.id)) for row in source.rows(latest=False)
        ]
    take_records(target, taken)
    return len(taken)


def save_transcript(store: Store, path: Path) -> int:
    """Write every version as a transcript; see `Deliberation.save`."""
    database = store.database.path
    if database is not None and path.exists() and path.samefile(database):
        raise TranscriptError(f"{path} is the deliberation's own database; save to another file")
    # A link is followed, so that what it leads to is replaced and not the link.
    target = Path(os.path.realpath(path))
    draft = target.parent / f".{target.name[:40]}.{uuid.uuid4().hex}"
    written = 0
    try:
        with open(draft, "xb") as file, store.database.reading():
            for row in store.rows(latest=False):
                file.write(json_line(to_wire(record_of(store, row))) + b"\n")
                written += 1
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, draft)
        os.replace(draft, target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    return written
