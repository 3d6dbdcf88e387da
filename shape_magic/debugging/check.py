"""`check_analyzer`: what an analyzer must hold, tried on many texts, with the smallest that fails.

Each law is a function that is given the analyzer, a text and its measurement, and says what is
wrong, or None. `LAWS` is the list.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Final

import msgspec

from shape_magic.analyzers.base import Analyzer, ExplainingAnalyzer
from shape_magic.analyzers.markdown import MarkdownAnalyzer
from shape_magic.analyzers.registry import Registry, measured_by, said
from shape_magic.debugging.asking import called, chosen_analyzer, named_texts
from shape_magic.debugging.samples import OPENERS, SAMPLES, WALL, mutations
from shape_magic.errors import MeasurementError
from shape_magic.lines import (
    normalize_endings,
    split_lines,
    split_lines_keeping_ends,
)
from shape_magic.report import preformatted
from shape_magic.shape import Evidence, Measurement
from shape_magic.vocabulary import ATTRIBUTE_NAMES
from shape_magic.wording import one_line, plural, quoted

__all__ = ["LAWS", "AnalyzerCheck", "CheckFailure", "check_analyzer"]

_MUTATED: Final = 40
_MUTATIONS: Final = 12
_SHRINKING_STEPS: Final = 600
_SHOWN_LENGTH: Final = 400

_PARAGRAPHS: Final = 3
_LEAST_PROSE: Final = 40

_FIRST_SIZE: Final = 4_000
_LAST_SIZE: Final = 260_000
_SLOW: Final = 0.25
_GROWTH: Final = 10
_PATTERNS: Final = 8


class CheckFailure(msgspec.Struct, frozen=True):
    """A law that an analyzer breaks, with the smallest text that was found to show it."""

    law: str
    sentence: str
    """What is wrong, with the value."""
    text: str
    error: Exception | None = None
    """What the analyzer raised, where it did."""

    def __str__(self) -> str:
        cut = self.text if len(self.text) <= _SHOWN_LENGTH else f"{self.text[:_SHOWN_LENGTH]}…"
        written = repr(cut)
        size = f", {len(self.text):,} characters" if cut != self.text else ""
        return f"{self.law}: {one_line(self.sentence, length=300)}\n    {written}{size}"

    __repr__ = __str__


class AnalyzerCheck(msgspec.Struct, frozen=True):
    """What `check_analyzer` found: prints each law that is broken, and a text that shows it."""

    analyzer: str
    tried: int
    """How many texts were tried."""
    recognised: int
    """How many of them the analyzer measured."""
    failures: tuple[CheckFailure, ...]

    @property
    def ok(self) -> bool:
        """Whether no law was found broken."""
        return not self.failures

    def __str__(self) -> str:
        title = (
            f"{self.analyzer}: {plural(len(self.failures), 'law')} of {len(_ALL)} broken; "
            f"{self.recognised:,} of {plural(self.tried, 'text')} recognised"
        )
        return "\n".join([title, *(f"  {failure}" for failure in self.failures)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return preformatted(str(self))


def check_analyzer(
    analyzer: Analyzer, texts: str | Iterable[str] | Mapping[str, str] = ()
) -> AnalyzerCheck:
    """Hold an analyzer against every law of a measurement, and show the smallest texts that fail.

    The texts that are given, samples of many kinds and variants of both are tried. Give some of
    the analyzer's own kind, unless the samples have it: what it never recognises checks nothing,
    which is a failure, too. Nothing that the analyzer raises leaves this function but as a
    failure with its text. A check is no proof.

    >>> from shape_magic.analyzers.json import JsonAnalyzer
    >>> check_analyzer(JsonAnalyzer()).failures
    ()
    """
    try:
        # A registry refuses what is no analyzer, and says what it lacks.
        Registry([], fallback=chosen_analyzer(analyzer, registry=_NOBODY))
    except ValueError as error:
        failure = CheckFailure("analyzer", str(error), "", error)
        return AnalyzerCheck(called(analyzer), 0, 0, (failure,))
    given = list(named_texts(texts).values())
    checking = _Checking(analyzer)
    for text in (*given, *SAMPLES):
        checking.look_at(text)
    kept = list(checking.kept)
    variants = chain.from_iterable(
        mutations(text, count=_MUTATIONS) for text in islice(kept, _MUTATED)
    )
    lines = dict.fromkeys(line for text in kept for line in split_lines(text)[:200] if line.strip())
    for text in chain(variants, (f"{line}\n{WALL}" for line in chain(OPENERS, islice(lines, 200)))):
        checking.look_at(text)
    checking.time(kept)
    if not checking.recognised and not checking.failures:
        checking.failures["recognises"] = CheckFailure(
            "recognises",
            f"none of {plural(checking.tried, 'text')} was recognised, so nothing was checked: "
            "give texts of the analyzer's own kind",
            "",
        )
    failures = sorted(checking.failures.values(), key=lambda failure: _ALL.index(failure.law))
    return AnalyzerCheck(called(analyzer), checking.tried, checking.recognised, tuple(failures))


_NOBODY: Final = Registry([], fallback=MarkdownAnalyzer())


class _Checking:
    """A check under way: each law is tried until it fails once."""

    def __init__(self, analyzer: Analyzer) -> None:
        self.analyzer = analyzer
        self.tried = self.recognised = 0
        self.failures: dict[str, CheckFailure] = {}
        self.kept: list[str] = []
        """The texts that the analyzer recognised."""

    def look_at(self, text: str) -> None:
        """Try every law that holds so far on one text."""
        self.tried += 1
        try:
            measurement = _measured(self.analyzer, text)
        except MeasurementError:
            self._fail("measurement", _measurement, text)
            return
        except Exception:
            self._fail("raises-nothing", _raises, text)
            return
        if measurement is None:
            return
        self.recognised += 1
        self.kept.append(text)
        for name, law in LAWS.items():
            if name not in self.failures and _broken(law, self.analyzer, text, measurement):
                self._fail(name, law, text)

    def _fail(self, name: str, law: "Law", text: str) -> None:
        if name in self.failures:
            return

        def fails(candidate: str) -> bool:
            return _says(law, self.analyzer, candidate) is not None

        smallest = _shrunk(text, fails)
        sentence, error = _says(law, self.analyzer, smallest) or ("it fails now and then", None)
        self.failures[name] = CheckFailure(name, sentence, smallest, error)

    def time(self, texts: Sequence[str]) -> None:
        """See how the time grows with the text, on repetitions of what was recognised."""
        lines = dict.fromkeys(line for text in texts for line in split_lines(text) if line)
        patterns = chain(
            islice((text for text in texts if len(text) > 40), _PATTERNS),
            islice((f"{line}\n" for line in lines), _PATTERNS),
        )
        for pattern in patterns:
            if failure := _slow(self.analyzer, pattern):
                self.failures.setdefault(failure.law, failure)
                return


def _measured(analyzer: Analyzer, text: str) -> Measurement | None:
    """Measure, and leave it to the laws to say what is wrong with the measurement."""
    answer: object = analyzer.measure(text)
    if answer is not None and not isinstance(answer, Measurement):
        measured_by(analyzer, text)
    return answer if isinstance(answer, Measurement) else None


# The laws.

Law = Callable[[Analyzer, str, Measurement | None], str | None]


def _raises(analyzer: Analyzer, text: str, measurement: Measurement | None) -> str | None:
    return None


def _measurement(analyzer: Analyzer, text: str, measurement: Measurement | None) -> str | None:
    """The measurement is one of its text and its kind, as a registry demands it."""
    assert measurement is not None
    measurement.check(kind=analyzer.kind)
    if measurement.analyzer != called(analyzer):
        return f"analyzer: it says {quoted(measurement.analyzer)} and is {called(analyzer)}"
    return None


def _anchors(analyzer: Analyzer, text: str, measurement: Measurement | None) -> str | None:
    """Two anchors' blocks stand within one another or apart."""
    assert measurement is not None
    open_anchors: list[int] = []
    for anchor in measurement.outline:
        while open_anchors and open_anchors[-1] < anchor.line:
            open_anchors.pop()
        if open_anchors and open_anchors[-1] < anchor.last_line:
            return (
                f"the block of the anchor in line {anchor.line} ends with line "
                f"{anchor.last_line}, and another block around its first line ends with "
                f"{open_anchors[-1]}"
            )
        open_anchors.append(anchor.last_line)
    return None


