"""`run_evaluations`: every judge, about every round, under every template."""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final
from weakref import WeakKeyDictionary

from shape_magic.deliberation import Deliberation
from shape_magic.deliberation.agents import known_as
from shape_magic.deliberation.arguments import agent_id_text, integer, round_number
from shape_magic.errors import ArgumentError, NotFoundError
from shape_magic.experiments.asking import Asking, Task
from shape_magic.experiments.calls import Calls
from shape_magic.experiments.claims import Call
from shape_magic.experiments.report import EvaluationRun
from shape_magic.prompting.template import EvaluationTemplate
from shape_magic.wording import listed, quoted

__all__ = ["run_evaluations"]


class _UnderWay:
    """The calls of a deliberation that are under way; a run that was interrupted leaves some."""

    def __init__(self) -> None:
        self.calls: Calls[Call] = Calls()
        self.running = threading.Lock()


_UNDER_WAY: Final[WeakKeyDictionary[Deliberation, _UnderWay]] = WeakKeyDictionary()


def run_evaluations(
    deliberation: Deliberation,
    judges: Mapping[str, Callable[..., Any]],
    *,
    rounds: int | Iterable[int] | None = None,
    templates: Sequence[EvaluationTemplate] | None = None,
    trials: int = 1,
    anonymous: bool = True,
    history: bool = False,
    seed: int = 0,
    task: str | None = None,
    concurrency: int = 4,
    limit: int | None = None,
    dry_run: bool = False,
    progress: bool = True,
) -> EvaluationRun:
    """Ask every judge about every round under every template, and take in what they reply.

    `judges` maps names, which are the evaluators' ids, to callables, plain or async, that take an
    `EvaluationPrompt` and give a reply: text, a mapping, or a `Reply` with its usage. Plain ones
    run in threads, so what they share must bear that.

    `rounds` are all by default, `templates` the default one and its control; each is an arm, by
    its name. `trials` is how often a judge is asked the same, `seed` what the order of the
    candidates is drawn from, alike in every arm. A prompt has the task that is kept with its
    round, or `task`.

    A judge that proposed in a round is shown its own text as a baseline and does not judge it; a
    round where nobody else proposed is left out for it.

    With `anonymous=False`, `history=True` lets the prompts' tools reach the rounds before. Neither
    is an arm's: runs that differ in them alone file under the same arms, the later over the
    earlier.

    `dry_run` says how many calls and characters it would be, and asks nobody. `limit` is how many
    calls are made at most, `concurrency` how many at once.

    Each call is noted before it is made and its reply is kept, whole, before it is read, so that
    the same call of `run_evaluations` goes on where an earlier one ended, and nothing is paid
    twice. A reply that cannot be taken is asked for again, with its problems, twice at most; then
    it has failed. A judge that raises fails that prompt in this run, and is asked again in the
    next one; after five times in a row it is asked no more in this run.

    An interrupt stops the run at once, and gives what came. The calls that are under way go on in
    their threads: what they reply is kept while the deliberation is open, and the next run
    takes it.

    ArgumentError for what makes no sense, NotFoundError for a round that is not there. StoreError
    where the disk is full, before a call whose reply could not be kept; UnkeptRepliesError has the
    replies that came when it was too late.
    """
    if anonymous and history:
        raise ArgumentError(
            "history=True shows who proposed what in earlier rounds, which anonymous=True hides; "
            "give anonymous=False beside it"
        )
    checked = _checked_judges(judges)
    wanted = _checked_templates(templates)
    run = Asking(
        deliberation,
        checked,
        anonymous=anonymous,
        history=history,
        seed=seed,
        task=task,
        concurrency=integer("concurrency", concurrency, least=1),
        limit=None if limit is None else integer("limit", limit, least=0),
    )
    tasks = list(
        _tasks(
            deliberation,
            list(checked),
            rounds=_round_numbers(deliberation, rounds, task=task),
            templates=wanted,
            trials=integer("trials", trials, least=1),
        )
    )
    _check_names(deliberation, wanted)
    if dry_run:
        return run.dry(tasks)
    under_way = _UNDER_WAY.setdefault(deliberation, _UnderWay())
    if not under_way.running.acquire(blocking=False):
        raise ArgumentError("another run_evaluations is under way on this deliberation")
    try:
        return run.real(tasks, under_way.calls, progress=progress)
    finally:
        under_way.running.release()


