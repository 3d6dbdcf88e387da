"""Reading: the text as text, words that were found, long lines, long texts and the outline."""

import base64
import re

import msgspec
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from shape_magic.notebook.place import to_html
from shape_magic.notebook.view import ShapeView
from shape_magic.notebook.view_data import Baseline
from shape_magic.shape import Shape
from shape_magic.vocabulary import ATTRIBUTE_NAMES
from tests.browser.harness import SAMPLE, Harness, measured, proposal

LINES = SAMPLE.split("\n")[:-1]
FOUND = """
  () => [...(CSS.highlights.get("shape-magic-found") ?? [])].map(
    ({ startContainer, startOffset, endOffset }) =>
      startContainer.textContent.slice(startOffset, endOffset))
"""


def test_search__marks_the_words_in_the_text_and_leaves_it_as_it_is(harness: Harness) -> None:
    harness.show(proposal())
    harness.search.fill('CACHE "by key"')
    assert len(harness.lines_with("[data-matched]")) == 4
    assert sorted(harness.page.evaluate(FOUND)) == ["by key", "cache", "cache", "cache"]
    assert harness.line(3).evaluate("line => line.childNodes.length") == 1
    harness.search.fill("")
    harness.lines_with("")
    assert harness.page.evaluate(FOUND) == []


def test_search__of_nothing_marks_nothing(harness: Harness) -> None:
    harness.show(proposal())
    for nothing in ['""', '"" ""', "  "]:
        harness.search.fill(nothing)
        assert harness.lines_with("[data-matched]") == []


def test_search__marks_no_word_where_lower_case_is_longer(harness: Harness) -> None:
    harness.show("İİ cache\ncache\n", search="cache")
    assert harness.lines_with("[data-matched]") == [1, 2]
    assert harness.page.evaluate(FOUND) == ["cache"]


def test_search__marks_go_with_the_view(harness: Harness) -> None:
    harness.show(proposal(), search="cache")
    harness.lines_with("")
    assert harness.page.evaluate(FOUND)
    harness.page.evaluate("clean()")
    assert harness.page.evaluate(FOUND) == []


def test_text__is_selected_and_copied_as_text(harness: Harness, context: BrowserContext) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    harness.show(proposal(), selection=(1, 1))
    box = harness.line(12).bounding_box()
    assert box is not None
    y = box["y"] + 10
    harness.page.mouse.move(box["x"] + 80, y)
    harness.page.mouse.down()
    harness.page.mouse.move(box["x"] + 400, y, steps=4)
    harness.page.mouse.up()
    harness.expect_selection((1, 1))
    harness.page.keyboard.press("Control+c")
    copied = harness.page.evaluate("navigator.clipboard.readText()")
    assert len(copied) > 3
    assert copied in LINES[11]


def test_numbers__dragged_select_lines(harness: Harness) -> None:
    harness.show(proposal())
    first, last = (harness.line(number).bounding_box() for number in (4, 9))
    assert first is not None
    assert last is not None
    harness.page.mouse.move(first["x"] + 20, first["y"] + 10)
    harness.page.mouse.down()
    harness.page.mouse.move(last["x"] + 20, last["y"] + 10, steps=4)
    harness.page.mouse.up()
    harness.expect_selection((4, 9))
    assert harness.page.evaluate("getSelection().toString()") == ""


def test_click__of_another_button_selects_nothing(harness: Harness) -> None:
    harness.show(proposal(), selection=(2, 2))
    harness.line(9).click(button="right")
    harness.line(9).click(button="right", position={"x": 10, "y": 10})
    harness.expect_selection((2, 2))


def test_touch__selects_by_the_tap_and_not_by_the_press(harness: Harness) -> None:
    harness.show(proposal(), selection=(2, 2))
    touch = {"pointerType": "touch", "bubbles": True, "button": 0, "clientX": 0, "clientY": 0}
    harness.line(9).dispatch_event("pointerdown", touch)
    harness.expect_selection((2, 2))
    harness.line(9).evaluate(
        "(line, touch) => line.dispatchEvent(new PointerEvent('click', touch))", touch
    )
    harness.expect_selection((9, 9))


def test_wrap__off_leaves_long_lines_long(harness: Harness) -> None:
    harness.show("word " * 100)
    wraps = "pane => pane.scrollWidth <= pane.clientWidth + 1"
    assert harness.source.evaluate(wraps)
    button = harness.root.get_by_role("button", name="wrap")
    expect(button).to_have_attribute("aria-pressed", "true")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")
    assert not harness.source.evaluate(wraps)
    height = harness.line(1).bounding_box()
    assert height is not None
    assert height["height"] == 20


