"""Bad usage of every magic: one printed line that says what would do, and nothing is changed."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

from tests.shells import reply_of, run

MANY_DIGITS = "9" * 5_000

# A line that ends with an ellipsis is given by its beginning. A cell magic's body is added.
CASES = r"""
%%predict
predict first, look then: read the text, and write one number or more behind %%predict, as in...
%%predict headings
'headings' is no prediction: write a name and a number, as in headings=2
%%predict headings=-1
'headings=-1' is no prediction: write a name and a number, as in headings=2
%%predict headings=1 headings=2
headings is predicted twice: once is enough
%%predict heading=1
'heading' is no attribute; the nearest is headings, and there are chars, lines, lead_chars,...
%%shape --rond 2
%%shape has no option '--rond'; did you mean --round?
%%shape A --rou 2
%%shape has no option '--rou'; did you mean --round?
%%shape Two words
'words' is more than %%shape takes; an id with spaces stands in quotes, as in "Candidate A"
%%shape A --round two
argument --round: 'two' is no whole number of up to 18 digits
%%shape A --round DIGITS
argument --round: '999999...
%%shape A --round
argument --round: expected one argument
%%shape --round 2
--round belongs to a proposal: name its agent, as in %%shape Candidate_A --round 2
%%shape --thoughts t
--thoughts belongs to a proposal: name its agent, as in %%shape Candidate_A --thoughts t
%%shape A --thoughts nowhere
there is no variable 'nowhere' in this session
%%shape A --thoughts number
--thoughts number is of type int; a thought process is a str
%%shape A --thoughts a-b
argument --thoughts: 'a-b' is no name of a variable
%%shape A -o 1x
argument -o/--output: '1x' is no name of a variable
%%shape --analyzer yaml
no analyzer is called 'yaml'; there are json, markdown
%%shape --analyzer json
the analyzer 'json' does not recognise this text...
%%shape O'Brien
"O'Brien" cannot be read (no closing quotation): put an id with spaces or quotes in quotes, ...
%shape
%shape measures one thing: an expression, as in %shape answer, or a file, as in ...
%shape --file x.md answer
%shape measures one thing: ...
%shape --file missing.md
'missing.md': No such file or directory
%shape --file .
'.': Is a directory
%shape --file ''
a path names a file, and this one is empty
%shape --file ~no-such-user/x
'~no-such-user/x': there is no such home folder
%shape --fil x
%shape has no option '--fil'; did you mean --file?
%shape --colour x
%shape has no option '--colour'; its options are --file, --analyzer, -o, --output
%shape 'data/wall.md'
%shape --file 'data/wall.md' measures the file; this is its name alone
%shape data/wall.md
%shape --file 'data/wall.md' measures the file; this is its name alone
%shape 'here'
%shape --file 'here' measures the file; this is its name alone
%shape anser
there is no variable 'anser' in this session; did you mean answer?
%shape anser[0].upper()
there is no variable 'anser' in this session; did you mean answer?
%shape number
a value of type int cannot be measured; a str, a path or a list of str can
%shape None
a value of type NoneType cannot be measured; a str, a path or a list of str can
%shape print
a value of type builtin_function_or_method cannot be measured; a str, a path or a list of str can
%shape list
a value of type type cannot be measured; a str, a path or a list of str can
%shape b"x"
a value of type bytes cannot be measured; its .decode() can
%shape b"\xff"
a value of type bytes cannot be measured; a str, a path or a list of str can
%shape message
a value of type SimpleNamespace cannot be measured; its .content can
%shape response
a value of type SimpleNamespace cannot be measured; its .choices[0].message.content can
%shape {"role": "user", "content": "x"}
a value of type dict cannot be measured; its ["content"] can
%shape {"a": "x"}
a value of type dict cannot be measured; a list of its values, as in list(answers.values()), can
%shape {"a"}
a value of type set cannot be measured; a list of it, as in list(answers), can
%shape frame
a value of type DataFrame cannot be measured; a column of it, as in frame["answer"], can
%shape array
a value of type ndarray cannot be measured; its .item() can
%shape []
'[]' is empty: there is nothing to measure
%shape ['a', 1]
item 1 of "['a', 1]" is of type int and cannot be measured; a list of nothing but str can
%shape [message]
item 0 of '[message]' is of type SimpleNamespace and cannot be measured; its .content can
%shape frame["length"]
item 0 of 'frame["length"]' is of type int and cannot be measured; a list of nothing but str can
%shape answer[
'answer[' is no Python expression ('[' was never closed); options stand before it, ...
%shape answer -o kept
'answer -o kept' is no Python expression (invalid syntax); options stand before it, ...
%shape DIGITS
'999999...
%shape -o class answer
argument -o/--output: 'class' is no name of a variable
%shape_compare A
the following arguments are required: AGENT_ID[@ROUND]
%shape_compare A B C
'C' is more than %shape_compare takes; an id with spaces stands in quotes, as in "Candidate A"
%shape_compare A@7 A
round 7 has no proposals; there are rounds 1
%shape_compare A@DIGITS A
no agent is called 'A@999999...
%read_proposal
the following arguments are required: agent_id
%read_proposal Zed
no agent is called 'Zed'; there are ...
%read_proposal A 0:2
from_line is 0; lines are 1 to 1
%read_proposal A 3-5
argument FROM:TO: '3-5' is no range of lines, such as 31:48; an id with spaces stands in quotes, ...
%read_proposal Ann (x)
argument FROM:TO: '(x)' is no range of lines, such as 31:48; an id with spaces stands in quotes, ...
%read_proposal A :
argument FROM:TO: ':' is no range of lines, such as 31:48; ...
%read_proposal A DIGITS:
argument FROM:TO: '999999...
%read_proposal A 1:2 --to-line 3
the lines are given once: as FROM:TO, or by --from-line and --to-line
%read_proposal A --from-lin 3
%read_proposal has no option '--from-lin'; did you mean --from-line or --to-line?
%read_proposal A --round 7
round 7 has no proposals; there are rounds 1
%read_proposal 'A
"'A" cannot be read (no closing quotation): put an id with spaces or quotes in quotes, ...
%search_deliberation --phase proposal
argument --phase: 'proposal' is not one of its values; did you mean proposing?
%search_deliberation --verdicts yes
argument --verdicts: 'yes' is not one of its values; there are verified, contested, ...
%search_deliberation --stances agree Agree
argument --stances: 'Agree' is not one of its values; did you mean agree?
%search_deliberation --min-score high
argument --min-score: 'high' is no number
%search_deliberation --limit DIGITS
argument --limit: '999999...
%search_deliberation ''
keywords holds an empty text...
%evaluation_prompt --task none
there is no variable 'none' in this session
%evaluation_prompt --task number
--task number is of type int; a task is a str
%evaluation_prompt --round 9
round 9 has no proposals; there are rounds 1
%evaluation_prompt task
'task' is more than %evaluation_prompt takes
%%evaluate
the following arguments are required: evaluator
%%evaluate Cleo
nothing of the reply was taken: ...
%%evaluate Cleo --round 5
...
%effects --frame number
--frame number is of type int; it takes a DataFrame
%effects --frame frame
the frame has no column 'conciseness'; the nearest are 'length', 'text'
%effects chars chars
attributes is ['chars', 'chars']; it names one or more, each once
%effects --arm nowhere
there is no arm 'nowhere'; there are ...
%compare_arms control
the following arguments are required: second
%compare_arms control control
both arms are 'control'; name two
%compare_arms a b --frame nowhere
there is no variable 'nowhere' in this session
%round_summary 3
round 3 has no proposals; there are rounds 1
%round_summary 1 --round 1
the round is given once: as %round_summary 2, or by --round 2
%round_summary --jason
%round_summary has no option '--jason'; did you mean --json?
%deliberation --skip-bad
--skip-bad belongs to --load, as in --load rounds.jsonl --skip-bad
%deliberation .
'.' is a directory; name a file in it
%deliberation here
...is no deliberation and is left as it is...
%deliberation my rounds.db
'rounds.db' is more than %deliberation takes; a path with spaces stands in quotes, as in ...
%deliberation ~no-such-user/x.db
'~no-such-user/x.db': there is no such home folder
%deliberation none/x.db
'none/x.db' cannot be made: there is no directory 'none'
%deliberation x.db --reset
--reset removes everything that the session's deliberation holds: switch to 'x.db' first, ...
%deliberation --save none/out.jsonl
'none/out.jsonl': No such file or directory
%deliberation --load none.jsonl
'none.jsonl': No such file or directory
%deliberation --load .
'.': Is a directory
%deliberation --copy here
'here': there is such a file already; name a new one
%deliberation --copy none/x.db
'none/x.db'...
%deliberation --copy x.db --reset
--copy copies what is there: call it by itself before --reset
%deliberation --copy ~no-such-user/x.db
'~no-such-user/x.db': there is no such home folder
%deliberation /proc/x.db
'/proc/x.db': unable to open database file
%deliberation --rest
%deliberation has no option '--rest'; did you mean --reset?
""".strip().splitlines()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder of the tests, with one file in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").write_text("no database and no transcript" * 10, encoding="utf-8")
    return tmp_path


@pytest.fixture
def session(shell: InteractiveShell, folder: Path) -> InteractiveShell:
    """A shell with one proposal and some variables."""
    message = SimpleNamespace(content="x")
    shell.push(
        {
            "number": 3,
            "answer": "kept",
            "message": message,
            "response": SimpleNamespace(choices=[SimpleNamespace(message=message)]),
            "frame": pd.DataFrame({"text": ["a", "b"], "length": [1, 2]}),
            "array": np.array("a"),
        }
    )
    run(shell, "%%shape A\nkept\n")
    return shell


def printed_error(shell: InteractiveShell, cell: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Run a cell that is bad usage and give the one line that is printed."""
    capsys.readouterr()
    result = shell.run_cell(cell)
    assert type(result.error_in_exec) is UsageError
    out, err = capsys.readouterr()
    (line,) = (out + err).splitlines()
    assert len(line) < 500
    return line.removeprefix("UsageError: ")


@pytest.mark.parametrize(("call", "message"), list(zip(CASES[::2], CASES[1::2], strict=True)))
def test_bad_usage__is_one_line_and_loses_nothing(
    session: InteractiveShell, capsys: pytest.CaptureFixture[str], call: str, message: str
) -> None:
    body = "\nsome words\n" if call.startswith("%%") else ""
    line = printed_error(session, call.replace("DIGITS", MANY_DIGITS) + body, capsys)
    if "..." in message:
        parts = message.split("...")
        assert line.startswith(parts[0].rstrip())
        assert all(part.strip() in line for part in parts)
    else:
        assert line == message
    assert session.user_ns["answer"] == "kept"
    deliberation = run(session, "%deliberation")
    assert deliberation.proposal("A").content == "kept\n"
    assert len(deliberation.proposals()) == 1


@pytest.mark.parametrize(
    ("reply", "options", "message"),
    [
        (reply_of("A"), "Judge", "\"A\": 'Judge' has evaluated this version before"),
        (reply_of("A"), "A", "it evaluates none of"),
        (reply_of("A", score=7), "Cleo", '"A": score is 7, and not a number from'),
        (reply_of("A"), "Cleo --complete", '"B": is not evaluated'),
        (reply_of("A"), "Cleo --round 5", "round 5 has no proposals"),
    ],
)
def test_evaluate__reply_that_cannot_be_taken__is_one_line(
    session: InteractiveShell,
    capsys: pytest.CaptureFixture[str],
    reply: str,
    options: str,
    message: str,
) -> None:
    run(session, "%%shape B\nsecond\n")
    run(session, f"%%evaluate Judge\n{reply_of('A')}\n")
    assert message in printed_error(session, f"%%evaluate {options}\n{reply}\n", capsys)


@pytest.mark.parametrize(
    ("cell", "error"),
    [
        ("%shape 1 / 0", ZeroDivisionError),
        ("%shape [][0]", IndexError),
        ("def f():\n    return missing\n\n%shape f()", NameError),
    ],
)
def test_shape__what_an_expression_raises__is_shown_whole(
    shell: InteractiveShell, cell: str, error: type[Exception]
) -> None:
    assert type(shell.run_cell(cell, silent=True).error_in_exec) is error


@pytest.mark.parametrize("text", ["See 2.1", "a.md b.md", "Use e.g.", "yes.no", "line\nx.md"])
def test_shape__text_that_is_no_file_name__is_measured(
    session: InteractiveShell, text: str
) -> None:
    assert run(session, f"%shape {text!r}").text == text
