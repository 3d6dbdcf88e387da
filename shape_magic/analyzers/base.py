"""What an analyzer is."""

from collections.abc import Iterable, Mapping
from typing import Protocol, runtime_checkable

from shape_magic.shape import Measurement, Reason

__all__ = ["Analyzer", "ExplainingAnalyzer"]


class Analyzer(Protocol):
    """Recognises one kind of content and measures it, in one call.

    `Measurement.from_evidence` builds the answer so that the two laws of a measurement hold.
    """

    @property
    def kind(self) -> str:
        """The kind of content: a lower-case word, as in `markdown`."""

    @property
    def version(self) -> str:
        """Raised whenever a figure may come out differently for the same text."""

    @property
    def meanings(self) -> Mapping[str, str]:
        """What an attribute means in this kind, where that is not what its name says.

        `anchor` is what an anchor is. They are kept with every measurement, which explains itself
        by them wherever it is displayed.
        """

    def measure(self, text: str) -> Measurement | None:
        """Measure a text that has no leading U+FEFF, or answer None for 'not mine'."""


@runtime_checkable
class ExplainingAnalyzer(Analyzer, Protocol):
    """An analyzer that can be asked why, by a method that measuring never calls."""

    def reasons(self, text: str) -> Iterable[Reason]:
        """Say what was counted for which attribute, and what looks as if it should have been.

        Line numbers are those of the readable form. Of a text that the analyzer does not
        recognise, the reasons say why not, with `""` for the attribute.
        """
