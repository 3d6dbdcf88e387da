"""A deliberation's tools over the Model Context Protocol: `python -m shape_magic mcp FILE`."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from shape_magic.deliberation import Deliberation
from shape_magic.errors import ShapeMagicError
from shape_magic.extras import mcp_extra

if TYPE_CHECKING:
    import mcp_types
    from mcp.server.lowlevel import Server

__all__ = ["mcp_server", "serve_over_stdio"]


def mcp_server(deliberation: Deliberation) -> "Server[dict[str, Any]]":
    """Make a server of the official SDK that offers `read_proposal` and `search_deliberation`.

    It changes nothing. What is wrong with a call comes back as its answer, in words that a model
    can act on, marked as an error as the protocol has it (Tools, "Error Handling": tool execution
    errors). MissingExtraError where the extra `mcp` is not installed.
    """
    with mcp_extra():
        import anyio.to_thread
        import mcp_types as types
        from mcp.server.lowlevel import Server

    async def list_tools(context: Any, params: Any) -> "mcp_types.ListToolsResult":
        return types.ListToolsResult(
            tools=[types.Tool(**tool) for tool in deliberation.tools("input_schema")]
        )

    async def call_tool(
        context: Any, params: "mcp_types.CallToolRequestParams"
    ) -> "mcp_types.CallToolResult":
        # Reading may wait for a process that writes, and other requests go on meanwhile.
        answer, is_error = await anyio.to_thread.run_sync(
            _answer, deliberation, params.name, params.arguments or {}
        )
        content = types.TextContent(type="text", text=_sent(answer))
        return types.CallToolResult(content=[content], is_error=is_error)

    return Server(
        "shape_magic",
        version=version("shape_magic"),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _answer(
    deliberation: Deliberation, name: str, arguments: Mapping[str, Any]
) -> tuple[str, bool]:
    """Give a tool's answer, and whether it says what is wrong with the call."""
    try:
        return deliberation._tool_answer(name, arguments), False
    except ShapeMagicError as error:
        return str(error), True


def _sent(text: str) -> str:
    """Give text that UTF-8 can carry: a lone surrogate, which it cannot, becomes U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def serve_over_stdio(deliberation: Deliberation) -> None:
    """Serve a deliberation's tools over the standard streams, until the client closes them."""
    server = mcp_server(deliberation)
    import anyio
    from mcp.server.stdio import stdio_server

    async def serve() -> None:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(serve)
