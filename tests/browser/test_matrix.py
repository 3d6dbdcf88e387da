"""A matrix in a page: sorted, unfolded, its columns chosen, its cells opened, by mouse and keys."""

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from shape_magic import Deliberation, EvaluationTemplate, run_evaluations, to_html
from shape_magic.deliberation.matrix import Matrix
from shape_magic.deliberation.records import Evaluation, EvaluationEntry
from shape_magic.notebook.candidates import answer_opening
from shape_magic.notebook.display import bundle
from shape_magic.notebook.matrix import EMBEDDED, matrix_html, matrix_place
from shape_magic.notebook.place import page_of
from tests.browser.harness import Harness
from tests.browser.injections import INJECTIONS
from tests.browser.test_access import audit
from tests.experiments import fill_rounds, judge

MINUS: Final = "\N{MINUS SIGN}"
JUDGES: Final = {"Eve": judge(), "Lee": judge("length"), "Moe": judge("first")}


def repaired(prompt: Any) -> str:
    return f"Here it is:\n{judge('first')(prompt)}"


@pytest.fixture(scope="module")
def judged() -> Deliberation:
    deliberation = Deliberation()
    fill_rounds(deliberation, 3)
    default = EvaluationTemplate.default()
    terse = default.replace(name="terse", conciseness="whether it could not be shorter")
    judges = {**JUDGES, "Rex": repaired}
    templates = [default, default.without_shape(), terse]
    run_evaluations(deliberation, judges, templates=templates, trials=2, progress=False)
    deliberation.propose("Nobody judged", "# Late\n", round=3)
    return deliberation


class Opened:
    """A page with one matrix."""

    def __init__(self, page: Page, folder: Path, matrix: Matrix, *, held: bool = True) -> None:
        self.page = page
        path = folder / "matrix.html"
        place = matrix_place(matrix)
        path.write_text(to_html(matrix) if held else page_of([place], title="m"), encoding="utf-8")
        page.goto(path.as_uri())
        expect(page.locator(".sm-table")).to_be_visible()

    def head(self, name: str, nth: int = 0) -> Locator:
        return self.page.locator(f'.sm-table [data-key]:text-is("{name}")').nth(nth)

    def column(self, name: str, nth: int = 0) -> list[str]:
        """The texts of a column, of the candidates alone."""
        at = self.head(name, nth).evaluate("head => head.cellIndex")
        texts: list[str] = self.page.locator('.sm-table tr[aria-level="1"]').evaluate_all(
            "(rows, at) => rows.map((row) => row.cells[at].textContent)", at
        )
        return texts

    def figures(self, name: str, nth: int = 0) -> list[float | None]:
        return [number(text) for text in self.column(name, nth)]

    @property
    def opened(self) -> Locator:
        return self.page.locator(".sm-opened")

    def row(self, agent: str, number: int = 1) -> Locator:
        rows = self.page.locator('.sm-table tr[aria-level="1"]')
        return rows.filter(has_text=re.compile(rf"^{agent}{number}(\D|$)")).first

    def choose(self, label: str, option: str) -> None:
        labels = self.page.locator(".sm-choice").filter(has_text=re.compile(f"^{label} "))
        labels.locator("select").select_option(label=option)

    @property
    def focused(self) -> str:
        text: str = self.page.evaluate("document.activeElement.textContent")
        return text


def number(text: str) -> float | None:
    return None if text == "-" else float(text.replace(MINUS, "-").replace(",", ""))


@pytest.fixture
def arms(page: Page, tmp_path: Path, judged: Deliberation) -> Opened:
    return Opened(page, tmp_path, judged.matrix())


@pytest.fixture
def scores(page: Page, tmp_path: Path, judged: Deliberation) -> Opened:
    return Opened(page, tmp_path, judged.matrix(rounds=3, arms=["terse"]))


def sorted_down(figures: list[float | None]) -> list[float | None]:
    there = sorted((figure for figure in figures if figure is not None), reverse=True)
    return [*there, *[None] * (len(figures) - len(there))]