def test_outline__is_indented_and_follows_the_scroll(harness: Harness) -> None:
    parts = [f"{'#' * (1 + n % 3)} Section {n}\n\n" + "word\n" * 10 for n in range(60)]
    harness.show("".join(parts))
    indents = [
        harness.anchor(line).evaluate("entry => parseFloat(getComputedStyle(entry).paddingLeft)")
        for line in (1, 13, 25)
    ]
    assert indents == sorted(set(indents))
    harness.source.evaluate("pane => { pane.scrollTop = pane.scrollHeight / 2; }")
    here = harness.root.locator(".sm-row[data-here]")
    expect(here).to_have_count(1)
    expect(here).to_be_in_viewport()
    assert int(here.get_attribute("data-first") or 0) > 200
    # A heading at the very top is what is read.
    harness.line(121).evaluate(
        "line => { const pane = line.closest('.sm-source');"
        " pane.scrollTop += line.getBoundingClientRect().top - pane.getBoundingClientRect().top; }"
    )
    expect(here).to_have_attribute("data-first", "121")


def test_list__is_one_stop_of_the_tab_key(harness: Harness) -> None:
    harness.show(proposal())
    harness.anchor(8).focus()
    harness.page.keyboard.press("ArrowDown")
    stops = harness.root.locator('.sm-anchors [tabindex="0"]')
    expect(stops).to_have_count(1)
    expect(stops).to_be_focused()


def test_pane__shows_that_there_is_more(harness: Harness) -> None:
    harness.show("word\n" * 100)
    pane = harness.root.locator(".sm-pane")
    expect(pane).to_have_attribute("data-more", "")
    harness.source.evaluate("pane => { pane.scrollTop = pane.scrollHeight; }")
    expect(pane).not_to_have_attribute("data-more", "")


@pytest.mark.parametrize("width", [1000, 400])
def test_view__keeps_its_height(harness: Harness, width: int) -> None:
    harness.page.set_viewport_size({"width": width, "height": 900})
    harness.show(proposal())
    height = "root => root.getBoundingClientRect().height"
    before = harness.root.evaluate(height)
    harness.anchor(20).click()
    harness.hear({"shape": {**proposal().shape.as_dict(), "table_rows": 0, "chars": 9, "lines": 3}})
    expect(harness.root.locator(".sm-without")).to_contain_text("table_rows")
    assert harness.root.evaluate(height) == before
    harness.attribute("prose_chars").hover()
    assert harness.root.evaluate(height) == before


def test_copy__is_whole_where_the_answer_is_cut(harness: Harness, context: BrowserContext) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    harness.show("word\n" * 900, selection=(1, 900))
    harness.root.get_by_role("button", name="copy numbered").click()
    expect(harness.root.locator(".sm-answer")).to_contain_text("700 more lines")
    copied = harness.page.evaluate("navigator.clipboard.readText()")
    assert copied.count("| word") == 900


def test_header__is_made_visible(harness: Harness) -> None:
    foreign, seen = "A\u202eB\x1b", "A[U+202E]B␛"
    subject = msgspec.structs.replace(
        proposal(agent_id=foreign),
        measurement=msgspec.structs.replace(measured(SAMPLE), analyzer=f"{foreign}/1"),
    )
    harness.show(subject, baseline=Baseline(f"against {foreign}", Shape()))
    expect(harness.root.locator(".sm-title")).to_have_text(seen)
    facts = f"round 2 · {seen}/1 · changes against {seen}"
    expect(harness.root.locator(".sm-header .sm-facts")).to_have_text(facts)
    expect(harness.attribute("chars")).to_have_accessible_description(re.compile(re.escape(seen)))
    group = harness.root.get_by_role("group", name=f"Shape of {seen}")
    expect(group).to_have_count(1)


def test_targets__are_large_enough(harness: Harness) -> None:
    harness.show(proposal(change=3), selection=(3, 5), attribute="headings", search="the a")
    harness.root.locator(".sm-toggle").click()
    for target in harness.root.locator("button, input").all():
        box = target.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 24, target.get_attribute("class")


def test_forced_colours__keep_evidence_and_kinds_apart(harness: Harness) -> None:
    harness.page.emulate_media(forced_colors="active")
    harness.show(proposal(), attribute="list_items")
    edge = "line => getComputedStyle(line).borderRightWidth"
    assert harness.line(5).evaluate(edge) != harness.line(3).evaluate(edge)
    letters = [harness.line(line).get_attribute("data-letter") for line in (1, 2, 5, 6, 14, 20)]
    assert letters == ["h", "p", "l", None, "c", "t"]


def test_names__say_the_kind(harness: Harness) -> None:
    harness.show(proposal())
    expect(harness.line(1)).to_have_accessible_name("1 heading: # Recommendation")
    expect(harness.line(2)).to_have_accessible_name("2 prose: blank")


