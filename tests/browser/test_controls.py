"""Every control of the view, by mouse and by keyboard."""

import pytest
from playwright.sync_api import BrowserContext, expect

from shape_magic.analyzers.registry import default_registry
from shape_magic.deliberation import Deliberation
from shape_magic.deliberation.search import matched_lines
from shape_magic.lines import split_lines
from shape_magic.notebook.wire import to_wire
from shape_magic.prompt import call_text
from shape_magic.vocabulary import ATTRIBUTE_NAMES, ATTRIBUTES
from tests.browser.harness import SAMPLE, Harness, measured, proposal

LINES = split_lines(SAMPLE)
TABLE = (20, 23)
MINUS = "\N{MINUS SIGN}"


def evidence_lines(attribute: str) -> list[int]:
    evidence = measured(SAMPLE).evidence[attribute]
    return sorted({n for item in evidence for n in range(item.first_line, item.last_line + 1)})


def answer(first: int, last: int) -> str:
    rows = [f"{n:>4}| {LINES[n - 1]}" for n in range(first, last + 1)]
    return "\n".join(
        [f'<lines from="{first}" to="{last}" total="{len(LINES)}">', *rows, "</lines>"]
    )


# --- Attributes


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
        f"{meaning('prose_chars', 'markdown')}; {MINUS}12 since the previous version"
    )
    expect(harness.attribute("lines").locator(".sm-change")).to_have_count(0)


def test_attribute__without_a_version_before_shows_no_change(harness: Harness) -> None:
    harness.show(proposal())
    expect(harness.root.locator(".sm-change")).to_have_count(0)


# --- Source, by mouse


def test_line__clicked_is_selected(harness: Harness) -> None:
    harness.show(proposal())
    harness.line(5).click()
    harness.expect_selection((5, 5))


@pytest.mark.parametrize(("start", "end"), [(3, 8), (8, 3)], ids=["down", "up"])
def test_line__shift_clicked_ends_the_range(harness: Harness, start: int, end: int) -> None:
    harness.show(proposal())
    harness.line(start).click()
    harness.line(end).click(modifiers=["Shift"])
    harness.expect_selection((3, 8))


def test_line__shift_clicked_again_keeps_the_start(harness: Harness) -> None:
    harness.show(proposal())
    harness.line(6).click()
    harness.line(9).click(modifiers=["Shift"])
    harness.line(2).click(modifiers=["Shift"])
    harness.expect_selection((2, 6))


@pytest.mark.parametrize(("start", "end"), [(3, 9), (9, 3)], ids=["down", "up"])
def test_line__dragged_from_selects_a_range(harness: Harness, start: int, end: int) -> None:
    harness.show(proposal())
    harness.line(start).hover()
    harness.page.mouse.down()
    harness.line(6).hover()
    harness.line(end).hover()
    harness.page.mouse.up()
    harness.line(12).hover()
    harness.expect_selection((3, 9))


def test_line__dragged_out_of_the_pane_scrolls_on(harness: Harness) -> None:
    harness.show(proposal("word\n" * 500))
    harness.line(3).hover()
    harness.page.mouse.down()
    box = harness.source.bounding_box()
    assert box is not None
    harness.page.mouse.move(box["x"] + 200, box["y"] + box["height"] + 40)
    harness.page.wait_for_function("model.get('selection')[1] > 100")
    harness.page.mouse.up()
    stopped = harness.trait("selection")
    harness.page.wait_for_timeout(100)
    assert harness.trait("selection") == stopped
    assert stopped[0] == 3


def test_line__tapped_is_selected(harness: Harness) -> None:
    harness.show(proposal())
    harness.line(7).dispatch_event("click", {"bubbles": True})
    harness.expect_selection((7, 7))


# --- Source, by keyboard

KEYS = [
    ("ArrowDown", (11, 11)),
    ("ArrowUp", (9, 9)),
    ("Home", (1, 1)),
    ("End", (len(LINES), len(LINES))),
    ("Shift+ArrowDown", (10, 11)),
    ("Shift+ArrowUp", (9, 10)),
    ("Shift+Home", (1, 10)),
    ("Shift+End", (10, len(LINES))),
    ("PageDown", (len(LINES), len(LINES))),
    ("PageUp", (1, 1)),
    ("Control+a", (1, len(LINES))),
    ("Escape", None),
]