def test_figures__are_those_of_the_static_form(
    page: Page, tmp_path: Path, judged: Deliberation
) -> None:
    read = """() => [...document.querySelectorAll("table tbody tr")].map((row) =>
      [...row.cells].map((cell) => cell.textContent.trim().replace("\\u2212", "-")))"""
    for matrix in (judged.matrix(), judged.matrix(arms=["default"], rounds=2)):
        Opened(page, tmp_path, matrix)
        live = page.evaluate(read)
        page.set_content(matrix_html(matrix))
        assert live == page.evaluate(read)


@pytest.mark.parametrize(
    ("figure", "written"),
    [(12.25, "+12.2"), (12.35, "+12.3"), (-0.04, "-0.0"), (0.05, "+0.1"), (-7.75, "-7.8")],
)
def test_figures__are_rounded_as_python_rounds(
    page: Page, tmp_path: Path, figure: float, written: str
) -> None:
    deliberation = Deliberation()
    evaluation = Evaluation(category_scores={"conciseness": figure})
    entry = EvaluationEntry(evaluator_agent_id="Eve", evaluation=evaluation)
    deliberation.add_evaluations([(deliberation.propose("Ann", "x"), entry)])
    matrix = deliberation.matrix()
    assert f">{written}</td>" in matrix_html(matrix)
    (shown,) = Opened(page, tmp_path, matrix).column("conciseness")
    assert shown.replace(MINUS, "-") == written


def test_heading__sorts_and_what_is_missing_stays_last(arms: Opened) -> None:
    arms.head("terse").click()
    figures = arms.figures("terse")
    assert figures[-1] is None
    assert figures == sorted_down(figures)
    expect(arms.head("terse")).to_have_attribute("aria-sort", "descending")
    arms.head("terse").click()
    expect(arms.page.locator("[aria-sort]")).to_have_count(1)
    expect(arms.head("terse")).to_have_attribute("aria-sort", "ascending")
    again = arms.figures("terse")
    assert again == [*sorted_down(figures)[-2::-1], None]
    arms.head("agent_id").click()
    assert arms.column("agent_id") == sorted(arms.column("agent_id"))
    expect(arms.head("agent_id")).to_have_attribute("aria-sort", "ascending")


def test_largest_difference__comes_first(arms: Opened, scores: Opened) -> None:
    # The second page stands in place of the first.
    apart = scores.page.get_by_role("button", name="largest difference first")
    apart.click()
    expect(apart).to_have_attribute("aria-pressed", "true")
    first = scores.page.locator('.sm-table tr[aria-level="1"]').first
    assert "Nobody judged" not in (first.text_content() or "")
    assert scores.column("agent_id")[-1] == "Nobody judged"


def test_largest_difference__between_arms_is_a_column(arms: Opened) -> None:
    arms.page.get_by_role("button", name="largest difference first").click()
    figures = arms.figures("largest difference")
    assert figures == sorted_down(figures)
    three = [arms.figures(name) for name in ("default", "default-without-shape", "terse")]
    for spread, *given in zip(figures, *three, strict=True):
        there = [figure for figure in given if figure is not None]
        if spread is not None:
            assert spread == pytest.approx(max(there) - min(there), abs=0.11)
    arms.head("chars").click()
    expect(arms.page.locator(".sm-apart")).to_have_attribute("aria-pressed", "false")


def test_row__unfolds_to_evaluators_and_trials(arms: Opened) -> None:
    row = arms.row("Ann")
    expect(row).to_have_attribute("aria-expanded", "false")
    row.get_by_role("button", name="Unfold Ann, round 1").click()
    expect(row).to_have_attribute("aria-expanded", "true")
    lines = arms.page.locator(".sm-given")
    heads = lines.locator("th").all_text_contents()
    assert heads == [
        text for name in ("Eve", "Lee", "Moe", "Rex") for text in (name, "trial 1", "trial 2")
    ]
    cells = [number(line.locator("td").nth(1).text_content() or "") for line in lines.all()]
    for at in range(0, 12, 3):
        mean, *trials = cells[at : at + 3]
        assert mean == pytest.approx(sum(trial or 0 for trial in trials) / 2, abs=0.06)
    row.get_by_role("button", name="Fold Ann, round 1").click()
    expect(lines).to_have_count(0)


