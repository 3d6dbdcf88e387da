"""Two measurements side by side: one row of the eight, and what differs between their texts."""

import itertools
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any, Final

import msgspec

from shape_magic.analyzers.registry import Registry
from shape_magic.debugging.compare import AnalyzerComparison, differing_lines
from shape_magic.deliberation.proposal import Proposal
from shape_magic.notebook.display import Bundle
from shape_magic.notebook.place import Place, page_of
from shape_magic.notebook.static_html import MAX_ROWS, rest_of, safe
from shape_magic.notebook.text_diff import Stretch, diff_lines
from shape_magic.notebook.view import ShapeView
from shape_magic.notebook.view_data import FORMAT, Baseline, candidate_of
from shape_magic.shape import Measurement
from shape_magic.wording import visible

__all__ = ["Comparison", "compare", "compare_sides"]

_CONTEXT: Final = 3
"""How many unchanged lines the static form shows around a change."""


class Comparison:
    """Two measurements side by side, `left` and `right`, the differences against the left one.

    Each side is a `ShapeView` with its own selection, that can be set and observed.
    """

    def __init__(self, left: ShapeView, right: ShapeView, *, names: tuple[str, str]) -> None:
        self.left, self.right, self.names = left, right, names

    @property
    def place(self) -> Place:
        """The element that the comparison stands in."""
        sides = [side.data for side in (self.left, self.right)]
        left, right = (candidate_of(side.measurement)[1] for side in (self.left, self.right))
        one_text = left.text == right.text
        if one_text:
            stretches = _by_count(left, right)
        else:
            stretches = diff_lines(sides[0]["lines"], sides[1]["lines"])
        data = {
            "format": FORMAT,
            "names": list(self.names),
            "sides": sides,
            "stretches": msgspec.to_builtins(stretches),
            # Of one text it is how its lines are counted that differs.
            "one_text": one_text,
        }
        return Place(data, static=_html)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the comparison as one page that needs no kernel and no network."""
        page = page_of([self.place], title=f"{' and '.join(self.names)} · shape")
        Path(path).expanduser().write_text(page, encoding="utf-8")

    def _repr_mimebundle_(self, **_options: Any) -> Bundle:
        """Give the comparison as HTML, and its attributes as plain text."""
        place = self.place
        self.left.displayed_in(f"{place.digest}/0")
        self.right.displayed_in(f"{place.digest}/1")
        return {"text/plain": _plain(place.data), "text/html": place.html}, {}


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

    Of one text that two analyzers measured, it shows the lines that they count differently.
    """
    called = (_name(a, "the left one"), _name(b, "the right one")) if names is None else names
    left = ShapeView(a, registry=registry)
    against = Baseline(f"against {called[0]}", candidate_of(a)[1].shape)
    right = ShapeView(b, registry=registry, baseline=against)
    return Comparison(left, right, names=called)


def compare_sides(
    comparison: AnalyzerComparison, *, registry: Registry | None = None
) -> Comparison:
    """Show the one text of a comparison of analyzers, as either measured it."""
    assert comparison.sides is not None, "a comparison of several texts is a table"
    return compare(*comparison.sides, registry=registry, names=comparison.names)


def _by_count(left: Measurement, right: Measurement) -> list[Stretch]:
    """Divide a text into stretches that two measurements count alike, and the others."""
    differing = set(differing_lines(left, right))
    runs = itertools.groupby(range(1, len(left.kinds) + 1), key=lambda number: number in differing)
    stretches = ((differs, len(list(run))) for differs, run in runs)
    return [Stretch(not differs, count, count) for differs, count in stretches]


def _name(subject: Measurement | Proposal, otherwise: str) -> str:
    if isinstance(subject, Proposal):
        return f"{subject.agent_id}@{subject.round}"
    return otherwise


def _rows(data: dict[str, Any]) -> list[tuple[str, ...]]:
    """Give the attributes of both as a table's rows, its head the first."""
    rows = [("", *map(visible, data["names"]), "difference")]
    for before, after in zip(*(side["attributes"] for side in data["sides"]), strict=True):
        was, now = before["figure"], after["figure"]
        rows.append(
            (after["name"], f"{was:,}", f"{now:,}", f"{now - was:+,}" if now != was else "")
        )
    return rows


def _plain(data: dict[str, Any]) -> str:
    rows = _rows(data)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    written = []
    for name, *cells in rows:
        aligned = [f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True)]
        written.append("  ".join([f"{name:<{widths[0]}}", *aligned]).rstrip())
    return "\n".join(written)


def _html(data: dict[str, Any]) -> str:
    cell = "padding:1px 10px;text-align:right"
    head, *body = _rows(data)
    columns = "".join(f'<th style="{cell}">{escape(name)}</th>' for name in head)
    lines = "".join(
        "<tr>" + "".join(f'<td style="{cell}">{escape(value)}</td>' for value in row) + "</tr>"
        for row in body
    )
    changes = _changes(data)
    written = "\n".join(itertools.islice(changes, MAX_ROWS))
    return (
        f'<table style="font-size:13px"><thead><tr>{columns}</tr></thead>'
        f"<tbody>{lines}</tbody></table>"
        '<pre style="font-size:13px;max-height:440px;overflow:auto;white-space:pre-wrap;'
        f'overflow-wrap:anywhere">{written}</pre>{rest_of(len(changes), "lines")}'
    )


def _changes(data: dict[str, Any]) -> list[str]:
    """Write the lines that differ, and some around them: number, `-` or `+`, text.

    Of one text, what the line is to either stands in place of the sign.
    """
    left, right = (side["lines"] for side in data["sides"])
    kinds = [_kinds(side) for side in data["sides"]]
    written: list[str] = []
    at_left = at_right = 0
    stretches = [Stretch(*stretch) for stretch in data["stretches"]]
    for place, part in enumerate(stretches):
        if part.same:
            first = 0 if place == 0 else min(_CONTEXT, part.left)
            last = part.left if place == len(stretches) - 1 else max(first, part.left - _CONTEXT)
            shown = [*range(first), *range(last, part.left)]
            for n in shown:
                if n == last and last > first:
                    written.append(f"         … {last - first:,} unchanged")
                written.append(f"{at_right + n + 1:>6}   {safe(right[at_right + n])}")
            if last == part.left > first:
                written.append(f"         … {last - first:,} unchanged")
        elif data["one_text"]:
            written += [
                f"{n + 1:>6} {kinds[0][n]:<7} {kinds[1][n]:<7} {safe(left[n])}"
                for n in range(at_left, at_left + part.left)
            ]
        else:
            written += [
                f"{n + 1:>6} - {safe(left[n])}" for n in range(at_left, at_left + part.left)
            ]
            written += [
                f"{n + 1:>6} + {safe(right[n])}" for n in range(at_right, at_right + part.right)
            ]
        at_left, at_right = at_left + part.left, at_right + part.right
    return written


def _kinds(side: dict[str, Any]) -> list[str]:
    """Give what each line of a side is."""
    return [side["kinds"][kind]["name"] for kind, count in side["line_kinds"] for _ in range(count)]
