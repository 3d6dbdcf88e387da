"""JupyterLab and Notebook 7, each with a real kernel: the widget, end to end."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import watch
from tests.browser.harness import SAMPLE, Harness, Placed
from tests.browser.jupyter import PANEL, REPOSITORY, App, Notebook, Server

FORMER = SAMPLE.replace("| cache | 4 ms |\n", "").replace("Use a", "You might want to use a")

CELLS = [
    "%load_ext shape_magic",
    f"%%shape Candidate_A\n{FORMER}",
    f"%%shape Candidate_A --round 2 -o second\n{SAMPLE}",
    "from shape_magic.notebook.view import ShapeView\n"
    "from ipywidgets import HBox\n"
    "view = ShapeView(second.measurement)\n"
    "heard = []\n"
    "view.observe(lambda change: heard.append(change['new']), 'selection')\n"
    "HBox([view])",
    "from shape_magic.notebook.view import Playground\nplayground = Playground()\nplayground",
    "%shape_compare Candidate_A@1 Candidate_A@2 -o both",
]
# Which of the page's views is which.
PROPOSED, OWN, PLAYGROUND, COMPARED = 1, 2, 3, 4
QUICKSTART = REPOSITORY / "notebooks"

SET_SOURCE = f"""
([index, source]) => {{
  {PANEL}.content.widgets[index].model.sharedModel.setSource(source);
}}
"""


@pytest.fixture(scope="module", params=["lab", "notebook"])
def app(request: pytest.FixtureRequest) -> App:
    app: App = request.param
    return app


@pytest.fixture(scope="module")
def notebook(app: App, browser: Browser, servers: dict[App, Server]) -> Iterator[Notebook]:
    server = servers[app]
    shutil.copytree(QUICKSTART, server.root / "of-the-project")
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    context.set_default_timeout(10_000)
    requests_out: list[str] = []
    watch(context, requests_out)
    notebook = server.open(context, server.write(CELLS, name="try.ipynb"))
    notebook.run_all()
    expect(notebook.page.locator(".shape-magic")).to_have_count(5, timeout=30_000)
    yield notebook
    assert requests_out == []
    context.close()


def placed(notebook: Notebook, place: int) -> Placed:
    """Give one of the notebook's views."""
    return Placed(notebook.page, notebook.page.locator(".shape-magic").nth(place))


@pytest.fixture
def view(notebook: Notebook) -> Harness:
    """The view that Python has as `view`."""
    return placed(notebook, OWN)


def test_clicks__select_and_python_says_the_same(notebook: Notebook, view: Harness) -> None:
    view.anchor(20).click()
    assert view.highlighted == [20, 21, 22, 23]
    assert notebook.execute("print(view.selection)") == "(20, 23)"
    view.attribute("list_items").click()
    assert view.lines_with("[data-evidence]") == [5, 6, 10, 11, 12]
    assert notebook.execute("print(view.attribute)") == "list_items"
    view.line(3).click()
    view.line(8).click(modifiers=["Shift"])
    assert view.highlighted == list(range(3, 9))
    assert notebook.execute("print(view.selection, heard[-1])") == "(3, 8) (3, 8)"


def test_keys__reach_the_view_and_not_the_notebook(notebook: Notebook, view: Harness) -> None:
    cells = notebook.page.locator(".jp-Notebook .jp-Cell").count()
    view.line(5).click()
    for key in ["ArrowDown", "Shift+ArrowDown", "d", "d", "a", "b"]:
        notebook.page.keyboard.press(key)
    assert view.highlighted == [6, 7]
    assert notebook.page.locator(".jp-Notebook .jp-Cell").count() == cells


@pytest.mark.parametrize("place", ["a line", "the search box", "a tile", "an anchor"])
def test_keys__of_the_host_go_on_after_a_click_in_the_view(
    notebook: Notebook, view: Harness, place: str
) -> None:
    cells = notebook.page.locator(".jp-Notebook .jp-Cell").count()
    target = {
        "a line": view.line(5),
        "the search box": view.search,
        "a tile": view.attribute("headings"),
        "an anchor": view.anchor(14),
    }[place]
    source = f"# typed beside {place}"
    notebook.page.evaluate(SET_SOURCE, [len(CELLS) - 1, source])
    target.click()
    for key in ["d", "d"]:
        notebook.page.keyboard.press(key)
    notebook.page.keyboard.press("ControlOrMeta+s")
    notebook.page.wait_for_function(f"!{PANEL}.context.model.dirty")
    saved = notebook.read()
    assert len(saved["cells"]) == cells == len(CELLS)
    assert saved["cells"][-1]["source"] == source
    view.search.fill("")


def test_keys__run_a_cell_after_a_click_in_its_view(notebook: Notebook, view: Harness) -> None:
    run = f"{PANEL}.content.widgets[3].model.executionCount"
    before = notebook.page.evaluate(run)
    view.line(5).click()
    notebook.page.keyboard.press("Shift+Enter")
    notebook.page.wait_for_function(f"before => {run} > before", arg=before)
    notebook.execute("pass")
    view.line(6).click()
    assert notebook.execute("print(view.selection)") == "(6, 6)"


def test_selection__set_in_python_is_shown(notebook: Notebook, view: Harness) -> None:
    assert notebook.execute("view.selection = (9, 16)") == ""
    expect(view.root.locator(".sm-where")).to_contain_text("L9\N{EN DASH}16")
    assert view.highlighted == list(range(9, 17))
    assert notebook.execute("view.selection = (9, 99)").startswith("SelectionError: (9, 99)")
    assert view.highlighted == list(range(9, 17))


def test_without__is_measured_by_the_kernel(notebook: Notebook, view: Harness) -> None:
    view.anchor(20).click()
    expect(view.root.locator(".sm-without")).to_contain_text("0 table_rows")


