"""How a result reads: a title, a table and sentences, as text and as HTML."""

import html
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from shape_magic.wording import one_line

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Report", "Result", "name_of", "points", "probability", "span"]


class Report(msgspec.Struct, frozen=True):
    """What a result says to a reader."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    sentences: Sequence[str]


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
        report = self._report()
        lines = [report.title]
        if report.rows:
            cells = [report.head, *report.rows]
            widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
            for name, *row in cells:
                rest = [cell.rjust(width) for cell, width in zip(row, widths[1:], strict=True)]
                lines.append("  ".join([f"  {name.ljust(widths[0])}", *rest]).rstrip())
        return "\n".join([*lines, *report.sentences])

    def _repr_html_(self) -> str:
        report = self._report()
        head = "".join(f'<th scope="col">{html.escape(cell)}</th>' for cell in report.head)
        rows = "".join(
            f'<tr><th scope="row" style="text-align: left">{html.escape(name)}</th>'
            + "".join(f"<td>{html.escape(cell)}</td>" for cell in row)
            + "</tr>"
            for name, *row in report.rows
        )
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        sentences = "".join(f"<br>{html.escape(sentence)}" for sentence in report.sentences)
        title = f"<strong>{html.escape(report.title)}</strong>"
        return f"<div>{title}{table if report.rows else ''}<div>{sentences[4:]}</div></div>"


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
