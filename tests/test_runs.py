"""Runs of judges over rounds and templates: what is asked, kept, taken and asked again."""

import asyncio
import json
import os
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from shape_magic.deliberation import Deliberation
from shape_magic.deliberation.prompts import EvaluationPrompt
from shape_magic.errors import ArgumentError, NotFoundError, StoreError, UnkeptRepliesError
from shape_magic.experiments import (
    EvaluationRun,
    Reply,
    Usage,
    run_evaluations,
)
from shape_magic.experiments.calls import background_loop
from shape_magic.prompting.template import EvaluationTemplate
from tests.experiments import AGENTS, TASK, fill_rounds, judge

DEFAULT = EvaluationTemplate.default()
CONTROL = DEFAULT.without_shape()


@pytest.fixture
def rounds(deliberation: Deliberation) -> Deliberation:
    """Give a deliberation of three rounds, in memory and in a file."""
    fill_rounds(deliberation, 3)
    return deliberation


def run(deliberation: Deliberation, judges: Any, **options: Any) -> EvaluationRun:
    return run_evaluations(deliberation, judges, progress=False, **options)


class Asked:
    """A judge that remembers what it was shown, and replies from a list, then honestly."""

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.prompts: list[EvaluationPrompt] = []
        self.honest = judge()

    def __call__(self, prompt: EvaluationPrompt) -> Any:
        self.prompts.append(prompt)
        reply = self.replies.pop(0) if self.replies else self.honest(prompt)
        if isinstance(reply, Exception):
            raise reply
        return reply


def test_run__asks_every_judge_about_every_round_under_every_template(
    rounds: Deliberation,
) -> None:
    done = run(rounds, {"Eve": judge(), "Lee": judge("length")}, trials=2)
    assert {(arm.judge, arm.arm): (arm.prompts, arm.taken, arm.calls) for arm in done.arms} == {
        (name, template.name): (6, 6, 6)
        for name in ("Eve", "Lee")
        for template in (DEFAULT, CONTROL)
    }
    assert (done.left, done.failures, done.interrupted) == (0, (), False)
    frame = rounds.evaluations_frame()
    assert len(frame) == 2 * 3 * 2 * 2 * 3
    assert set(frame["arm"]) == {DEFAULT.name, CONTROL.name}
    assert set(frame["trial"]) == {1, 2}
    assert set(frame["agent_id"]) == set(AGENTS)


def test_run__arms_are_paired__by_order_and_by_what_was_shown(rounds: Deliberation) -> None:
    run(rounds, {"Eve": judge()}, trials=2)
    frame = rounds.evaluations_frame()
    places = frame.pivot(index=["round", "trial", "agent_id"], columns="arm", values="place")
    assert (places[DEFAULT.name] == places[CONTROL.name]).all()


def test_run__an_agent_that_judges__does_not_judge_itself(rounds: Deliberation) -> None:
    run(rounds, {"Ann": judge()})
    assert set(rounds.evaluations_frame()["agent_id"]) == {"Bob", "Cleo"}


def test_run__a_round_of_the_judges_own_alone__is_left_out(rounds: Deliberation) -> None:
    rounds.propose("Dora", "alone", round=4)
    rounds.set_task(4, TASK)
    done = run(rounds, {"dora": judge(), "Eve": judge()})
    assert {(arm.judge, arm.prompts, arm.taken) for arm in done.arms} == {
        ("dora", 3, 3),
        ("Eve", 4, 4),
    }


def test_run__from_any_row__the_prompt_is_one_call_away(rounds: Deliberation) -> None:
    asked = Asked()
    run(rounds, {"Eve": asked})
    shown = {prompt.digest: prompt.text for prompt in asked.prompts}
    assert len(shown) == 6
    for digest in rounds.evaluations_frame()["prompt"]:
        assert rounds.prompt(digest).text == shown[digest]


def test_run__again__asks_nobody(rounds: Deliberation) -> None:
    run(rounds, {"Eve": judge()})
    asked = Asked()
    again = run(rounds, {"Eve": asked})
    assert asked.prompts == []
    assert [(arm.taken, arm.calls, arm.left) for arm in again.arms] == [(3, 0, 0)] * 2


def test_run__more_judges_rounds_and_trials__asks_for_what_is_new(rounds: Deliberation) -> None:
    run(rounds, {"Eve": judge()}, rounds=1)
    asked = Asked()
    done = run(rounds, {"Eve": asked, "Lee": asked}, rounds=[1, 2], trials=2)
    assert done.calls == len(asked.prompts) == 2 * 2 * 2 * 2 - 2


