"""Files of JSON Lines: read line by line, and replaced in one step."""

import contextlib
import errno
import os
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from shape_magic.deliberation.encoding import decoded, parse_json
from shape_magic.errors import ArgumentError, ShapeMagicError, StoreError, TranscriptError
from shape_magic.lines import strip_mark

__all__ = ["BadLine", "file_path", "lines_path", "read_lines", "save_lines"]

_SQLITE: Final = b"SQLite format 3\0"
_BESIDE_A_DATABASE: Final = ("-wal", "-shm", "-journal")

T = TypeVar("T")


class BadLine(msgspec.Struct, frozen=True):
    """A line of a transcript that was left out, and why."""

    line: int
    reason: str


def file_path(path: str | os.PathLike[str]) -> Path:
    """Make a path of what a caller gave; a `~` at the start is the home folder."""
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentError(f"a path is a str or a Path, not {type(path).__name__}")
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise ArgumentError(f"{str(path)!r}: there is no such home folder") from None


def lines_path(path: str | os.PathLike[str]) -> Path:
    """Make the path of a file of JSON Lines of what a caller gave."""
    found = file_path(path)
    if "\0" in str(found):
        raise ArgumentError(f"{str(found)!r} is no path: it holds a NUL character")
    return found


def read_lines(
    path: Path,
    lines: Iterable[bytes],
    read: Callable[[object], T],
    *,
    left_out: list[BadLine] | None = None,
) -> Iterator[T]:
    """Parse each line that is not blank, and give what `read` makes of it.

    A line that cannot be read raises TranscriptError, which names the file and the line; where
    there is a list to put it in, it goes there, and the next one follows.
    """
    for number, line in enumerate(lines, start=1):
        try:
            text = decoded(line)
            if number == 1:
                text = strip_mark(text)
            if not text.strip():
                continue
            value = read(parse_json(text))
        except (ShapeMagicError, ValueError) as error:
            reason = "no UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
            if left_out is None:
                raise TranscriptError(f"{path}, line {number}: {reason}") from None
            left_out.append(BadLine(number, reason))
        else:
            yield value


def save_lines(path: Path, lines: Iterable[bytes]) -> int:
    """Write lines to a file, and give how many there were.

    The file is replaced in one step: whatever happens, it is the old one or the new one. A
    database, what SQLite keeps beside one, and what is no regular file raise TranscriptError and
    are left as they are. What the system refuses is its OSError, which names the file.
    """
    try:
        # A link is followed, so that what it leads to is replaced and not the link.
        target = Path(os.path.realpath(path))
        _check_target(path, target)
        return _replaced(target, lines)
    except StoreError:
        raise
    except OSError as error:
        # The system names the draft, or nothing.
        raise OSError(error.errno, error.strerror, str(path)) from error


def _replaced(target: Path, lines: Iterable[bytes]) -> int:
    draft = target.parent / f".{target.name[:40]}.{uuid.uuid4().hex}"
    written = 0
    try:
        with open(draft, "xb") as file:
            for line in lines:
                file.write(line + b"\n")
                written += 1
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, draft)
        os.replace(draft, target)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
    return written


def _check_target(path: Path, target: Path) -> None:
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if target.exists() and not target.is_file():
        raise TranscriptError(f"{path} is no regular file; save to another one")
    if _is_database(target):
        raise TranscriptError(f"{path} is a SQLite database; save to another file")
    for ending in _BESIDE_A_DATABASE:
        beside = target.name.removesuffix(ending)
        if beside and beside != target.name and _is_database(target.with_name(beside)):
            raise TranscriptError(f"{path} belongs to the database {beside}; save to another file")


def _is_database(path: Path) -> bool:
    if not path.is_file():
        return False
    with open(path, "rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE
