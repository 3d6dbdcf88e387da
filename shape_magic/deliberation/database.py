"""The SQLite database under a deliberation: opened with care, one transaction per change."""

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import quote

from shape_magic.errors import FileRefusedError, StoreError

__all__ = ["SCHEMA_VERSION", "Database"]

SCHEMA_VERSION: Final = 1
"""Raised with every change of the tables. A file with a higher one is refused."""

_APPLICATION_ID: Final = 0x73686D67  # "shmg": tells a deliberation from other databases.
_WAIT: Final = 60.0
"""Seconds to wait for another process that writes."""

_SCHEMA: Final = """
CREATE TABLE versions (
  id INTEGER PRIMARY KEY,
  round INTEGER NOT NULL,
  agent BLOB NOT NULL,
  version INTEGER NOT NULL,
  latest INTEGER NOT NULL,    -- 1 for the highest version of a round and agent, else 0
  kind BLOB NOT NULL,
  analyzer BLOB NOT NULL,
  shape BLOB NOT NULL,
  score REAL,                 -- the aggregated score
  content BLOB NOT NULL,
  thoughts BLOB,
  readable BLOB,              -- NULL where it is the content
  details BLOB NOT NULL,      -- outline, kinds, evidence and notes
  unknown BLOB                -- what a transcript's record held beside the known fields
);
CREATE UNIQUE INDEX versions_by_round ON versions (round, agent, version);
CREATE INDEX versions_by_agent ON versions (agent, round, version);
CREATE TABLE evaluations (
  id INTEGER PRIMARY KEY,
  proposal INTEGER NOT NULL REFERENCES versions (id) ON DELETE CASCADE,
  evaluator BLOB NOT NULL,
  record BLOB NOT NULL        -- the wire record
);
CREATE INDEX evaluations_by_proposal ON evaluations (proposal, evaluator);
"""


class Database:
    """One connection, used from any thread, by one at a time.

    Every use is inside `transaction()` or `reading()`, which hold the lock and turn SQLite's
    errors into StoreError. They nest: what is inside another one is part of it. A transaction
    cannot begin inside `reading()`, where another process may have changed what was read.
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
        with self._reported():
            if path is not None:
                try:
                    _check_place(path)
                    _check_file(path)
                except StoreError:
                    raise
                except OSError as error:
                    raise FileRefusedError(f"{self.name}: {error.strerror}") from error
            # With an absolute path no name is special to SQLite (`:memory:`, the empty one).
            self._connection = sqlite3.connect(
                ":memory:" if self.path is None else str(self.path),
                timeout=_WAIT,
                isolation_level=None,
                check_same_thread=False,
            )
            try:
                self._prepare(self._connection)
            except BaseException:
                self._connection.close()
                raise

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA foreign_keys = ON")
        if _schema_version(connection, self.path) == SCHEMA_VERSION:
            return
        _switch_to_wal(connection)
        connection.execute("BEGIN IMMEDIATE")
        # Another process may have made the tables while this one waited.
        if _schema_version(connection, self.path) == 0:
            for statement in _SCHEMA.split(";\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")

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
                connection.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                # A full disk may have ended the transaction already.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

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
    with contextlib.closing(sqlite3.connect(place, uri=True, timeout=_WAIT)) as connection:
        _schema_version(connection, path)


def _schema_version(connection: sqlite3.Connection, path: Path | None) -> int:
    """Read the version of the tables, 0 where there are none; refuse what is not for us."""
    name = repr(str(path))
    try:
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_NOTADB:
            raise
        raise FileRefusedError(f"{name} is no deliberation and is left as it is: {error}") from None
    if application == 0 and version == 0 and tables == 0:
        return 0
    if application != _APPLICATION_ID:
        raise FileRefusedError(
            f"{name} is no deliberation and is left as it is: "
            "it is a SQLite database with other content"
        )
    if version > SCHEMA_VERSION:
        raise FileRefusedError(
            f"{name} has schema {version} and is left as it is: this release reads schema "
            f"{SCHEMA_VERSION}, a newer shape_magic wrote it"
        )
    return int(version)


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """Turn write-ahead logging on, which SQLite refuses at once where another is just doing so."""
    until = time.monotonic() + _WAIT
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return
