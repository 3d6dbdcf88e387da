"""Change one thing of a module at a time, and list the changes that no test notices.

    python -m tests.mutate shape_magic/lines.py --count 20 --seed 1 --tests tests/test_lines.py

Each change is of one operator, constant or statement, and is made in a copy of the repository. The
tests are those that are named, or else every test file that names the module. A change is noticed
where a test fails, or where the tests take ten times as long. What survives is a test that is
missing, code that nothing needs, or a change that makes no difference.
"""

import argparse
import ast
import copy
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

REPOSITORY: Final = Path(__file__).parent.parent
_COPIED: Final = ("shape_magic", "tests", "notebooks", "pyproject.toml", "README.md")
_LEFT_OUT: Final = shutil.ignore_patterns("__pycache__", "node_modules", "*.ipynb", "artefacts")

_OPERATORS: Final[dict[type[ast.AST], type[ast.AST]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.Add,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}


class Change(NamedTuple):
    """One change of a source: the line it stands in, what it says now, and the whole source."""

    line: int
    before: str
    after: str
    source: str


def changes(source: str) -> list[Change]:
    """Give every change of a source that is known here, in the order of its lines."""
    data = source.encode()
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for node, after in _changed(ast.parse(source)):
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        changed = (data[:begin] + after.encode() + data[end:]).decode()
        try:
            ast.parse(changed)
        except SyntaxError:
            # As where a piece of an f-string has the quotes of the whole.
            continue
        found.append(Change(node.lineno, data[begin:end].decode(), after, changed))
    return sorted(found, key=lambda change: (change.line, change.before, change.after))


def _changed(tree: ast.Module) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Give the nodes of a module that can be changed, each with what to write in its place."""
    passed_over = _passed_over(tree)
    for node in ast.walk(tree):
        if node in passed_over:
            continue
        if isinstance(node, ast.Compare):
            for place, operator in enumerate(node.ops):
                others = [*node.ops[:place], _OPERATORS[type(operator)](), *node.ops[place + 1 :]]
                yield node, _written(node, ops=others)
        elif isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in _OPERATORS:
            yield node, _written(node, op=_OPERATORS[type(node.op)]())
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield node, f"({ast.unparse(node.operand)})"
        elif isinstance(node, ast.Constant) and _other_constant(node.value) is not None:
            yield node, repr(_other_constant(node.value))
        elif isinstance(node, ast.JoinedStr):
            yield node, "''"
        elif isinstance(node, ast.If | ast.While | ast.IfExp):
            yield node.test, f"(not ({ast.unparse(node.test)}))"
        elif isinstance(node, ast.Return) and ast.unparse(node) not in ("return", "return None"):
            yield node, "return None"
        elif isinstance(node, ast.Expr | ast.AugAssign | ast.Raise | ast.Delete):
            yield node, "pass"
        elif isinstance(node, ast.Continue):
            yield node, "break"
        elif isinstance(node, ast.Break):
            yield node, "continue"


def _written(node: ast.expr, **fields: object) -> str:
    """Write an expression with other fields, so that it can stand anywhere."""
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return f"({ast.unparse(changed)})"


def _other_constant(value: object) -> object:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return "" if value else "changed"
    return None


def _passed_over(tree: ast.Module) -> set[ast.AST]:
    """Give the nodes whose change says nothing: annotations, docstrings, `__all__`, typing.

    Nor are the pieces of an f-string changed: Python 3.11 does not say where they stand.
    """
    roots: list[ast.AST] = []
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant()):
                roots.append(node)
            case ast.JoinedStr():
                roots.extend(node.values)
            case ast.Assert(msg=ast.expr() as message):
                roots.append(message)
            case ast.Raise(exc=ast.Call(func=ast.Name(id="AssertionError"))):
                roots.append(node)
            case ast.AnnAssign():
                roots.append(node.annotation)
            case ast.arg(annotation=ast.expr() as annotation):
                roots.append(annotation)
            case (
                ast.FunctionDef(returns=ast.expr() as returns)
                | ast.AsyncFunctionDef(returns=ast.expr() as returns)
            ):
                roots.append(returns)
            case ast.Assign(targets=[ast.Name(id="__all__")]):
                roots.append(node)
            case ast.ClassDef(keywords=declared):
                # As in `frozen=True, gc=False`: mypy holds to the one, and the other costs time.
                roots.extend(declared)
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                roots.append(node)
            case ast.Call(func=ast.Name(id="zip" | "lru_cache"), keywords=checked):
                # As in `strict=True`, which states what holds.
                roots.extend(checked)
            case ast.Call(func=ast.Name(id="cast" | "TypeVar" | "NewType")):
                roots.append(node)
    return {inner for root in roots for inner in ast.walk(root)}


class Tests(NamedTuple):
    """The tests of a copy of the repository."""

    folder: Path
    arguments: Sequence[str]

    def pass_within(self, seconds: float | None) -> bool:
        """Run them until the first fails, and tell whether all pass in that time."""
        process = subprocess.Popen(
            [sys.executable, "-B", "-m", "pytest", "-xqp", "no:cacheprovider", *self.arguments],
            cwd=self.folder,
            env=os.environ | {"PYTHONPATH": str(self.folder)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return process.wait(timeout=seconds) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def tests_of(module: Path, folder: Path) -> list[str]:
    """Give the test files that name a module, and the module itself for its examples."""
    dotted = ".".join(module.with_suffix("").parts)
    names = {dotted, dotted.removesuffix(".__init__")}
    files = sorted(path.relative_to(folder) for path in folder.glob("tests/test_*.py"))
    return [str(module)] + [
        str(path)
        for path in files
        if any(name in (folder / path).read_text(encoding="utf-8") for name in names)
    ]


def survivors(
    module: Path, *, count: int, seed: int, arguments: Sequence[str], repository: Path = REPOSITORY
) -> Iterator[Change]:
    """Try some changes of a module, drawn by the seed, and give those that no test notices."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in _COPIED:
            source = repository / part
            if source.is_dir():
                shutil.copytree(source, folder / part, ignore=_LEFT_OUT)
            elif source.exists():
                shutil.copy(source, folder / part)
        target = folder / module
        original = target.read_text(encoding="utf-8")
        tests = Tests(folder, arguments or ["-m", "not slow", *tests_of(module, folder)])
        began = time.monotonic()
        if not tests.pass_within(None):
            raise SystemExit(f"the tests fail without a change: pytest {' '.join(tests.arguments)}")
        limit = 30 + 10 * (time.monotonic() - began)
        known = changes(original)
        for change in random.Random(seed).sample(known, min(count, len(known))):
            target.write_text(change.source, encoding="utf-8")
            if tests.pass_within(limit):
                yield change


def main() -> None:
    """Print what survives."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutate", description=__doc__)
    parser.add_argument("module", type=Path, help="as in shape_magic/lines.py")
    parser.add_argument("--count", type=int, default=20, help="how many changes to try")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    parser.add_argument("--tests", nargs="+", default=[], help="what pytest is given")
    options = parser.parse_args()
    survived = 0
    for change in survivors(
        options.module, count=options.count, seed=options.seed, arguments=options.tests
    ):
        survived += 1
        print(f"{options.module}:{change.line}: {change.before!r} -> {change.after!r}", flush=True)  # noqa: T201
    print(f"{survived} of {options.count} changes survived")  # noqa: T201


if __name__ == "__main__":
    main()
