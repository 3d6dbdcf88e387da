"""The saved page: from `file:`, without a kernel, without a network, under its own policy."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from shape_magic.notebook.place import page_of, place_of, to_html
from shape_magic.notebook.view import ShapeView
from tests.browser.conftest import watch
from tests.browser.harness import Harness, measured, proposal


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "shape.html"
    ShapeView(proposal(change=12)).save(path)
    return path


@pytest.fixture
def opened(page: Page, saved: Path) -> Harness:
    page.goto(saved.as_uri())
    expect(page.locator(".sm-source")).to_be_visible()
    return Harness(page)


def test_page__is_live_from_a_file(opened: Harness) -> None:
    opened.line(3).click()
    opened.line(6).click(modifiers=["Shift"])
    assert opened.highlighted == [3, 4, 5, 6]
    opened.attribute("table_rows").click()
    assert opened.lines_with("[data-evidence]") == [20, 21, 22, 23]
    opened.anchor(14).click()
    assert opened.highlighted == [14, 15, 16]
    opened.search.fill("cache")
    expect(opened.root.locator(".sm-number")).to_have_count(3)
    expect(opened.attribute("prose_chars")).to_contain_text("+12")


def test_page__never_speaks_of_kernels(opened: Harness) -> None:
    opened.line(3).click()
    expect(opened.root.locator(".sm-without")).to_be_hidden()
    assert "kernel" not in opened.page.locator("body").inner_text()


def test_page__policy_lets_nothing_else_run(browser: Browser, saved: Path) -> None:
    page = browser.new_page()
    page.goto(saved.as_uri())
    refused = page.evaluate(
        """() => new Promise((done) => {
          document.addEventListener("securitypolicyviolation",
            ({ violatedDirective }) => done(violatedDirective));
          const script = document.createElement("script");
          script.textContent = "window.ran = true";
          document.body.append(script);
        })"""
    )
    assert refused.startswith("script-src")
    assert page.evaluate("window.ran") is None
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page__follows_the_readers_setting(page: Page, saved: Path, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(saved.as_uri())
    color = page.locator(".shape-magic").evaluate("one => getComputedStyle(one).backgroundColor")
    assert color == {"light": "rgb(255, 255, 255)", "dark": "rgb(23, 25, 30)"}[scheme]


def test_page__without_scripts_shows_the_static_form(browser: Browser, saved: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    requests_out: list[str] = []
    watch(context, requests_out)
    page = context.new_page()
    page.goto(saved.as_uri())
    expect(page.get_by_text("Candidate_A · round 2")).to_be_visible()
    expect(page.get_by_text("Source, 29 lines")).to_be_visible()
    context.close()
    assert requests_out == []


def test_page__holds_any_text(page: Page, tmp_path: Path) -> None:
    line = "\ud800 </script> \x00 \u2028 & \U0001f600"
    path = tmp_path / "shape.html"
    path.write_text(to_html(measured(line)), encoding="utf-8")
    page.goto(path.as_uri())
    shown = page.locator(".sm-line").evaluate("one => one.textContent")
    assert shown == "[U+D800] </script> ␀ [U+2028] & \U0001f600"


def test_page__of_several_is_live(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "two.html"
    path.write_text(
        page_of([place_of(measured("# A\n")), place_of(measured("# A\n\nB\n"))], title="two"),
        encoding="utf-8",
    )
    page.goto(path.as_uri())
    expect(page.locator(".shape-magic")).to_have_count(2)
    page.locator('[data-line="1"]').nth(1).click()
    expect(page.locator('[aria-selected="true"]')).to_have_count(1)


def test_page__has_nothing_to_fetch() -> None:
    page = to_html(proposal())
    assert not re.search(r"""(?:src|href)=["']|@import ["']|url\(""", page)
    assert "connect-src" not in page
    assert "default-src 'none'" in page
