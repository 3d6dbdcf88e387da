r"""Exercises: predict the numbers of a text, or write one whose numbers are as asked.

An answer is never only wrong: what comes back says what was found, and in which lines.
"""

import operator
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from html import escape
from itertools import groupby
from operator import itemgetter
from typing import Final

import msgspec

from shape_magic.debugging.explain import NOTHING, Measured, explain, measurement_of
from shape_magic.errors import ArgumentError
from shape_magic.lines import split_lines
from shape_magic.shape import Measurement
from shape_magic.vocabulary import ATTRIBUTE_NAMES
from shape_magic.wording import nearest, one_line, quoted

__all__ = ["Answer", "Checked", "check_exercise", "predict"]

WORDS_NAMED: Final = 10
"""How many missing words an answer names."""

_COMPARISONS: Final[Mapping[str, tuple[str, Callable[[int, int], bool]]]] = {
    "<=": ("at most", operator.le),
    ">=": ("at least", operator.ge),
    "<": ("less than", operator.lt),
    ">": ("more than", operator.gt),
    "=": ("exactly", operator.eq),
}
_GOAL: Final = re.compile(r"(?P<sign><=|>=|<|>|=|) *(?P<figure>[0-9]{1,9})")
_WORD: Final = re.compile(r"\w++")


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """One point of an exercise: what was asked, what was found, and why."""

    about: str
    """The attribute, or `words`."""
    asked: str
    """As it was asked or predicted: `2`, `at most 80`."""
    found: str
    right: bool
    because: str = ""
    """What was found and where; empty where the answer is right."""


class Checked(msgspec.Struct, frozen=True):
    r"""An exercise that was checked; it prints, and shows in a notebook, as a table with reasons.

    >>> from shape_magic import measure
    >>> print(predict(measure("# A\n\n- b\n"), headings=1, list_items=1))
    headings    1  right
    list_items  1  right
    """

    answers: tuple[Answer, ...]

    @property
    def right(self) -> bool:
        """Whether every answer is right."""
        return all(answer.right for answer in self.answers)

    def __str__(self) -> str:
        """Write a line for each answer, and under a wrong one what was found."""
        widths = [
            max(map(len, column))
            for column in zip(
                *((answer.about, answer.asked) for answer in self.answers), strict=True
            )
        ]
        lines = []
        for answer in self.answers:
            found = answer.found if answer.about == "words" else f"it is {answer.found}"
            verdict = "right" if answer.right else f"not yet: {found}"
            lines.append(f"{answer.about:<{widths[0]}}  {answer.asked:<{widths[1]}}  {verdict}")
            lines += [f"    {line}" for line in answer.because.splitlines()]
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Show as it prints."""
        return str(self)

    def _repr_html_(self) -> str:
        rows = [
            (
                answer.about,
                answer.asked,
                answer.found,
                "✓\xa0right" if answer.right else "✗\xa0not\xa0yet",
                answer.because,
            )
            for answer in self.answers
        ]
        heads = "".join(
            f'<th style="text-align:left">{head}</th>' for head in ("", "asked", "found", "", "why")
        )
        body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
        return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def predict(subject: Measurement | Measured | str, **guesses: int) -> Checked:
    r"""Hold what somebody predicted of a text's numbers against what they are.

    `guesses` are attributes of the vocabulary, one of them or more. A wrong one is explained as
    `explain` does. ArgumentError names a guess that is no attribute, or no whole number.
    """
    if not guesses:
        raise ArgumentError(f"predict at least one of {', '.join(ATTRIBUTE_NAMES)}")
    measurement = measurement_of(subject)
    return Checked(tuple(_predicted(measurement, *guess) for guess in guesses.items()))


def _predicted(subject: Measurement, name: str, guess: int) -> Answer:
    _check_name(name)
    try:
        guess = operator.index(guess)
    except TypeError:
        raise ArgumentError(f"{name} is predicted as a whole number, not {quoted(guess)}") from None
    return _answer(subject, name, asked=str(guess), right=getattr(subject.shape, name) == guess)


def check_exercise(
    subject: Measurement | Measured | str, *, keeping: str | None = None, **goals: int | str
) -> Checked:
    r"""Check a text against what an exercise asks of its numbers.

    A goal is a number, or a comparison such as `"<= 80"` (with `<=`, `>=`, `<`, `>` or `=`). With
    `keeping`, every word of that text must still be there, as often as it was: case and marks
    aside, a text that is only reshaped has the same words. ArgumentError names a goal that cannot
    be read.

    >>> from shape_magic import measure
    >>> print(check_exercise(measure("# Plan\n\nGo.\n"), headings=1, lead_chars="<= 10"))
    headings    exactly 1   right
    lead_chars  at most 10  right
    """
    measurement = measurement_of(subject)
    answers = [_checked(measurement, *goal) for goal in goals.items()]
    if keeping is not None:
        answers.append(_kept(measurement, keeping))
    if not answers:
        raise ArgumentError("an exercise asks for something: name an attribute, or keeping=text")
    return Checked(tuple(answers))


def _checked(subject: Measurement, name: str, goal: int | str) -> Answer:
    _check_name(name)
    match = _GOAL.fullmatch(str(goal).strip(" "))
    if match is None:
        raise ArgumentError(
            f"{name}={quoted(goal)} is no goal: give a number, or one after <=, >=, <, > or ="
        )
    words, compare = _COMPARISONS[match["sign"] or "="]
    figure = int(match["figure"])
    right = compare(getattr(subject.shape, name), figure)
    return _answer(subject, name, asked=f"{words} {figure:,}", right=right)


def _answer(subject: Measurement, name: str, *, asked: str, right: bool) -> Answer:
    return Answer(
        about=name,
        asked=asked,
        found=f"{getattr(subject.shape, name):,}",
        right=right,
        because="" if right else "\n".join(explain(subject, name).entries(name) or [NOTHING]),
    )


def _kept(subject: Measurement, original: str) -> Answer:
    missing = Counter(_words(original)) - Counter(_words(subject.text))
    count = missing.total()
    places = list(_places(original, missing))
    named = [
        f"{', '.join(quoted(one_line(word)) for word, _ in words)} (line {number} of the original)"
        for number, words in groupby(places, key=itemgetter(1))
    ]
    more = f" and {count - len(places):,} more" if count > len(places) else ""
    return Answer(
        about="words",
        asked="all kept",
        found="all kept" if not count else f"{count:,} missing",
        right=not count,
        because="" if not count else f"missing: {', '.join(named)}{more}",
    )


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _places(original: str, missing: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """Give the first missing words, each with the first line of the original that holds it."""
    left = set(missing)
    named = 0
    for number, line in enumerate(split_lines(original), start=1):
        for word in _words(line):
            if word in left and named < WORDS_NAMED:
                left.remove(word)
                named += 1
                yield word, number


def _check_name(name: str) -> None:
    if name not in ATTRIBUTE_NAMES:
        raise ArgumentError(
            f"{quoted(name)} is no attribute; the nearest is {nearest(name, ATTRIBUTE_NAMES)[0]}, "
            f"and there are {', '.join(ATTRIBUTE_NAMES)}"
        )


def _cell(text: str) -> str:
    style = "text-align:left;vertical-align:top;white-space:pre-wrap"
    return f'<td style="{style}">{escape(text)}</td>'
