"""What the view shows follows its state, whoever sets it, for any text."""

import re

import pytest
from playwright.sync_api import BrowserContext, expect

from shape_magic.lines import split_lines
from shape_magic.notebook.view import Playground, ShapeView
from shape_magic.notebook.view_data import from_wire, to_wire
from shape_magic.wording import visible
from tests.browser.harness import SAMPLE, Harness, measured, proposal

LONG = "Some running text.\n" * 20_000


def drawn(harness: Harness) -> str:
    """The view's elements as HTML, without the ids that no two drawings share."""
    harness.lines_with("")
    html: str = harness.root.evaluate("root => root.outerHTML")
    return re.sub(r"sm-[a-z0-9]{6,}-(?=notes|active|[a-z]+_|chars|lines|headings)", "", html)


# --- Set from Python


def test_selection__from_python_selects_and_scrolls_the_pane_alone(harness: Harness) -> None:
    harness.show("word\n" * 400)
    harness.receive(selection=[300, 302])
    harness.expect_selection((300, 302))
    expect(harness.line(300)).to_be_in_viewport()
    assert harness.page.evaluate("scrollY") == 0
    harness.receive(selection=None)
    harness.expect_selection(None)


def test_selection__far_below_leaves_the_page_where_it_is(harness: Harness) -> None:
    harness.page.set_viewport_size({"width": 1000, "height": 300})
    harness.show("word\n" * 400)
    harness.receive(selection=[300, 302])
    harness.page.wait_for_function("document.querySelector('.sm-source').scrollTop > 5000")
    harness.lines_with("")
    assert harness.page.evaluate("scrollY") == 0


@pytest.mark.parametrize(
    ("selection", "in_sight"),
    [((300, 310), [300, 310]), ((25, 30), [25, 30]), ((100, 300), [100]), ((1, 400), [1])],
    ids=["far", "near", "tall", "all"],
)
def test_selection__is_in_sight_as_far_as_it_fits(
    harness: Harness, selection: tuple[int, int], in_sight: list[int]
) -> None:
    harness.show("word\n" * 400)
    harness.receive(selection=list(selection))
    harness.page.wait_for_timeout(150)
    for line in in_sight:
        expect(harness.line(line)).to_be_in_viewport(ratio=1)


def test_selection__from_python_is_where_shift_goes_on(harness: Harness) -> None:
    harness.show(proposal())
    harness.receive(selection=[9, 12])
    harness.line(14).click(modifiers=["Shift"])
    harness.expect_selection((9, 14))


def test_attribute_and_search__from_python_are_shown(harness: Harness) -> None:
    harness.show(proposal())
    harness.receive(attribute="table_rows", search=to_wire("cache"))
    assert harness.lines_with("[data-evidence]") == [20, 21, 22, 23]
    expect(harness.search).to_have_value("cache")
    assert len(harness.lines_with("[data-matched]")) > 1


def test_state__given_at_the_start_is_shown(harness: Harness) -> None:
    harness.show(proposal(), selection=(2, 4), attribute="headings", search="ledger")
    harness.expect_selection((2, 4))
    assert len(harness.lines_with("[data-evidence]")) == 3
    assert len(harness.lines_with("[data-matched]")) == 2


