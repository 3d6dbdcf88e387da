r"""A lesson: texts, views and predict-and-reveal cards as one page to hand out."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

import msgspec
from markdown_it import MarkdownIt

from shape_magic.deliberation.proposal import Proposal
from shape_magic.errors import ArgumentError
from shape_magic.lines import split_lines
from shape_magic.notebook.compare import Comparison
from shape_magic.notebook.place import Place, page_of, place_of
from shape_magic.notebook.view_data import candidate_of
from shape_magic.shape import Measurement
from shape_magic.vocabulary import ATTRIBUTE_NAMES, ATTRIBUTES
from shape_magic.wording import nearest, quoted, visible

__all__ = ["LessonCard", "lesson_html"]

# A lesson's own text is its teacher's, and still no tag of it is taken as it stands: texts are
# often pasted from candidates.
_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


class LessonCard(msgspec.Struct, frozen=True):
    """A text whose numbers are asked for, and shown where the reader unfolds them."""

    subject: Measurement | Proposal
    ask: tuple[str, ...] = ATTRIBUTE_NAMES
    """Which attributes the reader should predict."""


def lesson_html(
    items: Iterable[str | Measurement | Proposal | Comparison | LessonCard], *, title: str
) -> str:
    """Write a lesson as one page that needs no network, and can be printed.

    A `str` is Markdown; a measurement, a proposal or a comparison is its view; a `LessonCard`
    shows a text, asks for its numbers and has them folded away. On paper there is room to write
    the numbers down, and the last page has the answers of all cards. ArgumentError names an item
    of any other type.

    >>> from shape_magic import measure
    >>> card = LessonCard(measure("Go."), ask=("lead_chars",))
    >>> page = lesson_html(["# Leads", card], title="Leads")
    >>> "<b>lead_chars</b>: characters before the first" in page
    True
    """
    if isinstance(items, str):
        raise ArgumentError("items is one str; a lesson takes a list of items, as in [text, …]")
    parts: list[Place | str] = []
    cards: list[LessonCard] = []
    for number, item in enumerate(items, 1):
        if isinstance(item, LessonCard):
            cards.append(item)
            parts.append(_card(item, number=len(cards)))
        else:
            parts.append(_part(item, number))
    if cards:
        parts.append(_answers(cards))
    return page_of(parts, title=title)


def _part(item: object, number: int) -> Place | str:
    match item:
        case str():
            return f'<div class="lesson-text">{_MARKDOWN.render(visible(item))}</div>'
        case Measurement() | Proposal():
            return place_of(item)
        case Comparison():
            return item.place
    raise ArgumentError(
        f"item {number} is {quoted(item)}; a lesson is made of Markdown texts, measurements, "
        "proposals, comparisons and cards"
    )


def _card(card: LessonCard, *, number: int) -> str:
    for name in card.ask:
        if name not in ATTRIBUTE_NAMES:
            raise ArgumentError(
                f"a card asks for {quoted(name)}; the nearest attribute is "
                f"{nearest(name, ATTRIBUTE_NAMES)[0]}"
            )
    _, measurement = candidate_of(card.subject)
    lines = "".join(
        f"<li><code>{escape(visible(line))}</code></li>" for line in split_lines(measurement.text)
    )
    asked = "".join(
        f"<li><b>{attribute.name}</b>: {escape(measurement.meaning(attribute))}</li>"
        for attribute in ATTRIBUTES
        if attribute.name in card.ask
    )
    return (
        f'<section class="lesson-card"><p><b>Card {number}</b></p>'
        f'<ol class="lesson-source">{lines}</ol>'
        f'<p>Predict before you look:</p><ul class="lesson-asked">{asked}</ul>'
        f"<details><summary>Show the numbers</summary>{place_of(card.subject).html}</details>"
        "</section>"
    )


def _answers(cards: Sequence[LessonCard]) -> str:
    """Write what stands on paper alone, on a page of its own: the numbers that cards ask for."""
    items = []
    for number, card in enumerate(cards, 1):
        _, measurement = candidate_of(card.subject)
        figures = ", ".join(
            f"{name} {figure:,}"
            for name, figure in measurement.shape.as_dict().items()
            if name in card.ask
        )
        items.append(f"<li>Card {number}: {figures}</li>")
    return f'<section class="lesson-answers"><h2>Answers</h2><ul>{"".join(items)}</ul></section>'
