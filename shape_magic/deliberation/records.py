r"""The wire records: proposals, evaluations and summaries, as the deliberation system has them.

A record is read from a mapping (JSON that is already parsed) and written back as a mapping. What it
does not know it keeps in `extra`, and it remembers in `absent` and `null` which of the known fields
were left out or null, so that a record that was read and not changed is written as it came.

>>> wire = {"claim": "it is fast", "source": "table 3"}
>>> claim = read_record(ClaimAssessment, wire)
>>> claim.claim, claim.verdict, claim.extra
('it is fast', None, {'source': 'table 3'})
>>> to_wire(claim) == wire
True
"""

import functools
import re
from collections.abc import Mapping
from typing import Annotated, Any, Final, TypeVar, get_args, get_type_hints

import msgspec

from shape_magic.errors import RecordError
from shape_magic.shape import Shape
from shape_magic.vocabulary import ATTRIBUTE_NAMES

__all__ = [
    "ClaimAssessment",
    "Evaluation",
    "EvaluationEntry",
    "ProposalBody",
    "ProposalRecord",
    "ProposalScore",
    "Record",
    "RoundSummary",
    "ShownCandidate",
    "field_first",
    "read_record",
    "to_wire",
]

LAST_ROUND: Final = 2**63 - 1
"""The highest round: what a database column holds."""

RoundNumber = Annotated[int, msgspec.Meta(ge=0, le=LAST_ROUND)]


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """What every wire record has beside its own fields."""

    extra: dict[str, Any] = {}
    """The fields that the record does not know, written back as they came. Under a known name
    stands what was unknown inside that field."""
    absent: frozenset[str] = frozenset()
    """The known fields that were left out, but for those that are None then. They are left out
    again while they hold the default."""
    null: frozenset[str] = frozenset()
    """The known fields that were null. All else that is None is left out, since the deliberation
    system reads a number where a field stands."""


class ClaimAssessment(Record, frozen=True, kw_only=True):
    """What an evaluator says of one claim; the known verdicts are `VERDICTS`."""

    claim: str | None = None
    verdict: str | None = None


class Evaluation(Record, frozen=True, kw_only=True):
    """What an evaluator says of one proposal."""

    score: float | None = None
    """From -1 to 1."""
    endorsement_weight: float | None = None
    """From -100 to 100: what the score was the share of, where the reply gave weights."""
    justification: str | None = ""
    stance: str | None = None
    """The known stances are `STANCES`."""
    claim_assessments: tuple[ClaimAssessment, ...] | None = ()
    category_scores: dict[str, float | None] | None = None
    """From -100 to 100 for each of the `CATEGORY_NAMES`."""


class ShownCandidate(Record, frozen=True, kw_only=True):
    """How an evaluator was shown what it evaluated."""

    digest: str
    """The prompt's."""
    key: str
    """The name under which the candidate stood there."""
    place: int
    """Its place among the candidates, from 1 on."""
    analyzer: str
    """The analyzer whose figures stood there, as in `markdown/1`."""


class EvaluationEntry(Record, frozen=True, kw_only=True):
    """An evaluation together with who gave it."""

    evaluator_agent_id: str
    evaluation: Evaluation
    synthetic: bool = False
    """Made up in place of one that failed to arrive; counted, but part of no score."""
    trial: Annotated[int, msgspec.Meta(ge=1, le=LAST_ROUND)] = 1
    """Which of the evaluator's answers to the same question this is."""
    prompt: ShownCandidate | None = None
    """What the evaluator was shown, where that is known."""


class ProposalBody(Record, frozen=True, kw_only=True):
    """What was proposed."""

    content: str
    """The final solution."""
    thought_process: str | None = ""


class ProposalRecord(Record, frozen=True, kw_only=True):
    """A proposal with its evaluations: one line of a transcript."""

    round: RoundNumber
    author_agent_id: str
    proposal: ProposalBody
    evaluations: tuple[EvaluationEntry, ...] | None = ()
    aggregated_score: float | None = None
    arms: dict[str, tuple[EvaluationEntry, ...]] | None = None
    """The evaluations that are part of no aggregated score: those of other arms by the names of
    their templates, and under the empty name further trials."""


class ProposalScore(Record, frozen=True, kw_only=True):
    """What one proposal earned in a round, and the shape that it had."""

    agent_id: str
    aggregated_score: float | None = None
    category_breakdown: dict[str, float | None] | None = None
    """The mean of each category over the real evaluations that gave it."""
    category_eval_counts: dict[str, int] | None = None
    """How many real evaluations that were, for each category; absent on older entries."""
    controversy_score: float | None = None
    real_eval_count: int | None = None
    synthetic_eval_count: int | None = None
    shape: Shape | None = None
    """Absent on entries from before it existed."""


class RoundSummary(Record, frozen=True, kw_only=True):
    """The scores of a round."""

    round: RoundNumber
    proposal_scores: tuple[ProposalScore, ...] | None = ()
    convergence_score: float | None = 0.0
    """As the deliberation system computed it; 0.0 where it did not."""


R = TypeVar("R", bound=Record)

_OWN: Final = frozenset({"extra", "absent", "null"})
_LEFT_OUT: Final = frozenset({"trial"})
"""The fields that the deliberation system does not know: they are written where they say more than
their default. (Those that are None are left out anyway.)"""
_MESSAGE: Final = re.compile(r"(?P<reason>.*?)(?: - at `(?P<key>key` in `)?(?P<path>\$.*)`)?", re.S)


