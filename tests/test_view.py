"""The widget's Python side: its state, its checks, its answers and its bundle."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import ipywidgets
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shape_magic import Measurement, Proposal, default_registry, measure
from shape_magic.errors import SelectionError
from shape_magic.lines import LineRange
from shape_magic.notebook.display import bundle
from shape_magic.notebook.link import answer
from shape_magic.notebook.view import Playground, ShapeView
from shape_magic.notebook.view_data import from_wire, to_wire, view_data
from shape_magic.shape import Shape
from shape_magic.vocabulary import ATTRIBUTE_NAMES

TEXT = "# A\n\nWhy.\n\n- one\n- two\n"


@pytest.fixture(autouse=True)
def _close_widgets() -> Iterator[None]:
    yield
    ipywidgets.Widget.close_all()


@pytest.fixture
def view() -> ShapeView:
    return ShapeView(measure(TEXT))


@pytest.fixture
def sent(view: ShapeView, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What a view sends to its page as custom messages."""
    messages: list[Any] = []
    monkeypatch.setattr(view, "send", lambda content, buffers=None: messages.append(content))
    return messages


def proposal(text: str = TEXT, previous: Shape | None = None) -> Proposal:
    return Proposal("Candidate_A", 2, 3, text, "", measure(text), previous)


def shown(view: ShapeView) -> Any:
    return from_wire(view.get_state("_shown")["_shown"])


# --- Selection


@pytest.mark.parametrize("given", [(2, 4), [2, 4], LineRange(2, 4)])
def test_selection__set_to_a_range_is_a_pair(view: ShapeView, given: Any) -> None:
    view.selection = given
    assert view.selection == (2, 4)


@pytest.mark.parametrize("given", [(0, 1), (4, 2), (1, 7), (7, 7), (-1, 2)])
def test_selection__outside_of_the_text_is_refused(view: ShapeView, given: Any) -> None:
    view.selection = (1, 1)
    with pytest.raises(SelectionError, match=r"cannot be selected: the text has lines 1 to 6"):
        view.selection = given
    assert view.selection == (1, 1)


@pytest.mark.parametrize("given", ["12", (1,), (1, 2, 3), (True, 2), (1.0, 2), 3, {}])
def test_selection__that_is_no_pair_is_refused(view: ShapeView, given: Any) -> None:
    with pytest.raises(SelectionError, match="two line numbers, or None"):
        view.selection = given


def test_selection__of_an_empty_text_can_only_be_none() -> None:
    view = ShapeView(measure(""))
    with pytest.raises(SelectionError, match="the text has no lines"):
        view.selection = (1, 1)
    view.selection = None


def test_selection__is_observed(view: ShapeView) -> None:
    heard = []
    view.observe(lambda change: heard.append((change["old"], change["new"])), "selection")
    view.selection = (1, 2)
    view.set_state({"selection": [3, 4]})
    view.set_state({"selection": None})
    assert heard == [(None, (1, 2)), ((1, 2), (3, 4)), ((3, 4), None)]


def test_selection__made_in_a_page_on_another_text_selects_nothing(view: ShapeView) -> None:
    view.set_state({"selection": [90, 99]})
    assert view.selection is None


def test_attribute__is_one_of_the_vocabulary(view: ShapeView) -> None:
    for name in (*ATTRIBUTE_NAMES, None):
        view.attribute = name
    with pytest.raises(SelectionError, match="'words' is no attribute; there are chars"):
        view.attribute = "words"


@pytest.mark.parametrize("given", ["text", None, 3])
def test_view__shows_nothing_but_what_was_measured(given: Any) -> None:
    with pytest.raises(TypeError, match="a view shows a Measurement or a Proposal"):
        ShapeView(given)


def test_state__can_be_given_at_the_start() -> None:
    view = ShapeView(measure(TEXT), selection=(1, 2), attribute="chars", search="why")
    assert (view.selection, view.attribute, view.search) == ((1, 2), "chars", "why")


# --- What is sent


def test_measurement__set_anew_is_as_in_a_new_view(view: ShapeView) -> None:
    view.selection, view.attribute, view.search = (1, 2), "chars", "why"
    view.measurement = proposal("other")
    fresh = ShapeView(proposal("other"))
    assert shown(view) == shown(fresh)
    for name in ("selection", "attribute", "search"):
        assert getattr(view, name) == getattr(fresh, name)


