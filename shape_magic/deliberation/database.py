"""The SQLite database under a deliberation: opened with care, one transaction per change."""

import contextlib
import os
import sqlite3
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import quote

from shape_magic.deliberation.schema import APPLICATION_ID, SCHEMA_VERSION, bring_forward
from shape_magic.errors import FileRefusedError, StoreError

__all__ = ["Database"]

_WAIT: Final = 60.0
"""Seconds to wait for another process that writes."""
_STEP: Final = 0.05
"""Seconds that SQLite itself waits at once: no interrupt reaches Python meanwhile."""

_Identity = tuple[int, int] | None


class Database:
    """One connection, used from any thread, by one at a time.

    Every use is inside `transaction()` or `reading()`, which hold the lock and turn SQLite's
    errors into StoreError. They nest: what is inside another one is part of it. A transaction
    cannot begin inside `reading()`, where another process may have changed what was read.

    A file that was removed or replaced since it was opened raises StoreError in both, at their
    begin and before a change is acknowledged: what is written to a file without a name is lost.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Open a database file, or a database in memory; a new file is given the tables."""
        # An absolute path, which stands when the working directory changes.
        self.path = None if path is None else path.absolute()
        # What messages call it, as the caller did.
        self.name = "the deliberation in memory" if path is None else repr(str(path))
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._writes = False
        self._file: _Identity = None
        self._log: _Identity = None
        with self._reported():
            if path is not None:
                try:
                    _check_place(path)
                    _check_file(path)
                except StoreError:
                    raise
                except OSError as error:
                    raise FileRefusedError(f"{self.name}: {error.strerror}") from error
            before = self._identity()
            # With an absolute path no name is special to SQLite (`:memory:`, the empty one).
            try:
                self._connection = sqlite3.connect(
                    ":memory:" if self.path is None else str(self.path),
                    timeout=_STEP,
                    isolation_level=None,
                    check_same_thread=False,
                )
            except sqlite3.OperationalError as error:
                # As in /proc, where a file can be named and none can be made.
                raise FileRefusedError(f"{self.name}: {error}") from error
            try:
                self._prepare(self._connection)
                self._file = self._identity()
                if before is not None and before != self._file:
                    raise StoreError(f"{self.name} was replaced while it was opened; open it again")
            except BaseException:
                self._connection.close()
                raise

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA foreign_keys = ON")
        if self.path is not None and not _is_wal(connection):
            # What is not for us is refused before anything of it is changed.
            _schema_version(connection, self.path)
            _patiently(connection, "PRAGMA journal_mode = WAL")
        if _schema_version(connection, self.path) == SCHEMA_VERSION:
            return
        _patiently(connection, "BEGIN IMMEDIATE")
        try:
            # Another process may have made the tables while this one waited.
            bring_forward(connection, from_version=_schema_version(connection, self.path))
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Change the database: all of what happens inside, or nothing where it raises."""
        with self._scope(writes=True) as connection:
            yield connection

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Read the database as it stands at one moment."""
        with self._scope(writes=False) as connection:
            yield connection

    @contextlib.contextmanager
    def _scope(self, *, writes: bool) -> Iterator[sqlite3.Connection]:
        with self._lock, self._reported():
            connection = self._connection
            if connection is None:
                raise StoreError(f"{self.name} is closed")
            if connection.in_transaction:
                if writes and not self._writes:
                    raise RuntimeError("a transaction cannot begin inside reading()")
                yield connection
                return
            try:
                # Inside: an interrupt that came while this waited is raised once it has begun.
                self._writes = writes
                if writes:
                    _patiently(connection, "BEGIN IMMEDIATE")
                else:
                    connection.execute("BEGIN")
                    # The moment at which all is read is the first statement's.
                    _patiently(connection, "SELECT 1 FROM sqlite_master LIMIT 1")
                self._check_still_there()
                yield connection
                if writes:
                    self._check_still_there()
                connection.execute("COMMIT")
            except BaseException:
                # A full disk may have ended the transaction already.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def _identity(self, ending: str = "") -> _Identity:
        """Tell which file stands under the name, None where there is none."""
        if self.path is None:
            return None
        try:
            found = os.stat(f"{self.path}{ending}")
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _check_still_there(self) -> None:
        if self.path is None:
            return
        if self._identity() != self._file:
            raise StoreError(
                f"{self.name} was removed or replaced since it was opened, and nothing more is "
                "written to it: open it again, or save what this still holds elsewhere first"
            )
        # Its log is made when it is first read, and stays as long as it is open.
        log = self._identity("-wal")
        if self._log is None:
            self._log = log
        elif log != self._log:
            raise StoreError(
                f"the log of {self.name} ({self.name[1:-1]}-wal) was removed or replaced since it "
                "was opened, and nothing more is written to it: open it again"
            )

    def copy_to(self, path: Path) -> None:
        """Copy all that is committed to a new file, in one step and at one moment.

        A file that is there already raises FileRefusedError and is left as it is.
        """
        with self._reported():
            try:
                _check_place(path)
                if os.path.lexists(path):
                    raise FileExistsError(17, "there is such a file already; name a new one")
                self._copy(path.absolute())
            except StoreError:
                raise
            except OSError as error:
                raise FileRefusedError(f"{str(path)!r}: {error.strerror}") from error

    def _copy(self, target: Path) -> None:
        draft = target.with_name(f".{target.name[:40]}.{uuid.uuid4().hex}")
        try:
            with contextlib.closing(sqlite3.connect(str(draft), isolation_level=None)) as copy:
                with self.reading() as connection:
                    connection.backup(copy)
                copy.execute("PRAGMA journal_mode = WAL")
            with open(draft, "rb+") as file:
                os.fsync(file.fileno())
            _give_name(draft, target)
        finally:
            with contextlib.suppress(OSError):
                draft.unlink()

    @contextlib.contextmanager
    def _reported(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(f"{self.name}: {error}") from error

    @property
    def closed(self) -> bool:
        """Whether the connection is closed."""
        return self._connection is None

    def close(self) -> None:
        """Close the connection; closing again does nothing."""
        with self._lock, self._reported():
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def __del__(self) -> None:
        # From Python 3.13 on, a connection that is left open is a warning.
        connection = getattr(self, "_connection", None)
        if connection is not None:
            connection.close()


def _patiently(connection: sqlite3.Connection, statement: str) -> None:
    """Execute a statement that another process may be in the way of.

    SQLite waits for a moment only, and Python asks again: so an interrupt is not kept waiting. It
    also refuses at once what another one is just doing, as turning write-ahead logging on.
    """
    until = time.monotonic() + _WAIT
    while True:
        try:
            connection.execute(statement).close()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return


def _is_wal(connection: sqlite3.Connection) -> bool:
    try:
        (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    except sqlite3.DatabaseError:
        # Not a database, or one that is busy: both are looked at with care next.
        return False
    return bool(mode == "wal")


def _give_name(draft: Path, target: Path) -> None:
    """Give a draft its name, which no other file may have got in the meantime."""
    try:
        os.link(draft, target)
    except FileExistsError:
        raise
    except OSError:
        # Not every file system has links.
        os.rename(draft, target)


def _check_place(path: Path) -> None:
    name = str(path)
    if "\0" in name:
        raise FileRefusedError(f"{name!r} is no path: it holds a NUL character")
    if path.is_dir():
        raise FileRefusedError(f"{name!r} is a directory; name a file in it")
    if not path.absolute().parent.is_dir():
        raise FileRefusedError(
            f"{name!r} cannot be made: there is no directory {str(path.parent)!r}"
        )


def _check_file(path: Path) -> None:
    """Look at a file that has a log beside it through a connection that cannot write to it.

    One that can would carry the log over into the file when it is closed, also where the file is
    refused. Without a log there is nothing to carry over, and reading changes nothing.
    """
    if not (path.exists() and os.path.exists(f"{path}-wal")):
        return
    place = f"file:{quote(os.path.abspath(path))}?mode=ro"
    with contextlib.closing(
        sqlite3.connect(place, uri=True, timeout=_STEP, isolation_level=None)
    ) as connection:
        _schema_version(connection, path)


def _schema_version(connection: sqlite3.Connection, path: Path | None) -> int:
    """Read the version of the tables, 0 where there are none; refuse what is not for us."""
    name = repr(str(path))
    try:
        tables, application, version = _marks(connection)
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_NOTADB:
            raise
        raise FileRefusedError(f"{name} is no deliberation and is left as it is: {error}") from None
    if application == 0 and version == 0 and tables == 0:
        return 0
    if application != APPLICATION_ID:
        raise FileRefusedError(
            f"{name} is no deliberation and is left as it is: "
            "it is a SQLite database with other content"
        )
    if version > SCHEMA_VERSION:
        raise FileRefusedError(
            f"{name} has schema {version} and is left as it is: this release reads schema "
            f"{SCHEMA_VERSION}, a newer shape_magic wrote it"
        )
    return version


def _marks(connection: sqlite3.Connection) -> tuple[int, int, int]:
    """Read what tells whose file this is: its tables, its application and its schema.

    All at one moment, since another process may be making the tables.
    """
    own = not connection.in_transaction
    if own:
        connection.execute("BEGIN")
    try:
        _patiently(connection, "SELECT 1 FROM sqlite_master LIMIT 1")
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    finally:
        if own and connection.in_transaction:
            connection.execute("ROLLBACK")
    return int(tables), int(application), int(version)
