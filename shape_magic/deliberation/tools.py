"""The tools for a model: their names, descriptions and schemas, and the arguments that they take.

The schema is made from the same struct that the arguments are read with, so the two agree.
"""

import sys
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

import msgspec

from shape_magic.deliberation.encoding import parse_json
from shape_magic.deliberation.records import LAST_ROUND, field_first
from shape_magic.deliberation.retrieval import MOST_THOUGHTS, THOUGHTS_PAGE
from shape_magic.deliberation.search import DEFAULT_RESULTS, MOST_RESULTS
from shape_magic.errors import ArgumentError
from shape_magic.vocabulary import PHASES, STANCES, VERDICTS
from shape_magic.wording import listed, quoted

__all__ = ["STYLES", "TOOLS", "ReadProposal", "SearchDeliberation", "tool_arguments", "tool_list"]

Style = Literal["functions", "input_schema"]
STYLES: Final = ("functions", "input_schema")


def _described(description: str) -> msgspec.Meta:
    return msgspec.Meta(description=description)


_Text = Annotated[str, msgspec.Meta(min_length=1)]
# A bound is written into the schema alone: the call names the valid range of this proposal.
_Round = Annotated[int, msgspec.Meta(extra_json_schema={"minimum": 0, "maximum": LAST_ROUND})]
_FromOne = Annotated[int, msgspec.Meta(extra_json_schema={"minimum": 1})]
_FromZero = Annotated[int, msgspec.Meta(extra_json_schema={"minimum": 0})]
_Score = Annotated[
    float,
    msgspec.Meta(extra_json_schema={"minimum": -sys.float_info.max, "maximum": sys.float_info.max}),
]
_Phase = Annotated[str, msgspec.Meta(extra_json_schema={"enum": list(PHASES)})]
_Stance = Annotated[str, msgspec.Meta(extra_json_schema={"enum": list(STANCES)})]
_Verdict = Annotated[str, msgspec.Meta(extra_json_schema={"enum": list(VERDICTS)})]


class ReadProposal(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Read one agent's proposal: the final solution, whole or as numbered lines, and the thoughts.

    Setting from_line or to_line returns those lines of the solution, numbered, in place of the
    raw text. Line numbers are those of the outline and of matched_lines; they count from 1, and
    ranges include both ends. The thought process is returned by page: offset and limit choose it.
    """

    agent_id: Annotated[_Text, _described("the agent's id, or its name before ` (model)`")]
    round: Annotated[
        _Round | None, _described("the round; by default the latest in which the agent proposed")
    ] = None
    from_line: Annotated[
        _FromOne | None, _described("the first line; by default the solution's first")
    ] = None
    to_line: Annotated[
        _FromOne | None, _described("the last line, included; by default the solution's last")
    ] = None
    offset: Annotated[
        _FromZero | None,
        _described("how many characters of the thought process to pass over; by default none"),
    ] = None
    limit: Annotated[
        _FromOne | None,
        _described(
            f"how many characters of the thought process to return; by default {THOUGHTS_PAGE:,}, "
            f"at most {MOST_THOUGHTS:,}"
        ),
    ] = None


class SearchDeliberation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Search the proposals and the evaluations of a deliberation.

    Every keyword must occur in a proposal's solution or thoughts, or in an evaluation's
    justification; case makes no difference. A proposal's matched_lines are numbers of lines that
    hold a keyword: read on there with read_proposal. All filters must hold; one that is null or
    an empty list is no filter.
    """

    keywords: Annotated[
        list[_Text] | None, _described("texts that must all occur; by default none")
    ] = None
    rounds: Annotated[list[_Round] | None, _described("only these rounds")] = None
    agent_ids: Annotated[
        list[_Text] | None,
        _described("only proposals by these agents, and the evaluations of those"),
    ] = None
    phase: Annotated[
        _Phase | None,
        _described("`proposing` for proposals only, `evaluating` for evaluations only"),
    ] = None
    stances: Annotated[
        list[_Stance] | None,
        _described("only evaluations that take one of these stances"),
    ] = None
    verdicts: Annotated[
        list[_Verdict] | None,
        _described("only evaluations that give one of these verdicts on a claim"),
    ] = None
    min_score: Annotated[
        _Score | None, _described("only proposals with at least this aggregated score")
    ] = None
    max_score: Annotated[
        _Score | None, _described("only proposals with at most this aggregated score")
    ] = None
    limit: Annotated[
        _FromOne | None,
        _described(f"how many results; by default {DEFAULT_RESULTS}, at most {MOST_RESULTS}"),
    ] = None


TOOLS: Final[Mapping[str, type[msgspec.Struct]]] = {
    "read_proposal": ReadProposal,
    "search_deliberation": SearchDeliberation,
}
"""The tools by name, each with the struct of its arguments."""


def tool_list(style: Style) -> list[dict[str, Any]]:
    """Describe the tools to a model; see `Deliberation.tools`."""
    if style not in STYLES:
        raise ArgumentError(f"style is {quoted(style)}; there are {listed(STYLES)}")
    tools = []
    for name, arguments in TOOLS.items():
        described = {"name": name, "description": " ".join((arguments.__doc__ or "").split())}
        schema = _schema(arguments)
        if style == "functions":
            tools.append({"type": "function", "function": {**described, "parameters": schema}})
        else:
            tools.append({**described, "input_schema": schema})
    return tools


def _schema(arguments: type[msgspec.Struct]) -> dict[str, Any]:
    _, components = msgspec.json.schema_components([arguments])
    schema: dict[str, Any] = components[arguments.__name__]
    # Both are said beside the schema already.
    return {key: part for key, part in schema.items() if key not in {"title", "description"}}


def tool_arguments(name: str, arguments: object) -> dict[str, Any]:
    """Read a tool's arguments, as a mapping or as JSON, and give those that are set.

    Raises ArgumentError for an unknown tool and for arguments that its schema does not allow.
    """
    kind = TOOLS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise ArgumentError(f"no tool is called {quoted(name)}; there are {listed(list(TOOLS))}")
    if isinstance(arguments, str):
        try:
            arguments = parse_json(arguments)
        except ValueError as error:
            raise ArgumentError(f"the arguments of {name} are {error}") from None
    if not isinstance(arguments, Mapping):
        raise ArgumentError(f"the arguments of {name} are an object, not {quoted(arguments)}")
    names = kind.__struct_fields__
    for given in arguments:
        if given not in names:
            raise ArgumentError(
                f"{name} has no argument {quoted(given)}; there are {listed(names)}"
            )
    try:
        read = msgspec.convert({key: _whole(value) for key, value in arguments.items()}, kind)
    except msgspec.ValidationError as error:
        raise ArgumentError(f"{name}: {field_first(str(error))}") from None
    except RecursionError:
        raise ArgumentError(f"the arguments of {name} nest too deeply") from None
    return {key: value for key in names if (value := getattr(read, key)) is not None}


def _whole(value: object) -> object:
    """Give 3.0 as 3: JSON Schema holds both for the same integer."""
    match value:
        case float() if value.is_integer():
            return int(value)
        case list() | tuple():
            return [_whole(item) for item in value]
        case _:
            return value
