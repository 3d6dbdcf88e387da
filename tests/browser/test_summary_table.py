"""A round's summary in a browser: a click or Enter sorts, and what is missing stays last."""

from playwright.sync_api import Page

from shape_magic.deliberation.records import ProposalScore, RoundSummary
from shape_magic.notebook.scores import summary_html
from shape_magic.shape import Shape

HOSTILE = '"><img src=x onerror=throw(1)>'

SUMMARY = RoundSummary(
    round=1,
    proposal_scores=(
        ProposalScore(agent_id="Ann", aggregated_score=1.0, shape=Shape(chars=9)),
        ProposalScore(agent_id="Bob", aggregated_score=2.0, shape=Shape(chars=10)),
        ProposalScore(agent_id=HOSTILE, aggregated_score=None, shape=Shape(chars=-1)),
    ),
)


def agents(page: Page) -> list[str | None]:
    return [row.text_content() for row in page.locator("tbody td:first-child").all()]


def test_table__is_sorted_by_a_click_and_by_enter(page: Page) -> None:
    page.set_content(summary_html(SUMMARY))
    assert agents(page) == ["Bob", "Ann", HOSTILE]
    page.click("th:text-is('chars')")
    assert agents(page) == ["Bob", "Ann", HOSTILE]
    page.click("th:text-is('chars')")
    assert agents(page) == [HOSTILE, "Ann", "Bob"]
    page.click("th:text-is('aggregated_score')")
    assert agents(page) == ["Bob", "Ann", HOSTILE]
    page.focus("th:text-is('aggregated_score')")
    page.keyboard.press("Enter")
    assert agents(page) == ["Ann", "Bob", HOSTILE]
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "ascending"
