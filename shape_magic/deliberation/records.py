r"""The wire records: proposals, evaluations and summaries, as the deliberation system has them.

A record is read from a mapping (JSON that is already parsed) and written back as one. What it
does not know it keeps in `extra`, and it remembers in `absent` which of the known fields were
left out, so that a record that was read and not changed is written as it came.

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
    """The known fields that were left out. They are left out again while they hold the default."""


class ClaimAssessment(Record, frozen=True, kw_only=True):
    """What an evaluator says of one claim; the known verdicts are `VERDICTS`."""

    claim: str | None = None
    verdict: str | None = None


class Evaluation(Record, frozen=True, kw_only=True):
    """What an evaluator says of one proposal."""

    score: float | None = None
    """From -1 to 1."""
    justification: str | None = ""
    stance: str | None = None
    """The known stances are `STANCES`."""
    claim_assessments: tuple[ClaimAssessment, ...] | None = ()
    category_scores: dict[str, float | None] | None = None
    """From -100 to 100 for each of the `CATEGORY_NAMES`."""


class EvaluationEntry(Record, frozen=True, kw_only=True):
    """An evaluation together with who gave it."""

    evaluator_agent_id: str
    evaluation: Evaluation
    synthetic: bool = False
    """Made up in place of one that failed to arrive; counted, but part of no score."""


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


R = TypeVar("R", bound=Record)

_OWN: Final = frozenset({"extra", "absent"})
_MESSAGE: Final = re.compile(r"(?P<reason>.*?)(?: - at `(?P<key>key` in `)?(?P<path>\$.*)`)?", re.S)


def read_record(kind: type[R], wire: object) -> R:
    """Read a record from parsed JSON.

    Raises RecordError, whose message begins with the field: `$.round: expected int, got str`.
    """
    try:
        return msgspec.convert(_gathered(kind, wire, path="$"), kind)
    except msgspec.ValidationError as error:
        raise RecordError(field_first(str(error))) from None


def to_wire(record: Record) -> dict[str, Any]:
    """Write a record as JSON's own types, ready for `json.dumps`."""
    written: dict[str, Any] = {}
    for name, default in _defaults(type(record)).items():
        value = getattr(record, name)
        if name in record.absent and value == default:
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
            return dict(value)
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
        elif isinstance(value, (list, tuple)):
            known[name] = [
                _gathered(inner, item, path=f"{where}[{index}]") for index, item in enumerate(value)
            ]
        else:
            known[name] = _gathered(inner, value, path=where)
    return {**known, "extra": extra, "absent": inner_kinds.keys() - known.keys()}


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
