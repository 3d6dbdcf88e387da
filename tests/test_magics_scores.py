"""`%%evaluate` and `%round_summary`, in a shell of their own."""

import json
import re
from html import unescape
from typing import Any

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

from shape_magic.deliberation.evaluations import Evaluated
from shape_magic.deliberation.matrix import columns_of, matrix_of_summary
from shape_magic.deliberation.records import RoundSummary, read_record, to_wire
from shape_magic.notebook.display import bundle
from shape_magic.vocabulary import ATTRIBUTE_NAMES, CATEGORY_NAMES
from tests.experiments import fill_rounds, judge
from tests.shells import reply_of, run


@pytest.fixture
def judged(shell: InteractiveShell) -> InteractiveShell:
    """A shell where two have proposed and one was evaluated."""
    run(shell, "%%shape Ann\n# Plan\n\nLong words.\n")
    run(shell, "%%shape Bob\n- a\n- b\n")
    run(shell, f"%%evaluate Judge\nSure!\n{reply_of('Bob')}\n")
    return shell


def test_evaluate__takes_the_reply_and_says_what_it_took(judged: InteractiveShell) -> None:
    taken = run(judged, f"%%evaluate Ann -o kept\n```json\n{reply_of('bob')}\n```\n")
    assert isinstance(taken, Evaluated)
    assert judged.user_ns["kept"] is taken
    title, head, row = bundle(taken)[0]["text/plain"].splitlines()[:3]
    assert title == "Ann evaluated 1 proposal of round 1"
    assert head.split() == [
        "agent_id", "version", "score", "weight", "stance", *CATEGORY_NAMES,
    ]  # fmt: skip
    assert row.split()[:5] == ["Bob", "1", "+0.25", "-", "agree"]
    summary = run(judged, "%round_summary")
    assert [score.real_eval_count for score in summary.proposal_scores] == [0, 2]


def test_evaluate__takes_the_reply_as_typed(judged: InteractiveShell) -> None:
    quoted = "{x} $x \\n >>> !ls"
    run(judged, f"%%evaluate Ann\n>>> said:\n{reply_of('Bob', justification=quoted)}\n")
    found = run(judged, "%search_deliberation '>>> !ls' --phase evaluating")
    assert quoted in found


def test_evaluate__names_those_it_left_out(judged: InteractiveShell) -> None:
    taken = run(judged, f"%%evaluate Cleo\n{reply_of('Bob')}\n")
    assert taken.not_evaluated == ("Ann",)
    assert bundle(taken)[0]["text/plain"].splitlines()[-1] == "not evaluated: Ann"


def test_evaluate__options_reach_the_deliberation(judged: InteractiveShell) -> None:
    run(judged, f"%%evaluate Cleo --synthetic\n{reply_of('Bob')}\n")
    run(judged, f"%%evaluate Judge --replace\n{reply_of('Bob', score=-1)}\n")
    run(judged, "%%shape Ann --round 2\nlater\n")
    run(judged, f"%%evaluate Dan --round 1\n{reply_of('Ann')}\n")
    ann, bob = run(judged, "%round_summary --round 1").proposal_scores
    assert (ann.real_eval_count, bob.synthetic_eval_count) == (1, 1)
    assert (bob.real_eval_count, bob.aggregated_score) == (1, -1)


def test_round_summary__is_a_table_best_first(judged: InteractiveShell) -> None:
    summary = run(judged, "%round_summary 1")
    assert isinstance(summary, RoundSummary)
    title, head, first, second = bundle(summary)[0]["text/plain"].splitlines()
    assert title == "round 1"
    others = [category for category in CATEGORY_NAMES if category != "conciseness"]
    counts = ["controversy_score", "real_eval_count", "synthetic_eval_count"]
    assert head.split() == [
        "agent_id", "aggregated_score", "conciseness", *ATTRIBUTE_NAMES, *others, *counts,
    ]  # fmt: skip
    assert first.split()[:3] == ["Bob", "+0.50", "+20.0"]
    assert second.split() == [
        "Ann", "-", "-", "20", "3", "0", "11", "1", "0", "0", "0", *["-"] * 6, "0", "0",
    ]  # fmt: skip


def test_round_summary__as_html_has_the_figures_and_what_they_mean(
    judged: InteractiveShell,
) -> None:
    summary = run(judged, "%round_summary")
    html = bundle(summary)[0]["text/html"]
    assert re.findall(r'<tr><th scope="row" [^>]*>(\w+)<', html) == ["Bob", "Ann"]
    for column in columns_of(matrix_of_summary(summary)):
        assert column.meaning in unescape(html)


def test_round_summary__shows_each_evaluators_figures(judged: InteractiveShell) -> None:
    shown = displayed(judged, "%round_summary")
    assert shown["text/plain"].splitlines()[2].split()[:3] == ["Bob", "+0.50", "+20.0"]
    assert re.search(r"^ +Bob +Judge +1 +\+0\.25 ", shown["text/html"], re.M)


def test_round_summary__has_arms_as_columns_where_there_are_several(
    judged: InteractiveShell,
) -> None:
    fill_rounds(run(judged, "%deliberation"), 1)
    judged.push({"eve": judge()})
    run(judged, "%run_evaluations eve --no-progress")
    title, head, *_ = displayed(judged, "%round_summary")["text/plain"].splitlines()
    assert title == "round 1: conciseness by arm"
    assert head.split()[:3] == ["agent_id", "default", "default-without-shape"]
    # What was summed up before is shown as it was.
    old = run(judged, "%round_summary")
    deliberation = run(judged, "%deliberation")
    in_arm = deliberation.summarize(arm="default")
    assert displayed(judged, "in_arm", in_arm=in_arm)["text/plain"].startswith("round 1: arm d")
    deliberation.propose("Cleo", "other")
    assert displayed(judged, "old", old=old)["text/plain"].startswith("round 1\n")


def test_round_summary__json_is_the_wire_form(judged: InteractiveShell) -> None:
    answer = run(judged, "%round_summary --json")
    summary = run(judged, "%round_summary")
    assert "\n" not in answer
    assert json.loads(answer) == to_wire(summary)
    assert read_record(RoundSummary, json.loads(answer)) == summary


def test_old_summary__shows_what_it_lacks_as_missing() -> None:
    old = read_record(RoundSummary, {"round": 1, "proposal_scores": [{"agent_id": "A"}]})
    columns = columns_of(matrix_of_summary(old))
    shown = bundle(old)[0]
    assert shown["text/plain"].splitlines()[-1].split() == ["A", *["-"] * len(columns)]
    assert shown["text/html"].count(">-</td>") == len(columns)


def test_completion__offers_agents_and_options(judged: InteractiveShell) -> None:
    assert offered(judged, "%%evaluate B") == ["Bob"]
    assert {"--round", "--json", "--output"} <= set(offered(judged, "%round_summary --"))


def displayed(shell: InteractiveShell, cell: str, **names: Any) -> dict[str, str]:
    """Run a cell and give the forms that its value is displayed in."""
    shell.push(names)
    value = run(shell, cell)
    assert shell.display_formatter is not None
    forms: dict[str, str] = shell.display_formatter.format(value)[0]
    return forms


def offered(shell: InteractiveShell, line: str) -> list[str]:
    with provisionalcompleter():
        return [completion.text for completion in shell.Completer.completions(line, len(line))]