def read_record(kind: type[R], wire: object) -> R:
    """Read a record from parsed JSON.

    Raises RecordError, whose message begins with the field: `$.round: expected int, got str`.
    """
    gathered = None
    try:
        gathered = _gathered(kind, wire, path="$")
        return msgspec.convert(gathered, kind)
    except msgspec.ValidationError as error:
        raise RecordError(field_first(str(error))) from None
    except UnicodeEncodeError:
        # A lone surrogate stands where no text should: the library cannot say so, but of other
        # text in its place it can.
        try:
            msgspec.convert(_without_surrogates(gathered), kind)
        except msgspec.ValidationError as error:
            raise RecordError(field_first(str(error))) from None
        raise


def _without_surrogates(value: object) -> object:
    match value:
        case str():
            return value.encode("utf-8", "replace").decode("utf-8")
        case dict():
            return {_without_surrogates(name): _without_surrogates(v) for name, v in value.items()}
        case list():
            return [_without_surrogates(item) for item in value]
        case _:
            return value


def to_wire(record: Record) -> dict[str, Any]:
    """Write a record as JSON's own types, ready for `json.dumps`."""
    written: dict[str, Any] = {}
    for name, default in _defaults(type(record)).items():
        value = getattr(record, name)
        if value is None:
            if name in record.null:
                written[name] = None
            continue
        if value == default and (name in record.absent or name in _LEFT_OUT):
            continue
        plain = _plain(value)
        unknown_inside = record.extra.get(name)
        if isinstance(plain, dict) and isinstance(unknown_inside, Mapping):
            plain.update(unknown_inside)
        written[name] = plain
    for name, value in record.extra.items():
        written.setdefault(name, value)
    return written


def _plain(value: object) -> Any:
    match value:
        case Record():
            return to_wire(value)
        case Shape():
            return value.as_dict()
        case tuple():
            return [_plain(item) for item in value]
        case dict():
            return {name: _plain(item) for name, item in value.items()}
        case _:
            return value


@functools.cache
def _defaults(kind: type[Record]) -> dict[str, object]:
    """Give the known fields of a record in order, each with its default."""
    fields = msgspec.structs.fields(kind)
    return {field.name: field.default for field in fields if field.name not in _OWN}


@functools.cache
def _inner_kinds(kind: type[Record]) -> dict[str, type[Record] | type[Shape] | None]:
    """Tell for each known field of a record which struct stands in it, at any depth."""
    return {
        name: _struct_within(annotation)
        for name, annotation in get_type_hints(kind).items()
        if name not in _OWN
    }


def _struct_within(annotation: object) -> type[Record] | type[Shape] | None:
    if isinstance(annotation, type) and issubclass(annotation, (Record, Shape)):
        return annotation
    return next((found for part in get_args(annotation) if (found := _struct_within(part))), None)


def _gathered(kind: type[Record], wire: object, *, path: str) -> object:
    """Put what a record does not know under `extra`, so that a strict conversion keeps it."""
    if not isinstance(wire, Mapping):
        return wire
    inner_kinds = _inner_kinds(kind)
    known: dict[str, object] = {}
    extra: dict[str, object] = {}
    for name, value in wire.items():
        if name not in inner_kinds:
            extra[name] = value
            continue
        inner = inner_kinds[name]
        where = f"{path}.{name}"
        if inner is None:
            known[name] = value
        elif issubclass(inner, Shape):
            known[name], unknown = _gathered_shape(value, path=where)
            if unknown:
                extra[name] = unknown
        elif name == "arms" and isinstance(value, Mapping):
            known[name] = {
                arm: _gathered_each(inner, entries, path=f"{where}[{arm!r}]")
                for arm, entries in value.items()
            }
        else:
            known[name] = _gathered_each(inner, value, path=where)
    # What would be left out anyway needs no remembering.
    absent = {
        name
        for name, default in _defaults(kind).items()
        if name not in known and default is not None and name not in _LEFT_OUT
    }
    null = {name for name, value in known.items() if value is None}
    return {**known, "extra": extra, "absent": absent, "null": null}


def _gathered_each(kind: type[Record], wire: object, *, path: str) -> object:
    if not isinstance(wire, (list, tuple)):
        return _gathered(kind, wire, path=path)
    return [_gathered(kind, item, path=f"{path}[{index}]") for index, item in enumerate(wire)]


def _gathered_shape(wire: object, *, path: str) -> tuple[object, dict[str, object]]:
    if not isinstance(wire, Mapping):
        return wire, {}
    for name in ATTRIBUTE_NAMES:
        # A shape's fields have defaults, and a figure is never invented for a record.
        if name not in wire:
            raise msgspec.ValidationError(f"Object missing required field `{name}` - at `{path}`")
    known = {name: wire[name] for name in ATTRIBUTE_NAMES}
    return known, {name: value for name, value in wire.items() if name not in known}


def field_first(message: str) -> str:
    """Turn msgspec's message about: the field, then the reason.

    >>> field_first("Expected `float | null`, got `str` - at `$.score`")
    '$.score: expected float, got str'
    """
    match = _MESSAGE.fullmatch(message)
    assert match is not None, "the pattern takes any message"
    reason = match["reason"].replace("`", "").replace(" | null", "")
    where = (match["path"] or "$") + (" (a key)" if match["key"] else "")
    return f"{where}: {reason[:1].lower()}{reason[1:]}"
