"""Two texts side by side: what differs, how both scroll, and what is chosen on either side."""

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from shape_magic import compare_analyzers, to_html
from shape_magic.deliberation.proposal import Proposal
from shape_magic.notebook.compare import compare
from shape_magic.wording import visible
from tests.browser.harness import SAMPLE, Harness, Placed, measured, proposal
from tests.browser.injections import INJECTIONS
from tests.plain_scan import PlainScan

BEFORE = proposal(SAMPLE.replace("| cache | 4 ms |\n", "") + "line\n" * 40 + "end\n")
AFTER = proposal(
    SAMPLE.replace("Use a", "You may use a") + "line\n" * 40 + "the end\n", agent_id="Candidate_B"
)


class Compared:
    """A saved page of one comparison."""

    def __init__(self, page: Page, folder: Path, a: Proposal, b: Proposal) -> None:
        self.page = page
        path = folder / "both.html"
        path.write_text(to_html(compare(a, b)), encoding="utf-8")
        page.goto(path.as_uri())

    def cell(self, side: int, line: int) -> Locator:
        return self.page.locator(f'[data-side="{side}"][data-line="{line}"]')

    def lines(self, marked: str) -> list[tuple[str, str]]:
        found: list[list[str]] = self.page.locator(f".sm-cell{marked}").evaluate_all(
            "cells => cells.map(cell => [cell.dataset.side, cell.dataset.line])"
        )
        return [(side, line) for side, line in found]


@pytest.fixture
def compared(page: Page, tmp_path: Path) -> Compared:
    return Compared(page, tmp_path, BEFORE, AFTER)


def test_comparison__shows_one_row_of_the_eight(compared: Compared) -> None:
    tiles = compared.page.locator(".sm-attribute")
    expect(tiles).to_have_count(8)
    rows = compared.page.locator('[data-attribute="table_rows"]')
    expect(rows).to_have_text("3 → 4 table_rows +1")
    expect(compared.page.locator(".sm-header")).to_contain_text("against Candidate_A@2")


def test_comparison__marks_lines_and_words_that_differ(compared: Compared) -> None:
    changed = [("0", "3"), ("1", "3"), ("1", "23"), ("0", "69"), ("1", "70")]
    assert compared.lines("[data-changed]") == changed
    words = compared.page.locator('[data-side="1"] .sm-word').all_inner_texts()
    assert [word.strip() for word in words] == ["You may use", "", "the"] or "the" in words[-1]
    # Nothing of the text is lost by that.
    for side, line, text in [(0, 3, BEFORE), (1, 3, AFTER)]:
        shown = compared.cell(side, line).locator(".sm-words").evaluate("one => one.textContent")
        assert shown == text.content.split("\n")[line - 1]


def test_comparison__folds_what_is_the_same_and_unfolds_it(compared: Compared) -> None:
    fold = compared.page.get_by_role("button", name="unchanged").last
    expect(compared.cell(0, 50)).to_have_count(0)
    fold.click()
    expect(compared.cell(0, 50)).to_have_text("50line")
    everything = compared.page.locator('[data-side="0"][data-line]')
    while compared.page.get_by_role("button", name="unchanged").count():
        compared.page.get_by_role("button", name="unchanged").first.click()
    expect(everything).to_have_count(69)


@pytest.mark.parametrize(("same", "folds"), [(7, []), (8, ["2 lines unchanged"])])
def test_comparison__folds_no_single_line(
    page: Page, tmp_path: Path, same: int, folds: list[str]
) -> None:
    between = "".join(f"line {n}\n" for n in range(same))
    texts = [f"{first}\n{between}{last}\n" for first, last in ("ab", "cd")]
    Compared(page, tmp_path, proposal(texts[0]), proposal(texts[1]))
    assert page.locator(".sm-fold").all_inner_texts() == folds


def test_comparison__marks_a_word_that_was_written_again(page: Page, tmp_path: Path) -> None:
    Compared(page, tmp_path, proposal("go go\n"), proposal("go go go\n"))
    assert page.locator('[data-side="0"] .sm-word').count() == 0
    assert page.locator('[data-side="1"] .sm-word').all_inner_texts() == [" go"]


def test_comparison__makes_every_line_visible(page: Page, tmp_path: Path) -> None:
    texts = ["# \u202ea\x1b\n\nold \u202eb\x1b c\n", "# \u202ea\x1b\n\nnew \u202eb\x1b c\nd\x1b\n"]
    compared = Compared(page, tmp_path, proposal(texts[0]), proposal(texts[1]))
    for side, text in enumerate(texts):
        for number, line in enumerate(text.split("\n")[:-1], start=1):
            words = compared.cell(side, number).locator(".sm-words")
            assert words.evaluate("one => one.textContent") == visible(line)


