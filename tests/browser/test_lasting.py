"""What is shown lasts: saved, closed, opened again, copied, moved, with a kernel and without."""

import copy
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, expect

from tests.browser.conftest import watch
from tests.browser.harness import SAMPLE, Placed
from tests.browser.jupyter import App, Notebook, Server

CELLS = [
    "%load_ext shape_magic",
    f"%%shape Candidate_A\n{SAMPLE}",
    "from shape_magic.notebook.view import Playground, ShapeView\n"
    "view = ShapeView(_.measurement)\nview",
    "playground = Playground('# A')\nplayground",
    f"%%shape Candidate_A --round 2\n{SAMPLE}\nMore.",
    "%shape_compare Candidate_A@1 Candidate_A@2",
]
LIBRARY, MEASURED, OWN, PLAYGROUND, LATER, COMPARED = range(6)
VIEWS = 5

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["lab", "notebook"])
def app(request: pytest.FixtureRequest) -> App:
    app: App = request.param
    return app


@pytest.fixture(scope="module")
def server(app: App, servers: dict[App, Server]) -> Server:
    return servers[app]


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    context.set_default_timeout(15_000)
    requests_out: list[str] = []
    watch(context, requests_out)
    yield context
    context.close()
    assert requests_out == []


@pytest.fixture(scope="module")
def saved(server: Server, context: BrowserContext) -> Path:
    """A notebook that was run, saved and closed, and whose kernel is no more."""
    path = server.write(CELLS, name="saved.ipynb")
    notebook = server.open(context, path)
    notebook.run_all()
    expect(views(notebook)).to_have_count(VIEWS)
    notebook.save()
    notebook.shut_down()
    notebook.page.close()
    return path


def views(notebook: Notebook) -> Locator:
    return notebook.page.locator(".jp-Notebook .shape-magic")


def view_of(notebook: Notebook, cell: int, place: int = 0) -> Placed:
    """The view in the output of a cell."""
    root = notebook.page.locator(".jp-Notebook .jp-Cell").nth(cell).locator(".shape-magic")
    return Placed(notebook.page, root.nth(place))


def comes_to(find: Callable[[], object], expected: object) -> None:
    """Wait, with a limit, for what a page and a kernel have yet to tell one another."""
    for _ in range(40):
        if find() == expected:
            return
        time.sleep(0.25)
    assert find() == expected


def static_of(notebook: Notebook, cell: int) -> Locator:
    return notebook.page.locator(".jp-Notebook .jp-Cell").nth(cell).locator(".jp-OutputArea-output")


def from_elsewhere(server: Server, path: Path) -> Path:
    """Write a notebook as somebody else has it: it is not the one that was signed here."""
    content = nbformat.read(path, as_version=4)
    content.metadata["from"] = "elsewhere"
    nbformat.write(content, server.root / "untrusted.ipynb")
    return server.root / "untrusted.ipynb"


def test_saved__has_no_widget_in_its_outputs(saved: Path) -> None:
    for cell in nbformat.read(saved, as_version=4).cells:
        for output in cell.outputs:
            forms = set(output.get("data", {"text/plain": ""}))
            assert forms <= {"text/html", "text/plain"}, (cell.source, forms)


def test_saved__opened_again_is_interactive(
    server: Server, context: BrowserContext, saved: Path
) -> None:
    notebook = server.open(context, saved)
    expect(views(notebook)).to_have_count(VIEWS)
    view = view_of(notebook, MEASURED)
    view.anchor(20).click()
    assert view.highlighted == [20, 21, 22, 23]
    # The new kernel has loaded nothing: nothing is said of it.
    expect(view.root.locator(".sm-without")).to_be_hidden()
    notebook.page.close()


def test_saved__and_loaded_again_is_linked(
    server: Server, context: BrowserContext, saved: Path
) -> None:
    notebook = server.open(context, saved)
    expect(views(notebook)).to_have_count(VIEWS)
    notebook.run_cell(LIBRARY)
    view = view_of(notebook, MEASURED)
    view.anchor(20).click()
    expect(view.root.locator(".sm-without")).to_contain_text("0 table_rows")
    notebook.shut_down()
    view.anchor(14).click()
    expect(view.root.locator(".sm-without")).to_contain_text("the kernel is gone")
    assert view.highlighted == [14, 15, 16]
    notebook.page.close()


def test_untrusted__is_static_and_complete(
    server: Server, context: BrowserContext, saved: Path
) -> None:
    notebook = server.open(context, from_elsewhere(server, saved))
    output = static_of(notebook, MEASURED)
    expect(output).to_contain_text("Candidate_A · round 1")
    expect(output).to_contain_text("found = cache.get(key)")
    expect(output).to_contain_text("table_rows")
    text = notebook.page.locator(".jp-Notebook .jp-OutputArea").all_inner_texts()
    assert not any("globalThis" in part or "atob" in part for part in text)
    expect(views(notebook)).to_have_count(0)
    notebook.page.close()