@given(st.text(alphabet=st.characters(), max_size=40))
@settings(max_examples=50)
def test_shown__is_ascii_and_comes_back_equal(text: str) -> None:
    view = ShapeView(measure(text))
    state = view.get_state("_shown")["_shown"]
    assert state.isascii()
    lines = from_wire(state)["lines"]
    joined = [line.encode("utf-16", "surrogatepass") for line in lines]
    assert joined == [line.encode("utf-16", "surrogatepass") for line in _lines(view.measurement)]
    view.close()


def _lines(measurement: Measurement | Proposal) -> list[str]:
    from shape_magic.lines import split_lines

    return split_lines(measurement.text)


@given(st.text(alphabet=st.characters(), max_size=20))
def test_wire__is_ascii_and_comes_back(text: str) -> None:
    written = to_wire(text)
    assert written.isascii()
    back: str = from_wire(written)
    assert back.encode("utf-16", "surrogatepass") == text.encode("utf-16", "surrogatepass")


def test_shown__has_the_change_and_says_against_what() -> None:
    before = Shape(**{**measure(TEXT).shape.as_dict(), "chars": 10})
    content = shown(ShapeView(proposal(previous=before)))
    changes = {attribute["name"]: attribute["change"] for attribute in content["attributes"]}
    assert changes["chars"] == len(TEXT) - 10
    assert changes["lines"] == 0
    assert content["baseline"] == "against the previous version"


def test_shown__sends_the_text_once(view: ShapeView) -> None:
    messages = []
    comm: Any = view.comm
    comm.send = lambda data=None, **_: messages.append(data)
    view.selection = (1, 2)
    view.attribute = "chars"
    view.search = "why"
    assert [list(message["state"]) for message in messages] == [
        ["selection"],
        ["attribute"],
        ["search"],
    ]


# --- Without some lines


def ask(view: ShapeView, lines: list[int], **more: Any) -> None:
    question = {"ask": "without", "number": 7, "digest": shown(view)["digest"], "lines": lines}
    view._handle_custom_msg({**question, **more}, [])


def test_without__is_measured_again(view: ShapeView, sent: list[Any]) -> None:
    ask(view, [5, 6])
    assert sent == [{"number": 7, "shape": measure("# A\n\nWhy.\n\n").shape.as_dict()}]


def test_without__of_half_a_field_says_why_not(sent: list[Any], view: ShapeView) -> None:
    view.measurement = measure('{"a": [1, 2]}')
    ask(view, [1, 2])
    assert sent[0]["reason"].startswith("lines 1 to 2 are no whole fields or elements")


def test_why__says_what_explain_says_of_the_lines() -> None:
    measurement = measure("#tag\x1b\n\n- a\n")
    question = {"ask": "why", "number": 7, "digest": "d", "lines": [1, 2]}
    answered = answer(question, find=lambda digest: measurement, registry=default_registry())
    assert answered is not None
    assert answered["number"] == 7
    why = answered["why"]
    assert why[0].startswith("lead_chars: L1-L2: the first structure, of kind list, is in line 3")
    assert any(entry.startswith("headings: not counted: L1: in `#tag␛`") for entry in why)
    assert not any(entry.startswith("chars: ") for entry in why)
    past = answer(
        {**question, "lines": [9, 9]}, find=lambda digest: measurement, registry=default_registry()
    )
    assert past == {"number": 7, "reason": "line 9 is not there: the text has 3 lines"}


def test_why__says_what_explain_says_of_an_attribute() -> None:
    measurement = measure("# A\n\n#tag\x1b\n")
    question = {"ask": "why", "number": 7, "digest": "d", "attribute": "headings"}
    answered = answer(question, find=lambda digest: measurement, registry=default_registry())
    assert answered is not None
    counted, other = answered["why"]
    assert counted.startswith("L1: ")
    assert other.startswith("not counted: L3: in `#tag␛`")