def test_comparison__leads_to_a_change_that_is_not_drawn_yet(page: Page, tmp_path: Path) -> None:
    # Nothing is done while the page is idle: its clock stands still.
    page.clock.install(time=0)
    page.clock.pause_at(1)
    same = "".join(f"line {n}\n" for n in range(50))
    texts = [f"{word}\n" * 300 + same + f"{word}\n" for word in ("old", "new")]
    compared = Compared(page, tmp_path, proposal(texts[0]), proposal(texts[1]))
    expect(compared.cell(1, 351)).to_have_count(0)
    for _ in range(2):
        page.get_by_label("Next change").click()
    expect(compared.cell(1, 351)).to_be_in_viewport()


def test_comparison__text_is_selected_as_text(compared: Compared) -> None:
    compared.cell(0, 1).click()
    box = compared.cell(1, 3).locator(".sm-words").bounding_box()
    assert box is not None
    compared.page.mouse.move(box["x"] + 10, box["y"] + 10)
    compared.page.mouse.down()
    compared.page.mouse.move(box["x"] + 200, box["y"] + 10, steps=4)
    compared.page.mouse.up()
    assert len(compared.page.evaluate("getSelection().toString()")) > 3
    assert compared.lines("[data-selected]") == [("0", "1")]


def test_comparison__sides_stand_beside_each_other_while_it_scrolls(compared: Compared) -> None:
    pane = compared.page.locator(".sm-diff")
    pane.evaluate("pane => { pane.scrollTop = pane.scrollHeight; }")
    boxes = [compared.cell(0, 69).bounding_box(), compared.cell(1, 70).bounding_box()]
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert boxes[0]["y"] == boxes[1]["y"]


def test_comparison__leads_from_change_to_change(compared: Compared) -> None:
    for selected in (
        [("0", "3"), ("1", "3")],
        [("0", "3"), ("1", "23")],
        [("0", "69"), ("1", "70")],
    ):
        compared.page.get_by_label("Next change").click()
        assert compared.lines("[data-selected]") == selected
    expect(compared.cell(1, 70)).to_be_in_viewport()
    expect(compared.page.locator(".sm-call").last).to_contain_text('agent_id="Candidate_B"')
    compared.page.get_by_label("Previous change").click()
    expect(compared.cell(1, 23)).to_be_in_viewport()
    assert compared.lines("[data-selected]") == [("1", "23"), ("0", "69")]


def test_comparison__selects_on_either_side(compared: Compared) -> None:
    compared.cell(0, 1).click()
    compared.cell(1, 3).click()
    compared.cell(1, 5).click(modifiers=["Shift"])
    assert compared.lines("[data-selected]") == [("0", "1"), *(("1", str(n)) for n in (3, 4, 5))]


def test_comparison__a_number_leads_to_its_lines_on_both_sides(compared: Compared) -> None:
    compared.page.locator('[data-attribute="headings"]').click()
    found = compared.lines("[data-evidence]")
    assert {side for side, _ in found} == {"0", "1"}
    assert ("0", "1") in found


def test_comparison__of_equal_texts_says_so(page: Page, tmp_path: Path) -> None:
    Compared(page, tmp_path, BEFORE, BEFORE)
    expect(page.locator(".sm-tools")).to_contain_text("the texts are the same")


def test_analyzers__stand_side_by_side_on_one_text(page: Page, tmp_path: Path) -> None:
    text = "Answer.\n\n#Plan\n\n" + "line\n" * 40 + "\n| a | b |\n| c | d |\n"
    comparison = compare_analyzers(text, "markdown", PlainScan())
    path = tmp_path / "both.html"
    path.write_text(to_html(comparison), encoding="utf-8")
    page.goto(path.as_uri())
    expect(page.locator(".sm-header")).to_contain_text("against markdown/2")
    expect(page.locator('[data-attribute="headings"]')).to_have_text("0 → 1 headings +1")
    changed = page.locator(".sm-cell[data-changed]")
    signs = ["prose", "heading", "prose", "table", "prose", "table"]
    expect(changed.locator(".sm-sign")).to_have_text(signs)
    expect(page.get_by_role("status").first).to_have_text("2 differences")
    expect(page.locator(".sm-fold")).to_have_text("36 lines alike")
    expect(page.locator("main > pre")).to_contain_text("not by a space or a tab")
    page.get_by_role("button", name="Next change").click()
    expect(page.locator(".sm-cell[data-selected]")).to_have_count(2)


