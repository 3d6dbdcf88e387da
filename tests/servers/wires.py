"""The two wires: how a request is read, and how an answer is streamed, as their APIs document it.

A request that the API would refuse is refused here, so that a test which passes means something.
"""

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from tests.servers.evaluator import Evaluator

__all__ = ["WIRES", "Asked", "BadRequestError", "ChatCompletions", "Messages", "Wire"]


class BadRequestError(ValueError):
    """A request that the API answers with 400."""


class Asked(msgspec.Struct, frozen=True):
    """What a request comes down to."""

    prompt: str
    properties: dict[str, list[str]]
    """The arguments of each tool that is offered."""
    answers: list[str]
    """What the tools answered so far."""
    schema: dict[str, Any] | None
    choice: str
    """`auto`, or `none` where no tool may be called."""


class Wire:
    """What both have in common: when tools are called, and when the reply comes."""

    path: str
    allowed: frozenset[str]

    def asked(self, body: dict[str, Any]) -> Asked:
        """Read a request's body; BadRequestError where the API would not take it."""
        raise NotImplementedError

    def events(self, asked: Asked, evaluator: Evaluator) -> Iterator[str]:
        """Give the events of the stream."""
        if asked.properties and not asked.answers and asked.choice == "auto":
            calls = evaluator.tool_calls(asked.prompt, asked.properties)
            if calls:
                return self.calls(calls)
        return self.text(evaluator.reply(asked.prompt, asked.answers))

    def calls(self, calls: list[tuple[str, dict[str, Any]]]) -> Iterator[str]:
        """Stream calls of tools."""
        raise NotImplementedError

    def text(self, text: str) -> Iterator[str]:
        """Stream a reply in words."""
        raise NotImplementedError

    def error(self, status: int, message: str) -> dict[str, Any]:
        """Give the body of an error."""
        raise NotImplementedError

    def check(self, body: dict[str, Any]) -> None:
        """Refuse what both refuse."""
        unknown = sorted(set(body) - self.allowed)
        if unknown:
            raise BadRequestError(f"unknown parameters: {', '.join(unknown)}")
        if not body.get("stream"):
            raise BadRequestError("this server streams")


def _halves(text: str) -> list[str]:
    """Give a text in pieces, as a model writes it."""
    return [text[start : start + 37] for start in range(0, len(text), 37)]


class ChatCompletions(Wire):
    """OpenAI's Chat Completions API."""

    path = "/v1/chat/completions"
    allowed = frozenset(
        {
            "model",
            "messages",
            "stream",
            "stream_options",
            "response_format",
            "tools",
            "tool_choice",
            "service_tier",
            "max_completion_tokens",
        }
    )

    def asked(self, body: dict[str, Any]) -> Asked:
        """Read a request, and check that each call of a tool is answered."""
        self.check(body)
        first, *rest = body["messages"]
        waiting: list[str] = []
        answers = []
        for message in rest:
            if message["role"] == "assistant":
                waiting = [call["id"] for call in message["tool_calls"]]
                for call in message["tool_calls"]:
                    json.loads(call["function"]["arguments"])
            elif message["role"] == "tool":
                if message["tool_call_id"] != waiting.pop(0):
                    raise BadRequestError("an answer to no call of a tool")
                answers.append(message["content"])
        if waiting:
            raise BadRequestError(f"tool calls without an answer: {waiting}")
        schema = None
        if "response_format" in body:
            wanted = body["response_format"]["json_schema"]
            if not wanted["strict"] or not wanted["name"].isidentifier():
                raise BadRequestError("response_format is not strict, or has no name")
            schema = wanted["schema"]
        tools = [tool["function"] for tool in body.get("tools", [])]
        return Asked(
            prompt=first["content"],
            properties={tool["name"]: list(tool["parameters"]["properties"]) for tool in tools},
            answers=answers,
            schema=schema,
            choice=body.get("tool_choice", "auto"),
        )

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> str:
        chunk = {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": "model-1",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }
        return f"data: {json.dumps(chunk)}\n\n"

    def _end(self, finish: str) -> Iterator[str]:
        yield self._chunk({}, finish)
        usage = {
            "prompt_tokens": 100,
            "completion_tokens": 20,
            "total_tokens": 120,
            "prompt_tokens_details": {"cached_tokens": 40},
        }
        last = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0}
        last |= {"model": "model-1", "choices": [], "usage": usage}
        yield f"data: {json.dumps(last)}\n\n"
        yield "data: [DONE]\n\n"

    def calls(self, calls: list[tuple[str, dict[str, Any]]]) -> Iterator[str]:
        """Stream calls of tools: the name first, the arguments in pieces."""
        yield self._chunk({"role": "assistant", "content": None})
        for index, (name, arguments) in enumerate(calls):
            head = {"index": index, "id": f"call_{index}", "type": "function"}
            yield self._chunk({"tool_calls": [{**head, "function": {"name": name}}]})
            for piece in _halves(json.dumps(arguments)):
                part = {"index": index, "function": {"arguments": piece}}
                yield self._chunk({"tool_calls": [part]})
        yield from self._end("tool_calls")

    def text(self, text: str) -> Iterator[str]:
        """Stream a reply in pieces."""
        yield self._chunk({"role": "assistant", "content": ""})
        for piece in _halves(text):
            yield self._chunk({"content": piece})
        yield from self._end("stop")

    def error(self, status: int, message: str) -> dict[str, Any]:
        """Give an error as this API words it."""
        return {"error": {"message": message, "type": "error", "code": str(status), "param": None}}


