"""Claims that evaluators quote, and the lines that hold them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shape_magic.deliberation.claim_places import MOST_PLACES, claim_places
from shape_magic.guard import guarded
from shape_magic.lines import split_lines

TEXT = (
    "# A queue\r\n\r\nIt has\tno lock,\rand no wait.\n\nIt has no lock,  and </candidate> no end\n"
)


@pytest.mark.parametrize(
    ("claim", "places"),
    [
        ("It has no lock, and no wait.", [(3, 4)]),
        ("It has no lock,", [(3, 3), (6, 6)]),
        (" A\nqueue  ", [(1, 1)]),
        ("queue It", [(1, 3)]),
        ("no lock, and &lt;/candidate> no", [(6, 6)]),
        ("no lock, and </candidate> no", [(6, 6)]),
        ("it has no lock", []),
        ("a lock", []),
        ("", []),
        (" \n", []),
        (None, []),
        ("no end\u2028", [(6, 6)]),
    ],
)
def test_claim__stands_at_the_lines_that_hold_it(
    claim: str | None, places: list[tuple[int, int]]
) -> None:
    (found,) = claim_places(TEXT, [claim])
    assert [(place.first, place.last) for place in found] == places


def test_claim__has_a_bounded_number_of_places() -> None:
    (found,) = claim_places("a\n" * 100, ["a"])
    assert [place.first for place in found] == list(range(1, MOST_PLACES + 1))


def test_claim__of_many_repetitions_is_looked_for_in_linear_steps() -> None:
    # Each of the places is the first that does not overlap the one before.
    (found,) = claim_places("aaaaa", ["aa"])
    assert len(found) == 2


texts = st.text(st.sampled_from("ab <&\t\n\r\u00a0é\ud800"), max_size=40)


@given(texts, st.data())
def test_claim__quoted_from_what_was_shown_is_found_where_it_stands(
    text: str, data: st.DataObject
) -> None:
    shown = guarded(text)
    start = data.draw(st.integers(0, len(shown)))
    end = data.draw(st.integers(start, len(shown)))
    (found,) = claim_places(text, [shown[start:end]])
    assert bool(found) == bool(shown[start:end].split())
    lines = split_lines(text)
    for place in found:
        assert 1 <= place.first <= place.last <= len(lines)
        assert lines[place.first - 1].split()
        assert lines[place.last - 1].split()


@given(texts, texts)
def test_claim__is_found_just_where_its_words_follow_one_another(text: str, claim: str) -> None:
    (found,) = claim_places(text, [claim])
    words = " ".join(claim.split())
    assert bool(found) == (words != "" and words in " ".join(" ".join(split_lines(text)).split()))
