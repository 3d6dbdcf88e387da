"""What a matrix's cells open: a candidate's text, what was said of it, replies and prompts.

A question names what it is about by itself, so that it can be answered after a restart too: a
candidate by round, agent, version and a digest of its text, a reply by its prompt's digest, its
judge and its trial.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from shape_magic.deliberation.matrix import Matrix, text_digest
from shape_magic.deliberation.records import EvaluationEntry
from shape_magic.deliberation.store import Store
from shape_magic.errors import NotFoundError, ShapeMagicError, StoreError
from shape_magic.notebook.said import facts_of
from shape_magic.notebook.view_data import (
    digest_of,
    from_wire,
    to_attribute,
    to_wire,
    view_data,
)
from shape_magic.wording import symbols, visible

__all__ = ["answer_opening", "held_by"]

_NOWHERE: Final = (
    "the session's deliberation has none of this: open the file that it is in by "
    "%deliberation PATH, and open it here again"
)


def answer_opening(
    message: object, *, stores: Callable[[str], Iterable[Store]]
) -> dict[str, Any] | None:
    """Answer a page's question what a cell opens; None where the message is no such question.

    `stores` gives, for the matrix's digest, where it may be found.
    """
    match message:
        case {"ask": "open", "number": int(number), "digest": str(digest), "about": str(about)}:
            try:
                opened = _opened(from_wire(about), stores(digest))
            except (ShapeMagicError, ValueError, OverflowError) as error:
                return {"number": number, "reason": visible(str(error))}
            return {"number": number, "opened": to_wire(opened)}
    return None


def held_by(matrix: Matrix, *, most: int) -> dict[str, Any]:
    """Give what a page can open by itself, by the questions: candidates first, as far as it fits.

    `most` is how many characters it may have.
    """
    assert matrix.store is not None
    held: dict[str, Any] = {}
    left = most
    for about in _questions(matrix):
        try:
            opened = _opened(about, [matrix.store])
        except NotFoundError:
            continue
        size = len(to_attribute(opened))
        if size <= left:
            left -= size
            held[to_wire(about)] = opened
    return held


def _questions(matrix: Matrix) -> Iterator[list[Any]]:
    for row in matrix.rows:
        yield ["candidate", row.round, row.agent_id, row.version, row.text]
    given = [evaluation for row in matrix.rows for evaluation in row.evaluations]
    asked = dict.fromkeys(
        (evaluation.prompt, evaluation.evaluator_agent_id, evaluation.trial)
        for evaluation in given
        if evaluation.prompt is not None
    )
    for prompt, evaluator, trial in asked:
        yield ["reply", prompt, evaluator, trial]
    for prompt in dict.fromkeys(prompt for prompt, _, _ in asked):
        yield ["prompt", prompt]


def _opened(about: object, stores: Iterable[Store]) -> dict[str, Any]:
    for store in stores:
        try:
            opened = _found(about, store)
        except StoreError:
            # A deliberation that was closed has nothing any more.
            continue
        if opened is not None:
            opened["symbols"] = symbols("".join(_strings(opened)))
            return opened
    raise NotFoundError(_NOWHERE)


def _found(about: object, store: Store) -> dict[str, Any] | None:
    match about:
        case ["candidate", int(number), str(agent_id), int(version), str(text)]:
            return _candidate(store, number, agent_id, version, text)
        case ["reply", str(prompt), str(evaluator), int(trial)]:
            return _replies(store, prompt, evaluator, trial)
        case ["prompt", str(prompt)]:
            kept = store.prompt(prompt)
            return None if kept is None else {"text": kept.text}
    return None


def _candidate(
    store: Store, number: int, agent_id: str, version: int, text: str
) -> dict[str, Any] | None:
    with store.database.reading():
        row = store.row(agent_id, round=number, version=version)
        if row is None or text_digest(row.content) != text:
            return None
        with store.evaluations(row_id=row.id) as evaluations:
            given = list(evaluations)
        # As it was shown, where it was; see `Matrix`.
        measurement = given[-1].measurement if given else row.measurement
        proposal = store.proposal(row, measurement=measurement)
    by_arm: dict[str, list[EvaluationEntry]] = {}
    for kept in given:
        by_arm.setdefault(kept.arm, []).append(kept.entry)
    data = view_data(proposal, evaluations=by_arm)
    return {
        "view": {"digest": digest_of(to_attribute(data)), **data},
        "said": [_said(kept.arm, kept.entry) for kept in given],
    }


def _said(arm: str, entry: EvaluationEntry) -> dict[str, Any]:
    """Name an evaluation, and what was shown for it; what it says stands in the view."""
    prompt = entry.prompt
    return {
        "evaluator": entry.evaluator_agent_id,
        "arm": arm,
        "trial": entry.trial,
        "facts": " · ".join(facts_of(arm, entry)),
        "justification": entry.evaluation.justification or "",
        "prompt": None if prompt is None else prompt.digest,
        "key": None if prompt is None else prompt.key,
    }


def _replies(store: Store, prompt: str, evaluator: str, trial: int) -> dict[str, Any] | None:
    if store.prompt(prompt) is None:
        return None
    replies = store.replies(prompt=prompt, judge=evaluator)
    return {
        "replies": [
            {
                "attempt": kept.attempt,
                "reply": kept.reply,
                "error": kept.error,
                "outcome": kept.outcome,
                "told": list(kept.problems),
            }
            for kept in sorted(replies, key=lambda kept: kept.attempt)
            if kept.trial == trial
        ]
    }


def _strings(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from _strings(item)
        case dict():
            for item in value.values():
                yield from _strings(item)
