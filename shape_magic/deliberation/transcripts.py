"""Transcripts: files of proposal records, one JSON object a line; and other deliberations.

Files of JSON Lines are read line by line, and replaced in one step.
"""

import contextlib
import errno
import json
import os
import shutil
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar

import msgspec

from shape_magic.analyzers.registry import Registry
from shape_magic.deliberation.agents import known_as
from shape_magic.deliberation.arguments import agent_id_text, file_path
from shape_magic.deliberation.encoding import decoded, encoded, json_line, parse_json
from shape_magic.deliberation.records import (
    EvaluationEntry,
    ProposalBody,
    ProposalRecord,
    read_record,
    to_wire,
)
from shape_magic.deliberation.store import (
    EvaluationColumns,
    KeptEvaluation,
    MeasurementColumns,
    Row,
    Store,
    aggregated_score,
    evaluation_columns,
    measurement_columns,
)
from shape_magic.errors import (
    ArgumentError,
    NotFoundError,
    ShapeMagicError,
    StoreError,
    TranscriptError,
)
from shape_magic.lines import strip_mark
from shape_magic.progress import progress_bar
from shape_magic.wording import quoted

__all__ = [
    "BadLine",
    "TranscriptReport",
    "add_transcript",
    "copy_all",
    "left_evaluations_text",
    "lines_path",
    "read_lines",
    "record_of",
    "save_lines",
    "save_transcript",
]

_BAR_AFTER: Final = 1.0
"""Seconds after which a progress bar shows."""
_NAMED: Final = 3
"""How many bad lines a warning names."""
_SQLITE: Final = b"SQLite format 3\0"
_BESIDE_A_DATABASE: Final = ("-wal", "-shm", "-journal")

T = TypeVar("T")


class BadLine(msgspec.Struct, frozen=True):
    """A line of a transcript that was left out, and why."""

    line: int
    reason: str


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
            bad = [f"line {line.line}: {line.reason}" for line in self.left_out]
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


class _Taken(msgspec.Struct, frozen=True):
    """A record that was read and measured, as small as it can wait to be stored."""

    round: int
    agent: bytes
    content: bytes
    thoughts: bytes | None
    measurements: Sequence[MeasurementColumns]
    """The last one is displayed."""
    unknown: bytes
    score: float | None
    """What its evaluations add up to, or what the record says."""
    brings_score: bool
    evaluations: Sequence[tuple[int, EvaluationColumns]]
    """Each with the place of the measurement that was shown, among the measurements."""


def add_transcript(
    store: Store, path: Path, *, registry: Registry, skip_bad: bool, replace: bool
) -> TranscriptReport:
    """Take a transcript in; see `Deliberation.add_transcript`."""

    def measured(wire: object) -> _Taken:
        record = read_record(ProposalRecord, wire)
        agent_id_text(record.author_agent_id, name="$.author_agent_id")
        content = record.proposal.content
        return _taken(record, [measurement_columns(registry.measure(content), content=content)])

    # All is parsed and measured before the database is locked, and stored in one transaction.
    left_out: list[BadLine] = []
    with open(path, "rb") as file, _progress(file) as lines:
        taken = list(read_lines(path, lines, measured, left_out=left_out if skip_bad else None))
    with store.database.transaction():
        if replace:
            store.remove()
        stored = _take_all(store, taken)
    left_evaluations = [left for version in stored for left in version.left]
    return TranscriptReport(str(path), len(taken), tuple(left_out), tuple(left_evaluations))


def _taken(
    record: ProposalRecord,
    measurements: Sequence[MeasurementColumns],
    *,
    evaluations: Sequence[tuple[int, EvaluationColumns]] | None = None,
) -> _Taken:
    if evaluations is None:
        arms = {"": record.evaluations or (), **(record.arms or {})}
        if "" in (record.arms or {}):
            arms[""] = (*(record.evaluations or ()), *arms[""])
        evaluations = [
            (0, evaluation_columns(entry, arm=arm))
            for arm, entries in arms.items()
            for entry in entries
        ]
    thoughts, score = record.proposal.thought_process, record.aggregated_score
    return _Taken(
        round=record.round,
        agent=encoded(record.author_agent_id),
        content=encoded(record.proposal.content),
        thoughts=None if thoughts is None else encoded(thoughts),
        measurements=measurements,
        unknown=json_line(_unknown(record)),
        score=aggregated_score(_of_arm(record)) if score is None else score,
        brings_score=score is not None,
        evaluations=evaluations,
    )


