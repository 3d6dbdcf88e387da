"""A template: edited, saved, loaded and compared, under a name that stands for one wording."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shape_magic import Deliberation, EvaluationTemplate, TemplateError
from shape_magic.errors import ArgumentError, NotFoundError
from tests.strategies import texts

DEFAULT = EvaluationTemplate.default()
WORDS = [field.name for field in msgspec.structs.fields(EvaluationTemplate) if field.type is str]


@given(st.dictionaries(st.sampled_from(WORDS[1:]), texts), st.booleans())
def test_template__of_any_words_comes_back_equal(words: dict[str, Any], outline: bool) -> None:
    template = DEFAULT.replace(name="mine", show_outline=outline, **words)
    again = EvaluationTemplate.from_text(template.to_text())
    assert again == template
    assert again.digest == template.digest
    assert (template.digest == DEFAULT.digest) == (
        msgspec.structs.replace(template, name="default") == DEFAULT
    )


def test_template__is_saved_and_loaded(tmp_path: Path) -> None:
    template = DEFAULT.replace(name="{mine}", task="<task> {x} \ud800")
    template.save(tmp_path / "mine.json")
    assert EvaluationTemplate.load(tmp_path / "mine.json") == template


def test_replace__without_a_name_is_called_after_its_wording() -> None:
    variant = DEFAULT.replace(conciseness="short")
    assert variant.name == f"default-{variant.digest[:8]}"
    assert DEFAULT.replace(conciseness=DEFAULT.conciseness) == DEFAULT
    assert DEFAULT.without_shape().name == "default-without-shape"
    assert DEFAULT.replace(name="other").digest == DEFAULT.digest


def test_difference__names_field_by_field_what_differs() -> None:
    other = DEFAULT.replace(name="b", weight=f"{DEFAULT.weight}\nNo\x1bmore.", show_legend=False)
    assert DEFAULT.difference(DEFAULT) == ""
    difference = DEFAULT.difference(other).split("\n")
    assert difference[:2] == ["name: default -> b", "weight:"]
    assert difference[-2:] == ["+ No␛more.", "show_legend: True -> False"]
    assert all(line.startswith("  ") for line in difference[2:-2])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"concisness": "x"}, "no field 'concisness'; the nearest are conciseness"),
        ({"task": 5}, "task is a text, not 5"),
        ({"show_outline": "yes"}, "show_outline is True or False, not 'yes'"),
        ({"name": ""}, "name is empty"),
    ],
)
def test_replace__what_is_wrong_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(TemplateError, match=message):
        DEFAULT.replace(**changes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no JSON from line 1, character 1 on"),
        ("[1]", "format is 'shape_magic.evaluation_template/1', not None"),
        ("[" * 100_000, "it nests too deeply"),
        ("9" * 5_000, "a number in it is too long"),
        (DEFAULT.to_text().replace('"weight"', '"wieght"'), "no field 'wieght'; the nearest"),
        (DEFAULT.to_text().replace('  "task": "TASK:",\n', ""), "task is missing"),
        (
            DEFAULT.to_text().replace('"show_legend": true', '"show_legend": 1'),
            "show_legend is",
        ),
    ],
)
def test_load__what_is_wrong_is_named_with_the_file(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "mine.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TemplateError, match=message) as caught:
        EvaluationTemplate.load(path)
    assert "mine.json" in str(caught.value)
    path.write_bytes(b"\xff")
    with pytest.raises(TemplateError, match="is not UTF-8"):
        EvaluationTemplate.load(path)


def test_name_that_was_used__stands_for_one_wording() -> None:
    deliberation = Deliberation()
    deliberation.propose("Ann", "a")
    mine = DEFAULT.replace(name="mine", conciseness="short")
    prompt = deliberation.evaluation_prompt(task="T", template=mine)
    assert deliberation.evaluation_prompt(task="T", template="mine") == prompt
    other = mine.replace(name="mine", conciseness="shorter")
    with pytest.raises(ArgumentError, match="the template 'mine' has another wording"):
        deliberation.evaluation_prompt(task="T", template=other)
    assert deliberation.prompts() == [prompt]
    with pytest.raises(NotFoundError, match="no template is called 'none'; there are 'default'"):
        deliberation.evaluation_prompt(task="T", template="none")
