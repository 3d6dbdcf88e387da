"""Ask one analyzer about one text: what it measured, that it is not its own, or how it failed."""

from collections.abc import Iterable, Mapping

import msgspec

from shape_magic.analyzers.base import Analyzer, ExplainingAnalyzer
from shape_magic.analyzers.registry import Registry, said
from shape_magic.errors import ArgumentError
from shape_magic.lines import strip_mark
from shape_magic.shape import Reason
from shape_magic.wording import one_line, quoted

__all__ = ["AnalyzerFailure", "chosen_analyzer", "failure_of", "named_texts"]


class AnalyzerFailure(msgspec.Struct, frozen=True):
    """An analyzer that raised, or answered what is no measurement, together with the text."""

    analyzer: str
    """The analyzer's name and version."""
    name: str
    """What the text is called."""
    text: str
    """The whole text."""
    error: Exception
    """What was raised."""

    def __str__(self) -> str:
        return (
            f"{self.analyzer} failed on {one_line(self.name, length=60)} ({said(self.error)}), "
            f"which begins {quoted(self.text[:60])}"
        )

    __repr__ = __str__


def called(analyzer: Analyzer) -> str:
    """Give an analyzer's name and version, whatever it is."""
    return f"{getattr(analyzer, 'kind', '?')}/{getattr(analyzer, 'version', '?')}"


def chosen_analyzer(analyzer: str | Analyzer, *, registry: Registry) -> Analyzer:
    """Give the registered analyzer of a kind, or the analyzer itself."""
    if isinstance(analyzer, str):
        return registry.get(analyzer)
    if isinstance(analyzer, type):
        raise ArgumentError(f"{quoted(analyzer)} is a class; give an instance of it")
    if not callable(getattr(analyzer, "measure", None)):
        raise ArgumentError(
            f"{quoted(analyzer)} is no analyzer; it is the kind of a registered one or an object "
            "with a method measure(text)"
        )
    return analyzer


def failure_of(analyzer: Analyzer, name: str, text: str, error: Exception) -> AnalyzerFailure:
    """Keep what an analyzer raised together with the text."""
    return AnalyzerFailure(called(analyzer), name, text, error)


def reasons_by(analyzer: Analyzer, text: str) -> list[Reason]:
    """Give an analyzer's reasons; none where it offers none."""
    if not isinstance(analyzer, ExplainingAnalyzer):
        return []
    return list(analyzer.reasons(strip_mark(text)))


def named_texts(texts: str | Iterable[str] | Mapping[str, str]) -> dict[str, str]:
    """Give texts their names: a mapping has them, and a list's are the places, from 1."""
    if isinstance(texts, str):
        return {"the text": texts}
    if isinstance(texts, Mapping):
        named = {str(name): text for name, text in texts.items()}
    else:
        named = {f"text {place}": text for place, text in enumerate(texts, start=1)}
    for name, text in named.items():
        if not isinstance(text, str):
            raise ArgumentError(
                f"{name} is a {type(text).__name__}, and a text to measure is a str"
            )
    return named
