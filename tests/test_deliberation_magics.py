"""The magics over a deliberation: what they take, what they return and how that shows."""

import copy
import errno
import json
import os
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from IPython.core.completer import provisionalcompleter
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from jupyter_client.manager import start_new_kernel

from shape_magic.deliberation import Deliberation
from shape_magic.deliberation.read_proposal import Piece
from shape_magic.errors import StoreError
from shape_magic.notebook.answers import Answer
from shape_magic.prompting.template import EvaluationTemplate
from shape_magic.wording import visible
from tests.strategies import texts

TEXT = "# Queue <b>\n\nLatency: 12 ms\n\n| a | b |\n|---|---|\n"


@pytest.fixture
def deliberation(shell: InteractiveShell) -> Deliberation:
    found: Deliberation = shell.run_line_magic("deliberation", "")
    found.propose("Ann (x)", TEXT, thought_process="because " * 1_000)
    found.propose('O\'Brien; "x" %_$x {y}', "latency", round=1)
    found.propose("Ann (x)", "later", round=2)
    return found


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("Ann", {}),
        ("ann --round 1 --from-line 3 --to-line 5", {"round": 1, "from_line": 3, "to_line": 5}),
        ("ann 3:5 --round 1", {"round": 1, "from_line": 3, "to_line": 5}),
        ("ann 3: --round 1", {"round": 1, "from_line": 3}),
        ("--round 1 ann :5", {"round": 1, "to_line": 5}),
        ("ann 5 --round 1", {"round": 1, "from_line": 5, "to_line": 5}),
        ("ann 60:", {"from_line": 60}),
        ("'Ann (x)' --round 1 --offset 20 --limit 30", {"round": 1, "offset": 20, "limit": 30}),
    ],
)
def test_read_proposal__is_what_the_tool_answers(
    shell: InteractiveShell, deliberation: Deliberation, line: str, arguments: dict[str, Any]
) -> None:
    answer = shell.run_line_magic("read_proposal", line)
    assert isinstance(answer, str)
    assert answer == deliberation.call_tool("read_proposal", {"agent_id": "Ann", **arguments})


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("", {}),
        ("latency ms", {"keywords": ["latency", "ms"]}),
        ("'12 ms' --rounds 1 2", {"keywords": ["12 ms"], "rounds": [1, 2]}),
        ("--agent-ids Ann --phase proposing", {"agent_ids": ["Ann"], "phase": "proposing"}),
        ("--stances agree disagree", {"stances": ["agree", "disagree"]}),
        ("--verdicts wrong --min-score -1 --max-score 1.5", {"verdicts": ["wrong"]}),
        ("'{latency}' '$x' '%'", {"keywords": ["{latency}", "$x", "%"]}),
        ("--limit 1", {"limit": 1}),
    ],
)
def test_search_deliberation__is_what_the_tool_answers(
    shell: InteractiveShell, deliberation: Deliberation, line: str, arguments: dict[str, Any]
) -> None:
    answer = shell.run_line_magic("search_deliberation", line)
    assert answer == deliberation.call_tool("search_deliberation", arguments)


def test_evaluation_prompt__with_and_without_shape_and_task(
    shell: InteractiveShell, deliberation: Deliberation
) -> None:
    shell.push({"question": "Choose {x} $y", "number": 3})
    shown = shell.run_line_magic("evaluation_prompt", "--round 1 --task question")
    prompt = deliberation.evaluation_prompt(round=1, task="Choose {x} $y")
    assert (shown, str(shown)) == (prompt, prompt.text)
    assert pickle.loads(pickle.dumps(shown)) == prompt
    control = EvaluationTemplate.default().without_shape()
    shell.push({"control": control})
    for options in ("--without-shape", "--template control", f"--template {control.name}"):
        shown = shell.run_line_magic("evaluation_prompt", f"--task question {options}")
        assert shown == deliberation.evaluation_prompt(task="Choose {x} $y", template=control)
    options = "--evaluator Judge --anonymous --seed 3 --trial 2"
    shown = shell.run_line_magic("evaluation_prompt", f"--task question {options}")
    assert shown == deliberation.evaluation_prompt(
        task="Choose {x} $y", evaluator="Judge", anonymous=True, seed=3, trial=2
    )
    assert "--task names the variable" in shell.run_line_magic("evaluation_prompt", "").text


