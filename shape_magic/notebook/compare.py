"""Two measurements side by side."""

from collections.abc import Mapping
from html import escape
from typing import Any

import ipywidgets

from shape_magic.analyzers.registry import Registry
from shape_magic.deliberation.proposal import Proposal
from shape_magic.notebook.display import Bundle, candidate_of
from shape_magic.notebook.shown import Baseline
from shape_magic.notebook.view import ShapeView
from shape_magic.shape import Measurement
from shape_magic.wording import visible

__all__ = ["Comparison", "compare"]


class Comparison(ipywidgets.HBox):  # type: ignore[misc]
    """Two views side by side, `left` and `right`, each with its own selection.

    The right one's changes are against the left one.
    """

    left: ShapeView
    right: ShapeView

    def __init__(self, left: ShapeView, right: ShapeView, *, names: tuple[str, str]) -> None:
        self.left, self.right, self.names = left, right, names
        for view in (left, right):
            view.add_class("shape-magic-beside")
        super().__init__([left, right], layout=ipywidgets.Layout(width="100%", grid_gap="16px"))

    def _repr_mimebundle_(self, **options: Any) -> Bundle:
        """Give the widget together with the attributes as a table, for where no widget runs."""
        widget = super()._repr_mimebundle_(**options)
        data = {} if widget is None else dict(widget)
        # The views know what their host needs beside a widget, as Colab does.
        metadata = self.left._repr_mimebundle_()[1]
        rows = [
            ("", *map(visible, self.names), "difference"),
            *(
                (name, f"{one:,}", f"{other:,}", f"{other - one:+,}" if other != one else "")
                for name, one, other in _figures(self.left.measurement, self.right.measurement)
            ),
        ]
        return {**data, "text/plain": _plain(rows), "text/html": _html(rows)}, metadata


def compare(
    a: Measurement | Proposal,
    b: Measurement | Proposal,
    *,
    registry: Registry | None = None,
    names: tuple[str, str] | None = None,
) -> Comparison:
    """Show two measurements or proposals side by side, the second's differences to the first.

    Proposals are called `agent_id@round`; `names` calls them, or measurements, otherwise.

    >>> from shape_magic import measure
    >>> comparison = compare(measure("# A"), measure("A"), names=("before", "after"))
    >>> comparison.right.selection = (1, 1)
    """
    called = (_name(a, "the left one"), _name(b, "the right one")) if names is None else names
    left = ShapeView(a, registry=registry, baseline=None)
    against = Baseline(f"against {called[0]}", candidate_of(a)[1].shape)
    right = ShapeView(b, registry=registry, baseline=against)
    return Comparison(left, right, names=called)


def _name(subject: Measurement | Proposal, otherwise: str) -> str:
    if isinstance(subject, Proposal):
        return f"{subject.agent_id}@{subject.round}"
    return otherwise


def _figures(a: Measurement | Proposal, b: Measurement | Proposal) -> list[tuple[str, int, int]]:
    figures: Mapping[str, int] = a.shape.as_dict()
    return [(name, figures[name], other) for name, other in b.shape.as_dict().items()]


def _plain(rows: list[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    written = []
    for name, *cells in rows:
        aligned = [f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True)]
        written.append("  ".join([f"{name:<{widths[0]}}", *aligned]).rstrip())
    return "\n".join(written)


def _html(rows: list[tuple[str, ...]]) -> str:
    cell = "padding:1px 10px;text-align:right"
    head, *body = rows
    columns = "".join(f'<th style="{cell}">{escape(name)}</th>' for name in head)
    lines = "".join(
        "<tr>" + "".join(f'<td style="{cell}">{escape(value)}</td>' for value in row) + "</tr>"
        for row in body
    )
    return (
        f'<table style="font-size:13px"><thead><tr>{columns}</tr></thead>'
        f"<tbody>{lines}</tbody></table>"
    )
