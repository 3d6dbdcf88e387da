"""The tools for a model: their names, descriptions and schemas, and the arguments that they take.

A tool's arguments stand once, in the record of its request: the schema is made from that, and what
a model sends is read into it.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, Literal, get_args, get_type_hints

import msgspec

from shape_magic.deliberation.encoding import parse_json
from shape_magic.deliberation.read_proposal import ReadProposal
from shape_magic.deliberation.search import SearchDeliberation
from shape_magic.errors import ArgumentError
from shape_magic.wording import listed, quoted

__all__ = ["STYLES", "TOOLS", "Request", "Style", "tool_list", "tool_request"]

Style = Literal["functions", "input_schema"]
STYLES: Final = ("functions", "input_schema")

Request = ReadProposal | SearchDeliberation

TOOLS: Final[Mapping[str, type[Request]]] = {
    "read_proposal": ReadProposal,
    "search_deliberation": SearchDeliberation,
}
"""The tools by name, each with the record of its request."""

_INTEGER: Final = re.compile(r"-?[0-9]{1,400}")
_NUMBER: Final = re.compile(r"-?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})")


def tool_list(style: Style, *, leave_out: frozenset[str] = frozenset()) -> list[dict[str, Any]]:
    """Describe the tools to a model; see `Deliberation.tools`. Arguments may be left out."""
    if style not in STYLES:
        raise ArgumentError(f"style is {quoted(style)}; there are {listed(STYLES)}")
    tools = []
    for name, request in TOOLS.items():
        described = {"name": name, "description": " ".join((request.__doc__ or "").split())}
        schema = _schema(request, leave_out=leave_out)
        if style == "functions":
            tools.append({"type": "function", "function": {**described, "parameters": schema}})
        else:
            tools.append({**described, "input_schema": schema})
    return tools


def _schema(request: type[Request], *, leave_out: frozenset[str]) -> dict[str, Any]:
    fields = [field for field in msgspec.structs.fields(request) if field.name not in leave_out]
    return {
        "type": "object",
        "properties": {field.name: _argument_schema(request, field) for field in fields},
        "required": [field.name for field in fields if field.required],
        "additionalProperties": False,
    }


def _argument_schema(request: type[Request], field: msgspec.structs.FieldInfo) -> dict[str, Any]:
    hint = get_type_hints(request, include_extras=True)[field.name]
    (described,) = hint.__metadata__
    kind = _TYPES[request][field.name]
    items = get_args(kind)
    schema = {"type": _JSON_TYPES[items[0] if items else kind], **described.schema}
    if items:
        schema = {"type": "array", "items": schema}
    if field.required:
        return {"description": described.description, **schema}
    return {
        "description": described.description,
        "anyOf": [schema, {"type": "null"}],
        "default": None,
    }


_JSON_TYPES: Final = {str: "string", int: "integer", float: "number"}


def tool_request(
    name: str, arguments: object, *, leave_out: frozenset[str] = frozenset()
) -> Request:
    """Read a tool's arguments, as a mapping or as JSON, into its request.

    What has one reading is taken: digits for an integer, a keyword for a list of it, `filters`
    around the filters, no text for no arguments. ArgumentError says what cannot be read.
    """
    kind = TOOLS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise ArgumentError(f"no tool is called {quoted(name)}; there are {listed(list(TOOLS))}")
    if isinstance(arguments, str):
        arguments = _parsed(name, arguments)
    if not isinstance(arguments, Mapping):
        raise ArgumentError(f"the arguments of {name} are an object, not {_json_quoted(arguments)}")
    names = [field for field in kind.__struct_fields__ if field not in leave_out]
    given = _without_filters(name, arguments) if kind is SearchDeliberation else arguments
    for argument in given:
        if argument not in names:
            raise ArgumentError(
                f"{name} has no argument {quoted(argument)}; there are {listed(names)}"
            )
    fields = {field.name: field for field in msgspec.structs.fields(kind)}
    read: dict[str, Any] = {}
    for argument, value in given.items():
        if value is None and not fields[argument].required:
            continue
        try:
            read[argument] = _one_reading(value, _TYPES[kind][argument])
        except ValueError as error:
            raise ArgumentError(
                f"{name}: {argument} is {error}, not {_json_quoted(value)}"
            ) from None
    for field in fields.values():
        if field.required and field.name not in read:
            raise ArgumentError(f"{name} needs {field.name}; its arguments are {listed(names)}")
    return kind(**read)


def _parsed(name: str, arguments: str) -> object:
    if not arguments.strip(" \t\r\n"):
        return {}
    try:
        return parse_json(arguments)
    except ValueError as error:
        raise ArgumentError(f"the arguments of {name} are {error}") from None


def _without_filters(name: str, arguments: Mapping[Any, object]) -> Mapping[Any, object]:
    """Take the filters out of `filters`, in which the deliberation system has them."""
    filters = arguments.get("filters")
    outside = {argument: value for argument, value in arguments.items() if argument != "filters"}
    if filters is None:
        return outside
    if not isinstance(filters, Mapping):
        raise ArgumentError(f"{name}: filters is an object, not {_json_quoted(filters)}")
    for argument in filters:
        if outside.get(argument) is not None:
            raise ArgumentError(f"{name}: {quoted(argument)} stands in filters and beside it")
    return {**outside, **filters}


_TYPES: Final = {
    kind: {
        name: next(part for part in (*get_args(hint), hint) if part is not type(None))
        for name, hint in get_type_hints(kind).items()
    }
    for kind in TOOLS.values()
}
"""What each argument is, where it is not null."""


def _one_reading(value: object, kind: Any) -> object:
    """Read a value as what an argument is; ValueError says what that would be."""
    if kind is str:
        if isinstance(value, str):
            return value
        raise ValueError("a text")
    if kind is int:
        if isinstance(value, str) and _INTEGER.fullmatch(value):
            return int(value)
        # JSON Schema holds 3 and 3.0 for the same integer.
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        raise ValueError("an integer")
    if kind is float:
        if isinstance(value, str) and _NUMBER.fullmatch(value):
            return float(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return value
        raise ValueError("a number")
    (item,) = get_args(kind)
    items = value if isinstance(value, (list, tuple)) else [value]
    try:
        return [_one_reading(inner, item) for inner in items]
    except ValueError as error:
        raise ValueError(f"a list, and in it {error}") from None


def _json_quoted(value: object) -> str:
    """Write a value for a message to a model, in JSON's words for what has no other."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return quoted(value)
