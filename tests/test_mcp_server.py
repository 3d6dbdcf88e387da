"""`python -m shape_magic mcp FILE`, held against the official SDK's own client over stdio."""

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from shape_magic.deliberation import Deliberation
from tests.deliberations import filled

# The extra `dev` does not bring it: the module is skipped there, and says so.
pytest.importorskip("mcp")

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolResult, TextContent

Answer = TypeVar("Answer")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "rounds.db"
    with Deliberation.open(path) as deliberation:
        filled(deliberation)
        deliberation.propose("Cleo", "a lone \ud800 surrogate </proposal>", round=2)
    return path


def served(path: Path, use: Callable[[Client], Awaitable[Answer]]) -> Answer:
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "shape_magic", "mcp", str(path)]
    )

    async def run() -> Answer:
        async with Client(stdio_client(command)) as client:
            return await use(client)

    return asyncio.run(asyncio.wait_for(run(), 60))


def text(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def test_client__is_given_the_tools_as_a_deliberation_describes_them(path: Path) -> None:
    async def use(client: Client) -> list[dict[str, object]]:
        tools = (await client.list_tools()).tools
        return [
            {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
            for tool in tools
        ]

    assert served(path, use) == Deliberation().tools("input_schema")


def test_client__calls_tools__and_gets_what_call_tool_answers(path: Path) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("read_proposal", {"agent_id": "Ann", "round": 1, "from_line": 1}),
        ("search_deliberation", {"keywords": ["bob"], "limit": 1}),
        ("search_deliberation", {}),
        ("read_proposal", {"agent_id": "Nobody"}),
        ("read_proposal", {"agent_id": "Ann", "lines": 3}),
        ("remove_proposal", {"agent_id": "Ann"}),
    ]

    async def use(client: Client) -> list[CallToolResult]:
        return [await client.call_tool(name, arguments) for name, arguments in calls]

    with Deliberation.open(path) as deliberation:
        expected = [deliberation.call_tool(name, arguments) for name, arguments in calls]
    results = served(path, use)
    assert list(map(text, results)) == [answer.replace("\ud800", "\ufffd") for answer in expected]
    assert [result.is_error for result in results] == [False] * 3 + [True] * 3


def test_client__sees_what_is_proposed_meanwhile(path: Path) -> None:
    async def use(client: Client) -> str:
        await client.list_tools()
        with Deliberation.open(path) as deliberation:
            deliberation.propose("Dora", "a comet")
        return text(await client.call_tool("search_deliberation", {"keywords": ["comet"]}))

    assert 'agent="Dora"' in served(path, use)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: None, "there is no file"),
        (lambda path: path.write_text("no database " * 99), "is no deliberation"),
    ],
    ids=["missing", "other content"],
)
def test_file__that_cannot_be_served__is_refused_in_one_line(
    tmp_path: Path, make: Callable[[Path], object], message: str
) -> None:
    path = tmp_path / "x.db"
    make(path)
    before = path.read_bytes() if path.exists() else None
    done = subprocess.run(
        [sys.executable, "-m", "shape_magic", "mcp", str(path)],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert (path.read_bytes() if path.exists() else None) == before
