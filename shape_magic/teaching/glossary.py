r"""The vocabulary in words: a small example each, how it could be gamed, and what shows it.

The meanings are the vocabulary's and the analyzers' own, and the examples are measured where the
glossary is written, so that no figure in it is typed in.
"""

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from shape_magic.analyzers.registry import Registry, default_registry
from shape_magic.shape import Measurement
from shape_magic.vocabulary import ATTRIBUTES, CATEGORIES, Attribute

__all__ = ["TERMS", "Term", "glossary", "glossary_help"]


class Term(msgspec.Struct, frozen=True, kw_only=True):
    """What the glossary adds to an attribute's meaning."""

    example: str
    """A small text in which the attribute counts something."""
    gaming: str
    """How a candidate could move the number without saying anything better."""
    trick: tuple[str, str]
    """A text, and the same words after the trick."""
    giveaway: str
    """What shows the trick: the other numbers, or a note."""
    note: str | None = None
    """The code of the note that the trick causes, where there is one."""


_WALL: Final = (
    "We looked at the export and found that it holds a lock on the table for two hours, which is "
    "why orders that arrive at night have to wait until it is done. A queue removes the lock."
)

TERMS: Final[Mapping[str, Term]] = {
    "chars": Term(
        example="Use a queue.\n",
        gaming="leave out what the task asks for: the shortest text is the emptiest",
        trick=(f"{_WALL}\n", "A queue.\n"),
        giveaway=(
            "`completeness`: the criteria tell the evaluator that near-empty is incomplete, and "
            "that incomplete is not concise"
        ),
    ),
    "lines": Term(
        example="Use a queue.\nIt is simpler.\n",
        gaming="write each paragraph on one long line",
        trick=("Use a queue.\nIt removes\nthe lock.\n", "Use a queue. It removes the lock.\n"),
        giveaway="`chars`, which a line break changes by one character only",
    ),
    "lead_chars": Term(
        example="Use a queue.\n\n## Why\n\nIt removes the lock.\n",
        gaming="put a heading before the first word, so that the reader waits for nothing",
        trick=(f"{_WALL}\n", f"## Answer\n\n{_WALL}\n"),
        giveaway="`prose_chars`, which a heading does not change, and the outline's first anchor",
    ),
    "prose_chars": Term(
        example="Use a queue.\n\n- It removes the lock.\n",
        gaming="put a list marker or a number sign before a wall of prose",
        trick=(f"{_WALL}\n", f"# {_WALL}\n"),
        giveaway="the note on prose that hides in structure, and the outline's cut label",
        note="hidden-prose",
    ),
    "headings": Term(
        example="# Use a queue\n\nWhy\n---\n\nIt removes the lock.\n",
        gaming="cut the text into sections of one sentence",
        trick=(
            "Use a queue. It removes the lock.\n",
            "## What\n\nUse a queue.\n\n## Why\n\nIt removes the lock.\n",
        ),
        giveaway="the outline: anchors that stand two lines apart, with nothing between them",
    ),
    "code_blocks": Term(
        example="```python\nqueue.publish(order)\n```\n",
        gaming="put prose between two fences, where it is no running text",
        trick=("Use a queue.\n", "```\nUse a queue.\n```\n"),
        giveaway="the note that the whole document stands inside one fence, and the bar of kinds",
        note="fenced-document",
    ),
    "list_items": Term(
        example="- It removes the lock.\n- Orders no longer wait:\n  1. publish\n  2. confirm\n",
        gaming="make a list of one item of all that there is to say",
        trick=(f"{_WALL} {_WALL} {_WALL}\n", f"- {_WALL} {_WALL} {_WALL}\n"),
        giveaway="the note on prose that hides in structure: an item's line of over 500 characters",
        note="hidden-prose",
    ),
    "table_rows": Term(
        example="| step | today | then |\n| --- | --- | --- |\n| lock | 2 h | none |\n",
        gaming="put sentences into the cells of a table, where they are no running text",
        trick=(f"{_WALL}\n", f"| answer |\n| --- |\n| {_WALL} |\n"),
        giveaway="the note on prose that hides in structure: a cell of over 120 characters",
        note="hidden-prose",
    ),
}
"""What the glossary says of each attribute beside its meaning."""


def glossary(registry: Registry | None = None) -> str:
    """Return the glossary as Markdown: attributes, line anchors and categories.

    What an attribute means in a kind of content comes from that kind's analyzer, of the registry
    that is given or of the default one.

    >>> print(glossary().splitlines()[0])
    # Glossary
    """
    registry = default_registry() if registry is None else registry
    parts = [
        "# Glossary",
        "What the eight numbers of a proposal mean, how each could be gamed, and what shows it.",
        "This page is written by `python -m shape_magic glossary`.",
    ]
    for attribute in ATTRIBUTES:
        parts += _entry(attribute, registry)
    parts += [
        "## Outline",
        "Beside the numbers stands a list of anchors, `L<line> <label>`: the lines at which a "
        "reader may want to begin. An anchor has a last line, too: it leads to exactly one block.",
        *_in_kinds("anchor", registry),
        "## Categories",
        "An evaluator scores each of these from -100 to 100:",
        "\n".join(f"- `{category.name}`: {category.meaning}" for category in CATEGORIES),
    ]
    return "\n\n".join(parts) + "\n"


def glossary_help() -> str:
    """Return the glossary as plain lines, for the help of a magic.

    >>> print(glossary_help().splitlines()[1])
      chars        total characters of the final solution
    """
    lines = ["attributes, and how each could be gamed:"]
    for attribute in ATTRIBUTES:
        term = TERMS[attribute.name]
        lines += [
            f"  {attribute.name:<12} {attribute.meaning}",
            f"{'':15}trick: {term.gaming}",
            f"{'':15}what shows it: {term.giveaway}",
        ]
    return "\n".join(lines)


def _entry(attribute: Attribute, registry: Registry) -> Iterator[str]:
    name, meaning = attribute.name, attribute.meaning
    term = TERMS[name]
    before, after = (registry.measure(text) for text in term.trick)
    yield f"## {name}"
    yield f"{meaning[0].upper()}{meaning[1:]}."
    yield from _in_kinds(name, registry)
    yield f"Here `{name}` is {_figure(registry.measure(term.example), name)}:"
    yield _fenced(term.example)
    yield f"**How it could be gamed**: {term.gaming}."
    yield f"This text has `{name}` {_figure(before, name)}:"
    yield _fenced(term.trick[0])
    yield f"and this one {_figure(after, name)}:"
    yield _fenced(term.trick[1])
    yield f"**What shows it**: {term.giveaway}."
    if term.note is not None:
        messages = [note.message for note in after.notes if note.code == term.note]
        yield "\n".join(f"> {message}" for message in messages)


def _in_kinds(name: str, registry: Registry) -> Iterator[str]:
    meanings = [
        f"- in {analyzer.kind}: {analyzer.meanings[name]}"
        for analyzer in registry
        if name in analyzer.meanings
    ]
    if meanings:
        yield "\n".join(meanings)


def _figure(measurement: Measurement, name: str) -> str:
    return f"{getattr(measurement.shape, name):,}"


def _fenced(text: str) -> str:
    return f"````\n{text}````"
