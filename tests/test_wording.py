"""What a terminal or a page would act on, or show as nothing, shows as a symbol."""

import shutil
import subprocess
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shape_magic.wording import (
    count_invisible,
    listed,
    nearest,
    one_line,
    plural,
    quoted,
    symbols,
    visible,
    without_invisible,
)

EVERYTHING = [chr(code) for code in range(0x110000)]
# Signs that are written around the digits after them, and show: Unicode calls them
# `Prepended_Concatenation_Mark`.
SHOWN_FORMAT_CHARACTERS = set(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2"
) | {
    "\U000110bd",
    "\U000110cd",
}
LEFT = set("\u200c\u200d\u034f") | set(
    map(chr, [*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)])
)


@given(st.text(alphabet=st.characters(exclude_categories=[])))
def test_symbols__are_what_visible_puts(text: str) -> None:
    shown = symbols(text)
    assert visible(text) == "".join(shown.get(character, character) for character in text)
    assert shown.keys() <= set(text)


def test_visible__reaches_every_control_format_and_separator_character() -> None:
    categories = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    wanted = {sign for sign in EVERYTHING if unicodedata.category(sign) in categories}
    wanted -= {*"\t\n\r", *LEFT, *SHOWN_FORMAT_CHARACTERS}
    assert wanted <= symbols("".join(wanted)).keys()
    for sign in symbols("".join(EVERYTHING)):
        # Nothing that a font draws.
        assert (
            unicodedata.category(sign)[0] in "CZ" or sign in "\u115f\u1160\u17b4\u17b5\u3164\uffa0"
        )


@pytest.mark.skipif(shutil.which("perl") is None, reason="Perl is the oracle")
def test_visible__reaches_all_that_unicode_says_to_ignore() -> None:
    script = (
        "no warnings; for (0..0x10FFFF) "
        '{ print "$_\\n" if chr($_) =~ /\\p{Default_Ignorable_Code_Point}/ }'
    )
    done = subprocess.run(["perl", "-e", script], capture_output=True, check=True, timeout=60)
    ignored = {chr(int(code)) for code in done.stdout.split()}
    assert len(ignored) > 4_000
    assert ignored - LEFT <= symbols("".join(ignored)).keys()
    assert without_invisible("".join(ignored)) == ""
    assert not LEFT - ignored


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("plain, \tand\r\n so is é 中", 0),
        ("a\u00adb \u200b\u2060\u3164", 4),
        ("\U000e0041\U000e007f", 2),
        ("\x00\x1b\ud800\u202e", 4),
        # Emoji, with a selector, a joiner and a skin's colour; keycaps.
        (
            "\u2764\ufe0f\u200d\U0001f525 \U0001f469\U0001f3fd\u200d\U0001f4bb 1\ufe0f\u20e3",
            0,
        ),
        # Persian, Sinhala and Mongolian words; a Chinese character in one of its shapes.
        (
            "\u0645\u06cc\u200c\u062e \u0dc1\u0dca\u200d\u0dbb \u182e\u180e\u1820 \u845b\U000e0100",
            0,
        ),
        ("a\u200db", 1),
        ("\u200d", 1),
        (" \ufe0f", 1),
        ("a\ufe0f", 1),
        ("\U0001f600" + "\ufe0f\ufe01\U000e0101", 2),
        ("\U0001f600" + "\u200d\u200d\u200c", 2),
    ],
)
def test_count_invisible__leaves_out_joiners_that_join(text: str, count: int) -> None:
    assert count_invisible(text) == count


@given(st.text(alphabet=st.characters(exclude_categories=[])))
def test_without_invisible__leaves_nothing_that_is_counted(text: str) -> None:
    assert count_invisible(without_invisible(text)) == 0


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x00\x1f\x7f", "␀␟␡"),
        ("\x80\x9f\u200b\U000e0041", "[U+0080][U+009F][U+200B][U+E0041]"),
        (" ~\t\n\r\xa0", " ~\t\n\r\xa0"),
    ],
    ids=["ASCII", "named", "left"],
)
def test_visible__symbol_of_each_kind(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("text", "length", "line"),
    [
        ("a\tb\nc\rd\x1b", None, "a␉b␊c␍d␛"),
        ("abcd", 4, "abcd"),
        ("abcde", 4, "abc…"),
        ("x" * 1000, None, "x" * 1000),
    ],
)
def test_one_line__breaks_nowhere_and_is_cut(text: str, length: int | None, line: str) -> None:
    assert one_line(text, length=length) == line


def recursive() -> list[object]:
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("x\n", r"'x\n'"),
        ("x" * 78, f"'{'x' * 78}'"),
        ("x" * 79, f"'{'x' * 78}…"),
        (10**5000, "about 10**5000"),
        (-(10**5000), "about -10**5000"),
        (recursive(), "a list that is too large to write"),
    ],
    ids=["escaped", "longest", "cut", "large", "large negative", "deep"],
)
def test_quoted__any_value__is_one_short_line(value: object, written: str) -> None:
    assert quoted(value) == written


@pytest.mark.parametrize(
    ("count", "written"),
    [
        (0, ""),
        (2, "0, 1"),
        (10, "0, 1, 2, 3, 4, 5, 6, 7, 8, 9"),
        (11, "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 1 more"),
        (2010, "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2,000 more"),
    ],
)
def test_listed__names_ten_and_counts_the_rest(count: int, written: str) -> None:
    assert listed(range(count)) == written


@pytest.mark.parametrize(
    ("count", "written"), [(0, "0 lines"), (1, "1 line"), (2, "2 lines"), (1234, "1,234 lines")]
)
def test_plural__only_one_is_singular(count: int, written: str) -> None:
    assert plural(count, "line") == written


def test_nearest__all_ids__once_each_the_nearest_first() -> None:
    others = [f"Zoe {number}" for number in range(15)]
    ids = [*others, " candidate_A ", "Candidate_B"]
    found = nearest("CANDIDATE_A", ids)
    assert found[:2] == [" candidate_A ", "Candidate_B"]
    assert sorted(found) == sorted(ids)
    # What comes after the ten nearest stands as it was given.
    assert found[10:] == [each for each in others if each not in found[:10]]
    assert nearest("a", []) == []
