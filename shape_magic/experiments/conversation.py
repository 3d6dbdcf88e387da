"""How a conversation with a model goes on any wire: ask, serve its tools, ask again.

A conversation is a generator: it yields requests, is sent the message that answers each, and
returns the reply. So each wire's protocol is written down once, and is driven here by a client that
blocks or by one that is awaited.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Generator
from typing import Any, Final, Protocol, TypeVar

from shape_magic.deliberation.prompts import EvaluationPrompt
from shape_magic.errors import JudgeError
from shape_magic.experiments.reply import Reply

__all__ = ["Conversation", "Judge", "Wire", "judge_over"]

TOOL_TURNS: Final = 20
"""How many turns of tools an evaluator has by default, before it has to reply."""

_FIRST_PAUSE: Final = 0.5
"""Seconds before a reply that was cut short is asked for again; twice that the next time."""


Message = TypeVar("Message")
Given = TypeVar("Given", covariant=True)
Request = dict[str, Any]
Conversation = Generator[Request, Message, Reply]
Judge = Callable[[EvaluationPrompt], Reply | Awaitable[Reply]]


class Wire(Protocol[Given]):
    """How one official client is asked, and its message read whole.

    Each gives None where the message was cut short. What is raised before the message begins has
    been tried again by the client, as often as it is set to; what is raised after that has not.
    """

    def ask(self, request: Request) -> Callable[[], Given | None]:
        """Send a request, and give what reads the message."""

    async def ask_awaited(self, request: Request) -> Callable[[], Awaitable[Given | None]]:
        """Do the same with a client that is awaited."""


def judge_over(
    client: Any,
    wire: Wire[Message],
    converse: Callable[[EvaluationPrompt], Conversation[Message]],
    *,
    name: str,
) -> Judge:
    """Make a judge of a client: plain where the client blocks, async where it is awaited."""
    retries = int(client.max_retries)

    def judge(prompt: EvaluationPrompt) -> Reply:
        conversation = converse(prompt)
        request = next(conversation)
        while True:
            message = _whole_message(wire, request, retries)
            try:
                request = conversation.send(message)
            except StopIteration as done:
                reply: Reply = done.value
                return reply

    async def awaited_judge(prompt: EvaluationPrompt) -> Reply:
        conversation = converse(prompt)
        request = next(conversation)
        while True:
            message = await _whole_message_awaited(wire, request, retries)
            try:
                # A tool reads the database, which may wait for another process.
                request = await asyncio.to_thread(_next_request, conversation, message)
            except _Done as done:
                return done.reply

    # A client that is awaited is closed as one.
    made: Judge = awaited_judge if hasattr(type(client), "__aenter__") else judge
    made.__name__ = made.__qualname__ = name
    return made


class _Done(Exception):  # noqa: N818 (no error: StopIteration cannot cross a future)
    def __init__(self, reply: Reply) -> None:
        self.reply = reply


def _next_request(conversation: Conversation[Message], message: Message) -> Request:
    try:
        return conversation.send(message)
    except StopIteration as done:
        raise _Done(done.value) from None


def _whole_message(wire: Wire[Message], request: Request, retries: int) -> Message:
    failure: Exception | None = None
    for turn in range(retries + 1):
        if turn:
            time.sleep(_pause(turn))
        read = wire.ask(request)
        try:
            message = read()
        except Exception as error:
            failure = error
        else:
            if message is not None:
                return message
            failure = None
    raise _cut_short(retries, failure) from failure


async def _whole_message_awaited(wire: Wire[Message], request: Request, retries: int) -> Message:
    failure: Exception | None = None
    for turn in range(retries + 1):
        if turn:
            await asyncio.sleep(_pause(turn))
        read = await wire.ask_awaited(request)
        try:
            message = await read()
        except Exception as error:
            failure = error
        else:
            if message is not None:
                return message
            failure = None
    raise _cut_short(retries, failure) from failure


def _pause(turn: int) -> float:
    return _FIRST_PAUSE * 2.0 ** (turn - 1)


def _cut_short(retries: int, failure: Exception | None) -> JudgeError:
    times = "once" if not retries else f"{retries + 1} times"
    reason = "its end is missing" if failure is None else f"{type(failure).__name__}: {failure}"
    return JudgeError(
        f"the model's message was cut short, {times} in a row ({reason}); "
        "the client's max_retries says how often it is asked for again"
    )
