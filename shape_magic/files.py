"""Measure a file, and read a path as a user wrote it."""

import os
from os import PathLike
from pathlib import Path

import msgspec

from shape_magic.analyzers.registry import Registry, default_registry
from shape_magic.errors import ArgumentError
from shape_magic.lines import count_lines
from shape_magic.shape import Measurement, Note
from shape_magic.wording import quoted

__all__ = ["file_path", "measure_file"]


def file_path(path: str | PathLike[str]) -> Path:
    """Make a path of what a caller gave; a `~` at the start is the home folder.

    ArgumentError where no file can have that name, or where there is no such home folder.

    >>> file_path("~nobody-of-that-name/a.md")
    Traceback (most recent call last):
    shape_magic.errors.ArgumentError: '~nobody-of-that-name/a.md': there is no such home folder
    """
    if not isinstance(path, str | PathLike):
        raise ArgumentError(f"a path is a str or a Path, not {type(path).__name__}")
    if not os.fspath(path):
        raise ArgumentError("a path names a file, and this one is empty")
    try:
        found = Path(path).expanduser()
        os.fsencode(found)
    except RuntimeError:
        raise ArgumentError(f"{quoted(str(path))}: there is no such home folder") from None
    except UnicodeEncodeError:
        raise ArgumentError(f"{quoted(str(path))} is no path: it holds a surrogate") from None
    if "\0" in str(found):
        raise ArgumentError(f"{quoted(str(path))} is no path: it holds a NUL character")
    return found


def measure_file(
    path: str | PathLike[str], *, analyzer: str | None = None, registry: Registry | None = None
) -> Measurement:
    """Measure a file of UTF-8 text; what is not UTF-8 becomes U+FFFD, with a note.

    A `~` at the start of the path is the home folder. Raises OSError where the file cannot be read,
    ArgumentError for a path that no file can have, and what `measure` raises.
    """
    data = file_path(path).read_bytes()
    registry = default_registry() if registry is None else registry
    try:
        return registry.measure(data.decode("utf-8"), analyzer=analyzer)
    except UnicodeDecodeError as error:
        measurement = registry.measure(data.decode("utf-8", "replace"), analyzer=analyzer)
        # The readable form of JSON has lines of its own, so the place is looked up in it.
        before, found, _ = measurement.text.partition("\ufffd")
        note = Note(
            "undecodable",
            count_lines(before + found) if found else 1,
            f"the file is not UTF-8 from byte {error.start + 1} on ({error.reason}); "
            "U+FFFD stands for what could not be decoded",
        )
        return msgspec.structs.replace(measurement, notes=(note, *measurement.notes))
