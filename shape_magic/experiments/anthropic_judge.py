"""A judge over the official client of Anthropic, or of any server that speaks its Messages API."""

import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from shape_magic.deliberation.prompts import EvaluationPrompt
from shape_magic.experiments.conversation import (
    TOOL_TURNS,
    Conversation,
    Judge,
    Request,
    judge_over,
)
from shape_magic.experiments.reply import Reply, ToolCall, Usage

if TYPE_CHECKING:
    from anthropic import Anthropic, AsyncAnthropic
    from anthropic.types import Message
    from anthropic.types import Usage as MessageUsage

__all__ = ["anthropic_judge"]


def anthropic_judge(
    client: "Anthropic | AsyncAnthropic",
    *,
    model: str,
    max_tokens: int = 8_192,
    schema: bool = True,
    tools: bool = True,
    tool_turns: int = TOOL_TURNS,
    **options: Any,
) -> Judge:
    """Make a judge that asks a model over the Messages API, with the prompt's tools.

    ```python
    run_evaluations(deliberation, {"Judge": anthropic_judge(Anthropic(), model=name)}, rounds=[1])
    ```

    `client` is an `Anthropic` or an `AsyncAnthropic` of the package `anthropic`, with its address,
    key, timeout (in seconds) and `max_retries`: the client itself asks again where the server
    answers 429 or 5xx or cannot be reached; a message that breaks off half-way is asked for again
    as often. `model` is the server's name of a model, and `max_tokens` is how long a message may
    be. `schema` asks for structured outputs, `tools` offers the prompt's tools for at most
    `tool_turns` turns; turn off what a model does not know. Any other option goes into each
    request: `thinking={"type": "adaptive"}`, `cache_control={"type": "ephemeral"}`.

    What the client raises, the judge raises; JudgeError is a message that was cut short each time.
    """

    def converse(prompt: EvaluationPrompt) -> Conversation["Message"]:
        messages: list[Any] = [{"role": "user", "content": prompt.text}]
        request: Request = {"model": model, "max_tokens": max_tokens, "messages": messages}
        if schema:
            wanted = prompt.reply_schema("input_schema")
            request["output_config"] = {"format": {"type": "json_schema", "schema": wanted}}
        if tools:
            request["tools"] = prompt.tools("input_schema")
        usage = Usage(requests=0)
        calls: list[ToolCall] = []
        turn = 0
        while True:
            message = yield {**request, **options}
            usage += _usage(message.usage)
            asked = [block for block in message.content if block.type == "tool_use"]
            if not asked:
                texts = (block.text for block in message.content if block.type == "text")
                return Reply(
                    content="".join(texts),
                    usage=usage,
                    tool_calls=tuple(calls),
                    model=message.model,
                )
            answers = []
            for block in asked:
                arguments = json.dumps(block.input, ensure_ascii=False)
                answer = prompt.call_tool(block.name, arguments)
                calls.append(ToolCall(block.name, arguments, answer))
                answers.append({"type": "tool_result", "tool_use_id": block.id, "content": answer})
            messages.append({"role": "assistant", "content": message.content})
            messages.append({"role": "user", "content": answers})
            turn += 1
            if turn >= tool_turns:
                request["tool_choice"] = {"type": "none"}

    return judge_over(client, _Messages(client), converse, name=f"anthropic_judge({model})")


def _usage(usage: "MessageUsage") -> Usage:
    cached = usage.cache_read_input_tokens or 0
    # Its input tokens leave out those that were read from a cache or written to one.
    written = usage.cache_creation_input_tokens or 0
    return Usage(
        input_tokens=usage.input_tokens + cached + written,
        output_tokens=usage.output_tokens,
        cached_tokens=cached,
    )


class _Messages:
    def __init__(self, client: Any) -> None:
        self._client = client

    def ask(self, request: Request) -> Callable[[], "Message | None"]:
        manager = self._client.messages.stream(**request)
        stream = manager.__enter__()

        def read() -> "Message | None":
            with stream:
                return _whole(stream.get_final_message())

        return read

    async def ask_awaited(self, request: Request) -> Callable[[], "Awaitable[Message | None]"]:
        manager = self._client.messages.stream(**request)
        stream = await manager.__aenter__()

        async def read() -> "Message | None":
            async with stream:
                return _whole(await stream.get_final_message())

        return read


def _whole(message: "Message") -> "Message | None":
    # A stream that ends early may end like one that is whole.
    return message if message.stop_reason is not None else None
