"""The public names: loaded when first asked for, and typed for whoever builds on the package."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import shape_magic

REPOSITORY = Path(__file__).parent.parent

LAZY = shape_magic._LAZY

# What a downstream package may write; none of it is Any, or `assert_type` says so.
DOWNSTREAM = """
from typing import assert_type

import shape_magic
from shape_magic import Deliberation, Measurement, Proposal, RoundSummary, ShapeView, compare


def scores(path: str) -> dict[str, float | None]:
    with shape_magic.Deliberation.open(path) as deliberation:
        assert_type(deliberation, Deliberation)
        proposal = deliberation.propose("A", "# A")
        assert_type(proposal, Proposal)
        assert_type(proposal.measurement, Measurement)
        assert_type(proposal.measurement.shape.chars, int)
        summary = deliberation.summarize()
        assert_type(summary, RoundSummary)
        assert_type(shape_magic.load_summaries(path), list[RoundSummary])
        return {score.agent_id: score.aggregated_score for score in summary.proposal_scores or ()}


def views(text: str) -> str:
    view = ShapeView(shape_magic.measure(text))
    assert_type(compare(view.measurement, shape_magic.measure(text)), shape_magic.Comparison)
    return shape_magic.to_html(view.measurement)
"""

MISTAKEN = """
import shape_magic

shape_magic.Deliberation.opn("rounds.db")
shape_magic.Deliberations
shape_magic.measure(b"bytes")
"""


def typed_imports() -> dict[str, str]:
    """Give the names that the package imports for type checkers alone, each with its module."""
    tree = ast.parse(Path(shape_magic.__file__).read_text(encoding="utf-8"))
    return {
        alias.name: node.module
        for block in tree.body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in block.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("shape_magic")
        for alias in node.names
        if node.module is not None
    }


def test_names__are_imported_for_type_checkers_from_where_python_loads_them() -> None:
    assert typed_imports() == LAZY
    assert set(LAZY) <= set(shape_magic.__all__)


def test_names__every_public_one_is_there() -> None:
    for name in shape_magic.__all__:
        assert getattr(shape_magic, name) is not None
    assert set(shape_magic.__all__) <= set(dir(shape_magic))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        shape_magic.nonsense  # type: ignore[attr-defined]  # noqa: B018


def type_checked(folder: Path, text: str) -> list[str]:
    """Check a file of another package strictly, and give what mypy says line by line."""
    (folder / "downstream.py").write_text(text, encoding="utf-8")
    # Not the repository's settings: a downstream package has its own.
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--no-error-summary"]
    done = subprocess.run(
        [*command, "--cache-dir", str(folder / "cache"), "downstream.py"],
        cwd=folder,
        env=os.environ | {"MYPYPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert not done.stderr
    return [line for line in done.stdout.splitlines() if line.startswith("downstream.py")]


@pytest.mark.slow
def test_downstream_file__is_type_checked_strictly(tmp_path: Path) -> None:
    assert type_checked(tmp_path, DOWNSTREAM) == []
    mistakes = type_checked(tmp_path, MISTAKEN)
    assert [line.partition(" error: ")[0] for line in mistakes] == [
        f"downstream.py:{number}:" for number in (4, 5, 6)
    ]
