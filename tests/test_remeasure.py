"""Measuring a deliberation again: what changed, what is kept, and what evaluators were shown."""

import pytest

from shape_magic import Deliberation, Measurement, Registry
from shape_magic.analyzers.json import JsonAnalyzer
from shape_magic.analyzers.markdown import MarkdownAnalyzer
from shape_magic.deliberation.records import Evaluation, EvaluationEntry
from shape_magic.errors import AnalyzerError
from tests.plain_scan import PlainScan

TAG = "#tag\n\ntext\n"


def test_remeasure__adds_what_comes_out_otherwise(deliberation: Deliberation) -> None:
    deliberation.propose("Ann", '{"a": 1}', analyzer="markdown")
    deliberation.propose("Bob", TAG)
    report = deliberation.remeasure()
    assert (report.measured, report.failures, report.dry_run) == (2, (), False)
    (change,) = report.changes
    assert (change.agent_id, change.round, change.version) == ("Ann", 1, 1)
    assert [name.split("/")[0] for name in change.analyzers] == ["markdown", "json"]
    assert deliberation.proposal("Ann").kind == "json"
    assert [found.kind for found in deliberation.measurements("Ann")] == ["markdown", "json"]
    assert deliberation.proposal("Ann").version == 1
    assert deliberation.remeasure().changes == ()


def test_remeasure__a_dry_run_keeps_nothing(deliberation: Deliberation) -> None:
    deliberation.propose("Ann", '{"a": 1}', analyzer="markdown")
    report = deliberation.remeasure(dry_run=True)
    assert len(report.changes) == 1
    assert deliberation.proposal("Ann").kind == "markdown"
    assert "1 version measured again, 1 change; nothing was kept" in str(report)
    assert "headings 0 -> 1" in str(report)


def test_remeasure__what_evaluators_were_shown_stands_beside_their_scores(
    deliberation: Deliberation,
) -> None:
    proposal = deliberation.propose("Ann", '{"a": 1}', analyzer="markdown")
    entry = EvaluationEntry(evaluator_agent_id="Bob", evaluation=Evaluation(score=0.5))
    deliberation.add_evaluations([(proposal, entry)])
    deliberation.remeasure()
    (score,) = deliberation.summarize().proposal_scores or ()
    assert score.shape is not None
    assert (score.shape.chars, deliberation.proposal("Ann").shape.chars) == (8, 12)


def test_remeasure__every_version_of_every_round(deliberation: Deliberation) -> None:
    for number, text in ((1, "[1]"), (1, "[2]"), (2, "[3]")):
        deliberation.propose("Ann", text, round=number, analyzer="markdown")
    report = deliberation.remeasure("json")
    assert [(change.round, change.version) for change in report.changes] == [(1, 1), (1, 2), (2, 1)]


def test_remeasure__one_kind_leaves_what_it_does_not_recognise(deliberation: Deliberation) -> None:
    deliberation.propose("Ann", TAG)
    report = deliberation.remeasure("json")
    assert (report.measured, report.changes) == (0, ())
    assert report.failures[0][:3] == ("Ann", 1, 1)
    assert "'json' does not recognise this text" in str(report)
    assert deliberation.proposal("Ann").kind == "markdown"
    with pytest.raises(AnalyzerError, match="no analyzer is called 'yaml'"):
        deliberation.remeasure("yaml")


def test_remeasure__an_analyzer_that_raises_is_told_and_changes_nothing() -> None:
    class Fails(PlainScan):
        def measure(self, text: str) -> Measurement:
            raise RuntimeError("not \x1b today")

    registry = Registry([JsonAnalyzer(), Fails()], fallback=MarkdownAnalyzer())
    with Deliberation(registry=registry) as deliberation:
        deliberation.propose("Ann", TAG, analyzer="markdown")
        report = deliberation.remeasure("plain")
        assert "RuntimeError: not ␛ today" in str(report)
        assert deliberation.proposal("Ann").kind == "markdown"
