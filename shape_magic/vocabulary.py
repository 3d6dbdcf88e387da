"""The words of the system: attributes and categories with what they mean, and evaluators' words.

The evaluator's legend, the tooltips, the help texts and the README's table read them from here.
An analyzer emits these attributes and no others, since no evaluator can act on a number that no
prompt explains. What a name means in one kind of content (JSON's `headings` are its top-level
keys) is that kind's analyzer's to say, and is kept with the measurement.
"""

from typing import Final, Literal

import msgspec

__all__ = [
    "ATTRIBUTES",
    "ATTRIBUTE_NAMES",
    "CATEGORIES",
    "CATEGORY_NAMES",
    "LINE_KINDS",
    "PHASES",
    "STANCES",
    "VERDICTS",
    "Attribute",
    "Category",
    "LineKind",
]


class Attribute(msgspec.Struct, frozen=True):
    """One attribute of the vocabulary.

    >>> ATTRIBUTES[2].name, ATTRIBUTES[2].short
    ('lead_chars', 'lead')
    """

    name: str
    """The name in the wire form, in Python and in the prompt."""
    short: str
    """The word beside the number in the widget."""
    meaning: str
    """What is counted, in prose, as the evaluator reads it."""


ATTRIBUTES: Final = (
    Attribute("chars", "chars", "total characters of the final solution"),
    Attribute("lines", "lines", "total lines"),
    Attribute(
        "lead_chars",
        "lead",
        "characters before the first structural break: how long the reader waits for the answer",
    ),
    Attribute(
        "prose_chars",
        "prose",
        "characters of running text, outside headings, code fences, lists and tables: "
        "where padding hides",
    ),
    Attribute("headings", "headings", "number of headings"),
    Attribute("code_blocks", "code", "number of code blocks"),
    Attribute("list_items", "items", "number of list items, at any depth"),
    Attribute("table_rows", "rows", "number of table rows"),
)
"""The whole vocabulary, in the order in which it is written everywhere."""

ATTRIBUTE_NAMES: Final = tuple(attribute.name for attribute in ATTRIBUTES)
"""The names alone, in the same order."""

LineKind = Literal["prose", "code", "list", "table", "heading", "syntax"]
"""What a line is. `syntax` is the kind of JSON's brackets; Markdown has no such lines."""

LINE_KINDS: Final[tuple[LineKind, ...]] = ("prose", "code", "list", "table", "heading", "syntax")
"""The kinds of line, in the order of the widget's bar."""


class Category(msgspec.Struct, frozen=True):
    """One of the categories that an evaluator scores apart, each from -100 to 100.

    >>> CATEGORIES[5].name
    'conciseness'
    """

    name: str
    """The name in the wire form, in Python and in the prompt."""
    meaning: str
    """What is scored, in prose, as the evaluator reads it."""


CATEGORIES: Final = (
    Category("correctness", "whether what the solution says is right, and what it does works"),
    Category("completeness", "whether it covers all that the task asks for"),
    Category("novelty", "whether it brings a useful idea that the usual answer lacks"),
    Category("feasibility", "whether it can be carried out as described, with the means at hand"),
    Category("evidence_quality", "whether what it claims rests on evidence that can be checked"),
    Category(
        "conciseness",
        "whether it takes no more of the reader's time than its substance needs, "
        "relative to the other solutions of the round",
    ),
)
"""What an evaluator scores apart, in the order in which it is written everywhere."""

CATEGORY_NAMES: Final = tuple(category.name for category in CATEGORIES)
"""The names alone, in the same order."""

STANCES: Final = ("strong_agree", "agree", "neutral", "disagree", "strong_disagree")
"""The stances that an evaluation may take."""

VERDICTS: Final = ("verified", "contested", "unverified", "wrong", "unknown")
"""The verdicts that an evaluation may give on a claim."""

PHASES: Final = ("proposing", "evaluating")
"""The two phases of a round."""
