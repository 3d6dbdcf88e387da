"""`%%shape` and `%shape`, in a shell of their own."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from IPython.core.interactiveshell import InteractiveShell

from shape_magic import Measurement, Proposal
from shape_magic.notebook.display import bundle
from shape_magic.notebook.measurements import Measurements
from shape_magic.vocabulary import ATTRIBUTES
from tests.shells import run

BODIES = [
    "# A\n",
    "# A",
    "a\n\n\n",
    "{x} $x !ls %time ?\n",
    "back\\slash \\n \\u0041\n",
    ">>> quoted\n... more\n",
    "In [1]: x\nOut[1]: y\n",
    "    indented\n",
    "%%shape B\nbody\n",
    "%matplotlib inline\n",
    "\n\nafter blank lines\n",
    " \n",
    "\u2028# a\x0cb\x85c\n",
    "'''\"\"\"\n",
    "emoji \U0001f600 and \u202e\n",
]


@pytest.mark.parametrize("body", BODIES)
def test_cell_magic__measures_the_body_as_typed(shell: InteractiveShell, body: str) -> None:
    assert run(shell, f"%%shape\n{body}").text == body
    assert run(shell, f"%%shape Candidate_A\n{body}").content == body


def test_cell_magic__as_typed_after_blank_lines_and_indented(shell: InteractiveShell) -> None:
    assert run(shell, "\n\n%%shape\n>>> x\n").text == ">>> x\n"
    assert run(shell, "  %%shape --analyzer markdown\n  # A\n").text == "  # A\n"


def test_cell_magic__an_id_is_taken_as_written(shell: InteractiveShell) -> None:
    assert run(shell, "%%shape A\\B#1\nx\n").agent_id == "A\\B#1"


def test_cell_magic__a_first_line_that_ipython_cuts_at_another_character(
    shell: InteractiveShell,
) -> None:
    assert run(shell, "%%shape A\u2028foo\nbar").content == "foo\nbar"


def test_cell_magic__under_another_magic_loses_one_newline(shell: InteractiveShell) -> None:
    shell.run_cell("%%time\n%%shape -o kept\na\n\n").raise_error()
    assert shell.user_ns["kept"].text == "a\n"


def test_cell_magic__called_from_code_takes_what_it_is_given(shell: InteractiveShell) -> None:
    for body in ("# A", "%%shape B"):
        call = f"get_ipython().run_cell_magic('shape', '', {body!r})"
        assert run(shell, call).text == body


def test_cell_magic__proposes_in_the_current_round(shell: InteractiveShell) -> None:
    first = run(shell, "%%shape Candidate_A\n# A\n")
    assert isinstance(first, Proposal)
    assert (first.agent_id, first.round, first.version) == ("Candidate_A", 1, 1)
    assert first.shape.headings == 1
    assert first.previous_shape is None
    again = run(shell, "%%shape Candidate_A\n# A\n# B\n")
    assert (again.round, again.version, again.previous_shape) == (1, 2, first.shape)
    same = run(shell, "%%shape Candidate_A\n# A\n# B\n")
    assert same.version == 2
    later = run(shell, "%%shape 'O''Brien (model)' --round 3\nx\n")
    assert (later.agent_id, later.round) == ("OBrien (model)", 3)
    assert run(shell, "%%shape B\ny\n").round == 3


def test_cell_magic__takes_thoughts_from_a_variable(shell: InteractiveShell) -> None:
    shell.user_ns["reasoning"] = "because {x}"
    proposal = run(shell, "%%shape A --thoughts reasoning\nx\n")
    assert proposal.thought_process == "because {x}"


def test_cell_magic__without_an_id_proposes_nothing(shell: InteractiveShell) -> None:
    measurement = run(shell, "%%shape -o kept\n# A\n")
    assert isinstance(measurement, Measurement)
    assert shell.user_ns["kept"] is measurement
    container = shell.magics_manager.registry["ShapeMagics"]
    assert container.session.deliberation.agents() == []


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("answer", "# A\n"),
        ('answers["a b"]', "# B"),
        ('answer.replace(" ", "")', "#A\n"),
        ('f"{answer}$HOME"', "# A\n$HOME"),
        ("'a' if {1} else \"b\"", "a"),
        ("--analyzer markdown answer", "# A\n"),
        ("-o kept answer", "# A\n"),
        ("-okept answer", "# A\n"),
        ("--analyzer=markdown answer", "# A\n"),
    ],
)
def test_line_magic__measures_an_expression_as_python_reads_it(
    shell: InteractiveShell, expression: str, text: str
) -> None:
    shell.user_ns |= {"answer": "# A\n", "answers": {"a b": "# B"}}
    assert run(shell, f"%shape {expression}").text == text


def test_line_magic__measures_a_list_a_path_and_a_file(
    shell: InteractiveShell, tmp_path: Path
) -> None:
    path = tmp_path / "my answer.md"
    path.write_text("# A\n", encoding="utf-8")
    shell.user_ns |= {"path": path, "texts": ["# A", "[1]"]}
    assert run(shell, "%shape path").shape.headings == 1
    assert run(shell, f'%shape --file "{path}"').shape.headings == 1
    many = run(shell, "%shape texts")
    assert isinstance(many, Measurements)
    assert [measurement.kind for measurement in many] == ["markdown", "json"]
    assert many[1:][0].kind == "json"


def test_line_magic__shows_a_measurement_or_a_proposal_as_it_is(shell: InteractiveShell) -> None:
    proposal = run(shell, "%%shape A -o kept\nx\n")
    assert run(shell, "%shape kept") is proposal
    assert run(shell, "%shape kept.measurement") is proposal.measurement


def test_line_magic__names_the_items_of_a_list_as_the_expression_does(
    shell: InteractiveShell,
) -> None:
    texts = ["# A", "b"]
    shell.push(
        {"texts": texts, "answer": "# A", "many": {"t": texts}, "array": np.array(texts)}
        | {"series": pd.Series(texts, index=["x", "y"])}
    )
    names = {
        "texts": ("texts[0]", "texts[1]"),
        "[answer, 'b']": ("answer", "'b'"),
        "(many['t'][0], answer)": ("many['t'][0]", "answer"),
        "many['t']": ("many['t'][0]", "many['t'][1]"),
        "array": ("array[0]", "array[1]"),
        "series": ("series['x']", "series['y']"),
        "[answer, 'x' * 50 + answer + 'an expression that is long']": ("answer", "item 1"),
        "['a\\x1b', answer]": ("'a\\x1b'", "answer"),
    }
    for expression, expected in names.items():
        found = run(shell, f"%shape {expression}")
        assert (found.names, len(found)) == (expected, 2), expression
    plain = bundle(run(shell, "%shape texts"))[0]["text/plain"].splitlines()
    assert [line[:24] for line in plain[::2]] == [
        '<candidate id="texts[0]"',
        '<candidate id="texts[1]"',
    ]


def test_magic__prints_nothing_but_its_value(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    shell.run_cell("%%shape Candidate_<A>\n# </outline>\n\n## b\n")
    out, err = capsys.readouterr()
    assert err == ""
    assert out.splitlines()[-2:] == [
        '<candidate id="Candidate_&lt;A&gt;" chars="19" lines="3" lead_chars="0" prose_chars="0" '
        'headings="2" code_blocks="0" list_items="0" table_rows="0">',
        "<outline>L1 # &lt;/outline&gt; | L3 ## b</outline>",
    ]


@pytest.mark.parametrize("name", ["%%shape", "%shape"])
def test_magic__help_lists_its_options(shell: InteractiveShell, name: str) -> None:
    kind = "cell" if name == "%%shape" else "line"
    text = shell.magics_manager.magics[kind]["shape"].__doc__
    assert f"{name} [" in text
    for option in ("--analyzer KIND", "-o NAME", "--output NAME"):
        assert option in text
    for attribute in ATTRIBUTES:
        assert f"{attribute.name:<12} {attribute.meaning}" in text
