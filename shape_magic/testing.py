r"""Cases as data, and snapshots of figures: for this package's own tests and for plug-ins'.

A case file is Markdown. A case in it is a title, an input and what is expected, each ended by a
line that is a single dot; whatever stands between cases is prose. A title that ends with
`[escaped]` has a Python string literal for its input. What is expected is a line of figures (those
left out are 0), then as needed `outline:`, `kinds:` (the first letter of each line's kind),
`ends:` (the anchors' last lines) and `notes:` (code@line). Outline and notes are always compared,
so that a case that leaves them out says that they are empty; an analyzer that does not recognise
the input is `not recognised`.

    a heading
    .
    # A
    .
    chars=4 lines=1 headings=1
    outline: L1 # A
    .

In a test module:

    from shape_magic.testing import case_parameters

    @case_parameters("cases")
    def test_case(case):
        case.check(DiffAnalyzer())
"""

import ast
import hashlib
import json
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from shape_magic.analyzers.base import Analyzer
from shape_magic.analyzers.registry import Registry, default_registry, measured_by
from shape_magic.debugging.asking import chosen_analyzer, named_texts
from shape_magic.debugging.explain import describe_reasons, reasons_of
from shape_magic.errors import ArgumentError, ShapeMagicError
from shape_magic.lines import strip_mark
from shape_magic.prompting.candidate import outline_element
from shape_magic.shape import Measurement, Reason
from shape_magic.vocabulary import ATTRIBUTE_NAMES
from shape_magic.wording import listed, one_line, plural, quoted, visible

if TYPE_CHECKING:
    from os import PathLike

    import pytest

__all__ = [
    "Case",
    "CaseError",
    "SnapshotChange",
    "SnapshotComparison",
    "case_parameters",
    "compare_snapshot",
    "describe",
    "read_cases",
    "save_snapshot",
]

_ESCAPED: Final = "[escaped]"
_NOT_RECOGNISED: Final = "not recognised"
_CHANGES_SHOWN: Final = 10


class CaseError(ShapeMagicError, ValueError):
    """A file of cases that cannot be read, or a folder that has none; the message says where."""


class Case(msgspec.Struct, frozen=True):
    """One case: where it stands, what is measured and what is expected."""

    name: str
    """The file's name, the line of the case in it and its title."""
    text: str
    expected: tuple[str, ...]

    def described(self, analyzer: Analyzer | str | None = None) -> list[str]:
        """Measure the input and write it with the fields that the case asks for.

        By the analyzer or the registered kind that is given, else by the default registry.
        """
        registry = default_registry()
        if analyzer is None:
            measurement: Measurement | None = registry.measure(self.text)
        else:
            measurement = measured_by(
                chosen_analyzer(analyzer, registry=registry), strip_mark(self.text)
            )
        fields = {line.split(":")[0] for line in self.expected if ":" in line}
        return describe(measurement, fields=fields)

    def check(self, analyzer: Analyzer | str | None = None) -> None:
        """Raise AssertionError, with both sides, where it comes out otherwise than expected."""
        described = self.described(analyzer)
        if described != list(self.expected):
            raise AssertionError(
                "\n".join(
                    [
                        f"{self.name} comes out otherwise",
                        *(f"- {line}" for line in self.expected),
                        *(f"+ {line}" for line in described),
                    ]
                )
            )


def read_cases(path: "str | PathLike[str]") -> list[Case]:
    r"""Read all cases of a file; CaseError says what cannot be read.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "headings.md")
    >>> _ = file.write_text("a heading\n.\n# A\n.\nchars=4 lines=1 headings=1\n"
    ...     "outline: L1 # A\n.\n")
    >>> [case] = read_cases(file)
    >>> case.name, case.text
    ('headings:1 a heading', '# A\n')
    >>> case.check()
    """
    path = Path(path)
    # Python would take other characters for line endings, and a case may hold any.
    lines = path.read_bytes().decode("utf-8").split("\n")
    dots = [number for number, line in enumerate(lines) if line == "."]
    if len(dots) % 3:
        raise CaseError(
            f"{path}: there are {len(dots)} lines that are a single dot, and each case has three: "
            "before and after the input, and after what is expected"
        )
    cases = []
    for begin, middle, end in zip(dots[::3], dots[1::3], dots[2::3], strict=True):
        title = lines[begin - 1] if begin else ""
        text = "".join(f"{line}\n" for line in lines[begin + 1 : middle])
        if title.endswith(_ESCAPED):
            try:
                text = ast.literal_eval(text)
            except (SyntaxError, ValueError) as error:
                raise CaseError(
                    f"{path}, line {begin + 2}: the input of an {_ESCAPED} case is a Python string "
                    f"literal ({error})"
                ) from None
        cases.append(Case(f"{path.stem}:{begin} {title}", text, tuple(lines[middle + 1 : end])))
    return cases