def test_row__stays_unfolded_where_it_is_sorted_and_drawn_anew(arms: Opened) -> None:
    arms.row("Ann").locator("button.sm-unfold").click()
    for label, option in (("", ""), ("score", "novelty"), ("columns", "scores")):
        if label:
            arms.choose(label, option)
        else:
            arms.head("chars").click()
        expect(arms.page.locator(".sm-given")).to_have_count(12)
        beside = "row => row.nextElementSibling.className"
        assert arms.row("Ann").evaluate(beside) == "sm-given"
    arms.page.get_by_role("button", name="unfold all").click()
    expect(arms.page.locator(".sm-given")).to_have_count(9 * 12)
    arms.page.get_by_role("button", name="unfold all").click()
    expect(arms.page.locator(".sm-given")).to_have_count(0)


def test_columns__are_chosen(arms: Opened, judged: Deliberation) -> None:
    arms.choose("score", "novelty")
    expect(arms.page.locator(".sm-groups th").first).to_have_text("novelty")
    arms.choose("less", "terse")
    differences = arms.figures("default", 1)
    given = zip(arms.figures("default"), arms.figures("terse"), strict=True)
    for shown, (before, less) in zip(differences, given, strict=True):
        if shown is None:
            assert None in (before, less)
        else:
            assert shown == pytest.approx((before or 0) - (less or 0), abs=0.11)
    arms.choose("columns", "scores")
    arms.choose("arm", "default-without-shape")
    summary = judged.summarize(2, arm="default-without-shape")
    for score in summary.proposal_scores or ():
        cells = arms.row(score.agent_id, 2).locator("td").all_text_contents()
        assert number(cells[1]) == pytest.approx(score.aggregated_score or 0, abs=0.006)
        assert number(cells[-2]) == score.real_eval_count


def test_table__is_one_tab_stop_and_the_arrows_move(arms: Opened) -> None:
    arms.page.evaluate("Object.assign(document.querySelector('main'), { tabIndex: -1 }).focus()")
    for _ in range(6):
        arms.page.keyboard.press("Tab")
    first = arms.column("agent_id")[0]
    assert arms.focused == first
    arms.page.keyboard.press("ArrowUp")
    assert arms.focused == "agent_id"
    arms.page.keyboard.press("ArrowRight")
    arms.page.keyboard.press("ArrowRight")
    assert arms.focused == "default"
    arms.page.keyboard.press("Enter")
    expect(arms.head("default")).to_have_attribute("aria-sort", "descending")
    assert arms.focused == "default"
    arms.page.keyboard.press("End")
    assert arms.focused == "table_rows"
    arms.page.keyboard.press("Home")
    arms.page.keyboard.press("ArrowDown")
    arms.page.keyboard.press(" ")
    expect(arms.page.locator(".sm-given")).to_have_count(12)
    arms.page.keyboard.press("ArrowDown")
    assert arms.focused == "Eve"
    arms.page.keyboard.press("PageDown")
    assert arms.focused == "trial 1"
    arms.page.keyboard.press(" ")
    expect(arms.page.locator(".sm-given")).to_have_count(0)
    assert arms.focused == arms.column("agent_id")[0]
    assert arms.page.locator('.sm-table [tabindex="0"]').count() == 1


def test_table__leaves_the_hosts_keys(arms: Opened) -> None:
    arms.row("Ann").locator("th").focus()
    for keys in ("Control+ArrowDown", "Shift+Enter", "Alt+ArrowLeft"):
        arms.page.keyboard.press(keys)
    assert arms.focused == "Ann"
    expect(arms.opened).to_be_hidden()


