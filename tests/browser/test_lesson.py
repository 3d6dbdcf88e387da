"""A lesson that is handed out: opened from a file, unfolded, and run without a network."""

from pathlib import Path

from playwright.sync_api import Page, expect

from shape_magic import measure
from shape_magic.notebook.lesson import LessonCard, lesson_html
from tests.browser.injections import CALL, INJECTIONS


def test_card__shows_nothing_before_it_is_unfolded_and_is_live_then(
    page: Page, tmp_path: Path
) -> None:
    path = tmp_path / "lesson.html"
    card = LessonCard(measure("# Plan\n\nGo.\n"), ask=("headings",))
    path.write_text(lesson_html(["# Guess", card], title="Guess"), encoding="utf-8")
    page.goto(path.as_uri())
    assert not page.locator(".shape-magic-place").is_visible()
    page.get_by_text("Show the numbers").click()
    page.locator(".shape-magic").get_by_role("button", name="headings").click()
    expect(page.locator("[data-evidence]")).to_have_count(1)


def test_lesson__runs_nothing_of_what_a_candidate_wrote(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "lesson.html"
    items = [part for text in INJECTIONS for part in (text, LessonCard(measure(text)))]
    path.write_text(lesson_html(items, title=INJECTIONS[0]), encoding="utf-8")
    page.add_init_script("window.injected = () => { window.wasInjected = true; }")
    page.goto(path.as_uri())
    for summary in page.get_by_text("Show the numbers", exact=True).all():
        summary.click()
    assert CALL.startswith("window.injected")
    assert page.evaluate("window.wasInjected") is None
