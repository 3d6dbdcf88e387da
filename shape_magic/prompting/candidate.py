"""The candidate block: what an evaluator is shown of one proposal.

Ids and labels are a candidate's own words and are escaped here, so that they cannot break out.
The solution and the thoughts stand to the letter, since an evaluator quotes them, but for our own
tags in them, which are guarded.
"""

import json
from typing import Final

import msgspec

from shape_magic.guard import guarded, own_words
from shape_magic.shape import Measurement, Shape

__all__ = [
    "OWN_THOUGHTS_LENGTH",
    "THOUGHTS_LENGTH",
    "Candidate",
    "call_text",
    "candidate_block",
    "escape_attribute",
    "escape_text",
    "holds_own_words",
    "json_text",
    "opening_tag",
    "outline_element",
    "own_block",
]

THOUGHTS_LENGTH: Final = 4_000
"""How many characters of the thought process the prompt shows."""
OWN_THOUGHTS_LENGTH: Final = 500
"""How many of the evaluator's own."""

_TEXT_ENTITIES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_ATTRIBUTE_ENTITIES: Final = str.maketrans(
    {
        "&": "&amp;",
        "<": "&lt;",
        ">": "&gt;",
        '"': "&quot;",
        "'": "&#39;",
        "\t": "&#9;",
        "\n": "&#10;",
        "\r": "&#13;",
    }
)


class Candidate(msgspec.Struct, frozen=True):
    """One proposal as an evaluator meets it."""

    id: str
    measurement: Measurement
    thoughts: str = ""


def escape_text(text: str) -> str:
    """Escape text for the inside of an element.

    >>> escape_text("</outline> & more")
    '&lt;/outline&gt; &amp; more'
    """
    return text.translate(_TEXT_ENTITIES)


def escape_attribute(value: str) -> str:
    """Escape text for the inside of a quoted XML attribute, white space included.

    >>> escape_attribute('a" onload="b')
    'a&quot; onload=&quot;b'
    """
    return value.translate(_ATTRIBUTE_ENTITIES)


def opening_tag(candidate_id: str | None, shape: Shape | None, *, tag: str = "candidate") -> str:
    """Write the tag that opens a candidate; without a shape, with its id alone.

    >>> opening_tag("A", None)
    '<candidate id="A">'
    """
    figures = {} if shape is None else shape.as_dict()
    attributes = "" if candidate_id is None else f' id="{escape_attribute(candidate_id)}"'
    attributes += "".join(f' {name}="{figure}"' for name, figure in figures.items())
    return f"<{tag}{attributes}>"


def outline_element(measurement: Measurement) -> str:
    """Write the outline: `L<line> <label>` for each anchor, joined by ` | `, labels escaped."""
    anchors = (f"L{anchor.line} {escape_text(anchor.label)}" for anchor in measurement.outline)
    return f"<outline>{' | '.join(anchors)}</outline>"


def candidate_block(
    candidate: Candidate, *, round: int, show_attributes: bool = True, show_outline: bool = True
) -> str:
    """Write one candidate of a round as the evaluator's prompt has it."""
    parts = _parts(candidate, candidate.id, "candidate", show_attributes, show_outline)
    parts += _thoughts(candidate, THOUGHTS_LENGTH)
    if len(candidate.thoughts) > THOUGHTS_LENGTH:
        call = call_text(
            "read_proposal", agent_id=candidate.id, round=round, offset=THOUGHTS_LENGTH
        )
        more = len(candidate.thoughts) - THOUGHTS_LENGTH
        parts.append(f"[{more:,} more characters: {call}]")
    return "\n".join([*parts, "</candidate>"])


def own_block(
    own: Candidate,
    *,
    show_id: bool = True,
    show_attributes: bool = True,
    show_outline: bool = True,
) -> str:
    """Write an evaluator's own proposal as its prompt has it: the baseline, and no candidate."""
    own_id = own.id if show_id else None
    parts = _parts(own, own_id, "your_proposal", show_attributes, show_outline)
    parts += _thoughts(own, OWN_THOUGHTS_LENGTH)
    more = len(own.thoughts) - OWN_THOUGHTS_LENGTH
    if more > 0:
        parts.append(f"[{more:,} more characters]")
    return "\n".join([*parts, "</your_proposal>"])


def _parts(
    candidate: Candidate,
    candidate_id: str | None,
    tag: str,
    show_attributes: bool,
    show_outline: bool,
) -> list[str]:
    measurement = candidate.measurement
    shape = measurement.shape if show_attributes else None
    parts = [opening_tag(candidate_id, shape, tag=tag)]
    if show_outline:
        parts.append(outline_element(measurement))
    parts.append(f"FINAL SOLUTION: {guarded(measurement.text)}")
    return parts


def _thoughts(candidate: Candidate, length: int) -> list[str]:
    return [f"THOUGHT PROCESS: {guarded(candidate.thoughts[:length])}"]


def holds_own_words(candidate: Candidate, *, length: int = THOUGHTS_LENGTH) -> bool:
    """Tell whether anything that is shown of a candidate is guarded."""
    shown_texts = (candidate.measurement.text, candidate.thoughts[:length])
    return any(next(own_words(text), None) is not None for text in shown_texts)


def call_text(tool: str, **arguments: object) -> str:
    """Write a tool's call as the prompt, the widget and the notebooks show it.

    >>> call_text("read_proposal", agent_id="A", from_line=31, to_line=33)
    'read_proposal(agent_id="A", from_line=31, to_line=33)'
    """
    written = (f"{name}={json_text(value)}" for name, value in arguments.items())
    return f"{tool}({', '.join(written)})"


def json_text(value: object, *, indent: int | None = None) -> str:
    """Write JSON that no id can close an element with: `<` and `>` stand as JSON's own escapes."""
    written = json.dumps(value, ensure_ascii=False, indent=indent)
    # A lone surrogate has no UTF-8; as JSON's escape it survives being sent to a model.
    written = written.encode("utf-8", "backslashreplace").decode("utf-8")
    return written.replace("<", "\\u003c").replace(">", "\\u003e")
