"""Measure a deliberation's versions again with the analyzers of today, and say what changed."""

from collections.abc import Sequence
from typing import Final

import msgspec

from shape_magic.analyzers.registry import Registry, said
from shape_magic.deliberation.store import Row, Store, measurement_columns
from shape_magic.errors import AnalyzerError
from shape_magic.shape import Measurement, Shape
from shape_magic.vocabulary import ATTRIBUTE_NAMES
from shape_magic.wording import one_line, plural

__all__ = ["RemeasureReport", "Remeasured", "remeasure"]

_LISTED: Final = 20


class Remeasured(msgspec.Struct, frozen=True):
    """A version that is measured otherwise today."""

    agent_id: str
    round: int
    version: int
    analyzers: tuple[str, str]
    """The analyzer of the latest measurement before, and today's."""
    shapes: tuple[Shape, Shape]

    def __str__(self) -> str:
        before, after = (shape.as_dict() for shape in self.shapes)
        figures = ", ".join(
            f"{name} {before[name]:,} -> {after[name]:,}"
            for name in ATTRIBUTE_NAMES
            if before[name] != after[name]
        )
        same = self.analyzers[0] == self.analyzers[1]
        analyzers = self.analyzers[0] if same else " -> ".join(self.analyzers)
        agent = one_line(self.agent_id, length=60)
        return (
            f"{agent} round {self.round} version {self.version}, {analyzers}: "
            f"{figures or 'the same figures'}"
        )


class RemeasureReport(msgspec.Struct, frozen=True):
    """What measuring again changed: prints as one line a version that changed."""

    measured: int
    """How many versions were measured again."""
    changes: tuple[Remeasured, ...]
    failures: tuple[tuple[str, int, int, str], ...]
    """Versions that were not measured: agent, round, version, and why not."""
    dry_run: bool

    def __str__(self) -> str:
        kept = "nothing was kept" if self.dry_run else "kept beside what evaluators were shown"
        written = [
            f"{plural(self.measured, 'version')} measured again, "
            f"{plural(len(self.changes), 'change')}; {kept}",
            *(f"  {change}" for change in self.changes[:_LISTED]),
        ]
        if len(self.changes) > _LISTED:
            written.append(f"  and {plural(len(self.changes) - _LISTED, 'more change')}")
        written += [
            f"  {one_line(agent, length=60)} round {number} version {version}: {why}"
            for agent, number, version, why in self.failures[:_LISTED]
        ]
        if len(self.failures) > _LISTED:
            written.append(f"  and {len(self.failures) - _LISTED:,} more that were not measured")
        return "\n".join(written)

    __repr__ = __str__


def remeasure(
    store: Store, registry: Registry, *, analyzer: str | None, dry_run: bool
) -> RemeasureReport:
    """Measure all versions again; see `Deliberation.remeasure`."""
    if analyzer is not None:
        registry.get(analyzer)
    with store.rows(latest=False) as found:
        rows = list(found)
    changes, failures, changed = [], [], []
    for row in rows:
        try:
            measurement = registry.measure(row.content, analyzer=analyzer)
        except Exception as error:
            why = str(error) if isinstance(error, AnalyzerError) else said(error)
            failures.append((row.agent_id, row.round, row.version, one_line(why, length=300)))
            continue
        before = store.proposal(row).measurement
        if before != measurement:
            changed.append((row, measurement))
            changes.append(
                Remeasured(
                    row.agent_id,
                    row.round,
                    row.version,
                    (before.analyzer, measurement.analyzer),
                    (before.shape, measurement.shape),
                )
            )
    if not dry_run:
        _keep(store, changed)
    changes.sort(key=lambda change: change.shapes[0] == change.shapes[1])
    return RemeasureReport(len(rows) - len(failures), tuple(changes), tuple(failures), dry_run)


def _keep(store: Store, changed: Sequence[tuple[Row, Measurement]]) -> None:
    """Add the measurements, all in one transaction, to the versions that are still there."""
    with store.database.transaction():
        with store.rows(latest=False) as found:
            there = {row.id for row in found}
        for row, measurement in changed:
            if row.id in there:
                columns = measurement_columns(measurement, content=row.content)
                store.add_measurement(row.id, columns)
