"""The registry: which analyzers there are, and in which order they are asked.

`default_registry` is the one place where that order stands.
"""

import functools
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import EntryPoint, entry_points
from os import PathLike
from types import FrameType
from typing import Final

import msgspec

from shape_magic.analyzers.base import Analyzer
from shape_magic.analyzers.json import JsonAnalyzer
from shape_magic.analyzers.markdown import MarkdownAnalyzer
from shape_magic.analyzers.notes import general_notes
from shape_magic.errors import AnalyzerError, AnalyzerWarning
from shape_magic.lines import strip_mark
from shape_magic.shape import Meanings, Measurement
from shape_magic.vocabulary import ATTRIBUTE_NAMES
from shape_magic.wording import one_line, quoted

__all__ = ["ENTRY_POINT_GROUP", "Failures", "Registry", "default_registry", "measured_by", "said"]

ENTRY_POINT_GROUP: Final = "shape_magic.analyzers"

SAID_LENGTH: Final = 200
"""How many characters of an analyzer's exception a warning repeats."""

# Held to the same by tests, and so spared the check of every answer.
_OWN: Final = (JsonAnalyzer, MarkdownAnalyzer)

_PACKAGE: Final = "shape_magic."

_KIND: Final = re.compile(r"[a-z][a-z0-9_-]*")


class Registry:
    """An ordered set of analyzers; the last one, the fallback, measures every text.

    >>> registry = Registry([JsonAnalyzer()], fallback=MarkdownAnalyzer())
    >>> registry.names
    ('json', 'markdown')
    >>> registry.measure("# A").kind
    'markdown'
    """

    def __init__(self, analyzers: Iterable[Analyzer] = (), *, fallback: Analyzer) -> None:
        _check(fallback)
        self._analyzers: tuple[Analyzer, ...] = (fallback,)
        for analyzer in analyzers:
            self.register(analyzer)

    @property
    def names(self) -> tuple[str, ...]:
        """The kinds, in the order in which their analyzers are asked."""
        return tuple(analyzer.kind for analyzer in self._analyzers)

    def __repr__(self) -> str:
        return f"<Registry: {', '.join(self.names)}>"

    def __iter__(self) -> Iterator[Analyzer]:
        return iter(self._analyzers)

    def register(
        self, analyzer: Analyzer, *, before: str | None = None, replace: bool = False
    ) -> None:
        """Add an analyzer ahead of the kind `before`, by default just ahead of the fallback.

        With `replace`, it takes the place of the one of its kind where there is one, so that a
        notebook's cell can be run again. Raises AnalyzerError for an object that is no analyzer
        and, without `replace`, for a kind that is taken.
        """
        _check(analyzer)
        names = self.names
        if analyzer.kind not in names:
            position = len(names) - 1 if before is None else names.index(self.get(before).kind)
            kept = position
        elif not replace:
            raise AnalyzerError(
                f"{analyzer!r} cannot be registered: the kind {analyzer.kind!r} is taken by "
                f"{self.get(analyzer.kind)!r}; replace=True puts it in that one's place"
            )
        elif before is not None:
            raise AnalyzerError(
                f"{analyzer!r} takes the place that the kind {analyzer.kind!r} has; to move it, "
                "unregister that one and leave replace=True out"
            )
        else:
            position = names.index(analyzer.kind)
            kept = position + 1
        self._analyzers = (*self._analyzers[:position], analyzer, *self._analyzers[kept:])

    def unregister(self, kind: str) -> None:
        """Take the analyzer of a kind out; the fallback stays, since it measures every text."""
        analyzer = self.get(kind)
        if analyzer is self._analyzers[-1]:
            raise AnalyzerError(
                f"{kind!r} is the fallback and stays; to replace it, register an analyzer "
                f"with before={kind!r} that answers every text"
            )
        self._analyzers = tuple(other for other in self._analyzers if other is not analyzer)

    def get(self, kind: str) -> Analyzer:
        """Give the analyzer of a kind; AnalyzerError names the kinds there are."""
        for analyzer in self._analyzers:
            if analyzer.kind == kind:
                return analyzer
        raise AnalyzerError(
            f"no analyzer is called {quoted(kind)}; there are {', '.join(self.names)}"
        )

    def measure(self, text: str, *, analyzer: str | None = None) -> Measurement:
        """Measure a text with the first analyzer that recognises it, or with the one named.

        An analyzer that raises is skipped with an AnalyzerWarning; one that was asked for by name
        raises to the caller, as AnalyzerError where it does not recognise the text.
        """
        failures = Failures()
        try:
            return self.measure_telling(text, failures, analyzer=analyzer)
        finally:
            failures.warn()

    def measure_telling(
        self, text: str, failures: "Failures", *, analyzer: str | None = None
    ) -> Measurement:
        """Measure a text as `measure` does, but add analyzers that raise to `failures`.

        Whoever measures many texts warns of them all at once.
        """
        if not isinstance(text, str):
            raise TypeError(
                f"a text to measure is a str, not {type(text).__name__}; {_would_do(text)}"
            )
        text = strip_mark(text)
        if analyzer is not None:
            chosen = self.get(analyzer)
            measurement = measured_by(chosen, text)
            if measurement is None:
                raise AnalyzerError(
                    f"the analyzer {analyzer!r} does not recognise this text; "
                    f"without a name it would be measured by the first of "
                    f"{', '.join(self.names)} that does"
                )
            return _with_general_notes(measurement)
        *specific, fallback = self._analyzers
        for candidate in specific:
            try:
                measurement = measured_by(candidate, text)
            except Exception as error:
                failures.add(candidate.kind, error)
                continue
            if measurement is not None:
                return _with_general_notes(measurement)
        measurement = measured_by(fallback, text)
        if measurement is None:
            raise AnalyzerError(
                f"{fallback!r} is the fallback and recognised nothing; "
                "a fallback measures every text"
            )
        return _with_general_notes(measurement)


