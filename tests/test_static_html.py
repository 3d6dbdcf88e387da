"""The static HTML word for word: what a reader sees where no script runs."""

import re
from typing import Any

import pytest

import shape_magic
from shape_magic import Proposal
from shape_magic.notebook.measurements import Measurements
from shape_magic.notebook.static_html import (
    MAX_ROWS,
    MAX_WIDTH,
    measurement_html,
    measurements_html,
    rest_of,
    safe,
)
from shape_magic.notebook.view_data import KIND_COLOURS, Baseline, view_data
from tests.test_html import Reader

BEFORE = "# Plan & <b>\r\n\r\nText.\r\n- one\r\n"
AFTER = "Lead.\r\n\r\n# Plan & <b>\r\n- one\n- two\r\n\r#x\n|a|\n|-|\n\n```\nf()\n```"
SEEN = """\
Ann <i> · round 2 · version 3 · markdown/2 · 1 note
60 +30
chars
13 +9
lines
5 +5
lead_chars
7 +2
prose_chars
1
headings
1 +1
code_blocks
2 +1
list_items
2 +2
table_rows
■ prose 16% ■ code 20% ■ list 23% ■ table 14% ■ heading 27%
L3     # Plan &amp; &lt;b&gt;
L8     table
L11    code
L7: '#x' is no heading: no space follows its number sign
Source, 13 lines
prose      1  Lead.
           2
heading    3  # Plan & <b>
list       4  - one
           5  - two
prose      6
           7  #x
table      8  |a|
           9  |-|
prose     10
code      11  ```
          12  f()
          13  ```
"""


def seen(page: str) -> str:
    """Give the lines that a browser makes of the static form."""
    broken = re.sub("(<br>|</div>|</pre>|</li>|</tr>|</span></span>(?=<span title))", r"\1\n", page)
    broken = re.sub("</t[hd]>", " ", broken)
    lines = (line.rstrip() for line in Reader(broken).text.split("\n"))
    return "".join(f"{line}\n" for line in lines if line)


def proposal(text: str = AFTER, *, before: str | None = BEFORE, **fields: Any) -> Proposal:
    named: dict[str, Any] = {"agent_id": "Ann <i>", "round": 2, "version": 3} | fields
    return Proposal(
        content=text,
        thought_process="because",
        measurement=shape_magic.measure(text),
        previous_shape=None if before is None else shape_magic.measure(before).shape,
        **named,
    )


def test_static_form__says_word_for_word_what_was_measured() -> None:
    assert seen(measurement_html(view_data(proposal()))) == SEEN


@pytest.mark.parametrize(
    ("subject", "baseline", "first_line"),
    [
        (shape_magic.measure("# A"), None, "candidate · markdown/2"),
        (proposal("# A", version=1), None, "Ann <i> · round 2 · markdown/2"),
        (proposal("# A", round=0, version=2), None, "Ann <i> · round 0 · version 2 · markdown/2"),
        (
            proposal("#a\n#b\n", agent_id="\x1b" + "n" * MAX_WIDTH),
            Baseline("against <Bob>@1", shape_magic.measure("").shape),
            # The round stands behind the id, and is cut with it.
            f"␛{'n' * (MAX_WIDTH - 1)}… · markdown/2 · changes against <Bob>@1 · 2 notes",
        ),
    ],
    ids=["nobody's", "first version", "round 0", "another baseline"],
)
def test_static_form__first_line(subject: Any, baseline: Baseline | None, first_line: str) -> None:
    page = seen(measurement_html(view_data(subject, baseline=baseline)))
    assert page.partition("\n")[0] == first_line


def test_static_form__figures__are_grouped_and_their_changes_signed() -> None:
    page = seen(measurement_html(view_data(proposal("x" * 1234, before="y" * 5678 + "\n- z"))))
    assert "\n1,234 -4,448\nchars\n1 -1\nlines\n1,234 -4,444\nlead_chars\n" in page
    assert "\n0 -1\nlist_items\n0\ntable_rows\n■ prose 100%\nno anchors\nSource, 1 line\n" in page


