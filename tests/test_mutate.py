"""The tool that changes code changes one thing at a time, and tells what no test notices."""

import ast
from pathlib import Path

import pytest

from tests.mutate import REPOSITORY, changes, survivors

SOURCE = '''"""A docstring."""
__all__ = ["least"]


def least(a: int, b: int = 2) -> int:
    """Give the lesser one."""
    if a < b and not b == 7:
        return a
    raise ValueError("é: none")


class Last(Struct, frozen=True):
    async def between(self, a: "int") -> "bool":
        assert 0 < a <= 9, "a digit"
        yield f"{a + 1}"
'''


def test_changes__are_of_what_runs_and_of_nothing_else() -> None:
    found = {(change.line, change.before, change.after) for change in changes(SOURCE)}
    assert found == {
        (5, "2", "3"),
        (7, "a < b", "(a <= b)"),
        (7, "7", "8"),
        (7, "b == 7", "(b != 7)"),
        (7, "not b == 7", "(b == 7)"),
        (7, "a < b and not b == 7", "(a < b or not b == 7)"),
        (7, "a < b and not b == 7", "(not (a < b and (not b == 7)))"),
        (8, "return a", "return None"),
        (9, 'raise ValueError("é: none")', "pass"),
        (9, '"é: none"', "''"),
        (14, "0 < a <= 9", "(0 <= a <= 9)"),
        (14, "0 < a <= 9", "(0 < a < 9)"),
        (14, "0", "1"),
        (14, "9", "10"),
        (15, 'yield f"{a + 1}"', "pass"),
        (15, 'f"{a + 1}"', "''"),
    }


@pytest.mark.parametrize("name", ["lines", "wording", "bulk"])
def test_changes__of_our_own_modules__differ_and_can_be_read(name: str) -> None:
    source = (REPOSITORY / "shape_magic" / f"{name}.py").read_text(encoding="utf-8")
    original = ast.dump(ast.parse(source))
    found = changes(source)
    assert len(found) > 10
    assert all(ast.dump(ast.parse(change.source)) != original for change in found)


@pytest.mark.slow
def test_survivors__are_the_changes_that_no_test_notices(tmp_path: Path) -> None:
    (tmp_path / "shape_magic").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "shape_magic" / "__init__.py").touch()
    module = Path("shape_magic/sums.py")
    (tmp_path / module).write_text("def add(a, b):\n    return a + b\n\n\nUNUSED = 1\n")
    (tmp_path / "tests" / "test_sums.py").write_text(
        "from shape_magic.sums import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n"
    )
    found = list(survivors(module, count=10, seed=1, arguments=[], repository=tmp_path))
    assert [(change.line, change.after) for change in found] == [(5, "2")]
