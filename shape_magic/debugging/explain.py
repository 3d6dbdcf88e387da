"""`explain`: what was counted, what looks as if it should have been, and by which rule."""

from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby
from typing import Final, Protocol

import msgspec

from shape_magic.analyzers.base import ExplainingAnalyzer
from shape_magic.analyzers.registry import Registry, default_registry, said
from shape_magic.errors import AnalyzerError, ArgumentError
from shape_magic.lines import LineRange
from shape_magic.shape import Measurement, Reason, Shape
from shape_magic.vocabulary import ATTRIBUTE_NAMES, ATTRIBUTES, LineKind
from shape_magic.wording import listed, one_line, plural, quoted

__all__ = [
    "Explanation",
    "Measured",
    "describe_reasons",
    "explain",
    "line_range",
    "measurement_of",
    "reasons_of",
]

NOTHING: Final = "no line is counted, and no line looks as if it should be"
_EXAMPLES: Final = 3
_RULES: Final = 12
_RANGES: Final = 12
_SENTENCE_LENGTH: Final = 300


class Measured(Protocol):
    """What has a measurement, as a proposal does."""

    @property
    def measurement(self) -> Measurement:
        """The measurement."""


class Explanation(msgspec.Struct, frozen=True):
    """Why figures are what they are: prints as text, and shows as HTML in a notebook.

    What is printed is bounded: of each rule it has the first lines in words and the others as
    numbers. `reasons` has all of them.
    """

    analyzer: str
    """The analyzer that measured, as in `markdown/2`."""
    shape: Shape
    attribute: str | None
    """The attribute that was asked for; None for all."""
    lines: LineRange | None
    """The lines that were asked for; None for all."""
    kinds: tuple[LineKind, ...]
    """What those lines are."""
    reasons: tuple[Reason, ...]
    """The reasons, by line."""
    caveats: tuple[str, ...] = ()
    """What keeps these reasons from being the whole answer."""

    def __str__(self) -> str:
        written = [self._title(), *(f"  ! {one_line(caveat)}" for caveat in self.caveats)]
        for heading, entries in self._sections():
            written.append(heading)
            written += [f"  {entry}" for entry in entries]
        return "\n".join(written)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        parts = [f"<div><b>{escape(self._title())}</b>"]
        parts += [f"<div>⚠ {escape(one_line(caveat))}</div>" for caveat in self.caveats]
        for heading, entries in self._sections():
            items = "".join(f"<li>{escape(entry)}</li>" for entry in entries)
            parts.append(
                f'<div style="margin-top:.5em">{escape(heading)}</div>'
                f'<ul style="margin:0;overflow-wrap:anywhere">{items}</ul>'
            )
        return "".join([*parts, "</div>"])

    def entries(self, attribute: str) -> list[str]:
        """Write what was counted for an attribute, then what looks like it and was not."""
        own = [reason for reason in self.reasons if reason.attribute == attribute]
        entries = describe_reasons(reason for reason in own if reason.counted)
        others = describe_reasons(reason for reason in own if not reason.counted)
        return entries + [f"not counted: {entry}" for entry in others]

    def _title(self) -> str:
        if self.lines is None:
            return f"measured by {self.analyzer}"
        runs = [f"{len(list(run))} {kind}" for kind, run in groupby(self.kinds)]
        more = f" … ({len(runs)} runs)" if len(runs) > _RANGES else ""
        what = self.kinds[0] if self.lines.count == 1 else ", ".join(runs[:_RANGES]) + more
        return f"{_range(self.lines.first, self.lines.last)} by {self.analyzer}: {what}"

    def _sections(self) -> list[tuple[str, list[str]]]:
        sections = []
        refused = [reason for reason in self.reasons if reason.attribute == ""]
        if refused:
            sections.append(("not another kind", describe_reasons(refused)))
        figures = self.shape.as_dict()
        for name in ATTRIBUTE_NAMES if self.attribute is None else (self.attribute,):
            entries = self.entries(name)
            # Of some lines, only what they have to do with is said; all add to `chars` and `lines`.
            aside = not entries or name in {"chars", "lines"}
            if self.lines is not None and self.attribute is None and aside:
                continue
            where = "" if self.lines is None else " in the whole text"
            heading = f"{name} = {figures[name]:,}{where}"
            sections.append((heading, entries or [NOTHING]))
        return sections