@pytest.mark.parametrize(("key", "selection"), KEYS)
def test_key__moves_the_selection(
    harness: Harness, key: str, selection: tuple[int, int] | None
) -> None:
    harness.show(proposal(), selection=(10, 10))
    harness.source.focus()
    harness.page.keyboard.press(key)
    harness.expect_selection(selection)


def test_key__shift_arrows_turn_a_range_round(harness: Harness) -> None:
    harness.show(proposal(), selection=(4, 4))
    harness.source.focus()
    for key in ["Shift+ArrowDown", "Shift+ArrowUp", "Shift+ArrowUp", "Shift+ArrowUp"]:
        harness.page.keyboard.press(key)
    harness.expect_selection((2, 4))


@pytest.mark.parametrize(("key", "line"), [("ArrowUp", 1), ("ArrowDown", len(LINES))])
def test_key__at_an_end_stays(harness: Harness, key: str, line: int) -> None:
    harness.show(proposal(), selection=(line, line))
    harness.source.focus()
    harness.page.keyboard.press(key)
    harness.expect_selection((line, line))


def test_key__held_down_goes_on_and_not_back(harness: Harness) -> None:
    harness.show("word\n" * 600, selection=(1, 1))
    harness.source.focus()
    for _ in range(8):
        harness.page.keyboard.press("PageDown")
    harness.page.wait_for_timeout(150)
    (first, last) = harness.trait("selection")
    assert first == last > 100
    expect(harness.line(last)).to_be_in_viewport(ratio=1)


def test_key__names_the_active_line_to_a_screen_reader(harness: Harness) -> None:
    harness.show(proposal())
    harness.source.focus()
    harness.page.keyboard.press("ArrowDown")
    harness.page.keyboard.press("Shift+ArrowDown")
    active = harness.source.get_attribute("aria-activedescendant")
    assert active is not None
    assert harness.line(2).get_attribute("id") == active
    assert harness.line(1).get_attribute("id") is None


def test_key__handled_here_does_not_reach_the_host(harness: Harness) -> None:
    harness.show(proposal())
    harness.page.evaluate("document.addEventListener('keydown', (e) => (window.reached = e.key))")
    harness.source.focus()
    harness.page.keyboard.press("ArrowDown")
    harness.search.press("d")
    assert harness.page.evaluate("window.reached") is None
    # JupyterLab looks for this on the focused element before it looks above.
    for one in [harness.root, *harness.root.locator("button, input, [tabindex]").all()]:
        expect(one).to_have_attribute("data-lm-suppress-shortcuts", "true")


# --- Outline and notes


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


# --- Search


def test_search__marks_lines_with_any_keyword_in_lower_case(harness: Harness) -> None:
    harness.show(proposal())
    harness.search.fill('CACHE "was measured"')
    matches = [
        number
        for number, line in enumerate(LINES, start=1)
        if "cache" in line.lower() or "was measured" in line.lower()
    ]
    assert harness.lines_with("[data-matched]") == matches
    assert harness.root.locator(".sm-number").all_inner_texts() == [str(one) for one in matches]
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
        ("Shift+Enter", matches[0]),
        ("Shift+Enter", matches[-1]),
        ("Enter", matches[0]),
    ]:
        harness.search.press(key)
        harness.expect_selection((line, line))
    harness.root.locator(".sm-number").last.click()
    harness.expect_selection((matches[-1], matches[-1]))


# --- The selection as a call


def test_selection__is_the_call_that_fetches_it(harness: Harness) -> None:
    harness.show(proposal(), selection=TABLE)
    call = call_text(
        "read_proposal", agent_id="Candidate_A", round=2, from_line=TABLE[0], to_line=TABLE[1]
    )
    expect(harness.root.locator(".sm-call")).to_have_text(call)
    assert harness.root.locator(".sm-answer").inner_text() == answer(*TABLE)
    with Deliberation() as deliberation:
        deliberation.propose("Candidate_A", SAMPLE, round=2)
        read = deliberation.read_proposal("Candidate_A", from_line=TABLE[0], to_line=TABLE[1])
    assert answer(*TABLE) in str(read)


