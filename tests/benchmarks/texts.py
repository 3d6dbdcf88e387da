"""Texts to measure: other people's answers, or answers made here where there are none."""

import json
import random
from argparse import ArgumentParser
from pathlib import Path
from typing import Final

COUNT: Final = 1_000

_VOCABULARY: Final = (
    "the a of to and in is that for it as with on by this be are from or which one an at not can "
    "use value function list table when each order line text number result model because case"
)
_WORDS: Final = _VOCABULARY.split()


def add_option(parser: ArgumentParser) -> None:
    """Add the option that names other people's answers."""
    parser.add_argument(
        "--answers", type=Path, help="JSON Lines with `text`; without it, answers are made"
    )


def read_or_make(path: Path | None) -> list[str]:
    """Read the texts of a JSON Lines file, or make a thousand answers, always the same ones."""
    if path is not None:
        with path.open(encoding="utf-8") as stream:
            return [json.loads(line)["text"] for line in stream]
    chance = random.Random(1)
    return [_answer(chance) for _ in range(COUNT)]


def make_documents() -> list[str]:
    """Make two hundred JSON documents, always the same ones: nested, and on one line each."""
    chance = random.Random(1)
    return [json.dumps(_value(chance, depth=4)) for _ in range(200)]


def _value(chance: random.Random, *, depth: int) -> object:
    if depth == 0:
        return chance.choice([_sentences(chance), chance.random(), chance.randint(0, 9999), None])
    inner = [_value(chance, depth=depth - 1) for _ in range(chance.randint(1, 6))]
    if chance.random() < 1 / 3 and depth < 4:
        return inner
    return {f"{chance.choice(_WORDS)}_{number}": value for number, value in enumerate(inner)}


def _answer(chance: random.Random) -> str:
    # A third of real answers have no structure at all.
    if chance.random() < 1 / 3:
        return "\n\n".join(_sentences(chance) for _ in range(chance.randint(1, 6)))
    parts = [_sentences(chance)]
    for _ in range(chance.randint(2, 9)):
        parts.append(chance.choice(_BLOCKS)(chance))
    return "\n\n".join(parts) + "\n"


def _sentences(chance: random.Random) -> str:
    words = (chance.choice(_WORDS) for _ in range(chance.randint(8, 70)))
    return " ".join(words).capitalize() + "."


def _heading(chance: random.Random) -> str:
    return f"{'#' * chance.randint(2, 3)} {' '.join(chance.sample(_WORDS, 3))}"


def _items(chance: random.Random) -> str:
    marker = chance.choice(["- ", "* ", "1. "])
    return "\n".join(f"{marker}**{_sentences(chance)}**" for _ in range(chance.randint(2, 7)))


def _code(chance: random.Random) -> str:
    lines = "\n".join(f"    value_{n} = {n}  # {n}" for n in range(chance.randint(2, 20)))
    return f"```python\ndef function():\n{lines}\n```"


def _table(chance: random.Random) -> str:
    rows = "\n".join(f"| {n} | `{n}` |" for n in range(chance.randint(1, 6)))
    return f"| a | b |\n| --- | --- |\n{rows}"


_BLOCKS: Final = (_sentences, _sentences, _heading, _items, _code, _table)