def test_static_form__ends_no_line_of_the_source_with_a_space() -> None:
    assert " \n" not in measurement_html(view_data(shape_magic.measure("a\n\n\nb  \nc")))


def test_static_form__of_no_characters__has_no_bar() -> None:
    assert seen(measurement_html(view_data(shape_magic.measure("\n")))).endswith(
        "\n0\ntable_rows\nno anchors\nSource, 1 line\nprose      1\n"
    )
    assert seen(measurement_html(view_data(shape_magic.measure("")))).endswith(
        "\n0\ntable_rows\nno anchors\nSource, 0 lines\n"
    )


def test_static_form__bar__is_as_wide_as_each_kind_has_characters() -> None:
    page = measurement_html(view_data(shape_magic.measure("# A\nx\n- bcd\n")))
    pieces = re.findall(r"width:([\d.]+)%;background:(#\w+)", page)
    assert pieces == [
        ("11.11", KIND_COLOURS["prose"]),
        ("55.56", KIND_COLOURS["list"]),
        ("33.33", KIND_COLOURS["heading"]),
    ]
    key = re.findall(r"color:(#\w+)\">■</span> (\w+) (\d+)%", page)
    assert key == [
        (KIND_COLOURS["prose"], "prose", "11"),
        (KIND_COLOURS["list"], "list", "56"),
        (KIND_COLOURS["heading"], "heading", "33"),
    ]
    assert "width:" not in measurement_html(view_data(shape_magic.measure("\n\n"))).replace(
        "max-width:", ""
    )


@pytest.mark.parametrize(
    ("more", "rest"), [(0, ""), (1, "and 1 more {}\n"), (1000, "and 1,000 more {}\n")]
)
def test_static_form__what_is_not_shown__is_counted(more: int, rest: str) -> None:
    count = MAX_ROWS + more
    headings = seen(measurement_html(view_data(shape_magic.measure("# a\n" * count))))
    assert headings.count("# a\n") == 2 * MAX_ROWS
    assert f"\nL{MAX_ROWS}   # a\n{rest.format('anchors')}Source, {count:,} lines\n" in headings
    assert headings.endswith(f"         {MAX_ROWS}  # a\n{rest.format('lines')}")
    noted = view_data(shape_magic.measure("a")) | {"notes": [[1, "look"]] * count}
    notes = seen(measurement_html(noted))
    assert f"· {count} notes\n" in notes
    assert notes.split("\n").count("L1: look") == MAX_ROWS
    assert f"L1: look\n{rest.format('notes')}Source, " in notes
    table = seen(measurements_html(Measurements([shape_magic.measure("a")] * count)))
    assert table.count("\nitem ") == MAX_ROWS
    assert table.endswith(f" 0\n{rest.format('measurements')}")
    assert rest_of(count, "things") == rest.format("things").strip() or more


def test_several__are_a_table_with_names_kinds_and_figures() -> None:
    measured = Measurements(
        [shape_magic.measure("x" * 1234), shape_magic.measure("[1]")], names=["answers[0] <b>", "b"]
    )
    assert seen(measurements_html(measured)) == (
        "text kind chars lines lead_chars prose_chars headings code_blocks list_items table_rows\n"
        "answers[0] <b> markdown 1,234 1 1,234 1,234 0 0 0 0\n"
        "b json 7 3 7 0 0 0 1 0\n"
    )
    assert 'title="total characters of the final solution">chars</th>' in measurements_html(
        measured
    )


@pytest.mark.parametrize(
    ("text", "width", "written"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "abc…"),
        ("<&>'\"", 5, "&lt;&amp;&gt;&#x27;&quot;"),
        ("\x1b\u200b<", 2, "␛\u200b…".replace("\u200b", shape_magic.wording.visible("\u200b"))),
    ],
)
def test_safe__cuts_first_and_escapes_after(text: str, width: int, written: str) -> None:
    assert safe(text, width=width) == written