def test_library__cleared_leaves_static_views_until_a_kernel_brings_it(
    server: Server, context: BrowserContext, saved: Path
) -> None:
    notebook = server.open(context, saved)
    expect(views(notebook)).to_have_count(VIEWS)
    notebook.clear_output(LIBRARY)
    notebook.save()
    notebook.page.close()
    notebook = server.open(context, saved)
    expect(static_of(notebook, MEASURED)).to_contain_text("found = cache.get(key)")
    expect(views(notebook)).to_have_count(0)
    notebook.execute("%load_ext shape_magic")
    expect(views(notebook)).to_have_count(VIEWS)
    notebook.run_cell(LIBRARY)
    notebook.save()
    notebook.shut_down()
    notebook.page.close()
    notebook = server.open(context, saved)
    expect(views(notebook)).to_have_count(VIEWS)
    notebook.page.close()


def test_library__collapsed_leaves_static_views_until_a_kernel_brings_it(
    server: Server, context: BrowserContext
) -> None:
    path = server.write(CELLS[:2], name="collapsed.ipynb")
    notebook = server.open(context, path)
    notebook.run_all()
    expect(views(notebook)).to_have_count(1)
    notebook.command("notebook:hide-cell-outputs", cell=LIBRARY)
    notebook.save()
    notebook.shut_down()
    notebook.page.close()
    notebook = server.open(context, path)
    expect(static_of(notebook, MEASURED)).to_contain_text("found = cache.get(key)")
    expect(views(notebook)).to_have_count(0)
    notebook.run_cell(LIBRARY)
    expect(views(notebook)).to_have_count(1)
    view_of(notebook, MEASURED).anchor(20).click()
    without = view_of(notebook, MEASURED).root.locator(".sm-without")
    expect(without).to_contain_text("0 table_rows")
    notebook.page.close()


RUN_OFTEN = """
async ([cell, times]) => {
  const { content } = window.jupyterapp.shell.currentWidget;
  for (let time = 0; time < times; time += 1) {
    content.activeCellIndex = cell;
    await window.jupyterapp.commands.execute("notebook:run-cell");
  }
}
"""


def test_cell__run_200_times_keeps_nothing_of_its_runs(
    app: App, server: Server, context: BrowserContext
) -> None:
    if app == "notebook":
        pytest.skip("one host tells: the module is the same")
    notebook = server.open(context, server.write(CELLS[:2], name="often.ipynb"))
    notebook.run_all()
    devtools = context.new_cdp_session(notebook.page)
    devtools.send("Performance.enable")

    def measured_after(times: int) -> dict[str, float]:
        notebook.page.evaluate(RUN_OFTEN, [MEASURED, times])
        expect(views(notebook)).to_have_count(1)
        view_of(notebook, MEASURED).line(3).click()
        for _ in range(2):
            devtools.send("HeapProfiler.collectGarbage")
        told = devtools.send("Performance.getMetrics")["metrics"]
        return {metric["name"]: metric["value"] for metric in told}

    before, after = measured_after(20), measured_after(200)
    for name, room in {"Nodes": 2_000, "JSHeapUsedSize": 6_000_000}.items():
        assert after[name] - before[name] < room, (name, before[name], after[name])
    kept = "import gc; from shape_magic.notebook.link import Subjects\n"
    kept += "print([len(found) for found in gc.get_objects() if type(found) is Subjects])"
    assert notebook.execute(kept) == "[1]"
    notebook.page.close()


def test_reload_of_the_page__is_linked_and_keeps_the_selection(
    server: Server, context: BrowserContext
) -> None:
    notebook = server.open(context, server.write(CELLS, name="reloaded.ipynb"))
    notebook.run_all()
    view = view_of(notebook, OWN)
    view.anchor(20).click()
    assert notebook.execute("print(view.selection)") == "(20, 23)"
    notebook.save()
    notebook.reload()
    expect(views(notebook)).to_have_count(VIEWS)
    expect(view.root.locator(".sm-where")).to_contain_text("L20")
    expect(view.root.locator(".sm-without")).to_contain_text("0 table_rows")
    notebook.execute("view.selection = (1, 2)")
    expect(view.root.locator(".sm-where")).to_contain_text("L1\N{EN DASH}2")
    view_of(notebook, MEASURED).anchor(20).click()
    without = view_of(notebook, MEASURED).root.locator(".sm-without")
    expect(without).to_contain_text("0 table_rows")
    area = view_of(notebook, PLAYGROUND).root.get_by_label("Text to measure")
    area.fill("- one\n- two\n")
    expect(view_of(notebook, PLAYGROUND).attribute("list_items")).to_contain_text("2")
    notebook.page.close()


