"""`check_analyzer`: analyzers that are each wrong in one way, and our own, which are not."""

import itertools
import time
from typing import Any

import pytest

from shape_magic import Anchor, Evidence, Measurement, Note, Reason, Shape, check_analyzer
from shape_magic.analyzers.json import JsonAnalyzer
from shape_magic.analyzers.markdown import MarkdownAnalyzer
from shape_magic.debugging.check import LAWS
from shape_magic.lines import split_lines


class Percent:
    """Right: a line that begins with `%%` is a heading, and a text of this kind begins with one."""

    kind = "percent"
    version = "1"
    meanings: dict[str, str] = {}  # noqa: RUF012

    def lines(self, text: str) -> list[str]:
        return split_lines(text)

    def parts(self, text: str) -> dict[str, Any]:
        """Give what the measurement is built from."""
        lines = self.lines(text)
        heads = [n for n, line in enumerate(lines, start=1) if line.startswith("%%")]
        kinds = ["heading" if line.startswith("%%") else "prose" for line in lines]
        prose = [
            Evidence(n, n, len(line))
            for n, (line, kind) in enumerate(zip(lines, kinds, strict=True), start=1)
            if line and kind == "prose"
        ]
        ends = [n - 1 for n in [*heads[1:], len(lines) + 1]]
        return {
            "kind": self.kind,
            "version": self.version,
            "text": text,
            "kinds": kinds,
            "evidence": {
                "chars": [Evidence(1, len(lines), len(text))],
                "lines": [Evidence(1, len(lines), len(lines))],
                "headings": [Evidence(n, n, 1) for n in heads],
                "prose_chars": prose,
            },
            "outline": [
                Anchor(n, lines[n - 1][:60], end) for n, end in zip(heads, ends, strict=True)
            ],
        }

    def measure(self, text: str) -> Measurement | None:
        if not text.startswith("%%"):
            return None
        return Measurement.from_evidence(**self.parts(text))


TEXTS = ["%% one\na\nb\n%% two\nc\n", "%% one\n", "%% a\n\nword word word\n\n%% b\n%% c"]


class RaisesOnDash(Percent):
    def measure(self, text: str) -> Measurement | None:
        if text.startswith("%%") and "-" in text:
            raise KeyError("no dash")
        return super().measure(text)


class AnswersText(Percent):
    def measure(self, text: str) -> Measurement | None:
        return "percent" if text.startswith("%%") else None  # type: ignore[return-value]


class CountsAtUnicodeLines(Percent):
    def lines(self, text: str) -> list[str]:
        return text.splitlines()


class KnowsOnlyLf(Percent):
    def lines(self, text: str) -> list[str]:
        return text.removesuffix("\n").split("\n")


class Overcounts(Percent):
    def measure(self, text: str) -> Measurement | None:
        found = super().measure(text)
        if found is None:
            return None
        fields = {name: getattr(found, name) for name in found.__struct_fields__}
        figures = found.shape.as_dict()
        fields["shape"] = Shape(**(figures | {"headings": figures["headings"] + 1}))
        return Measurement(**fields)


class ForgetsTheLastKind(Percent):
    def parts(self, text: str) -> dict[str, Any]:
        found = super().parts(text)
        return found | {"kinds": found["kinds"][:-1]}


class CountsPastTheEnd(Percent):
    def parts(self, text: str) -> dict[str, Any]:
        found = super().parts(text)
        lines = len(found["kinds"])
        found["evidence"]["list_items"] = [Evidence(lines, lines + 1, 1)]
        return found


class CountsHalves(Percent):
    def parts(self, text: str) -> dict[str, Any]:
        found = super().parts(text)
        found["evidence"]["list_items"] = [Evidence(1, 1, 0.5)]  # type: ignore[arg-type]
        return found


class TakesAway(Percent):
    def parts(self, text: str) -> dict[str, Any]:
        found = super().parts(text)
        found["evidence"]["list_items"] = [Evidence(1, 1, -1)]
        return found


