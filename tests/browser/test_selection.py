"""What a selection says: the call that fetches it, and the figures without it."""

import pytest
from playwright.sync_api import BrowserContext, expect

from shape_magic.deliberation import Deliberation
from shape_magic.lines import split_lines
from shape_magic.notebook.view import ShapeView
from shape_magic.notebook.view_data import from_wire, text_of
from shape_magic.prompting.candidate import call_text
from tests.browser.harness import SAMPLE, STATE, Harness, measured, proposal

LINES = split_lines(SAMPLE)
TABLE = (20, 23)
MINUS = "\N{MINUS SIGN}"


def answer(first: int, last: int) -> str:
    rows = [f"{n:>4}| {LINES[n - 1]}" for n in range(first, last + 1)]
    return "\n".join(
        [f'<lines from="{first}" to="{last}" total="{len(LINES)}">', *rows, "</lines>"]
    )


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
    for name, text in [
        ("copy call", call),
        ("copy numbered", answer(1, len(LINES))),
        ("copy lines", "\n".join(LINES)),
    ]:
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


def asked(harness: Harness) -> list[list[int]]:
    """The lines that Python was asked about, question by question."""
    assert all(question["ask"] == "without" for question in harness.sent)
    return [question["lines"] for question in harness.sent]


def test_without__asks_python_once_for_a_settled_selection(harness: Harness) -> None:
    harness.show(proposal())
    harness.source.focus()
    for _ in range(5):
        harness.page.keyboard.press("ArrowDown")
    harness.page.wait_for_function("model.sent.length > 0")
    assert asked(harness) == [[5, 5]]
    # While one question waits, no other is asked; the latest selection is asked about then.
    harness.line(6).click()
    harness.line(7).click()
    harness.page.wait_for_timeout(300)
    assert asked(harness) == [[5, 5]]
    harness.hear({"shape": {}})
    harness.page.wait_for_function("model.sent.length > 1")
    assert asked(harness) == [[5, 5], [7, 7]]


def test_without__shows_the_figures_that_change(harness: Harness) -> None:
    subject = proposal()
    harness.show(subject, selection=TABLE)
    shape = {**subject.shape.as_dict(), "chars": 10, "table_rows": 0}
    harness.hear({"shape": shape, "number": 1})
    place = harness.root.locator(".sm-without")
    expect(place).not_to_contain_text("10")
    harness.hear({"shape": shape})
    fewer = f"{MINUS}{subject.shape.chars - 10}"
    expect(place).to_have_text(f"without these lines 10 chars {fewer} · 0 table_rows {MINUS}4")


def test_without__shows_why_not(harness: Harness) -> None:
    harness.show(proposal(), selection=(1, 1))
    reason = "of JSON only whole fields <b>"
    harness.hear({"reason": reason})
    expect(harness.root.locator(".sm-without")).to_contain_text(reason)


def test_without__a_busy_kernel_is_waited_for_and_the_rest_goes_on(harness: Harness) -> None:
    harness.page.clock.install()
    harness.show(proposal(), selection=(1, 1))
    harness.page.clock.run_for(200)
    assert len(harness.sent) == 1
    harness.page.clock.run_for(3000)
    expect(harness.root.locator(".sm-without")).to_contain_text("The kernel is busy")
    harness.line(4).click()
    harness.page.clock.run_for(200)
    assert asked(harness) == [[1, 1]]
    harness.hear({"shape": {}})
    harness.page.wait_for_function("model.sent.length > 1")
    assert asked(harness) == [[1, 1], [4, 4]]
    expect(harness.line(4)).to_have_attribute("aria-selected", "true")


def test_without__an_answer_in_time_stays(harness: Harness) -> None:
    harness.page.clock.install()
    harness.show(proposal(), selection=(1, 1))
    harness.page.clock.run_for(200)
    harness.hear({"shape": {**proposal().shape.as_dict(), "headings": 2}})
    harness.page.clock.run_for(4000)
    expect(harness.root.locator(".sm-without")).to_contain_text("2 headings")