class Failures:
    """The analyzers that failed in one call: on how many texts, and how the first time."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._first: dict[str, str] = {}

    def add(self, kind: str, error: Exception) -> None:
        """Add a failure of the analyzer of a kind."""
        self._counts[kind] += 1
        self._first.setdefault(kind, said(error))

    def update(self, later: "Failures") -> None:
        """Add the failures of texts that were measured elsewhere."""
        self._counts.update(later._counts)
        self._first = later._first | self._first

    def warn(self) -> None:
        """Warn of each analyzer, at every call and not once a place in the code."""
        for kind, count in self._counts.items():
            often = "" if count == 1 else f" on {count:,} texts, the first time"
            frame: FrameType | None = sys._getframe(1)
            while frame is not None and frame.f_globals.get("__name__", "").startswith(_PACKAGE):
                frame = frame.f_back
            # Without a registry of what was shown before, Python's filters repeat it.
            warnings.warn_explicit(
                f"the analyzer {kind!r} failed{often} with {self._first[kind]}; "
                "the next one answered",
                AnalyzerWarning,
                "shape_magic" if frame is None else frame.f_code.co_filename,
                1 if frame is None else frame.f_lineno,
            )


def measured_by(analyzer: Analyzer, text: str) -> Measurement | None:
    """Ask one analyzer about a text that has no leading U+FEFF; what it raises reaches the caller.

    The answer of another package's analyzer is checked whole, and MeasurementError says what is
    wrong with it.
    """
    try:
        answer: object = analyzer.measure(text)
    except RecursionError as error:
        # The caller's own stack is nearly used up. A text's figures must not depend on that.
        with ThreadPoolExecutor(max_workers=1) as thread:
            try:
                answering = thread.submit(analyzer.measure, text)
            except RuntimeError:
                # In a browser there are no threads, and so there is no other stack.
                raise error from None
            answer = answering.result()
    if answer is None:
        return None
    if not isinstance(answer, Measurement):
        raise TypeError(
            f"measure() returned {type(answer).__name__}; "
            "an analyzer answers a Measurement, or None for 'not mine'"
        )
    if type(analyzer) not in _OWN:
        answer.check(kind=getattr(analyzer, "kind", None))
        if not answer.meanings:
            meanings = Meanings(getattr(analyzer, "meanings", ()))
            return msgspec.structs.replace(answer, meanings=meanings)
    return answer


def _would_do(value: object) -> str:
    """Say what would measure a value that is no text."""
    if isinstance(value, (bytes, bytearray)):
        return ".decode() makes one of it"
    if isinstance(value, PathLike):
        return "measure_file measures a file"
    if isinstance(getattr(value, "content", None), str):
        return "its .content is one"
    if isinstance(value, (list, tuple, set, Mapping)):
        return "measure_many measures several"
    if hasattr(value, "tolist"):
        return "measure_many measures its .tolist()"
    return "str() makes one of it"


def said(error: BaseException) -> str:
    """Say in one line what was raised; the words may be the candidate's, and go to a terminal."""
    try:
        words = str(error)
    except Exception:
        words = "its message cannot be read"
    return one_line(f"{type(error).__name__}: {words}", length=SAID_LENGTH)


