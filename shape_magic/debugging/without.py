"""What a text's shape would be without some of its lines."""

from typing import Final

from shape_magic.analyzers.registry import Registry, default_registry
from shape_magic.errors import RemovalError
from shape_magic.lines import LineRange, split_lines, split_lines_keeping_ends
from shape_magic.shape import Measurement, Shape

__all__ = ["shape_without"]

_STEP: Final = 2
"""The indent of JSON's readable form, in spaces."""


def shape_without(
    measurement: Measurement, lines: LineRange, *, registry: Registry | None = None
) -> Shape:
    r"""Measure a text again without some of its lines, by the analyzer that measured it.

    Of JSON only whole fields or elements can be left out, and the comma that would be left over
    goes with them. RemovalError says why there is no such shape.

    >>> from shape_magic import measure
    >>> shape_without(measure("# A\nWhy.\n"), LineRange(1, 1)).headings
    0
    """
    registry = default_registry() if registry is None else registry
    total = len(measurement.kinds)
    if lines.last > total:
        raise RemovalError(
            f"lines {lines.first} to {lines.last} are not all there: the text has {total}"
        )
    rest = _json_without if measurement.kind == "json" else _text_without
    text = rest(measurement.text, lines)
    try:
        return registry.measure(text, analyzer=measurement.kind).shape
    except Exception as error:
        raise RemovalError(
            f"without lines {lines.first} to {lines.last} the text is nothing that the analyzer "
            f"{measurement.kind!r} measures ({error})"
        ) from error


def _text_without(text: str, lines: LineRange) -> str:
    parts = split_lines_keeping_ends(text)
    return "".join(parts[: lines.first - 1] + parts[lines.last :])


def _json_without(text: str, lines: LineRange) -> str:
    parts = split_lines(text)
    removed = parts[lines.first - 1 : lines.last]
    if not _whole(removed):
        raise RemovalError(
            f"lines {lines.first} to {lines.last} are no whole fields or elements: "
            "of JSON only those can be left out"
        )
    before, after = parts[: lines.first - 1], parts[lines.last :]
    if not removed[-1].endswith(",") and before[-1].endswith(","):
        before[-1] = before[-1].removesuffix(",")
    return "\n".join(before + after)


def _whole(lines: list[str]) -> bool:
    """Tell whether lines of the readable form are fields or elements of one object or array.

    The readable form's strings hold no line break, so its indent alone tells what is within what.
    """
    depth = _indent(lines[0])
    return (
        depth >= _STEP
        and all(_indent(line) >= depth for line in lines)
        and lines[0][depth] not in "]}"
        and _indent(lines[-1]) == depth
        and lines[-1][-1] not in "[{"
    )


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
