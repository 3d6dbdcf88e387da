"""What a view shows, worked out in Python once and sent to the page as one piece.

The page splits no lines, knows no attribute and has no table of symbols: those rules and words
stand in this package, and what follows from them for one text is written here.
"""

from collections import Counter
from collections.abc import Mapping
from itertools import groupby
from typing import Any

import msgspec

from shape_magic.analyzers.registry import Registry, default_registry
from shape_magic.deliberation.proposal import Proposal
from shape_magic.lines import split_lines
from shape_magic.notebook.display import candidate_of
from shape_magic.notebook.html import KIND_COLOURS
from shape_magic.prompting.candidate import call_text
from shape_magic.shape import Measurement, Shape
from shape_magic.vocabulary import ATTRIBUTES, LINE_KINDS, LineKind
from shape_magic.wording import symbols

__all__ = ["Baseline", "shown_of"]


class Baseline(msgspec.Struct, frozen=True):
    """The shape that a view shows changes against, and how it says so."""

    relation: str
    """What follows a change: `since the previous version`, `against Candidate_A@1`."""
    shape: Shape


def shown_of(
    subject: Measurement | Proposal,
    *,
    registry: Registry | None = None,
    baseline: Baseline | None = None,
) -> dict[str, Any]:
    """Give what a view of a measurement shows, as plain data.

    The registry tells what the attributes mean in this kind of content. Without a baseline, a
    proposal's changes are since the agent's previous version.
    """
    registry = default_registry() if registry is None else registry
    candidate_id, measurement = candidate_of(subject)
    lines = split_lines(measurement.text)
    asked: dict[str, object] = {"agent_id": candidate_id}
    if isinstance(subject, Proposal):
        asked["round"] = subject.round
        if baseline is None and subject.previous_shape is not None:
            baseline = Baseline("since the previous version", subject.previous_shape)
    shown: dict[str, Any] = {
        "title": candidate_id,
        "round": subject.round if isinstance(subject, Proposal) else None,
        "version": subject.version if isinstance(subject, Proposal) else None,
        "analyzer": measurement.analyzer,
        "baseline": None if baseline is None else baseline.relation,
        "attributes": _attributes(measurement, registry=registry, baseline=baseline),
        "kinds": _kinds(measurement, lines),
        "line_kinds": [
            [LINE_KINDS.index(kind), len(list(run))] for kind, run in groupby(measurement.kinds)
        ],
        "lines": lines,
        "outline": [
            [anchor.line, anchor.last_line, anchor.label] for anchor in measurement.outline
        ],
        "notes": [[note.line, note.message] for note in measurement.notes],
        # The call as far as it is the same for every range; the page adds the range.
        "call": call_text("read_proposal", **asked).removesuffix(")"),
    }
    shown["symbols"] = symbols("".join(_foreign_text(shown)))
    return shown


def _attributes(
    measurement: Measurement, *, registry: Registry, baseline: Baseline | None
) -> list[dict[str, Any]]:
    figures = measurement.shape.as_dict()
    before = None if baseline is None else baseline.shape.as_dict()
    return [
        {
            "name": attribute.name,
            "short": attribute.short,
            "meaning": registry.meaning(attribute, measurement.kind),
            "figure": figures[attribute.name],
            "change": None if before is None else figures[attribute.name] - before[attribute.name],
            "evidence": [
                [item.first_line, item.last_line, item.amount]
                for item in measurement.evidence.get(attribute.name, ())
            ],
        }
        for attribute in ATTRIBUTES
    ]


def _kinds(measurement: Measurement, lines: list[str]) -> list[dict[str, Any]]:
    """Give every kind of line with its colour and how many characters the text has of it."""
    chars: Counter[LineKind] = Counter()
    for kind, line in zip(measurement.kinds, lines, strict=True):
        chars[kind] += len(line)
    return [
        {"name": kind, "colour": KIND_COLOURS[kind], "chars": chars[kind]} for kind in LINE_KINDS
    ]


def _foreign_text(shown: Mapping[str, Any]) -> list[str]:
    """Collect the text that another's hand may have written."""
    return [
        shown["title"],
        shown["analyzer"],
        shown["baseline"] or "",
        shown["call"],
        *shown["lines"],
        *(label for _, _, label in shown["outline"]),
        *(message for _, message in shown["notes"]),
    ]