@pytest.mark.parametrize("width", [1000, 400])
def test_analyzers__are_told_apart_without_colour_and_in_a_narrow_column(
    page: Page, tmp_path: Path, npm_packages: Path, width: int
) -> None:
    path = tmp_path / "both.html"
    comparison = compare_analyzers("#<b>Plan</b>\n\nWords\n", "markdown", PlainScan())
    path.write_text(to_html(comparison), encoding="utf-8")
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(path.as_uri())
    changed = page.locator(".sm-cell[data-changed]")
    expect(changed.locator(".sm-words")).to_have_text(["#<b>Plan</b>"] * 2)
    words = changed.first.locator(".sm-words").bounding_box()
    assert words is not None
    assert words["width"] > 100
    page.emulate_media(forced_colors="active")
    outlines = changed.locator(".sm-sign").evaluate_all(
        "all => all.map(sign => getComputedStyle(sign).outlineStyle)"
    )
    assert outlines == ["solid", "solid"]
    page.emulate_media(forced_colors="none")
    page.evaluate((npm_packages / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run('.shape-magic', { resultTypes: ['violations'] })")
    assert [(violation["id"], violation["nodes"]) for violation in found["violations"]] == []


def test_analyzers__that_count_alike_say_so(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "both.html"
    path.write_text(to_html(compare_analyzers("# A\n", "markdown", "markdown")), encoding="utf-8")
    page.goto(path.as_uri())
    expect(page.get_by_role("status").first).to_have_text(
        "the texts are the same, and every line counts alike"
    )


def test_comparison__shows_hostile_text_as_text(page: Page, tmp_path: Path) -> None:
    page.add_init_script("window.calls = 0; window.injected = () => { window.calls += 1; }")
    before = proposal("\n".join(INJECTIONS), agent_id=INJECTIONS[0])
    after = proposal("\n".join(f"{line} x" for line in INJECTIONS), agent_id=INJECTIONS[1])
    Compared(page, tmp_path, before, after)
    expect(page.locator(".sm-cell[data-line]")).to_have_count(2 * len(INJECTIONS))
    assert page.evaluate("window.calls") == 0
    tags = page.locator(".shape-magic *").evaluate_all("all => all.map(one => one.tagName)")
    assert set(tags) <= {"B", "BDI", "BUTTON", "CODE", "DIV", "P", "PRE", "SMALL", "SPAN"}


def test_page__of_a_list_has_a_view_of_each(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "list.html"
    path.write_text(to_html([compare(BEFORE, AFTER), AFTER, measured("# A\n")]), encoding="utf-8")
    page.goto(path.as_uri())
    expect(page.locator(".shape-magic")).to_have_count(3)
    view: Harness = Placed(page, page.locator(".shape-magic").nth(1))
    view.line(3).click()
    assert view.highlighted == [3]


def test_keys__select_on_either_side(compared: Compared) -> None:
    compared.page.locator(".sm-diff").focus()
    for key, selected in [
        ("ArrowDown", [("0", "1")]),
        ("ArrowDown", [("0", "2")]),
        ("Shift+ArrowDown", [("0", "2"), ("0", "3")]),
        ("ArrowRight", [("0", "2"), ("0", "3"), ("1", "3")]),
        ("Shift+ArrowUp", [("0", "2"), ("0", "3"), ("1", "2"), ("1", "3")]),
        ("Escape", []),
        ("End", [("1", "70")]),
        ("ArrowDown", [("1", "70")]),
        ("ArrowLeft", [("0", "69"), ("1", "70")]),
        ("Home", [("0", "1"), ("1", "70")]),
    ]:
        compared.page.keyboard.press(key)
        assert sorted(compared.lines("[data-selected]")) == selected, key
    expect(compared.cell(0, 1)).to_be_in_viewport()
    assert compared.page.evaluate("scrollY") == 0


def test_keys__pass_over_what_is_folded(compared: Compared) -> None:
    hidden = {("0", str(line)) for line in range(1, 70)} - set(compared.lines('[data-side="0"]'))
    assert len(hidden) > 20
    compared.page.locator(".sm-diff").focus()
    for _ in range(69 - len(hidden)):
        compared.page.keyboard.press("ArrowDown")
    assert compared.lines("[data-selected]") == [("0", "69")]
    expect(compared.cell(0, 69)).to_be_in_viewport()


def test_forced_colours__keep_evidence_and_selection_apart(compared: Compared) -> None:
    compared.page.emulate_media(forced_colors="active")
    compared.page.locator('[data-attribute="list_items"]').click()
    compared.cell(0, 2).click()
    looks = [
        compared.cell(0, line).evaluate(
            """cell => {
              const { borderLeftStyle, borderLeftColor, outlineColor } = getComputedStyle(cell);
              const paper = getComputedStyle(document.body).backgroundColor;
              return [borderLeftStyle, borderLeftColor === paper, outlineColor];
            }"""
        )
        for line in (1, 2, 5)
    ]
    assert looks[0][:2] == looks[1][:2] == ["solid", True]
    assert looks[2][:2] == ["double", False]
    assert looks[1][2] != looks[0][2]


def test_targets__are_large_enough_and_the_height_stays(compared: Compared) -> None:
    height = "() => document.querySelector('.shape-magic').getBoundingClientRect().height"
    before = compared.page.evaluate(height)
    compared.page.get_by_label("Next change").click()
    assert compared.page.evaluate(height) == before
    for target in compared.page.locator("button:visible").all():
        box = target.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 24, target.get_attribute("class")