def test_cell__opens_the_text_and_what_was_said_of_it(arms: Opened, judged: Deliberation) -> None:
    at = arms.head("terse").evaluate("head => head.cellIndex")
    arms.row("Bob", 2).locator(f":scope > :nth-child({at + 1})").click()
    expect(arms.opened.locator(".sm-header").first).to_have_text("Bobround 2 · terseclose")
    text = judged.proposal("Bob", round=2).measurement.text
    lines = arms.opened.locator(".sm-line").all_text_contents()
    assert lines == text.split("\n")[: len(lines)]
    said = arms.opened.locator(".sm-evaluated")
    expect(said).to_have_count(8)
    given = judged.evaluations("Bob", round=2, arm="terse")
    for article, entry in zip(said.all(), given, strict=True):
        expect(article).to_contain_text(entry.evaluator_agent_id)
        expect(article).to_contain_text(entry.evaluation.justification or "")
        expect(article).to_contain_text(f"weight {entry.evaluation.endorsement_weight:+g}")
    # Its claims are marked in the text.
    claims = arms.opened.locator(".sm-line[data-said]")
    expect(claims).to_have_count(1)
    expect(claims).to_have_attribute("data-line", "1")
    # Twenty-four evaluators say the same of it: that hides no text.
    expect(claims).to_have_attribute("data-said", "\N{CHECK MARK}24")


def test_cell__leads_to_the_reply_with_its_repairs_and_to_the_prompt(
    arms: Opened, judged: Deliberation
) -> None:
    arms.row("Ann", 3).get_by_role("button", name="Open Ann, round 3").click()
    article = arms.opened.locator('.sm-evaluated:has-text("Rex")').first
    article.get_by_role("button", name="the reply as it came").click()
    reply = article.locator(".sm-verbatim")
    expect(article).to_contain_text("attempt 1: taken")
    expect(article).to_contain_text("words around it")
    assert (reply.text_content() or "").startswith("Here it is:\n{")
    article.get_by_role("button", name="the prompt as it was shown").click()
    (entry,) = (
        entry
        for entry in judged.evaluations("Ann", round=3, arm="default")
        if (entry.evaluator_agent_id, entry.trial) == ("Rex", 1)
    )
    assert entry.prompt is not None
    expect(article.locator(".sm-verbatim")).to_have_count(2)
    assert (
        article.locator(".sm-verbatim").nth(1).text_content()
        == judged.prompt(entry.prompt.digest).text
    )
    pressed = article.get_by_role("button", name="the reply as it came")
    expect(pressed).to_have_attribute("aria-expanded", "true")
    pressed.click()
    expect(reply.first).to_be_hidden()


def test_evaluators_cell__leads_to_what_that_one_said(arms: Opened) -> None:
    arms.row("Ann").locator("button.sm-unfold").click()
    line = arms.page.locator(".sm-given").nth(5)
    expect(line).to_have_text(re.compile("^trial 2"))
    line.locator("td").nth(1).click()
    chosen = arms.opened.locator("[data-chosen]")
    expect(chosen).to_have_count(1)
    expect(chosen).to_contain_text("Lee")
    expect(chosen).to_contain_text("arm default · trial 2")
    expect(chosen).to_be_focused()
    arms.page.keyboard.press("Escape")
    expect(arms.opened).to_be_hidden()
    assert arms.page.evaluate("document.activeElement.closest('.sm-given') !== null")


def test_view__in_a_cell_is_a_view(arms: Opened) -> None:
    arms.row("Ann", 2).locator("th").focus()
    arms.page.keyboard.press("Enter")
    expect(arms.opened.locator(".sm-title").first).to_be_focused()
    arms.opened.locator('[data-attribute="list_items"]').click()
    expect(arms.opened.locator(".sm-line[data-evidence]")).to_have_count(4)


def test_saved_notebook__says_once_what_it_does_not_have(
    page: Page, tmp_path: Path, judged: Deliberation
) -> None:
    opened = Opened(page, tmp_path, judged.matrix(), held=False)
    opened.row("Ann").locator("button.sm-unfold").click()
    expect(page.locator(".sm-given")).to_have_count(12)
    for _ in range(2):
        opened.row("Ann").locator("button.sm-open").click()
        told = page.get_by_text("Texts, replies and prompts stay with the deliberation.")
        expect(told).to_have_count(1)
    expect(opened.opened).to_contain_text("%deliberation PATH")