def _of_arm(record: ProposalRecord) -> tuple[EvaluationEntry, ...]:
    """Give the evaluations that the aggregated score is of, further trials among them."""
    return (*(record.evaluations or ()), *(record.arms or {}).get("", ()))


@contextlib.contextmanager
def _progress(file: BinaryIO) -> Iterator[Iterator[bytes]]:
    """Give a file's lines, with a progress bar where that takes its time."""
    size = os.fstat(file.fileno()).st_size
    with progress_bar(total=size, unit="B", unit_scale=True, delay=_BAR_AFTER, leave=False) as bar:

        def lines() -> Iterator[bytes]:
            for line in file:
                yield line
                bar.update(len(line))

        yield lines()


class _Stored(msgspec.Struct, frozen=True):
    """Where a record was stored, and which evaluations were left out."""

    row_id: int
    measurements: list[int]
    left: list[str]


def _take_all(store: Store, taken: Iterable[_Taken]) -> list[_Stored]:
    """Store what was read, all of it or nothing.

    Several records of one round and agent are its versions, also where their text is the same. Each
    version that is there already stands for one record at most, which is then not stored again.
    """
    used: set[int] = set()
    with store.database.transaction():
        return [_take(store, record, used) for record in taken]


def _take(store: Store, record: _Taken, used: set[int]) -> _Stored:
    """Store a record, as a new version where it is of none."""
    row_id = _same_version(store, record, used)
    there: list[KeptEvaluation] = []
    if row_id is None:
        row_id = store.insert(
            record.agent,
            record.measurements[0],
            round=record.round,
            content=record.content,
            thoughts=record.thoughts,
            unknown=record.unknown,
        )
    else:
        store.set_unknown(row_id, record.unknown)
        with store.evaluations(row_id=row_id) as found:
            there = list(found)
    measurements = [store.add_measurement(row_id, columns) for columns in record.measurements]
    used.add(row_id)
    present = _Present(there)
    new, left = [], []
    for place, columns in record.evaluations:
        if not present.evaluator(columns):
            new.append((measurements[place], columns))
        elif (columns.arm, columns.said) not in present.records:
            row = store.row_by_id(row_id)
            left.append(
                f"{quoted(decoded(columns.evaluator))} on {quoted(row.agent_id)}, round "
                f"{row.round}, version {row.version}"
            )
    store.insert_evaluations(row_id, new)
    # The score that a record brings is that of the record's evaluations, and of no others.
    given = {columns.said for _, columns in record.evaluations}
    if not there or (record.brings_score and present.of_score <= given):
        store.set_score(row_id, record.score)
    elif new:
        store.set_score(row_id, aggregated_score(store.entries(row_id)))
    return _Stored(row_id, measurements, left)


class _Present:
    """The evaluations that a version has already."""

    def __init__(self, there: Iterable[KeptEvaluation]) -> None:
        self.records: set[tuple[bytes, tuple[bytes | None, bytes]]] = set()
        self.of_score: set[tuple[bytes | None, bytes]] = set()
        self._evaluators: dict[tuple[bytes, int], list[str]] = {}
        for kept in there:
            columns = evaluation_columns(kept.entry, arm=kept.arm)
            self.records.add((columns.arm, columns.said))
            if not kept.arm:
                self.of_score.add(columns.said)
            same = self._evaluators.setdefault((columns.arm, columns.trial), [])
            same.append(decoded(columns.evaluator))

    def evaluator(self, columns: EvaluationColumns) -> bool:
        """Tell whether the evaluator has given such an evaluation before."""
        known = self._evaluators.get((columns.arm, columns.trial), [])
        try:
            return known_as(decoded(columns.evaluator), known) is not None
        except NotFoundError:
            # It may be any of several, and is taken as it is written.
            return False


