"""Every control of the numbers, by mouse and by keyboard."""

import re

import msgspec
import pytest
from playwright.sync_api import expect

from shape_magic.analyzers.registry import default_registry
from shape_magic.shape import Evidence
from shape_magic.vocabulary import ATTRIBUTE_NAMES, ATTRIBUTES
from tests.browser.harness import SAMPLE, Harness, measured, proposal

TABLE = (20, 23)
MINUS = "\N{MINUS SIGN}"


def evidence_lines(attribute: str) -> list[int]:
    evidence = measured(SAMPLE).evidence[attribute]
    return sorted({n for item in evidence for n in range(item.first_line, item.last_line + 1)})


@pytest.mark.parametrize("name", ATTRIBUTE_NAMES)
def test_attribute__clicked_highlights_its_evidence(harness: Harness, name: str) -> None:
    harness.show(proposal())
    harness.attribute(name).click()
    assert harness.trait("attribute") == name
    assert harness.lines_with("[data-evidence]") == evidence_lines(name)
    expect(harness.attribute(name)).to_have_attribute("aria-pressed", "true")
    harness.attribute(name).click()
    assert harness.trait("attribute") is None
    assert harness.lines_with("[data-evidence]") == []


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_attribute__pressed_by_key_highlights_its_evidence(harness: Harness, key: str) -> None:
    harness.show(proposal())
    harness.attribute("list_items").focus()
    harness.page.keyboard.press(key)
    assert harness.lines_with("[data-evidence]") == evidence_lines("list_items")


def test_attribute__says_what_it_counted_where(harness: Harness) -> None:
    harness.show(proposal())
    harness.attribute("table_rows").click()
    expect(harness.line(TABLE[0])).to_have_attribute("data-amount", "+4")


def test_attribute__scrolls_to_its_first_line(harness: Harness) -> None:
    harness.show(proposal("word\n\n" * 300 + "# late\n"))
    expect(harness.line(601)).not_to_be_in_viewport()
    harness.attribute("headings").click()
    expect(harness.line(601)).to_be_in_viewport()
    assert harness.page.evaluate("scrollY") == 0


def meaning(name: str, kind: str) -> str:
    general = next(attribute.meaning for attribute in ATTRIBUTES if attribute.name == name)
    special = default_registry().get(kind).meanings.get(name)
    return general if special is None else f"{general}; in {kind}: {special}"


@pytest.mark.parametrize("name", ATTRIBUTE_NAMES)
@pytest.mark.parametrize(("kind", "text"), [("markdown", SAMPLE), ("json", '{"answer": [1]}')])
def test_attribute__means_what_the_evaluators_legend_says(
    harness: Harness, name: str, kind: str, text: str
) -> None:
    harness.show(text)
    tile = harness.attribute(name)
    expect(tile).to_have_accessible_description(meaning(name, kind))
    tile.focus()
    look = harness.root.locator(".sm-look")
    expect(look).to_have_text(f"{name} {meaning(name, kind)}")
    tile.blur()
    expect(look).to_be_hidden()


def test_attribute__shows_the_change_since_the_version_before(harness: Harness) -> None:
    harness.show(proposal(change=-12))
    expect(harness.attribute("prose_chars")).to_contain_text(f"{MINUS}12")
    expect(harness.attribute("prose_chars")).to_have_accessible_description(
        f"{meaning('prose_chars', 'markdown')}; {MINUS}12 against the previous version"
    )
    expect(harness.attribute("lines").locator(".sm-change")).to_have_count(0)


def test_attribute__without_a_version_before_shows_no_change(harness: Harness) -> None:
    harness.show(proposal())
    expect(harness.root.locator(".sm-change")).to_have_count(0)


def test_attribute__no_change_is_told_as_such(harness: Harness) -> None:
    harness.show(proposal(change=-12))
    expect(harness.attribute("headings")).to_have_accessible_description(
        f"{meaning('headings', 'markdown')}; no change against the previous version"
    )
    expect(harness.attribute("headings").locator(".sm-change")).to_have_count(0)


def test_attribute__amounts_on_one_line_add_up(harness: Harness) -> None:
    twice = msgspec.structs.replace(
        measured("a\n"), evidence={"chars": (Evidence(1, 1, 2), Evidence(1, 1, 3))}
    )
    harness.show(twice, attribute="chars")
    expect(harness.line(1)).to_have_attribute("data-amount", "+5")


def test_attribute__amount_stands_where_there_is_something_to_see(harness: Harness) -> None:
    harness.show(proposal(), attribute="prose_chars")
    expect(harness.line(2)).not_to_have_attribute("data-amount", re.compile("."))
    expect(harness.line(3)).to_have_attribute("data-amount", "+92")


def test_places__lead_from_each_to_the_next(harness: Harness) -> None:
    harness.show(proposal(), attribute="headings")
    places = [(1, 1), (8, 8), (18, 18)]
    for place in [*places, places[0]]:
        harness.root.get_by_label("Next place").click()
        harness.expect_selection(place)
    harness.root.get_by_label("Previous place").click()
    harness.expect_selection(places[-1])
    expect(harness.root.locator(".sm-places")).to_contain_text("3 of 3 places")
    harness.root.get_by_label("Previous place").click()
    harness.expect_selection(places[1])


@pytest.mark.parametrize(
    ("attribute", "places"),
    [("table_rows", "0 places"), ("code_blocks", "1 place"), ("headings", "2 places")],
)
def test_places__are_counted(harness: Harness, attribute: str, places: str) -> None:
    harness.show("# A\n\n## B\n\n```\nx\n```\n", attribute=attribute)
    expect(harness.root.locator(".sm-places > span")).to_have_text(places)


def test_kind__in_the_legend_and_in_the_bar_highlights_its_lines(harness: Harness) -> None:
    harness.show(proposal(), attribute="chars")
    kind = harness.root.get_by_role("button", name=re.compile("^list"))
    kind.click()
    assert harness.trait("attribute") is None
    assert harness.lines_with("[data-evidence]") == [5, 6, 10, 11, 12]
    harness.root.locator('.sm-piece[data-kind="table"]').click()
    assert harness.lines_with("[data-evidence]") == [20, 21, 22, 23]
    expect(kind).to_have_attribute("aria-pressed", "false")
    harness.attribute("headings").click()
    assert harness.lines_with("[data-evidence]") == [1, 8, 18]