def _labels(analyzer: Analyzer, text: str, measurement: Measurement | None) -> str | None:
    """A label is part of its line, or one word that says what stands there."""
    assert measurement is not None
    lines = split_lines(measurement.text)
    for anchor in measurement.outline:
        line = lines[anchor.line - 1] if anchor.line <= len(lines) else ""
        if anchor.label not in line and not anchor.label.isidentifier():
            return (
                f"the label {quoted(anchor.label)} is not in its line {anchor.line}, "
                f"{quoted(line[:80])}"
            )
    return None


def _blocks(analyzer: Analyzer, text: str, measurement: Measurement | None) -> str | None:
    """An anchor's lines hold all of what was counted at its line."""
    assert measurement is not None
    starting: dict[int, Evidence] = {
        item.first_line: item
        for name in ("headings", "code_blocks", "table_rows")
        for item in measurement.evidence[name]
    }
    for anchor in measurement.outline:
        item = starting.get(anchor.line)
        if item is not None and item.last_line > anchor.last_line:
            return (
                f"the anchor of line {anchor.line} ends with line {anchor.last_line}, and what "
                f"is counted there ends with line {item.last_line}"
            )
    return None


def _twice(analyzer: Analyzer, text: str, measurement: Measurement | None) -> str | None:
    """The same text is measured alike twice."""
    again = _measured(analyzer, text)
    return _difference(measurement, again, "the second time")


