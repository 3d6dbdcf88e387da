"""What an analyzer is."""

from collections.abc import Mapping
from typing import Protocol

from shape_magic.shape import Measurement

__all__ = ["Analyzer"]


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