def _checked_judges(judges: object) -> Mapping[str, Callable[..., Any]]:
    if not isinstance(judges, Mapping) or not judges:
        raise ArgumentError(
            f"judges map the evaluators' ids to callables, as in {{'Eve': judge}}, "
            f"not {quoted(judges)}"
        )
    for name, judge in judges.items():
        agent_id_text(name, name="a judge's name")
        if not callable(judge):
            raise ArgumentError(f"the judge {quoted(name)} is no callable, but {quoted(judge)}")
    return judges


def _checked_templates(templates: object) -> list[EvaluationTemplate]:
    if templates is None:
        default = EvaluationTemplate.default()
        return [default, default.without_shape()]
    if isinstance(templates, EvaluationTemplate):
        return [templates]
    if isinstance(templates, str) or not isinstance(templates, Iterable):
        raise ArgumentError(f"templates are a list of EvaluationTemplate, not {quoted(templates)}")
    checked = list(templates)
    if not checked:
        raise ArgumentError("templates are empty; leave them out for the default and its control")
    for template in checked:
        if not isinstance(template, EvaluationTemplate):
            raise ArgumentError(f"a template is an EvaluationTemplate, not {quoted(template)}")
    (name, times), *_ = Counter(template.name for template in checked).most_common(1)
    if times > 1:
        raise ArgumentError(f"{times} templates are called {quoted(name)}; a name is one arm's")
    return checked


def _round_numbers(
    deliberation: Deliberation, rounds: int | Iterable[int] | None, *, task: str | None
) -> list[int]:
    """Give the rounds that are meant, each of which is there and has a task."""
    there = deliberation.rounds()
    if rounds is None:
        numbers = there
    elif isinstance(rounds, int):
        numbers = [round_number(rounds)]
    elif isinstance(rounds, Iterable) and not isinstance(rounds, str):
        numbers = list(dict.fromkeys(round_number(number) for number in rounds))
    else:
        raise ArgumentError(f"rounds are a number or a list of numbers, not {quoted(rounds)}")
    missing = [number for number in numbers if number not in there]
    if missing:
        raise NotFoundError(f"there is no round {listed(missing)}; there are {listed(there)}")
    if task is None:
        tasks = deliberation._store.tasks()
        without = [number for number in numbers if number not in tasks]
        if without:
            raise ArgumentError(
                f"the rounds {listed(without)} have no task: give one as task=…, or keep it by "
                f"set_task({without[0]}, …)"
            )
    return numbers


def _check_names(deliberation: Deliberation, templates: Sequence[EvaluationTemplate]) -> None:
    """Refuse a template whose name stands for another wording, before anything is paid."""
    for template in templates:
        kept = deliberation._store.template(template.name)
        if kept is not None and kept[0] != template.digest:
            raise ArgumentError(
                f"the template {quoted(template.name)} stands for another wording here; "
                "give this one a name of its own: template.replace(name=…)"
            )


def _tasks(
    deliberation: Deliberation,
    judges: Sequence[str],
    *,
    rounds: Sequence[int],
    templates: Sequence[EvaluationTemplate],
    trials: int,
) -> Iterator[Task]:
    # The arms of a round come one after the other, so that a part of a run has both.
    for number in rounds:
        agents = deliberation.agents(round=number)
        for trial in range(1, trials + 1):
            for judge in judges:
                # Nobody evaluates itself.
                if agents != [known_as(judge, agents)]:
                    for template in templates:
                        yield Task(judge, number, template, trial)
