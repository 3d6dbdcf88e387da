"""The words of an evaluation prompt, section by section, in their order."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from shape_magic.prompting.candidate import (
    OWN_THOUGHTS_LENGTH,
    Candidate,
    call_text,
    candidate_block,
    holds_own_words,
    json_text,
    own_block,
)
from shape_magic.prompting.template import EvaluationTemplate
from shape_magic.shape import Measurement
from shape_magic.vocabulary import ATTRIBUTES, CATEGORY_NAMES, STANCES, VERDICTS

__all__ = ["evaluation_text", "legend"]

# Neither all alike nor all good, so that a reply is not drawn to one value.
_EXAMPLE_SCORES: Final = (40, 25, -10, 55, 0, 30)


def evaluation_text(
    template: EvaluationTemplate,
    *,
    task: str,
    round: int,
    candidates: Sequence[Candidate],
    own: Candidate | None = None,
    anonymous: bool = False,
    earlier_rounds: Sequence[int] = (),
) -> str:
    """Write an evaluation prompt: the candidates in their order, under their keys.

    `own` is what the evaluator proposed itself; with `anonymous` its id is not written.
    `earlier_rounds` are those that the tools reach beside this one.
    """
    measured = [candidate.measurement for candidate in (*candidates, *([own] if own else []))]
    sections = [
        f"{template.task} {task}" if template.task else task,
        legend(template, measured),
        _criteria(template),
        template.weight,
        _tools(template, candidates, round=round, earlier_rounds=earlier_rounds),
        _guarding(template, candidates, own),
        _own(template, own, anonymous=anonymous),
        template.candidates,
        *(
            candidate_block(
                candidate,
                round=round,
                show_attributes=template.show_attributes,
                show_outline=template.show_outline,
            )
            for candidate in candidates
        ),
        _reply(template, candidates),
    ]
    return "\n\n".join(section for section in sections if section)


def legend(template: EvaluationTemplate, measurements: Iterable[Measurement]) -> str:
    """Explain what is shown, and what it means in each kind of content that occurs."""
    names = [attribute.name for attribute in ATTRIBUTES] if template.show_attributes else []
    if template.show_outline:
        names.append("anchor")
    if not template.show_legend or not names:
        return ""
    lines = [template.legend] if template.legend else []
    if template.show_attributes:
        lines += [f"- {attribute.name}: {attribute.meaning}" for attribute in ATTRIBUTES]
    if template.show_outline:
        lines.append(
            "- outline: anchors, `L<line> <label>`, joined by ` | `; lines count from 1, and "
            "&, < and > in a label are written as entities"
        )
    for kind, special in _meanings(measurements):
        meant = [f"- {name}: {special[name]}" for name in names if name in special]
        if meant:
            lines += [f"In a solution that is {kind}:", *meant]
    return "\n".join(lines)


def _meanings(measurements: Iterable[Measurement]) -> list[tuple[str, Mapping[str, str]]]:
    """Give each kind's meanings once, and those of two analyzers of one kind apart."""
    found = {
        (measurement.kind, tuple(measurement.meanings.items())): measurement
        for measurement in measurements
    }
    kinds = [kind for kind, _ in found]
    return [
        (kind if kinds.count(kind) == 1 else measurement.analyzer, measurement.meanings)
        for (kind, _), measurement in found.items()
    ]


def _criteria(template: EvaluationTemplate) -> str:
    lines = [
        template.criteria,
        *(f"- {name}: {getattr(template, name)}" for name in CATEGORY_NAMES),
        template.conciseness_rules,
        template.conciseness_by_shape if template.show_attributes else "",
    ]
    return "\n".join(line for line in lines if line)


def _tools(
    template: EvaluationTemplate,
    candidates: Sequence[Candidate],
    *,
    round: int,
    earlier_rounds: Sequence[int],
) -> str:
    key = candidates[0].id
    lines = []
    if template.tools:
        read = call_text("read_proposal", agent_id=key, round=round)
        search = call_text("search_deliberation", keywords=["latency"])
        lines += [
            template.tools,
            f"- {read} returns a candidate's final solution and thought process.",
            f"- {search} finds the candidates that hold the keywords.",
        ]
    if template.tools and earlier_rounds:
        lines.append(
            f"- This is round {round}; both also reach the rounds before it: "
            f"{', '.join(map(str, earlier_rounds))}."
        )
    if template.tools_by_line and template.show_line_numbers:
        read = call_text("read_proposal", agent_id=key, round=round, from_line=1, to_line=12)
        lines += [
            template.tools_by_line,
            f"- {read} returns those lines of the final solution, numbered.",
            "- What search_deliberation finds has the numbers of the lines that hold a keyword "
            "(matched_lines).",
        ]
    return "\n".join(lines)


def _guarding(
    template: EvaluationTemplate, candidates: Iterable[Candidate], own: Candidate | None
) -> str:
    guarded = any(map(holds_own_words, candidates)) or (
        own is not None and holds_own_words(own, length=OWN_THOUGHTS_LENGTH)
    )
    return template.guarded if guarded else ""


def _own(template: EvaluationTemplate, own: Candidate | None, *, anonymous: bool) -> str:
    if own is None:
        return ""
    block = own_block(
        own,
        show_id=not anonymous,
        show_attributes=template.show_attributes,
        show_outline=template.show_outline,
    )
    who = "" if anonymous else f"You are {json_text(own.id)}."
    return "\n".join(part for part in (who, template.own_proposal, block) if part)


def _reply(template: EvaluationTemplate, candidates: Sequence[Candidate]) -> str:
    example = {
        "evaluations": [
            {
                "agent_id": candidates[0].id,
                "endorsement_weight": 35,
                "justification": "why, in a few sentences",
                "stance": STANCES[1],
                "claim_assessments": [{"claim": "a claim, quoted", "verdict": VERDICTS[0]}],
                "category_scores": dict(zip(CATEGORY_NAMES, _EXAMPLE_SCORES, strict=True)),
            }
        ]
    }
    keys = ", ".join(json_text(candidate.id) for candidate in candidates)
    lines = [
        template.reply,
        json_text(example, indent=2),
        f"- agent_id: one of {keys}; each of them once.",
        "- endorsement_weight: a number from -100 to 100.",
        "- justification: a text.",
        f"- stance: one of {', '.join(STANCES)}.",
        "- claim_assessments: a list, which may be empty, of the candidate's claims, each quoted "
        f"and with a verdict: one of {', '.join(VERDICTS)}.",
        f"- category_scores: all of {', '.join(CATEGORY_NAMES)}, each a number from -100 to 100.",
        template.reply_end,
    ]
    return "\n".join(line for line in lines if line)
