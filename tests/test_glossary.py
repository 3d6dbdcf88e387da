"""The glossary: its page is the one in the repository, and each trick does what it says."""

from pathlib import Path

import pytest

from shape_magic import measure
from shape_magic.teaching.glossary import TERMS, glossary
from shape_magic.vocabulary import ATTRIBUTE_NAMES, CATEGORIES

PAGE = Path(__file__).parent.parent / "notebooks" / "reference" / "glossary.md"


def test_page__is_what_the_glossary_writes() -> None:
    assert PAGE.read_text(encoding="utf-8") == glossary()


def test_terms__are_the_vocabulary() -> None:
    assert tuple(TERMS) == ATTRIBUTE_NAMES
    assert all(category.meaning in glossary() for category in CATEGORIES)


@pytest.mark.parametrize("name", ATTRIBUTE_NAMES)
def test_example__counts_something(name: str) -> None:
    assert getattr(measure(TERMS[name].example).shape, name) > 0


@pytest.mark.parametrize("name", ATTRIBUTE_NAMES)
def test_trick__moves_its_number_and_leaves_what_gives_it_away(name: str) -> None:
    term = TERMS[name]
    before, after = map(measure, term.trick)
    assert getattr(before.shape, name) != getattr(after.shape, name)
    codes = {note.code for note in after.notes} - {note.code for note in before.notes}
    assert codes == ({term.note} if term.note else set())