def test_summary_alone__opens_nothing(page: Page, tmp_path: Path, judged: Deliberation) -> None:
    path = tmp_path / "alone.html"
    from shape_magic.deliberation.matrix import matrix_of_summary

    matrix = matrix_of_summary(judged.summarize(1, arm="terse"))
    path.write_text(to_html(matrix), encoding="utf-8")
    page.goto(path.as_uri())
    expect(page.locator(".sm-open, button.sm-unfold, .sm-all")).to_have_count(0)
    page.locator(".sm-table tbody td").first.click()
    expect(page.locator(".sm-opened")).to_be_hidden()


PLACE: Final = """
([digest, written]) => {
  const place = Object.assign(document.createElement("div"), { id: "matrix" });
  place.dataset.shapeMagic = digest;
  place.dataset.shapeMagicView = written;
  document.querySelector("#place").append(place);
  window.model = new FakeModel({ since: 1 });
  window.drop = initialize({ model: window.model });
  globalThis[Symbol.for("shape_magic")].add(place);
}
"""


def test_kernel__is_asked_for_what_the_figures_do_not_have(
    harness: Harness, judged: Deliberation
) -> None:
    matrix = judged.matrix()
    place = matrix_place(matrix)
    harness.page.evaluate(PLACE, [place.digest, json.dumps(place.data)])
    assert matrix.store is not None
    store = matrix.store

    def answer() -> None:
        harness.page.wait_for_function("model.sent.length > 0")
        (asked,) = harness.sent
        answered = answer_opening(asked, stores=lambda digest: [store] if digest else [])
        harness.page.evaluate(
            "answer => { model.sent.length = 0; model.tell('msg:custom', answer); }", answered
        )

    page = harness.page
    page.get_by_role("button", name="Open Ann, round 2").click()
    answer()
    article = page.locator(".sm-evaluated").first
    expect(page.locator("#matrix .sm-line").first).to_have_text(re.compile("^Round 2. "))
    article.get_by_role("button", name="the prompt as it was shown").click()
    answer()
    expect(article.locator(".sm-verbatim")).to_contain_text("TASK: Name a `queue`")
    article.get_by_role("button", name="the reply as it came").click()
    answer()
    expect(article.locator(".sm-verbatim").first).to_contain_text('{"evaluations"')
    # A kernel that knows another deliberation says so.
    store = Deliberation().matrix().store  # type: ignore[assignment]
    page.get_by_role("button", name="Open Bob, round 2").click()
    answer()
    expect(page.locator(".sm-opened .sm-status").first).to_contain_text("%deliberation PATH")
    page.evaluate("drop()")
    page.get_by_role("button", name="Open Bob, round 2").click()
    expect(page.locator(".sm-opened")).to_contain_text("once a kernel has run")


def hostile() -> Deliberation:
    deliberation = Deliberation()
    for at, injection in enumerate(INJECTIONS):
        proposal = deliberation.propose(injection, f"{injection}\n" * 2)
        evaluation = Evaluation(
            score=0.1,
            justification=injection,
            stance=injection,
            category_scores={"conciseness": float(at)},
        )
        deliberation.add_evaluations(
            [
                (
                    proposal,
                    EvaluationEntry(evaluator_agent_id=f"{injection} E", evaluation=evaluation),
                )
            ]
        )
    return deliberation