def measurement_of(
    subject: Measurement | Measured | str, *, registry: Registry | None = None
) -> Measurement:
    """Return a measurement as it is, a proposal's own, or that of a text, which is measured.

    Raises ArgumentError for anything else.

    >>> measurement_of("# Plan").shape.headings
    1
    """
    if isinstance(subject, str):
        return (default_registry() if registry is None else registry).measure(subject)
    measurement = getattr(subject, "measurement", subject)
    if isinstance(measurement, Measurement):
        return measurement
    why = "; an analyzer answers None where it does not recognise a text" if subject is None else ""
    raise ArgumentError(
        f"{quoted(subject)} has no numbers: give a measurement, a proposal or a text{why}"
    )


def explain(
    subject: Measurement | Measured | str,
    attribute: str | None = None,
    lines: LineRange | tuple[int, int] | int | str | None = None,
    *,
    registry: Registry | None = None,
) -> Explanation:
    r"""Say why the figures of a measurement, a proposal or a text are what they are, and why not.

    `attribute` names one of the eight, and `lines` a line or a range (`12`, `(12, 15)`, "12:15").
    The reasons come from the analyzer of that kind; where it offers none, from the evidence alone.
    Raises ArgumentError for another attribute and for lines that the text does not have.

    >>> print(explain("#tag\n", "headings"))
    measured by markdown/2
    headings = 0
      not counted: L1: in `#tag` a number sign is followed by `t`, not by a space or a tab
      (CommonMark 4.2)
    """
    registry = default_registry() if registry is None else registry
    measurement = measurement_of(subject, registry=registry)
    if attribute is not None and attribute not in ATTRIBUTE_NAMES:
        raise ArgumentError(
            f"{quoted(attribute)} is no attribute; there are {listed(ATTRIBUTE_NAMES)}"
        )
    within = None if lines is None else line_range(lines, count=len(measurement.kinds))
    reasons, caveats = reasons_of(measurement, registry=registry)
    if attribute is None and within is None:
        reasons = [*_refusals(measurement, registry), *reasons]
    first, last = (1, len(measurement.kinds)) if within is None else (within.first, within.last)
    return Explanation(
        analyzer=measurement.analyzer,
        shape=measurement.shape,
        attribute=attribute,
        lines=within,
        kinds=() if within is None else measurement.kinds[first - 1 : last],
        reasons=tuple(
            reason
            for reason in reasons
            if attribute in {None, reason.attribute}
            and (within is None or (reason.first_line <= last and reason.last_line >= first))
        ),
        caveats=tuple(caveats),
    )


def reasons_of(
    measurement: Measurement, *, registry: Registry
) -> tuple[Sequence[Reason], list[str]]:
    """Give the reasons for a measurement, by line, and what keeps them from being all."""
    caveats = []
    found: list[Reason] = []
    try:
        analyzer = registry.get(measurement.kind)
    except AnalyzerError:
        caveats.append(
            f"no analyzer of the kind {measurement.kind} is registered, so this is the evidence "
            "that was kept"
        )
    else:
        try:
            found, caveats = _asked(analyzer, measurement)
        except Exception as error:
            caveats.append(
                f"the analyzer {measurement.kind} failed when it was asked for reasons "
                f"({said(error)}), so this is its evidence"
            )
    told = {reason.attribute for reason in found if reason.counted}
    found += [
        Reason(item.first_line, item.last_line, attribute.name, True, "evidence", sentence)
        for attribute in ATTRIBUTES
        if attribute.name not in told
        for item in measurement.evidence[attribute.name]
        for sentence in [f"adds {item.amount:,}: {measurement.meaning(attribute)}"]
    ]
    return sorted(found, key=lambda reason: (reason.first_line, reason.last_line)), caveats


