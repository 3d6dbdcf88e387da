"""The tables of prompts, replies and runs in a narrow page: they scroll, and break no word."""

from playwright.sync_api import Page

from shape_magic.deliberation import Deliberation
from shape_magic.experiments import run_evaluations
from shape_magic.notebook.display import bundle
from tests.experiments import fill_rounds, judge

# What hosts say of all cells.
HOST = "<style>td, th { white-space: normal; word-break: break-all }</style>"


def test_tables__scroll_inside_themselves_and_break_no_word(page: Page) -> None:
    deliberation = Deliberation()
    fill_rounds(deliberation, 1)
    deliberation.propose("An agent (of a model with a long name)", "- a\n- b\n")
    done = run_evaluations(deliberation, {"Eve": judge(), "Dan": lambda _: "no"}, progress=False)
    prompt = deliberation.evaluation_prompt(evaluator="Ann", anonymous=True)
    evaluated = deliberation.evaluate("Lee", judge()(deliberation.evaluation_prompt()))
    forms = [
        bundle(shown)[0]["text/html"] for shown in (prompt, evaluated, deliberation.summarize())
    ]
    page.set_viewport_size({"width": 360, "height": 900})
    page.set_content(f"<!doctype html>{HOST}{''.join([*forms, done._repr_html_()])}")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.locator("table").count() == 4
    for table in page.locator("table").all():
        assert table.evaluate(
            "table => table.parentNode.scrollWidth > table.parentNode.clientWidth"
        )
        heights = table.evaluate("table => [...table.rows].map(row => row.offsetHeight)")
        assert max(heights) < 1.5 * min(heights)
    page.click("summary")
    assert prompt.text in (page.text_content("pre") or "")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
