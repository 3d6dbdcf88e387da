"""Why a line was counted or not: each rule has a case, and what it says is tried."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shape_magic import Reason, explain, measure
from shape_magic.analyzers.json import JsonAnalyzer
from shape_magic.analyzers.markdown import MarkdownAnalyzer
from shape_magic.lines import split_lines
from shape_magic.vocabulary import ATTRIBUTE_NAMES
from tests.strategies import json_documents, markdown
from tests.test_reply import ReplyCase, read_cases

MARKDOWN = MarkdownAnalyzer()

# Of each rule, one text, the attribute and line that it decides, and whether it counts.
RULES = [
    ("heading", "## a\n", "headings", 1, True),
    ("underlined", "a\n---\n", "headings", 1, True),
    ("fence", "```\na\n```\n", "code_blocks", 1, True),
    ("unclosed-fence", "```\na\n", "code_blocks", 1, True),
    ("item", "> - a\n", "list_items", 1, True),
    ("table", "| a |\n| - |\n| b |\n", "table_rows", 1, True),
    ("prose", "a\n", "prose_chars", 1, True),
    ("lead", "a\n# b\n", "lead_chars", 1, True),
    ("no-space", "#a\n", "headings", 1, False),
    ("no-space", "#\u00a0a\n", "headings", 1, False),
    ("no-space", "-a\n", "list_items", 1, False),
    ("no-space", "1.a\n", "list_items", 1, False),
    ("no-space", "-\u00a0a\n", "list_items", 1, False),
    ("seven-signs", "####### a\n", "headings", 1, False),
    ("white-space", "\u2003# a\n", "headings", 1, False),
    ("white-space", "\u00a0- a\n", "list_items", 1, False),
    ("white-space", "\u00a0```\n", "code_blocks", 1, False),
    ("indented", "    # a\n", "headings", 1, False),
    ("indented", "a\n    # b\n", "headings", 2, False),
    ("indented", "- a\n\n      # b\n", "headings", 3, False),
    ("indented", "\t- a\n", "list_items", 1, False),
    ("indented", "    ```\n", "code_blocks", 1, False),
    ("indented", "    | a |\n    | - |\n", "table_rows", 1, False),
    ("inside-fence", "```\n# a\n```\n", "headings", 2, False),
    ("inside-fence", "```\n- a\n```\n", "list_items", 2, False),
    ("inside-html", "<div>\n# a\n</div>\n", "headings", 2, False),
    ("inside-table", "#a | b\n-- | --\n", "headings", 1, False),
    ("no-closing-fence", "````\n```\n````\n", "code_blocks", 2, False),
    ("no-closing-fence", "```\n~~~\n```\n", "code_blocks", 2, False),
    ("no-closing-fence", "```\n```py\n```\n", "code_blocks", 2, False),
    ("no-closing-fence", "```\n    ```\n```\n", "code_blocks", 2, False),
    ("backtick-after-fence", "``` a`\n", "code_blocks", 1, False),
    ("thematic-break", "* * *\n", "list_items", 1, False),
    ("bullet", "• a\n", "list_items", 1, False),
    ("long-number", "1234567890. a\n", "list_items", 1, False),
    ("interrupts-paragraph", "a\n2. b\n", "list_items", 2, False),
    ("interrupts-paragraph", "a\n*\n", "list_items", 2, False),
    ("underlined-paragraph", "a\nb\n---\n", "headings", 1, False),
    ("no-delimiter-row", "| a | b |\n| c | d |\n", "table_rows", 2, False),
    ("other-cells", "| a | b |\n| - |\n", "table_rows", 1, False),
    ("no-header-row", "| - | - |\n| a | b |\n", "table_rows", 2, False),
    ("lazy-row", "- a\n| b | c |\n", "table_rows", 2, False),
    ("lazy-row", "- | a | b |\n| - | - |\n", "table_rows", 1, False),
    ("item-inside", "- a\n\n  b\n", "prose_chars", 3, False),
    ("item-lazy", "- a\nb\n", "prose_chars", 2, False),
    ("item-blank", "- a\n\n- b\n", "prose_chars", 2, False),
]


def reasons_at(text: str, line: int, attribute: str) -> list[Reason]:
    return [
        reason
        for reason in MARKDOWN.reasons(text)
        if reason.first_line <= line <= reason.last_line and reason.attribute == attribute
    ]


@pytest.mark.parametrize(("rule", "text", "attribute", "line", "counted"), RULES)
def test_markdown__each_rule_is_named_where_it_decides(
    rule: str, text: str, attribute: str, line: int, counted: bool
) -> None:
    reasons = reasons_at(text, line, attribute)
    # A line that does not close a fence is one of the fence's lines, too.
    others = {"fence"} if rule == "no-closing-fence" else set()
    assert {(reason.rule, reason.counted) for reason in reasons if reason.rule not in others} == {
        (rule, counted)
    }
    assert all(reason.source for reason in reasons)


FOLDER = Path(__file__).parent / "cases" / "reasons"
SAID = [(path.stem, case) for path in sorted(FOLDER.glob("*.md")) for case in read_cases(path)]


def described(reason: Reason) -> str:
    counted = "+" if reason.counted else "-"
    return (
        f"L{reason.first_line}-{reason.last_line} {reason.attribute} {counted} {reason.rule}: "
        f"{reason.sentence} ({reason.source})"
    )


@pytest.mark.parametrize(("kind", "case"), SAID, ids=[case.name for _, case in SAID])
def test_reasons__are_what_the_case_says(kind: str, case: ReplyCase) -> None:
    reasons = (JsonAnalyzer() if kind == "json" else MARKDOWN).reasons(case.text)
    assert [described(reason) for reason in reasons] == case.expected


def test_cases__have_each_rule_of_markdown() -> None:
    said = {line.split(":")[0].split(" ")[3] for kind, case in SAID for line in case.expected}
    assert {rule for rule, *_ in RULES} <= said


@given(markdown)
def test_markdown__reasons_lie_in_the_text_and_never_contradict_the_evidence(text: str) -> None:
    measurement = MARKDOWN.measure(text)
    for reason in MARKDOWN.reasons(text):
        assert 1 <= reason.first_line <= reason.last_line <= len(measurement.kinds)
        assert reason.attribute in ATTRIBUTE_NAMES
        here = [
            item
            for item in measurement.evidence[reason.attribute]
            if item.first_line == reason.first_line
        ]
        if reason.counted:
            assert here, reason
        elif reason.attribute not in {"prose_chars", "table_rows"} and reason.rule not in {
            # One rule tells of lines that are counted for something else within it.
            "underlined-paragraph",
        }:
            assert not here, reason


@given(markdown)
def test_markdown__every_item_of_evidence_has_its_reason(text: str) -> None:
    measurement = MARKDOWN.measure(text)
    counted = {
        (reason.attribute, reason.first_line) for reason in MARKDOWN.reasons(text) if reason.counted
    }
    for name in ATTRIBUTE_NAMES[2:]:
        for item in measurement.evidence[name]:
            assert (name, item.first_line) in counted


# What a rule says would make the line count, done to the text: the lines, and the line's place.


def a_space_after_the_marker(lines: list[str], place: int) -> int:
    line = lines[place]
    marker = next(
        at for at, character in enumerate(line) if character in "#-" or line[at].isdigit()
    )
    end = marker
    while line[end] in "#-.)" or line[end].isdigit():
        end += 1
    lines[place] = f"{line[:end]} {line[end:]}"
    return place


def a_blank_line_before(lines: list[str], place: int) -> int:
    lines.insert(place, "")
    return place + 1


def a_delimiter_row_below(lines: list[str], place: int) -> int:
    lines.insert(place + 1, "|---|---|")
    return place


REMEDIES = {
    "no-space": a_space_after_the_marker,
    "interrupts-paragraph": a_blank_line_before,
    "no-delimiter-row": a_delimiter_row_below,
}


def amount_at(text: str, line: int, attribute: str) -> int:
    items = MARKDOWN.measure(text).evidence[attribute]
    return sum(item.amount for item in items if item.first_line <= line <= item.last_line)


plain_lines = st.sampled_from(
    [
        *("", "a", "b c", "#tag", "##two", "-word", "1.first", "2. b", "3) c", "-", "*"),
        *("| a | b |", "# h", "- i", "```", "> q", "    #code", "  #in", "x\u00a0y"),
    ]
)


@given(st.lists(plain_lines, min_size=1, max_size=8))
def test_markdown__what_a_rule_says_is_missing_makes_the_line_count(lines: list[str]) -> None:
    for reason in MARKDOWN.reasons("\n".join(lines)):
        remedy = REMEDIES.get(reason.rule)
        if remedy is None or reason.counted:
            continue
        changed = list(lines)
        place = remedy(changed, reason.first_line - 1)
        assert amount_at("\n".join(changed), place + 1, reason.attribute) > 0, (reason, changed)


@given(st.lists(plain_lines, min_size=1, max_size=8))
def test_markdown__less_indent_makes_an_indented_line_count(lines: list[str]) -> None:
    text = "\n".join(["a", "", *lines, "", "    # code", "", "    - item"])
    for reason in MARKDOWN.reasons(text):
        if reason.rule != "indented" or reason.counted:
            continue
        changed = split_lines(text)
        line = changed[reason.first_line - 1]
        changed[reason.first_line - 1] = line.lstrip(" ")
        dedented = "\n".join(changed)
        counted = amount_at(dedented, reason.first_line, reason.attribute)
        others = [
            other.rule
            for other in reasons_at(dedented, reason.first_line, reason.attribute)
            if not other.counted
        ]
        # Where it still does not count, it is for another reason, which is said in its turn.
        assert counted or (others and "indented" not in others), (reason, dedented)


def test_markdown__without_the_fence_around_it_a_line_counts() -> None:
    assert reasons_at("```\n# a\n```\n", 2, "headings")[0].rule == "inside-fence"
    assert amount_at("# a\n", 1, "headings") == 1


@given(json_documents)
def test_json__every_item_of_evidence_has_its_reason(text: str) -> None:
    measurement = measure(text)
    counted = [
        (reason.attribute, reason.first_line, reason.last_line)
        for reason in JsonAnalyzer().reasons(text)
        if reason.counted
    ]
    expected = [
        (name, item.first_line, item.last_line)
        for name in ATTRIBUTE_NAMES[2:]
        for item in measurement.evidence[name]
    ]
    assert sorted(counted) == sorted(expected)


def test_json__a_string_a_key_and_an_element_are_named_by_their_path() -> None:
    text = '{"plan": [1, {"step": "x\\ny"}], "b": ""}'
    said = {
        (reason.first_line, reason.rule): reason.sentence for reason in JsonAnalyzer().reasons(text)
    }
    assert said[2, "top-level-key"] == '"plan" is a top-level key'
    assert said[4, "element"] == 'element 2 of the array at "plan"'
    assert said[5, "nested-key"] == '"step" is a key at depth 3, detail within a section'
    assert said[5, "line-break"] == 'the string at "plan"[2]."step" holds a line break (LF)'
    assert said[8, "no-line-break"] == 'the string at "b" holds no line break (LF)'


def test_json__a_path_of_more_than_60_characters_is_cut_at_its_beginning() -> None:
    for length, beginning in ((60, '"a"."k'), (61, '…"."k')):
        key = "k" * (length - len('"a".""'))
        (entry,) = explain(f'{{"a": {{"{key}": "x"}}}}', "prose_chars").entries("prose_chars")
        assert entry.startswith(f"L3: the string at {beginning}")
        assert len(entry.split(" has ")[0]) == len("L3: the string at ") + 60


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[1, 2,]", "begins and ends like JSON, but is not: "),
        ('{"a": NaN}', "begins and ends like JSON, but is not: NaN is no JSON number"),
    ],
)
def test_json__what_is_refused_is_told_with_its_cause(text: str, sentence: str) -> None:
    (reason,) = JsonAnalyzer().reasons(text)
    assert (reason.attribute, reason.counted, reason.rule) == ("", False, "refused")
    assert reason.sentence.startswith(sentence)


def test_json__what_does_not_look_like_it_has_no_reasons() -> None:
    assert JsonAnalyzer().reasons("# A") == []