def _asked(analyzer: object, measurement: Measurement) -> tuple[list[Reason], list[str]]:
    if not isinstance(analyzer, ExplainingAnalyzer):
        return [], [f"the analyzer {measurement.kind} offers no reasons, so this is its evidence"]
    again = analyzer.measure(measurement.text)
    if again is None or (again.text, again.evidence) != (measurement.text, measurement.evidence):
        return [], [
            f"{measurement.analyzer} measured this, and {analyzer.kind}/{analyzer.version} comes "
            "to other figures, so this is the evidence that was kept"
        ]
    return list(analyzer.reasons(measurement.text)), []


def _refusals(measurement: Measurement, registry: Registry) -> list[Reason]:
    """Ask the analyzers that come first why the text is not theirs."""
    refusals = []
    for analyzer in registry:
        if analyzer.kind == measurement.kind:
            break
        if isinstance(analyzer, ExplainingAnalyzer):
            try:
                reasons = list(analyzer.reasons(measurement.text))
            except Exception as error:
                sentence = f"{analyzer.kind} failed ({said(error)})"
                reasons = [Reason(1, 1, "", False, "failed", sentence)]
            refusals += [reason for reason in reasons if reason.attribute == ""]
    return refusals


def about_what(words: str | None) -> tuple[str | None, str | None]:
    """Read what an explanation is about: an attribute, or lines; nothing is all.

    >>> about_what("headings"), about_what("12:15")
    (('headings', None), (None, '12:15'))
    """
    if not words:
        return None, None
    if words in ATTRIBUTE_NAMES:
        return words, None
    if words[0].isascii() and words[0].isdigit():
        return None, words
    raise ArgumentError(
        f"{quoted(words)} is neither an attribute nor lines; write a line as 12, a range as 12:15, "
        f"or one of {', '.join(ATTRIBUTE_NAMES)}"
    )


def line_range(lines: LineRange | tuple[int, int] | int | str, *, count: int) -> LineRange:
    """Read a line or a range of lines and hold it against how many there are.

    >>> line_range("12:15", count=20)
    LineRange(first=12, last=15)
    """
    wanted: tuple[object, ...]
    match lines:
        case LineRange():
            wanted = (lines.first, lines.last)
        case str():
            # A number of more digits is no line of any text, and Python refuses to read a huge one.
            parts = lines.split(":")
            wanted = tuple(
                int(part) if part.isascii() and part.isdigit() and len(part) < 10 else part
                for part in parts
            )
        case int():
            wanted = (lines,)
        case _:
            wanted = tuple(lines)
    if len(wanted) == 1:
        wanted *= 2
    if len(wanted) != 2 or not all(type(line) is int for line in wanted):
        raise ArgumentError(
            f"lines is {quoted(lines)}; a line is 12, and a range (12, 15) or '12:15'"
        )
    first, last = (line for line in wanted if isinstance(line, int))
    if not 1 <= first <= last:
        raise ArgumentError(
            f"lines {first} to {last} are no range: lines count from 1 and the first is not after "
            "the last"
        )
    if first > count:
        raise ArgumentError(f"line {first:,} is not there: the text has {plural(count, 'line')}")
    return LineRange(first, min(last, count))


def describe_reasons(reasons: Iterable[Reason]) -> list[str]:
    """Write reasons, rule by rule: the first lines of each in words, the others as numbers."""
    rules: dict[str, list[Reason]] = {}
    for reason in reasons:
        rules.setdefault(reason.rule, []).append(reason)
    entries = []
    for own in list(rules.values())[:_RULES]:
        for reason in own[:_EXAMPLES]:
            source = f" ({reason.source})" if reason.source else ""
            where = _range(reason.first_line, reason.last_line)
            sentence = one_line(reason.sentence, length=_SENTENCE_LENGTH)
            entries.append(f"{where}: {sentence}{source}")
        more = own[_EXAMPLES:]
        if more:
            ranges = [_range(reason.first_line, reason.last_line) for reason in more[:_RANGES]]
            rest = f" and {len(more) - _RANGES:,} more" if len(more) > _RANGES else ""
            entries.append(f"by the same rule ({own[0].rule}): {', '.join(ranges)}{rest}")
    if len(rules) > _RULES:
        entries.append(f"{len(rules) - _RULES} more rules")
    return entries


def _range(first: int, last: int) -> str:
    return f"L{first}" if first == last else f"L{first}-L{last}"
