"""Measure a file."""

from os import PathLike
from pathlib import Path

import msgspec

from shape_magic.analyzers.registry import Registry, default_registry
from shape_magic.lines import count_lines
from shape_magic.shape import Measurement, Note

__all__ = ["measure_file"]


def measure_file(
    path: str | PathLike[str], *, analyzer: str | None = None, registry: Registry | None = None
) -> Measurement:
    """Measure a file that holds UTF-8; bytes that are none are replaced by U+FFFD and noted.

    Raises OSError where the file cannot be read. A `~` at the start is the home folder.
    """
    data = Path(path).expanduser().read_bytes()
    registry = default_registry() if registry is None else registry
    try:
        return registry.measure(data.decode("utf-8"), analyzer=analyzer)
    except UnicodeDecodeError as error:
        measurement = registry.measure(data.decode("utf-8", "replace"), analyzer=analyzer)
        # The readable form of JSON has lines of its own, so the place is looked up in it.
        before = measurement.text.partition("\ufffd")[0]
        note = Note(
            "undecodable",
            count_lines(before + "\ufffd"),
            f"the file is not UTF-8 from byte {error.start + 1} on ({error.reason}); "
            "U+FFFD stands for what could not be decoded",
        )
        return msgspec.structs.replace(measurement, notes=(note, *measurement.notes))
