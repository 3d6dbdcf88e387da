"""A notebook that nbconvert exports is interactive without a kernel and without a network."""

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from playwright.sync_api import BrowserContext, expect

from tests.browser.harness import SAMPLE, Harness

CELLS = [
    "%load_ext shape_magic",
    f"%%shape Candidate_A\n{SAMPLE}",
    "%shape '# </script> <b>'",
]


@pytest.fixture(scope="module")
def notebook() -> Any:
    cells = [nbformat.v4.new_code_cell(cell) for cell in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    return notebook


def exported(notebook: Any, path: Path, **options: Any) -> str:
    exporter: Any = HTMLExporter
    path.write_text(exporter(**options).from_notebook_node(notebook)[0], encoding="utf-8")
    return path.as_uri()


@pytest.mark.parametrize("state", [True, False], ids=["with widget state", "without"])
def test_export__is_interactive(
    context: BrowserContext, notebook: Any, tmp_path: Path, state: bool
) -> None:
    content = nbformat.from_dict(notebook)
    if not state:
        del content.metadata["widgets"]
    # The template of nbconvert wants scripts from the web; they are stopped, and nothing of the
    # view needs them.
    page = context.new_page()
    page.goto(exported(content, tmp_path / "exported.html"))
    expect(page.locator(".shape-magic")).to_have_count(2)
    view = Harness(page)
    expect(view.line(1)).to_have_text("# </script> <b>")
    view.line(1).click()
    assert view.highlighted == [1]
    expect(page.locator(".shape-magic").first.locator(".sm-title")).to_have_text("Candidate_A")


def test_export__sanitized_is_static(
    context: BrowserContext, notebook: Any, tmp_path: Path
) -> None:
    page = context.new_page()
    page.goto(exported(notebook, tmp_path / "sanitized.html", sanitize_html=True))
    expect(page.locator("body")).to_contain_text("Candidate_A · round 1")
    expect(page.locator("body")).to_contain_text("found = cache.get(key)")
    expect(page.locator(".shape-magic")).to_have_count(0)


def test_notebook__of_20_small_cells_is_small() -> None:
    small = "# Answer {}\n\nUse a queue.\n\n- it is there\n- it is cheap\n"
    cells = [CELLS[0], *(f"%%shape Candidate_{n}\n{small.format(n)}" for n in range(19))]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    assert "widgets" in notebook.metadata
    assert len(nbformat.writes(notebook).encode()) <= 230_000
