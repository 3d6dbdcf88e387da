"""Calls under way: in threads that nobody has to wait for."""

import asyncio
import threading
from functools import partial

import pytest

from shape_magic.experiments.calls import Calls, Outcome, background_loop


def test_calls__come_back_as_they_end() -> None:
    gate = threading.Event()
    calls: Calls[str] = Calls()
    calls.start("slow", gate.wait)
    calls.start("quick", lambda: 7)
    key, outcome = calls.wait()
    assert (key, outcome.value, len(calls), "slow" in calls) == ("quick", 7, 1, True)
    gate.set()
    key, outcome = calls.wait()
    assert (key, outcome.value) == ("slow", True)
    with pytest.raises(LookupError, match="no call is under way"):
        calls.wait()


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(3), KeyboardInterrupt()])
def test_call__that_raises__is_an_outcome(error: BaseException) -> None:
    def fail() -> None:
        raise error

    calls: Calls[int] = Calls()
    calls.start(1, fail)
    _, outcome = calls.wait()
    assert outcome.value is None
    if isinstance(error, Exception):
        assert outcome.error is error
    else:
        assert str(outcome.error) == f"it stopped with {type(error).__name__}: {error}"


def test_call__that_gives_something_to_await__is_awaited_in_one_loop() -> None:
    async def give(value: int) -> tuple[int, asyncio.AbstractEventLoop]:
        await asyncio.sleep(0)
        return value, asyncio.get_running_loop()

    calls: Calls[int] = Calls()
    for number in range(5):
        calls.start(number, partial(give, number))
    outcomes = dict(calls.wait() for _ in range(5))
    assert {key: outcome.value for key, outcome in outcomes.items()} == {
        number: (number, background_loop()) for number in range(5)
    }


def test_call__where_no_thread_starts__is_made_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("sys.platform", "emscripten")
    monkeypatch.setattr(threading.Thread, "start", refuse)
    kept: list[Outcome] = []
    calls: Calls[str] = Calls()
    calls.start("here", lambda: 7, keep=kept.append)
    assert [outcome.value for outcome in kept] == [7]
    key, outcome = calls.wait()
    assert (key, outcome.value, len(calls)) == ("here", 7, 0)


def test_call__under_a_running_loop__works() -> None:
    async def cell() -> object:
        calls: Calls[int] = Calls()
        calls.start(1, lambda: asyncio.sleep(0, "done"))
        return calls.wait()[1].value

    assert asyncio.run(cell()) == "done"


def test_call__that_nobody_waits_for__is_kept_all_the_same() -> None:
    gate, kept = threading.Event(), threading.Event()
    outcomes: list[Outcome] = []

    def keep(outcome: Outcome) -> None:
        outcomes.append(outcome)
        kept.set()

    calls: Calls[int] = Calls()
    calls.start(1, lambda: gate.wait() and "late", keep=keep)
    assert calls.arrived() == []
    gate.set()
    assert kept.wait(timeout=60)
    assert [outcome.value for outcome in outcomes] == ["late"]


def test_call__that_cannot_be_kept__says_so_and_has_its_value() -> None:
    def keep(outcome: Outcome) -> None:
        raise OSError("disk full")

    calls: Calls[int] = Calls()
    calls.start(1, lambda: "paid", keep=keep)
    _, outcome = calls.wait()
    assert (outcome.value, str(outcome.unkept)) == ("paid", "disk full")
