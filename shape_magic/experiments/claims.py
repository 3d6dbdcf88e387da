"""Which calls a process is at, so that no other process makes and pays them too.

A claim is a lock on one byte of a file beside the deliberation's. The system drops it when the
process ends, however it ends, so that a call of a process that was killed is free at once.
"""

import contextlib
import hashlib
import os
import sys
import threading
import time
from functools import cache
from pathlib import Path
from typing import Final

from shape_magic.experiments.calls import Calls

__all__ = ["Call", "Claims", "claims_of"]

Call = tuple[str, str, int, int]
"""A call: the prompt's digest, the judge, the trial and the attempt."""

_BYTES: Final = 2**31 - 1
"""A call's byte is one of so many, all that every system can lock."""
_TRIES: Final = 5
_PAUSE: Final = 0.005
"""Seconds between tries: who removes the file has all of it locked for a moment."""


class Claims:
    """The claims of this process on the calls of one file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     claims = claims_of(Path(folder) / "rounds.db")
    ...     call = ("digest", "Judge", 1, 1)
    ...     print(claims.claim(call, Calls()), sorted(os.listdir(folder)))
    ...     claims.release(call)
    ...     print(os.listdir(folder))
    True ['rounds.db-calls']
    []
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None
        self._held: dict[int, Calls[Call]] = {}
        self._changing = threading.Lock()

    def claim(self, call: Call, calls: Calls[Call]) -> bool:
        """Claim a call that is to be one of `calls`; False where somebody else is at it.

        Where the file's system has no locks, nothing is known of others, and it is claimed.
        """
        place = _place(call)
        with self._changing:
            holder = self._held.get(place)
            if holder is not None and holder is not calls and call in holder:
                return False
            if holder is None and not self._lock(place):
                return False
            self._held[place] = calls
            return True

    def release(self, call: Call) -> None:
        """Let go of a call that was claimed; the last one removes the file."""
        place = _place(call)
        with self._changing:
            if self._held.pop(place, None) is None or self._file is None:
                return
            with contextlib.suppress(OSError):
                _unlock(self._file, place, 1)
            if not self._held:
                with contextlib.suppress(OSError):
                    # Nobody else has a claim; who opened the file just now finds it gone.
                    _lock(self._file, 0, _BYTES)
                    self._path.unlink()
                os.close(self._file)
                self._file = None

    def _lock(self, place: int) -> bool:
        for _ in range(_TRIES):
            try:
                if self._file is None:
                    self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
                _lock(self._file, place, 1)
                there, here = os.stat(self._path), os.fstat(self._file)
                if (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino):
                    return True
            except FileNotFoundError:
                pass
            except (BlockingIOError, PermissionError):
                time.sleep(_PAUSE)
                continue
            except OSError:
                return True
            # It was removed in between: a lock on it would say nothing to others.
            if self._held or self._file is None:
                return True
            os.close(self._file)
            self._file = None
        return False


def claims_of(path: Path) -> Claims:
    """Give the claims on the calls of a deliberation's file.

    They are one a file and process: a system that locks by process drops all of its locks where
    it closes the file once.
    """
    path = path.resolve()
    return _claims_of(path.with_name(f"{path.name}-calls"), os.getpid())


@cache
def _claims_of(path: Path, process: int) -> Claims:
    # A process that was forked has none of its parent's locks.
    return Claims(path)


def _place(call: Call) -> int:
    return int.from_bytes(hashlib.sha256(repr(call).encode()).digest()[:8], "big") % _BYTES


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int, place: int, count: int) -> None:
        os.lseek(file, place, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, count)

    def _unlock(file: int, place: int, count: int) -> None:
        os.lseek(file, place, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, count)

else:
    import fcntl

    def _lock(file: int, place: int, count: int) -> None:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, count, place)

    def _unlock(file: int, place: int, count: int) -> None:
        fcntl.lockf(file, fcntl.LOCK_UN, count, place)