def _same_version(store: Store, record: _Taken, used: set[int]) -> int | None:
    """Find the version that a record is of; the one that is most like it where there are several.

    It has the record's text and thoughts, and no unknown field that the record has not.
    """
    unknown = json.loads(decoded(record.unknown))
    alike = [
        (row_id, kept, score)
        for row_id, kept, score in store.same_texts(
            record.agent, round=record.round, content=record.content, thoughts=record.thoughts
        )
        if row_id not in used
        and _loses_nothing(None if kept is None else json.loads(decoded(kept)), unknown)
    ]
    if len(alike) < 2:
        return alike[0][0] if alike else None
    given = Counter(columns.said for _, columns in record.evaluations)

    def likeness(found: tuple[int, bytes | None, float | None]) -> tuple[bool, int, bool]:
        row_id, kept, score = found
        different = given.copy()
        with store.evaluations(row_id=row_id) as evaluations:
            different.subtract(
                evaluation_columns(evaluation.entry, arm=evaluation.arm).said
                for evaluation in evaluations
            )
        return kept == record.unknown, -sum(map(abs, different.values())), score == record.score

    return max(alike, key=likeness)[0]


def _loses_nothing(before: Any, after: dict[str, Any]) -> bool:
    if before is None:
        return True
    return all(
        name in after[part]["extra"] and json_line(after[part]["extra"][name]) == json_line(value)
        for part in ("record", "proposal")
        for name, value in before[part]["extra"].items()
    )


def _unknown(record: ProposalRecord) -> dict[str, Any]:
    """Gather what a record holds beside what the tables have columns for."""
    return {
        part: {
            "extra": inner.extra,
            "absent": sorted(inner.absent),
            "null": sorted(inner.null),
        }
        for part, inner in (("record", record), ("proposal", record.proposal))
    }


def record_of(store: Store, row: Row) -> ProposalRecord:
    """Write a version as a wire record again."""
    unknown = row.unknown or {"record": {}, "proposal": {}}
    evaluations: list[EvaluationEntry] = []
    arms: dict[str, list[EvaluationEntry]] = {}
    with store.evaluations(row_id=row.id) as found:
        for kept in found:
            entry = kept.entry
            counts = kept.arm == "" and entry.trial == 1
            (evaluations if counts else arms.setdefault(kept.arm, [])).append(entry)
    score = row.aggregated_score
    # What a record left out it may have been given since.
    since = {"evaluations"} if evaluations else set()
    if score is not None:
        since.add("aggregated_score")
    null = "evaluations" in unknown["record"].get("null", ())
    return ProposalRecord(
        round=row.round,
        author_agent_id=row.agent_id,
        proposal=ProposalBody(
            content=row.content, thought_process=row.thoughts, **_kept(unknown["proposal"])
        ),
        evaluations=tuple(evaluations) or (None if null else ()),
        aggregated_score=score,
        arms={arm: tuple(entries) for arm, entries in arms.items()} or None,
        **_kept(unknown["record"], since=since),
    )


def _kept(unknown: dict[str, Any], *, since: AbstractSet[str] = frozenset()) -> dict[str, Any]:
    return {
        "extra": unknown.get("extra", {}),
        "absent": frozenset(unknown.get("absent", ())) - since,
        "null": frozenset(unknown.get("null", ())) - since,
    }


def copy_all(source: Store, target: Store) -> tuple[int, list[str]]:
    """Copy every version with its measurements and evaluations, and all that judges were shown.

    Gives how many versions there were, and names the evaluations that were not taken. A template
    whose name stands for another wording in the target raises ArgumentError, and nothing is copied.
    """
    with source.rows(latest=False) as rows:
        kept = [(row, _kept_version(source, row)) for row in rows]
    with target.database.transaction():
        stored = _take_all(target, [taken for _, (taken, _) in kept])
        row_ids: dict[int, int] = {}
        measurements: dict[int, int] = {}
        for (row, (_, ids)), version in zip(kept, stored, strict=True):
            row_ids[row.id] = version.row_id
            measurements.update(zip(ids, version.measurements, strict=True))
        _copy_shown(source, target, row_ids, measurements)
    return len(kept), [left for version in stored for left in version.left]


def _kept_version(source: Store, row: Row) -> tuple[_Taken, list[int]]:
    """Give a version as a record that was read, and the ids of its measurements."""
    measurements = source.measurements(row.id)
    # What is displayed comes last.
    ids = [found for found in measurements if found != row.measurement] + [row.measurement]
    with source.evaluations(row_id=row.id) as found:
        evaluations = [
            (ids.index(kept.measurement), evaluation_columns(kept.entry, arm=kept.arm))
            for kept in found
        ]
    record = record_of(source, row)
    return _taken(record, [measurements[found] for found in ids], evaluations=evaluations), ids


