"""Hostile text wherever text shows: nothing runs, nothing appears, nothing is fetched."""

from pathlib import Path
from typing import Final

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect

from shape_magic.deliberation.proposal import Proposal
from shape_magic.notebook.compare import compare
from shape_magic.notebook.display import bundle
from shape_magic.notebook.place import to_html
from shape_magic.notebook.view_data import Baseline, to_wire
from shape_magic.shape import Anchor, Measurement, Note, Shape
from shape_magic.wording import visible
from tests.browser.conftest import watch
from tests.browser.harness import Harness, measured, proposal
from tests.browser.injections import CALL, INJECTIONS

VIEW_TAGS: Final = {"B", "BDI", "BUTTON", "CODE", "DIV", "INPUT", "LI", "P", "PRE", "SPAN", "UL"}
STATIC_TAGS: Final = {"BR", "DIV", "LI", "PRE", "SCRIPT", "SPAN", "STRONG", "UL"}
PAGE_TAGS: Final = {"HTML", "HEAD", "META", "TITLE", "STYLE", "BODY", "MAIN", "SCRIPT"}

LOOK: Final = r"""
(root) => {
  const acts = /^on|^(href|src|srcset|srcdoc|action|formaction|data|xlink:href)$/;
  const all = [root, ...root.querySelectorAll("*")];
  return {
    tags: [...new Set(all.map((one) => one.tagName))],
    acting: all.flatMap((one) => one.getAttributeNames()).filter((name) => acts.test(name)),
  };
}
"""

WATCH: Final = "window.calls = 0; window.injected = () => { window.calls += 1; }; 0"


def laced() -> Measurement:
    """A measurement with every injection as a line, as a label and as a note."""
    lines = tuple(INJECTIONS)
    measurement = measured("\n".join(f"# {line}" for line in lines))
    assert len(lines) >= 50
    return msgspec.structs.replace(
        measurement,
        outline=tuple(Anchor(n, line, n) for n, line in enumerate(lines, start=1)),
        notes=tuple(Note("hostile", n, line) for n, line in enumerate(lines, start=1)),
    )


def check(page: Page, tags: set[str], *, root: str = ".shape-magic >> nth=-1") -> None:
    """Move over all that there is, and see that only the project's elements stand there."""
    found = page.locator(root).evaluate(LOOK)
    assert set(found["tags"]) <= tags
    assert found["acting"] == []
    page.keyboard.press("Tab")
    page.wait_for_timeout(50)
    assert page.evaluate("window.calls") == 0


def test_injections__would_run_if_they_were_markup(browser: Browser) -> None:
    context = browser.new_context()
    watch(context, [])
    page = context.new_page()
    page.set_content("<main></main>")
    page.evaluate(WATCH)
    ran = 0
    for injection in INJECTIONS:
        if "refresh" in injection:
            continue  # It would leave the page.
        page.evaluate("text => { document.querySelector('main').innerHTML = text; }", injection)
        page.wait_for_timeout(5)
        ran += page.evaluate("window.calls")
        page.evaluate(WATCH)
    context.close()
    assert ran > 10


def test_view__shows_source_outline_and_notes_as_text(harness: Harness) -> None:
    harness.page.evaluate(WATCH)
    harness.show(laced(), selection=(1, len(INJECTIONS)))
    harness.root.locator(".sm-toggle").click()
    for selector, start in [(".sm-line", "# "), (".sm-anchors bdi", ""), (".sm-notes bdi", "")]:
        texts = harness.root.locator(selector).evaluate_all(
            "all => all.map(one => one.textContent)"
        )
        assert texts == [visible(f"{start}{injection}") for injection in INJECTIONS]
    assert visible(INJECTIONS[10]) in harness.root.locator(".sm-answer").inner_text()
    harness.line(30).hover()
    harness.anchor(30).hover()
    check(harness.page, VIEW_TAGS)


