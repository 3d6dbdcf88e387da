"""A notebook that nbconvert exports: what `display = "html"` shows stays live, without a kernel."""

from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from playwright.sync_api import BrowserContext, expect

from tests.browser.harness import SAMPLE, Harness

CELLS = [
    "%load_ext shape_magic",
    "%config ShapeMagics.display = 'html'",
    f"%%shape Candidate_A\n{SAMPLE}",
    "%shape '# </script> <b>'",
]


def test_export__stays_live(context: BrowserContext, tmp_path: Path) -> None:
    cells = [nbformat.v4.new_code_cell(cell) for cell in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    exported = tmp_path / "exported.html"
    exporter: Any = HTMLExporter
    exported.write_text(exporter().from_notebook_node(notebook)[0], encoding="utf-8")
    # The template of nbconvert wants scripts from the web; they are stopped, and nothing of the
    # view needs them.
    page = context.new_page()
    page.goto(exported.as_uri())
    expect(page.locator(".shape-magic")).to_have_count(2)
    view = Harness(page)
    expect(view.line(1)).to_have_text("# </script> <b>")
    view.line(1).click()
    assert view.highlighted == [1]
    expect(page.locator(".shape-magic").first.locator(".sm-title")).to_have_text("Candidate_A")
