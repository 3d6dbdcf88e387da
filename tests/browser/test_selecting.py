"""Every way to select lines in the source, by mouse and by keyboard."""

import pytest
from playwright.sync_api import Position, expect

from shape_magic.lines import split_lines
from tests.browser.harness import SAMPLE, Harness, proposal

LINES = split_lines(SAMPLE)


def test_line__clicked_is_selected(harness: Harness) -> None:
    harness.show(proposal())
    harness.line(5).click()
    harness.expect_selection((5, 5))


@pytest.mark.parametrize(("start", "end"), [(3, 8), (8, 3)], ids=["down", "up"])
def test_line__shift_clicked_ends_the_range(harness: Harness, start: int, end: int) -> None:
    harness.show(proposal())
    harness.line(start).click()
    harness.line(end).click(modifiers=["Shift"])
    harness.expect_selection((3, 8))


def test_line__shift_clicked_again_keeps_the_start(harness: Harness) -> None:
    harness.show(proposal())
    harness.line(6).click()
    harness.line(9).click(modifiers=["Shift"])
    harness.line(2).click(modifiers=["Shift"])
    harness.expect_selection((2, 6))


@pytest.mark.parametrize(("start", "end"), [(3, 9), (9, 3)], ids=["down", "up"])
def test_line__dragged_from_selects_a_range(harness: Harness, start: int, end: int) -> None:
    harness.show(proposal())
    number: Position = {"x": 20, "y": 10}
    harness.line(start).hover(position=number)
    harness.page.mouse.down()
    harness.line(6).hover(position=number)
    harness.line(end).hover(position=number)
    harness.page.mouse.up()
    harness.line(12).hover()
    harness.expect_selection((3, 9))


def test_line__dragged_out_of_the_pane_scrolls_on(harness: Harness) -> None:
    harness.show(proposal("word\n" * 500))
    harness.line(3).hover(position={"x": 20, "y": 10})
    harness.page.mouse.down()
    box = harness.source.bounding_box()
    assert box is not None
    harness.page.mouse.move(box["x"] + 200, box["y"] + box["height"] + 40)
    harness.page.wait_for_function("model.get('selection')[1] > 100")
    harness.page.mouse.up()
    stopped = harness.trait("selection")
    harness.page.wait_for_timeout(100)
    assert harness.trait("selection") == stopped
    assert stopped[0] == 3


def test_line__shift_clicked_first_is_selected_alone(harness: Harness) -> None:
    harness.show(proposal())
    harness.line(5).click(modifiers=["Shift"])
    harness.expect_selection((5, 5))


def test_line__dragged_from_selects_no_more_once_the_drag_is_cancelled(harness: Harness) -> None:
    harness.show(proposal())
    number: Position = {"x": 20, "y": 10}
    harness.line(3).hover(position=number)
    harness.page.mouse.down()
    harness.line(5).hover(position=number)
    harness.source.dispatch_event("pointercancel")
    harness.line(9).hover(position=number)
    harness.expect_selection((3, 5))
    harness.page.mouse.up()


def test_line__tapped_is_selected(harness: Harness) -> None:
    harness.show(proposal())
    harness.line(7).dispatch_event("click", {"bubbles": True})
    harness.expect_selection((7, 7))


KEYS = [
    ("ArrowDown", (11, 11)),
    ("ArrowUp", (9, 9)),
    ("Home", (1, 1)),
    ("End", (len(LINES), len(LINES))),
    ("Shift+ArrowDown", (10, 11)),
    ("Shift+ArrowUp", (9, 10)),
    ("Shift+Home", (1, 10)),
    ("Shift+End", (10, len(LINES))),
    ("PageDown", (len(LINES), len(LINES))),
    ("PageUp", (1, 1)),
    ("Control+a", (1, len(LINES))),
    ("Escape", None),
]


