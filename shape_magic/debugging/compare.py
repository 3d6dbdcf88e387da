"""`compare_analyzers`: where two analyzers differ on the same texts, and why."""

import bisect
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Final

import msgspec

from shape_magic.analyzers.base import Analyzer
from shape_magic.analyzers.registry import Registry, default_registry, measured_by
from shape_magic.debugging.asking import (
    AnalyzerFailure,
    called,
    chosen_analyzer,
    failure_of,
    named_texts,
    reasons_by,
)
from shape_magic.debugging.explain import describe_reasons
from shape_magic.errors import ArgumentError
from shape_magic.lines import split_lines, strip_mark
from shape_magic.report import preformatted
from shape_magic.shape import Measurement, Reason, Shape
from shape_magic.vocabulary import ATTRIBUTE_NAMES, LineKind
from shape_magic.wording import one_line, plural

__all__ = [
    "AnalyzerComparison",
    "LineDifference",
    "RankChange",
    "TextDifference",
    "compare_analyzers",
]

_TEXTS_SHOWN: Final = 5
_LINES_SHOWN: Final = 4
_ROWS_SHOWN: Final = 60
_RULES_SHOWN: Final = 12
_WIDTH: Final = 60

_COUNTED: Final = ("prose_chars", "headings", "code_blocks", "list_items", "table_rows")
"""The attributes that are compared by line; what comes before the first structure follows."""

_ATTRIBUTE_OF: Final[Mapping[LineKind, str]] = {
    "prose": "prose_chars",
    "code": "code_blocks",
    "list": "list_items",
    "table": "table_rows",
    "heading": "headings",
}


class LineDifference(msgspec.Struct, frozen=True):
    """Lines that two analyzers paint or count differently, all in the same way."""

    first_line: int
    last_line: int
    kinds: tuple[LineKind, LineKind]
    """What the lines are to either."""
    amounts: tuple[tuple[int, ...], tuple[int, ...]]
    """What the lines add to prose, headings, code blocks, list items and table rows, to either."""
    line: str
    """The first of the lines."""
    reasons: tuple[tuple[Reason, ...], tuple[Reason, ...]]
    """The reasons of either that name the cause; empty where it offers none."""

    @property
    def explained(self) -> bool:
        """Whether either side names the cause."""
        return any(self.reasons)


class TextDifference(msgspec.Struct, frozen=True):
    """A text on which two analyzers differ."""

    name: str
    shapes: tuple[Shape, Shape]
    lines: tuple[LineDifference, ...]
    """Empty where the two readable forms are not the same text."""
    size: int
    """The characters of the lines that differ; of the larger form where the forms do."""
    same_form: bool = True


class RankChange(msgspec.Struct, frozen=True):
    """What another analyzer does to the order of the candidates within their groups."""

    attribute: str
    pairs: int
    """Pairs of candidates of one group."""
    turned: int
    """Pairs that stand the other way round."""
    tied: int
    """Pairs that are equal to one analyzer only."""