class InventsAKind(Percent):
    def parts(self, text: str) -> dict[str, Any]:
        found = super().parts(text)
        return found | {"kinds": ["title" for _ in found["kinds"]]}


class SaysAnotherKind(Percent):
    def parts(self, text: str) -> dict[str, Any]:
        return super().parts(text) | {"kind": "permille"}


class NotesPastTheEnd(Percent):
    def parts(self, text: str) -> dict[str, Any]:
        return super().parts(text) | {"notes": [Note("odd", 99_999, "odd")]}


class TurnsTheOutline(Percent):
    def parts(self, text: str) -> dict[str, Any]:
        found = super().parts(text)
        return found | {"outline": found["outline"][::-1]}


class ReachesIntoTheNext(Percent):
    def parts(self, text: str) -> dict[str, Any]:
        found = super().parts(text)
        last = len(found["kinds"])
        return found | {
            "outline": [
                Anchor(anchor.line, anchor.label, min(anchor.last_line + 1, last))
                for anchor in found["outline"]
            ]
        }


class AnchorsOneLineLow(Percent):
    def parts(self, text: str) -> dict[str, Any]:
        found = super().parts(text)
        last = len(found["kinds"])
        return found | {
            "outline": [
                Anchor(anchor.line + 1, anchor.label, last)
                for anchor in found["outline"][:1]
                if anchor.line < last
            ]
        }


class EndsBlocksEarly(Percent):
    def parts(self, text: str) -> dict[str, Any]:
        found = super().parts(text)
        last = len(found["kinds"])
        found["evidence"]["headings"] = [Evidence(1, last, 1)]
        return found | {"outline": [Anchor(1, found["text"][:2], 1)]}


class CountsItsCalls(Percent):
    def __init__(self) -> None:
        self.calls = itertools.count()

    def parts(self, text: str) -> dict[str, Any]:
        found = super().parts(text)
        found["evidence"]["list_items"] = [Evidence(1, 1, next(self.calls))]
        return found


class WantsALastLineEnding(Percent):
    def measure(self, text: str) -> Measurement | None:
        return super().measure(text) if text.endswith(("\n", "\r")) else None


class EmptiesProse(Percent):
    def parts(self, text: str) -> dict[str, Any]:
        found = super().parts(text)
        del found["evidence"]["prose_chars"]
        return found


class ReasonsElsewhere(Percent):
    def reasons(self, text: str) -> list[Reason]:
        return [Reason(1, 9_999, "headings", True, "heading", "begins with %%")]


class ReasonsThatRaise(Percent):
    def reasons(self, text: str) -> list[Reason]:
        raise RuntimeError("no idea")


class ReasonsForWords(Percent):
    def reasons(self, text: str) -> list[Reason]:
        return [Reason(1, 1, "words", True, "word", "a word")]


class ReasonsWithoutEvidence(Percent):
    def reasons(self, text: str) -> list[Reason]:
        return [Reason(1, 1, "table_rows", True, "row", "a row")]


class ReadsAllForEachLine(Percent):
    def measure(self, text: str) -> Measurement | None:
        found = super().measure(text)
        if found is not None:
            for number in range(len(found.kinds)):
                text[: len(text) - number].count("%%")
        return found