def case_parameters(*paths: "str | PathLike[str]") -> "pytest.MarkDecorator":
    """Give the mark that runs a test once for each case, as its argument `case`.

    A path is a file of cases, or a folder whose `*.md` files are. CaseError where there are none:
    a test that runs over nothing holds nothing.
    """
    import pytest

    cases = []
    for path in map(Path, paths):
        files = sorted(path.glob("*.md")) if path.is_dir() else [path]
        found = [case for file in files for case in read_cases(file)]
        if not found:
            raise CaseError(f"{path} has no cases")
        cases += found
    return pytest.mark.parametrize("case", cases, ids=[case.name for case in cases])


def describe(
    measurement: Measurement | None, *, fields: Iterable[str] = ("outline", "notes")
) -> list[str]:
    """Write a measurement as cases write what is expected, with the fields that are asked for.

    >>> describe(default_registry().measure("- a"), fields=["kinds"])
    ['chars=3 lines=1 list_items=1', 'kinds: l']
    """
    if measurement is None:
        return [_NOT_RECOGNISED]
    fields = set(fields)
    figures = [f"{name}={n}" for name, n in measurement.shape.as_dict().items() if n]
    described = [" ".join(figures)] if figures else []
    if measurement.outline:
        outline = visible(outline_element(measurement))
        described.append(f"outline: {outline[len('<outline>') : -len('</outline>')]}")
    if "kinds" in fields:
        described.append("kinds: " + "".join(kind[0] for kind in measurement.kinds))
    if "ends" in fields:
        described.append("ends: " + " ".join(str(a.last_line) for a in measurement.outline))
    if measurement.notes:
        notes = " ".join(f"{note.code}@{note.line}" for note in measurement.notes)
        described.append(f"notes: {notes}")
    return described


# Snapshots.


class _Kept(msgspec.Struct, frozen=True, omit_defaults=True):
    """One text's line in a snapshot."""

    name: str
    digest: str
    """Of the text, which is not kept."""
    analyzer: str = ""
    figures: dict[str, int] = {}
    kinds: str = ""
    """The first letter of each line's kind, as runs: `3p1h12c`."""
    error: str = ""


class SnapshotChange(msgspec.Struct, frozen=True):
    """A text that a snapshot knows and that is measured otherwise today."""

    name: str
    before: Mapping[str, int]
    after: Mapping[str, int]
    analyzers: tuple[str, str]
    lines: tuple[int, ...]
    """The lines that are of another kind today."""
    explained: tuple[str, ...]
    """What today's analyzer says of those lines; of the attributes, where no kind differs."""

    def __str__(self) -> str:
        figures = ", ".join(
            f"{name} {self.before.get(name, 0):,} -> {self.after.get(name, 0):,}"
            for name in ATTRIBUTE_NAMES
            if self.before.get(name, 0) != self.after.get(name, 0)
        )
        if self.analyzers[0] != self.analyzers[1]:
            figures = f"{self.analyzers[0]} -> {self.analyzers[1]}; {figures}"
        written = f"{one_line(self.name, length=60)}: {figures or 'other kinds of line'}"
        return "\n".join([written, *(f"    {entry}" for entry in self.explained)])


class SnapshotComparison(msgspec.Struct, frozen=True):
    """Texts held against a snapshot: prints what changed, with the reasons of today."""

    texts: int
    changes: tuple[SnapshotChange, ...]
    missing: tuple[str, ...] = ()
    """Texts of the snapshot that were not given."""
    added: tuple[str, ...] = ()
    """Texts that the snapshot does not know, or knows with other words."""

    @property
    def same(self) -> bool:
        """Whether every text of the snapshot was given and is measured as it was."""
        return not self.changes and not self.missing

    def __str__(self) -> str:
        written = [f"{plural(len(self.changes), 'change')} in {plural(self.texts, 'text')}"]
        for what, names in (("not given", self.missing), ("not in the snapshot", self.added)):
            if names:
                written.append(f"{what}: {one_line(listed(names))}")
        written += map(str, self.changes[:_CHANGES_SHOWN])
        if len(self.changes) > _CHANGES_SHOWN:
            written.append(f"and {plural(len(self.changes) - _CHANGES_SHOWN, 'more change')}")
        return "\n".join(written)

    __repr__ = __str__


