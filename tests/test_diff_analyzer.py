"""The diff analyzer of the course and its reference page: the same, and one that users can take."""

import ast
from pathlib import Path
from typing import Any

import nbformat
import pytest

from shape_magic import check_analyzer
from shape_magic.testing import describe

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"


def cells() -> list[str]:
    notebook = nbformat.read(NOTEBOOKS / "03-analyzers.ipynb", as_version=4)
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def defined_by(source: str, names: set[str]) -> list[ast.stmt]:
    """Give the statements that import, or bind one of some names."""

    def wanted(node: ast.stmt) -> bool:
        match node:
            case ast.ClassDef(name=name):
                return name in names
            case ast.Assign(targets=[ast.Name(id=name)]):
                return name in names
        return isinstance(node, ast.Import | ast.ImportFrom)

    return [node for node in ast.parse(source).body if wanted(node)]


@pytest.fixture(scope="module")
def course() -> dict[str, Any]:
    """Give what the notebook defines, without running what it shows."""
    found: dict[str, Any] = {}
    for source in cells():
        if source.startswith("%"):
            continue
        body = defined_by(source, {"DiffAnalyzer", "FirstDiff", "HUNK", "GIT"})
        exec(compile(ast.Module(body, []), "<notebook>", "exec"), found)
    return found


def test_notebook__its_first_try_fails_the_check_and_its_second_holds(
    course: dict[str, Any],
) -> None:
    first = check_analyzer(course["FirstDiff"]())
    assert [failure.law for failure in first.failures] == ["gaming"]
    assert check_analyzer(course["DiffAnalyzer"]()).ok


def test_page__has_the_same_analyzer_as_the_notebook() -> None:
    page = (NOTEBOOKS / "reference" / "analyzers.md").read_text(encoding="utf-8")
    code = "\n".join(line[4:] for line in page.split("\n") if line[:3] in {">>>", "..."})
    names = {"DiffAnalyzer", "HUNK", "GIT"}
    on_page = defined_by(code, names)
    in_course = [
        node for source in cells() if source[0] != "%" for node in defined_by(source, names)
    ]

    def written(nodes: list[ast.stmt]) -> list[str]:
        return [ast.dump(node) for node in nodes if isinstance(node, ast.ClassDef | ast.Assign)]

    assert len(written(on_page)) == 3
    assert written(on_page) == written(in_course)


PATCH = "--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n--- a comment\n y\n"

CASES = [
    ("a deleted line that looks like a file", PATCH, "hhccc", 1, 1),
    ("text after the last hunk", PATCH + "\nDone.\n", "hhcccpp", 1, 1),
    ("git's header", f"diff --git a/x b/x\nindex 1..2 100644\n{PATCH}", "hhhhccc", 1, 1),
    ("a renamed file without a hunk", f"diff --git a/x b/x\nrename to b\n{PATCH}", "hhhhccc", 1, 1),
    ("two files", PATCH + PATCH, "hhccchhccc", 2, 2),
    ("no newline at the end", PATCH + "\\ No newline at end of file\n", "hhcccc", 1, 1),
    ("an empty context line", "--- a\n+++ b\n@@ -1,2 +1,2 @@\n\n-x\n+y\n", "hhcccc", 1, 1),
    ("a hunk that is cut off", "--- a\n+++ b\n@@ -1,9 +1,9 @@\n x\n", "hhcc", 1, 1),
    ("words within a hunk", "--- a\n+++ b\n@@ -1,9 +1,9 @@\nwords\n", "hhcp", 1, 1),
]


@pytest.mark.parametrize(("text", "kinds", "files", "hunks"), [c[1:] for c in CASES])
def test_diff__reads_what_tools_write(
    course: dict[str, Any], text: str, kinds: str, files: int, hunks: int
) -> None:
    measurement = course["DiffAnalyzer"]().measure(text)
    assert f"kinds: {kinds}" in describe(measurement, fields=["kinds"])
    assert (measurement.shape.headings, measurement.shape.code_blocks) == (files, hunks)


@pytest.mark.parametrize("text", ["--- \nwords\n", "--- a\n+++ b\nwords\n", "words\n" + PATCH, ""])
def test_diff__what_is_no_diff_is_not_its_own(course: dict[str, Any], text: str) -> None:
    assert course["DiffAnalyzer"]().measure(text) is None
