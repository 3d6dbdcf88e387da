"""`explain`: in words, by attribute and by line, bounded, and honest about what it cannot say."""

import pytest
from hypothesis import given

from shape_magic import Deliberation, Evidence, Measurement, Reason, Registry, explain, measure
from shape_magic.analyzers.json import JsonAnalyzer
from shape_magic.analyzers.markdown import MarkdownAnalyzer
from shape_magic.errors import ArgumentError
from shape_magic.lines import LineRange
from shape_magic.vocabulary import ATTRIBUTE_NAMES
from tests.strategies import texts

ANSWER = """\
Intro
#tag
- a
  b

```
# x
```
"""


class Words:
    """A foreign analyzer, with the reasons that a test gives it."""

    kind = "words"
    version = "1"
    meanings: dict[str, str] = {}  # noqa: RUF012

    def measure(self, text: str) -> Measurement | None:
        if not text.startswith("words"):
            return None
        return Measurement.from_evidence(
            kind=self.kind,
            version=self.version,
            text=text,
            kinds=["prose"],
            evidence={
                "chars": [Evidence(1, 1, len(text))],
                "lines": [Evidence(1, 1, 1)],
                "headings": [Evidence(1, 1, 3)],
            },
        )


class Failing(Words):
    def reasons(self, text: str) -> list[Reason]:
        raise RuntimeError("no\x1b[31m idea")


class Refusing(Words):
    def reasons(self, text: str) -> list[Reason]:
        return [Reason(1, 1, "", False, "refused", "does not begin with `words`")]


def registry_with(analyzer: Words) -> Registry:
    return Registry([JsonAnalyzer(), analyzer], fallback=MarkdownAnalyzer())


def test_explain__an_attribute_says_what_counts_and_what_only_looks_like_it() -> None:
    assert str(explain(measure(ANSWER), "headings")).split("\n") == [
        "measured by markdown/2",
        "headings = 0",
        "  not counted: L2: in `#tag` a number sign is followed by `t`, not by a space or a tab "
        "(CommonMark 4.2)",
        "  not counted: L7: `# x` stands inside the fence of line 6, where nothing is structure "
        "(CommonMark 4.5)",
    ]


def test_explain__some_lines_say_what_they_are_and_what_they_add_to() -> None:
    assert str(explain(ANSWER, lines="3:4")).split("\n") == [
        "L3-L4 by markdown/2: 2 list",
        "prose_chars = 9 in the whole text",
        "  not counted: L4: indented as far as the text of the item of line 3, so it belongs to "
        "that (CommonMark 5.2)",
        "list_items = 1 in the whole text",
        "  L3: a list marker and a space begin an item (CommonMark 5.2)",
    ]


@pytest.mark.parametrize("lines", [4, (4, 4), "4", "4:4", LineRange(4, 4)])
def test_explain__lines_are_named_in_any_of_their_forms(lines: int) -> None:
    assert explain(ANSWER, lines=lines).lines == LineRange(4, 4)


def test_explain__lines_past_the_end_are_clamped() -> None:
    assert explain(ANSWER, lines=(4, 99)).lines == LineRange(4, 8)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (9, "line 9 is not there: the text has 8 lines"),
        ((0, 2), "lines 0 to 2 are no range"),
        ((3, 2), "lines 3 to 2 are no range"),
        ("a", "lines is 'a'; a line is 12"),
        ("1:2:3", "lines is '1:2:3'"),
        ((1, 2, 3), r"lines is \(1, 2, 3\)"),
        (True, "lines is True"),
        ("9" * 5000, "a line is 12"),
    ],
)
def test_explain__what_names_no_lines_is_refused(lines: str, said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        explain(ANSWER, lines=lines)


def test_explain__another_attribute_is_refused_with_the_eight() -> None:
    with pytest.raises(ArgumentError, match="'words' is no attribute; there are 'chars', 'lines'"):
        explain(ANSWER, "words")


def test_explain__a_proposal_is_explained_as_its_measurement() -> None:
    with Deliberation() as deliberation:
        proposal = deliberation.propose("A", ANSWER)
    assert explain(proposal) == explain(proposal.measurement)


def test_explain__a_text_that_was_refused_as_json_says_so() -> None:
    assert "not another kind\n  L1: begins and ends like JSON, but is not" in str(explain("[1,]"))


def test_explain__another_analyzer_says_why_a_text_is_not_its_own() -> None:
    said = str(explain("# A", registry=registry_with(Refusing())))
    assert "not another kind\n  L1: does not begin with `words`" in said


def test_explain__an_analyzer_without_reasons_is_explained_by_its_evidence() -> None:
    explanation = explain("words", "headings", registry=registry_with(Words()))
    assert explanation.caveats == ("the analyzer words offers no reasons, so this is its evidence",)
    assert "L1: adds 3: number of headings" in str(explanation)


def test_explain__an_analyzer_that_fails_is_named_with_what_it_raised() -> None:
    explanation = explain("words", registry=registry_with(Failing()))
    assert "  ! the analyzer words failed when it was asked for reasons (RuntimeError" in str(
        explanation
    )
    assert "\x1b" not in str(explanation)
    assert "headings = 3\n  L1: adds 3" in str(explanation)
    assert "words failed (RuntimeError" in str(explain("# A", registry=registry_with(Failing())))


def test_explain__a_kind_that_is_gone_is_explained_by_its_evidence() -> None:
    measurement = registry_with(Words()).measure("words")
    assert "no analyzer of the kind words is registered" in str(explain(measurement))


def test_explain__figures_of_another_version_are_not_explained_by_todays_rules() -> None:
    class Older(MarkdownAnalyzer):
        def measure(self, text: str) -> Measurement:
            return super().measure(text + "\n# more")

    measurement = Older().measure("# A")
    moved = Measurement.from_evidence(
        kind="markdown",
        version="0",
        text="# A",
        kinds=["prose"],
        evidence={"chars": [Evidence(1, 1, 3)], "lines": [Evidence(1, 1, 1)]},
    )
    assert measurement.shape.headings == 2
    assert "markdown/0 measured this, and markdown/2 comes to other figures" in str(explain(moved))


@given(texts)
def test_explain__never_fails_and_every_figure_stands_in_it(text: str) -> None:
    explanation = explain(text)
    written = str(explanation)
    for name, figure in explanation.shape.as_dict().items():
        assert f"{name} = {figure:,}" in written.split("\n")
    written.encode("utf-8")
    explanation._repr_html_().encode("utf-8")


@pytest.mark.parametrize(
    "text",
    ["# a\n" * 100_000, "x" * 1_000_000, "#x" * 500_000, "> " * 90 + "#a\n" * 1000],
    ids=["headings", "line", "signs", "quotes"],
)
def test_explain__what_it_prints_is_bounded(text: str) -> None:
    explanation = explain(text)
    assert len(str(explanation)) < 5_000
    assert len(explanation._repr_html_()) < 8_000
    assert len(repr(explain(text, lines=(1, 10**6)))) < 5_000


def test_explain__what_a_candidate_wrote_is_made_visible_and_escaped() -> None:
    explanation = explain("#<b>\x1b[31m\u202e\n")
    assert "\x1b" not in str(explanation)
    assert "\u202e" not in str(explanation)
    assert "<b>\x1b" not in explanation._repr_html_()
    assert "&lt;b&gt;" in explanation._repr_html_()


def test_explain__every_attribute_can_be_asked_for() -> None:
    for name in ATTRIBUTE_NAMES:
        assert f"\n{name} = " in str(explain('{"a": ["b"]}', name))