def _copy_shown(
    source: Store, target: Store, row_ids: dict[int, int], measurements: dict[int, int]
) -> None:
    """Copy templates, prompts, replies and tasks, where the target has none of them."""
    for name, (digest, content) in source.templates().items():
        target.keep_template(name, digest=digest, content=content)
    for prompt in source.prompts():
        if target.prompt(prompt.digest) is not None:
            continue
        candidates = [
            msgspec.structs.replace(
                candidate,
                row_id=row_ids.get(candidate.row_id or 0),
                measurement=measurements.get(candidate.measurement or 0),
            )
            for candidate in prompt.candidates
        ]
        target.keep_prompt(msgspec.structs.replace(prompt, candidates=tuple(candidates)))
    for reply in source.replies():
        target.put_reply(reply)
    tasks = target.tasks()
    for number, task in source.tasks().items():
        if number not in tasks:
            target.set_task(number, task)


def save_transcript(store: Store, path: Path) -> int:
    """Write every version as a transcript; see `Deliberation.save`."""
    database = store.database.path
    if database is not None and path.exists() and path.samefile(database):
        raise TranscriptError(f"{path} is the deliberation's own database; save to another file")
    with store.rows(latest=False) as rows:
        return save_lines(path, (json_line(to_wire(record_of(store, row))) for row in rows))


def lines_path(path: str | os.PathLike[str]) -> Path:
    """Make the path of a file of JSON Lines of what a caller gave."""
    found = file_path(path)
    if "\0" in str(found):
        raise ArgumentError(f"{str(found)!r} is no path: it holds a NUL character")
    return found


def read_lines(
    path: Path,
    lines: Iterable[bytes],
    read: Callable[[object], T],
    *,
    left_out: list[BadLine] | None = None,
) -> Iterator[T]:
    """Parse each line that is not blank, and give what `read` makes of it.

    A line that cannot be read raises TranscriptError, which names the file and the line; where
    there is a list to put it in, it goes there, and the next one follows.
    """
    for number, line in enumerate(lines, start=1):
        try:
            text = decoded(line)
            if number == 1:
                text = strip_mark(text)
            if not text.strip():
                continue
            value = read(parse_json(text))
        except (ShapeMagicError, ValueError) as error:
            reason = "no UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
            if _spread_over_lines(line):
                reason += "; each record is a line of its own, without an array around them"
            if left_out is None:
                raise TranscriptError(f"{path}, line {number}: {reason}") from None
            left_out.append(BadLine(number, reason))
        else:
            yield value


def _spread_over_lines(line: bytes) -> bool:
    """Tell a line that cannot be read from an array, or from JSON that was laid out for people."""
    bare = line.removeprefix(b"\xef\xbb\xbf").strip(b" \t\r\n")
    return bare.startswith(b"[") or bare == b"{"


def save_lines(path: Path, lines: Iterable[bytes]) -> int:
    """Write lines to a file, and give how many there were.

    The file is replaced in one step: whatever happens, it is the old file or the new file. A
    database, what SQLite keeps beside one, and what is no regular file raise TranscriptError and
    are left as they are. What the system refuses is its OSError, which names the file.
    """
    try:
        # A link is followed, so that what it leads to is replaced and not the link.
        target = Path(os.path.realpath(path))
        _check_target(path, target)
        return _replaced(target, lines)
    except StoreError:
        raise
    except OSError as error:
        # The system names the draft, or nothing.
        raise OSError(error.errno, error.strerror, str(path)) from error


def _replaced(target: Path, lines: Iterable[bytes]) -> int:
    draft = target.parent / f".{target.name[:40]}.{uuid.uuid4().hex}"
    written = 0
    try:
        with open(draft, "xb") as file:
            for line in lines:
                file.write(line + b"\n")
                written += 1
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, draft)
        os.replace(draft, target)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
    return written


def _check_target(path: Path, target: Path) -> None:
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if target.exists() and not target.is_file():
        raise TranscriptError(f"{path} is no regular file; save to another one")
    if _is_database(target):
        raise TranscriptError(f"{path} is a SQLite database; save to another file")
    for ending in _BESIDE_A_DATABASE:
        beside = target.name.removesuffix(ending)
        if beside and beside != target.name and _is_database(target.with_name(beside)):
            raise TranscriptError(f"{path} belongs to the database {beside}; save to another file")


def _is_database(path: Path) -> bool:
    if not path.is_file():
        return False
    with open(path, "rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE
