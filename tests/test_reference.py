"""Held against GitHub's own parser: first lines and counts of every block."""

import random
from pathlib import Path

import pytest

from shape_magic.analyzers.markdown import MarkdownAnalyzer
from shape_magic.testing import Case, case_parameters
from tests.answers import answers
from tests.reference import reference_structure, structure_of
from tests.strategies import INDENTS, STARTS

REPOSITORY = Path(__file__).parent.parent
CASES = Path(__file__).parent / "cases"
DOCUMENTS = 30_000

# What remains is named in `tests/cases/reference.md`, each with its reason.
SHARE_THAT_MAY_DIFFER = 0.0005


def differs(text: str) -> bool:
    ours = structure_of(MarkdownAnalyzer().measure(text))
    return ours != reference_structure(text)


def test_reference__agrees_on_documents_of_random_block_starts() -> None:
    chance = random.Random(7)
    documents = [
        "".join(
            chance.choice(INDENTS) + chance.choice(STARTS) + "\n"
            for _ in range(chance.randint(1, 8))
        )
        for _ in range(DOCUMENTS)
    ]
    different = [document for document in documents if differs(document)]
    assert len(different) / DOCUMENTS < SHARE_THAT_MAY_DIFFER, different[:10]


@case_parameters(CASES / "reference.md")
def test_reference__differs_where_a_case_says_why(case: Case) -> None:
    assert differs(case.text.removeprefix("\ufeff"))


@case_parameters(CASES / "markdown.md")
def test_reference__agrees_on_every_other_case(case: Case) -> None:
    # The reference reads UTF-8, which has no lone surrogates.
    text = case.text.removeprefix("\ufeff").encode("utf-8", "replace").decode("utf-8")
    assert not differs(text)


@pytest.mark.parametrize(
    "path",
    [*REPOSITORY.glob("*.md"), *REPOSITORY.glob("notebooks/**/*.md")],
    ids=lambda path: path.name,
)
def test_reference__agrees_on_the_projects_own_markdown(path: Path) -> None:
    assert not differs(path.read_text(encoding="utf-8"))


def test_reference__agrees_on_other_peoples_answers(answers_path: Path | None) -> None:
    if answers_path is None:
        pytest.skip("no answers: give a folder or a JSON Lines file with --answers")
    measured = list(answers(answers_path))
    assert measured
    different = [name for name, text in measured if differs(text.removeprefix("\ufeff"))]
    assert different == []