def _endings(analyzer: Analyzer, text: str, measurement: Measurement | None) -> str | None:
    """CRLF and CR change `chars` alone."""
    with_lf = normalize_endings(text)
    if "\n" not in with_lf:
        return None
    reference = _measured(analyzer, with_lf)
    for ending, name in (("\r\n", "CRLF"), ("\r", "CR")):
        other = _measured(analyzer, with_lf.replace("\n", ending))
        extra = with_lf.count("\n") * (len(ending) - 1)
        if wrong := _difference(reference, other, f"with {name} for LF", extra=extra):
            return wrong
    return None


def _last_ending(analyzer: Analyzer, text: str, measurement: Measurement | None) -> str | None:
    """A last line is measured alike with and without its line ending."""
    open_text = text.rstrip("\r\n")
    if not open_text:
        return None
    reference = _measured(analyzer, open_text)
    closed = _measured(analyzer, open_text + "\n")
    return _difference(reference, closed, "with a line ending at its end", extra=1)


def _difference(
    a: Measurement | None, b: Measurement | None, when: str, *, extra: int = 0
) -> str | None:
    """Say how two measurements differ, but for `extra` characters."""
    if a is None or b is None:
        if a is not b:
            return f"the text is recognised {'not ' if b is None else ''}{when}, and otherwise not"
        return None
    figures, others = a.shape.as_dict(), b.shape.as_dict()
    for name in ATTRIBUTE_NAMES:
        may_be = {figures[name]} | ({figures[name] + extra} if name == "chars" else set())
        if others[name] not in may_be:
            return f"{name} is {figures[name]}, and {when} {others[name]}"
    if a.kinds != b.kinds:
        return f"the kinds of line differ {when}"
    if a.outline != b.outline:
        return f"the outline differs {when}"
    return None


def _gaming(analyzer: Analyzer, text: str, measurement: Measurement | None) -> str | None:
    """One line before running text does not take it out of `prose_chars`, or a note tells."""
    assert measurement is not None
    opener, _, rest = normalize_endings(text).partition("\n")
    paragraphs = [part for part in rest.split("\n\n") if part.strip("\n")]
    if len(paragraphs) < _PARAGRAPHS:
        return None
    plain = _MARKDOWN.measure(rest)
    prose = plain.shape.prose_chars
    if set(plain.kinds) != {"prose"} or prose < _LEAST_PROSE or measurement.notes:
        return None
    kept = measurement.shape.prose_chars
    if kept * 10 >= prose:
        return None
    return (
        f"the line {quoted(opener)} before {prose:,} characters of running text leaves "
        f"prose_chars={kept:,}, and no note tells of it"
    )


def _reasons(analyzer: Analyzer, text: str, measurement: Measurement | None) -> str | None:
    """Reasons lie in the text and speak of attributes; what counts, counts."""
    assert measurement is not None
    if not isinstance(analyzer, ExplainingAnalyzer):
        return None
    count = max(1, len(measurement.kinds))
    for reason in analyzer.reasons(text):
        if reason.attribute not in ATTRIBUTE_NAMES:
            return f"a reason speaks of {quoted(reason.attribute)}, which is no attribute"
        if not 1 <= reason.first_line <= reason.last_line <= count:
            return (
                f"a reason speaks of lines {reason.first_line} to {reason.last_line}, and there "
                f"are {count}"
            )
        items = measurement.evidence[reason.attribute]
        if reason.counted and not any(
            item.first_line <= reason.last_line and item.last_line >= reason.first_line
            for item in items
        ):
            return f"{reason.rule} says that line {reason.first_line} counts for " + (
                f"{reason.attribute}, and it does not"
            )
    return None