WRONG = [
    (RaisesOnDash, "raises-nothing", "no dash", "%%-"),
    (AnswersText, "raises-nothing", "measure() returned str", "%%"),
    (CountsAtUnicodeLines, "measurement", None, None),
    (KnowsOnlyLf, "line-endings", None, None),
    (Overcounts, "measurement", None, "%%"),
    (ForgetsTheLastKind, "measurement", None, "%%"),
    (CountsPastTheEnd, "measurement", None, "%%"),
    (CountsHalves, "measurement", None, "%%"),
    (TakesAway, "measurement", None, "%%"),
    (InventsAKind, "measurement", None, "%%"),
    (SaysAnotherKind, "measurement", None, "%%"),
    (NotesPastTheEnd, "measurement", None, "%%"),
    (TurnsTheOutline, "measurement", None, "%%\n%%"),
    (ReachesIntoTheNext, "anchors", "the block of the anchor in line 2 ends", None),
    (AnchorsOneLineLow, "labels", "is not in its line 2", None),
    (EndsBlocksEarly, "blocks", "the anchor of line 1 ends with line 1", None),
    (CountsItsCalls, "same-twice", "the second time", "%%"),
    (WantsALastLineEnding, "last-ending", "with a line ending at its end", None),
    (EmptiesProse, "gaming", "no note tells of it", None),
    (ReasonsElsewhere, "reasons", "lines 1 to 9999, and there are 1", "%%"),
    (ReasonsThatRaise, "reasons", "RuntimeError: no idea", "%%"),
    (ReasonsForWords, "reasons", "'words', which is no attribute", "%%"),
    (ReasonsWithoutEvidence, "reasons", "it does not", "%%"),
    (ReadsAllForEachLine, "time", "times as long", None),
]


def test_check__where_no_thread_has_a_clock__passes_as_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(time, "thread_time")
    assert check_analyzer(Percent()).failures == ()


def test_check__the_analyzer_that_is_right_passes() -> None:
    found = check_analyzer(Percent(), TEXTS)
    assert found.ok, found
    assert found.recognised > 50


@pytest.mark.slow
@pytest.mark.parametrize(
    ("analyzer", "law", "said", "smallest"), WRONG, ids=[row[0].__name__ for row in WRONG]
)
def test_check__what_is_wrong_in_one_way_is_found_with_the_smallest_text(
    analyzer: type[Percent], law: str, said: str | None, smallest: str | None
) -> None:
    found = check_analyzer(analyzer(), TEXTS)
    failures = {failure.law: failure for failure in found.failures}
    assert law in failures, found
    failure = failures[law]
    assert said is None or said in failure.sentence
    assert smallest is None or failure.text == smallest
    assert law in str(found)
    if law not in {"time", "gaming"}:
        assert len(failure.text) <= 12


def test_check__every_law_is_broken_by_one_of_them() -> None:
    assert set(LAWS) <= {law for _, law, _, _ in WRONG}


@pytest.mark.parametrize("analyzer", [MarkdownAnalyzer(), JsonAnalyzer()], ids=["markdown", "json"])
def test_check__our_own_pass(analyzer: MarkdownAnalyzer) -> None:
    found = check_analyzer(analyzer)
    assert found.ok, found


def test_check__what_an_analyzer_raised_is_kept_with_its_text() -> None:
    (failure,) = check_analyzer(RaisesOnDash(), TEXTS).failures
    assert isinstance(failure.error, KeyError)
    assert failure.text == "%%-"


def test_check__an_analyzer_that_recognises_nothing_has_not_been_checked() -> None:
    class Nothing(Percent):
        def measure(self, text: str) -> Measurement | None:
            return None

    found = check_analyzer(Nothing())
    assert [failure.law for failure in found.failures] == ["recognises"]
    assert not found.ok


def test_check__what_is_no_analyzer_is_said_and_not_raised() -> None:
    class NoKind:
        def measure(self, text: str) -> None:
            return None

    (failure,) = check_analyzer(NoKind()).failures  # type: ignore[arg-type]
    assert failure.law == "analyzer"
    assert "its kind is None" in failure.sentence
    assert check_analyzer(Percent).failures[0].law == "analyzer"  # type: ignore[arg-type]


def test_check__is_shown_escaped_and_bounded() -> None:
    found = check_analyzer(RaisesOnDash(), ["%% <b>-" + "x" * 10_000])
    assert len(str(found)) < 3_000
    assert "<b>" not in found._repr_html_()


def test_check__tries_the_same_texts_each_time() -> None:
    assert (
        check_analyzer(RaisesOnDash(), TEXTS).tried == check_analyzer(RaisesOnDash(), TEXTS).tried
    )
