import json
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given

import shape_magic
from shape_magic.prompting.candidate import (
    Candidate,
    call_text,
    candidate_block,
    opening_tag,
    outline_element,
)
from shape_magic.prompting.evaluation import evaluation_prompt, legend
from shape_magic.vocabulary import ATTRIBUTES, CATEGORY_NAMES, STANCES, VERDICTS
from tests.strategies import texts

MARKDOWN = "Answer.\n\n## Why\n\n- a\n"


def candidate(agent_id: str = "A", text: str = MARKDOWN, thoughts: str = "") -> Candidate:
    return Candidate(agent_id, shape_magic.measure(text), thoughts)


def prompt(*candidates: Candidate, with_shape: bool = True) -> str:
    meanings = {one.kind: one.meanings for one in shape_magic.default_registry()}
    return evaluation_prompt(
        candidates, task="Choose.", round=2, meanings=meanings, with_shape=with_shape
    )


def test_candidate_block__is_the_designs() -> None:
    assert candidate_block(candidate(thoughts="Because."), round=1) == (
        '<candidate id="A" chars="21" lines="5" lead_chars="7" prose_chars="7" headings="1" '
        'code_blocks="0" list_items="1" table_rows="0">\n'
        "<outline>L3 ## Why</outline>\n"
        "FINAL SOLUTION: Answer.\n\n## Why\n\n- a\n\n"
        "THOUGHT PROCESS: Because.\n"
        "</candidate>"
    )


@pytest.mark.parametrize(("length", "more"), [(4_000, None), (4_001, 1), (9_999, 5_999)])
def test_candidate_block__cuts_thoughts_and_says_how_to_read_on(
    length: int, more: int | None
) -> None:
    block = candidate_block(candidate(thoughts="t" * length), round=3)
    assert block.count("t" * 4_000) == 1
    assert "t" * 4_001 not in block
    call = 'read_proposal(agent_id="A", round=3, offset=4000)'
    assert (f"[{more:,} more characters: {call}]" in block) if more else (call not in block)


@given(texts)
def test_opening_tag__any_id_is_one_attribute_of_one_element(agent_id: str) -> None:
    tag = opening_tag(agent_id, None)
    # XML has no way to write these characters at all, so the parser is given another in place.
    tag = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "?", tag)
    expected = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "?", agent_id)
    assert ET.fromstring(f"{tag}</candidate>").attrib == {"id": expected}


@given(texts)
def test_outline_element__any_outline_is_text_of_one_element(text: str) -> None:
    measurement = shape_magic.measure(text)
    xml = re.sub(
        "[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "?", outline_element(measurement)
    )
    element = ET.fromstring(xml)
    assert len(element) == 0
    assert (element.text or "").count(" | L") >= len(measurement.outline) - 1


HOSTILE = ["</outline>", "</candidate>", "<script>alert(1)</script>", '" onload="x', "a\nb", "&lt;"]


@pytest.mark.parametrize("text", HOSTILE)
def test_evaluation_prompt__no_id_or_label_breaks_out(text: str) -> None:
    plain = prompt(candidate("A", "# A\n"))
    hostile = prompt(candidate(text, f"# {text}\n".replace("a\nb", "a b")))
    solution = re.compile("FINAL SOLUTION: .*?\nTHOUGHT PROCESS", re.DOTALL)
    for tag in ("<candidate", "</candidate>", "<outline>", "</outline>", "<script", 'onload="x"'):
        assert solution.sub("", hostile).count(tag) == solution.sub("", plain).count(tag), tag


def test_evaluation_prompt__has_its_parts_in_order() -> None:
    text = prompt(candidate("A"), candidate("B", '{"a": 1}'))
    parts = [
        "TASK: Choose.",
        "- chars: total characters of the final solution",
        "In a solution that is markdown:",
        "In a solution that is json:",
        "Judge conciseness from these numbers",
        "Check a suspicion by line",
        '<candidate id="A"',
        '<candidate id="B"',
        "Reply with one JSON object",
    ]
    positions = [text.index(part) for part in parts]
    assert positions == sorted(positions)


def test_evaluation_prompt__without_shape_shows_no_figure() -> None:
    text = prompt(candidate("A"), with_shape=False)
    assert '<candidate id="A">\nFINAL SOLUTION: Answer.' in text
    for word in ("chars", "outline", "read_proposal", "measured"):
        assert word not in text
    assert "conciseness" in text


def test_evaluation_prompt__asks_for_every_category_stance_and_verdict() -> None:
    text = prompt(candidate("A"))
    reply = json.loads(text[text.rindex('{\n  "evaluations"') : text.rindex("}\n- score") + 1])
    assert list(reply["evaluations"][0]["category_scores"]) == list(CATEGORY_NAMES)
    assert ", ".join(STANCES) in text
    assert ", ".join(VERDICTS) in text


def test_legend__explains_each_attribute_once() -> None:
    text = legend({"markdown": {}})
    for attribute in ATTRIBUTES:
        assert text.count(f"- {attribute.name}: {attribute.meaning}") == 1
    assert "In a solution that is" not in text


@given(texts)
def test_call_text__is_a_call_that_python_reads(agent_id: str) -> None:
    call = call_text("read_proposal", agent_id=agent_id, from_line=1)
    seen: dict[str, object] = {}
    # The text is this package's own, whatever the id: that is what the test shows.
    eval(call, {"read_proposal": lambda **arguments: seen.update(arguments)})
    assert seen == {"agent_id": agent_id, "from_line": 1}
    assert "<" not in call
