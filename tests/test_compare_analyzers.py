"""Two analyzers on the same texts: where they differ, why, and what that does to an order."""

import itertools
import random

import pytest

from shape_magic import Evidence, Measurement, Registry, compare_analyzers
from shape_magic.analyzers.markdown import MarkdownAnalyzer
from shape_magic.debugging.compare import LineDifference
from shape_magic.errors import AnalyzerError, ArgumentError
from tests.plain_scan import PlainScan

FOOLED = "Intro\n\n#include <a>\n\n```\n# x\n```\n    # code\n"


class Ones(PlainScan):
    """Paints as the scan does, and counts every list item twice."""

    kind = "ones"

    def measure(self, text: str) -> Measurement:
        found = super().measure(text)
        return Measurement.from_evidence(
            kind=self.kind,
            version=self.version,
            text=text,
            kinds=found.kinds,
            evidence={
                **found.evidence,
                "list_items": [
                    Evidence(item.first_line, item.last_line, 2)
                    for item in found.evidence["list_items"]
                ],
            },
        )


class Fragile(PlainScan):
    kind = "fragile"

    def measure(self, text: str) -> Measurement:
        if "boom" in text:
            raise RuntimeError("cannot do boom")
        return super().measure(text)


def test_compare__the_same_analyzer_differs_nowhere() -> None:
    comparison = compare_analyzers([FOOLED, "a"], "markdown", "markdown")
    assert comparison.compared == 2
    assert set(comparison.equal.values()) == {2}
    assert comparison.differences == ()
    assert comparison.names == ("markdown/2 (a)", "markdown/2 (b)")


def test_compare__a_difference_has_its_lines_and_its_cause() -> None:
    comparison = compare_analyzers(FOOLED, "markdown", PlainScan())
    (text,) = comparison.differences
    assert [(line.first_line, line.kinds) for line in text.lines] == [
        (3, ("prose", "heading")),
        (8, ("prose", "heading")),
    ]
    assert [[reason.rule for reason in line.reasons[0]] for line in text.lines] == [
        ["no-space"],
        ["indented"],
    ]
    assert (comparison.differing_lines, comparison.explained_lines) == (2, 2)
    assert comparison.rules == {"no-space": 1, "indented": 1}


def test_compare__what_is_painted_alike_and_counted_otherwise_is_a_difference() -> None:
    comparison = compare_analyzers("- a\n- b\n", PlainScan(), Ones())
    (text,) = comparison.differences
    assert text.lines == (
        LineDifference(1, 2, ("list", "list"), ((0, 0, 0, 2, 0), (0, 0, 0, 4, 0)), "- a", ((), ())),
    )


def test_compare__evidence_that_is_cut_into_other_ranges_is_no_difference() -> None:
    # One item of two rows here, two items of one row there.
    table = "| a |\n| - |\n"
    comparison = compare_analyzers(table, "markdown", PlainScan())
    assert comparison.sides is not None
    assert [len(side.evidence["table_rows"]) for side in comparison.sides] == [1, 2]
    assert comparison.equal["table_rows"] == 1
    assert comparison.differences == ()


def test_compare__the_largest_difference_comes_first() -> None:
    texts = {"small": "#a\n", "none": "a\n", "large": "#" + "b" * 99 + "\n"}
    comparison = compare_analyzers(texts, "markdown", PlainScan())
    assert [text.name for text in comparison.differences] == ["large", "small"]
    assert comparison.equal["headings"] == 1
    assert comparison.means["headings"] == (0, 2 / 3)


def test_compare__what_an_analyzer_raises_is_kept_with_its_text() -> None:
    comparison = compare_analyzers(["a", "boom", "b"], "markdown", Fragile())
    (failure,) = comparison.failures
    assert (failure.analyzer, failure.name, failure.text) == ("fragile/1", "text 2", "boom")
    assert str(failure.error) == "cannot do boom"
    assert comparison.compared == 2
    assert "fragile/1 failed on text 2 (RuntimeError: cannot do boom)" in str(comparison)


def test_compare__reasons_that_raise_are_kept_with_their_text() -> None:
    class Silent(PlainScan):
        def reasons(self, text: str) -> list[object]:
            raise RuntimeError("no reasons today")

    comparison = compare_analyzers("#a", "markdown", Silent())
    assert [failure.text for failure in comparison.failures] == ["#a"]
    assert comparison.explained_lines == 1


