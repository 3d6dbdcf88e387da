"""The official clients, connected to a server on the loopback, and closed when they are done."""

import asyncio
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

import pytest

from shape_magic.experiments.calls import background_loop
from tests.servers.server import ModelServer

# The extra `dev` brings no model's client: what needs one is skipped, and says so.
pytest.importorskip("anthropic")
pytest.importorskip("openai")

import anthropic
import openai

__all__ = ["ANTHROPIC", "OPENAI", "STATUS_ERRORS", "TIMEOUT_ERRORS", "awaited", "connected"]

OPENAI: Final = (openai.OpenAI, openai.AsyncOpenAI)
ANTHROPIC: Final = (anthropic.Anthropic, anthropic.AsyncAnthropic)
STATUS_ERRORS: Final = (openai.APIStatusError, anthropic.APIStatusError)
TIMEOUT_ERRORS: Final = (openai.APITimeoutError, anthropic.APITimeoutError)

Value = TypeVar("Value")


def awaited(given: Awaitable[Value]) -> Value:
    """Await something in the loop that async judges run in."""

    async def value() -> Value:
        return await given

    return asyncio.run_coroutine_threadsafe(value(), background_loop()).result(timeout=60)


@contextmanager
def connected(kind: type, server: ModelServer, **settings: Any) -> Iterator[Any]:
    """Make a client of a kind, such as `AsyncOpenAI`, while the context lasts."""
    assert kind in (*OPENAI, *ANTHROPIC)
    path = "/v1" if kind in OPENAI else ""
    client: Any = kind(
        api_key="none",
        base_url=f"{server.url}{path}",
        **{"max_retries": 2, "timeout": 20.0, **settings},
    )
    try:
        yield client
    finally:
        closed = client.close()
        if closed is not None:
            awaited(closed)
