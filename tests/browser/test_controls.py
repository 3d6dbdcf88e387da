"""The outline, the notes and the search, by mouse and by keyboard."""

import pytest
from playwright.sync_api import expect

from shape_magic.deliberation.search import matched_lines
from shape_magic.lines import split_lines
from shape_magic.notebook.view_data import to_wire
from tests.browser.harness import SAMPLE, Harness, proposal

LINES = split_lines(SAMPLE)
TABLE = (20, 23)


def test_anchor__clicked_selects_its_block(harness: Harness) -> None:
    harness.show(proposal())
    harness.anchor(TABLE[0]).click()
    harness.expect_selection(TABLE)
    expect(harness.anchor(TABLE[0])).to_have_attribute("aria-current", "true")
    harness.line(1).click()
    expect(harness.root.locator("[aria-current]")).to_have_count(0)


def test_anchor__is_reached_and_pressed_by_key(harness: Harness) -> None:
    harness.show(proposal())
    harness.anchor(1).focus()
    harness.page.keyboard.press("ArrowDown")
    harness.page.keyboard.press("ArrowDown")
    harness.page.keyboard.press("Enter")
    harness.expect_selection((14, 16))
    harness.page.keyboard.press("End")
    expect(harness.anchor(TABLE[0])).to_be_focused()
    harness.page.keyboard.press("Home")
    expect(harness.anchor(1)).to_be_focused()


def test_outline__is_one_stop_of_the_tab_key(harness: Harness) -> None:
    harness.show(proposal())
    harness.anchor(1).focus()
    harness.page.keyboard.press("ArrowDown")
    harness.page.keyboard.press("Tab")
    expect(harness.search).to_be_focused()
    harness.page.keyboard.press("Shift+Tab")
    expect(harness.anchor(8)).to_be_focused()


@pytest.mark.parametrize("key", ["Control+ArrowDown", "Alt+ArrowDown", "Meta+End"])
def test_outline__leaves_the_hosts_keys_alone(harness: Harness, key: str) -> None:
    harness.show(proposal())
    harness.anchor(8).focus()
    harness.page.keyboard.press(key)
    expect(harness.anchor(8)).to_be_focused()


def test_note__leads_to_its_line(harness: Harness) -> None:
    subject = proposal()
    note = subject.notes[-1]
    harness.show(subject)
    harness.root.get_by_role("button", name="note").first.click()
    harness.root.locator(".sm-notes").get_by_text(note.message).click()
    harness.expect_selection((note.line, note.line))


def test_notes__are_opened_and_read_by_key(harness: Harness) -> None:
    subject = proposal()
    harness.show(subject)
    toggle = harness.root.locator(".sm-toggle")
    expect(harness.root.locator(".sm-notes")).to_be_hidden()
    toggle.press("Enter")
    expect(toggle).to_have_attribute("aria-expanded", "true")
    toggle.press("Tab")
    harness.page.keyboard.press("Enter")
    line = subject.notes[0].line
    harness.expect_selection((line, line))


def test_search__marks_lines_with_any_keyword_in_lower_case(harness: Harness) -> None:
    harness.show(proposal())
    harness.search.fill('CACHE "was measured"')
    matches = [
        number
        for number, line in enumerate(LINES, start=1)
        if "cache" in line.lower() or "was measured" in line.lower()
    ]
    assert harness.lines_with("[data-matched]") == matches
    assert harness.root.locator(".sm-number").all_inner_texts() == [str(line) for line in matches]
    harness.search.fill("")
    assert harness.lines_with("[data-matched]") == []
    expect(harness.root.locator(".sm-matched")).to_be_empty()


SPELLINGS = [
    "İstanbul",
    "ISTANBUL",
    "istanbul",
    "ΟΔΟΣ",
    "οδος",
    "οδός",
    "Straße",
    "STRASSE",
    "ﬁn",
    "FIN",
]


@pytest.mark.parametrize(
    "keyword", [*SPELLINGS, "\N{GREEK SMALL LETTER SIGMA}", "ς", "i\u0307", "ẞ", "\u2028"]
)
def test_search__finds_what_search_deliberation_finds(harness: Harness, keyword: str) -> None:
    text = "\n".join([*SPELLINGS, "a\u2028b"])
    harness.show(text)
    harness.receive(search=to_wire(f'"{keyword}"'))
    assert tuple(harness.lines_with("[data-matched]")) == matched_lines(text, [keyword])


def test_search__reports_twenty_lines_and_how_many_more(harness: Harness) -> None:
    harness.show("word\n" * 50)
    harness.search.fill("word")
    assert len(harness.lines_with("[data-matched]")) == 50
    expect(harness.root.locator(".sm-number")).to_have_count(20)
    expect(harness.root.locator(".sm-matched")).to_contain_text("and 30 more")


def test_search__says_where_nothing_matches(harness: Harness) -> None:
    harness.show(proposal())
    harness.search.fill("nowhere")
    expect(harness.root.locator(".sm-matched")).to_have_text("no line matches")
    harness.search.fill("nowhere cache")
    expect(harness.root.locator(".sm-matched")).to_contain_text("1 keyword not found")


def test_search__leads_through_its_matches(harness: Harness) -> None:
    harness.show(proposal())
    harness.search.fill("cache")
    matches = harness.lines_with("[data-matched]")
    for key, line in [
        ("Enter", matches[0]),
        ("Enter", matches[1]),
        ("Enter", matches[2]),
        ("Shift+Enter", matches[1]),
        ("Shift+Enter", matches[0]),
        ("Shift+Enter", matches[-1]),
        ("Enter", matches[0]),
    ]:
        harness.search.press(key)
        harness.expect_selection((line, line))
    harness.root.locator(".sm-number").last.click()
    harness.expect_selection((matches[-1], matches[-1]))
