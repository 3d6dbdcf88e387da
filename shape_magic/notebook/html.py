"""Static HTML for where no widget runs: the numbers, the outline and the numbered source.

Inline styles only, colours that any theme can carry, and a bounded size whatever was measured.
All text that a candidate wrote is made visible and escaped.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice
from typing import Final

from shape_magic.analyzers.registry import Registry
from shape_magic.lines import split_lines
from shape_magic.notebook.measurements import Measurements
from shape_magic.prompting.candidate import escape_text
from shape_magic.shape import Anchor, Measurement, Note, Shape
from shape_magic.vocabulary import ATTRIBUTES, LINE_KINDS, LineKind
from shape_magic.wording import visible

__all__ = [
    "KIND_COLOURS",
    "MAX_ROWS",
    "measurement_html",
    "measurements_html",
    "rest_of",
    "safe",
]

MAX_ROWS: Final = 400
"""Lines of source, anchors, notes or measurements that are shown at most, each."""
MAX_WIDTH: Final = 240
"""Characters of one line that are shown at most."""

KIND_COLOURS: Final[dict[LineKind, str]] = {
    "prose": "#8a8f98",
    "code": "#3b82c4",
    "list": "#2f9e6e",
    "table": "#c2772e",
    "heading": "#9b5fc0",
    "syntax": "#c9ccd1",
}
"""A colour for each kind of line, told apart in light and dark and by the colour-blind."""

_MONO: Final = "font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace"
_WRAP: Final = "white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere"
_QUIET: Final = "opacity:.75"


def measurement_html(
    measurement: Measurement, *, title: str, registry: Registry, previous: Shape | None = None
) -> str:
    """Show one measurement; `previous` is the shape that changes are shown against.

    The registry says what the attributes mean in this kind of content.
    """
    lines = split_lines(measurement.text)
    parts = [
        _heading(title, measurement),
        _figures(measurement, registry, previous),
        _bar(measurement, lines),
        _outline(measurement.outline),
        _notes(measurement.notes),
        _source(lines, measurement.kinds),
    ]
    return f'<div style="font-size:13px;line-height:1.5">{"".join(parts)}</div>'


def measurements_html(measurements: Measurements) -> str:
    """Show several measurements as one table, a row each."""
    cell = "padding:1px 10px;text-align:right"
    head = "".join(
        f'<th style="{cell}" title="{safe(attribute.meaning)}">{attribute.name}</th>'
        for attribute in ATTRIBUTES
    )
    rows = "".join(
        f'<tr><td style="{cell}">{number}</td><td style="{cell}">{safe(one.kind)}</td>'
        + "".join(f'<td style="{cell}">{figure:,}</td>' for figure in one.shape.as_dict().values())
        + "</tr>"
        for number, one in enumerate(islice(measurements, MAX_ROWS), start=1)
    )
    rest = rest_of(len(measurements), "measurements")
    return (
        f'<table style="font-size:13px"><thead><tr><th style="{cell}">#</th>'
        f'<th style="{cell}">kind</th>{head}</tr></thead><tbody>{rows}</tbody></table>{rest}'
    )


def safe(text: str, *, width: int = MAX_WIDTH) -> str:
    """Cut a text, make it visible and escape it for text and for quoted attributes."""
    cut = text[:width]
    shown = escape(visible(cut))
    return shown if len(cut) == len(text) else f"{shown}…"


def rest_of(count: int, what: str) -> str:
    """Say how many more there are than are shown; nothing where all are."""
    if count <= MAX_ROWS:
        return ""
    return f'<div style="{_QUIET}">and {count - MAX_ROWS:,} more {what}</div>'


def _heading(title: str, measurement: Measurement) -> str:
    count = len(measurement.notes)
    notes = f" · {count} note{'s' if count > 1 else ''}" if count else ""
    return (
        f"<div><strong>{safe(title)}</strong> "
        f'<span style="{_QUIET}">· {safe(measurement.analyzer)}{notes}</span></div>'
    )


def _figures(measurement: Measurement, registry: Registry, previous: Shape | None) -> str:
    cells = []
    for attribute in ATTRIBUTES:
        figure = getattr(measurement.shape, attribute.name)
        change = figure - getattr(previous, attribute.name) if previous else 0
        changed = f' <span style="font-size:11px">{change:+,}</span>' if change else ""
        cells.append(
            f'<span title="{safe(registry.meaning(attribute, measurement.kind))}" '
            'style="display:inline-block;margin:4px 22px 4px 0">'
            f'<strong style="font-size:17px">{figure:,}</strong>{changed}<br>'
            f'<span style="font-size:11px;{_QUIET}">{attribute.name}</span></span>'
        )
    return f"<div>{''.join(cells)}</div>"


def _bar(measurement: Measurement, lines: Sequence[str]) -> str:
    characters: Counter[LineKind] = Counter()
    for kind, line in zip(measurement.kinds, lines, strict=True):
        characters[kind] += len(line)
    total = characters.total()
    if not total:
        return ""
    shares = [(kind, characters[kind] / total) for kind in LINE_KINDS if characters[kind]]
    pieces = "".join(
        f'<span style="display:inline-block;height:8px;width:{share:.2%};'
        f'background:{KIND_COLOURS[kind]}" title="{kind} {share:.0%}"></span>'
        for kind, share in shares
    )
    key = " ".join(
        f'<span style="margin-right:10px"><span style="color:{KIND_COLOURS[kind]}">■</span> '
        f"{kind} {share:.0%}</span>"
        for kind, share in shares
    )
    return (
        f'<div style="max-width:640px;font-size:0;white-space:nowrap">{pieces}</div>'
        f'<div style="font-size:11px">{key}</div>'
    )


def _outline(outline: Sequence[Anchor]) -> str:
    if not outline:
        return f'<div style="{_QUIET};margin:4px 0">no anchors</div>'
    rows = "".join(
        f'<div><span style="display:inline-block;min-width:52px;{_QUIET}">L{anchor.line}</span>'
        f"{safe(escape_text(anchor.label), width=5 * MAX_WIDTH)}</div>"
        for anchor in islice(outline, MAX_ROWS)
    )
    return f'<div style="margin:4px 0;{_MONO}">{rows}</div>{rest_of(len(outline), "anchors")}'


def _notes(notes: Sequence[Note]) -> str:
    if not notes:
        return ""
    rows = "".join(
        f"<li>L{note.line}: {safe(note.message)}</li>" for note in islice(notes, MAX_ROWS)
    )
    return f'<ul style="margin:4px 0;padding-left:18px">{rows}</ul>{rest_of(len(notes), "notes")}'


def _source(lines: Sequence[str], kinds: Iterable[LineKind]) -> str:
    rows = "\n".join(
        f'<span style="border-left:3px solid {KIND_COLOURS[kind]};padding-left:6px;{_QUIET};'
        f'user-select:none">{number:>4} </span>{safe(line)}'
        for number, (line, kind) in islice(
            enumerate(zip(lines, kinds, strict=True), start=1), MAX_ROWS
        )
    )
    count = len(lines)
    return (
        f"<details><summary>Source, {count:,} line{'' if count == 1 else 's'}</summary>"
        f'<pre style="margin:4px 0;{_WRAP};{_MONO}">{rows}</pre>{rest_of(count, "lines")}</details>'
    )
