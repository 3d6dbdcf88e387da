"""What Tab offers on the lines of the magics, applied as a frontend applies it."""

import warnings
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from IPython.core.completer import provisionalcompleter
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

from shape_magic.notebook.magics.completion import _written
from shape_magic.notebook.magics.deliberation import DeliberationMagics
from shape_magic.notebook.magics.options import parse
from tests.shells import run
from tests.strategies import texts

IDS = [
    "Ann (m x)",
    "Bob",
    "Candidate_A",
    "O'Brien (gpt-4)",
    'say "hi"',
    'O\'Brien; "x" %_$x {y}',
    "back\\slash n",
    "Who?",
    "-x",
    "- dash",
    "line\nbreak",
    "esc\x1b[31m",
    "tab\tbed",
    "\u202eback",
    "Ünal",
]


@pytest.fixture
def agents(shell: InteractiveShell) -> InteractiveShell:
    """A shell where agents of all kinds of ids have proposed."""
    deliberation = run(shell, "%deliberation")
    for agent_id in IDS:
        deliberation.propose(agent_id, f"by {agent_id}")
    shell.push({"reasoning": "because", "Reasons": "more"})
    return shell


def completed(shell: InteractiveShell, line: str) -> list[str]:
    """Give the lines that Tab makes of one."""
    with provisionalcompleter(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        offered = list(shell.Completer.completions(line, len(line)))
    return sorted(
        line[: completion.start] + completion.text + line[completion.end :]
        for completion in offered
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%read_proposal An", ["%read_proposal 'Ann (m x)'"]),
        ('%read_proposal "An', ['%read_proposal "Ann (m x)"']),
        ("%read_proposal 'Ann (", ["%read_proposal 'Ann (m x)'"]),
        ("%read_proposal 'Bo", ["%read_proposal 'Bob'"]),
        ("%read_proposal candi", ["%read_proposal Candidate_A"]),
        ("%read_proposal ün", ["%read_proposal Ünal"]),
        ("%read_proposal who", ["%read_proposal 'Who?'"]),
        (
            "%read_proposal 'O",
            [
                "%read_proposal \"O'Brien (gpt-4)\"",
                """%read_proposal 'O'"'"'Brien; "x" %_$x {y}'""",
            ],
        ),
        (
            "%read_proposal o'brien (",
            ["%read_proposal \"O'Brien (gpt-4)\""],
        ),
        ("%read_proposal say", ["%read_proposal 'say \"hi\"'"]),
        ("%read_proposal back\\sl", ["%read_proposal 'back\\slash n'"]),
        ("x = %read_proposal Bo", ["x = %read_proposal Bob"]),
        ("x, y['a'] = %read_proposal cand", ["x, y['a'] = %read_proposal Candidate_A"]),
        ("  %read_proposal Bo", ["  %read_proposal Bob"]),
        ("%%evaluate Bo", ["%%evaluate Bob"]),
        ("%shape_compare Bob An", ["%shape_compare Bob 'Ann (m x)'"]),
        (
            "%search_deliberation x --agent-ids Bob An",
            ["%search_deliberation x --agent-ids Bob 'Ann (m x)'"],
        ),
        (
            "%search_deliberation --agent-ids 'Ann (m x)' Bo",
            ["%search_deliberation --agent-ids 'Ann (m x)' Bob"],
        ),
        (
            "%search_deliberation --stances agree dis",
            ["%search_deliberation --stances agree disagree"],
        ),
        ("%search_deliberation --rounds 1 --ph", ["%search_deliberation --rounds 1 --phase"]),
        ("%search_deliberation --phase=ev", ["%search_deliberation --phase=evaluating"]),
        ("%search_deliberation --agent-ids='An", ["%search_deliberation --agent-ids='Ann (m x)'"]),
        ("%shape --analyzer=j", ["%shape --analyzer=json"]),
        ("%shape --analyzer json reas", ["%shape --analyzer json reasoning"]),
        ("%shape len(x) + reas", ["%shape len(x) + reasoning"]),
        ("%shape --analyzer=m", ["%shape --analyzer=markdown"]),
        ("%%shape Bob --thoughts=reas", ["%%shape Bob --thoughts=reasoning"]),
        ("%%shape Bob --thoughts Rea", ["%%shape Bob --thoughts Reasons"]),
    ],
)  # fmt: skip
def test_completion__applied__is_the_line(
    agents: InteractiveShell, line: str, expected: list[str]
) -> None:
    assert completed(agents, line) == expected


@pytest.mark.parametrize("line", ["%read_proposal ", "%read_proposal '", '%read_proposal "'])
def test_completion__every_line_that_is_offered__reads_the_agent(
    agents: InteractiveShell, line: str
) -> None:
    offered = [line_offered for line_offered in completed(agents, line) if "--" not in line_offered]
    reached = {
        agent_id
        for line_offered in offered
        for agent_id in IDS
        if f"by {agent_id}" in run(agents, line_offered)
    }
    left_out = {"-x", "line\nbreak", "esc\x1b[31m", "tab\tbed", "\u202eback"}
    assert reached == set(IDS) - left_out


@given(st.one_of(texts, st.text("'\" \\-ab?;#%\n")), st.sampled_from(["", "'", '"']))
@example("-a b", "")
def test_completion__id_as_written__is_read_as_it_is(agent_id: str, typed: str) -> None:
    if not agent_id:
        return
    written = _written(agent_id, typed)
    if written is not None:
        assert parse(DeliberationMagics.read_proposal, written).agent_id == agent_id


def test_completion__deliberation_that_cannot_be_read__offers_no_agent_and_prints_nothing(
    agents: InteractiveShell, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    deliberation = run(agents, f"%deliberation {folder / 'a.db'}")
    deliberation.close()
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    capsys.readouterr()
    assert completed(agents, "%read_proposal An") == []
    assert capsys.readouterr() == ("", "")


def test_completion__variables__are_the_sessions_own(shell: InteractiveShell) -> None:
    offered = completed(shell, "%%shape A --thoughts ")
    assert not {f"%%shape A --thoughts {name}" for name in ("In", "Out", "exit", "open")} & set(
        offered
    )
    shell.push({"Out": "mine"})
    assert completed(shell, "%%shape A --thoughts ") == ["%%shape A --thoughts Out"]
    with pytest.raises(UsageError, match=r"there is no variable 'exi' in this session$"):
        run(shell, "%%shape A --thoughts exi\nx\n")