class AnalyzerComparison(msgspec.Struct, frozen=True):
    """Two analyzers on the same texts: prints as a table, with the largest differences first."""

    names: tuple[str, str]
    """The two analyzers, as in `markdown/2`."""
    compared: int
    """Texts that both measured."""
    equal: Mapping[str, int]
    """For each attribute, on how many of them both give the same figure."""
    means: Mapping[str, tuple[float, float]]
    """For each attribute, the mean of either."""
    differences: tuple[TextDifference, ...]
    """Texts that differ, the largest difference first."""
    unrecognised: tuple[tuple[str, ...], tuple[str, ...]]
    """The texts that are not either's own."""
    failures: tuple[AnalyzerFailure, ...]
    """What an analyzer raised, each with its text."""
    ranks: tuple[RankChange, ...] = ()
    """By attribute, where groups were given."""
    sides: tuple[Measurement, Measurement] | None = None
    """The two measurements, where one text was given."""

    @property
    def differing_lines(self) -> int:
        """How many lines differ, in all texts."""
        return sum(line.last_line - line.first_line + 1 for line in self._lines())

    @property
    def explained_lines(self) -> int:
        """How many of them have a reason that names the cause."""
        return sum(line.last_line - line.first_line + 1 for line in self._lines() if line.explained)

    @property
    def rules(self) -> dict[str, int]:
        """How many of the lines each rule explains, the most first.

        A line that several rules explain is the first one's.
        """
        counts: Counter[str] = Counter()
        for line in self._lines():
            reasons = [reason for side in line.reasons for reason in side]
            if reasons:
                counts[reasons[0].rule] += line.last_line - line.first_line + 1
        return dict(counts.most_common())

    def _lines(self) -> Iterator[LineDifference]:
        for text in self.differences:
            yield from text.lines

    def __str__(self) -> str:
        written = [self._title()]
        if self.compared:
            written += [_row(cells) for cells in self._table()]
        written += self._words()
        for text in self.differences[:_TEXTS_SHOWN]:
            written += self._text(text)
        if self.sides is not None and self.differences:
            written += _columns(list(self._side_by_side()))
        return "\n".join(written)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        parts = [f"<div><b>{escape(self._title())}</b>"]
        if self.compared:
            parts.append(_html_table(list(self._table())))
        if self.sides is not None and self.differences:
            parts.append(_html_table(list(self._side_by_side())))
        return "".join([*parts, self.reasons_html(), "</div>"])

    def reasons_html(self) -> str:
        """Write as HTML what stands below the tables: the differences, each with its reasons."""
        written = self._words()
        for text in self.differences[:_TEXTS_SHOWN]:
            written += self._text(text)
        return preformatted("\n".join(written))

    def _title(self) -> str:
        return f"{self.names[0]} against {self.names[1]} on {plural(self.compared, 'text')}"

    def _table(self) -> Iterator[tuple[str, ...]]:
        if self.compared == 1:
            yield ("", *self.names, "difference")
            for name in ATTRIBUTE_NAMES:
                a, b = (int(mean) for mean in self.means[name])
                yield (name, f"{a:,}", f"{b:,}", f"{b - a:+,}" if a != b else "")
            return
        yield ("", "equal", "", *(f"mean {name}" for name in self.names))
        for name in ATTRIBUTE_NAMES:
            share = 100 * self.equal[name] / self.compared
            means = (f"{mean:,.1f}" for mean in self.means[name])
            yield (name, f"{self.equal[name]:,}", f"{share:.1f} %", *means)

    def _words(self) -> list[str]:
        written = []
        for name, texts in zip(self.names, self.unrecognised, strict=True):
            if texts:
                written.append(f"not recognised by {name}: {_some(texts)}")
        written += [str(failure) for failure in self.failures[:_TEXTS_SHOWN]]
        if len(self.failures) > _TEXTS_SHOWN:
            written.append(f"and {len(self.failures) - _TEXTS_SHOWN:,} more failures")
        if lines := self.differing_lines:
            # Rounded down: not all is never 100 %.
            share = math.floor(1000 * self.explained_lines / lines) / 10
            written.append(
                f"{plural(lines, 'line')} of {plural(len(self.differences), 'text')} differ; "
                f"for {share:.1f} % of them a reason names the cause"
            )
            rules = list(self.rules.items())
            if rules:
                named = ", ".join(f"{rule} {count:,}" for rule, count in rules[:_RULES_SHOWN])
                written.append(f"lines by rule: {named}")
        for rank in self.ranks:
            if rank.turned or rank.tied:
                written.append(
                    f"order by {rank.attribute}: {rank.turned:,} of {rank.pairs:,} pairs turn "
                    f"round, {rank.tied:,} are tied in one of the two"
                )
        return written

    def _text(self, text: TextDifference) -> Iterator[str]:
        figures = [
            f"{name} {getattr(text.shapes[0], name):,} / {getattr(text.shapes[1], name):,}"
            for name in ATTRIBUTE_NAMES
            if getattr(text.shapes[0], name) != getattr(text.shapes[1], name)
        ]
        yield f"{one_line(text.name, length=_WIDTH)}: {', '.join(figures) or 'the same figures'}"
        if not text.same_form:
            yield "  the readable forms differ, so their lines are not compared"
        for line in text.lines[:_LINES_SHOWN]:
            where = f"L{line.first_line}"
            if line.last_line > line.first_line:
                where += f"-L{line.last_line}"
            yield (
                f"  {where} {line.kinds[0]} / {line.kinds[1]}: {one_line(line.line, length=_WIDTH)}"
            )
            for name, reasons in zip(self.names, line.reasons, strict=True):
                for entry in describe_reasons(reasons):
                    yield f"      {name}: {entry}"
        if len(text.lines) > _LINES_SHOWN:
            yield f"  and {plural(len(text.lines) - _LINES_SHOWN, 'more place')}"

    def _side_by_side(self) -> Iterator[tuple[str, ...]]:
        assert self.sides is not None
        a, b = self.sides
        if a.text != b.text:
            return
        differing = {
            number
            for difference in self.differences[0].lines
            for number in range(difference.first_line, difference.last_line + 1)
        }
        near = {number + step for number in differing for step in (-1, 0, 1)}
        yield ("line", *self.names, "")
        rows = 0
        for number, line in enumerate(split_lines(a.text), start=1):
            if number in near or len(a.kinds) <= _ROWS_SHOWN:
                rows += 1
                if rows > _ROWS_SHOWN:
                    yield ("…", "", "", f"{len(a.kinds) - number + 1:,} more lines")
                    return
                other = b.kinds[number - 1]
                mark = "≠ " if number in differing else "  "
                yield (
                    str(number),
                    a.kinds[number - 1],
                    other,
                    mark + one_line(line, length=_WIDTH),
                )


