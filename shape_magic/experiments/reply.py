"""What a judge gives back: its reply, and what it took to get it."""

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from shape_magic.errors import JudgeError
from shape_magic.wording import quoted

__all__ = ["Reply", "ToolCall", "Usage", "reply_text"]


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """What a reply used, as the model's server counted it; usages add up.

    >>> Usage(input_tokens=900, output_tokens=80) + Usage(input_tokens=1_200, output_tokens=300)
    Usage(input_tokens=2100, output_tokens=380, cached_tokens=0, requests=2)
    """

    input_tokens: int = 0
    """All tokens that were read, those from a cache included."""
    output_tokens: int = 0
    cached_tokens: int = 0
    """How many of the input tokens were read from a cache."""
    requests: int = 1
    """How many requests that were answered make up the reply: one, and one a turn of tools."""

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            **{name: getattr(self, name) + getattr(other, name) for name in self.__struct_fields__}
        )


class ToolCall(msgspec.Struct, frozen=True):
    """A tool that an evaluator called before it replied."""

    name: str
    arguments: str
    """As the model wrote them: JSON, as a rule."""
    answer: str
    """The whole text that it was given back."""


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """A judge's reply, with what is known of how it came about.

    >>> Reply(content='{"evaluations": []}').usage is None
    True
    """

    content: str | Mapping[str, Any]
    """The reply itself: the model's text, or what was made of it."""
    usage: Usage | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    model: str = ""
    """The model that answered, as its server calls it."""


def reply_text(value: object) -> tuple[str, dict[str, Any] | None]:
    """Give what a judge gave as text, and what is known of how it came about.

    JudgeError where it is no reply.
    """
    details: dict[str, Any] | None = None
    if isinstance(value, Reply):
        details = {
            **(msgspec.structs.asdict(value.usage) if value.usage else {}),
            "model": value.model,
            "tool_calls": [msgspec.structs.asdict(call) for call in value.tool_calls],
        }
        value = value.content
    if isinstance(value, str):
        return value, details
    if isinstance(value, Mapping):
        try:
            return json.dumps(value, ensure_ascii=False), details
        except (TypeError, ValueError, RecursionError) as error:
            raise JudgeError(f"the judge's mapping is no JSON: {error}") from None
    raise JudgeError(f"a judge gives a text, a mapping or a Reply, not {quoted(value)}")
