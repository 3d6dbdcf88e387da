"""The tables of a deliberation's file, and the steps that bring an older file forward."""

import json
import sqlite3
from collections.abc import Callable
from typing import Final

from shape_magic.analyzers.json import JsonAnalyzer
from shape_magic.deliberation.encoding import decoded, json_line, without_justification
from shape_magic.errors import StoreError

__all__ = ["APPLICATION_ID", "SCHEMA_VERSION", "bring_forward"]

APPLICATION_ID: Final = 0x73686D67  # "shmg": tells a deliberation from other databases.

_TABLES: Final = """
CREATE TABLE versions (       -- a text with its thoughts
  id INTEGER PRIMARY KEY,
  round INTEGER NOT NULL,
  agent BLOB NOT NULL,
  version INTEGER NOT NULL,
  latest INTEGER NOT NULL,    -- 1 for the highest version of a round and agent, else 0
  measurement INTEGER,        -- the latest of its measurements
  score REAL,                 -- the aggregated score, of the evaluations of the arm ''
  content BLOB NOT NULL,
  thoughts BLOB,
  unknown BLOB                -- what a transcript's record held beside the known fields
);
CREATE UNIQUE INDEX versions_by_round ON versions (round, agent, version);
CREATE INDEX versions_by_agent ON versions (agent, round, version);
CREATE INDEX versions_latest ON versions (round, agent, version) WHERE latest = 1;
CREATE TABLE measurements (
  id INTEGER PRIMARY KEY,
  proposal INTEGER NOT NULL REFERENCES versions (id) ON DELETE CASCADE,
  kind BLOB NOT NULL,
  analyzer BLOB NOT NULL,
  shape BLOB NOT NULL,
  readable BLOB,              -- NULL where it is the content
  details BLOB NOT NULL       -- outline, kinds, evidence, notes and meanings
);
CREATE INDEX measurements_by_proposal ON measurements (proposal);
CREATE TABLE evaluations (
  id INTEGER PRIMARY KEY,
  proposal INTEGER NOT NULL REFERENCES versions (id) ON DELETE CASCADE,
  measurement INTEGER NOT NULL REFERENCES measurements (id),  -- the one that was shown
  evaluator BLOB NOT NULL,
  arm BLOB NOT NULL,          -- the template's name; '' where none is named
  trial INTEGER NOT NULL,
  prompt BLOB,                -- its digest, NULL where the evaluator was shown none of ours
  place INTEGER,              -- of the candidate in the prompt, from 1 on
  key BLOB,                   -- under which it stood there
  justification BLOB,         -- apart, so that a search parses no record that does not match
  record BLOB NOT NULL        -- the wire record without it
);
CREATE INDEX evaluations_by_proposal ON evaluations (proposal, arm, evaluator, trial);
CREATE INDEX evaluations_by_measurement ON evaluations (measurement);
CREATE TABLE rounds (
  round INTEGER PRIMARY KEY,
  task BLOB NOT NULL
);
CREATE TABLE templates (      -- a name stands for one wording
  name BLOB PRIMARY KEY,
  digest BLOB NOT NULL,
  content BLOB NOT NULL
);
CREATE TABLE prompts (        -- what evaluators were shown
  id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE,
  round INTEGER NOT NULL,
  evaluator BLOB,
  trial INTEGER NOT NULL,
  template BLOB NOT NULL,     -- its name
  task BLOB NOT NULL,
  seed INTEGER,
  anonymous INTEGER NOT NULL,
  text BLOB NOT NULL
);
CREATE TABLE candidates (     -- of a prompt, in the order in which they stood there
  prompt INTEGER NOT NULL REFERENCES prompts (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,     -- 0 for the evaluator's own proposal; below 0 for those of earlier
                              -- rounds, which the prompt's tools reach
  key BLOB NOT NULL,
  agent BLOB NOT NULL,
  version INTEGER NOT NULL,
  proposal INTEGER REFERENCES versions (id) ON DELETE SET NULL,
  measurement INTEGER REFERENCES measurements (id) ON DELETE SET NULL,
  PRIMARY KEY (prompt, place)
) WITHOUT ROWID;
CREATE INDEX candidates_by_proposal ON candidates (proposal);
CREATE INDEX candidates_by_measurement ON candidates (measurement);
CREATE TABLE replies (        -- every one that was asked for, kept before it is read
  id INTEGER PRIMARY KEY,
  prompt BLOB NOT NULL,       -- its digest
  judge BLOB NOT NULL,
  trial INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  started REAL NOT NULL,      -- seconds since 1970
  seconds REAL,
  reply BLOB,                 -- NULL until it came
  usage BLOB,
  error BLOB,                 -- why none came
  outcome TEXT NOT NULL,      -- '' until it was read, then 'taken', 'refused' or 'failed'
  problems BLOB
);
CREATE UNIQUE INDEX replies_by_call ON replies (prompt, judge, trial, attempt)
"""


