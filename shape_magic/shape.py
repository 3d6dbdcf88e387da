"""What a measurement is made of: frozen records, the same for every kind of content."""

import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeVar

import msgspec

from shape_magic.errors import MeasurementError
from shape_magic.lines import count_lines
from shape_magic.vocabulary import ATTRIBUTE_NAMES, LINE_KINDS, Attribute, LineKind
from shape_magic.wording import plural, quoted

LABEL_LENGTH: Final = 60
"""How many characters of a heading or a key an anchor's label has."""

__all__ = ["Anchor", "Evidence", "Meanings", "Measurement", "Note", "Shape"]


class Shape(msgspec.Struct, frozen=True, gc=False):
    """The eight attributes of one text.

    >>> Shape(chars=57, lines=13, headings=1).headings
    1
    """

    chars: int = 0
    lines: int = 0
    lead_chars: int = 0
    prose_chars: int = 0
    headings: int = 0
    code_blocks: int = 0
    list_items: int = 0
    table_rows: int = 0

    def as_dict(self) -> dict[str, int]:
        """Give the eight as a dictionary, in the vocabulary's order.

        >>> list(Shape(chars=3).as_dict().items())[:2]
        [('chars', 3), ('lines', 0)]
        """
        return {name: getattr(self, name) for name in ATTRIBUTE_NAMES}


class Anchor(msgspec.Struct, frozen=True, gc=False):
    """A line that a reader may want to go to.

    `label` is the candidate's own text, verbatim and cut at 60 characters; it is escaped only
    where it is written (`shape_magic.prompting`). `last_line` ends the block that the anchor opens.
    """

    line: int
    label: str
    last_line: int


class Evidence(msgspec.Struct, frozen=True, gc=False):
    """Lines that an attribute was counted from, and how much of it they hold.

    A heading's amount is 1, a table's is its rows, a run of prose's its characters.
    """

    first_line: int
    last_line: int
    amount: int


class Note(msgspec.Struct, frozen=True, gc=False):
    """What a careful reader should know where a number surprises.

    `code` names the kind of note and `line` is where it leads. A note is no metric, and no
    evaluator's prompt has it.
    """

    code: str
    line: int
    message: str


class Meanings(Mapping[str, str]):
    """What names mean in one kind of content: a mapping that cannot be changed.

    The keys are the attributes whose meaning the kind makes more precise, and `anchor` for what an
    anchor of the outline is there.

    >>> Meanings({"headings": "top-level keys"})
    Meanings({'headings': 'top-level keys'})
    """

    # `types.MappingProxyType` cannot be pickled, and measurements come back from worker processes.
    __slots__ = ("_meanings",)

    def __init__(self, meanings: Mapping[str, str] | Iterable[tuple[str, str]] = ()) -> None:
        self._meanings = dict(meanings)

    def __getitem__(self, name: str) -> str:
        return self._meanings[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._meanings)

    def __len__(self) -> int:
        return len(self._meanings)

    def __repr__(self) -> str:
        return f"Meanings({self._meanings!r})"


NO_MEANINGS: Final = Meanings()

_AMOUNT: Final = operator.attrgetter("amount")


class Reason(msgspec.Struct, frozen=True, gc=False):
    """Why some lines were counted for an attribute, or why they were not.

    >>> Reason(3, 3, "headings", False, "no-space", "no space follows `#`", "CommonMark 4.2").rule
    'no-space'
    """

    first_line: int
    last_line: int
    attribute: str
    counted: bool
    """Whether the lines add to the attribute."""
    rule: str
    """The rule's name, the same for every line that it decides: `no-space`, `inside-fence`."""
    sentence: str
    """What the rule made of these lines, in words. It may quote the candidate's text."""
    source: str = ""
    """Where the rule comes from, as in `CommonMark 4.2`."""


