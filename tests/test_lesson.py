"""A lesson's page: whole, safe whatever stands in it, and with its answers folded away."""

from html.parser import HTMLParser

import pytest

from shape_magic import compare, measure
from shape_magic.errors import ArgumentError
from shape_magic.notebook.lesson import LessonCard, lesson_html
from tests.browser.injections import INJECTIONS


class Elements(HTMLParser):
    """The start tags of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_lesson__has_its_parts_in_their_order() -> None:
    page = lesson_html(
        ["# Leads", measure("View me."), LessonCard(measure("Guess me."), ask=("lead_chars",))],
        title="A <lesson>",
    )
    places = [page.index(part) for part in ("Leads</h1>", "View me.", "Predict", "<details>")]
    assert places == sorted(places)
    assert "<title>A &lt;lesson&gt;</title>" in page


def test_lesson__takes_a_comparison() -> None:
    sides = compare(measure("the first"), measure("the second"), names=("before", "after"))
    assert sides.place.html in lesson_html(["Compare.", sides], title="t")


def test_card__asks_for_its_attributes_and_folds_the_numbers_away() -> None:
    page = lesson_html([LessonCard(measure("# A\n"), ask=("headings", "chars"))], title="t")
    before, _, after = page.partition("<details>")
    assert "<b>chars</b>: total characters" in before
    assert "<b>headings</b>" in before
    assert "<b>lines</b>" not in before
    assert "data-shape-magic=" not in before
    assert "data-shape-magic=" in after


def test_lesson__ends_with_the_answers_that_are_for_paper() -> None:
    cards = [
        LessonCard(measure("# A\n"), ask=("chars", "headings")),
        LessonCard(measure("- b\n"), ask=("list_items",)),
    ]
    page = lesson_html([cards[0], "between", cards[1]], title="t")
    assert (
        '<section class="lesson-answers"><h2>Answers</h2><ul><li>Card 1: chars 4, headings 1</li>'
        "<li>Card 2: list_items 1</li></ul></section>"
    ) in page
    assert '<section class="lesson-answers">' not in lesson_html(["no card"], title="t")


@pytest.mark.parametrize("text", INJECTIONS)
def test_lesson__makes_no_element_of_what_stands_in_a_text(text: str) -> None:
    plain = lesson_html(["a", LessonCard(measure("a"))], title="a")
    page = lesson_html([text, LessonCard(measure(text))], title=text)
    allowed = {tag for tag, _ in Elements(plain).tags} | {"br", "hr", "li", "ul", "ol", "code"}
    allowed |= {"blockquote", "pre", "em", "strong", "a", *(f"h{level}" for level in range(1, 7))}
    allowed |= {"table", "thead", "tbody", "tr", "th", "td"}
    found = Elements(page).tags
    assert {tag for tag, _ in found} <= allowed
    assert not [name for _, attributes in found for name in attributes if name.startswith("on")]
    assert page.count("<script") == plain.count("<script")


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ("a text", "items is one str; a lesson takes a list of items"),
        ([3], "item 1 is 3; a lesson is made of Markdown texts, measurements, "),
        (
            ["a", LessonCard(measure("a"), ask=("heading",))],
            "a card asks for 'heading'; the nearest attribute is headings",
        ),
    ],
)
def test_item_that_is_no_part_of_a_lesson__is_refused(items: object, message: str) -> None:
    with pytest.raises(ArgumentError) as raised:
        lesson_html(items, title="t")  # type: ignore[arg-type]
    assert str(raised.value).startswith(message)