def test_dry_run__asks_nobody__keeps_nothing__and_counts(rounds: Deliberation) -> None:
    asked = Asked()
    dry = run(rounds, {"Eve": asked}, dry_run=True)
    assert (asked.prompts, rounds._store.prompts(), rounds._store.replies()) == ([], [], [])
    real = run(rounds, {"Eve": asked})
    assert (dry.calls, dry.characters) == (real.calls, real.characters)
    assert (real.calls, real.characters) == (6, sum(len(prompt.text) for prompt in asked.prompts))
    assert run(rounds, {"Eve": asked}, dry_run=True).calls == 0
    assert "nothing was asked" in str(dry)


@pytest.mark.parametrize("limit", [0, 1, 4, 99])
def test_limit__is_how_many_calls_are_made(rounds: Deliberation, limit: int) -> None:
    asked = Asked()
    done = run(rounds, {"Eve": asked}, limit=limit)
    assert len(asked.prompts) == done.calls == min(limit, 6)
    assert done.left == 6 - done.calls
    assert ("goes on" in str(done)) == (done.left > 0)


def test_reply__that_cannot_be_taken__is_asked_for_again_with_its_problems(
    rounds: Deliberation,
) -> None:
    asked = Asked('{"evaluations": [</your_reply>')
    done = run(rounds, {"Eve": asked}, rounds=1, templates=[DEFAULT])
    first, second = asked.prompts
    assert second.digest == first.digest
    assert second.text.startswith(first.text)
    assert "&lt;/your_reply>\n</your_reply>" in second.text
    kept = rounds._store.replies()
    assert [(reply.attempt, reply.outcome) for reply in kept] == [(1, "refused"), (2, "taken")]
    for problem in kept[0].problems:
        assert problem in second.text
    assert [(arm.taken, arm.failed, arm.calls) for arm in done.arms] == [(1, 0, 2)]


def test_reply__that_cannot_be_taken_three_times__has_failed(rounds: Deliberation) -> None:
    asked = Asked("no", "nor this", "neither")
    done = run(rounds, {"Eve": asked}, rounds=1, templates=[DEFAULT])
    (failure,) = done.failures
    assert (failure.judge, failure.arm, failure.round, failure.trial) == ("Eve", "default", 1, 1)
    assert failure.problems
    assert (len(asked.prompts), done.arms[0].failed, done.left) == (3, 1, 0)
    assert rounds.evaluations_frame().empty
    again = run(rounds, {"Eve": asked}, rounds=1, templates=[DEFAULT])
    assert (len(asked.prompts), again.arms[0].failed, again.failures) == (3, 1, done.failures)


def test_judge__that_raises__is_asked_again_by_the_next_run(rounds: Deliberation) -> None:
    asked = Asked(OSError("no\nnetwork"), 17, {"evaluations": {1, 2}})
    done = run(rounds, {"Eve": asked}, templates=[DEFAULT], concurrency=1)
    assert [failure.problems[0] for failure in done.failures] == [
        "OSError: no\nnetwork",
        "JudgeError: a judge gives a text, a mapping or a Reply, not 17",
        "JudgeError: the judge's mapping is no JSON: Object of type set is not JSON serializable",
    ]
    assert "OSError: no␊network" in str(done)
    again = run(rounds, {"Eve": asked}, templates=[DEFAULT])
    assert (again.arms[0].taken, again.calls) == (3, 3)


def test_judge__that_raises_five_times_in_a_row__is_asked_no_more_in_this_run(
    deliberation: Deliberation,
) -> None:
    fill_rounds(deliberation, 10)
    asked = Asked(*[OSError("no key")] * 5)
    done = run(deliberation, {"Eve": asked, "Lee": judge()}, concurrency=1)
    assert len(asked.prompts) == 5
    assert [(arm.judge, arm.failed, arm.left) for arm in done.arms] == [
        ("Eve", 3, 7),
        ("Eve", 2, 8),
        ("Lee", 0, 0),
        ("Lee", 0, 0),
    ]
    assert "'Eve' raised 5 times in a row" in str(done)


