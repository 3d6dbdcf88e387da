"""What an evaluator is shown: the candidate block, the legend and the evaluation prompt.

Ids and labels are a candidate's own words and are escaped here, so that they cannot break out.
The solution and the thoughts stand raw, since an evaluator quotes them to the letter.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from shape_magic.shape import Measurement, Shape
from shape_magic.vocabulary import ATTRIBUTES, CATEGORIES, STANCES, VERDICTS

__all__ = [
    "Candidate",
    "candidate_block",
    "escape_attribute",
    "escape_text",
    "evaluation_prompt",
    "legend",
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
    written = (f"{name}={_json(value)}" for name, value in arguments.items())
    return f"{tool}({', '.join(written)})"


def _json(value: object, *, indent: int | None = None) -> str:
    """Write JSON that no id can close an element with: `<` and `>` stand as JSON's own escapes."""
    written = json.dumps(value, ensure_ascii=False, indent=indent)
    # A lone surrogate has no UTF-8; as JSON's escape it survives being sent to a model.
    written = written.encode("utf-8", "backslashreplace").decode("utf-8")
    return written.replace("<", "\\u003c").replace(">", "\\u003e")


def legend(meanings: Mapping[str, Mapping[str, str]]) -> str:
    """Explain the attributes, and what they mean in each kind of content that occurs.

    `meanings` maps each kind to its analyzer's meanings.
    """
    lines = [
        "Each candidate carries a measured summary of its final solution's shape:",
        *(f"- {attribute.name}: {attribute.meaning}" for attribute in ATTRIBUTES),
    ]
    for kind, special in meanings.items():
        if special:
            lines.append(f"In a solution that is {kind}:")
            lines += [f"- {name}: {meaning}" for name, meaning in special.items()]
    lines.append(
        "The outline lists anchors, `L<line> <label>`, joined by ` | `. "
        "An anchor is a heading, a code block (`code`) or a table (`table`); in JSON, a top-level "
        "key. Lines count from 1; &, < and > in a label are written as entities."
    )
    return "\n".join(lines)


_CONCISENESS: Final = """\
Judge conciseness from these numbers and not from an impression of length:
- It is relative to this round's field: compare a candidate with the others here.
- A short lead and much structure beat the same chars of undifferentiated prose.
- A near-empty solution is incomplete, and incomplete is not concise."""

_CONCISENESS_WITHOUT_SHAPE: Final = """\
Judge conciseness relative to this round's field. A near-empty solution is incomplete, and \
incomplete is not concise."""

_REPLY_RULES: Final = f"""\
Reply with one JSON object and nothing else, with one evaluation for each candidate but your own:
{{reply}}
- score: -1 (worthless) to 1 (flawless).
- stance: one of {", ".join(STANCES)}.
- verdict: one of {", ".join(VERDICTS)}.
- category_scores: all six, each from -100 to 100."""


def evaluation_prompt(
    candidates: Sequence[Candidate],
    *,
    task: str,
    round: int,
    meanings: Mapping[str, Mapping[str, str]],
    with_shape: bool = True,
) -> str:
    """Write the evaluation prompt of a round; without the shape, as a control.

    `meanings` maps each kind of content to its analyzer's meanings; the legend has those of the
    kinds that occur. A control has the same candidates and asks for the same reply, but shows no
    figure, no outline and no legend.
    """
    sections = [f"TASK: {task}"]
    if with_shape:
        occurring = _kinds(candidates)
        sections.append(legend({kind: meanings.get(kind, {}) for kind in occurring}))
        sections.append(_CONCISENESS)
        sections.append(_how_to_check(candidates, round=round))
    else:
        sections.append(_CONCISENESS_WITHOUT_SHAPE)
    sections += [candidate_block(one, round=round, with_shape=with_shape) for one in candidates]
    sections.append(_REPLY_RULES.format(reply=_reply(candidates)))
    return "\n\n".join(sections)


def _kinds(candidates: Iterable[Candidate]) -> list[str]:
    return list(dict.fromkeys(candidate.measurement.kind for candidate in candidates))


def _how_to_check(candidates: Sequence[Candidate], *, round: int) -> str:
    example = candidates[0].id if candidates else "Candidate_A"
    read = call_text("read_proposal", agent_id=example, round=round, from_line=1, to_line=12)
    search = call_text("search_deliberation", keywords=["latency"], rounds=[round])
    return (
        "Check a suspicion by line before you score it:\n"
        f"- {read} returns those lines of the final solution, numbered.\n"
        f"- {search} names the lines that hold the keywords (matched_lines)."
    )


def _reply(candidates: Sequence[Candidate]) -> str:
    """Write the reply's form, with the first candidate's id in it."""
    example = {
        "evaluations": [
            {
                "agent_id": candidates[0].id if candidates else "Candidate_A",
                "score": 0.5,
                "justification": "why, with the lines that show it",
                "stance": STANCES[1],
                "claim_assessments": [{"claim": "a claim, quoted", "verdict": VERDICTS[0]}],
                "category_scores": dict.fromkeys(CATEGORIES, 0),
            }
        ]
    }
    return _json(example, indent=2)