def compare_analyzers(
    texts: str | Iterable[str] | Mapping[str, str],
    a: str | Analyzer,
    b: str | Analyzer,
    *,
    groups: Sequence[Hashable] | None = None,
    registry: Registry | None = None,
) -> AnalyzerComparison:
    """Measure the same texts with two analyzers and say where they differ, with both's reasons.

    `a` and `b` are kinds of the registry or analyzers. `groups` gives for each text the group of
    candidates that it is judged in; the comparison then says what the other figures do to the
    order within groups. What an analyzer raises is kept with the text under `failures`.

    >>> comparison = compare_analyzers("# A", "markdown", "markdown")
    >>> comparison.equal["headings"], comparison.differing_lines
    (1, 0)
    """
    registry = default_registry() if registry is None else registry
    named = named_texts(texts)
    if groups is not None and len(groups) != len(named):
        raise ArgumentError(f"there are {len(groups):,} groups for {len(named):,} texts")
    analyzers = (chosen_analyzer(a, registry=registry), chosen_analyzer(b, registry=registry))
    failures: list[AnalyzerFailure] = []
    unrecognised: tuple[list[str], list[str]] = ([], [])
    shapes: list[tuple[Shape, Shape]] = []
    kept_groups: list[Hashable] = []
    differences = []
    sides = None
    for place, (name, text) in enumerate(named.items()):
        found: list[Measurement] = []
        for analyzer, own in zip(analyzers, unrecognised, strict=True):
            try:
                measurement = measured_by(analyzer, strip_mark(text))
            except Exception as error:
                failures.append(failure_of(analyzer, name, text, error))
                continue
            if measurement is None:
                own.append(name)
            else:
                found.append(measurement)
        if len(found) < 2:
            continue
        sides = (found[0], found[1])
        shapes.append((found[0].shape, found[1].shape))
        kept_groups.append(None if groups is None else groups[place])
        difference = _difference(name, text, sides, analyzers, failures)
        if difference is not None:
            differences.append(difference)
    differences.sort(key=lambda difference: -difference.size)
    names = (called(analyzers[0]), called(analyzers[1]))
    if names[0] == names[1]:
        names = (f"{names[0]} (a)", f"{names[1]} (b)")
    return AnalyzerComparison(
        names=names,
        compared=len(shapes),
        equal={
            name: sum(getattr(first, name) == getattr(second, name) for first, second in shapes)
            for name in ATTRIBUTE_NAMES
        },
        means={
            name: (
                _mean([getattr(shape, name) for shape, _ in shapes]),
                _mean([getattr(shape, name) for _, shape in shapes]),
            )
            for name in ATTRIBUTE_NAMES
        },
        differences=tuple(differences),
        unrecognised=(tuple(unrecognised[0]), tuple(unrecognised[1])),
        failures=tuple(failures),
        ranks=() if groups is None else tuple(_ranks(shapes, kept_groups)),
        sides=sides if len(named) == 1 else None,
    )


