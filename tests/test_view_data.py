"""The data of a view, field for field, and the page that it stands in."""

import base64
import hashlib
import re
import sys
import types
from html import unescape
from typing import Any

import pytest

import shape_magic
from shape_magic.notebook.library import BOOT
from shape_magic.notebook.place import page_of, place_of, to_html
from shape_magic.notebook.view_data import (
    KIND_COLOURS,
    PREVIOUS,
    Baseline,
    candidate_of,
    digest_of,
    from_wire,
    text_of,
    to_attribute,
    view_data,
)
from shape_magic.shape import Shape
from shape_magic.vocabulary import ATTRIBUTES, LINE_KINDS
from tests.test_static_html import AFTER, BEFORE, proposal


def test_data__of_a_proposal__field_for_field() -> None:
    data = view_data(proposal())
    attributes = data.pop("attributes")
    kinds = data.pop("kinds")
    assert data == {
        "format": 1,
        "title": "Ann <i>",
        "round": 2,
        "version": 3,
        "kind": "markdown",
        "analyzer": "markdown/2",
        "baseline": "against the previous version",
        "line_kinds": [[0, 2], [4, 1], [2, 2], [0, 2], [3, 2], [0, 1], [1, 3]],
        "lines": [
            *("Lead.", "", "# Plan & <b>", "- one", "- two", "", "#x"),
            *("|a|", "|-|", "", "```", "f()", "```"),
        ],
        "endings": [[1, 3], [0, 1], [1, 1], [2, 1], [0, 6], [3, 1]],
        "outline": [[3, 13, "# Plan & <b>"], [8, 9, "table"], [11, 13, "code"]],
        "notes": [[7, "'#x' is no heading: no space follows its number sign"]],
        "call": 'read_proposal(agent_id="Ann \\u003ci\\u003e", round=2',
        "symbols": {},
    }
    assert [(kind["name"], kind["chars"]) for kind in kinds] == list(
        zip(LINE_KINDS, (7, 9, 10, 6, 12, 0), strict=True)
    )
    assert [kind["colour"] for kind in kinds] == [KIND_COLOURS[kind] for kind in LINE_KINDS]
    assert [attribute["name"] for attribute in attributes] == [known.name for known in ATTRIBUTES]
    assert [(found["figure"], found["change"]) for found in attributes] == [
        *((60, 30), (13, 9), (5, 5), (7, 2), (1, 0), (1, 1), (2, 1), (2, 2))
    ]
    assert attributes[3]["evidence"] == [[1, 2, 5], [6, 7, 2]]
    assert attributes[3]["meaning"] == proposal().measurement.meaning(ATTRIBUTES[3])
    assert text_of(data["lines"], data["endings"]) == AFTER


def test_data__of_a_measurement__is_nobodys() -> None:
    data = view_data(shape_magic.measure(BEFORE))
    assert [data[key] for key in ("title", "round", "version", "baseline", "call")] == [
        *("candidate", None, None, None, None)
    ]
    assert {attribute["change"] for attribute in data["attributes"]} == {None}


def changes(subject: Any, baseline: Baseline | None) -> tuple[str | None, list[int | None]]:
    data = view_data(subject, baseline=baseline)
    return data["baseline"], [attribute["change"] for attribute in data["attributes"]]


def test_changes__are_against_the_given_baseline_before_the_previous_version() -> None:
    plain = shape_magic.measure("abc")
    given = Baseline("against B@1", Shape(chars=1, lines=1, lead_chars=1, prose_chars=1))
    assert changes(plain, given) == ("against B@1", [2, 0, 2, 2, 0, 0, 0, 0])
    assert changes(proposal("abc", before="a"), given) == changes(plain, given)
    assert changes(proposal("abc", before="ab"), None) == (PREVIOUS, [1, 0, 1, 1, 0, 0, 0, 0])
    assert changes(proposal("abc", before=None), None) == (None, [None] * 8)


@pytest.mark.parametrize("where", ["lines", "title", "outline", "notes", "baseline", "call"])
def test_symbols__are_those_of_every_text_that_another_wrote(where: str) -> None:
    text = {"lines": "a\u200b", "outline": "# a\u200b", "notes": "#a\u200b"}.get(where, "a")
    agent = "a\u200b" if where in ("title", "call") else "a"
    relation = "against a\u200b" if where == "baseline" else "against a"
    data = view_data(proposal(text, agent_id=agent), baseline=Baseline(relation, Shape()))
    assert list(data["symbols"]) == ["\u200b"]
    assert view_data(proposal("a", agent_id="a"))["symbols"] == {}


