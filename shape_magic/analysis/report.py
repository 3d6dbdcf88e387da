"""What all results have, and how their figures are written."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import msgspec

from shape_magic.report import Report
from shape_magic.wording import one_line

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Result", "name_of", "points", "probability", "span"]


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """A result that reads: `repr` in a terminal, HTML in a notebook, its figures by `to_frame`."""

    rounds: int = 0
    agents: int = 0
    evaluators: int = 0
    rows: int = 0
    """How much it was estimated from."""
    confidence: float = 0.95
    """How often such intervals hold what is true."""
    notes: tuple[str, ...] = ()
    """What a reader has to know beside the verdict."""

    def _report(self) -> Report:
        raise NotImplementedError

    def _figures(self) -> list[dict[str, Any]]:
        raise NotImplementedError

    def to_frame(self) -> "pd.DataFrame":
        """Give the figures as a data frame."""
        import pandas as pd

        return pd.DataFrame(self._figures())

    def __repr__(self) -> str:
        """Write the title, the table and the sentences."""
        return str(self._report())

    def _repr_html_(self) -> str:
        return self._report().html()


def points(value: float | None) -> str:
    """Write a score's points with a sign: three digits, nothing for None."""
    return "" if value is None else f"{value:+.3g}" if abs(value) < 100 else f"{value:+,.0f}"


def span(interval: tuple[float, float] | None) -> str:
    """Write an interval."""
    return "" if interval is None else f"{points(interval[0])} to {points(interval[1])}"


def probability(p: float | None) -> str:
    """Write a probability."""
    return "" if p is None else "<0.0001" if p < 0.0001 else f"{p:.4f}"


def name_of(label: Hashable) -> str:
    """Write a label that others chose in one visible line; a tuple's parts with commas."""
    parts = label if isinstance(label, tuple) else (label,)
    return one_line(", ".join(str(part) for part in parts), length=40)