class Measurement(msgspec.Struct, frozen=True):
    """A text's measured shape, and what it was measured from.

    Two laws hold, whatever the analyzer: each attribute is the sum of its evidence's amounts,
    and the characters of all lines, together with their line endings, are `chars`.
    """

    kind: str
    """The kind of content, as in `markdown`."""
    analyzer: str
    """The analyzer's name and version, as in `markdown/2`."""
    shape: Shape
    outline: tuple[Anchor, ...]
    text: str
    """The readable form: what every line number refers to."""
    kinds: tuple[LineKind, ...]
    """What each line is; one for every line of `text`."""
    evidence: Mapping[str, tuple[Evidence, ...]]
    """For each attribute, the lines it was counted from."""
    notes: tuple[Note, ...] = ()
    meanings: Mapping[str, str] = NO_MEANINGS
    """What names mean in this kind, as the analyzer that measured said it; see `Meanings`."""

    def __repr__(self) -> str:
        """Show the figures alone: the text may be long, and it is the candidate's."""
        figures = ", ".join(f"{name}={figure}" for name, figure in self.shape.as_dict().items())
        return f"<Measurement {self.analyzer}: {figures}>"

    def meaning(self, attribute: Attribute) -> str:
        """Say what an attribute is, and what it is in this kind of content, as the legend does.

        >>> from shape_magic import measure
        >>> from shape_magic.vocabulary import ATTRIBUTES
        >>> measure("{}").meaning(ATTRIBUTES[4])
        'number of headings; in json: top-level keys'
        """
        special = self.meanings.get(attribute.name)
        return f"{attribute.meaning}; in {self.kind}: {special}" if special else attribute.meaning

    def check(self, *, kind: str | None = None) -> None:
        """Raise MeasurementError where this is not a measurement of its text, of the kind `kind`.

        The figures are the sums of their evidence, every line has one of the vocabulary's kinds,
        ranges and notes lie in the text, anchors ascend, and a label is at most 60 characters of
        one line. The message begins with the field and its place.
        """
        if kind is not None and self.kind != kind:
            raise MeasurementError(
                f"kind: {quoted(self.kind)} is not the analyzer's own kind, {quoted(kind)}"
            )
        if self.analyzer.partition("/")[0] != self.kind:
            raise MeasurementError(
                f"analyzer: {quoted(self.analyzer)} is not the kind {quoted(self.kind)}, a slash "
                "and a version"
            )
        if not isinstance(self.text, str):
            raise MeasurementError(f"text: {quoted(self.text)} is not a str")
        lines = count_lines(self.text)
        _check_kinds(self.kinds, lines)
        _check_evidence(self.evidence, self.shape, lines)
        if (self.shape.chars, self.shape.lines) != (len(self.text), lines):
            raise MeasurementError(
                f"evidence: it adds up to chars={self.shape.chars:,} and lines="
                f"{self.shape.lines:,}, but the text has {len(self.text):,} characters and "
                f"{plural(lines, 'line')}"
            )
        _check_outline(self.outline, lines)
        for place, note in enumerate(self.notes):
            _check_record(note, Note, f"notes[{place}]")
            _check_range(note.line, note.line, f"notes[{place}]", max(lines, 1))
        for name, meaning in self.meanings.items():
            if not (name in ATTRIBUTE_NAMES or name == "anchor") or not isinstance(meaning, str):
                raise MeasurementError(
                    f"meanings: {quoted(name)}: {quoted(meaning)} is not prose about an attribute "
                    "or about `anchor`"
                )

    @classmethod
    def from_evidence(
        cls,
        *,
        kind: str,
        version: str,
        text: str,
        kinds: Iterable[LineKind],
        evidence: Mapping[str, Iterable[Evidence]],
        outline: Iterable[Anchor] = (),
        notes: Iterable[Note] = (),
        meanings: Mapping[str, str] = NO_MEANINGS,
    ) -> "Measurement":
        """Build a measurement whose figures are the sums of its evidence.

        >>> Measurement.from_evidence(
        ...     kind="toy", version="1", text="a", kinds=["prose"],
        ...     evidence={"chars": [Evidence(1, 1, 1)], "lines": [Evidence(1, 1, 1)]},
        ... ).shape.chars
        1

        An attribute that is left out of the evidence is 0. Lines and amounts are whatever Python
        takes for an integer. MeasurementError says what is wrong, by field and line.
        """
        for name in evidence:
            if name not in ATTRIBUTE_NAMES:
                raise MeasurementError(
                    f"evidence: {quoted(name)} is not an attribute of the vocabulary; "
                    f"there are {', '.join(ATTRIBUTE_NAMES)}"
                )
        measurement = sum_evidence(
            kind=kind,
            version=version,
            text=text,
            kinds=kinds,
            evidence={
                name: _with_integers(items, Evidence, f"evidence[{name!r}]")
                for name, items in evidence.items()
            },
            outline=_with_integers(outline, Anchor, "outline"),
            notes=_with_integers(notes, Note, "notes"),
            meanings=meanings,
        )
        measurement.check(kind=kind)
        return measurement