def figures_table(a: Shape, b: Shape, *, names: tuple[str, str]) -> list[str]:
    """Write two shapes and the second's differences to the first, a line an attribute.

    >>> figures_table(Shape(chars=3), Shape(chars=5), names=("before", "after"))[1].split()
    ['chars', '3', '5', '+2']
    """
    rows = [("", *names, "difference")]
    others = b.as_dict()
    for name, figure in a.as_dict().items():
        change = others[name] - figure
        rows.append((name, f"{figure:,}", f"{others[name]:,}", f"{change:+,}" if change else ""))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            [
                f"{row[0]:<{widths[0]}}",
                *(f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True)),
            ]
        ).rstrip()
        for row in rows
    ]


def _difference(
    name: str,
    text: str,
    sides: tuple[Measurement, Measurement],
    analyzers: tuple[Analyzer, Analyzer],
    failures: list[AnalyzerFailure],
) -> TextDifference | None:
    a, b = sides
    if a.text != b.text:
        size = max(len(a.text), len(b.text))
        return TextDifference(name, (a.shape, b.shape), (), size, same_form=False)
    lines = split_lines(a.text)
    counts = (_amounts(a, lines), _amounts(b, lines))
    differing = _differing(a, b, lines, counts)
    if not differing and a.shape == b.shape:
        return None
    reasons: list[dict[int, list[Reason]]] = []
    for analyzer in analyzers:
        try:
            reasons.append(_by_line(reasons_by(analyzer, text), differing))
        except Exception as error:
            failures.append(failure_of(analyzer, name, text, error))
            reasons.append({})

    def causes(number: int, side: int) -> list[Reason]:
        own, others = (
            _attributes(sides[which].kinds[number - 1], counts[which][number - 1])
            for which in (side, 1 - side)
        )
        return [
            reason for reason in reasons[side].get(number, ()) if _names_cause(reason, own, others)
        ]

    def alike(pair: tuple[int, int]) -> tuple[object, ...]:
        """Give what lines have in common that follow one another and differ in the same way."""
        place, number = pair
        return (
            number - place,
            a.kinds[number - 1],
            b.kinds[number - 1],
            *(tuple(map(bool, counts[side][number - 1])) for side in (0, 1)),
            *(tuple(reason.rule for reason in causes(number, side)) for side in (0, 1)),
        )

    found = []
    for _, run in groupby(enumerate(differing), key=alike):
        numbers = [number for _, number in run]
        first = numbers[0]
        amounts = [
            tuple(map(sum, zip(*(counts[side][n - 1] for n in numbers), strict=True)))
            for side in (0, 1)
        ]
        named = [
            tuple(dict.fromkeys(reason for n in numbers for reason in causes(n, side)))
            for side in (0, 1)
        ]
        found.append(
            LineDifference(
                first,
                numbers[-1],
                (a.kinds[first - 1], b.kinds[first - 1]),
                (amounts[0], amounts[1]),
                lines[first - 1],
                (named[0], named[1]),
            )
        )
    size = sum(len(lines[number - 1]) for number in differing)
    return TextDifference(name, (a.shape, b.shape), tuple(found), size)


def differing_lines(a: Measurement, b: Measurement) -> list[int]:
    r"""Give the numbers of the lines that two measurements of one text paint or count differently.

    >>> from shape_magic import measure
    >>> text = "# A\n\n- b\n"
    >>> differing_lines(measure(text), measure(text))
    []
    """
    lines = split_lines(a.text)
    return _differing(a, b, lines, (_amounts(a, lines), _amounts(b, lines)))


def _differing(
    a: Measurement,
    b: Measurement,
    lines: Sequence[str],
    counts: tuple[list[tuple[int, ...]], list[tuple[int, ...]]],
) -> list[int]:
    return [
        number
        for number, line in enumerate(lines, start=1)
        if counts[0][number - 1] != counts[1][number - 1]
        # A blank line adds nothing, whatever it is painted.
        or (a.kinds[number - 1] != b.kinds[number - 1] and line.strip(" \t"))
    ]


