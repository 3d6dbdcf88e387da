"""Two measurements side by side, and the magic that shows them."""

import pytest
from IPython.core.interactiveshell import InteractiveShell

from shape_magic import Proposal, compare_analyzers, measure, to_html
from shape_magic.errors import ArgumentError
from shape_magic.notebook.compare import Comparison, compare, compare_sides
from shape_magic.notebook.view_data import from_wire
from tests.plain_scan import PlainScan
from tests.shells import run


def proposal(text: str, *, agent_id: str = "A", round: int = 1) -> Proposal:
    return Proposal(agent_id, round, 1, text, "", measure(text))


def test_compare__shows_the_second_against_the_first() -> None:
    comparison = compare(proposal("# A\n"), proposal("# A\n\n- b\n", agent_id="B"))
    shown = from_wire(comparison.right._shown)
    assert shown["baseline"] == "against A@1"
    changes = {attribute["name"]: attribute["change"] for attribute in shown["attributes"]}
    assert (changes["list_items"], changes["headings"]) == (1, 0)


def test_compare__keeps_two_selections() -> None:
    comparison = compare(measure("a\n"), measure("a\nb\n"))
    comparison.right.selection = (2, 2)
    assert comparison.left.selection is None


def test_compare__where_no_widget_runs_is_a_table() -> None:
    comparison = compare(measure("# <b>\n"), measure("x\x1b\n"), names=("one\x1b", "<i>"))
    data, _ = comparison._repr_mimebundle_()
    assert data == comparison._repr_mimebundle_()[0]
    lines = data["text/plain"].split("\n")
    assert lines[0].split() == ["one␛", "<i>", "difference"]
    assert lines[1].split() == ["chars", "6", "3", "-3"]
    assert lines[2] == lines[2].rstrip()
    assert "&lt;i&gt;" in data["text/html"]
    assert "     1 - # &lt;b&gt;" in data["text/html"]
    assert "     1 + x␛" in data["text/html"]
    assert "<i>" not in data["text/html"]


def test_shape_compare__takes_agents_and_rounds(shell: InteractiveShell) -> None:
    run(shell, "%%shape Candidate_A\n# A\n")
    run(shell, "%%shape Candidate_A --round 2\n# A\n\n- b\n")
    run(shell, "%%shape 'B (model)' --round 2\nB\n")
    rounds = run(shell, "%shape_compare Candidate_A@1 Candidate_A@2 -o kept")
    assert isinstance(rounds, Comparison)
    assert shell.user_ns["kept"] is rounds
    assert rounds.names == ("Candidate_A@1", "Candidate_A@2")
    agents = run(shell, "%shape_compare Candidate_A 'B (model)'")
    assert agents.names == ("Candidate_A@2", "B (model)@2")


def test_shape_compare__takes_an_id_with_an_at(shell: InteractiveShell) -> None:
    run(shell, "%%shape a@1\nx\n")
    run(shell, "%%shape a\ny\n")
    comparison = run(shell, "%shape_compare a@1 a@1@1")
    assert comparison.names == ("a@1@1", "a@1@1")


def test_analyzers__of_one_text_show_what_its_lines_are_to_either() -> None:
    text = "Answer.\n\n#Plan\n\n" + "line\n" * 20
    html = compare_sides(compare_analyzers(text, "markdown", PlainScan())).place.html
    assert "     3 prose   heading #Plan" in html
    assert "unchanged" in html
    with pytest.raises(ArgumentError, match="where it is of one text, and not of 2"):
        to_html(compare_analyzers(["a", "b"], "markdown", PlainScan()))


def test_displayed_comparison__of_analyzers_is_a_view_with_reasons(
    shell: InteractiveShell,
) -> None:
    comparison = compare_analyzers("#Plan\n", "markdown", PlainScan())
    html = shell.display_formatter.format(comparison)[0]["text/html"]  # type: ignore[union-attr]
    assert 'class="shape-magic-place"' in html
    assert "not by a space or a tab" in html
    several = compare_analyzers(["#Plan\n", "b"], "markdown", PlainScan())
    table = shell.display_formatter.format(several)[0]["text/html"]  # type: ignore[union-attr]
    assert 'class="shape-magic-place"' not in table
