"""A reply that was read, filed as evaluations of the versions that the evaluator was shown."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from shape_magic.deliberation.agents import known_as
from shape_magic.deliberation.encoding import decoded, json_line, parse_json
from shape_magic.deliberation.records import (
    Evaluation,
    EvaluationEntry,
    ShownCandidate,
    read_record,
    to_wire,
)
from shape_magic.deliberation.reply import Problem, read_reply, refused
from shape_magic.deliberation.store import Row, Store
from shape_magic.errors import ArgumentError, RecordError
from shape_magic.wording import quoted

__all__ = ["CandidateEvaluation", "Evaluated", "Shown", "ShownVersion", "check_entry", "evaluate"]


class CandidateEvaluation(msgspec.Struct, frozen=True):
    """What a reply says of one candidate."""

    agent_id: str
    version: int
    evaluation: Evaluation


class Evaluated(msgspec.Struct, frozen=True):
    """What was taken of a reply, and how it was read."""

    evaluator_agent_id: str
    round: int
    evaluations: tuple[CandidateEvaluation, ...]
    not_evaluated: tuple[str, ...] = ()
    """Candidates of the round that the evaluator has not evaluated, its own left out."""
    arm: str = ""
    trial: int = 1
    digest: str | None = None
    """The prompt's, where one was given."""
    repairs: tuple[str, ...] = ()
    """What was read in spite of its form, each with its place in the reply."""
    problems: tuple[str, ...] = ()
    """What was not taken of a reply that was taken in part."""
    left_out: tuple[str, ...] = ()
    """Evaluations of the evaluator itself, or of nobody."""


class ShownVersion(msgspec.Struct, frozen=True):
    """A version that an evaluator was shown."""

    key: str
    row: Row
    measurement: int
    """The id of the measurement that was shown."""
    prompt: ShownCandidate | None = None
    """How it was shown, where that was a prompt of this deliberation."""


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """All that a reply may be about."""

    versions: Sequence[ShownVersion]
    own: str | None = None
    """The evaluator's own id, where it proposed and its proposal is no candidate."""
    evaluator: str | None = None
    """Whom the prompt was made for."""
    digest: str | None = None
    exact_keys: bool = False


def evaluate(
    store: Store,
    evaluator: str,
    reply: str | Mapping[str, Any],
    *,
    shown: Callable[[], Shown],
    arm: str,
    trial: int,
    synthetic: bool,
    replace: bool,
    complete: bool,
    partial: bool,
    strict: bool,
) -> Evaluated:
    """Take a reply in; see `Deliberation.evaluate`."""
    with store.database.transaction():
        what = shown()
        evaluator = known_as(evaluator, store.agents()) or evaluator
        if what.evaluator is not None and known_as(evaluator, [what.evaluator]) is None:
            raise ArgumentError(
                f"the prompt was made for {quoted(what.evaluator)}, and not for {quoted(evaluator)}"
            )
        versions = [version for version in what.versions if version.row.agent_id != evaluator]
        own = next(
            (version.key for version in what.versions if version.row.agent_id == evaluator),
            what.own,
        )
        reading = read_reply(
            reply,
            keys=[version.key for version in versions],
            own=own,
            exact=what.exact_keys,
            strict=strict,
            partial=partial,
        )
        if not reading.evaluations:
            raise refused(reading.problems)
        before = {
            version.key: known
            for version in versions
            if (known := _before(store, version.row, evaluator, arm, trial)) is not None
        }
        by_key = {version.key: version for version in versions}
        entries = {
            item.key: EvaluationEntry(
                evaluator_agent_id=evaluator,
                evaluation=item.evaluation,
                synthetic=synthetic,
                trial=trial,
                prompt=by_key[item.key].prompt,
            )
            for item in reading.evaluations
        }
        problems = [] if replace else _given_before(entries, before, evaluator)
        if complete:
            missing = (key for key in by_key if key not in entries and key not in before)
            problems += [Problem(key=key, message="is not evaluated") for key in missing]
        for key, entry in entries.items():
            try:
                check_entry(entry)
            except RecordError as error:
                problems.append(Problem(key=key, message=str(error)))
        if problems:
            raise refused(problems)
        if replace:
            # A reply is replaced whole, also where the new one leaves a candidate out.
            for key, known in before.items():
                row_id = by_key[key].row.id
                store.remove_evaluations(row_id, evaluator=known, arm=arm, trial=trial)
            before = {}
        for key, entry in entries.items():
            version = by_key[key]
            store.add_evaluations(version.row.id, [entry], arm=arm, measurement=version.measurement)
    return Evaluated(
        evaluator_agent_id=evaluator,
        round=what.versions[0].row.round,
        evaluations=tuple(
            CandidateEvaluation(
                by_key[item.key].row.agent_id, by_key[item.key].row.version, item.evaluation
            )
            for item in reading.evaluations
        ),
        not_evaluated=tuple(
            version.row.agent_id
            for version in versions
            if version.key not in entries and version.key not in before
        ),
        arm=arm,
        trial=trial,
        digest=what.digest,
        repairs=tuple(map(str, reading.repairs)),
        problems=tuple(map(str, reading.problems)),
        left_out=reading.left_out,
    )


def _before(store: Store, row: Row, evaluator: str, arm: str, trial: int) -> str | None:
    return known_as(evaluator, store.evaluators(row.id, arm=arm, trial=trial))


def _given_before(
    entries: Mapping[str, EvaluationEntry], before: Mapping[str, str], evaluator: str
) -> list[Problem]:
    return [
        Problem(
            key=key,
            message=f"{quoted(evaluator)} has evaluated this version before; replace=True puts the "
            "reply in the place of the earlier one",
        )
        for key in entries
        if key in before
    ]


def check_entry(entry: EvaluationEntry) -> None:
    """Check that an evaluation can be kept: RecordError where it would not come back as JSON."""
    try:
        # As deep as it stands in a transcript.
        (wire,) = parse_json(decoded(json_line([[to_wire(entry)]])))[0]
    except (TypeError, ValueError, RecursionError) as error:
        reason = "it nests too deeply" if isinstance(error, RecursionError) else str(error)
        raise RecordError(f"the evaluation cannot be kept as JSON: {reason}") from None
    read_record(EvaluationEntry, wire)