@pytest.mark.parametrize(
    "line",
    [
        "%read_proposal Ann 1:1 -o answer",
        "%search_deliberation later -o answer",
        "%evaluation_prompt -o answer",
        "%deliberation -o answer",
    ],
)
def test_magics__output_option__binds_what_is_returned(
    shell: InteractiveShell, deliberation: Deliberation, line: str
) -> None:
    returned = shell.run_cell(line).result
    assert returned is not None
    assert shell.user_ns["answer"] is returned


@pytest.mark.parametrize("line", ["%read_proposal ", "%search_deliberation x --agent-ids "])
def test_completion__offers_agent_ids(
    shell: InteractiveShell, deliberation: Deliberation, line: str
) -> None:
    with provisionalcompleter():
        offered = [completion.text for completion in shell.Completer.completions(line, len(line))]
    assert "'Ann (x)'" in offered


# How an answer shows


def displayed(shell: InteractiveShell, value: object) -> dict[str, str]:
    shell.display_formatter.active_types = ["text/plain", "text/html"]  # type: ignore[union-attr]
    data, _ = shell.display_formatter.format(value)  # type: ignore[union-attr]
    return data  # type: ignore[no-any-return]


def test_answer__as_plain_text__is_the_tools_answer(
    shell: InteractiveShell, deliberation: Deliberation
) -> None:
    answer = shell.run_line_magic("read_proposal", "Ann 1:3 --round 1")
    data = displayed(shell, answer)
    assert data["text/plain"] == deliberation.call_tool(
        "read_proposal", {"agent_id": "Ann", "round": 1, "from_line": 1, "to_line": 3}
    )


def test_answer__as_html__leaves_numbers_out_of_a_copy(
    shell: InteractiveShell, deliberation: Deliberation
) -> None:
    data = displayed(shell, shell.run_line_magic("read_proposal", "Ann 1:3 --round 1 --limit 4"))
    html = data["text/html"]
    assert "<b>" not in html
    unselectable = '<span style="opacity:.65;user-select:none;-webkit-user-select:none">'
    selectable = ""
    for part in html.split(unselectable):
        selectable += part.split("</span>")[-1]
    assert selectable.split(">", 1)[1] == ("# Queue &lt;b&gt;\n\nLatency: 12 ms\nbeca</pre>")
    assert f"{unselectable}   1| </span># Queue &lt;b&gt;\n" in html


@given(texts, texts)
def test_answer__any_text__is_verbatim_as_a_str_and_visible_in_a_display(
    around: str, quoted: str
) -> None:
    answer = Answer([Piece(around), Piece(quoted, quoted=True)])
    assert answer == around + quoted
    for copied in (copy.deepcopy(answer), pickle.loads(pickle.dumps(answer))):
        assert (type(copied), str(copied)) == (Answer, around + quoted)
        assert copied._repr_html_() == answer._repr_html_()
    html = answer._repr_html_()
    assert visible(html) == html
    assert "\r" not in html
    assert html.count("<") == 4  # of the <pre> and of the one <span>


# Files and transcripts


def test_deliberation__on_a_file__takes_what_was_in_memory_along(
    shell: InteractiveShell, deliberation: Deliberation, tmp_path: Path
) -> None:
    before = deliberation.proposals()
    path = tmp_path / "a b.db"
    moved = shell.run_line_magic("deliberation", f"'{path}'")
    assert (moved.path, moved.proposals()) == (path, before)
    assert shell.run_line_magic("deliberation", "") is moved
    shell.run_cell("%%shape Bob --round 3\nnew\n")
    with Deliberation.open(path) as again:
        assert again.proposal("Bob").content == "new\n"
    # Another file is another deliberation: the first one's proposals stay in the first.
    other = shell.run_line_magic("deliberation", str(tmp_path / "other.db"))
    assert other.proposals() == []
    with pytest.raises(UsageError, match="--reset removes everything"):
        shell.run_line_magic("deliberation", f"'{path}' --reset")
    assert shell.run_line_magic("deliberation", f"'{path}'").proposals() != []
    assert shell.run_line_magic("deliberation", "--reset").proposals() == []


