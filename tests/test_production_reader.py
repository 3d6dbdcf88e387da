"""What is written loads where production reads it: numbers, and no null for what is unknown."""

import json
from pathlib import Path
from typing import Any

import msgspec

from shape_magic.deliberation import Deliberation
from shape_magic.deliberation.records import Evaluation
from shape_magic.deliberation.summary import save_summaries
from shape_magic.experiments import run_evaluations
from shape_magic.vocabulary import CATEGORY_NAMES
from tests.deliberations import entry
from tests.experiments import fill_rounds, judge

# The reader in production: what a record may leave out has a default, and no field takes null.


class Claim(msgspec.Struct):
    claim: str = ""
    verdict: str = "unverified"


class Given(msgspec.Struct):
    score: float = 0.0
    justification: str = ""
    stance: str = "neutral"
    claim_assessments: list[Claim] = []
    category_scores: dict[str, float] = {}


class Entry(msgspec.Struct):
    evaluator_agent_id: str
    evaluation: Given
    synthetic: bool = False


class Body(msgspec.Struct):
    content: str
    thought_process: str = ""


class Line(msgspec.Struct):
    round: int
    author_agent_id: str
    proposal: Body
    evaluations: list[Entry] = []
    aggregated_score: float = 0.0


class Score(msgspec.Struct):
    agent_id: str
    aggregated_score: float = 0.0
    category_breakdown: dict[str, float] = {}
    controversy_score: float = 0.0
    real_eval_count: int = 0
    synthetic_eval_count: int = 0
    shape: dict[str, int] = {}


class Summary(msgspec.Struct):
    round: int
    proposal_scores: list[Score]
    convergence_score: float


def lines_of(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_production__reads_what_is_written(tmp_path: Path) -> None:
    path = tmp_path / "rounds.jsonl"
    with Deliberation() as deliberation:
        fill_rounds(deliberation, 3)
        ann, bob, _ = deliberation.proposals(round=2)
        # One was scored, of one the evaluations lack all, and one and two rounds have none.
        bare = msgspec.structs.replace(entry("Eve", None), evaluation=Evaluation())
        deliberation.add_evaluations([(ann, entry("Eve", 0.25)), (bob, bare)])
        deliberation.add_evaluations([(bob, entry("Dan", 0.5, synthetic=True))])
        run_evaluations(deliberation, {"Judge": judge()}, rounds=3, progress=False)
        deliberation.save(path)
        save_summaries(map(deliberation.summarize, (1, 2, 3)), tmp_path / "summaries.jsonl")
        expected = [
            (kept.round, kept.agent_id, kept.content, len(deliberation.evaluations(kept)))
            for kept in deliberation.proposals()
        ]
    read = [msgspec.convert(line, Line) for line in lines_of(path)]
    assert [
        (line.round, line.author_agent_id, line.proposal.content, len(line.evaluations))
        for line in read
    ] == expected
    assert [line.aggregated_score for line in read][3:5] == [0.5, 0.0]
    summaries = [msgspec.convert(line, Summary) for line in lines_of(tmp_path / "summaries.jsonl")]
    assert [summary.convergence_score for summary in summaries] == [0.0, 0.0, 0.0]
    assert {score.agent_id: score.aggregated_score for score in summaries[1].proposal_scores} == {
        "Ann": 0.5,
        "Bob": 0.0,
        "Cleo": 0.0,
    }
    assert "null" not in path.read_text(encoding="utf-8")


def test_production__what_it_wrote_comes_back_equal(tmp_path: Path) -> None:
    given = {
        "score": -0.36, "justification": "why", "stance": "disagree", "confidence": 0.8,
        "claim_assessments": [{"claim": "c", "verdict": "wrong", "line": 3}],
        "category_scores": dict.fromkeys(CATEGORY_NAMES, -10.5),
    }  # fmt: skip
    line = {
        "round": 2, "author_agent_id": "Ann (m)", "aggregated_score": -0.6, "tokens": {"in": 3},
        "proposal": {"content": "# A\n", "thought_process": "t", "sources": ["s"]},
        "evaluations": [
            {"evaluator_agent_id": "Bob (m)", "evaluation": given, "synthetic": False, "took": 1.5}
        ],
    }  # fmt: skip
    path = tmp_path / "rounds.jsonl"
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    with Deliberation.load(path) as deliberation:
        deliberation.save(path)
    assert lines_of(path) == [line]
