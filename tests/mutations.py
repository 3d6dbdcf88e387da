"""Texts that people wrote, changed as editing, quoting and pasting change them.

They are not made of the beginnings of blocks, as the random documents are: what is there is nested,
indented, cut, joined and spliced into other text, so that whole blocks stand where nobody put them.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from shape_magic.lines import split_lines

Edit = Callable[[random.Random, list[str], list[str]], None]
"""Changes the lines of a text in place; the second list are the lines of another."""

MOST_LINES: Final = 60
WHITE: Final = ("\t", "\u00a0", "\v", "\f", "\u2003", "\u2028", "  ", "")
SIGNS: Final = (*"#>-+*`~|:=_<[]1.)\\", *("```", "===", "---", "|-|", "<!--", "<b>", "]: /u"))
PREFIXES: Final = ("> ", ">", "- ", "1. ", "7) ", "  ", "    ", "\t", "   ", "-\t", "+     ")


def mutations(texts: Sequence[str], *, count: int, seed: int) -> Iterator[str]:
    """Give so many changed texts, always the same ones for a seed."""
    chance = random.Random(seed)
    for _ in range(count):
        lines = _part(chance, chance.choice(texts))
        for _ in range(chance.randint(1, 5)):
            chance.choice(EDITS)(chance, lines, _part(chance, chance.choice(texts)))
        ending = chance.choice(("\n", "\n", "\n", "\r\n", "\r"))
        yield ending.join(lines) + chance.choice(("", ending))


def _part(chance: random.Random, text: str) -> list[str]:
    lines = split_lines(text) or [""]
    first = chance.randrange(len(lines))
    return lines[first : first + chance.randint(1, MOST_LINES)]


def _range(chance: random.Random, lines: Sequence[str]) -> range:
    first = chance.randrange(len(lines))
    return range(first, min(len(lines), first + chance.randint(1, 12)))


def _nest(chance: random.Random, lines: list[str], other: list[str]) -> None:
    """Put a range of lines into a quote or an item, now and then without its later lines."""
    prefix = chance.choice(PREFIXES)
    further = prefix if prefix[0] in "> \t" else " " * len(prefix)
    for place, number in enumerate(_range(chance, lines)):
        if place == 0 or chance.random() < 0.9:
            lines[number] = (further if place else prefix) + lines[number]


def _splice(chance: random.Random, lines: list[str], other: list[str]) -> None:
    """Put some lines of another text in between, as blocks or within a paragraph."""
    at = chance.randrange(len(lines) + 1)
    lines[at:at] = [other[number] for number in _range(chance, other)]


def _leave_out(chance: random.Random, lines: list[str], other: list[str]) -> None:
    """Leave some lines out; a text keeps one at least."""
    lines[:] = [line for line in lines if chance.random() < 0.8] or lines[:1]


def _close_up(chance: random.Random, lines: list[str], other: list[str]) -> None:
    """Leave blank lines out, so that blocks stand under one another."""
    lines[:] = [line for line in lines if line.strip() or chance.random() < 0.3] or lines[:1]


def _indent_otherwise(chance: random.Random, lines: list[str], other: list[str]) -> None:
    """Give a range of lines another indent."""
    for number in _range(chance, lines):
        lines[number] = " " * chance.randint(0, 7) + lines[number].lstrip()


def _exchange_white_space(chance: random.Random, lines: list[str], other: list[str]) -> None:
    """Write another white space for one."""
    number = chance.randrange(len(lines))
    lines[number] = lines[number].replace(" ", chance.choice(WHITE), chance.randint(1, 3))


def _put_sign_in(chance: random.Random, lines: list[str], other: list[str]) -> None:
    """Put a sign into a line, half of the time at its beginning."""
    number = chance.randrange(len(lines))
    line = lines[number]
    at = 0 if chance.random() < 0.5 else chance.randrange(len(line) + 1)
    lines[number] = line[:at] + chance.choice(SIGNS) + line[at:]


def _break_line(chance: random.Random, lines: list[str], other: list[str]) -> None:
    """Break a line in two, or join it with the next."""
    number = chance.randrange(len(lines))
    line = lines[number]
    if number + 1 < len(lines) and chance.random() < 0.5:
        lines[number : number + 2] = [line + lines[number + 1]]
    else:
        at = chance.randrange(len(line) + 1)
        lines[number : number + 1] = [line[:at], line[at:]]


EDITS: Final[tuple[Edit, ...]] = (
    _nest,
    _nest,
    _splice,
    _leave_out,
    _close_up,
    _indent_otherwise,
    _exchange_white_space,
    _put_sign_in,
    _break_line,
)
