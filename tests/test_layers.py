"""The layout shows the architecture: imports run downwards only."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import shape_magic

PACKAGE = Path(shape_magic.__file__).parent

# A module may import from its own layer and from those above it in this list.
LAYERS = [
    ("errors", "wording", "extras"),
    ("report", "progress"),
    ("vocabulary",),
    ("lines", "guard"),
    ("shape",),
    ("analyzers",),
    ("files", "prompting", "debugging"),
    ("testing",),
    ("deliberation",),
    ("experiments", "mcp_server"),
    ("bulk",),
    ("analysis",),
    ("teaching",),
    ("notebook",),
    ("__main__",),
]
LAYER = {name: level for level, names in enumerate(LAYERS) for name in names}
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def imported(tree: ast.AST) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {name for name in names if name.split(".")[0] == "shape_magic"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_module__imports_downwards_only(path: Path) -> None:
    own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    for name in imported(ast.parse(path.read_text(encoding="utf-8"))):
        other = name.split(".")[1]
        assert LAYER[other] <= LAYER[own], f"{own} imports {name}"


def test_layers__are_those_that_exist() -> None:
    own = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in MODULES}
    assert own == set(LAYER)


def test_import__loads_nothing_of_jupyter_and_no_pandas() -> None:
    script = (
        "import sys, shape_magic; shape_magic.measure('# A'); "
        "print([name for name in ('IPython', 'ipywidgets', 'anywidget', 'traitlets', 'pandas', "
        "'numpy', 'scipy', 'matplotlib', 'tqdm') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "[]\n"