def test_restart__and_run_again_is_linked_again(server: Server, context: BrowserContext) -> None:
    notebook = server.open(context, server.write(CELLS, name="restarted.ipynb"))
    notebook.run_all()
    view_of(notebook, OWN).line(3).click()
    notebook.restart()
    view = view_of(notebook, OWN)
    view.line(5).click()
    expect(view.root.locator(".sm-without")).to_contain_text("the kernel is gone")
    notebook.run_all()
    view.line(7).click()
    assert notebook.execute("print(view.selection)") == "(7, 7)"
    expect(view.root.locator(".sm-without")).to_contain_text("chars")
    notebook.page.close()


def test_cells__run_out_of_order_moved_and_copied_are_each_their_own(
    server: Server, context: BrowserContext
) -> None:
    shown = "from shape_magic import measure\nfrom shape_magic.notebook.view import ShapeView\n"
    cells = [
        "%load_ext shape_magic",
        f"{shown}first = ShapeView(measure('a\\nb\\n'))\nfirst",
        f"{shown}second = ShapeView(measure('a\\nb\\n'))\nsecond",
    ]
    notebook = server.open(context, server.write(cells, name="order.ipynb"))
    for cell in (0, 2, 1, 2):
        notebook.run_cell(cell)
    view_of(notebook, 1).line(1).click()
    view_of(notebook, 2).line(2).click()
    said = "print(first.selection, second.selection)"
    comes_to(lambda: notebook.execute(said), "(1, 1) (2, 2)")
    # The second cell moves to the top, with its output.
    notebook.command("notebook:move-cell-up", cell=2)
    notebook.command("notebook:move-cell-up", cell=1)
    # The host draws a cell that has moved anew, and a reader is slower than that.
    notebook.page.wait_for_timeout(2_000)
    comes_to(lambda: view_of(notebook, 0).highlighted, [2])
    view_of(notebook, 0).line(1).click()
    comes_to(lambda: notebook.execute(said), "(1, 1) (1, 1)")
    view_of(notebook, 2).line(2).click()
    comes_to(lambda: notebook.execute(said), "(2, 2) (1, 1)")
    # A copy is another cell, which nothing was displayed in.
    notebook.command("notebook:copy-cell", cell=2)
    notebook.command("notebook:paste-cell-below", cell=2)
    notebook.page.wait_for_timeout(2_000)
    view_of(notebook, 3).line(1).click()
    assert view_of(notebook, 3).highlighted == [1]
    assert notebook.execute(said) == "(2, 2) (1, 1)"
    notebook.page.close()


def test_notebooks__with_the_same_cells_in_one_page_do_not_mix(
    app: App, server: Server, context: BrowserContext
) -> None:
    if app == "notebook":
        pytest.skip("Notebook 7 shows one notebook in a page")
    path = server.write(CELLS, name="left.ipynb")
    content = nbformat.read(path, as_version=4)
    nbformat.write(copy.deepcopy(content), server.root / "right.ipynb")
    left = server.open(context, path)
    left.run_all()
    left.open_beside("right.ipynb")
    left.run_all()
    expect(left.page.locator(".jp-NotebookPanel")).to_have_count(2)
    panels = left.page.locator(".jp-NotebookPanel")
    for number, line in ((0, 4), (1, 9)):
        root = panels.nth(number).locator(".jp-Cell").nth(OWN).locator(".shape-magic")
        Placed(left.page, root).line(line).click()
    chosen = [
        left.execute("print(view.selection)", path=name) for name in ("left.ipynb", "right.ipynb")
    ]
    assert chosen == ["(4, 4)", "(9, 9)"]
    left.page.close()


def test_clone__of_an_output_is_interactive(
    app: App, server: Server, context: BrowserContext
) -> None:
    if app == "notebook":
        pytest.skip("Notebook 7 makes no clone of an output")
    notebook = server.open(context, server.write(CELLS[:3], name="cloned.ipynb"))
    notebook.run_all()
    notebook.command("notebook:create-output-view", cell=OWN)
    clone = Placed(notebook.page, notebook.page.locator(".jp-LinkedOutputView .shape-magic"))
    clone.line(6).click()
    assert clone.highlighted == [6]
    assert notebook.execute("print(view.selection)", path="cloned.ipynb") == "(6, 6)"
    notebook.page.close()
