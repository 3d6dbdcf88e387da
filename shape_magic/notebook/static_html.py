"""Static HTML for where no script runs: the numbers, the outline and the numbered source.

Inline styles only, colours that any theme can carry, and a bounded size whatever was measured.
All text that a candidate wrote is made visible and escaped.
"""

from collections.abc import Mapping, Sequence
from html import escape
from itertools import chain, islice, repeat
from typing import Any, Final

from shape_magic.notebook.measurements import Measurements
from shape_magic.notebook.said import said_html
from shape_magic.notebook.view_data import PREVIOUS
from shape_magic.prompting.candidate import escape_text
from shape_magic.report import Report
from shape_magic.vocabulary import ATTRIBUTES
from shape_magic.wording import one_line, visible

__all__ = ["MAX_ROWS", "measurement_html", "measurements_html", "rest_of", "safe"]

MAX_ROWS: Final = 400
"""Lines of source, anchors, notes or measurements that are shown at most, each."""
MAX_WIDTH: Final = 240
"""Characters of one line that are shown at most."""

_MONO: Final = "font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace"
_WRAP: Final = "white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere"
_QUIET: Final = "opacity:.75"


def measurement_html(data: Mapping[str, Any]) -> str:
    """Show one measurement, from the data of its view."""
    parts = [
        _heading(data),
        _figures(data["attributes"]),
        _bar(data["kinds"]),
        _outline(data["outline"]),
        _notes(data["notes"]),
        _source(data),
        said_html(data["said"]) if "said" in data else "",
    ]
    return f'<div style="font-size:13px;line-height:1.5">{"".join(parts)}</div>'


def measurements_html(measurements: Measurements) -> str:
    """Show several measurements as one table, a row each."""
    few = islice(zip(measurements.names, measurements, strict=True), MAX_ROWS)
    rows = [
        [
            one_line(name, length=MAX_WIDTH),
            measurement.kind,
            *(f"{figure:,}" for figure in measurement.shape.as_dict().values()),
        ]
        for name, measurement in few
    ]
    more = len(measurements) - MAX_ROWS
    return Report(
        "",
        ["text", "kind", *(attribute.name for attribute in ATTRIBUTES)],
        rows,
        [f"and {more:,} more measurements"] if more > 0 else [],
        texts=2,
        meanings=["", "", *(attribute.meaning for attribute in ATTRIBUTES)],
    ).html()


def safe(text: str, *, width: int = MAX_WIDTH) -> str:
    """Cut a text, make it visible and escape it for text and for quoted attributes."""
    cut = text[:width]
    escaped = escape(visible(cut))
    return escaped if len(cut) == len(text) else f"{escaped}…"


def rest_of(count: int, what: str) -> str:
    """Say how many more there are than are shown; nothing where all are."""
    if count <= MAX_ROWS:
        return ""
    return f'<div style="{_QUIET}">and {count - MAX_ROWS:,} more {what}</div>'


def _heading(data: Mapping[str, Any]) -> str:
    title = data["title"]
    if data["round"] is not None:
        title += f" · round {data['round']}"
    if (data["version"] or 1) > 1:
        title += f" · version {data['version']}"
    facts = [safe(data["analyzer"])]
    if data["baseline"] is not None and data["baseline"] != PREVIOUS:
        facts.append(f"changes {safe(data['baseline'])}")
    if data["notes"]:
        facts.append(f"{len(data['notes'])} note{'s' if len(data['notes']) > 1 else ''}")
    return (
        f"<div><strong>{safe(title)}</strong> "
        f'<span style="{_QUIET}">· {" · ".join(facts)}</span></div>'
    )


def _figures(attributes: Sequence[Mapping[str, Any]]) -> str:
    cells = []
    for attribute in attributes:
        change = attribute["change"]
        changed = f' <span style="font-size:11px">{change:+,}</span>' if change else ""
        cells.append(
            f'<span title="{safe(attribute["meaning"])}" '
            'style="display:inline-block;margin:4px 22px 4px 0">'
            f'<strong style="font-size:17px">{attribute["figure"]:,}</strong>{changed}<br>'
            f'<span style="font-size:11px;{_QUIET}">{attribute["name"]}</span></span>'
        )
    return f"<div>{''.join(cells)}</div>"


def _bar(kinds: Sequence[Mapping[str, Any]]) -> str:
    total = sum(kind["chars"] for kind in kinds)
    if not total:
        return ""
    shares = [(kind, kind["chars"] / total) for kind in kinds if kind["chars"]]
    pieces = "".join(
        f'<span style="display:inline-block;height:8px;width:{share:.2%};'
        f'background:{kind["colour"]}"></span>'
        for kind, share in shares
    )
    key = " ".join(
        f'<span style="margin-right:10px"><span style="color:{kind["colour"]}">■</span> '
        f"{kind['name']} {share:.0%}</span>"
        for kind, share in shares
    )
    return (
        f'<div style="max-width:640px;font-size:0;white-space:nowrap">{pieces}</div>'
        f'<div style="font-size:11px">{key}</div>'
    )


def _outline(outline: Sequence[Sequence[Any]]) -> str:
    if not outline:
        return f'<div style="{_QUIET};margin:4px 0">no anchors</div>'
    rows = "\n".join(
        f"L{line:<5} {safe(escape_text(label), width=5 * MAX_WIDTH)}"
        for line, _, label in islice(outline, MAX_ROWS)
    )
    return (
        f'<pre style="margin:4px 0;{_WRAP};{_MONO}">{rows}</pre>{rest_of(len(outline), "anchors")}'
    )


def _notes(notes: Sequence[Sequence[Any]]) -> str:
    if not notes:
        return ""
    rows = "".join(f"<li>L{line}: {safe(message)}</li>" for line, message in notes[:MAX_ROWS])
    return f'<ul style="margin:4px 0;padding-left:18px">{rows}</ul>{rest_of(len(notes), "notes")}'


def _source(data: Mapping[str, Any]) -> str:
    """Number the lines; where the kind of line changes, its name stands before the number."""
    starts = chain.from_iterable(
        chain([data["kinds"][kind]["name"]], repeat("", count - 1))
        for kind, count in data["line_kinds"]
    )
    lines = data["lines"]
    rows = "\n".join(
        f"{kind:<7} {number:>4}  {safe(line)}".rstrip(" ")
        for number, (kind, line) in enumerate(
            islice(zip(starts, lines, strict=True), MAX_ROWS), start=1
        )
    )
    count = len(lines)
    return (
        f'<div style="{_QUIET}">Source, {count:,} line{"" if count == 1 else "s"}</div>'
        f'<pre style="margin:4px 0;max-height:440px;overflow:auto;{_WRAP};{_MONO}">{rows}</pre>'
        f"{rest_of(count, 'lines')}"
    )
