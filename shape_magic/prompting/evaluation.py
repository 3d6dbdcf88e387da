"""The evaluation prompt: the legend, the criteria, the candidates and the reply wanted."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from shape_magic.prompting.candidate import Candidate, call_text, candidate_block, json_text
from shape_magic.vocabulary import ATTRIBUTES, CATEGORY_NAMES, STANCES, VERDICTS

__all__ = ["evaluation_prompt", "legend"]


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
                "category_scores": dict.fromkeys(CATEGORY_NAMES, 0),
            }
        ]
    }
    return json_text(example, indent=2)