def test_compare__texts_that_are_not_an_analyzers_own_are_told() -> None:
    comparison = compare_analyzers({"plan": "{}", "text": "a"}, "json", "markdown")
    assert comparison.unrecognised == (("text",), ())
    assert comparison.compared == 1
    assert "not recognised by json/1: text" in str(comparison)
    # The readable form of JSON is another text than the Markdown analyzer's where it is longer.
    other = compare_analyzers('{"a": 1}', "json", "markdown")
    assert other.differences[0].same_form is False
    assert "the readable forms differ" in str(other)


def test_compare__an_analyzer_that_measures_wrongly_is_a_failure() -> None:
    class Wrong(PlainScan):
        def measure(self, text: str) -> Measurement:
            return super().measure(text + "more")

    class Odd(PlainScan):
        def measure(self, text: str) -> Measurement:
            return "a shape"  # type: ignore[return-value]

    assert len(compare_analyzers("a", "markdown", Odd()).failures) == 1
    # A readable form of its own is none.
    assert compare_analyzers("a", "markdown", Wrong()).failures == ()


def test_compare__groups_say_what_it_does_to_the_order() -> None:
    texts = ["#a\n" * 3, "# a\n", "#b\n", "# c\n"]
    comparison = compare_analyzers(texts, "markdown", PlainScan(), groups=["x", "x", "y", "y"])
    ranks = {rank.attribute: rank for rank in comparison.ranks}
    headings = ranks["headings"]
    assert (headings.pairs, headings.turned, headings.tied) == (2, 1, 1)
    assert ranks["chars"].turned == 0
    assert "order by headings: 1 of 2 pairs turn round, 1 are tied" in str(comparison)


def test_compare__pairs_are_counted_as_one_by_one() -> None:
    chance = random.Random(3)
    texts = [
        "".join(chance.choice(["#a\n", "# a\n", "a\n"]) for _ in range(chance.randrange(5)))
        for _ in range(30)
    ]
    comparison = compare_analyzers(texts, "markdown", PlainScan(), groups=[0] * len(texts))
    figures = [
        (MarkdownAnalyzer().measure(text).shape.headings, PlainScan().measure(text).shape.headings)
        for text in texts
    ]
    pairs = list(itertools.combinations(figures, 2))
    turned = sum((one[0] - two[0]) * (one[1] - two[1]) < 0 for one, two in pairs)
    tied = sum((one[0] == two[0]) != (one[1] == two[1]) for one, two in pairs)
    headings = {rank.attribute: rank for rank in comparison.ranks}["headings"]
    assert (headings.pairs, headings.turned, headings.tied) == (len(pairs), turned, tied)


def test_compare__one_text_stands_side_by_side() -> None:
    comparison = compare_analyzers(FOOLED, "markdown", PlainScan())
    lines = str(comparison).split("\n")
    assert ["headings", "0", "2", "+2"] in [line.split() for line in lines]
    assert "  3     prose       heading  ≠ #include <a>" in lines
    assert "  1     prose       prose      Intro" in lines
    assert "<th" in comparison._repr_html_()


def test_compare__what_a_candidate_wrote_is_made_visible_and_escaped() -> None:
    comparison = compare_analyzers({"\x1b": "#<b>\x1b[31m\u202e\n"}, "markdown", PlainScan())
    for written in (str(comparison), comparison._repr_html_()):
        assert "\x1b" not in written
        assert "\u202e" not in written
    assert "<b>\x1b" not in comparison._repr_html_()
    assert "#&lt;b&gt;" in comparison._repr_html_()


def test_compare__what_it_prints_is_bounded() -> None:
    comparison = compare_analyzers("#a\n\n" * 20_000, "markdown", PlainScan())
    assert len(str(comparison)) < 12_000
    many = compare_analyzers(["#" + "a" * 100_000] * 20, "markdown", PlainScan())
    assert len(str(many)) < 12_000


def test_compare__what_is_no_analyzer_and_no_text_is_refused() -> None:
    with pytest.raises(AnalyzerError, match="no analyzer is called 'yaml'"):
        compare_analyzers("a", "markdown", "yaml")
    with pytest.raises(ArgumentError, match="is a class; give an instance"):
        compare_analyzers("a", "markdown", PlainScan)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="3 is no analyzer"):
        compare_analyzers("a", "markdown", 3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="text 1 is a int, and a text to measure is a str"):
        compare_analyzers([3], "markdown", "json")  # type: ignore[list-item]
    with pytest.raises(ArgumentError, match="there are 1 groups for 2 texts"):
        compare_analyzers(["a", "b"], "markdown", "json", groups=[1])


def test_compare__kinds_are_a_registrys() -> None:
    registry = Registry([PlainScan()], fallback=MarkdownAnalyzer())
    assert compare_analyzers("#a", "plain", "markdown", registry=registry).names == (
        "plain/1",
        "markdown/2",
    )