def test_selection__none_leaves_a_hint(harness: Harness) -> None:
    harness.show(proposal())
    expect(harness.root.locator(".sm-hint")).to_be_visible()
    expect(harness.root.locator(".sm-selection")).to_be_hidden()


@pytest.mark.parametrize("clipboard", [True, False], ids=["clipboard", "no clipboard"])
@pytest.mark.parametrize("agent_id", ["Candidate_A", 'O\'Brien <b> "x" \\ ü ("m")'])
def test_copy__gives_the_call_and_the_answer(
    harness: Harness, context: BrowserContext, agent_id: str, clipboard: bool
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    harness.show(proposal(agent_id=agent_id), selection=(1, len(LINES)))
    if not clipboard:
        harness.page.evaluate("void (navigator.clipboard.writeText = () => Promise.reject())")
    call = call_text("read_proposal", agent_id=agent_id, round=2, from_line=1, to_line=len(LINES))
    for name, text in [("Copy the call", call), ("Copy the answer", answer(1, len(LINES)))]:
        button = harness.root.get_by_role("button", name=name)
        button.press("Enter")
        expect(button).to_have_text("copied")
        assert harness.page.evaluate("navigator.clipboard.readText()") == text
        expect(button).to_be_focused()


def test_copy__in_the_source_gives_the_lines(harness: Harness, context: BrowserContext) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    harness.show(proposal(), selection=(14, 16))
    harness.source.focus()
    harness.page.keyboard.press("Control+c")
    copied = harness.page.evaluate("navigator.clipboard.readText()")
    assert copied == "\n".join(LINES[13:16])


# --- Without these lines


def test_without__asks_python_once_for_a_settled_selection(harness: Harness) -> None:
    harness.show(proposal())
    harness.source.focus()
    for _ in range(5):
        harness.page.keyboard.press("ArrowDown")
    harness.page.wait_for_function("model.sent.length > 0")
    question = {"ask": "without", "revision": 0, "selection": [5, 5]}
    assert harness.sent == [question]
    # While one question waits, no other is asked; the latest selection is asked about then.
    harness.line(6).click()
    harness.line(7).click()
    harness.page.wait_for_timeout(300)
    assert harness.sent == [question]
    harness.hear({**question, "answer": "without", "shape": {}})
    harness.page.wait_for_function("model.sent.length > 1")
    assert harness.sent[1] == {**question, "selection": [7, 7]}


def test_without__shows_the_figures_that_change(harness: Harness) -> None:
    subject = proposal()
    harness.show(subject, selection=TABLE)
    shape = {**subject.shape.as_dict(), "chars": 10, "table_rows": 0}
    answered = {"answer": "without", "revision": 0, "selection": list(TABLE), "shape": shape}
    harness.hear({**answered, "selection": [1, 2]})
    harness.hear({**answered, "revision": 1})
    place = harness.root.locator(".sm-without")
    expect(place).not_to_contain_text("10")
    harness.hear(answered)
    fewer = f"{MINUS}{subject.shape.chars - 10}"
    expect(place).to_have_text(f"without these lines 10 chars {fewer} · 0 rows {MINUS}4")


def test_without__shows_why_not(harness: Harness) -> None:
    harness.show(proposal(), selection=(1, 1))
    reason = "of JSON only whole fields <b>"
    harness.hear({"answer": "without", "revision": 0, "selection": [1, 1], "reason": reason})
    expect(harness.root.locator(".sm-without")).to_contain_text(reason)


def test_without__an_answer_says_so_and_the_rest_goes_on(harness: Harness) -> None:
    harness.page.clock.install()
    harness.show(proposal(), selection=(1, 1))
    harness.page.clock.run_for(200)
    assert len(harness.sent) == 1
    harness.page.clock.run_for(3000)
    expect(harness.root.locator(".sm-without")).to_contain_text("The kernel has not answered")
    harness.line(4).click()
    harness.page.clock.run_for(200)
    assert [message["selection"] for message in harness.sent] == [[1, 1], [4, 4]]
    expect(harness.line(4)).to_have_attribute("aria-selected", "true")
