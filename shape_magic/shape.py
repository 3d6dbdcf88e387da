"""What a measurement is made of: frozen records, the same for every kind of content."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec

from shape_magic.lines import count_lines
from shape_magic.vocabulary import ATTRIBUTE_NAMES, Attribute, LineKind

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

    def check(self) -> None:
        """Raise ValueError where this is no measurement of its text; the message says why not.

        The figures are the sums of their evidence, every line has a kind, ranges lie in the text,
        and a label is at most 60 characters of one line.
        """
        lines = count_lines(self.text)
        figures = self.shape.as_dict()
        sums = {name: sum([one.amount for one in self.evidence[name]]) for name in figures}
        if figures != sums:
            raise ValueError(f"the figures are {figures}, but their evidence adds up to {sums}")
        if (self.shape.chars, self.shape.lines) != (len(self.text), lines):
            raise ValueError(
                f"chars={self.shape.chars} and lines={self.shape.lines}, but the text has "
                f"{len(self.text)} characters and {lines} lines"
            )
        if len(self.kinds) != lines:
            raise ValueError(f"there are {len(self.kinds)} kinds for {lines} lines")
        for anchor in self.outline:
            if not 1 <= anchor.line <= anchor.last_line <= lines:
                raise ValueError(f"{anchor!r} is not in the text's {lines} lines")
            if len(anchor.label) > LABEL_LENGTH or "\n" in anchor.label or "\r" in anchor.label:
                raise ValueError(f"the label of L{anchor.line} is not one line of 60 characters")
        for name, items in self.evidence.items():
            for item in items:
                if not 1 <= item.first_line <= item.last_line <= lines:
                    raise ValueError(f"{item!r} of {name} is not in the text's {lines} lines")

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
        """
        unknown = evidence.keys() - set(ATTRIBUTE_NAMES)
        if unknown:
            raise ValueError(
                f"{sorted(unknown)[0]!r} is no attribute of the vocabulary; "
                f"there are {', '.join(ATTRIBUTE_NAMES)}"
            )
        return sum_evidence(
            kind=kind,
            version=version,
            text=text,
            kinds=kinds,
            evidence=evidence,
            outline=outline,
            notes=notes,
            meanings=meanings,
        )


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
        shape=Shape(*[sum([item.amount for item in of_name]) for of_name in items.values()]),
        outline=tuple(outline),
        text=text,
        kinds=tuple(kinds),
        evidence=items,
        notes=tuple(notes),
        meanings=meanings if isinstance(meanings, Meanings) else Meanings(meanings),
    )