def bring_forward(connection: sqlite3.Connection, *, from_version: int) -> None:
    """Make the tables, or change those of an older release; the caller's transaction is used."""
    if from_version == 0:
        _execute_all(connection, _TABLES)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    else:
        for step in _STEPS[from_version - 1 :]:
            step(connection)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _execute_all(connection: sqlite3.Connection, statements: str) -> None:
    # Not executescript, which would commit.
    for statement in statements.split(";\n"):
        connection.execute(statement)


def _from_1_to_2(connection: sqlite3.Connection) -> None:
    """Change the tables of release 0.1.0, where a version had one measurement and no arms."""
    _execute_all(
        connection,
        """
DROP INDEX versions_by_round;
DROP INDEX versions_by_agent;
DROP INDEX evaluations_by_proposal;
ALTER TABLE versions RENAME TO versions_1;
ALTER TABLE evaluations RENAME TO evaluations_1
""",
    )
    _execute_all(connection, _TABLES)
    _execute_all(
        connection,
        """
INSERT INTO versions
  SELECT id, round, agent, version, latest, id, score, content, thoughts, unknown FROM versions_1;
INSERT INTO measurements
  SELECT id, id, kind, analyzer, shape, readable, details FROM versions_1;
INSERT INTO evaluations
  SELECT id, proposal, proposal, evaluator, CAST('' AS BLOB), 1, NULL, NULL, NULL, NULL, record
  FROM evaluations_1;
DROP TABLE evaluations_1;
DROP TABLE versions_1
""",
    )
    # What a record left out, or had as null, is told apart.
    for row_id, unknown in connection.execute(
        "SELECT id, unknown FROM versions WHERE unknown IS NOT NULL"
    ).fetchall():
        connection.execute(
            "UPDATE versions SET unknown = ? WHERE id = ?", (_with_null(unknown), row_id)
        )
    for row_id, record in connection.execute("SELECT id, record FROM evaluations").fetchall():
        connection.execute(
            "UPDATE evaluations SET justification = ?, record = ? WHERE id = ?",
            (*_without_justification(record), row_id),
        )
    # A measurement explains itself now. Of that release's kinds, only JSON had words of its own.
    meanings = json.dumps({"meanings": dict(JsonAnalyzer().meanings)})
    connection.execute(
        "UPDATE measurements SET details = CAST(? || substr(details, 2) AS BLOB) "
        "WHERE analyzer = ? AND substr(details, 1, 2) = ?",
        (f"{meanings[:-1]}, ", b"json/1", b'{"'),
    )


def _with_null(unknown: bytes) -> bytes:
    """Name the fields of a record that were null, which schema 1 left to be found out."""
    try:
        before = json.loads(decoded(unknown))
        evaluations_null = before.pop("evaluations_null")
        for part, names in (("record", ["aggregated_score"]), ("proposal", ["thought_process"])):
            before[part]["null"] = [name for name in names if name not in before[part]["absent"]]
        if evaluations_null:
            before["record"]["null"].append("evaluations")
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise StoreError("the deliberation's file is damaged: a record cannot be read") from error
    return json_line(before)


def _without_justification(record: bytes) -> tuple[bytes | None, bytes]:
    """Take an evaluation's justification out of its record."""
    try:
        return without_justification(json.loads(decoded(record)))
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise StoreError(
            "the deliberation's file is damaged: an evaluation cannot be read"
        ) from error


_STEPS: Final[tuple[Callable[[sqlite3.Connection], None], ...]] = (_from_1_to_2,)

SCHEMA_VERSION: Final = len(_STEPS) + 1
"""A file of a higher one is refused, and one of a lower one is brought forward."""
