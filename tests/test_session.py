"""What a session keeps between magics: its deliberation, and what evaluators were shown."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

from tests.shells import reply_of, run


def evaluated(shell: InteractiveShell, evaluator: str, options: str = "") -> list[tuple[str, int]]:
    """Evaluate A and give what the evaluation was put to."""
    taken = run(shell, f"%%evaluate {evaluator} {options}\n{reply_of('A')}\n")
    return [(evaluated.agent_id, evaluated.version) for evaluated in taken.evaluations]


def test_evaluate__is_of_the_versions_that_the_prompt_showed(shell: InteractiveShell) -> None:
    run(shell, "%%shape A\nfirst\n")
    assert evaluated(shell, "Before") == [("A", 1)]
    run(shell, "%evaluation_prompt")
    run(shell, "%%shape A\nsecond\n")
    run(shell, "%%shape B\nlater\n")
    assert evaluated(shell, "B") == [("A", 1)]
    run(shell, "%evaluation_prompt --without-shape")
    assert evaluated(shell, "B") == [("A", 2)]


def test_evaluate__each_round_has_its_own_prompt(shell: InteractiveShell) -> None:
    for number in (1, 2):
        run(shell, f"%%shape A --round {number}\nfirst\n")
        run(shell, "%evaluation_prompt")
        run(shell, f"%%shape A --round {number}\nsecond\n")
    run(shell, "%%shape A --round 2\nthird\n")
    assert evaluated(shell, "B", "--round 1") == [("A", 1)]
    assert evaluated(shell, "B") == [("A", 1)]


def test_evaluate__takes_the_evaluators_last_prompt_or_the_one_named(
    shell: InteractiveShell,
) -> None:
    run(shell, "%%shape A\nfirst\n")
    run(shell, "%%shape B\nother\n")
    first = run(shell, "%evaluation_prompt --evaluator B")
    run(shell, "%%shape A\nsecond\n")
    run(shell, "%evaluation_prompt --evaluator Cleo")
    run(shell, "%%shape A --round 2\nthird\n")
    assert evaluated(shell, "B") == [("A", 1)]
    assert evaluated(shell, "Cleo") == [("A", 2)]
    assert evaluated(shell, "Dora", "--round 2") == [("A", 1)]
    assert evaluated(shell, "B", f"--prompt {first.digest[:12]} --replace") == [("A", 1)]
    with pytest.raises(UsageError, match="the prompt was made for 'B', and not for 'Dora'"):
        evaluated(shell, "Dora", f"--prompt {first.digest}")
    with pytest.raises(UsageError, match="no prompt with the digest '123' is kept here"):
        evaluated(shell, "Dora", "--prompt 123")


def test_evaluate__version_that_was_shown_and_is_gone__is_refused(
    shell: InteractiveShell,
) -> None:
    deliberation = run(shell, "%deliberation")
    run(shell, "%%shape A\nfirst\n")
    run(shell, "%evaluation_prompt")
    deliberation.remove("A")
    run(shell, "%%shape A\nunseen\n")
    with pytest.raises(UsageError, match="showed version 1 of 'A' in round 1, and that was rem"):
        evaluated(shell, "B")
    run(shell, "%deliberation --reset")
    run(shell, "%%shape A\nunseen\n")
    assert evaluated(shell, "B") == [("A", 1)]


def test_evaluate__versions_that_were_shown__are_found_in_the_file_they_went_into(
    shell: InteractiveShell, tmp_path: Path
) -> None:
    first, second = tmp_path / "first.db", tmp_path / "second.db"
    run(shell, f"%deliberation {first}")
    run(shell, "%%shape A\nof the file\n")
    run(shell, "%evaluation_prompt")
    run(shell, f"%deliberation {second}")
    run(shell, "%%shape A\nof another file\n")
    assert evaluated(shell, "B") == [("A", 1)]
    run(shell, "%reload_ext shape_magic")
    run(shell, "%unload_ext shape_magic")
    run(shell, "%load_ext shape_magic")
    run(shell, "%%shape A\nin memory\n")
    run(shell, "%evaluation_prompt")
    run(shell, f"%deliberation {first}")
    run(shell, "%%shape A\nlast\n")
    assert evaluated(shell, "B") == [("A", 2)]


@pytest.mark.parametrize("path", ["", "closed.db"])
def test_deliberation_that_was_closed__stops_nothing(
    shell: InteractiveShell, tmp_path: Path, path: str
) -> None:
    run(shell, f"%deliberation -o held {path and tmp_path / path}")
    run(shell, "%%shape A\nx\n")
    shell.user_ns["held"].close()
    again = run(shell, "%deliberation")
    assert again.path == shell.user_ns["held"].path
    assert again.agents() == (["A"] if path else [])
    again.close()
    assert run(shell, f"%deliberation {tmp_path / 'other.db'}").agents() == []
    assert run(shell, "%%shape B\nx\n").version == 1


def test_deliberation_that_was_closed__and_whose_file_is_gone__can_be_left(
    shell: InteractiveShell, tmp_path: Path
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    run(shell, f"%deliberation {folder / 'a.db'} -o held")
    shell.user_ns["held"].close()
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    with pytest.raises(UsageError, match="cannot be made: there is no directory"):
        run(shell, "%deliberation")
    assert run(shell, f"%deliberation {tmp_path / 'b.db'}").agents() == []


def test_deliberation_that_a_variable_holds__is_open_after_a_switch(
    shell: InteractiveShell, tmp_path: Path
) -> None:
    run(shell, "%deliberation -o held")
    run(shell, "%%shape A\nx\n")
    for name in ("a.db", "b.db"):
        run(shell, f"%deliberation {tmp_path / name}")
        assert shell.user_ns["held"].agents() == ["A"]
        run(shell, f"%deliberation {tmp_path / 'a.db'} -o held")


@pytest.mark.parametrize("body", ["# A", "# A\n", "# A\n\n"])
def test_cell__whose_last_line_a_kernel_closed__is_measured_as_typed(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    code = f"%%shape\n{body}"
    kernel = SimpleNamespace(get_parent=lambda: {"content": {"code": code}})
    monkeypatch.setattr(shell, "kernel", kernel, raising=False)
    # Pyodide's kernel does so where the line is open, and leaves a closed one as it is.
    handed_over = code if code.endswith("\n") else f"{code}\n"
    assert run(shell, handed_over).text == body