def _amounts(measurement: Measurement, lines: Sequence[str]) -> list[tuple[int, ...]]:
    """Give what each line adds to each attribute, however the evidence is cut into ranges."""
    by_line = [[0] * len(_COUNTED) for _ in lines]
    for column, name in enumerate(_COUNTED):
        for item in measurement.evidence[name]:
            count = item.last_line - item.first_line + 1
            own = lines[item.first_line - 1 : item.last_line]
            if name == "prose_chars" and item.amount == sum(map(len, own)):
                for number, line in enumerate(own, start=item.first_line):
                    by_line[number - 1][column] += len(line)
            elif item.amount == count:
                for number in range(item.first_line, item.last_line + 1):
                    by_line[number - 1][column] += 1
            else:
                by_line[item.first_line - 1][column] += item.amount
    return [tuple(amounts) for amounts in by_line]


def _by_line(reasons: Iterable[Reason], numbers: Sequence[int]) -> dict[int, list[Reason]]:
    """Give the reasons for each of some lines, which ascend."""
    by_line: dict[int, list[Reason]] = {}
    for reason in reasons:
        start = bisect.bisect_left(numbers, reason.first_line)
        for number in numbers[start : bisect.bisect_right(numbers, reason.last_line)]:
            by_line.setdefault(number, []).append(reason)
    return by_line


def _attributes(kind: LineKind, amounts: Sequence[int]) -> set[str]:
    """Give the attributes that a line counts for, to one analyzer."""
    counted = {name for name, amount in zip(_COUNTED, amounts, strict=True) if amount}
    return counted | {_ATTRIBUTE_OF.get(kind, "")}


def _names_cause(reason: Reason, own: set[str], others: set[str]) -> bool:
    """Tell whether a reason of one side names the cause of a difference.

    Either it says what the line was counted for here and not there, or why it was not counted
    here for what it was counted for there. That a line is running text is no cause.
    """
    if reason.counted:
        return reason.attribute != "prose_chars" and reason.attribute in own
    return reason.attribute in others


def _ranks(
    shapes: Sequence[tuple[Shape, Shape]], groups: Sequence[Hashable]
) -> Iterator[RankChange]:
    by_group: dict[Hashable, list[tuple[Shape, Shape]]] = {}
    for pair, group in zip(shapes, groups, strict=True):
        by_group.setdefault(group, []).append(pair)
    for name in ATTRIBUTE_NAMES:
        pairs = turned = tied = 0
        for own in by_group.values():
            figures = sorted((getattr(first, name), getattr(second, name)) for first, second in own)
            pairs += _pairs(len(own))
            turned += _inversions([second for _, second in figures])
            ties = [
                sum(map(_pairs, Counter(values).values()))
                for values in ([a for a, _ in figures], [b for _, b in figures], figures)
            ]
            tied += ties[0] + ties[1] - 2 * ties[2]
        yield RankChange(name, pairs, turned, tied)


def _pairs(count: int) -> int:
    return count * (count - 1) // 2


def _inversions(values: Sequence[int]) -> int:
    before: list[int] = []
    inversions = 0
    for value in values:
        place = bisect.bisect_right(before, value)
        inversions += len(before) - place
        before.insert(place, value)
    return inversions


def _mean(values: Sequence[int]) -> float:
    return sum(values) / len(values) if values else 0.0


def _some(names: Sequence[str]) -> str:
    first = ", ".join(one_line(name, length=_WIDTH) for name in names[:_TEXTS_SHOWN])
    more = len(names) - _TEXTS_SHOWN
    return f"{first} and {more:,} more" if more > 0 else first


def _row(cells: Sequence[str]) -> str:
    first, *others = cells
    return f"  {first:<13}" + "".join(f"{cell:>16}" for cell in others).rstrip()


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Write rows in columns, each as wide as its widest cell; the last ends the line."""
    widths = [max(map(len, column)) + 2 for column in list(zip(*rows, strict=True))[:-1]]
    return [
        "  "
        + (
            "".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=False))
            + cells[-1]
        ).rstrip()
        for cells in rows
    ]


def _html_table(rows: Sequence[Sequence[str]]) -> str:
    written = []
    for place, cells in enumerate(rows):
        tag = "th" if place == 0 else "td"
        written.append(
            "<tr>"
            + "".join(f'<{tag} style="text-align:left">{escape(cell)}</{tag}>' for cell in cells)
            + "</tr>"
        )
    return f'<table style="font-size:13px">{"".join(written)}</table>'
