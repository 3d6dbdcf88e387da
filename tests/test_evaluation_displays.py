"""How prompts, evaluations, runs and summaries show: as tables, whoever wrote the words in them."""

import json
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from shape_magic.deliberation import Deliberation
from shape_magic.experiments import run_evaluations
from shape_magic.notebook.display import bundle
from shape_magic.notebook.library import BOOT
from shape_magic.vocabulary import ATTRIBUTE_NAMES, CATEGORY_NAMES
from tests.experiments import fill_rounds, judge
from tests.shells import reply_of, run

HOSTILE = '"><script>alert(1)</script></pre></table>\n\x1b[31m\u202e\u200b' + "x" * 100
ELEMENTS = {
    "div",
    "strong",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "details",
    "summary",
    "pre",
}


@pytest.fixture
def rounds() -> Deliberation:
    deliberation = Deliberation()
    fill_rounds(deliberation, 2)
    return deliberation


class Seen(HTMLParser):
    """The elements of a page, its cells by row, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.rows: list[list[str]] = []
        self.text = ""
        self._in_cell = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag == "tr":
            self.rows.append([])
        self._in_cell = tag in ("td", "th")
        if self._in_cell:
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        self._in_cell = False

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._in_cell:
            self.rows[-1][-1] += data


def test_prompt__shows_whom_it_is_for_its_candidates_and_its_text(rounds: Deliberation) -> None:
    prompt = rounds.evaluation_prompt(evaluator="Ann", anonymous=True, seed=3)
    data, _ = bundle(prompt)
    title, head, *rows = data["text/plain"].split("\n\n")[0].splitlines()
    assert title == (
        "Evaluation prompt of round 2 · for Ann · template default · anonymous · seed 3 · trial 1 "
        f"· digest {prompt.digest[:12]} · {len(prompt.text):,} characters"
    )
    assert data["text/plain"].endswith(f"\n\n{prompt.text}")
    seen = Seen(data["text/html"])
    assert seen.elements <= ELEMENTS
    assert seen.rows[0] == head.split() == ["key", "agent_id", "version", *ATTRIBUTE_NAMES]
    assert [row[:3] for row in seen.rows[1:]] == [
        *([candidate.key, candidate.agent_id, "1"] for candidate in prompt.candidates),
        ["(its own)", "Ann", "1"],
    ]
    assert seen.rows[1][3:] == [
        f"{figure:,}" for figure in prompt.candidates[0].measurement.shape.as_dict().values()
    ]
    assert [row.split() for row in rows[:2]] == seen.rows[1:3]
    assert prompt.text in seen.text
    assert data["text/html"].count("<details") == 1
    assert bundle(rounds.prompt(prompt.digest)) == (data, {})


def test_prompt__says_how_far_its_tools_reach(rounds: Deliberation) -> None:
    for form in bundle(rounds.evaluation_prompt(history=True))[0].values():
        assert "Its tools also reach the rounds before: 1." in form
    for form in bundle(rounds.evaluation_prompt())[0].values():
        assert "also reach" not in form


def test_prompt__of_a_magic_is_the_record_and_shows_by_itself(shell: InteractiveShell) -> None:
    run(shell, "%%shape Ann\n# Plan\n")
    prompt = run(shell, "%evaluation_prompt --history")
    assert prompt == run(shell, "%deliberation").evaluation_prompt(task=prompt.task)
    data, _ = shell.display_formatter.format(prompt)  # type: ignore[union-attr]
    assert data == bundle(prompt)[0]


def test_evaluated__shows_what_was_filed_and_how_it_was_read(rounds: Deliberation) -> None:
    prompt = rounds.evaluation_prompt(evaluator="Judge")
    item = json.loads(reply_of("Ann"))["evaluations"][0]
    del item["score"]
    item |= {"endorsement_weight": "40", "stance": "Agree"}
    items = [item, {**item, "agent_id": "Nobody"}, {**item, "agent_id": "Bob", "stance": 3}]
    taken = rounds.evaluate(
        "Judge", json.dumps({"evaluations": items}), prompt=prompt, arm="default", trial=2,
        partial=True,
    )  # fmt: skip
    data, _ = bundle(taken)
    seen = Seen(data["text/html"])
    assert seen.elements <= ELEMENTS
    assert seen.rows[0] == ["agent_id", "version", "score", "weight", "stance", *CATEGORY_NAMES]
    assert seen.rows[1][:5] == ["Ann", "1", "+0.50", "+40", "agree"]
    title, head, row, *told = data["text/plain"].splitlines()
    assert title == (
        f"Judge evaluated 1 proposal of round 2 · arm default · trial 2 · prompt "
        f"{prompt.digest[:12]}"
    )
    assert (head.split(), row.split()) == (seen.rows[0], seen.rows[1])
    sorts = list(dict.fromkeys(line.split(":")[0] for line in told))
    assert sorts == ["not evaluated", "left out", "not taken", "repaired"]
    for line in told:
        assert line in seen.text


def test_evaluated__of_many_repairs__tells_the_first_and_how_many_more(
    rounds: Deliberation,
) -> None:
    items = json.loads(reply_of("Ann"))["evaluations"]
    items[0]["claim_assessments"] = [{"claim": str(n), "verdict": "Wrong"} for n in range(30)]
    taken = rounds.evaluate("Judge", json.dumps({"evaluations": items}))
    lines = bundle(taken)[0]["text/plain"].splitlines()
    assert sum(line.startswith("repaired: ") for line in lines) == 21
    assert lines[-1] == "repaired: 10 more like these"


def test_run__shows_its_table_and_what_failed(rounds: Deliberation) -> None:
    judges = {"Eve": judge(), HOSTILE: lambda prompt: HOSTILE}
    done = run_evaluations(rounds, judges, progress=False)
    seen = Seen(done._repr_html_())
    assert seen.elements <= ELEMENTS
    title, head, *rows = str(done).splitlines()
    assert title == "4 of 8 prompts have a reply that was taken"
    assert seen.rows[0] == head.split()
    assert [row.split() for row in rows[:2]] == seen.rows[1:3]
    assert rows[-1].startswith("Failed: ")
    assert rows[-1] in seen.text
    assert str(run_evaluations(rounds, {"Dan": judge()}, dry_run=True)).startswith(
        "A dry run, nothing was asked: 0 of 4 prompts have a reply"
    )


def hostile_prompt(deliberation: Deliberation) -> Any:
    return deliberation.evaluation_prompt(task=HOSTILE, evaluator=f"{HOSTILE} ")


def hostile_evaluated(deliberation: Deliberation) -> Any:
    item = json.loads(reply_of("x"))["evaluations"][0]
    items = [{**item, "agent_id": HOSTILE}, {**item, "agent_id": f"{HOSTILE}!"}]
    return deliberation.evaluate(f"Judge{HOSTILE}", {"evaluations": items}, arm=HOSTILE)


@pytest.mark.parametrize("make", [hostile_prompt, hostile_evaluated, Deliberation.summarize])
def test_hostile_words__break_out_of_no_display(make: Callable[[Deliberation], Any]) -> None:
    deliberation = Deliberation()
    deliberation.propose_many([(HOSTILE, HOSTILE, HOSTILE), (f"{HOSTILE} ", "b")])
    for kind, form in bundle(make(deliberation))[0].items():
        assert "\x1b" not in form
        assert "\u202e" not in form
        assert "\u200b" not in form
        if kind == "text/html":
            assert "<script" not in form.replace(f"<script>{BOOT}</script>", "")
