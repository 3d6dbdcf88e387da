"""The candidate block: what an evaluator is shown of one proposal.

Ids and labels are a candidate's own words and are escaped here, so that they cannot break out.
The solution and the thoughts stand raw, since an evaluator quotes them to the letter.
"""

import json
from typing import Final

import msgspec

from shape_magic.shape import Measurement, Shape

__all__ = [
    "Candidate",
    "call_text",
    "candidate_block",
    "escape_attribute",
    "escape_text",
    "json_text",
    "opening_tag",
    "outline_element",
]

THOUGHTS_LENGTH: Final = 4_000
"""How many characters of the thought process the prompt shows."""

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


def opening_tag(candidate_id: str, shape: Shape | None) -> str:
    """Write the tag that opens a candidate; without a shape, with its id alone.

    >>> opening_tag("A", None)
    '<candidate id="A">'
    """
    figures = {} if shape is None else shape.as_dict()
    attributes = "".join(f' {name}="{figure}"' for name, figure in figures.items())
    return f'<candidate id="{escape_attribute(candidate_id)}"{attributes}>'


def outline_element(measurement: Measurement) -> str:
    """Write the outline: `L<line> <label>` for each anchor, joined by ` | `, labels escaped."""
    anchors = (f"L{anchor.line} {escape_text(anchor.label)}" for anchor in measurement.outline)
    return f"<outline>{' | '.join(anchors)}</outline>"


def candidate_block(candidate: Candidate, *, round: int, with_shape: bool = True) -> str:
    """Write one candidate of a round as the evaluator's prompt has it."""
    measurement, thoughts = candidate.measurement, candidate.thoughts
    parts = [opening_tag(candidate.id, measurement.shape if with_shape else None)]
    if with_shape:
        parts.append(outline_element(measurement))
    parts.append(f"FINAL SOLUTION: {measurement.text}")
    parts.append(f"THOUGHT PROCESS: {thoughts[:THOUGHTS_LENGTH]}")
    if len(thoughts) > THOUGHTS_LENGTH:
        call = call_text(
            "read_proposal", agent_id=candidate.id, round=round, offset=THOUGHTS_LENGTH
        )
        parts.append(f"[{len(thoughts) - THOUGHTS_LENGTH:,} more characters: {call}]")
    parts.append("</candidate>")
    return "\n".join(parts)


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