def _with_general_notes(measurement: Measurement) -> Measurement:
    notes = general_notes(measurement)
    if not notes:
        return measurement
    return msgspec.structs.replace(measurement, notes=(*measurement.notes, *notes))


def _check(analyzer: object) -> None:
    """Refuse an object that is no analyzer, and say what it lacks."""
    if isinstance(analyzer, type):
        raise AnalyzerError(f"{analyzer!r} is a class; register an instance of it")
    kind = getattr(analyzer, "kind", None)
    if not isinstance(kind, str) or not _KIND.fullmatch(kind):
        raise AnalyzerError(
            f"{analyzer!r} is no analyzer: its kind is {kind!r}, "
            "and a kind is a lower-case word such as 'yaml'"
        )
    version = getattr(analyzer, "version", None)
    if not isinstance(version, str) or not version:
        raise AnalyzerError(
            f"{analyzer!r} is no analyzer: its version is {version!r}, and a version is a str"
        )
    if not callable(getattr(analyzer, "measure", None)):
        raise AnalyzerError(f"{analyzer!r} is no analyzer: it has no method measure(text)")
    meanings = getattr(analyzer, "meanings", None)
    if not isinstance(meanings, Mapping):
        raise AnalyzerError(
            f"{analyzer!r} is no analyzer: its meanings are {meanings!r}, "
            "and they are a mapping from attribute to prose, which may be empty"
        )
    for name in meanings:
        if name not in ATTRIBUTE_NAMES and name != "anchor":
            raise AnalyzerError(
                f"{analyzer!r} gives a meaning to {name!r}, which is no attribute; "
                f"there are {', '.join(ATTRIBUTE_NAMES)}, and anchor"
            )


def load_entry_points(registry: Registry, points: Iterable[EntryPoint]) -> None:
    """Register what other packages offer; one that cannot be had is a warning, not an error."""
    for point in points:
        try:
            offered = point.load()
            registry.register(offered() if isinstance(offered, type) else offered)
        except Exception as error:
            warnings.warn(
                f"the analyzer {point.name!r} of the package "
                f"{point.dist.name if point.dist else '?'!r} "
                f"was left out ({said(error)})",
                AnalyzerWarning,
                stacklevel=3,
            )


@functools.cache
def default_registry() -> Registry:
    """Give the registry that everything uses where no other is passed in."""
    registry = Registry([JsonAnalyzer()], fallback=MarkdownAnalyzer())
    load_entry_points(registry, entry_points(group=ENTRY_POINT_GROUP))
    return registry
