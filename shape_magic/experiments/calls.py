"""Calls under way: each in a thread of its own, which an interrupt leaves behind.

Whoever waits for a call may stop waiting, as at an interrupt; the call goes on, and what it gives
is kept all the same, by the thread that made it. The threads are daemons: a script can end.
"""

import asyncio
import inspect
import os
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import FIRST_COMPLETED, Future
from concurrent.futures import wait as wait_for
from functools import cache
from typing import Final, Generic, TypeVar

import msgspec

__all__ = ["Calls", "Outcome", "background_loop"]

_POLL: Final = 0.2
"""Seconds after which a wait looks up: where a system cannot interrupt one, that is its longest."""

# Python's cache calls a function twice where two threads ask at once.
_MAKING_A_LOOP: Final = threading.Lock()

Key = TypeVar("Key")


class Outcome(msgspec.Struct, frozen=True):
    """How a call ended."""

    value: object = None
    error: Exception | None = None
    """What it raised, in which case it has no value."""
    seconds: float = 0.0
    unkept: Exception | None = None
    """What keeping it raised: then this is all there is of it."""


class Calls(Generic[Key]):
    """The calls that are under way, by a key of the caller's.

    >>> calls = Calls()
    >>> calls.start("sum", lambda: 1 + 1)
    >>> key, outcome = calls.wait()
    >>> key, outcome.value
    ('sum', 2)
    """

    def __init__(self) -> None:
        self._futures: dict[Key, Future[Outcome]] = {}

    def __len__(self) -> int:
        return len(self._futures)

    def __contains__(self, key: Key) -> bool:
        return key in self._futures

    def start(
        self,
        key: Key,
        function: Callable[[], object],
        *,
        keep: Callable[[Outcome], None] | None = None,
    ) -> None:
        """Call a function in a thread of its own; where it gives something to await, await that.

        In a browser, which has no threads, a plain function is called here, and an async one fails.
        `keep` is called with the outcome in that thread, also where nobody waits any more.
        """
        future: Future[Outcome] = Future()

        def run() -> None:
            outcome = _outcome(function)
            if keep is not None:
                try:
                    keep(outcome)
                except Exception as error:
                    outcome = msgspec.structs.replace(outcome, unkept=error)
            future.set_result(outcome)

        thread = threading.Thread(target=run, name="a judge's call", daemon=True)
        self._futures[key] = future
        if sys.platform == "emscripten":
            # A browser starts no thread: the call is made here, and has ended when this returns.
            run()
            return
        try:
            thread.start()
        except BaseException:
            # Interrupted, or out of threads: nobody would ever end a call that did not begin.
            if thread.ident is None:
                self._futures.pop(key, None)
            raise

    def wait(self) -> tuple[Key, Outcome]:
        """Wait for the next call that ends; LookupError where none is under way."""
        while self._futures:
            wait_for(list(self._futures.values()), timeout=_POLL, return_when=FIRST_COMPLETED)
            # A call is taken from the table at the very end, so that an interrupt loses none.
            for key, future in self._futures.items():
                if future.done():
                    outcome = future.result()
                    del self._futures[key]
                    return key, outcome
        raise LookupError("no call is under way")

    def arrived(self) -> list[tuple[Key, Outcome]]:
        """Give the calls that have ended and were not given yet, without waiting."""
        ended = [key for key, future in self._futures.items() if future.done()]
        return [(key, self._futures.pop(key).result()) for key in ended]


def _outcome(function: Callable[[], object]) -> Outcome:
    begin = time.perf_counter()
    try:
        value = function()
        if inspect.isawaitable(value):
            running = asyncio.run_coroutine_threadsafe(_awaited(value), background_loop())
            value = running.result()
    except Exception as error:
        return Outcome(error=error, seconds=time.perf_counter() - begin)
    except BaseException as error:
        # SystemExit in a thread ends the thread and nothing else: here it is a failed call.
        stopped = RuntimeError(f"it stopped with {type(error).__name__}: {error}")
        return Outcome(error=stopped, seconds=time.perf_counter() - begin)
    return Outcome(value=value, seconds=time.perf_counter() - begin)


async def _awaited(value: Awaitable[object]) -> object:
    return await value


def background_loop() -> asyncio.AbstractEventLoop:
    """Give the event loop that async judges run in: one a process, in a thread of its own.

    It is the same in every run, since a client keeps connections that belong to one loop; and it is
    not the caller's, since a notebook's own is busy while a cell runs.
    """
    with _MAKING_A_LOOP:
        return _loop_of(os.getpid())


@cache
def _loop_of(process: int) -> asyncio.AbstractEventLoop:
    # A process that was forked has none of its parent's threads, so it gets a loop of its own.
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="async judges", daemon=True).start()
    return loop