def test_hostile_text__stays_text(page: Page, tmp_path: Path) -> None:
    page.add_init_script("window.calls = 0; window.injected = () => { window.calls += 1; }")
    opened = Opened(page, tmp_path, hostile().matrix())
    rows = page.locator('.sm-table tr[aria-level="1"]')
    expect(rows).to_have_count(len(INJECTIONS))
    page.get_by_role("button", name="unfold all").click()
    for at in range(0, len(INJECTIONS), 6):
        rows.nth(at).locator(".sm-open").click()
        expect(opened.opened.locator(".sm-evaluated")).to_have_count(1)
    assert page.evaluate("window.calls") == 0
    tags = set(page.locator("main *").evaluate_all("all => all.map(each => each.tagName)"))
    assert not tags & {"IMG", "IFRAME", "SVG", "OBJECT", "EMBED", "FORM", "A", "VIDEO", "LINK"}
    shown = page.locator("body").inner_text()
    assert "\u202e" not in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe__finds_nothing(arms: Opened, npm_packages: Path, artefacts: Path, scheme: Any) -> None:
    arms.page.emulate_media(color_scheme=scheme)
    arms.row("Ann").locator("button.sm-unfold").click()
    arms.head("terse").click()
    arms.row("Bob", 2).locator("button.sm-open").click()
    article = arms.opened.locator(".sm-evaluated").first
    article.get_by_role("button", name="the reply as it came").click()
    # The page's policy lets no other script in.
    found = audit_past_the_policy(arms.page, npm_packages)
    assert found == [], json.dumps(found, indent=1)
    arms.page.screenshot(path=artefacts / f"matrix-{scheme}.png", full_page=True)


def audit_past_the_policy(page: Page, npm_packages: Path) -> Any:
    return audit(page, npm_packages)["violations"]


def test_narrow_page__scrolls_the_table_alone(arms: Opened, artefacts: Path) -> None:
    arms.page.set_viewport_size({"width": 400, "height": 800})
    arms.row("Bob", 2).locator("button.sm-open").click()
    assert arms.page.evaluate("document.documentElement.scrollWidth") <= 400
    pane = arms.page.locator(".sm-matrix")
    pane.evaluate("pane => { pane.scrollLeft = 500; }")
    name = arms.row("Bob", 2).locator("th")
    assert name.evaluate(
        "name => name.getBoundingClientRect().left - name.closest('.sm-matrix')"
        ".getBoundingClientRect().left"
    ) == pytest.approx(1, abs=1)
    expect(name).to_be_in_viewport()
    arms.page.screenshot(path=artefacts / "matrix-narrow.png", full_page=True)


@pytest.mark.parametrize("options", [{}, {"arms": ["terse"]}], ids=["arms", "scores"])
def test_paper__has_all_columns(
    page: Page, tmp_path: Path, judged: Deliberation, artefacts: Path, options: Any
) -> None:
    opened = Opened(page, tmp_path, judged.matrix(**options))
    opened.row("Ann").locator("button.sm-unfold").click()
    # A sheet of A4 within its margins.
    page.set_viewport_size({"width": 718, "height": 1000})
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 718
    page.screenshot(path=artefacts / f"matrix-paper-{len(options)}.png", full_page=True)


def test_forced_colours__leave_signs_and_marks(arms: Opened, artefacts: Path) -> None:
    arms.page.emulate_media(forced_colors="active")
    arms.head("terse").click()
    outline = "head => getComputedStyle(head).outlineStyle"
    assert arms.head("terse").evaluate(outline) == "solid"
    for text in arms.column("terse"):
        assert text[0] in f"+-{MINUS}"
    arms.page.screenshot(path=artefacts / "matrix-forced.png", full_page=True)


def test_page__without_scripts_has_the_figures_and_the_evaluators(
    browser: Browser, tmp_path: Path, judged: Deliberation
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    path = tmp_path / "static.html"
    path.write_text(to_html(judged.matrix()), encoding="utf-8")
    page.goto(path.as_uri())
    expect(page.locator("table tbody tr")).to_have_count(10)
    page.get_by_text("by evaluator").click()
    expect(page.locator("details pre")).to_contain_text("Rex")
    context.close()


def test_notebooks_output__is_far_smaller_than_the_page_to_send(judged: Deliberation) -> None:
    output = bundle(judged.matrix())[0]["text/html"]
    page = to_html(judged.matrix())
    assert "TASK:" not in output
    assert "TASK:" in page
    assert len(page) < EMBEDDED + 500_000
