"""The Markdown analyzer and a plain line scan on other people's answers."""

import json
from pathlib import Path

import pytest

from shape_magic import compare_analyzers, measure
from shape_magic.debugging.compare import AnalyzerComparison
from tests.answers import answers
from tests.plain_scan import PlainScan

SHARE_WITH_A_CAUSE = 0.99


@pytest.fixture(scope="module")
def texts(request: pytest.FixtureRequest) -> dict[str, str]:
    """Give the answers that are not JSON."""
    path = request.config.getoption("--answers")
    if path is None:
        pytest.skip("no answers: give a folder or a JSON Lines file with --answers")
    found = dict(answers(path))
    assert found
    return {name: text for name, text in found.items() if measure(text).kind == "markdown"}


@pytest.fixture(scope="module")
def comparison(texts: dict[str, str]) -> AnalyzerComparison:
    return compare_analyzers(texts, "markdown", PlainScan())


def test_answers__nearly_every_line_that_differs_has_a_reason_that_names_the_cause(
    comparison: AnalyzerComparison,
) -> None:
    assert comparison.failures == ()
    share = comparison.explained_lines / comparison.differing_lines
    assert share >= SHARE_WITH_A_CAUSE, comparison


def test_answers__every_line_is_explained_by_itself(
    texts: dict[str, str], comparison: AnalyzerComparison
) -> None:
    assert sum(len(text.lines) for text in comparison.differences) > 0
    for text in comparison.differences:
        assert text.same_form
        numbers = [
            number for line in text.lines for number in range(line.first_line, line.last_line + 1)
        ]
        assert numbers == sorted(set(numbers))
        assert numbers[-1] <= measure(texts[text.name]).shape.lines


def test_answers__the_scan_does_what_the_system_in_production_does(
    answers_path: Path | None, texts: dict[str, str]
) -> None:
    reported = None if answers_path is None else answers_path.with_name("production.jsonl")
    if reported is None or not reported.is_file():
        pytest.skip("no figures of the system in production beside the answers")
    scan = PlainScan()
    for line in reported.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["id"] in texts:
            shape = scan.measure(texts[record["id"]]).shape.as_dict()
            assert shape == {name: record[name] for name in shape}, record["id"]