def test_print__is_whole(page: Page, harness: Harness) -> None:
    subject = proposal("# A\n\n" + "some words of an answer\n" * 900)
    filled = harness.page.evaluate(
        "state => { show(state); dispatchEvent(new Event('beforeprint'));"
        " return el.querySelectorAll('.sm-line').length; }",
        harness.state(ShapeView(subject)),
    )
    assert filled == 902
    page.emulate_media(media="print")
    cut = """root => [...root.querySelectorAll("*")]
      .filter((one) => one.scrollHeight > one.clientHeight + 2
        && !["visible", ""].includes(getComputedStyle(one).overflowY))
      .map((one) => one.className)"""
    assert harness.root.evaluate(cut) == []
    assert page.pdf().count(b"/Type /Page\n") > 5


def test_page__is_static_without_scripts_and_prints_whole(page: Page) -> None:
    assert "max-height:440px" in to_html(measured("a\n"))
    assert ".shape-magic-place pre" in to_html(measured("a\n"))


PIXEL = """
  async (picture) => {
    const png = Uint8Array.from(atob(picture), (unit) => unit.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([png], { type: "image/png" }));
    const canvas = new OffscreenCanvas(1, 1).getContext("2d");
    canvas.drawImage(bitmap, 0, 0);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  }
"""


def color_at(page: Page, x: float, y: float) -> list[int]:
    """Give the colour that a pixel of the page has."""
    png = page.screenshot(clip={"x": int(x), "y": int(y), "width": 1, "height": 1})
    color: list[int] = page.evaluate(PIXEL, base64.b64encode(png).decode())
    return color


def test_focus__of_the_source_is_seen_above_highlighted_rows(harness: Harness) -> None:
    harness.show(proposal(), attribute="chars", selection=(1, 29))
    box = harness.source.bounding_box()
    assert box is not None
    left, middle = box["x"] + 1, box["y"] + 100
    right = box["x"] + box["width"] - 1.5
    before = [color_at(harness.page, x, middle) for x in (left, right)]
    harness.root.locator(".sm-wrap").focus()
    harness.page.keyboard.press("Tab")
    expect(harness.source).to_be_focused()
    ring = [color_at(harness.page, x, middle) for x in (left, right)]
    assert ring[0] == ring[1]
    assert ring[1] != before[1]


@pytest.mark.parametrize("width", [1000, 400])
def test_tiles__have_the_full_names(harness: Harness, width: int) -> None:
    harness.page.set_viewport_size({"width": width, "height": 900})
    harness.show(proposal())
    names = harness.root.locator(".sm-attribute .sm-name")
    assert names.all_inner_texts() == list(ATTRIBUTE_NAMES)
    assert names.evaluate_all("all => all.every((one) => one.scrollWidth <= one.clientWidth + 1)")


def test_lists__take_no_indent_of_the_host(harness: Harness) -> None:
    host = ".jp-RenderedHTMLCommon ul:not(.list-inline) { padding-left: 40px; list-style: disc }"
    harness.page.add_style_tag(content=host)
    harness.page.evaluate("document.querySelector('#place').className = 'jp-RenderedHTMLCommon'")
    harness.show(proposal())
    indent = "list => [getComputedStyle(list).paddingLeft, getComputedStyle(list).listStyleType]"
    assert harness.root.locator(".sm-anchors").evaluate(indent) == ["4px", "none"]


def test_outline__is_as_high_as_the_text_where_the_results_wrap(harness: Harness) -> None:
    harness.page.set_viewport_size({"width": 700, "height": 900})
    harness.show("# A\n\n" + "some word\n" * 2000)
    outline = harness.root.locator(".sm-outline")
    tools = harness.root.locator(".sm-tools")
    box = "one => { const { top, bottom } = one.getBoundingClientRect(); return [top, bottom]; }"
    before = tools.evaluate("one => one.offsetHeight")
    harness.search.fill("word")
    assert tools.evaluate("one => one.offsetHeight") > before
    assert outline.evaluate(box) == harness.root.locator(".sm-lines").evaluate(box)


@pytest.mark.parametrize("width", [1000, 400])
@pytest.mark.parametrize("attribute", [None, "prose_chars"])
def test_legend__leaves_no_empty_lines(harness: Harness, width: int, attribute: str | None) -> None:
    harness.page.set_viewport_size({"width": width, "height": 900})
    harness.show(proposal(), attribute=attribute)
    empty = harness.root.locator(".sm-legends").evaluate(
        """(all) => {
          const text = document.createRange();
          text.selectNodeContents(all);
          const bar = all.nextElementSibling.getBoundingClientRect();
          return bar.top - text.getBoundingClientRect().bottom;
        }"""
    )
    assert 0 <= empty <= 20