@pytest.mark.parametrize("form", ["text", "mapping", "reply"])
def test_reply__of_every_form__is_taken(rounds: Deliberation, form: str) -> None:
    def replies(prompt: EvaluationPrompt) -> Any:
        text = judge()(prompt)
        usage = Usage(input_tokens=10, output_tokens=2)
        forms = {"text": text, "mapping": json.loads(text)}
        return forms.get(form, Reply(content=text, usage=usage, model="m"))

    done = run(rounds, {"Eve": replies}, rounds=2, templates=[CONTROL])
    assert done.arms[0].taken == 1
    assert done.arms[0].input_tokens == (10 if form == "reply" else 0)
    (kept,) = rounds._store.replies()
    assert json.loads(kept.reply or "") == json.loads(judge()(rounds.prompt(kept.prompt)))


def test_judge__async__works_in_a_script_and_under_a_running_loop(rounds: Deliberation) -> None:
    loops = set()

    async def awaited(prompt: EvaluationPrompt) -> str:
        await asyncio.sleep(0.001)
        loops.add(asyncio.get_running_loop())
        return judge()(prompt)

    async def cell() -> EvaluationRun:
        return run(rounds, {"Eve": awaited}, rounds=2)

    assert run(rounds, {"Eve": awaited}, rounds=1).arms[0].taken == 1
    assert asyncio.run(cell()).arms[0].taken == 1
    assert loops == {background_loop()}


def test_concurrency__is_how_many_calls_are_under_way_at_once(rounds: Deliberation) -> None:
    lock, gate = threading.Lock(), threading.Barrier(3, timeout=60)
    under_way, most = 0, 0

    def replies(prompt: EvaluationPrompt) -> str:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        gate.wait()
        with lock:
            under_way -= 1
        return judge()(prompt)

    done = run(rounds, {"Eve": replies}, concurrency=3)
    assert (most, done.calls) == (3, 6)


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    opened = threading.Event()
    yield opened
    opened.set()


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
def test_interrupt__stops_at_once__and_what_comes_late_is_taken_by_the_next_run(
    rounds: Deliberation, gate: threading.Event
) -> None:
    asked = Asked()

    def replies(prompt: EvaluationPrompt) -> str:
        given: str = asked(prompt)
        if len(asked.prompts) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        if len(asked.prompts) >= 2:
            gate.wait()
        return given

    first = run(rounds, {"Eve": replies}, concurrency=2)
    assert first.interrupted
    assert first.left
    assert "Interrupted" in str(first)
    gate.set()
    second = run(rounds, {"Eve": replies}, concurrency=2)
    assert [(arm.taken, arm.left) for arm in second.arms] == [(3, 0)] * 2
    assert Counter(prompt.digest for prompt in asked.prompts).most_common(1)[0][1] == 1
    assert len(asked.prompts) == 6


def test_run__while_another_is_under_way__is_refused(
    rounds: Deliberation, gate: threading.Event
) -> None:
    started = threading.Event()

    def replies(prompt: EvaluationPrompt) -> str:
        started.set()
        gate.wait()
        return judge()(prompt)

    thread = threading.Thread(target=run, args=(rounds, {"Eve": replies}))
    thread.start()
    assert started.wait(60)
    with pytest.raises(ArgumentError, match="another run_evaluations is under way"):
        run(rounds, {"Lee": judge()})
    gate.set()
    thread.join()


