"""Two measurements side by side."""

from collections.abc import Mapping
from html import escape
from typing import Any

from shape_magic.analyzers.registry import Registry
from shape_magic.deliberation.proposal import Proposal
from shape_magic.notebook.display import Bundle
from shape_magic.notebook.view import ShapeView
from shape_magic.notebook.view_data import Baseline, candidate_of
from shape_magic.shape import Measurement
from shape_magic.wording import visible

__all__ = ["Comparison", "compare"]


class Comparison:
    """Two views side by side, `left` and `right`, each with its own selection.

    The right one's changes are against the left one.
    """

    def __init__(self, left: ShapeView, right: ShapeView, *, names: tuple[str, str]) -> None:
        self.left, self.right, self.names = left, right, names

    def _repr_mimebundle_(self, **_options: Any) -> Bundle:
        """Give the two views with the attributes of both as a table."""
        rows = [
            ("", *map(visible, self.names), "difference"),
            *(
                (name, f"{before:,}", f"{after:,}", f"{after - before:+,}" * (after != before))
                for name, before, after in _figures(self.left.measurement, self.right.measurement)
            ),
        ]
        views = (side._repr_mimebundle_()[0]["text/html"] for side in (self.left, self.right))
        sides = "".join(f'<div style="flex:1 1 320px;min-width:0">{view}</div>' for view in views)
        html = f'{_html(rows)}<div style="display:flex;flex-wrap:wrap;gap:16px">{sides}</div>'
        return {"text/plain": _plain(rows), "text/html": html}, {}


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
