"""A matrix in JupyterLab: its cells open by the kernel, also after the file is opened again."""

from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import BrowserContext, Locator, expect

from tests.browser.jupyter import Notebook, Server

CELLS: Final = [
    "%load_ext shape_magic",
    "%deliberation rounds.db",
    "from tests.experiments import fill_rounds, judge\n"
    "if not _.rounds():\n"
    "    fill_rounds(_, 2)\n"
    "panel = {'Lee': judge('length'), 'Eve': judge()}",
    "%run_evaluations panel --no-progress",
    "%round_summary 1",
]
OPENED_FILE, RUN, SUMMARY = 1, 3, 4

pytestmark = pytest.mark.slow


def in_cell(notebook: Notebook, cell: int) -> Locator:
    return notebook.page.locator(".jp-Notebook .jp-Cell").nth(cell).locator(".jp-OutputArea")


def open_first(notebook: Notebook, cell: int) -> Locator:
    """Open the first candidate of a cell's matrix, and give what opens."""
    in_cell(notebook, cell).locator("button.sm-open").first.click()
    return in_cell(notebook, cell).locator(".sm-opened")


@pytest.fixture
def run(servers: dict[str, Server], context: BrowserContext, requests_out: list[str]) -> Notebook:
    path = servers["lab"].write(CELLS, name="matrix.ipynb")
    (path.parent / "rounds.db").unlink(missing_ok=True)
    notebook = servers["lab"].open(context, path)
    notebook.run_all()
    return notebook


def test_matrix__opens_what_was_said_by_the_kernel(run: Notebook, artefacts: Path) -> None:
    opened = open_first(run, RUN)
    expect(opened.locator(".sm-evaluated")).to_have_count(4)
    opened.get_by_role("button", name="the prompt as it was shown").first.click()
    expect(opened.locator(".sm-verbatim")).to_contain_text("TASK: Name a `queue`")
    expect(in_cell(run, RUN)).to_contain_text("8 of 8 prompts")
    expect(open_first(run, SUMMARY).locator(".sm-evaluated")).to_have_count(4)
    run.page.screenshot(path=artefacts / "matrix-lab.png")
    # A key of the view's is no key of the host's.
    in_cell(run, SUMMARY).locator(".sm-table tbody th").first.focus()
    for key in ("d", "d", "ArrowDown", "Enter"):
        run.page.keyboard.press(key)
    expect(run.page.locator(".jp-Notebook .jp-Cell")).to_have_count(len(CELLS))


def test_matrix__of_a_saved_notebook_opens_once_the_file_is_open(
    run: Notebook, servers: dict[str, Server], context: BrowserContext
) -> None:
    run.save()
    run.shut_down()
    run.page.close()
    notebook = servers["lab"].open(context, servers["lab"].root / "matrix.ipynb")
    rows = in_cell(notebook, RUN).locator('.sm-table tr[aria-level="1"]')
    expect(rows).to_have_count(6)
    in_cell(notebook, RUN).locator("button.sm-unfold").first.click()
    expect(in_cell(notebook, RUN).locator(".sm-given")).to_have_count(2)
    opened = open_first(notebook, RUN)
    expect(opened).to_contain_text("%deliberation PATH")
    notebook.run_cell(0)
    # It was asked again as soon as there was a kernel, whose deliberation is another one.
    expect(opened).to_contain_text("the session's deliberation has none of this")
    notebook.run_cell(OPENED_FILE)
    expect(open_first(notebook, RUN).locator(".sm-evaluated")).to_have_count(4)
    notebook.page.close()
