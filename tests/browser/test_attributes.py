"""Every control of the numbers, by mouse and by keyboard."""

import pytest
from playwright.sync_api import expect

from shape_magic.analyzers.registry import default_registry
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
    general = next(one.meaning for one in ATTRIBUTES if one.name == name)
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
    expect(harness.root.locator(".sm-legend")).to_contain_text(f"{name} {meaning(name, kind)}")


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