def test_without__of_a_text_that_python_does_not_know_is_asked_with_the_text(
    harness: Harness,
) -> None:
    subject = proposal("a\r\nb\rc")
    harness.show(subject, selection=(1, 2))
    harness.hear({"unknown": True})
    harness.page.wait_for_function("model.sent.length > 1")
    first, second = harness.sent
    assert first["digest"] == second["digest"]
    assert "source" not in first
    source = from_wire(second["source"])
    assert text_of(source["lines"], source["endings"]) == subject.measurement.text
    assert source["figures"] == subject.shape.as_dict()


def test_without__a_kernel_that_is_gone_is_told_once(harness: Harness) -> None:
    harness.show(proposal())
    harness.page.evaluate("void (model.send = () => { throw new Error('no kernel'); })")
    expect(harness.root.locator(".sm-without")).to_be_hidden()
    harness.line(3).click()
    expect(harness.root.locator(".sm-without")).to_contain_text("the kernel is gone")
    harness.line(4).click()
    expect(harness.root.locator(".sm-without")).to_be_hidden()
    harness.expect_selection((4, 4))


def test_without__an_answer_for_an_older_text_is_not_shown(harness: Harness) -> None:
    view = ShapeView(proposal())
    names = [name for name in STATE if view.has_trait(name)]
    harness.page.evaluate("state => void show(state)", view.get_state(names))
    harness.line(1).click()
    harness.page.wait_for_function("model.sent.length > 0")
    (question,) = harness.sent
    view.measurement = measured("# B\n\nother\n")
    harness.receive(**harness.state(view))
    harness.line(2).click()
    answered = {"number": question["number"], "shape": {"chars": 77}}
    harness.page.evaluate("message => model.tell('msg:custom', message)", answered)
    harness.page.wait_for_function("model.sent.length > 1")
    harness.page.wait_for_timeout(300)
    assert [sent["lines"] for sent in harness.sent] == [[1, 1], [2, 2]]
    assert harness.sent[1]["digest"] != question["digest"]
    expect(harness.root.locator(".sm-without")).not_to_contain_text("77")


def test_why__is_asked_on_demand_and_shown_as_text(harness: Harness) -> None:
    harness.show(proposal(), selection=(1, 2))
    why = harness.root.locator(".sm-why")
    why.get_by_role("button").click()
    harness.page.wait_for_function("model.sent.some((question) => question.ask === 'why')")
    (question,) = [sent for sent in harness.sent if sent["ask"] == "why"]
    assert question["lines"] == [1, 2]
    said = ["headings: L1: `# <b>` begins with", "prose_chars: L2: running text"]
    harness.page.evaluate(
        "message => model.tell('msg:custom', message)", {"number": question["number"], "why": said}
    )
    expect(why.locator(".sm-reason")).to_have_text(said)
    # Other lines are asked about anew.
    harness.line(4).click()
    expect(why.locator(".sm-reason")).to_have_count(0)
    expect(why.get_by_role("button")).to_be_visible()


def test_why__of_a_number_is_asked_on_demand_and_goes_with_the_number(harness: Harness) -> None:
    harness.show(proposal())
    why = harness.root.locator(".sm-why-number")
    expect(why).to_be_hidden()
    height = harness.root.bounding_box()
    harness.attribute("lines").click()
    expect(why.get_by_role("button")).to_be_visible()
    assert harness.root.bounding_box() == height
    harness.attribute("headings").click()
    why.get_by_role("button", name="why is it 3, and not more?").click()
    harness.page.wait_for_function("model.sent.some((question) => question.ask === 'why')")
    (question,) = [sent for sent in harness.sent if sent["ask"] == "why"]
    assert question["attribute"] == "headings"
    assert "lines" not in question
    said = ["L1: `# <b>` begins with", "not counted: L9: `#x`"]
    harness.page.evaluate(
        "message => model.tell('msg:custom', message)", {"number": question["number"], "why": said}
    )
    expect(why.locator(".sm-reason")).to_have_text(said)
    harness.attribute("list_items").click()
    expect(why.locator(".sm-reason")).to_have_count(0)
    expect(why.get_by_role("button", name="why is it 5, and not more?")).to_be_visible()
    harness.attribute("list_items").click()
    expect(why).to_be_hidden()
