"""What notes say, word for word, and that they do not depend on what else a text holds."""

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shape_magic
from shape_magic.analyzers import markdown as markdown_module
from shape_magic.analyzers.markdown import MarkdownAnalyzer
from shape_magic.shape import Note
from tests.strategies import markdown

WORDS = "wall " * 24

MESSAGES = [
    ("```\na\n", "unclosed-fence", 1, "the fence is never closed and ends with line 2"),
    (
        "a\nb\n---\n",
        "underlined-paragraph",
        1,
        "2 lines above the underline in line 3 are prose: an underline makes a heading of a single "
        "line only",
    ),
    ("#tag\n", "no-heading", 1, "'#tag' is no heading: no space follows its number sign"),
    (
        "####### a\n",
        "no-heading",
        1,
        "'####### a' is no heading: it begins with 7 number signs, and 6 are the most",
    ),
    (
        "a | b\nc | d\n",
        "no-table",
        1,
        "the rows of pipes are no table: no delimiter row is under the first",
    ),
    (
        "| a | b |\n| - |\n",
        "no-table",
        1,
        "the rows of pipes are no table: the first has 2 cells and the delimiter row under it 1",
    ),
    (
        "a | b\n|-|\na | b\n|-|-|\n",
        "no-table",
        1,
        "the rows of pipes are no table: the first has 2 cells and the delimiter row under it 1",
    ),
    (
        "|-|\n|-|-|\n| a | b |\n|-|-|\n",
        "no-table",
        1,
        "the rows of pipes are no table: the first has 1 cell and the delimiter row under it 2",
    ),
    (
        "| a |\n| - |\nb\n",
        "swallowed-paragraph",
        3,
        "the line has no pipe and yet is a row: no blank line parts it from the table above",
    ),
    ("```\na\n```\n", "fenced-document", 1, "the whole document stands inside one fence"),
    (
        ">" * 101 + "a",
        "too-deep",
        1,
        "quotes and lists nest deeper than 100 from here on; what is deeper is measured as text",
    ),
    (
        f"# {WORDS}\n",
        "hidden-prose",
        1,
        "the heading has 122 characters, which prose_chars does not count",
    ),
    (
        f"|a|\n|-|\n| {WORDS}x |\n",
        "hidden-prose",
        3,
        "a cell of the table has 121 characters, which prose_chars does not count",
    ),
    (
        "- " + "x" * 499 + "\n",
        "hidden-prose",
        1,
        "the line of a list has 501 characters, which prose_chars does not count",
    ),
    ("# a | L9 b\n", "label-like-anchors", 1, "the label of L1 reads like further anchors"),
    ("a\n</Outline >\n", "prompt-tag", 2, "the solution holds the prompt's own </outline>"),
    ("FINAL SOLUTION: a", "prompt-tag", 1, "the solution holds the prompt's own FINAL SOLUTION:"),
    ("a\n\u200b\n", "invisible-characters", 2, "a character shows as nothing, or joins nothing"),
    (
        "\u200b\n\u2060\n",
        "invisible-characters",
        1,
        "2 characters show as nothing, or join nothing, the first of them here",
    ),
    (
        '{"a": 1, "a": 2}',
        "repeated-key",
        2,
        'the key "a" stands more than once in its object',
    ),
    (
        "[" * 128 + "]" * 128,
        "swollen",
        1,
        "the readable form is 128 times as long as what was written",
    ),
]


@pytest.mark.parametrize(("text", "code", "line", "message"), MESSAGES)
def test_note__says_what_surprises(text: str, code: str, line: int, message: str) -> None:
    notes = [note for note in shape_magic.measure(text).notes if note.code == code]
    assert notes[0] == Note(code, line, message)


def test_notes__of_one_code_are_twenty_and_the_last_counts_the_others() -> None:
    notes = shape_magic.measure("#a\n" * 1_030).notes
    assert [note.line for note in notes] == list(range(1, 21))
    assert notes[-1].message.endswith("no space follows its number sign (and 1,010 more like it)")


quiet_lines = st.sampled_from(
    [
        "a",
        "a b",
        "*a*",
        "1a",
        "a | b",
        "| a",
        "#a",
        "",
        " a",
        "   b",
        "<",
        "`a`",
        "a\\",
        "c: d",
        "=",
    ]
)


@given(st.lists(quiet_lines).map("\n".join) | markdown)
def test_shortcut__answers_as_the_parser_does(text: str) -> None:
    measured = MarkdownAnalyzer().measure(text)
    with patch.object(markdown_module, "may_hold_blocks", lambda source: True):
        assert MarkdownAnalyzer().measure(text) == measured
