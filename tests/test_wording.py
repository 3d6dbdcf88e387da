"""What a terminal or a page would act on shows as a symbol."""

from hypothesis import given
from hypothesis import strategies as st

from shape_magic.wording import symbols, visible


@given(st.text(alphabet=st.characters()))
def test_symbols__are_what_visible_puts(text: str) -> None:
    shown = symbols(text)
    assert visible(text) == "".join(shown.get(character, character) for character in text)
    assert shown.keys() <= set(text)
