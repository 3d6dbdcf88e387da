"""What evaluators said, beside the text, as a reader meets it."""

from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect

from shape_magic.deliberation.records import ClaimAssessment, Evaluation, EvaluationEntry
from shape_magic.notebook.place import to_html
from shape_magic.wording import visible
from tests.browser.conftest import watch
from tests.browser.harness import Harness, proposal
from tests.browser.injections import INJECTIONS
from tests.browser.test_access import THEMES, audit, in_theme
from tests.browser.test_hostile import VIEW_TAGS, WATCH, check

CLAIMS: Final = (
    ("It halves the median read, and what is lost is time.", "wrong"),
    ("memory: 2 GB - shared by two", "verified"),
    ("it was never said", "contested"),
    ("cache", "unverified"),
)

FOREIGN: Final = (
    ":is(img, svg, math, iframe, object, embed, form, input, select, textarea, video, audio, style,"
    " link, meta, base, a, marquee, xss, template, noscript)"
)
"""What an injection would add."""


def entry(evaluator: str, *claims: tuple[str, str], justification: str = "") -> EvaluationEntry:
    evaluation = Evaluation(
        score=0.25,
        stance="agree",
        justification=justification,
        claim_assessments=tuple(
            ClaimAssessment(claim=claim, verdict=verdict) for claim, verdict in claims
        ),
        category_scores={"conciseness": 40.0},
    )
    return EvaluationEntry(evaluator_agent_id=evaluator, evaluation=evaluation)


@pytest.fixture
def said(harness: Harness) -> Harness:
    given = [
        entry("Judge", *CLAIMS, justification="The table\nshows more."),
        entry("Other", (CLAIMS[0][0], "verified")),
    ]
    return harness.show(proposal(), evaluations=given)


def test_claims__are_marked_at_their_lines(said: Harness) -> None:
    assert said.lines_with("[data-said]") == [3, 10, 15, 23]
    expect(said.line(3)).to_have_attribute("data-said", "✗?✓")
    assert str(said.line(3).get_attribute("aria-label")).endswith(", 3 claims here")
    said.attribute("list_items").click()
    mark = said.line(10).evaluate("line => getComputedStyle(line, '::after').content")
    assert "✓" in mark
    assert "+1" in mark


def test_evaluations__open_and_lead_to_the_lines(said: Harness) -> None:
    toggle = said.root.get_by_role("button", name="2 evaluations")
    panel = said.root.get_by_role("group", name="Evaluations")
    expect(panel).to_be_hidden()
    toggle.press("Enter")
    expect(panel).to_be_visible()
    expect(panel.locator(".sm-claim")).to_have_count(5)
    expect(panel.locator(".sm-claim").nth(2)).to_contain_text("stands nowhere in the text")
    panel.get_by_role("button", name="Select L10").click()
    said.expect_selection((10, 11))
    step = panel.locator(".sm-claim").nth(3).get_by_role("button", name="Next place")
    step.click()
    said.expect_selection((15, 15))
    justification = panel.get_by_text("The table")
    expect(justification).to_be_hidden()
    panel.locator("summary").first.click()
    expect(justification).to_be_visible()
    expect(panel.get_by_text("conciseness +40").first).to_be_visible()


def test_evaluations__that_do_not_fit_show_that_there_is_more(harness: Harness) -> None:
    long = entry("Judge", *CLAIMS, justification="words\n" * 20)
    harness.show(proposal(), evaluations=[long])
    harness.root.get_by_role("button", name="1 evaluation").click()
    harness.root.locator(".sm-said summary").click()
    panel = harness.root.locator(".sm-said")
    below = "panel => panel.scrollHeight - panel.clientHeight"
    assert panel.evaluate(below) > 20
    attached = panel.evaluate("panel => getComputedStyle(panel).backgroundAttachment")
    assert attached == "local, scroll"
    box = panel.bounding_box()
    assert box is not None

    def lower_edge() -> bytes:
        clip = {"x": box["x"] + 40, "y": box["y"] + box["height"] - 6, "width": 400, "height": 6}
        return harness.page.screenshot(clip=clip)  # type: ignore[arg-type]

    shadowed = lower_edge()
    panel.evaluate("panel => panel.scrollTo(0, panel.scrollHeight)")
    assert lower_edge() != shadowed


def test_selected_lines__say_what_was_said_of_them(said: Harness) -> None:
    here = said.root.locator(".sm-here")
    expect(here).to_be_hidden()
    height = said.root.bounding_box()
    said.line(11).click()
    expect(here.locator(".sm-claim")).to_have_count(1)
    expect(here).to_contain_text("✓ verified")
    expect(here).to_contain_text("Judge")
    said.line(3).click()
    expect(here.locator(".sm-verdict")).to_have_text(["✗ wrong", "? unverified", "✓ verified"])
    said.line(2).click()
    expect(here).to_be_hidden()
    assert said.root.bounding_box() == height


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe__finds_nothing_in_what_was_said(said: Harness, npm_packages: Path, theme: str) -> None:
    assert theme in THEMES
    in_theme(said, theme)
    said.root.get_by_role("button", name="2 evaluations").click()
    said.root.locator("summary").first.click()
    said.line(3).click()
    assert audit(said.page, npm_packages)["violations"] == []


def laced() -> list[EvaluationEntry]:
    return [
        entry(injection, (injection, injection), justification=injection)
        for injection in INJECTIONS[:40]
    ]


def test_injections__are_text_in_what_was_said(harness: Harness) -> None:
    harness.page.evaluate(WATCH)
    text = "\n".join(INJECTIONS)
    harness.show(proposal(text), evaluations=laced())
    harness.root.get_by_role("button", name="40 evaluations").click()
    for summary in harness.root.locator("summary").all():
        summary.click()
    assert harness.root.locator(".sm-said .sm-who bdi").all_text_contents() == [
        visible(injection) for injection in INJECTIONS[:40]
    ]
    harness.line(3).click()
    check(harness.page, VIEW_TAGS | {"DETAILS", "SUMMARY", "Q"})


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_injections__are_text_in_a_saved_page(
    browser: Browser, requests_out: list[str], tmp_path: Path, scripts: bool
) -> None:
    context = browser.new_context(bypass_csp=True, java_script_enabled=scripts)
    watch(context, requests_out)
    page: Page = context.new_page()
    page.add_init_script(WATCH)
    saved = tmp_path / "shape.html"
    saved.write_text(to_html(proposal("\n".join(INJECTIONS)), evaluations=laced()), "utf-8")
    page.goto(saved.as_uri())
    if scripts:
        expect(page.locator(".sm-source")).to_be_visible()
        assert page.evaluate("window.calls") == 0
    else:
        expect(page.locator("main summary")).to_have_count(40)
        expect(page.locator("main").locator(FOREIGN)).to_have_count(0)
    context.close()
    assert requests_out == []