LAWS: Final[Mapping[str, Law]] = {
    "measurement": _measurement,
    "anchors": _anchors,
    "labels": _labels,
    "blocks": _blocks,
    "same-twice": _twice,
    "line-endings": _endings,
    "last-ending": _last_ending,
    "gaming": _gaming,
    "reasons": _reasons,
}
"""What holds for every measurement, by name."""

_ALL: Final = ("analyzer", "recognises", "raises-nothing", *LAWS, "time")
"""The names of all that is checked; what is not a law of one measurement is tried apart."""

_MARKDOWN: Final = MarkdownAnalyzer()


def _broken(law: Law, analyzer: Analyzer, text: str, measurement: Measurement) -> bool:
    try:
        return law(analyzer, text, measurement) is not None
    except Exception:
        return True


def _says(law: Law, analyzer: Analyzer, text: str) -> tuple[str, Exception | None] | None:
    """Say what is wrong with a text under one law, and what was raised."""
    try:
        measurement = _measured(analyzer, text)
    except MeasurementError as error:
        return (str(error), None) if law is _measurement else None
    except Exception as error:
        return (said(error), error) if law is _raises else None
    if measurement is None:
        return None
    try:
        sentence = law(analyzer, text, measurement)
    except MeasurementError as error:
        return str(error), None
    except Exception as error:
        return said(error), error
    return None if sentence is None else (sentence, None)


def _shrunk(text: str, fails: Callable[[str], bool]) -> str:
    """Leave out lines, and then characters, as long as the rest still fails."""
    steps = iter(range(_SHRINKING_STEPS))
    lines = split_lines_keeping_ends(text)
    lines = _without_parts(lines, lambda kept: fails("".join(kept)), steps)
    text = "".join(lines)
    if len(text) <= _SHOWN_LENGTH * 4:
        text = "".join(_without_parts(list(text), lambda kept: fails("".join(kept)), steps))
    return text


def _without_parts(
    parts: list[str], fails: Callable[[list[str]], bool], steps: Iterator[int]
) -> list[str]:
    """Delta debugging: try to leave out ever smaller runs, from the end to the start."""
    size = max(1, len(parts) // 2)
    while parts:
        removed = False
        end = len(parts)
        while end > 0:
            start = max(0, end - size)
            if next(steps, None) is None:
                return parts
            kept = parts[:start] + parts[end:]
            if fails(kept):
                parts = kept
                removed = True
            end = start
        if size == 1 and not removed:
            break
        size = max(1, size // 2)
    return parts


def _slow(analyzer: Analyzer, pattern: str) -> CheckFailure | None:
    """Double a text again and again, and see whether the time grows much faster than it does."""
    times: list[float] = []
    size = _FIRST_SIZE
    while size <= _LAST_SIZE:
        text = pattern * (size // len(pattern) + 1)
        try:
            took = min(_seconds(analyzer, text) for _ in range(2))
        except _NotRecognisedError:
            return None
        except Exception as error:
            return CheckFailure("raises-nothing", said(error), text, error)
        times.append(took)
        # Four times the text takes four times as long, or sixteen times where each line reads all
        # others. What takes less than this says nothing.
        if took > _SLOW and len(times) > 2 and took > _GROWTH * times[-3]:
            return CheckFailure(
                "time",
                f"four times the text takes {took / times[-3]:.0f} times as long: {took:.2f} s "
                f"for {len(text):,} characters",
                text,
            )
        if took > 4 * _SLOW:
            return None
        size *= 2
    return None


class _NotRecognisedError(Exception):
    """A text that is repeated is no longer the analyzer's own."""


def _seconds(analyzer: Analyzer, text: str) -> float:
    # This thread's own time: the machine may be busy with something else.
    # In a browser there are no threads, and no clock of one.
    clock = getattr(time, "thread_time", time.process_time)
    started = clock()
    if analyzer.measure(text) is None:
        raise _NotRecognisedError
    return clock() - started