def save_snapshot(
    path: "str | PathLike[str]",
    texts: Iterable[str] | Mapping[str, str],
    *,
    analyzer: Analyzer | str | None = None,
) -> int:
    """Write what each text measures to a file, a JSON object a line; give how many there were.

    The texts themselves are not written. An analyzer that fails on one is written, too.
    """
    named = named_texts(texts)
    kept = [_kept(name, text, analyzer)[0] for name, text in named.items()]
    lines = [json.dumps(msgspec.to_builtins(entry)) for entry in kept]
    Path(path).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return len(kept)


def compare_snapshot(
    path: "str | PathLike[str]",
    texts: Iterable[str] | Mapping[str, str],
    *,
    analyzer: Analyzer | str | None = None,
) -> SnapshotComparison:
    r"""Measure texts again and hold them against a snapshot, with the reasons for what changed.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "figures.jsonl")
    >>> save_snapshot(path, {"a": "# A\n", "b": "B\n"})
    2
    >>> compare_snapshot(path, {"a": "# A\n", "b": "B\n"}).same
    True
    """
    before = {entry.name: entry for entry in _read_snapshot(Path(path))}
    named = named_texts(texts)
    changes = []
    added = []
    for name, text in named.items():
        today, measurement = _kept(name, text, analyzer)
        known = before.pop(name, None)
        if known is None or known.digest != today.digest:
            added.append(name)
        elif known != today:
            changes.append(_change(known, today, measurement, analyzer))
    return SnapshotComparison(len(named), tuple(changes), tuple(before), tuple(added))


def _kept(
    name: str, text: str, analyzer: Analyzer | str | None
) -> tuple[_Kept, Measurement | None]:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    registry = default_registry()
    try:
        if analyzer is None:
            measurement: Measurement | None = registry.measure(text)
        else:
            measurement = measured_by(
                chosen_analyzer(analyzer, registry=registry), strip_mark(text)
            )
    except Exception as error:
        return _Kept(name, digest, error=one_line(f"{type(error).__name__}: {error}")), None
    if measurement is None:
        return _Kept(name, digest), None
    figures = {name: figure for name, figure in measurement.shape.as_dict().items() if figure}
    return _Kept(name, digest, measurement.analyzer, figures, _runs(measurement)), measurement


def _runs(measurement: Measurement) -> str:
    runs: list[list[Any]] = []
    for kind in measurement.kinds:
        if runs and runs[-1][1] == kind[0]:
            runs[-1][0] += 1
        else:
            runs.append([1, kind[0]])
    return "".join(f"{count}{letter}" for count, letter in runs)


def _letters(runs: str) -> str:
    letters = []
    count = 0
    for character in runs:
        if character.isdigit():
            count = count * 10 + int(character)
        else:
            letters.append(character * count)
            count = 0
    return "".join(letters)


def _change(
    known: _Kept, today: _Kept, measurement: Measurement | None, analyzer: Analyzer | str | None
) -> SnapshotChange:
    explained: list[str] = [today.error] if today.error else []
    lines: tuple[int, ...] = ()
    if measurement is not None:
        before, after = _letters(known.kinds), _letters(today.kinds)
        lines = tuple(
            number
            for number, kind in enumerate(after, start=1)
            if kind != before[number - 1 : number]
        )
        changed = {
            name
            for name in ATTRIBUTE_NAMES[2:]
            if known.figures.get(name, 0) != today.figures.get(name, 0)
        }
        registry = default_registry()
        if analyzer is not None:
            # The reasons are those of the analyzer that measured.
            registry = Registry([], fallback=chosen_analyzer(analyzer, registry=registry))
        reasons, _ = reasons_of(measurement, registry=registry)
        explained = describe_reasons(
            reason
            for reason in reasons
            if reason.attribute in changed and (not lines or _within(reason, lines))
        )
    return SnapshotChange(
        known.name,
        known.figures,
        today.figures,
        (known.analyzer, today.analyzer),
        lines,
        tuple(explained),
    )


def _within(reason: Reason, lines: Sequence[int]) -> bool:
    """Tell whether a reason speaks of one of some lines, which ascend."""
    place = bisect_left(lines, reason.first_line)
    return place < len(lines) and lines[place] <= reason.last_line


def _read_snapshot(path: Path) -> list[_Kept]:
    entries = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if line:
            try:
                entries.append(msgspec.convert(json.loads(line), _Kept))
            except ValueError as error:
                raise ArgumentError(
                    f"{quoted(str(path))}, line {number}, is no line of a snapshot ({error})"
                ) from error
    return entries
