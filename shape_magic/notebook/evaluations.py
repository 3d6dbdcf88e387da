"""What evaluators see and say, for display: a prompt with its candidates, and what was filed."""

from collections.abc import Sequence
from html import escape
from typing import Final

from shape_magic.deliberation.evaluations import CandidateEvaluation, Evaluated
from shape_magic.deliberation.prompts import EvaluationPrompt, PromptCandidate
from shape_magic.lines import normalize_endings
from shape_magic.notebook.answers import FRAME
from shape_magic.report import Report
from shape_magic.vocabulary import ATTRIBUTES, CATEGORIES
from shape_magic.wording import one_line, plural, visible

__all__ = ["evaluated_report", "prompt_html", "prompt_text"]

_NAME: Final = 40
"""How many characters of an id a table shows."""
_DIGEST: Final = 12
_TOLD: Final = 20
"""How many messages of one sort are told at most."""
_MISSING: Final = "-"


def prompt_text(prompt: EvaluationPrompt) -> str:
    """Write what a prompt shows to whom, and then its text."""
    return f"{_prompt_report(prompt)}\n\n{_shown(prompt.text)}"


def prompt_html(prompt: EvaluationPrompt) -> str:
    """Show the same, with the text folded."""
    summary = f"The prompt, {plural(len(prompt.text), 'character')}"
    return (
        f'{_prompt_report(prompt).html()}<details style="font-size:13px">'
        f'<summary style="cursor:pointer">{summary}</summary>'
        f'<pre style="{FRAME}">{escape(_shown(prompt.text))}</pre></details>'
    )


def _shown(text: str) -> str:
    return normalize_endings(visible(text))


def _prompt_report(prompt: EvaluationPrompt) -> Report:
    facts = [
        f"Evaluation prompt of round {prompt.round}",
        "for anybody" if prompt.evaluator is None else f"for {_name(prompt.evaluator)}",
        f"template {_name(prompt.template)}",
        "anonymous" if prompt.anonymous else "",
        "" if prompt.seed is None else f"seed {prompt.seed}",
        f"trial {prompt.trial}",
        f"digest {prompt.digest[:_DIGEST]}",
        plural(len(prompt.text), "character"),
    ]
    rows = [_candidate_row(candidate.key, candidate) for candidate in prompt.candidates]
    if prompt.own is not None:
        rows.append(_candidate_row("(its own)", prompt.own))
    sentences = []
    if prompt.earlier:
        rounds = ", ".join(map(str, sorted({earlier.round for earlier in prompt.earlier})))
        sentences.append(f"Its tools also reach the rounds before: {rounds}.")
    return Report(
        " · ".join(fact for fact in facts if fact),
        ["key", "agent_id", "version", *(attribute.name for attribute in ATTRIBUTES)],
        rows,
        sentences,
        texts=2,
        meanings=["", "", "", *(attribute.meaning for attribute in ATTRIBUTES)],
    )


def _candidate_row(key: str, candidate: PromptCandidate) -> list[str]:
    figures = candidate.measurement.shape.as_dict().values()
    return [
        _name(key),
        _name(candidate.agent_id),
        str(candidate.version),
        *(f"{figure:,}" for figure in figures),
    ]


def evaluated_report(evaluated: Evaluated) -> Report:
    """Tell what was taken of a reply, a candidate a row, and how it was read."""
    facts = [
        f"{_name(evaluated.evaluator_agent_id)} evaluated "
        f"{plural(len(evaluated.evaluations), 'proposal')} of round {evaluated.round}",
        f"arm {_name(evaluated.arm)}" if evaluated.arm else "",
        f"trial {evaluated.trial}" if evaluated.trial != 1 else "",
        f"prompt {evaluated.digest[:_DIGEST]}" if evaluated.digest else "",
    ]
    sentences = []
    if evaluated.not_evaluated:
        left = ", ".join(map(_name, evaluated.not_evaluated))
        sentences.append(f"not evaluated: {left}")
    for title, told in (
        ("left out", evaluated.left_out),
        ("not taken", evaluated.problems),
        ("repaired", evaluated.repairs),
    ):
        sentences += _told(title, told)
    return Report(
        " · ".join(fact for fact in facts if fact),
        [
            "agent_id",
            "version",
            "score",
            "weight",
            "stance",
            *(category.name for category in CATEGORIES),
        ],
        [_evaluation_row(entry) for entry in evaluated.evaluations],
        sentences,
        meanings=[
            "",
            "",
            "the weight's share of all weights of the reply",
            "endorsement_weight, -100 to 100",
            "",
            *(category.meaning for category in CATEGORIES),
        ],
    )


def _evaluation_row(entry: CandidateEvaluation) -> list[str]:
    given = entry.evaluation
    categories = given.category_scores or {}
    figures = [given.endorsement_weight, *(categories.get(each.name) for each in CATEGORIES)]
    weight, *scores = (_MISSING if figure is None else f"{figure:+g}" for figure in figures)
    return [
        _name(entry.agent_id),
        f"{entry.version:,}",
        _MISSING if given.score is None else f"{given.score:+.2f}",
        weight,
        given.stance or _MISSING,
        *scores,
    ]


def _told(title: str, messages: Sequence[str]) -> list[str]:
    told = [f"{title}: {message}" for message in messages[:_TOLD]]
    if len(messages) > _TOLD:
        told.append(f"{title}: {len(messages) - _TOLD:,} more like these")
    return told


def _name(agent_id: str) -> str:
    return one_line(agent_id, length=_NAME)
