"""A judge over the official client of OpenAI, or of any server that speaks Chat Completions."""

from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any

import msgspec

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
    from openai import AsyncOpenAI, OpenAI
    from openai.types.chat import ChatCompletionChunk

__all__ = ["openai_judge"]


def openai_judge(
    client: "OpenAI | AsyncOpenAI",
    *,
    model: str,
    schema: bool = True,
    tools: bool = True,
    tool_turns: int = TOOL_TURNS,
    **options: Any,
) -> Judge:
    """Make a judge that asks a model over the Chat Completions API, with the prompt's tools.

    ```python
    run_evaluations(deliberation, {"Judge": openai_judge(OpenAI(), model=name)}, rounds=[1])
    ```

    `client` is an `OpenAI` or an `AsyncOpenAI` of the package `openai`, with its address, key,
    timeout (in seconds) and `max_retries`: the client itself asks again where the server answers
    429 or 5xx or cannot be reached; a message that breaks off half-way is asked for again as
    often. `model` is the server's name of a model. `schema` asks for structured outputs, `tools`
    offers the prompt's tools for at most `tool_turns` turns; turn off what a server does not know.
    Any other option goes into each request: `temperature=0`, `max_completion_tokens=4_000`.

    What the client raises, the judge raises; JudgeError is a message that was cut short each time.
    """

    def converse(prompt: EvaluationPrompt) -> Conversation[_Message]:
        messages: list[Any] = [{"role": "user", "content": prompt.text}]
        request: Request = {"model": model, "messages": messages}
        request |= {"stream": True, "stream_options": {"include_usage": True}}
        if schema:
            request["response_format"] = {
                "type": "json_schema",
                "json_schema": {
                    "name": "evaluations",
                    "strict": True,
                    "schema": prompt.reply_schema("functions"),
                },
            }
        if tools:
            request["tools"] = prompt.tools("functions")
        usage = Usage(requests=0)
        calls: list[ToolCall] = []
        turn = 0
        while True:
            message = yield {**request, **options}
            usage += message.usage or Usage()
            if not message.tool_calls:
                return Reply(
                    content=message.content,
                    usage=usage,
                    tool_calls=tuple(calls),
                    model=message.model,
                )
            messages.append(message.as_sent_back())
            for call in message.tool_calls:
                answer = prompt.call_tool(call.name, call.arguments)
                calls.append(ToolCall(call.name, call.arguments, answer))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": answer})
            turn += 1
            if turn >= tool_turns:
                request["tool_choice"] = "none"

    return judge_over(client, _ChatCompletions(client), converse, name=f"openai_judge({model})")


class _Call(msgspec.Struct):
    id: str = ""
    name: str = ""
    arguments: str = ""


class _Message(msgspec.Struct):
    """A message as its chunks add up."""

    content: str = ""
    calls: dict[int, _Call] = {}
    model: str = ""
    usage: Usage | None = None
    finished: bool = False

    def add(self, chunk: "ChatCompletionChunk") -> None:
        self.model = chunk.model or self.model
        if chunk.usage is not None:
            details = chunk.usage.prompt_tokens_details
            self.usage = Usage(
                input_tokens=chunk.usage.prompt_tokens,
                output_tokens=chunk.usage.completion_tokens,
                cached_tokens=(details.cached_tokens or 0) if details else 0,
            )
        for choice in chunk.choices:
            self.content += choice.delta.content or choice.delta.refusal or ""
            for part in choice.delta.tool_calls or ():
                call = self.calls.setdefault(part.index, _Call())
                call.id = part.id or call.id
                if part.function is not None:
                    call.name += part.function.name or ""
                    call.arguments += part.function.arguments or ""
            self.finished = self.finished or choice.finish_reason is not None

    @property
    def tool_calls(self) -> list[_Call]:
        return [self.calls[index] for index in sorted(self.calls)]

    def as_sent_back(self) -> dict[str, Any]:
        return {
            "role": "assistant",
            "content": self.content or None,
            "tool_calls": [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments},
                }
                for call in self.tool_calls
            ],
        }


class _ChatCompletions:
    def __init__(self, client: Any) -> None:
        self._client = client

    def ask(self, request: Request) -> Callable[[], _Message | None]:
        stream = self._client.chat.completions.create(**request)

        def read() -> _Message | None:
            with stream:
                return _added_up(stream)

        return read

    async def ask_awaited(self, request: Request) -> Callable[[], Awaitable[_Message | None]]:
        stream = await self._client.chat.completions.create(**request)

        async def read() -> _Message | None:
            async with stream:
                return _added_up([chunk async for chunk in stream])

        return read


def _added_up(chunks: "Iterable[ChatCompletionChunk]") -> _Message | None:
    message = _Message()
    for chunk in chunks:
        message.add(chunk)
    # A stream that ends early may end like one that is whole.
    return message if message.finished else None