@pytest.mark.parametrize(("key", "selection"), KEYS)
def test_key__moves_the_selection(
    harness: Harness, key: str, selection: tuple[int, int] | None
) -> None:
    harness.show(proposal(), selection=(10, 10))
    harness.source.focus()
    harness.page.keyboard.press(key)
    harness.expect_selection(selection)


def test_key__shift_arrows_turn_a_range_round(harness: Harness) -> None:
    harness.show(proposal(), selection=(4, 4))
    harness.source.focus()
    for key in ["Shift+ArrowDown", "Shift+ArrowUp", "Shift+ArrowUp", "Shift+ArrowUp"]:
        harness.page.keyboard.press(key)
    harness.expect_selection((2, 4))


@pytest.mark.parametrize(("key", "line"), [("ArrowUp", 1), ("ArrowDown", len(LINES))])
def test_key__at_an_end_stays(harness: Harness, key: str, line: int) -> None:
    harness.show(proposal(), selection=(line, line))
    harness.source.focus()
    harness.page.keyboard.press(key)
    harness.expect_selection((line, line))


def test_key__held_down_goes_on_and_not_back(harness: Harness) -> None:
    harness.show("word\n" * 600, selection=(1, 1))
    harness.source.focus()
    for _ in range(8):
        harness.page.keyboard.press("PageDown")
    harness.page.wait_for_timeout(150)
    (first, last) = harness.trait("selection")
    assert first == last > 100
    expect(harness.line(last)).to_be_in_viewport(ratio=1)


def test_key__names_the_active_line_to_a_screen_reader(harness: Harness) -> None:
    harness.show(proposal())
    harness.source.focus()
    harness.page.keyboard.press("ArrowDown")
    harness.page.keyboard.press("Shift+ArrowDown")
    active = harness.source.get_attribute("aria-activedescendant")
    assert active is not None
    assert harness.line(2).get_attribute("id") == active
    assert harness.line(1).get_attribute("id") is None


def test_key__handled_here_does_not_reach_the_host(harness: Harness) -> None:
    harness.show(proposal())
    harness.page.evaluate("document.addEventListener('keydown', (e) => (window.reached = e.key))")
    harness.source.focus()
    harness.page.keyboard.press("ArrowDown")
    harness.search.press("d")
    assert harness.page.evaluate("window.reached") is None
    # Where nothing is selected, the view has no use for Escape.
    harness.receive(selection=None)
    harness.source.press("Escape")
    assert harness.page.evaluate("window.reached") == "Escape"


# JupyterLab leaves a key alone where the focused element has this, and looks as it goes down.
SEEN = """
  document.addEventListener("keydown", (event) => {
    window.suppressed = event.target.hasAttribute("data-lm-suppress-shortcuts");
  }, { capture: true })
"""


@pytest.mark.parametrize(
    ("key", "own"),
    [
        *[("d", True), ("a", True), ("ArrowDown", True), ("Enter", True), ("Control+a", True)],
        *[("Control+s", False), ("Shift+Enter", False), ("Alt+ArrowDown", False)],
        *[("Control+ArrowDown", False), ("Control+Shift+c", True), ("Control+z", False)],
        *[("Meta+s", False), ("Meta+c", True)],
    ],
)
def test_key__is_the_hosts_where_the_view_has_no_use_for_it(
    harness: Harness, key: str, own: bool
) -> None:
    harness.show(proposal())
    harness.page.evaluate(SEEN)
    harness.line(4).click()
    harness.page.keyboard.press(key)
    assert harness.page.evaluate("window.suppressed") is own
    if not own:
        harness.expect_selection((4, 4))


def test_key__in_the_search_box_edits_and_saving_is_the_hosts(harness: Harness) -> None:
    harness.show(proposal())
    harness.page.evaluate(SEEN)
    for key, own in [("d", True), ("Control+z", True), ("Control+s", False)]:
        harness.search.press(key)
        assert harness.page.evaluate("window.suppressed") is own, key
