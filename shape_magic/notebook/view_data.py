r"""What a view shows, worked out in Python once and given to the page as one piece of plain data.

The page splits no lines, knows no attribute and has no table of symbols: those rules and words
stand in this package, and what follows from them for one text is written here.

Text travels as JSON inside of a string, in ASCII (`to_wire`) or as an attribute's value
(`to_attribute`), so that any text survives: a Jupyter message is JSON in UTF-8, which has no form
for a lone surrogate. One thing is lost: a str that holds a high and a low surrogate side by side as
two characters is one character in a page, since JavaScript's strings are UTF-16.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any, Final

import msgspec

from shape_magic.deliberation.proposal import Proposal
from shape_magic.lines import split_lines, split_lines_keeping_ends
from shape_magic.notebook.said import Evaluations, said_data, said_texts
from shape_magic.prompting.candidate import call_text
from shape_magic.shape import Measurement, Shape
from shape_magic.vocabulary import ATTRIBUTES, LINE_KINDS, LineKind
from shape_magic.wording import symbols

__all__ = [
    "FORMAT",
    "KIND_COLOURS",
    "PREVIOUS",
    "UNNAMED",
    "Baseline",
    "candidate_of",
    "digest_of",
    "from_wire",
    "text_of",
    "to_attribute",
    "to_wire",
    "view_data",
]

FORMAT: Final = 1
"""The format of the data: a page's library draws those up to its own."""

UNNAMED: Final = "candidate"
"""The id in the tag of a measurement that is nobody's proposal."""

PREVIOUS: Final = "against the previous version"
"""How the change since an agent's earlier version is told."""

KIND_COLOURS: Final[dict[LineKind, str]] = {
    "prose": "#8a8f98",
    "code": "#3b82c4",
    "list": "#2f9e6e",
    "table": "#c2772e",
    "heading": "#9b5fc0",
    "syntax": "#848a93",
}
"""A colour for each kind of line, told apart in light and dark and by the colour-blind.

Each has a contrast of at least 3 with white and with a dark page.
"""

_ENDINGS: Final = ("\n", "\r\n", "\r", "")


class Baseline(msgspec.Struct, frozen=True):
    """The shape that a view shows changes against, and how it says so."""

    relation: str
    """What follows a change, as in `against Candidate_A@1`."""
    shape: Shape


def candidate_of(subject: Measurement | Proposal) -> tuple[str, Measurement]:
    """Give the id under which a measurement is shown, and the measurement."""
    if isinstance(subject, Proposal):
        return subject.agent_id, subject.measurement
    return UNNAMED, subject


def view_data(
    subject: Measurement | Proposal,
    *,
    baseline: Baseline | None = None,
    title: str | None = None,
    evaluations: Evaluations = (),
) -> dict[str, Any]:
    """Give what a view of a measurement shows, as plain data.

    Without a baseline, a proposal's changes are against the agent's previous version.
    `evaluations` are those of this version, in one arm or by the names of arms.
    """
    candidate_id, measurement = candidate_of(subject)
    lines = split_lines(measurement.text)
    proposal = subject if isinstance(subject, Proposal) else None
    if proposal is not None and baseline is None and proposal.previous_shape is not None:
        baseline = Baseline(PREVIOUS, proposal.previous_shape)
    data: dict[str, Any] = {
        "format": FORMAT,
        "title": title or candidate_id,
        "round": proposal and proposal.round,
        "version": proposal and proposal.version,
        "kind": measurement.kind,
        "analyzer": measurement.analyzer,
        "baseline": None if baseline is None else baseline.relation,
        "attributes": _attributes(measurement, baseline=baseline),
        "kinds": _kinds(measurement, lines),
        "line_kinds": [
            [LINE_KINDS.index(kind), len(list(run))] for kind, run in groupby(measurement.kinds)
        ],
        "lines": lines,
        "endings": _endings(measurement.text),
        "outline": [
            [anchor.line, anchor.last_line, anchor.label] for anchor in measurement.outline
        ],
        "notes": [[note.line, note.message] for note in measurement.notes],
        # The call as far as it is the same for every range; the page adds the range. Nobody's
        # text can be called for.
        "call": proposal
        and call_text(
            "read_proposal", agent_id=proposal.agent_id, round=proposal.round
        ).removesuffix(")"),
    }
    said = said_data(measurement.text, evaluations)
    if said is not None:
        data["said"] = said
    data["symbols"] = symbols("".join(_foreign_text(data)))
    return data


def text_of(lines: list[str], endings: list[list[int]]) -> str:
    r"""Put a text together again from the lines and the runs of endings that its data has.

    >>> text_of(["a", "", "b"], [[0, 2], [3, 1]])
    'a\n\nb'
    """
    ends = (_ENDINGS[code] for code, count in endings for _ in range(count))
    return "".join(line + end for line, end in zip(lines, ends, strict=True))


def digest_of(written: str) -> str:
    """Name a piece of data by its contents."""
    return hashlib.sha256(written.encode()).hexdigest()[:16]


def to_wire(value: object) -> str:
    r"""Write a value as JSON in ASCII.

    >>> to_wire("\ud800")
    '"\\ud800"'
    """
    return json.dumps(value, separators=(",", ":"))


def from_wire(written: str) -> Any:
    r"""Read what `to_wire`, or JavaScript's `JSON.stringify`, wrote.

    >>> from_wire('"\\ud800"') == "\ud800"
    True
    """
    return json.loads(written)


def to_attribute(value: object) -> str:
    r"""Write a value as JSON that may stand between single quotes in any HTML.

    What HTML gives a meaning, and what acts or shows as nothing, stands as JSON's escapes.

    >>> to_attribute("<b> 'é' \x1b")
    '"\\u003cb\\u003e \\u0027é\\u0027 \\u001b"'
    """
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    escapes: dict[str, str | int | None] = {
        acting: json.dumps(acting)[1:-1] for acting in symbols(written)
    }
    escapes |= {markup: f"\\u{ord(markup):04x}" for markup in "<>&'"}
    return written.translate(str.maketrans(escapes))


def _attributes(measurement: Measurement, *, baseline: Baseline | None) -> list[dict[str, Any]]:
    figures = measurement.shape.as_dict()
    before = None if baseline is None else baseline.shape.as_dict()
    return [
        {
            "name": attribute.name,
            "meaning": measurement.meaning(attribute),
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


def _endings(text: str) -> list[list[int]]:
    """Give the lines' endings as runs of [which, how many], 3 for a last line without an ending."""
    if "\r" not in text:
        last_is_open = text != "" and not text.endswith("\n")
        runs = [[0, text.count("\n")], [3, int(last_is_open)]]
        return [run for run in runs if run[1]]
    codes = map(_ending, split_lines_keeping_ends(text))
    return [[code, len(list(run))] for code, run in groupby(codes)]


def _ending(line: str) -> int:
    if line.endswith("\r\n"):
        return 1
    return 0 if line.endswith("\n") else 2 if line.endswith("\r") else 3


def _foreign_text(data: Mapping[str, Any]) -> Iterator[str]:
    """Give the text that another's hand may have written."""
    yield from (data["title"], data["analyzer"], data["baseline"] or "", data["call"] or "")
    yield from data["lines"]
    yield from (label for _, _, label in data["outline"])
    yield from (message for _, message in data["notes"])
    if "said" in data:
        yield from said_texts(data["said"])
