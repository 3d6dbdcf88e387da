"""Which view is linked to which model, in a page that is made as JupyterLab makes its own."""

import json
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from shape_magic.notebook.place import Place, place_of
from shape_magic.notebook.view import ShapeView
from tests.browser.harness import Harness, Placed, measured, proposal

HUB: Final = "globalThis[Symbol.for('shape_magic')]"
TICK: Final = "() => new Promise((done) => setTimeout(done, 20))"


class Notebooks(Harness):
    """A page with notebooks, places and models, all of which the test makes."""

    def __init__(self, page: Page, address: str) -> None:
        super().__init__(page)
        Harness.open(page, address)
        page.evaluate("() => { window.books = {}; window.models = {}; install(''); }")

    def notebook(self, path: str, *cells: str) -> None:
        self.page.evaluate(
            "([path, ids]) => { books[path] = openNotebook(path, ids); }", [path, list(cells)]
        )

    def put(self, place: Place, path: str | None = None, cell: int = 0) -> Harness:
        """Add a place to a cell, or to a page whose host tells nothing, and give its view."""
        return self.put_html(place.html, path, cell)

    def put_html(self, html: str, path: str | None = None, cell: int = 0) -> Harness:
        number: int = self.page.evaluate(
            """([html, path, cell]) => {
              const into = path ? books[path].cells[cell] : document.querySelector("#place");
              into.insertAdjacentHTML("beforeend", html);
              globalThis[Symbol.for("shape_magic")].add(into.lastElementChild);
              const places = [...document.querySelectorAll(".shape-magic-place")];
              return into.lastElementChild.dataset.number = String(places.length);
            }""",
            [html, path, cell],
        )
        return Placed(self.page, self.page.locator(f'[data-number="{number}"] .shape-magic'))

    def connect(self, name: str, state: dict[str, Any], path: str | None = None) -> None:
        self.page.evaluate(
            "([name, state, path]) => {"
            " models[name] = connect(state, path ? books[path].manager : {}); }",
            [name, state, path],
        )
        self.settle()

    def view(self, name: str, place: Place, *displays: Any, path: str | None = None) -> None:
        """Connect the model of a `ShapeView` that was displayed so: [cell, time]."""
        state = self.state(ShapeView(measured(place_text(place))))
        told = [[cell, place.digest, time] for cell, time in displays]
        self.connect(name, {**state, "_displays": told}, path)

    def link(self, name: str, since: float, path: str | None = None) -> None:
        self.connect(name, {"since": since}, path)

    def settle(self) -> None:
        self.page.evaluate(TICK)

    def selection(self, name: str) -> Any:
        self.settle()
        return self.page.evaluate("name => models[name].get('selection')", name)

    def asked(self, name: str) -> list[Any]:
        return self.page.evaluate("name => models[name].sent.map(({ lines }) => lines)", name)  # type: ignore[no-any-return]


def place_text(place: Place) -> str:
    return "\n".join(place.data["lines"]) + "\n"


@pytest.fixture
def notebooks(page: Page, address: str) -> Notebooks:
    return Notebooks(page, address)


PLACE: Final = place_of(measured("# A\n\nB\n"))


def test_view__is_linked_to_the_one_model_that_claims_it(notebooks: Notebooks) -> None:
    view = notebooks.put(PLACE)
    notebooks.view("a", PLACE, [None, 1])
    view.line(2).click()
    assert notebooks.selection("a") == [2, 2]
    notebooks.page.evaluate("models.a.receive({ selection: [1, 3] })")
    assert view.highlighted == [1, 2, 3]


def test_view__that_two_models_claim_is_linked_to_neither(notebooks: Notebooks) -> None:
    view = notebooks.put(PLACE)
    for name, time in (("a", 1), ("b", 2)):
        notebooks.view(name, PLACE, [None, time])
    view.line(2).click()
    assert view.highlighted == [2]
    assert [notebooks.selection(name) for name in "ab"] == [None, None]


def test_views__equal_in_one_cell_are_matched_from_the_last_backwards(notebooks: Notebooks) -> None:
    notebooks.notebook("n.ipynb", "c0")
    shown = [notebooks.put(PLACE, "n.ipynb") for _ in range(2)]
    # The first of the three went away at the front.
    for time, name in enumerate("abc"):
        notebooks.view(name, PLACE, ["c0", time], path="n.ipynb")
    shown[0].line(1).click()
    shown[1].line(2).click()
    assert [notebooks.selection(name) for name in "abc"] == [None, [1, 1], [2, 2]]


def test_views__of_the_same_cells_in_two_notebooks_do_not_mix(notebooks: Notebooks) -> None:
    views = {}
    for path in ("l.ipynb", "r.ipynb"):
        notebooks.notebook(path, "c0")
        views[path] = notebooks.put(PLACE, path)
        notebooks.view(path, PLACE, ["c0", 1], path=path)
    views["l.ipynb"].line(1).click()
    views["r.ipynb"].line(3).click()
    assert [notebooks.selection(path) for path in views] == [[1, 1], [3, 3]]


def test_view__in_another_cell_than_the_models_is_not_linked(notebooks: Notebooks) -> None:
    notebooks.notebook("n.ipynb", "c0", "c1")
    view = notebooks.put(PLACE, "n.ipynb", 1)
    notebooks.view("a", PLACE, ["c0", 1], path="n.ipynb")
    view.line(2).click()
    assert notebooks.selection("a") is None


