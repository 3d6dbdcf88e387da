"""A score stands beside the figures that its evaluators were shown, whatever measures today."""

from collections.abc import Iterator

import pytest

from shape_magic.analyzers.json import JsonAnalyzer
from shape_magic.analyzers.markdown import MarkdownAnalyzer
from shape_magic.analyzers.registry import Registry
from shape_magic.deliberation import Deliberation
from shape_magic.shape import Evidence, Meanings, Measurement
from tests.deliberations import entry


class Words:
    """Measures any text as one heading a word."""

    kind = "words"
    version = "1"
    meanings = Meanings({"headings": "words"})

    def measure(self, text: str) -> Measurement:
        lines = text.splitlines()
        whole = [Evidence(1, len(lines), len(text))]
        return Measurement.from_evidence(
            kind=self.kind,
            version=self.version,
            text=text,
            kinds=["heading"] * len(lines),
            evidence={
                "chars": whole,
                "lines": [Evidence(1, len(lines), len(lines))],
                "headings": [Evidence(1, len(lines), len(text.split()))],
            },
            meanings=self.meanings,
        )


@pytest.fixture
def deliberation() -> Iterator[Deliberation]:
    """Give a deliberation in which Ann was measured and evaluated by an analyzer that is gone."""
    registry = Registry([JsonAnalyzer()], fallback=MarkdownAnalyzer())
    deliberation = Deliberation(registry=registry)
    registry.register(Words(), before="json")
    proposal = deliberation.propose("Ann", "three small words")
    deliberation.add_evaluations([(proposal, entry("Eve", 0.25))])
    registry.unregister("words")
    yield deliberation
    deliberation.close()


def test_propose__measured_otherwise__stands_beside_what_was_shown(
    deliberation: Deliberation,
) -> None:
    again = deliberation.propose("Ann", "three small words")
    assert (again.version, again.kind, again.shape.headings) == (1, "markdown", 0)
    assert deliberation.proposal("Ann").kind == "markdown"
    assert [measurement.kind for measurement in deliberation.measurements("Ann")] == [
        "words",
        "markdown",
    ]
    (score,) = deliberation.summarize().proposal_scores or ()
    assert score.shape is not None
    assert score.shape.headings == 3
    frame = deliberation.to_frame()
    assert list(frame.loc[0, ["analyzer", "headings"]]) == ["words/1", 3]


def test_add_evaluations__names_the_measurement_of_the_proposal_that_is_given(
    deliberation: Deliberation,
) -> None:
    shown = deliberation.proposal("Ann")
    again = deliberation.propose("Ann", "three small words")
    deliberation.add_evaluations([(shown, entry("Bob", 1.0)), (again, entry("Cleo", 1.0))])
    frame = deliberation.evaluations_frame()
    assert dict(zip(frame["evaluator_agent_id"], frame["kind"], strict=True)) == {
        "Eve": "words",
        "Bob": "words",
        "Cleo": "markdown",
    }


def test_legend__of_an_analyzer_that_is_gone__is_the_stored_one(deliberation: Deliberation) -> None:
    assert "In a solution that is words" in str(deliberation.evaluation_prompt(task="t"))
