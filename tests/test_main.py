"""The command line, as scripts and CI call it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from shape_magic.__main__ import main

ANSWER = "Answer.\n\n#tag\n\n## Why\n"


@pytest.fixture
def answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("answer.md")
    path.write_text(ANSWER, encoding="utf-8")
    return path


def test_measure__prints_the_tag_and_the_outline(
    answer: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["measure", str(answer)]) == 0
    assert capsys.readouterr().out.split("\n") == [
        '<candidate id="answer.md" chars="22" lines="5" lead_chars="11" prose_chars="11" '
        'headings="1" code_blocks="0" list_items="0" table_rows="0">',
        "<outline>L5 ## Why</outline>",
        "",
    ]


def test_measure__json_is_an_object_a_file(
    answer: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["measure", "--json", str(answer), str(answer)]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first == second
    assert first["file"] == "answer.md"
    assert first["shape"]["headings"] == 1
    assert first["outline"] == [{"line": 5, "label": "## Why", "last_line": 5}]
    assert first["notes"][0]["code"] == "no-heading"


def test_measure__by_a_named_analyzer_that_does_not_recognise_it_is_refused(
    answer: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["measure", "--analyzer", "json", str(answer)]) == 2
    assert "'json' does not recognise this text" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ("headings", "L3: in `#tag` a number sign is followed by `t`"),
        ("3", "L3 by markdown/"),
        (None, "prose_chars = 11"),
    ],
)
def test_explain__says_why(
    answer: Path, capsys: pytest.CaptureFixture[str], about: str | None, said: str
) -> None:
    assert main(["explain", str(answer), *([about] if about else [])]) == 0
    assert said in capsys.readouterr().out


@pytest.mark.parametrize(
    ("about", "said"), [("words", "is neither an attribute nor lines"), ("9", "line 9 is not")]
)
def test_explain__what_is_not_there_is_refused(
    answer: Path, capsys: pytest.CaptureFixture[str], about: str, said: str
) -> None:
    assert main(["explain", str(answer), about]) == 2
    assert said in capsys.readouterr().err


def test_compare__two_files_are_a_table_and_a_status(
    answer: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("other.md").write_text(ANSWER + "\nmore\n", encoding="utf-8")
    assert main(["compare", "answer.md", "other.md"]) == 1
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == ["answer.md", "other.md", "difference"]
    assert ["prose_chars", "11", "15", "+4"] in rows
    assert ["headings", "1", "1"] in rows
    assert main(["compare", "answer.md", "answer.md"]) == 0
    assert main(["compare", "answer.md"]) == 2


def test_compare__two_analyzers_on_files(answer: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("plan.json").write_text('{"a": 1}', encoding="utf-8")
    status = main(["compare", "plan.json", "answer.md", "--analyzers", "json", "markdown"])
    assert status == 1
    assert "not recognised by json/" in capsys.readouterr().out
    assert main(["compare", "answer.md", "--analyzers", "markdown", "markdown"]) == 0


def test_measure__a_file_that_is_not_there_is_one_line(
    answer: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["measure", "missing.md"]) == 2
    assert capsys.readouterr().err == (
        "python -m shape_magic: missing.md: No such file or directory\n"
    )


def test_measure__a_process_prints_what_a_candidate_wrote_made_visible(answer: Path) -> None:
    answer.write_bytes("# \x1b[31m\u202eé\n".encode())
    done = subprocess.run(
        [sys.executable, "-m", "shape_magic", "measure", str(answer)],
        capture_output=True,
        check=True,
        timeout=60,
        env={"PYTHONIOENCODING": "ascii", "PYTHONPATH": str(Path(__file__).parent.parent)},
    )
    assert b"\x1b" not in done.stdout
    assert b"\\u241b" in done.stdout
