"""What evaluators said of a proposal, beside its text: as data for a page, and as static HTML."""

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import accumulate, islice
from typing import Any, Final

from shape_magic.deliberation.claim_places import claim_places
from shape_magic.deliberation.records import ClaimAssessment, EvaluationEntry
from shape_magic.lines import LineRange
from shape_magic.vocabulary import CATEGORY_NAMES
from shape_magic.wording import plural, visible

__all__ = ["Evaluations", "facts_of", "said_data", "said_html", "said_texts"]

Evaluations = Mapping[str, Sequence[EvaluationEntry]] | Sequence[EvaluationEntry]
"""Evaluations of one version: under one arm, or by the names of arms."""

MOST_EVALUATIONS: Final = 40
MOST_CLAIMS: Final = 12
"""Evaluations that a view holds at most, and claims of one; it says how many more there are."""
JUSTIFICATION_LENGTH: Final = 1_000
CLAIM_LENGTH: Final = 300
NAME_LENGTH: Final = 120
"""Characters of a justification, of a claim, and of an id, a stance or a verdict that a view holds
at most."""
MOST_CHARACTERS: Final = 24_000
"""Characters of all evaluations together, as data, that a view holds at most; but for the first."""

_MARKS: Final = {"verified": "✓", "contested": "≠", "unverified": "?", "wrong": "✗"}
_OTHER_MARK: Final = "○"


def said_data(text: str, evaluations: Evaluations) -> dict[str, Any] | None:
    """Give what was said of a text as plain data, None where nobody said anything."""
    by_arm = evaluations if isinstance(evaluations, Mapping) else {"": evaluations}
    entries = [(arm, entry) for arm, given in by_arm.items() for entry in given]
    if not entries:
        return None
    few = entries[:MOST_EVALUATIONS]
    claims = [(entry.evaluation.claim_assessments or ())[:MOST_CLAIMS] for _, entry in few]
    places = iter(claim_places(text, (claim.claim for given in claims for claim in given)))
    made = [
        _evaluation(arm, entry, [(claim, next(places)) for claim in given])
        for (arm, entry), given in zip(few, claims, strict=True)
    ]
    sizes = accumulate(len(json.dumps(evaluation, ensure_ascii=False)) for evaluation in made)
    held = max(1, sum(size <= MOST_CHARACTERS for size in sizes))
    return {"evaluations": made[:held], "left_out": len(entries) - held}


def said_texts(said: Mapping[str, Any]) -> Iterable[str]:
    """Give the text in it that another's hand wrote."""
    for evaluation in said["evaluations"]:
        yield from (evaluation["evaluator"], evaluation["facts"], evaluation["justification"])
        for _, verdict, claim, _ in evaluation["claims"]:
            yield from (verdict, claim)


def said_html(said: Mapping[str, Any]) -> str:
    """Show what was said without scripts: each evaluation opens."""
    parts = [_evaluation_html(evaluation) for evaluation in said["evaluations"]]
    if said["left_out"]:
        parts.append(f"<div>and {plural(said['left_out'], 'more evaluation')}</div>")
    return f'<div style="margin:4px 0">What evaluators said{"".join(parts)}</div>'


def _evaluation(
    arm: str, entry: EvaluationEntry, claims: Sequence[tuple[ClaimAssessment, Sequence[LineRange]]]
) -> dict[str, Any]:
    evaluation = entry.evaluation
    return {
        "evaluator": _cut(entry.evaluator_agent_id, NAME_LENGTH),
        "facts": " · ".join(facts_of(arm, entry)),
        "categories": " · ".join(
            f"{name} {score:+g}"
            for name in CATEGORY_NAMES
            if (score := (evaluation.category_scores or {}).get(name)) is not None
        ),
        "justification": _cut(evaluation.justification or "", JUSTIFICATION_LENGTH),
        "claims": [
            [
                _MARKS.get((claim.verdict or "").casefold(), _OTHER_MARK),
                _cut(claim.verdict or "no verdict", NAME_LENGTH),
                _cut(claim.claim or "", CLAIM_LENGTH),
                [[place.first, place.last] for place in places],
            ]
            for claim, places in claims
        ],
        "claims_left_out": len(evaluation.claim_assessments or ()) - len(claims),
    }


def facts_of(arm: str, entry: EvaluationEntry) -> list[str]:
    """Tell an evaluation's figures, and under which arm and trial it stands."""
    evaluation = entry.evaluation
    facts = []
    if evaluation.score is not None:
        facts.append(f"score {evaluation.score:+.2f}")
    if evaluation.endorsement_weight is not None:
        facts.append(f"weight {evaluation.endorsement_weight:+g}")
    if evaluation.stance is not None:
        facts.append(_cut(evaluation.stance, NAME_LENGTH))
    if arm:
        facts.append(f"arm {_cut(arm, NAME_LENGTH)}")
    if entry.trial > 1:
        facts.append(f"trial {entry.trial}")
    if entry.synthetic:
        facts.append("synthetic")
    return facts


def _cut(text: str, length: int) -> str:
    rest = len(text) - length
    return text if rest <= 0 else f"{text[:length]} … {plural(rest, 'more character')}"


def _evaluation_html(evaluation: Mapping[str, Any]) -> str:
    claims = "".join(
        f"<li>{mark} {_safe(verdict)}, {_where(places)}: “{_safe(claim)}”</li>"
        for mark, verdict, claim, places in evaluation["claims"]
    )
    if evaluation["claims_left_out"]:
        claims += f"<li>and {plural(evaluation['claims_left_out'], 'more claim')}</li>"
    words = [evaluation["categories"], evaluation["justification"]]
    paragraphs = "".join(
        f'<div style="white-space:pre-wrap;overflow-wrap:anywhere">{_safe(part)}</div>'
        for part in words
        if part
    )
    return (
        f"<details><summary><strong>{_safe(evaluation['evaluator'])}</strong> "
        f"{_safe(evaluation['facts'])}</summary>"
        f'{paragraphs}<ul style="margin:4px 0;padding-left:18px">{claims}</ul></details>'
    )


def _where(places: Sequence[Sequence[int]]) -> str:
    if not places:
        return "nowhere in the text word for word"
    few = [f"L{first}" if first == last else f"L{first}-L{last}" for first, last in places]
    return ", ".join(islice(few, 3)) + (f" and {len(few) - 3} more" if len(few) > 3 else "")


def _safe(text: str) -> str:
    return escape(visible(text))