def test_disk__without_room__stops_the_run_before_a_call(
    deliberation: Deliberation, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_rounds(deliberation, 1)
    asked = Asked()
    monkeypatch.setattr("shape_magic.experiments.asking.ROOM", 10**18)
    if deliberation.path is None:
        assert run(deliberation, {"Eve": asked}).left == 0
        return
    with pytest.raises(StoreError, match=r"the disk has .* MB left"):
        run(deliberation, {"Eve": asked})
    assert asked.prompts == []


def test_replies__that_cannot_be_kept__are_the_errors(
    rounds: Deliberation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: Any, **kwargs: Any) -> None:
        raise StoreError("disk I/O error")

    monkeypatch.setattr(rounds._store, "keep_reply", full)
    asked = Asked()
    with pytest.raises(UnkeptRepliesError, match=r"could not be kept \(disk I/O error\)") as raised:
        run(rounds, {"Eve": asked}, concurrency=2)
    assert 1 <= len(asked.prompts) <= 2
    assert set(raised.value.replies) == {judge()(prompt) for prompt in asked.prompts}


@pytest.mark.parametrize(
    ("judges", "options", "message"),
    [
        ({}, {}, "judges map the evaluators' ids to callables"),
        ([judge()], {}, "judges map the evaluators' ids to callables"),
        ({"Eve": "reply"}, {}, "the judge 'Eve' is no callable"),
        ({"": judge()}, {}, "a judge's name is empty"),
        ({"Eve": judge()}, {"trials": 0}, "trials is 0, and the least is 1"),
        ({"Eve": judge()}, {"concurrency": 0}, "concurrency is 0, and the least is 1"),
        ({"Eve": judge()}, {"limit": -1}, "limit is -1, and the least is 0"),
        ({"Eve": judge()}, {"templates": []}, "templates are empty"),
        ({"Eve": judge()}, {"rounds": "1"}, "rounds are a number or a list"),
        ({"Eve": judge()}, {"templates": "default"}, "templates are a list"),
        ({"Eve": judge()}, {"templates": [DEFAULT, DEFAULT]}, "2 templates are called 'default'"),
        ({"Eve": judge()}, {"rounds": [1, "2"]}, "round is an integer from 0 up, not '2'"),
    ],
)
def test_run__that_makes_no_sense__is_refused(
    rounds: Deliberation, judges: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ArgumentError, match=message):
        run(rounds, judges, **options)
    assert rounds._store.replies() == []


def test_run__of_a_round_that_is_not_there__is_refused(rounds: Deliberation) -> None:
    with pytest.raises(NotFoundError, match="round 9"):
        run(rounds, {"Eve": judge()}, rounds=[9])


def test_run__of_a_round_without_a_task__is_refused_before_anything_is_asked(
    rounds: Deliberation,
) -> None:
    rounds.propose("Ann", "text", round=5)
    asked = Asked()
    with pytest.raises(ArgumentError, match=r"the rounds 5 have no task: .* set_task\(5, …\)"):
        run(rounds, {"Eve": asked})
    assert asked.prompts == []
    assert run(rounds, {"Eve": asked}, task="Another.", rounds=1).left == 0


@pytest.mark.parametrize("dry_run", [False, True])
def test_run__of_another_wording_under_a_used_name__is_refused_before_anything_is_asked(
    rounds: Deliberation, dry_run: bool
) -> None:
    run(rounds, {"Eve": judge()})
    asked = Asked()
    other = DEFAULT.replace(conciseness="Short is good.", name="default")
    with pytest.raises(ArgumentError, match="'default' stands for another wording here"):
        run(rounds, {"Lee": asked}, templates=[CONTROL, other], dry_run=dry_run)
    assert asked.prompts == []


def test_run__with_history__shows_who_proposed_what_before(rounds: Deliberation) -> None:
    asked = Asked()
    with pytest.raises(ArgumentError, match="give anonymous=False beside it"):
        run(rounds, {"Eve": asked}, history=True)
    run(rounds, {"Eve": asked}, templates=[DEFAULT], anonymous=False, history=True)
    reached = {prompt.round: {told.round for told in prompt.earlier} for prompt in asked.prompts}
    assert reached == {1: set(), 2: {1}, 3: {1, 2}}
    again = run(rounds, {"Eve": asked}, templates=[DEFAULT], anonymous=False, history=True)
    assert (again.calls, len(asked.prompts)) == (0, 3)


def test_run__of_a_round_that_was_removed_and_proposed_again__reads_its_replies_again(
    rounds: Deliberation,
) -> None:
    asked = Asked()
    run(rounds, {"Eve": asked})
    before = rounds.evaluations_frame().drop(columns="round")
    proposals = rounds.proposals(round=2)
    rounds.remove("Ann", round=1)
    rounds.remove(round=2)
    rounds.propose("Ann", "another text", round=1)
    rounds.propose_many([(kept.agent_id, kept.content) for kept in proposals], round=2)
    again = run(rounds, {"Eve": asked})
    assert [(arm.calls, arm.taken) for arm in again.arms] == [(1, 3), (1, 3)]
    assert len(rounds.evaluations_frame()) == len(before)
    assert len(asked.prompts) == 6 + 2
    assert run(rounds, {"Eve": asked}).calls == 0


def test_run__shows_a_judge_a_few_of_many_problems(rounds: Deliberation) -> None:
    many = json.dumps({"evaluations": [{"agent_id": "Candidate_A"}, *[{}] * 500]})
    asked = Asked(many)
    run(rounds, {"Eve": asked}, rounds=1, templates=[DEFAULT])
    said = asked.prompts[1].text.removeprefix(asked.prompts[0].text)
    assert said.count("\n- ") == 31
    assert "more\nReply again" in said