class Messages(Wire):
    """Anthropic's Messages API."""

    path = "/v1/messages"
    allowed = frozenset(
        {
            "model",
            "messages",
            "max_tokens",
            "stream",
            "output_config",
            "tools",
            "tool_choice",
            "service_tier",
            "cache_control",
        }
    )

    def asked(self, body: dict[str, Any]) -> Asked:
        """Read a request, and check that turns alternate and each call of a tool is answered."""
        self.check(body)
        messages = body["messages"]
        roles = [message["role"] for message in messages]
        if roles != ["user", "assistant"] * (len(roles) // 2) + ["user"]:
            raise BadRequestError(f"the roles are {roles}")
        waiting: list[str] = []
        answers = []
        for message in messages[1:]:
            for block in message["content"]:
                match block["type"]:
                    case "tool_use":
                        if set(block) - {"type", "id", "name", "input", "caller"}:
                            raise BadRequestError(f"tool_use has {sorted(block)}")
                        waiting.append(block["id"])
                    case "tool_result":
                        if block["tool_use_id"] != waiting.pop(0):
                            raise BadRequestError("an answer to no call of a tool")
                        answers.append(block["content"])
                    case "text":
                        if set(block) - {"type", "text", "citations"}:
                            raise BadRequestError(f"text has {sorted(block)}")
                    case other:
                        raise BadRequestError(f"unknown block {other}")
            if message["role"] == "user" and waiting:
                raise BadRequestError(f"tool_use without tool_result: {waiting}")
        schema = None
        if "output_config" in body:
            wanted = body["output_config"]["format"]
            if wanted["type"] != "json_schema":
                raise BadRequestError("the format is no json_schema")
            schema = wanted["schema"]
            if '"minimum":' in json.dumps(schema):
                raise BadRequestError("output_config.format.schema: minimum is not supported")
        return Asked(
            prompt=messages[0]["content"],
            properties={
                tool["name"]: list(tool["input_schema"]["properties"])
                for tool in body.get("tools", [])
            },
            answers=answers,
            schema=schema,
            choice=body.get("tool_choice", {"type": "auto"})["type"],
        )

    def _event(self, kind: str, **fields: Any) -> str:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"

    def _start(self) -> Iterator[str]:
        usage = {"input_tokens": 50, "cache_read_input_tokens": 40}
        usage |= {"cache_creation_input_tokens": 10, "output_tokens": 1}
        message: dict[str, Any] = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "model-1",
        }
        message |= {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
        yield self._event("message_start", message=message)
        yield self._event("ping")

    def _end(self, reason: str) -> Iterator[str]:
        delta = {"stop_reason": reason, "stop_sequence": None}
        yield self._event("message_delta", delta=delta, usage={"output_tokens": 20})
        yield self._event("message_stop")

    def _block(self, index: int, block: dict[str, Any], deltas: list[dict[str, Any]]) -> list[str]:
        return [
            self._event("content_block_start", index=index, content_block=block),
            *(self._event("content_block_delta", index=index, delta=delta) for delta in deltas),
            self._event("content_block_stop", index=index),
        ]

    def calls(self, calls: list[tuple[str, dict[str, Any]]]) -> Iterator[str]:
        """Stream a text and calls of tools, whose arguments come in pieces."""
        yield from self._start()
        say = [{"type": "text_delta", "text": "I check the lines first."}]
        yield from self._block(0, {"type": "text", "text": ""}, say)
        for index, (name, arguments) in enumerate(calls, start=1):
            block = {"type": "tool_use", "id": f"toolu_{index}", "name": name, "input": {}}
            pieces = _halves(json.dumps(arguments))
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
            yield from self._block(index, block, deltas)
        yield from self._end("tool_use")

    def text(self, text: str) -> Iterator[str]:
        """Stream a reply in pieces."""
        yield from self._start()
        deltas = [{"type": "text_delta", "text": piece} for piece in _halves(text)]
        yield from self._block(0, {"type": "text", "text": ""}, deltas)
        yield from self._end("end_turn")

    def error(self, status: int, message: str) -> dict[str, Any]:
        """Give an error as this API words it."""
        kind = {429: "rate_limit_error", 500: "api_error"}.get(status, "invalid_request_error")
        return {"type": "error", "error": {"type": kind, "message": message}}


WIRES = {wire.path: wire for wire in (ChatCompletions(), Messages())}