def test_why__is_answered_by_the_kernel(notebook: Notebook, view: Harness) -> None:
    view.attribute("table_rows").click()
    number = view.root.locator(".sm-why-number")
    number.get_by_role("button", name="why is it 4, and not more?").click()
    expect(number.locator(".sm-reason").first).to_contain_text("L20", timeout=10_000)
    view.attribute("table_rows").click()
    view.line(26).click()
    lines = view.root.locator(".sm-why")
    lines.get_by_role("button").click()
    expect(lines).to_contain_text("not counted", timeout=10_000)


def test_clicks__select_while_a_cell_sleeps(notebook: Notebook, view: Harness) -> None:
    notebook.start("import time; time.sleep(3)")
    for line in (2, 12, 6):
        view.line(line).click()
        expect(view.line(line)).to_have_attribute("aria-selected", "true", timeout=300)
    assert notebook.running
    assert notebook.execute("print(view.selection)") == "(6, 6)"


def test_measurement__set_in_python_is_shown_in_place(notebook: Notebook, view: Harness) -> None:
    view.line(2).click()
    notebook.execute("import shape_magic; before = view.measurement")
    notebook.execute("view.measurement = shape_magic.measure('\\ud800 \\udc80 <b>')")
    expect(view.root.locator(".sm-line")).to_have_text("[U+D800] [U+DC80] <b>")
    assert notebook.execute("print(view.selection)") == "None"
    notebook.execute("view.measurement = before")
    expect(view.attribute("table_rows")).to_contain_text("4")


def test_playground__follows_the_typing(notebook: Notebook) -> None:
    playground = placed(notebook, PLAYGROUND)
    area = playground.root.get_by_label("Text to measure")
    area.fill("# A\n\n- b\n")
    expect(playground.attribute("list_items")).to_contain_text("1")
    area.press_sequentially("- c\n- d\n")
    expect(playground.attribute("list_items")).to_contain_text("3")
    expect(area).to_have_value("# A\n\n- b\n- c\n- d\n")
    expect(area).to_be_focused()
    area.evaluate("area => { area.value = '# \\ud800'; area.dispatchEvent(new Event('input')); }")
    expect(playground.attribute("lines")).to_contain_text("1")
    expect(playground.line(1)).to_have_text("# [U+D800]")
    assert notebook.execute("print(ascii(playground.text))") == r"'# \ud800'"


def test_proposal__shows_the_change_since_the_round_before(notebook: Notebook) -> None:
    proposed = placed(notebook, PROPOSED)
    expect(proposed.root.locator(".sm-facts").first).to_contain_text("round 2")
    expect(proposed.attribute("table_rows")).to_contain_text("+1")


def test_comparison__is_linked_on_both_sides(notebook: Notebook) -> None:
    compared = placed(notebook, COMPARED)
    expect(compared.attribute("table_rows")).to_contain_text("+1")
    compared.root.locator('[data-side="0"][data-line="1"]').click()
    compared.root.locator('[data-side="1"][data-line="3"]').click()
    said = notebook.execute("print(both.left.selection, both.right.selection)")
    assert said == "(1, 1) (3, 3)"
    notebook.execute("both.right.selection = (20, 23)")
    expect(compared.root.locator('[data-side="1"][data-selected]')).to_have_count(4)
    expect(compared.root.locator(".sm-without").last).to_contain_text("0 table_rows")


def test_theme__follows_the_host(notebook: Notebook, view: Harness, app: App) -> None:
    paper = "root => getComputedStyle(root).backgroundColor"
    light = view.root.evaluate(paper)
    change = "name => window.jupyterapp.commands.execute('apputils:change-theme', { theme: name })"
    notebook.page.evaluate(change, "JupyterLab Dark")
    notebook.page.wait_for_function("document.body.dataset.jpThemeLight === 'false'")
    expect(view.root).not_to_have_css("background-color", light)
    notebook.page.evaluate(change, "JupyterLab Light")
    expect(view.root).to_have_css("background-color", light)


def test_axe__finds_nothing_in_the_host(
    notebook: Notebook, view: Harness, npm_packages: Path
) -> None:
    view.anchor(20).click()
    view.attribute("prose_chars").click()
    page = notebook.page
    page.evaluate((npm_packages / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run('.shape-magic', { resultTypes: ['violations'] })")
    assert [(violation["id"], violation["nodes"]) for violation in found["violations"]] == []


def test_screenshot__is_kept(notebook: Notebook, artefacts: Path, app: App) -> None:
    first = placed(notebook, PROPOSED)
    first.anchor(20).click()
    first.attribute("prose_chars").click()
    first.root.scroll_into_view_if_needed()
    picture = artefacts / f"{app}.png"
    notebook.page.screenshot(path=picture)
    first.root.screenshot(path=artefacts / f"{app}-view.png")
    assert picture.stat().st_size > 10_000


def test_quickstart__shows_the_widget(notebook: Notebook, app: App, artefacts: Path) -> None:
    page = notebook.page.context.new_page()
    name = "of-the-project/01-quickstart.ipynb"
    quickstart = Notebook.open(page, app, notebook.address, name=name)
    quickstart.run_all()
    expect(page.locator(".shape-magic")).to_have_count(8, timeout=30_000)
    view = placed(quickstart, 0)
    view.anchor(3).click()
    assert view.highlighted == [3, 4, 5, 6, 7]
    view.attribute("list_items").click()
    assert view.lines_with("[data-evidence]") == [5, 6]
    view.line(1).click()
    view.line(3).click(modifiers=["Shift"])
    assert view.highlighted == [1, 2, 3]
    view.root.scroll_into_view_if_needed()
    page.screenshot(path=artefacts / f"{app}-quickstart.png")
    page.close()
