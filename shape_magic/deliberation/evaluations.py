"""A model's reply, read as evaluations: all of it, or nothing and every reason why.

What a reply says is checked here; finding the JSON in it is `reply.py`.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from shape_magic.deliberation.agents import find_agent, known_as
from shape_magic.deliberation.encoding import decoded, json_line, parse_json
from shape_magic.deliberation.records import Evaluation, EvaluationEntry, read_record, to_wire
from shape_magic.deliberation.reply import refused, reply_object
from shape_magic.deliberation.store import Row, Store
from shape_magic.errors import NotFoundError, RecordError
from shape_magic.vocabulary import CATEGORY_NAMES, STANCES, VERDICTS
from shape_magic.wording import listed, quoted

__all__ = [
    "CandidateEvaluation",
    "Evaluated",
    "check_entry",
    "check_evaluations",
    "evaluate",
]

SCORES: Final = (-1, 1)
CATEGORY_SCORES: Final = (-100, 100)


class CandidateEvaluation(msgspec.Struct, frozen=True):
    """What a reply says of one candidate."""

    agent_id: str
    version: int
    evaluation: Evaluation


class Evaluated(msgspec.Struct, frozen=True):
    """What was taken of a reply."""

    evaluator_agent_id: str
    round: int
    evaluations: tuple[CandidateEvaluation, ...]
    not_evaluated: tuple[str, ...] = ()
    """Candidates of the round that the evaluator has not evaluated, its own left out."""


def evaluate(
    store: Store,
    evaluator: str,
    reply: str | Mapping[str, Any],
    *,
    candidates: Callable[[], Sequence[tuple[Row, int]]],
    synthetic: bool,
    replace: bool,
    complete: bool,
) -> Evaluated:
    """Take a reply in; see `Deliberation.evaluate`.

    `candidates` gives their versions, each with the id of the measurement that was shown.
    """
    given = reply_object(reply) if isinstance(reply, str) else reply
    with store.database.transaction():
        measured = {row.agent_id: (row, measurement) for row, measurement in candidates()}
        by_agent = {agent_id: row for agent_id, (row, _) in measured.items()}
        evaluator = known_as(evaluator, store.agents()) or evaluator
        before = {
            agent: known
            for agent, row in by_agent.items()
            if (known := known_as(evaluator, store.evaluators(row.id))) is not None
        }
        found = check_evaluations(
            given,
            evaluator=evaluator,
            candidates=list(by_agent),
            evaluated=() if replace else before,
            complete=complete,
        )
        for agent_id, evaluation in found.items():
            row, measurement = measured[agent_id]
            if agent_id in before:
                store.remove_evaluations(row.id, evaluator=before[agent_id])
            entry = EvaluationEntry(
                evaluator_agent_id=evaluator, evaluation=evaluation, synthetic=synthetic
            )
            store.add_evaluations(row.id, [entry], measurement=measurement)
    return Evaluated(
        evaluator_agent_id=evaluator,
        round=next(iter(by_agent.values())).round,
        evaluations=tuple(
            CandidateEvaluation(agent_id, by_agent[agent_id].version, evaluation)
            for agent_id, evaluation in found.items()
        ),
        not_evaluated=tuple(
            agent_id for agent_id in by_agent if agent_id not in {evaluator, *before, *found}
        ),
    )


def check_entry(entry: EvaluationEntry) -> None:
    """Check that an evaluation can be kept: RecordError where it would not come back as JSON."""
    try:
        # As deep as it stands in a transcript.
        (wire,) = parse_json(decoded(json_line([[to_wire(entry)]])))[0]
    except (TypeError, ValueError, RecursionError) as error:
        reason = "it nests too deeply" if isinstance(error, RecursionError) else str(error)
        raise RecordError(f"the evaluation cannot be kept as JSON: {reason}") from None
    read_record(EvaluationEntry, wire)


def check_evaluations(
    reply: Mapping[str, Any],
    *,
    evaluator: str,
    candidates: Sequence[str],
    evaluated: Collection[str] = (),
    complete: bool = False,
) -> dict[str, Evaluation]:
    """Give a reply's evaluations by candidate; ReplyError names whatever is wrong with any.

    `evaluated` are candidates that the evaluator has evaluated before. With `complete`, a
    candidate without an evaluation is a problem, too.
    """
    items = reply.get("evaluations")
    if not isinstance(items, list):
        raise refused([f"evaluations is a list, not {quoted(items)}"])
    problems: list[str] = []
    found: dict[str, Evaluation] = {}
    for number, item in enumerate(items, start=1):
        if not isinstance(item, Mapping):
            problems.append(f"evaluation {number} is an object, not {quoted(item)}")
            continue
        agent_id, problem = _candidate(item, candidates)
        name = f"evaluation {number}" if agent_id is None else quoted(agent_id)
        its_problems = [problem] if problem else []
        if agent_id is not None:
            if agent_id == evaluator:
                its_problems.append("agent_id is the evaluator's own, and nobody evaluates itself")
            if agent_id in found:
                its_problems.append("it is evaluated twice in the reply")
            if agent_id in evaluated:
                its_problems.append(
                    f"{quoted(evaluator)} has evaluated this version before, "
                    "and replacing that was not asked for"
                )
        its_problems += _problems(item)
        fields = {field: value for field, value in item.items() if field != "agent_id"}
        if not its_problems:
            try:
                evaluation = read_record(Evaluation, fields)
                check_entry(EvaluationEntry(evaluator_agent_id=evaluator, evaluation=evaluation))
            except RecordError as error:
                its_problems.append(str(error))
            else:
                assert agent_id is not None, "a candidate without an id has a problem"
                found[agent_id] = evaluation
        problems += [f"{name}: {problem}" for problem in its_problems]
    if not items:
        problems.append("evaluations is empty")
    if complete:
        given = {agent_id for item in items if (agent_id := _named(item, candidates)) is not None}
        problems += [
            f"{quoted(agent_id)}: it is not evaluated"
            for agent_id in candidates
            if agent_id != evaluator and agent_id not in given and agent_id not in evaluated
        ]
    if problems:
        raise refused(problems)
    return found


def _named(item: object, candidates: Sequence[str]) -> str | None:
    return _candidate(item, candidates)[0] if isinstance(item, Mapping) else None


def _candidate(item: Mapping[str, Any], candidates: Sequence[str]) -> tuple[str | None, str | None]:
    """Give the candidate that an evaluation names, or what is wrong with the name."""
    if "agent_id" not in item:
        return None, f"agent_id is missing; the candidates are {listed(candidates)}"
    asked = item["agent_id"]
    if not isinstance(asked, str):
        return None, f"agent_id is {quoted(asked)}, which is no text"
    try:
        return find_agent(asked, candidates), None
    except NotFoundError as error:
        return None, str(error)


def _problems(item: Mapping[str, Any]) -> Iterator[str]:
    yield from _number_problems("score", item, SCORES)
    if not isinstance(item.get("justification"), str):
        yield _missing_or("justification", item, "a text")
    yield from _word_problems("stance", item, STANCES)
    claims = item.get("claim_assessments")
    if isinstance(claims, list):
        for number, claim in enumerate(claims):
            field = f"claim_assessments[{number}]"
            if not isinstance(claim, Mapping):
                yield f"{field} is {quoted(claim)}, which is no object"
                continue
            if not isinstance(claim.get("claim"), str):
                yield _missing_or("claim", claim, "a text", within=field)
            yield from _word_problems("verdict", claim, VERDICTS, within=field)
    else:
        yield _missing_or("claim_assessments", item, "a list, which may be empty")
    scores = item.get("category_scores")
    if isinstance(scores, Mapping):
        for category in CATEGORY_NAMES:
            yield from _number_problems(category, scores, CATEGORY_SCORES, within="category_scores")
    else:
        yield _missing_or("category_scores", item, f"an object of {', '.join(CATEGORY_NAMES)}")


def _number_problems(
    name: str, item: Mapping[str, Any], bounds: tuple[int, int], *, within: str = ""
) -> Iterator[str]:
    value = item.get(name)
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or not bounds[0] <= value <= bounds[1]
    ):
        yield _missing_or(name, item, f"a number from {bounds[0]} to {bounds[1]}", within=within)


def _word_problems(
    name: str, item: Mapping[str, Any], known: Sequence[str], *, within: str = ""
) -> Iterator[str]:
    if item.get(name) not in known:
        yield _missing_or(name, item, f"one of {', '.join(known)}", within=within)


def _missing_or(name: str, item: Mapping[str, Any], wanted: str, *, within: str = "") -> str:
    field = f"{within}.{name}" if within else name
    if name not in item:
        return f"{field} is missing; it is {wanted}"
    return f"{field} is {quoted(item[name])}, and not {wanted}"
