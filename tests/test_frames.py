"""Data frames of scores: the same rows from a deliberation, from a file, and back from CSV."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from shape_magic.analysis import effect
from shape_magic.deliberation import Deliberation
from shape_magic.deliberation.frames import summaries_to_frame
from shape_magic.deliberation.records import (
    Evaluation,
    EvaluationEntry,
    ProposalScore,
    RoundSummary,
)
from shape_magic.deliberation.summary import load_summaries, save_summaries
from shape_magic.errors import FrameWarning
from shape_magic.shape import Shape
from shape_magic.vocabulary import ATTRIBUTE_NAMES, CATEGORY_NAMES

CASES = Path(__file__).parent / "cases" / "summaries"

HOSTILE = '=cmd|" /C calc"!A0,\n$x^2$'


@pytest.fixture
def deliberation() -> Deliberation:
    made = Deliberation()
    for number in (1, 2):
        for place, agent_id in enumerate(("Ann", "Bob", HOSTILE)):
            text = f"# Plan\n\n{'word ' * (3 * number + place)}\n\n- item\n"
            proposal = made.propose(agent_id, text, round=number)
            entry = EvaluationEntry(
                evaluator_agent_id="Judge",
                evaluation=Evaluation(
                    score=0.5, category_scores={"conciseness": 10.0 - place * number}
                ),
                synthetic=agent_id == "Bob" and number == 2,
            )
            made.add_evaluations([(proposal, entry)])
    made.propose("Json", '{"a": [1, 2]}', round=2)
    return made


def test_frame__has_a_row_a_proposal_and_round(deliberation: Deliberation) -> None:
    frame = deliberation.to_frame()
    assert list(frame.columns) == [
        "round", "agent_id", "kind", "analyzer", *ATTRIBUTE_NAMES, "aggregated_score",
        *CATEGORY_NAMES, "controversy_score", "real_eval_count", "synthetic_eval_count",
    ]  # fmt: skip
    proposals = deliberation.proposals()
    assert len(frame) == len(proposals) == 7
    for row, proposal in zip(frame.to_dict("records"), proposals, strict=True):
        assert (row["round"], row["agent_id"]) == (proposal.round, proposal.agent_id)
        assert (row["kind"], row["analyzer"]) == (proposal.kind, proposal.analyzer)
        assert {name: row[name] for name in ATTRIBUTE_NAMES} == proposal.shape.as_dict()
    bob = frame[(frame["agent_id"] == "Bob") & (frame["round"] == 2)].iloc[0]
    assert pd.isna(bob["conciseness"])
    assert pd.isna(bob["aggregated_score"])
    assert (bob["real_eval_count"], bob["synthetic_eval_count"]) == (0, 1)


def test_summaries_from_a_file__give_the_same_frame_but_for_the_analyzer(
    deliberation: Deliberation, tmp_path: Path
) -> None:
    save_summaries([deliberation.summarize(number) for number in (1, 2)], tmp_path / "s.jsonl")
    frame = summaries_to_frame(load_summaries(tmp_path / "s.jsonl"))
    assert frame["kind"].isna().all()
    unnamed = ["kind", "analyzer"]
    pd.testing.assert_frame_equal(
        frame.drop(columns=unnamed), deliberation.to_frame().drop(columns=unnamed)
    )


def test_entries_of_every_generation__stand_in_one_frame(tmp_path: Path) -> None:
    lines = [path.read_text().replace("\n", " ") for path in sorted(CASES.glob("*.json"))]
    (tmp_path / "s.jsonl").write_text("\n".join(lines))
    frame = summaries_to_frame(load_summaries(tmp_path / "s.jsonl")).sort_values("round")
    assert frame["round"].tolist() == [1, 2, 2, 3]
    assert frame["chars"].isna().tolist() == [True, True, True, False]
    assert frame["conciseness"].isna().tolist() == [True, True, True, False]
    assert frame["correctness"].isna().tolist() == [False, True, False, False]


def test_csv_and_parquet__come_back_with_the_same_effect(
    deliberation: Deliberation, tmp_path: Path
) -> None:
    pytest.importorskip("pyarrow")
    frame = deliberation.to_frame()
    frame.to_csv(tmp_path / "frame.csv", index=False)
    frame.to_parquet(tmp_path / "frame.parquet")
    from_csv = pd.read_csv(tmp_path / "frame.csv")
    from_parquet = pd.read_parquet(tmp_path / "frame.parquet")
    assert from_csv["agent_id"].tolist() == frame["agent_id"].tolist()
    assert from_parquet["agent_id"].tolist() == frame["agent_id"].tolist()
    found = effect(frame, "chars")
    assert found.points is not None
    assert effect(from_csv, "chars") == effect(from_parquet, "chars") == found


def test_lone_surrogate_in_an_id__stays_as_it_is(tmp_path: Path) -> None:
    deliberation = Deliberation()
    deliberation.propose("\ud800", "a")
    frame = deliberation.to_frame()
    assert frame["agent_id"].tolist() == ["\ud800"]
    frame.to_csv(tmp_path / "frame.csv", index=False, errors="surrogatepass")  # type: ignore[call-overload]
    assert "\ud800".encode("utf-8", "surrogatepass") in (tmp_path / "frame.csv").read_bytes()


def test_no_summaries__give_an_empty_frame_with_every_column() -> None:
    empty = summaries_to_frame([])
    assert len(empty) == 0
    assert set(ATTRIBUTE_NAMES) < set(empty.columns)


def test_without_the_extra__only_what_needs_it_says_so() -> None:
    code = (
        "import sys\n"
        "sys.modules['pandas'] = None\n"
        "from shape_magic.deliberation import Deliberation\n"
        "deliberation = Deliberation()\n"
        "deliberation.propose('Ann', 'a')\n"
        "assert deliberation.summarize().round == 1\n"
        "deliberation.to_frame()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1].endswith(
        "MissingExtraError: this needs the extra 'analysis', and 'pandas' is not installed: "
        "pip install 'shape_magic[analysis]'"
    )


def test_summaries__a_shape_that_came_from_elsewhere_says_so_and_mixing_warns() -> None:
    scores = tuple(
        ProposalScore(agent_id=name, shape=shape)
        for name, shape in (("Ann", Shape(chars=3)), ("Bob", Shape(chars=4)), ("Cy", None))
    )
    summary = RoundSummary(round=1, proposal_scores=scores)
    frame = summaries_to_frame([summary])
    assert frame["analyzer"].tolist() == ["external", "external", None]
    named = {(1, "Ann"): ("markdown", "markdown/2")}
    with pytest.warns(FrameWarning, match="1 shape came with a summary and 1 from an analyzer"):
        mixed = summaries_to_frame([summary], analyzers=named)
    assert mixed["analyzer"].tolist() == ["markdown/2", "external", None]