def test_deliberation__file_that_is_refused__leaves_the_session_as_it_is(
    shell: InteractiveShell, deliberation: Deliberation, tmp_path: Path
) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("no database" * 100)
    with pytest.raises(UsageError, match="is no deliberation and is left as it is"):
        shell.run_line_magic("deliberation", str(path))
    assert shell.run_line_magic("deliberation", "") is deliberation
    assert len(deliberation.proposals()) == 3


def test_deliberation__load_and_save__transcripts(
    shell: InteractiveShell,
    deliberation: Deliberation,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "rounds.jsonl"
    shell.run_line_magic("deliberation", f"--save {path}")
    assert len(path.read_text().splitlines()) == 3
    shell.run_line_magic("deliberation", f"--reset --load {path}")
    assert len(deliberation.proposals()) == 3
    path.write_text(path.read_text() + json.dumps({"round": "x"}) + "\n")
    with pytest.raises(UsageError, match=r"rounds.jsonl, line 4: \$.round: expected int, got str"):
        shell.run_line_magic("deliberation", f"--load {path}")
    capsys.readouterr()
    for _ in range(2):
        shell.run_line_magic("deliberation", f"--load {path} --skip-bad")
        assert capsys.readouterr().out == (
            f"{path}: 1 of 4 records left out: line 4: $.round: expected int, got str\n"
        )


def test_deliberation__copy__is_a_whole_database_of_its_own(
    shell: InteractiveShell, deliberation: Deliberation, tmp_path: Path
) -> None:
    shell.run_line_magic("deliberation", str(tmp_path / "kept.db"))
    before = deliberation.proposals()
    kept = shell.run_line_magic("deliberation", f"--copy {tmp_path / 'copy.db'}")
    assert kept.path == tmp_path / "kept.db"
    kept.propose("Ann (x)", "after the copy", round=3)
    with Deliberation.open(tmp_path / "copy.db") as copied:
        assert copied.proposals() == before


def test_deliberation__transcript_that_is_bad__changes_nothing(
    shell: InteractiveShell, deliberation: Deliberation, tmp_path: Path
) -> None:
    before = deliberation.proposals()
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{}")
    for line in (
        f"--reset --load {bad}",
        f"--reset --load {tmp_path}/none.jsonl",
        f"{tmp_path}/new.db --load {bad}",
    ):
        with pytest.raises(UsageError):
            shell.run_line_magic("deliberation", line)
        assert shell.run_line_magic("deliberation", "") is deliberation
        assert deliberation.proposals() == before
    good = tmp_path / "good.jsonl"
    Deliberation().save(good)
    shell.run_line_magic("deliberation", f"--reset --load {good}")
    assert deliberation.proposals() == []


def test_deliberation__disk_that_fails__raises_and_is_no_bad_usage(
    shell: InteractiveShell,
    deliberation: Deliberation,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patched:

        def fail(descriptor: int) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        patched.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match=r"No space left on device: '.*out\.jsonl'"):
            shell.run_line_magic("deliberation", f"--save {tmp_path}/out.jsonl")
    with deliberation._store.database.transaction() as connection:
        connection.execute("DROP TABLE evaluations")
        connection.execute("DROP TABLE versions")
    for magic in ("read_proposal", "search_deliberation"):
        with pytest.raises(StoreError, match="no such table"):
            shell.run_line_magic(magic, "Ann")


def test_kernel_restarted__and_the_file_named_again__gives_everything_back(
    tmp_path: Path,
) -> None:
    first = [
        "%load_ext shape_magic",
        "%deliberation kept.db",
        "reasoning = 'because'",
        "%%shape Candidate_A --round 2 --thoughts reasoning\n# Answer\n\nUse a queue.\n",
        "print(get_ipython().run_line_magic('read_proposal', 'Candidate_A 3'))",
    ]
    second = [*first[:2], first[-1]]
    answers = []
    for cells in (first, second):
        manager, client = start_new_kernel(kernel_name="python3", cwd=str(tmp_path))
        try:
            for cell in cells:
                printed: list[str] = []

                def collect(message: dict[str, Any], printed: list[str] = printed) -> None:
                    if message["msg_type"] == "stream":
                        printed.append(message["content"]["text"])

                reply = client.execute_interactive(cell, timeout=60, output_hook=collect)
                assert reply["content"]["status"] == "ok", reply["content"]
            answers.append("".join(printed))
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)
    assert "   3| Use a queue.\n" in answers[0]
    assert "because" in answers[0]
    assert answers[1] == answers[0]