def test_question__goes_to_the_latest_link_of_the_views_own_notebook(notebooks: Notebooks) -> None:
    for path in ("l.ipynb", "r.ipynb"):
        notebooks.notebook(path, "c0")
    view = notebooks.put(PLACE, "l.ipynb")
    for name, since, path in [("new", 2, "l.ipynb"), ("old", 1, "l.ipynb"), ("r", 3, "r.ipynb")]:
        notebooks.link(name, since, path)
    view.line(2).click()
    notebooks.page.wait_for_function("models.new.sent.length > 0")
    assert [notebooks.asked(name) for name in ("new", "old", "r")] == [[[2, 2]], [], []]


def test_kernel__that_is_another_is_told_of_once_and_the_view_goes_on(notebooks: Notebooks) -> None:
    notebooks.notebook("n.ipynb", "c0")
    view = notebooks.put(PLACE, "n.ipynb")
    notebooks.view("a", PLACE, ["c0", 1], path="n.ipynb")
    notebooks.page.evaluate("() => { books['n.ipynb'].manager.kernel = { id: 'another' }; }")
    view.line(1).click()
    expect(view.root.locator(".sm-without")).to_contain_text("the kernel is gone")
    view.line(2).click()
    expect(view.root.locator(".sm-without")).to_be_hidden()
    assert notebooks.asked("a") == []
    # What another kernel displays there is linked again.
    notebooks.view("b", PLACE, ["c0", 2], path="n.ipynb")
    view.line(3).click()
    assert notebooks.selection("b") == [3, 3]


def test_kernel__that_restarts_leaves_no_question_waiting(notebooks: Notebooks) -> None:
    view = notebooks.put(PLACE)
    notebooks.view("a", PLACE, [None, 1])
    view.line(2).click()
    notebooks.page.wait_for_function("models.a.sent.length > 0")
    notebooks.page.evaluate("models.a.tell('comm_live_update')")
    expect(view.root.locator(".sm-without")).to_contain_text("the kernel is gone")
    assert notebooks.page.evaluate("models.a.callbacks.get('msg:custom').length") == 0
    # What comes after it is asked, though the first question had no answer.
    notebooks.view("b", PLACE, [None, 2])
    view.line(3).click()
    notebooks.page.wait_for_function("models.b.sent.length > 0")
    assert notebooks.asked("b") == [[3, 3]]


def test_model__that_another_took_the_place_of_moves_the_view_no_more(
    notebooks: Notebooks,
) -> None:
    notebooks.notebook("n.ipynb", "c0")
    view = notebooks.put(PLACE, "n.ipynb")
    for name, time in (("a", 1), ("b", 2)):
        notebooks.view(name, PLACE, ["c0", time], path="n.ipynb")
    notebooks.page.evaluate("models.a.receive({ selection: [1, 1] })")
    assert view.highlighted == []
    view.line(3).click()
    assert [notebooks.selection(name) for name in "ab"] == [[1, 1], [3, 3]]


def test_place__is_drawn_once(notebooks: Notebooks) -> None:
    notebooks.put(PLACE).line(2).click()
    notebooks.page.evaluate(f"() => {HUB}.add(document.querySelector('.shape-magic-place'))")
    expect(notebooks.page.locator(".shape-magic")).to_have_count(1)
    assert notebooks.highlighted == [2]


def test_place__of_a_newer_format_stays_static_for_a_newer_library(notebooks: Notebooks) -> None:
    newer = PLACE.html.replace('{"format":1,', '{"format":2,')
    notebooks.put_html(newer)
    expect(notebooks.page.locator(".shape-magic")).to_have_count(0)
    expect(notebooks.page.locator(".shape-magic-place")).to_contain_text("Source, 3 lines")
    assert notebooks.page.evaluate(f"[...{HUB}].length") == 1


def test_places__that_waited_for_the_library_are_drawn_when_it_comes(
    page: Page, address: str
) -> None:
    Harness.open(page, address)
    page.evaluate(
        f"""html => {{
          document.querySelector("#place").innerHTML = html;
          {HUB} = new Set(document.querySelectorAll(".shape-magic-place"));
          install("");
          install("");
        }}""",
        PLACE.html + place_of(proposal()).html,
    )
    expect(page.locator(".shape-magic")).to_have_count(2)
    expect(page.locator("style[data-shape-magic]")).to_have_count(1)


def test_data__survives_its_attribute_to_the_letter(notebooks: Notebooks) -> None:
    place = place_of(measured("'\"&<>\u2028\ud800\x00\n"))
    notebooks.put(place)
    written = notebooks.page.locator(".shape-magic-place").get_attribute("data-shape-magic-view")
    assert json.loads(written or "") == place.data


@pytest.mark.parametrize("linked", [True, False], ids=["linked", "alone"])
def test_view__that_the_host_drops_is_not_kept(notebooks: Notebooks, linked: bool) -> None:
    name = "view" if linked else "link"
    notebooks.link("link", 1)
    if linked:
        notebooks.view("view", PLACE, [None, 1])
    notebooks.put(PLACE).line(2).click()
    notebooks.page.wait_for_function("name => models[name].sent.length > 0", arg=name)
    notebooks.page.evaluate(
        """(name) => {
          const [{ number }] = models[name].sent;
          models[name].tell("msg:custom", { number, shape: {} });
        }""",
        name,
    )
    notebooks.page.evaluate(
        """() => {
          const place = document.querySelector(".shape-magic-place");
          window.left = new WeakRef(place.querySelector(".sm-source"));
          place.remove();
        }"""
    )
    devtools = notebooks.page.context.new_cdp_session(notebooks.page)
    notebooks.page.wait_for_timeout(500)
    for _ in range(3):
        devtools.send("HeapProfiler.collectGarbage")
        notebooks.settle()
    assert notebooks.page.evaluate("left.deref() === undefined")
