"""`%explain` and `%%shape --compare`, in a plain terminal's shell."""

import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

from shape_magic import AnalyzerComparison, Explanation

CELL = "%%shape Candidate_A\n#tag\n\n- a\n  b\n"


def value(shell: InteractiveShell, cell: str) -> object:
    result = shell.run_cell(cell)
    result.raise_error()
    return result.result


def test_explain__an_agents_proposal_by_attribute_and_by_lines(shell: InteractiveShell) -> None:
    value(shell, CELL)
    explanation = value(shell, "%explain Candidate_A headings")
    assert isinstance(explanation, Explanation)
    assert [reason.rule for reason in explanation.reasons] == ["no-space"]
    lines = value(shell, "%explain Candidate_A@1 3:4 -o kept")
    assert isinstance(lines, Explanation)
    assert lines.kinds == ("list", "list")
    assert shell.user_ns["kept"] is lines
    assert value(shell, "%explain Candidate_A") != explanation


def test_explain__a_variable_of_the_session(shell: InteractiveShell) -> None:
    value(shell, "import shape_magic\nanswer = '#tag'\nfound = shape_magic.measure(answer)")
    for name in ("answer", "found"):
        explanation = value(shell, f"%explain {name} headings")
        assert isinstance(explanation, Explanation)
        assert [reason.rule for reason in explanation.reasons] == ["no-space"]


def test_explain__prints_in_a_terminal(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    value(shell, CELL)
    capsys.readouterr()
    value(shell, "%explain Candidate_A headings")
    assert "not counted: L1: in `#tag`" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("Nobody", "Nobody"),
        (
            "Candidate_A words",
            "'words' is neither an attribute nor lines; write a line as 12, a range as 12:15, ",
        ),
        ("Candidate_A 99", "line 99 is not there"),
    ],
)
def test_explain__what_is_not_there_is_bad_usage(
    shell: InteractiveShell, line: str, said: str
) -> None:
    value(shell, CELL)
    with pytest.raises(UsageError, match=said):
        shell.run_line_magic("explain", line)


def test_compare__sets_another_analyzer_against_the_cell(shell: InteractiveShell) -> None:
    comparison = value(shell, '%%shape --compare markdown\n{"a": 1}\n')
    assert isinstance(comparison, AnalyzerComparison)
    assert [name.split("/")[0] for name in comparison.names] == ["json", "markdown"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("Candidate_A --compare json", "--compare keeps nothing"),
        ("--compare yaml", "no analyzer is called 'yaml'"),
    ],
)
def test_compare__bad_usage_is_one_line(shell: InteractiveShell, line: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        shell.run_cell_magic("shape", line, "a")
