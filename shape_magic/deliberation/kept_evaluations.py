"""The table of the evaluations that versions of proposals were given."""

from collections.abc import Iterable
from typing import Any

from shape_magic.deliberation.aggregate import aggregated_score
from shape_magic.deliberation.database import Database
from shape_magic.deliberation.encoding import (
    damage_reported,
    decoded,
    decoded_json,
    encoded,
    json_line,
)
from shape_magic.deliberation.records import EvaluationEntry, read_record, to_wire
from shape_magic.errors import StoreError

__all__ = ["KeptEvaluations"]


class KeptEvaluations:
    """The part of a store that keeps evaluations, each by the row of its version."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def evaluations(self, row_id: int) -> list[EvaluationEntry]:
        """Give the evaluations of a version, in the order in which they came."""
        wires = self.evaluation_wires(row_id)
        with damage_reported("an evaluation"):
            return [read_record(EvaluationEntry, wire) for wire in wires]

    def evaluation_wires(self, row_id: int) -> list[dict[str, Any]]:
        """Give the evaluations of a version as parsed JSON."""
        with self.database.reading() as connection:
            found = connection.execute(
                "SELECT record FROM evaluations WHERE proposal = ? ORDER BY id", (row_id,)
            )
            wires = [decoded_json(record) for (record,) in found]
        if not all(isinstance(one, dict) and "evaluation" in one for one in wires):
            raise StoreError("the deliberation's file is damaged: an evaluation cannot be read")
        return wires

    def evaluated(self) -> set[int]:
        """Give the ids of the versions that have an evaluation."""
        with self.database.reading() as connection:
            found = connection.execute("SELECT DISTINCT proposal FROM evaluations")
            return {row_id for (row_id,) in found}

    def evaluators(self, row_id: int) -> list[str]:
        """Give the ids of those who evaluated a version, in the order in which they did."""
        with self.database.reading() as connection:
            found = connection.execute(
                "SELECT evaluator FROM evaluations WHERE proposal = ? ORDER BY id", (row_id,)
            )
            return [decoded(evaluator) for (evaluator,) in found]

    def add_evaluations(self, row_id: int, entries: Iterable[EvaluationEntry]) -> None:
        """Add evaluations to a version and compute its score anew."""
        with self.database.transaction() as connection:
            connection.executemany(
                "INSERT INTO evaluations (proposal, evaluator, record) VALUES (?, ?, ?)",
                [
                    (row_id, encoded(one.evaluator_agent_id), json_line(to_wire(one)))
                    for one in entries
                ],
            )
            self.set_score(row_id, aggregated_score(self.evaluations(row_id)))

    def remove_evaluations(self, row_id: int, *, evaluator: str) -> int:
        """Remove what one evaluator gave a version, and compute its score anew."""
        with self.database.transaction() as connection:
            removed = connection.execute(
                "DELETE FROM evaluations WHERE proposal = ? AND evaluator = ?",
                (row_id, encoded(evaluator)),
            ).rowcount
            if removed:
                self.set_score(row_id, aggregated_score(self.evaluations(row_id)))
        return removed

    def set_score(self, row_id: int, score: float | None) -> None:
        """Set a version's aggregated score, which stands until its evaluations change."""
        with self.database.transaction() as connection:
            connection.execute("UPDATE versions SET score = ? WHERE id = ?", (score, row_id))
