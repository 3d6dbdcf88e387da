"""The registry: which analyzers there are, and in which order they are asked.

`default_registry` is the one place where that order stands.
"""

import functools
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import EntryPoint, entry_points
from typing import Final

import msgspec

from shape_magic.analyzers.base import Analyzer
from shape_magic.analyzers.json import JsonAnalyzer
from shape_magic.analyzers.markdown import MarkdownAnalyzer
from shape_magic.analyzers.notes import general_notes
from shape_magic.errors import AnalyzerError, AnalyzerWarning
from shape_magic.lines import strip_mark
from shape_magic.shape import Meanings, Measurement
from shape_magic.vocabulary import ATTRIBUTE_NAMES, Attribute
from shape_magic.wording import visible

__all__ = ["ENTRY_POINT_GROUP", "Registry", "default_registry"]

ENTRY_POINT_GROUP: Final = "shape_magic.analyzers"

SAID_LENGTH: Final = 200
"""How many characters of an analyzer's exception a warning repeats."""

# Held to the same by tests, and so spared the check of every answer.
_OWN: Final = (JsonAnalyzer, MarkdownAnalyzer)

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

    def __iter__(self) -> Iterator[Analyzer]:
        return iter(self._analyzers)

    def register(self, analyzer: Analyzer, *, before: str | None = None) -> None:
        """Add an analyzer ahead of the kind `before`, by default just ahead of the fallback.

        Raises AnalyzerError for an object that is no analyzer and for a kind that is taken.
        """
        _check(analyzer)
        names = self.names
        if analyzer.kind in names:
            raise AnalyzerError(
                f"{analyzer!r} cannot be registered: the kind {analyzer.kind!r} is taken by "
                f"{self.get(analyzer.kind)!r}; unregister that one or choose another kind"
            )
        position = len(names) - 1 if before is None else names.index(self.get(before).kind)
        self._analyzers = (*self._analyzers[:position], analyzer, *self._analyzers[position:])

    def unregister(self, kind: str) -> None:
        """Take the analyzer of a kind out; the fallback stays, since it measures every text."""
        analyzer = self.get(kind)
        if analyzer is self._analyzers[-1]:
            raise AnalyzerError(
                f"{kind!r} is the fallback and stays; to replace it, register an analyzer "
                f"with before={kind!r} that answers every text"
            )
        self._analyzers = tuple(one for one in self._analyzers if one is not analyzer)

    def get(self, kind: str) -> Analyzer:
        """Give the analyzer of a kind; AnalyzerError names the kinds there are."""
        for analyzer in self._analyzers:
            if analyzer.kind == kind:
                return analyzer
        raise AnalyzerError(f"no analyzer is called {kind!r}; there are {', '.join(self.names)}")

    def meaning(self, attribute: Attribute, kind: str) -> str:
        """Say what an attribute is, and what it is in a kind of content, as the legend does.

        >>> from shape_magic.vocabulary import ATTRIBUTES
        >>> default_registry().meaning(ATTRIBUTES[4], "json")
        'number of headings; in json: top-level keys'
        """
        for analyzer in self._analyzers:
            if analyzer.kind == kind and attribute.name in analyzer.meanings:
                return f"{attribute.meaning}; in {kind}: {analyzer.meanings[attribute.name]}"
        return attribute.meaning

    def measure(self, text: str, *, analyzer: str | None = None) -> Measurement:
        """Measure a text with the first analyzer that recognises it, or with the one named.

        An analyzer that raises is skipped with an AnalyzerWarning; one that was asked for by name
        raises to the caller, as AnalyzerError where it does not recognise the text.
        """
        if not isinstance(text, str):
            raise TypeError(
                f"a text to measure is a str, not {type(text).__name__}; "
                "a file is measured with measure_file, bytes are decoded first"
            )
        text = strip_mark(text)
        if analyzer is not None:
            chosen = self.get(analyzer)
            measurement = _ask(chosen, text)
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
                measurement = _ask(candidate, text)
            except Exception as error:
                warnings.warn(
                    f"the analyzer {candidate.kind!r} failed ({_said(error)}); "
                    "the next one answers",
                    AnalyzerWarning,
                    stacklevel=3,
                )
                continue
            if measurement is not None:
                return _with_general_notes(measurement)
        measurement = _ask(fallback, text)
        if measurement is None:
            raise AnalyzerError(
                f"{fallback!r} is the fallback and recognised nothing; "
                "a fallback measures every text"
            )
        return _with_general_notes(measurement)


def _ask(analyzer: Analyzer, text: str) -> Measurement | None:
    try:
        answer = analyzer.measure(text)
    except RecursionError:
        # The caller's own stack is nearly used up. A text's figures must not depend on that.
        with ThreadPoolExecutor(max_workers=1) as thread:
            answer = thread.submit(analyzer.measure, text).result()
    if answer is None:
        return None
    if isinstance(answer, Measurement):
        if type(analyzer) in _OWN:
            return answer
        answer.check()
        if not answer.meanings and analyzer.meanings:
            return msgspec.structs.replace(answer, meanings=Meanings(analyzer.meanings))
        return answer
    raise TypeError(
        f"measure() returned {type(answer).__name__}; "
        "an analyzer answers a Measurement, or None for 'not mine'"
    )


def _said(error: Exception) -> str:
    """Say what an analyzer raised; the words may be the candidate's, and go to a terminal."""
    return visible(f"{type(error).__name__}: {error}"[:SAID_LENGTH])


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
                f"was left out ({_said(error)})",
                AnalyzerWarning,
                stacklevel=3,
            )


@functools.cache
def default_registry() -> Registry:
    """Give the registry that everything uses where no other is passed in."""
    registry = Registry([JsonAnalyzer()], fallback=MarkdownAnalyzer())
    load_entry_points(registry, entry_points(group=ENTRY_POINT_GROUP))
    return registry