def test_view__shows_ids_and_relations_as_text(harness: Harness) -> None:
    harness.page.evaluate(WATCH)
    for injection in INJECTIONS:
        subject = proposal(agent_id=injection)
        baseline = Baseline(f"against {injection}", Shape())
        harness.show(subject, selection=(1, 2), baseline=baseline)
        expect(harness.root.locator(".sm-title")).to_have_text(visible(injection))
        found = harness.root.evaluate(LOOK)
        assert set(found["tags"]) <= VIEW_TAGS
        assert found["acting"] == []
        harness.page.evaluate("clean()")
    harness.show(proposal())
    check(harness.page, VIEW_TAGS)


def test_view__takes_searches_reasons_and_names_as_text(harness: Harness) -> None:
    harness.page.evaluate(WATCH)
    for number, injection in enumerate(INJECTIONS):
        harness.show(proposal(), selection=(1, 1))
        harness.receive(search=to_wire(injection))
        harness.hear({"reason": injection})
        expect(harness.root.locator(".sm-without")).to_contain_text("without these lines")
        if number < len(INJECTIONS) - 1:
            harness.page.evaluate("clean()")
    check(harness.page, VIEW_TAGS)


def test_comparison__names_its_candidates_as_text(page: Page) -> None:
    page.set_content("<main></main>")
    page.evaluate(WATCH)
    for injection in INJECTIONS:
        subject = proposal(agent_id=injection)
        html = compare(subject, subject)._repr_mimebundle_()[0]["text/html"]
        page.evaluate("html => { document.querySelector('main').innerHTML = html; }", html)
        found = page.locator("main").evaluate(LOOK)
        table = {"TABLE", "THEAD", "TBODY", "TR", "TH", "TD"}
        assert set(found["tags"]) <= STATIC_TAGS | table | {"MAIN"}
        assert found["acting"] == []
    assert page.evaluate("window.calls") == 0


@pytest.mark.parametrize("place", ["texts", "id"])
def test_static_html__shows_text(page: Page, place: str) -> None:
    page.set_content("<main></main>")
    page.evaluate(WATCH)
    subjects: list[Measurement | Proposal] = [laced()]
    if place == "id":
        subjects = [proposal(agent_id=injection) for injection in INJECTIONS]
    for subject in subjects:
        html = bundle(subject)[0]["text/html"]
        page.evaluate("html => { document.querySelector('main').innerHTML = html; }", html)
        found = page.locator("main").evaluate(LOOK)
        assert set(found["tags"]) <= STATIC_TAGS | {"MAIN"}
        assert found["acting"] == []
    page.wait_for_timeout(50)
    assert page.evaluate("window.calls") == 0


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
@pytest.mark.parametrize("place", ["texts", "id"])
def test_saved_page__shows_text_without_its_policy_too(
    browser: Browser, requests_out: list[str], tmp_path: Path, place: str, scripts: bool
) -> None:
    # Escaping has to hold by itself: the policy is only there in case it does not.
    context = browser.new_context(bypass_csp=True, java_script_enabled=scripts)
    watch(context, requests_out)
    page = context.new_page()
    page.add_init_script(WATCH)
    subjects: list[Measurement | Proposal] = [laced()]
    if place == "id":
        subjects = [proposal(agent_id=injection) for injection in INJECTIONS]
    for subject in subjects:
        saved = tmp_path / "shape.html"
        saved.write_text(to_html(subject), encoding="utf-8")
        page.goto(saved.as_uri())
        if scripts:
            expect(page.locator(".sm-source")).to_be_visible()
            assert page.evaluate("window.calls") == 0
        tags = VIEW_TAGS | PAGE_TAGS if scripts else STATIC_TAGS | PAGE_TAGS
        found = (
            {name.upper() for name in page.locator("*").evaluate_all(NAMES)} if scripts else set()
        )
        assert found <= tags
    context.close()
    assert requests_out == []


NAMES: Final = "all => all.map(one => one.tagName)"


def test_injections__name_what_is_watched() -> None:
    assert sum(CALL in injection for injection in INJECTIONS) > 50