@pytest.mark.parametrize(
    ("text", "endings"),
    [
        ("", []),
        ("a", [[3, 1]]),
        ("a\n", [[0, 1]]),
        ("a\nb", [[0, 1], [3, 1]]),
        ("\n\n", [[0, 2]]),
        ("a\r", [[2, 1]]),
        ("a\r\n\r\nb\n\rc", [[1, 2], [0, 1], [2, 1], [3, 1]]),
    ],
)
def test_endings__are_runs_that_give_the_text_back(text: str, endings: list[list[int]]) -> None:
    data = view_data(shape_magic.measure(text))
    assert data["endings"] == endings
    assert text_of(data["lines"], data["endings"]) == text


def test_candidate__of_a_proposal__is_its_agent() -> None:
    measurement = shape_magic.measure("a")
    assert candidate_of(measurement) == ("candidate", measurement)
    given = proposal()
    assert candidate_of(given) == ("Ann <i>", given.measurement)


def test_attribute__holds_nothing_that_html_or_a_sanitizer_reads() -> None:
    written = to_attribute({"<&>'\"": "\x1b\u200b é \ud800 \U000e0041"})
    assert written == (
        '{"\\u003c\\u0026\\u003e\\u0027\\"":"\\u001b\\u200b é \\ud800 \\udb40\\udc41"}'
    )
    assert from_wire(written) == {"<&>'\"": "\x1b\u200b é \ud800 \U000e0041"}


def test_attribute__is_as_short_as_json_can_be() -> None:
    assert to_attribute({"a": [1, 2], "b": None}) == '{"a":[1,2],"b":null}'


def test_place__carries_its_data_and_what_names_it() -> None:
    place = place_of(proposal())
    written = to_attribute(view_data(proposal()))
    assert place.data == view_data(proposal())
    assert place.digest == digest_of(written) == hashlib.sha256(written.encode()).hexdigest()[:16]
    assert place.html.startswith(
        f'<div class="shape-magic-place" data-shape-magic="{place.digest}" '
        f"data-shape-magic-view='{written}'><div "
    )
    assert place.html.endswith(f"<script>{BOOT}</script></div>")
    assert place_of(proposal()).digest == place.digest
    assert place_of(proposal("other")).digest != place.digest
    other = place_of(proposal(), baseline=Baseline("against B", Shape()))
    assert other.data["baseline"] == "against B"


def test_place__where_each_output_is_a_page_of_its_own__brings_the_library(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alone = place_of(proposal()).html
    monkeypatch.setitem(sys.modules, "google.colab", types.ModuleType("google.colab"))
    from shape_magic.notebook.library import library_html

    assert place_of(proposal()).html == alone + library_html()


def test_page__runs_its_own_scripts_and_loads_nothing() -> None:
    page = to_html(proposal(), baseline=Baseline("against B@1", Shape()))
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    rules = dict(rule.split(" ", 1) for rule in unescape(policy).split("; "))
    scripts = re.findall("<script[^>]*>(.*?)</script>", page, re.DOTALL)
    sheets = re.findall("<style>(.*?)</style>", page, re.DOTALL)
    assert set(rules.pop("script-src").split()) == {hashed(script) for script in scripts}
    assert hashed(sheets[0]) in rules.pop("style-src-elem").split()
    assert rules == {
        "default-src": "'none'",
        "style-src-attr": "'unsafe-inline'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert page.startswith('<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n')
    assert "<title>Ann &lt;i&gt; · shape</title>" in page
    assert "changes against B@1" in page


def test_page__of_several_parts__has_them_in_order() -> None:
    first, last = place_of(shape_magic.measure("a")), place_of(proposal())
    page = page_of([first, "<p>between</p>", last], title="\x1b & <x>")
    assert f"<main>\n{first.html}\n<p>between</p>\n{last.html}\n</main>" in page
    assert "<title>␛ &amp; &lt;x&gt;</title>" in page


@pytest.mark.parametrize(
    ("subject", "title"),
    [
        (shape_magic.measure("a"), "candidate"),
        (shape_magic.compare(shape_magic.measure("a"), shape_magic.measure("b")), "comparison"),
        ([shape_magic.measure("a"), proposal()], "2 views"),
        (iter([proposal()]), "1 view"),
    ],
    ids=["measurement", "comparison", "list", "iterator"],
)
def test_page__is_titled_by_what_is_on_it(subject: Any, title: str) -> None:
    assert f"<title>{title} · shape</title>" in to_html(subject)


def hashed(inline: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()}'"
