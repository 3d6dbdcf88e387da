"""Tab in JupyterLab and Notebook 7: what is offered is what the cell then holds."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.jupyter import App, Server

CELLS = [
    "%load_ext shape_magic",
    "%%shape 'Ann (m x)'\nx",
    "%%shape Bob\nx",
    "%%shape Candidate_A\nx",
    "pass",
]
OFFERED = ".jp-Completer:not(.lm-mod-hidden) .jp-Completer-item"


@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_tab__puts_the_id_in_the_place_of_what_was_typed(
    app: App, browser: Browser, servers: dict[App, Server]
) -> None:
    server = servers[app]
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    notebook = server.open(context, server.write(CELLS, name="completed.ipynb"))
    notebook.run_all()
    page = notebook.page
    editor = page.locator(".jp-CodeCell .cm-content").nth(len(CELLS) - 1)
    for typed, expected in (
        ("%read_proposal An", "%read_proposal 'Ann (m x)'"),
        ("%read_proposal 'Ann (m", "%read_proposal 'Ann (m x)'"),
        ("%read_proposal candi", "%read_proposal Candidate_A"),
        ("x = %read_proposal Bo", "x = %read_proposal Bob"),
        ("%shape --analyzer=js", "%shape --analyzer=json"),
        (
            "%search_deliberation --agent-ids Bob an",
            "%search_deliberation --agent-ids Bob 'Ann (m x)'",
        ),
    ):
        editor.click()
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.insert_text(typed)
        page.keyboard.press("Tab")
        expect(page.locator(OFFERED)).to_have_count(1)
        page.keyboard.press("Enter")
        expect(page.locator(OFFERED)).to_have_count(0)
        expect(editor).to_have_text(expected)
    context.close()
