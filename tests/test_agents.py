"""An agent is found by what a reader calls it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shape_magic.deliberation.agents import find_agent, known_as
from shape_magic.errors import NotFoundError
from shape_magic.wording import listed, quoted

KNOWN = ["Ann (model-x)", "ann", " Bob ", "Bob (model-y)", "Carl (m) (n)", "Dora (x)", "dora (y)"]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("ann", "ann"),
        ("ANN", "ann"),
        (" Ann (Model-X) ", "Ann (model-x)"),
        ("bob", " Bob "),
        ("Bob (model-y)", "Bob (model-y)"),
        ("Carl (m)", "Carl (m) (n)"),
        ("Dora (x)", "Dora (x)"),
    ],
)
def test_find_agent__by_id_or_name__gives_the_id(asked: str, found: str) -> None:
    assert find_agent(asked, KNOWN) == found


@pytest.mark.parametrize(
    ("asked", "known", "message"),
    [
        ("Dora", KNOWN, "'Dora' may be any of 'Dora (x)', 'dora (y)'; give one exactly"),
        ("A", ["a ", "a"], "'A' may be any of 'a ', 'a'; give one exactly"),
        ("Ada", ["Zoe", "Adam"], "no agent is called 'Ada'; there are 'Adam', 'Zoe'"),
        ("Ada", [], "no agent is called 'Ada'; none has proposed"),
        ("a\n", ["b\x1b"], r"no agent is called 'a\n'; there are 'b\x1b'"),
    ],
)
def test_find_agent__none_or_several__names_them(
    asked: str, known: list[str], message: str
) -> None:
    with pytest.raises(NotFoundError) as caught:
        find_agent(asked, known)
    assert str(caught.value) == message


@given(st.text(st.characters()), st.lists(st.text(st.characters()), max_size=5))
def test_find_agent__any_ids__is_one_of_them_or_one_line(asked: str, known: list[str]) -> None:
    try:
        found = find_agent(asked, known)
    except NotFoundError as error:
        message = str(error)
    else:
        assert found in known
        return
    assert len(message.splitlines()) == 1
    assert asked not in known


def test_find_agent__many_long_ids__names_ten() -> None:
    known = [f"{number}" * 10_000 for number in range(100, 200)]
    with pytest.raises(NotFoundError) as caught:
        find_agent("x" * 10_000, known)
    assert len(str(caught.value)) < 1_200
    assert str(caught.value).endswith(" and 90 more")


def test_shown__an_integer_too_long_to_write__is_described() -> None:
    assert quoted(10**5000) == "about 10**5000"
    assert quoted(-(10**5000)) == "about -10**5000"
    assert quoted([10**5000]) == "a list that is too large to write"


def test_shown__what_nests_too_deeply_to_write__is_described() -> None:
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    assert quoted(value) == "a list that is too large to write"
    while value:  # Python would free it by recursion.
        (value,) = value  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("evaluator", "found"),
    [
        ("Bob (model-y)", "Bob (model-y)"),
        ("BOB", " Bob "),
        ("Bob (model-z)", " Bob "),
        ("ann (other)", "ann"),
        ("Judge", None),
        ("Judge (x)", None),
    ],
)
def test_known_as__either_with_or_without_a_model__is_the_known_one(
    evaluator: str, found: str | None
) -> None:
    assert known_as(evaluator, KNOWN) == found


def test_known_as__several__is_an_error() -> None:
    with pytest.raises(NotFoundError, match="'Dora' may be any of"):
        known_as("Dora", KNOWN)


def test_listed__up_to_ten__are_all_named() -> None:
    assert listed(list(range(10))) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9"
