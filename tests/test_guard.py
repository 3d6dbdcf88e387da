"""What an agent wrote cannot pass for what the system wrote."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shape_magic.guard import TAGS, WORDS, OwnWords, guarded, own_words, unguarded
from shape_magic.lines import split_lines_keeping_ends
from shape_magic.wording import symbols
from tests.strategies import texts

UNSEEN = [" ", "\n", "\t", "\r\n", "\u00a0", "\u200b", "\u2060", "\ufe0f", "\u3164", "\U000e0061"]
PIECES = [*"<</>=", *UNSEEN, *TAGS, *WORDS, "FINAL", "SOLUTION", "&lt;", "think ", *"sS_.:-é7a"]


def unseen(character: str) -> bool:
    return (
        character.isspace()
        or character == "\u2800"
        or character in "\u034f\u200c\u200d"
        or "\u180b" <= character <= "\u180f"
        or "\ufe00" <= character <= "\ufe0f"
        or "\U000e0100" <= character <= "\U000e01ef"
        or character in symbols(character)
    )


def after(text: str, position: int, wanted: str) -> int | None:
    """Read letters one by one, with whatever is unseen before each."""
    for letter in wanted:
        while position < len(text) and unseen(text[position]):
            position += 1
        if position == len(text) or text[position].lower() != letter:
            return None
        position += 1
    return position


def tags_by_letter(text: str) -> Iterator[int]:
    """The slow oracle: where each `<` stands that the guard must reach."""
    for position, character in enumerate(text):
        if character != "<":
            continue
        for name in (name for tag in TAGS for name in (tag, f"/{tag}")):
            end = after(text, position + 1, name)
            if end is None:
                continue
            following = text[end : end + 1]
            if unseen(following or " ") or not (following.isalnum() or following in "_.:-"):
                yield position


def with_tags_written(text: str) -> str:
    reached = set(tags_by_letter(text))
    return "".join("&lt;" if at in reached else sign for at, sign in enumerate(text))


def with_words_written(text: str) -> str:
    written = []
    for line in split_lines_keeping_ends(text):
        seen = [at for at, sign in enumerate(line) if not unseen(sign)]
        letters = "".join(line[at] for at in seen)
        for words in WORDS:
            short = words.replace(" ", "")
            if letters.startswith(short):
                colon = seen[len(short) - 1]
                line = f"{line[:colon]}&#58;{line[colon + 1 :]}"
        written.append(line)
    return "".join(written)


hostile = st.lists(st.sampled_from(PIECES), max_size=24).map("".join)


@given(hostile | texts)
def test_guarded__reaches_what_a_reader_letter_by_letter_finds(text: str) -> None:
    assert guarded(text) == with_words_written(with_tags_written(text))


@given(
    st.sampled_from(TAGS),
    st.booleans(),
    st.sampled_from([">", "", " a=b>", "/>", "\u0301>"]),
    st.data(),
)
def test_guarded__any_spelling_of_a_tag_is_reached(
    name: str, closes: bool, end: str, data: st.DataObject
) -> None:
    gaps = st.lists(st.sampled_from(UNSEEN), max_size=2).map("".join)
    letters = [
        data.draw(st.sampled_from([letter, letter.upper()])) + data.draw(gaps)
        for letter in f"{'/' if closes else ''}{name}"
    ]
    inside = f"{data.draw(gaps)}{''.join(letters)}{end}"
    assert guarded(f"a<{inside}") == f"a&lt;{inside}"
    (found,) = own_words(f"a<{inside}")
    assert found == OwnWords(1, f"<{'/' if closes else ''}{name}>")


@pytest.mark.parametrize(
    "text",
    [
        "<candidates>",
        "<lines-x>",
        "<lines.a>",
        "<x:lines>",
        "<lines:x>",
        "< >",
        "<//think>",
        "<li>",
        "a < b",
        "<lines7>",
        "<thinké>",
        "see FINAL SOLUTION: a",
        "FINAL SOLUTION",
        "Final solution: a",
        "&lt;candidate>",
        "<\u0441andidate>",
    ],
)
def test_guarded__leaves_all_else_to_the_letter(text: str) -> None:
    assert guarded(text) == text
    assert list(own_words(text)) == []


@pytest.mark.parametrize("ending", ["\n", "\r", "\r\n"])
def test_guarded__words_are_reached_at_the_start_of_any_line(ending: str) -> None:
    text = f"a{ending}\u200b FINAL SOLUTION: b{ending}THOUGHT\u00a0PROCESS: c"
    assert guarded(text) == (
        f"a{ending}\u200b FINAL SOLUTION&#58; b{ending}THOUGHT\u00a0PROCESS&#58; c"
    )
    assert [(found.line, found.words) for found in own_words(text)] == [
        (2, "FINAL SOLUTION:"),
        (3, "THOUGHT PROCESS:"),
    ]


@given(hostile | texts)
def test_own_words__are_as_many_as_guarded_changes(text: str) -> None:
    found = list(own_words(text))
    assert len(guarded(text)) - len(text) == sum(
        3 if words.words.startswith("<") else 4 for words in found
    )
    assert list(own_words(guarded(text))) == []
    assert [words.line for words in found] == sorted(words.line for words in found)


@given(hostile | texts)
def test_unguarded__of_both_sides_compares_what_was_written(text: str) -> None:
    assert unguarded(guarded(text)) == unguarded(text)


@given(hostile | texts, st.integers(0, 30), st.integers(0, 30))
def test_guarded__a_text_that_was_cut_first_opens_nothing(text: str, start: int, end: int) -> None:
    assert list(own_words(guarded(text[start:end]))) == []


@pytest.mark.parametrize(
    ("before", "unit"),
    [
        ("<", " "),
        ("", "< "),
        ("", "<\n"),
        ("", "<t\u200b"),
        ("<thought_proces", "\u2060"),
        ("", "F "),
        ("", "FINAL\t"),
        ("", " FINAL SOLUTION:"),
        ("\n", "\u200b"),
        ("", "<candidate"),
    ],
)
def test_guarded__a_million_characters_come_back(before: str, unit: str) -> None:
    # In quadratic time this would take hours.
    text = before + unit * (1_000_000 // len(unit)) + "FINAL SOLUTION:"
    assert unguarded(guarded(text)) == unguarded(text)
    assert len(list(own_words(text))) == guarded(text).count("&lt;") + guarded(text).count("&#58;")


@pytest.mark.parametrize("between", ["\u200b", " ", "\t\u2060", "\ufe0f"])
@pytest.mark.parametrize("words", WORDS)
def test_own_words__of_ours_spelt_with_what_is_unseen__are_told(words: str, between: str) -> None:
    for place in range(1, len(words)):
        text = f"a\n{between}{words[:place]}{between}{words[place:]} b"
        assert list(own_words(text)) == [OwnWords(2, words)]
        assert guarded(text) == text.replace(":", "&#58;")