@pytest.mark.parametrize(
    "message",
    [
        None,
        "x",
        {},
        {"ask": "other"},
        {"ask": "without"},
        {"ask": "why", "number": 1, "digest": "d", "attribute": "words"},
        {"ask": "without", "number": 1, "digest": "d", "attribute": "headings"},
    ],
)
def test_without__no_question_gets_no_answer(
    view: ShapeView, sent: list[Any], message: Any
) -> None:
    view._handle_custom_msg(message, [])
    assert sent == []


@pytest.mark.parametrize("lines", [[0, 1], [3, 2], [1, 99]])
def test_without__lines_that_are_not_there_says_so(
    view: ShapeView, sent: list[Any], lines: list[int]
) -> None:
    ask(view, lines)
    assert "reason" in sent[0]


def source_of(text: str, **changes: Any) -> str:
    data = view_data(measure(text))
    figures = {attribute["name"]: attribute["figure"] for attribute in data["attributes"]}
    fields = ("lines", "endings", "kind", "analyzer")
    return to_wire({**{name: data[name] for name in fields}, "figures": figures, **changes})


def test_without__of_an_unknown_text_asks_for_it_and_measures_it(
    view: ShapeView, sent: list[Any]
) -> None:
    ask(view, [1, 1], digest="another")
    ask(view, [1, 1], digest="another", source=source_of("a\r\nb\rc"))
    assert sent[0] == {"number": 7, "unknown": True}
    assert sent[1]["shape"] == measure("b\rc").shape.as_dict()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"figures": {}}, "measure this text otherwise"),
        ({"kind": "toml"}, "cannot be measured again"),
        ({"kind": "json"}, "cannot be measured again"),
    ],
)
def test_without__of_a_text_that_measures_otherwise_now_is_refused(
    view: ShapeView, sent: list[Any], changes: dict[str, Any], reason: str
) -> None:
    ask(view, [1, 1], digest="another", source=source_of("a\nb", **changes))
    assert reason in sent[0]["reason"]


# --- Where it shows


def test_bundle__needs_no_kernel_and_is_the_same_each_time(view: ShapeView) -> None:
    data, metadata = view._repr_mimebundle_()
    assert (data, metadata) == bundle(view.measurement)
    assert data.keys() == {"text/html", "text/plain"}
    assert view._repr_mimebundle_() == (data, metadata)


def test_bundle__notes_each_time_that_it_was_displayed(view: ShapeView) -> None:
    digest = shown(view)["digest"]
    for _ in range(2):
        view._repr_mimebundle_()
    (_, first, earlier), (_, second, later) = view.get_state("_displays")["_displays"]
    assert first == second == digest
    assert earlier <= later


def test_bundle__where_outputs_are_isolated_has_the_library(
    view: ShapeView, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "data-shape-magic-library" not in view._repr_mimebundle_()[0]["text/html"]
    monkeypatch.setitem(sys.modules, "google.colab", ModuleType("google.colab"))
    assert "data-shape-magic-library" in view._repr_mimebundle_()[0]["text/html"]


def test_view__composes(view: ShapeView) -> None:
    box = ipywidgets.HBox([view, ShapeView(measure("b"))])
    assert box.children[0] is view
    made = ipywidgets.interactive(lambda n: ShapeView(measure("a\n" * n)), n=(1, 3))
    made.update()
    assert len(made.result.measurement.kinds) == 2


def test_save__writes_the_page(view: ShapeView, tmp_path: Path) -> None:
    view.save(tmp_path / "shape.html")
    assert (tmp_path / "shape.html").read_text(encoding="utf-8").startswith("<!doctype html>")


# --- A playground


@pytest.mark.parametrize("text", ["", "# A\n", "a\ud800\x00\r\n", '{"a": 1}', "\ufeffx"])
def test_playground__measures_what_is_typed(text: str) -> None:
    playground = Playground("before")
    playground.set_state({"text": to_wire(text)})
    assert playground.text == text
    assert playground.measurement.text == measure(text).text


def test_playground__keeps_attribute_and_search_and_drops_the_selection() -> None:
    playground = Playground(TEXT, attribute="headings", search="why", selection=(5, 6))
    playground.text = "# B\n"
    assert (playground.attribute, playground.search) == ("headings", "why")
    assert playground.selection is None


def test_playground__sends_no_echo_of_the_text() -> None:
    assert Playground.text.metadata["echo_update"] is False