def test_clicks__are_saved_for_python(harness: Harness) -> None:
    harness.show(proposal())
    harness.line(4).click()
    harness.attribute("chars").click()
    harness.search.fill("é\ud800".encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    assert harness.page.evaluate("model.saved") == 3
    assert from_wire(harness.trait("search")) == "é\ufffd"


def test_two_views__of_one_model_move_together(harness: Harness) -> None:
    harness.show(proposal())
    harness.page.evaluate(
        "const second = document.createElement('div'); document.body.append(second);"
        " renderModel({ model, el: second, signal: host.signal }); 0"
    )
    expect(harness.page.locator(".shape-magic")).to_have_count(2)
    harness.page.locator('[data-line="6"]').first.click()
    for view in harness.page.locator(".shape-magic").all():
        expect(view.locator('[aria-selected="true"]')).to_have_attribute("data-line", "6")
    ids = harness.page.locator("[id]").evaluate_all("all => all.map(one => one.id)")
    assert len(ids) == len(set(ids))


# --- Another measurement in its place


@pytest.mark.parametrize(
    "after",
    [proposal("# B\n\nother\n", agent_id="B", change=3), measured('{"a": ["x", 1]}'), measured("")],
    ids=["markdown", "json", "empty"],
)
def test_measurement__set_anew_looks_as_in_a_new_view(harness: Harness, after: object) -> None:
    assert isinstance(after, (type(proposal()), type(measured(""))))
    view = ShapeView(proposal(), selection=(2, 9), attribute="chars", search="a")
    harness.page.evaluate("state => void show(state)", view.get_state(harness_keys(view)))
    harness.line(9).click()
    harness.page.mouse.move(0, 0)
    view.measurement = after
    harness.receive(**harness.state(view))
    updated = drawn(harness)
    harness.show(after)
    assert updated == drawn(harness)


def harness_keys(view: ShapeView) -> list[str]:
    return [name for name in ("_shown", "selection", "attribute", "search") if view.has_trait(name)]


# --- Texts


def test_empty_text__says_so(harness: Harness) -> None:
    harness.show("")
    expect(harness.root.locator(".sm-empty")).to_be_visible()
    for name in ("chars", "lines"):
        expect(harness.attribute(name)).to_contain_text("0")
        harness.attribute(name).click()


def test_one_line__is_selected_by_any_way(harness: Harness) -> None:
    harness.show("Yes.")
    harness.source.focus()
    harness.page.keyboard.press("Shift+End")
    harness.expect_selection((1, 1))


def test_no_outline__says_no_anchors(harness: Harness) -> None:
    harness.show("Just text.\n")
    expect(harness.root.locator(".sm-facts").first).to_contain_text("no anchors")
    expect(harness.root.locator(".sm-outline")).to_have_count(0)
    expect(harness.root.locator(".sm-anchors")).to_have_count(0)


def test_json__is_shown_in_its_readable_form(harness: Harness) -> None:
    harness.show('{"answer": [1, "x\\ny"], "why": {}}')
    assert harness.root.locator(".sm-line").all_inner_texts() == split_lines(
        measured('{"answer": [1, "x\\ny"], "why": {}}').text
    )
    harness.anchor(2).click()
    harness.expect_selection((2, 5))


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_lines__are_those_of_the_line_model(harness: Harness, ending: str) -> None:
    text = ending.join(["a\u2028b", "", "c\x0bd", "\x85e", "f"])
    harness.show(text)
    shown = harness.root.locator(".sm-line").evaluate_all("all => all.map(one => one.textContent)")
    assert shown == [visible(line) for line in split_lines(text)]


def test_long_text__is_all_in_the_page_in_the_end(harness: Harness) -> None:
    harness.show(LONG)
    expect(harness.root.locator(".sm-line")).to_have_count(20_000)
    harness.source.focus()
    harness.page.keyboard.press("End")
    expect(harness.line(20_000)).to_be_in_viewport()
    harness.attribute("chars").click()
    expect(harness.root.locator(".sm-line[data-evidence]")).to_have_count(20_000)


def test_long_text__selected_at_the_start_shows_its_lines(harness: Harness) -> None:
    harness.show(LONG, selection=(15_000, 15_002))
    expect(harness.line(15_001)).to_be_in_viewport()
    expect(harness.line(15_001)).to_have_attribute("aria-selected", "true")


@pytest.mark.parametrize("unit", ["x", "word "], ids=["one word", "words"])
def test_long_line__is_cut_for_the_eye_alone(
    harness: Harness, context: BrowserContext, unit: str
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    text = unit * (1_000_000 // len(unit))
    harness.show(text, selection=(1, 1))
    expect(harness.line(1)).to_contain_text("… 990,000 more characters")
    harness.root.get_by_role("button", name="copy numbered").click()
    copied = harness.page.evaluate("navigator.clipboard.readText()")
    assert copied == f'<lines from="1" to="1" total="1">\n   1| {text}\n</lines>'


def test_long_line__is_cut_between_characters(harness: Harness) -> None:
    harness.show("x" + "\U0001f600" * 6000)
    expect(harness.line(1)).to_contain_text("\U0001f600 … 2,002 more characters")


def test_long_outline__says_how_much_more_there_is(harness: Harness) -> None:
    harness.show("# A\n" * 2100)
    rest = harness.root.locator(".sm-anchors .sm-rest")
    expect(rest).to_have_text("and 100 more anchors", timeout=60_000)


@pytest.mark.parametrize(
    "line",
    ["שלום עולם, 12 ms", "مرحبا بالعالم", "👩‍👩‍👧 e\u0301 🇪🇺", "a\u202eb\u2066c", "a\x1b[31m\x00b"],
    ids=["Hebrew", "Arabic", "emoji", "overrides", "controls"],
)
def test_line__of_any_script_is_shown_visible_and_copied_verbatim(
    harness: Harness, context: BrowserContext, line: str
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    harness.show(f"# {line}\n\n{line}\n", selection=(3, 3))
    assert harness.line(3).evaluate("one => one.textContent") == visible(line)
    expect(harness.anchor(1).locator(".sm-label")).to_have_text(f"# {visible(line)}")
    # The gutter stays at the left, whichever way the text runs.
    boxes = [harness.line(number).bounding_box() for number in (1, 2, 3)]
    assert len({box["x"] for box in boxes if box is not None}) == 1
    harness.root.get_by_role("button", name="copy numbered").click()
    assert line in harness.page.evaluate("navigator.clipboard.readText()")


def test_lone_surrogate__reaches_the_page_and_shows_as_its_symbol(harness: Harness) -> None:
    line = "a\ud800b\udfff \U0001f600"
    harness.show(line)
    assert harness.line(1).evaluate("one => one.textContent") == visible(line)
    units = harness.page.evaluate(
        "Array.from({ length: 9 }, (_, at) => JSON.parse(model.get('_shown')).lines[0]"
        ".charCodeAt(at))"
    )
    assert units[:5] == [0x61, 0xD800, 0x62, 0xDFFF, 0x20]


# --- A playground


def test_playground__sends_what_is_typed(harness: Harness) -> None:
    harness.show_view(Playground("# A\n"))
    area = harness.root.get_by_label("Text to measure")
    expect(area).to_have_value("# A\n")
    area.press("Control+End")
    harness.page.keyboard.insert_text("é\x00😀")
    assert from_wire(harness.trait("text")) == "# A\né\x00😀"
    # Python compares to the letter to know what the page has already.
    assert harness.trait("text") == to_wire("# A\né\x00😀")


def test_playground__keeps_the_place_and_the_caret_when_python_answers(harness: Harness) -> None:
    playground = Playground("# A\n" + "word\n" * 200)
    harness.page.evaluate(
        "state => void show(state)", playground.get_state([*harness_keys(playground), "text"])
    )
    area = harness.root.get_by_label("Text to measure")
    area.focus()
    harness.source.evaluate("pane => { pane.scrollTop = 400; }")
    playground.text += "# B\n"
    harness.receive(_shown=playground.get_state("_shown")["_shown"])
    expect(harness.attribute("headings")).to_contain_text("2")
    expect(area).to_be_focused()
    assert harness.source.evaluate("pane => pane.scrollTop") == 400


def test_playground__without_its_kernel_can_be_read_alone(harness: Harness) -> None:
    harness.show_view(Playground("# A\n"))
    area = harness.root.get_by_label("Text to measure")
    expect(area).to_be_editable()
    harness.page.evaluate("model.tell('comm_live_update')")
    expect(area).not_to_be_editable()
    expect(area).to_have_value("# A\n")


def test_playground__keys_stay_in_the_text_area(harness: Harness) -> None:
    harness.show_view(Playground())
    harness.page.evaluate("document.addEventListener('keydown', (e) => (window.reached = e.key))")
    harness.root.get_by_label("Text to measure").press("d")
    assert harness.page.evaluate("window.reached") is None


# --- Coming and going

RECORD = """
window.added = [];
const { addEventListener, removeEventListener } = EventTarget.prototype;
EventTarget.prototype.addEventListener = function (type, listener, options) {
  // Playwright adds one of no type to watch the page by.
  if (type !== null) added.push({ target: this, type, listener, signal: options?.signal });
  return addEventListener.call(this, type, listener, options);
};
EventTarget.prototype.removeEventListener = function (type, listener, options) {
  const stays = (one) => one.target !== this || one.type !== type || one.listener !== listener;
  window.added = added.filter(stays);
  return removeEventListener.call(this, type, listener, options);
};
0
"""

LEFT = """
() => added.filter(({ target, signal }) => {
  const gone = target instanceof Node && !target.isConnected;
  return !gone && !signal?.aborted && !(target instanceof AbortSignal && target.aborted);
}).map(({ target, type }) => `${target} ${type}`)
"""


@pytest.mark.parametrize("end", ["host.abort()", "clean()"], ids=["signal", "clean-up"])
def test_renders__leave_nothing_behind(harness: Harness, end: str) -> None:
    state = harness.state(ShapeView(proposal(), selection=(2, 3), search="cache"))
    harness.page.evaluate(RECORD)
    for run in range(100):
        harness.page.evaluate("state => void show(state)", state)
        if run % 25 == 0:
            assert harness.page.evaluate("added.length") > 0
            harness.line(5).click()
            harness.page.evaluate("state => model.receive(state)", state)
        harness.page.evaluate(f"void {end}")
        assert harness.page.evaluate("[model.listening, el.childNodes.length]") == [0, 0]
    assert harness.page.evaluate(LEFT) == []


def test_render__under_a_signal_that_has_ended_leaves_nothing(harness: Harness) -> None:
    harness.show(proposal())
    harness.page.evaluate("host.abort()")
    harness.page.evaluate("void renderModel({ model, el, signal: host.signal })")
    assert harness.page.evaluate("[model.listening, el.childNodes.length]") == [0, 0]


def test_updates__leave_one_set_of_listeners(harness: Harness) -> None:
    view = ShapeView(measured(SAMPLE))
    harness.show(measured(SAMPLE))
    before = harness.page.evaluate("model.listening")
    for _ in range(20):
        view.measurement = measured(SAMPLE)
        harness.receive(**view.get_state(harness_keys(view)))
    assert harness.page.evaluate("model.listening") == before
