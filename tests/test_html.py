"""The static HTML and the plain text, on plain and on hostile text."""

from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given

import shape_magic
from shape_magic import Proposal, measure_file
from shape_magic.notebook.display import bundle
from shape_magic.notebook.measurements import Measurements
from shape_magic.notebook.static_html import MAX_ROWS, MAX_WIDTH, measurement_html
from shape_magic.notebook.view_data import from_wire, text_of, to_attribute, view_data
from shape_magic.wording import visible
from tests.strategies import texts

HOSTILE = [
    "</outline>",
    "</candidate>",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '" onload="alert(1)',
    "' onload='alert(1)",
    "</pre></details><b>",
    "[x](javascript:alert(1))",
    "&lt;script&gt;",
    "\x1b[31mred\x1b[0m\x07",
    "\u202eesrever\u2066",
    "\x9b31m\x85",
    "\ud800",
    "\0",
]
ELEMENTS = {
    *("div", "span", "strong", "br", "pre", "ul", "li", "script"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {"style", "title", "class", "data-shape-magic", "data-shape-magic-view"}


class Reader(HTMLParser):
    """Collects what a page is made of."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.data: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.data += [value or "" for name, value in attrs if name == "data-shape-magic-view"]

    def handle_data(self, data: str) -> None:
        self.text += data


def forms(text: str, agent_id: str) -> tuple[str, str]:
    measurement = shape_magic.measure(text)
    proposal = Proposal(agent_id, 1, 1, text, "", measurement)
    data, _ = bundle(proposal)
    return data["text/html"], data["text/plain"]


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("form", ["{}", "# {}\n\n{}\n", "```\n{}\n```\n"])
def test_html__is_made_of_nothing_but_its_own_elements(hostile: str, form: str) -> None:
    page, plain = forms(form.replace("{}", hostile), hostile)
    reader = Reader(page)
    assert reader.elements <= ELEMENTS
    assert reader.attributes <= ATTRIBUTES
    assert visible(hostile) in reader.text
    (data,) = map(from_wire, reader.data)
    assert data["title"] == hostile
    assert hostile in "\n".join(data["lines"])
    assert plain.count("<outline>") == plain.count("</outline>") == plain.count("<candidate ") == 1


@given(texts)
def test_bundle__no_text_reaches_a_terminal_or_a_page_as_a_control(text: str) -> None:
    for shown in forms(text, text):
        assert visible(shown) == shown
        assert Reader(shown).attributes <= {*ATTRIBUTES, "id", *shape_magic.Shape().as_dict()}


@pytest.mark.parametrize(
    "text",
    [
        "# " + "x" * 1_000_000,
        "x" * 1_000_000,
        "# a\n" * 100_000,
        "#a\n" * 100_000,
        "\n" * 300_000,
        "| a |\n" * 50_000,
    ],
    ids=["heading of 1 MB", "line of 1 MB", "headings", "notes", "blank lines", "rows"],
)
def test_html__is_bounded_in_size(text: str) -> None:
    page = measurement_html(view_data(shape_magic.measure(text)))
    assert len(page) < 4 * MAX_ROWS * (MAX_WIDTH + 300)


def test_html__shows_the_figures_their_change_and_the_source() -> None:
    before = shape_magic.measure("# A\n")
    after = shape_magic.measure("# A\n\ntext\n\n- b\n")
    proposal = Proposal("A", 2, 3, after.text, "", after, previous_shape=before.shape)
    page = bundle(proposal)[0]["text/html"]
    text = Reader(page).text
    assert "A · round 2 · version 3" in text
    for figure in ("15 +11chars", "5 +4lines", "4 +4prose_chars", "1 +1list_items", "1headings"):
        assert figure in text
    assert "Source, 5 lines" in text
    assert "list       5  - b" in text
    assert "total characters of the final solution" in page


def test_html__says_what_a_number_means_in_this_kind() -> None:
    page = bundle(shape_magic.measure('{"a": 1}'))[0]["text/html"]
    assert 'title="number of headings; in json: top-level keys"' in page


def test_html__empty_text() -> None:
    text = Reader(bundle(shape_magic.measure(""))[0]["text/html"]).text
    assert "no anchors" in text
    assert "Source, 0 lines" in text


def test_html__several_measurements_are_rows_of_a_table() -> None:
    many = Measurements(shape_magic.measure(text) for text in ["# A", "[1]"])
    data, _ = bundle(many)
    assert data["text/html"].count("<tr>") == 3
    views = [from_wire(written) for written in Reader(data["text/html"]).data]
    assert [view["title"] for view in views] == ["item 0", "item 1"]
    assert [view["kind"] for view in views] == ["markdown", "json"]
    assert data["text/plain"].count("<candidate ") == 2


@given(texts)
def test_data__any_text_comes_back_whole(text: str) -> None:
    measurement = shape_magic.measure(text)
    data = from_wire(to_attribute(view_data(measurement)))
    joined = text_of(data["lines"], data["endings"])
    # A high and a low surrogate that stood side by side are one character now.
    before, after = (
        whole.encode("utf-16", "surrogatepass") for whole in (measurement.text, joined)
    )
    assert after == before


def test_html__takes_no_more_than_three_times_its_text_and_8_kb() -> None:
    for path in sorted(Path("notebooks/data").glob("*.md")):
        measurement = measure_file(path)
        page = bundle(measurement)[0]["text/html"]
        assert len(page.encode()) <= 3 * len(measurement.text.encode()) + 8_000, path