def sum_evidence(
    *,
    kind: str,
    version: str,
    text: str,
    kinds: Iterable[LineKind],
    evidence: Mapping[str, Iterable[Evidence]],
    outline: Iterable[Anchor],
    notes: Iterable[Note],
    meanings: Mapping[str, str],
) -> Measurement:
    """Build a measurement whose figures are the sums of its evidence, without looking at it."""
    items = {name: tuple(evidence.get(name, ())) for name in ATTRIBUTE_NAMES}
    return Measurement(
        kind=kind,
        analyzer=f"{kind}/{version}",
        shape=Shape(*[sum(map(_AMOUNT, of_name)) for of_name in items.values()]),
        outline=tuple(outline),
        text=text,
        kinds=tuple(kinds),
        evidence=items,
        notes=tuple(notes),
        meanings=meanings if isinstance(meanings, Meanings) else Meanings(meanings),
    )


_Record = TypeVar("_Record", Anchor, Evidence, Note)
_INTEGERS: Final = ("line", "first_line", "last_line", "amount")


def _check_record(record: object, wanted: type, where: str) -> None:
    if not isinstance(record, wanted):
        raise MeasurementError(f"{where}: {quoted(record)} is not {wanted.__name__}(…)")


def _with_integers(records: Iterable[_Record], wanted: type[_Record], field: str) -> list[_Record]:
    """Take what Python takes for an integer, such as a data frame's, in every record."""
    made = []
    for place, record in enumerate(records):
        _check_record(record, wanted, f"{field}[{place}]")
        values = {}
        for name in _INTEGERS:
            if name in record.__struct_fields__:
                try:
                    values[name] = operator.index(getattr(record, name))
                except TypeError:
                    raise MeasurementError(
                        f"{field}[{place}]: {name} is {quoted(getattr(record, name))}, "
                        "and it is an integer"
                    ) from None
        made.append(msgspec.structs.replace(record, **values))
    return made


def _check_range(first: object, last: object, where: str, lines: int) -> None:
    if type(first) is not int or type(last) is not int:
        raise MeasurementError(
            f"{where}: line {quoted(first)} to {quoted(last)} are not both of Python's integers; "
            "Measurement.from_evidence takes any others too"
        )
    if not 1 <= first <= last <= lines:
        raise MeasurementError(
            f"{where}: line {first} to {last} is not a range of the text's {plural(lines, 'line')}"
        )


def _check_kinds(kinds: tuple[LineKind, ...], lines: int) -> None:
    if len(kinds) != lines:
        raise MeasurementError(
            f"kinds: there are {len(kinds):,} for {plural(lines, 'line')}; each line has one"
        )
    for number, kind in enumerate(kinds, start=1):
        if kind not in LINE_KINDS:
            raise MeasurementError(
                f"kinds: {quoted(kind)} of line {number} is not a kind of line; "
                f"there are {', '.join(LINE_KINDS)}"
            )


def _check_evidence(evidence: Mapping[str, tuple[Evidence, ...]], shape: Shape, lines: int) -> None:
    if set(evidence) != set(ATTRIBUTE_NAMES):
        raise MeasurementError(f"evidence: its keys are not {', '.join(ATTRIBUTE_NAMES)}")
    for name, items in evidence.items():
        for place, item in enumerate(items):
            where = f"evidence[{name!r}][{place}]"
            _check_record(item, Evidence, where)
            _check_range(item.first_line, item.last_line, where, lines)
            if type(item.amount) is not int or item.amount < 0:
                raise MeasurementError(
                    f"{where}: the amount in line {item.first_line} is {quoted(item.amount)}, "
                    "and it is an integer from 0 up"
                )
        figure, total = getattr(shape, name), sum([item.amount for item in items])
        if figure != total:
            raise MeasurementError(
                f"shape: {name} is {quoted(figure)}, but its evidence adds up to {total:,}"
            )


def _check_outline(outline: tuple[Anchor, ...], lines: int) -> None:
    before = 1
    for place, anchor in enumerate(outline):
        where = f"outline[{place}]"
        _check_record(anchor, Anchor, where)
        _check_range(anchor.line, anchor.last_line, where, lines)
        if anchor.line < before:
            raise MeasurementError(
                f"{where}: line {anchor.line} comes after line {before}, and anchors ascend"
            )
        before = anchor.line
        label = anchor.label
        if len(label) > LABEL_LENGTH or "\n" in label or "\r" in label:
            raise MeasurementError(
                f"{where}: the label in line {anchor.line} is not one line of at most "
                f"{LABEL_LENGTH} characters; cut it"
            )
