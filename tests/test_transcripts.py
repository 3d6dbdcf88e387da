"""Transcripts are read whole or not at all, and written back as they came."""

import concurrent.futures
import json
import math
import os
import stat
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shape_magic.deliberation import Deliberation
from shape_magic.deliberation.encoding import decoded, json_line, parse_json
from shape_magic.deliberation.records import Evaluation, EvaluationEntry
from shape_magic.deliberation.summary import load_summaries, save_summaries
from shape_magic.deliberation.transcripts import BadLine
from shape_magic.errors import ArgumentError, TranscriptError, TranscriptWarning
from tests.wire import proposal_records


def record(agent_id: str = "Ann", content: str = "# A", **fields: Any) -> dict[str, Any]:
    return {
        "round": 1,
        "author_agent_id": agent_id,
        "proposal": {"thought_process": "because", "content": content},
        "evaluations": [],
        "aggregated_score": None,
        **fields,
    }


def evaluation(evaluator: str, score: float | None, **fields: Any) -> dict[str, Any]:
    return {
        "evaluator_agent_id": evaluator,
        "evaluation": {"score": score, "justification": "why", "stance": "agree", **fields},
        "synthetic": False,
    }


def write(path: Path, *records: Any) -> Path:
    path.write_bytes(b"".join(json_line(record) + b"\n" for record in records))
    return path


def sqlite_file(path: Path) -> None:
    with Deliberation.open(path) as deliberation:
        deliberation.propose("Ann", "kept")


def read_back(path: Path) -> list[Any]:
    return [parse_json(decoded(line)) for line in path.read_bytes().splitlines()]


def spelt(wires: list[Any]) -> list[str]:
    return [json.dumps(wire, sort_keys=True) for wire in wires]


UNKNOWN = record(
    proposal={"thought_process": None, "content": "é", "tokens": {"in": 3, "out": [1, 2.5]}},
    evaluations=[
        {
            "evaluator_agent_id": "Bob",
            "evaluation": {
                "score": 0.5,
                "claim_assessments": [{"claim": "c", "verdict": "new word", "source": None}],
                "category_scores": {"novelty": None, "wit": 3},
                "mood": ["calm"],
            },
            "latency": 1.5,
        }
    ],
    aggregated_score=0.123,
    model="x",
    extra={"absent": True},
)


def test_load_and_save__unknown_fields__come_back_equal(tmp_path: Path) -> None:
    path = write(tmp_path / "in.jsonl", UNKNOWN, record("Bob"))
    with Deliberation.load(path) as deliberation:
        assert deliberation.save(tmp_path / "out.jsonl") == 2
    assert read_back(tmp_path / "out.jsonl") == [UNKNOWN, record("Bob")]


def with_its_score(wire: dict[str, Any]) -> dict[str, Any]:
    """Fill in the score of a record that brings none, where there is one."""
    scores = [
        entry["evaluation"].get("score")
        for entry in wire.get("evaluations") or []
        if not entry.get("synthetic")
    ]
    real = [score for score in scores if score is not None]
    if wire.get("aggregated_score") is not None or not real:
        return wire
    roots = [math.sqrt(abs(score)) * (1 if score > 0 else -1) for score in real]
    return {**wire, "aggregated_score": pytest.approx(sum(roots))}


@given(st.lists(proposal_records, max_size=4, unique_by=lambda record: record["author_agent_id"]))
def test_load_and_save__any_records__come_back_equal(
    tmp_path_factory: pytest.TempPathFactory, wires: list[dict[str, Any]]
) -> None:
    wires = [wire for wire in wires if wire["author_agent_id"]]
    folder = tmp_path_factory.mktemp("transcripts")
    with Deliberation.load(write(folder / "in.jsonl", *wires)) as first:
        first.save(folder / "out.jsonl")
        ordered = sorted(wires, key=lambda wire: (wire["round"], wire["author_agent_id"]))
        assert read_back(folder / "out.jsonl") == [with_its_score(wire) for wire in ordered]
        with Deliberation.load(folder / "out.jsonl") as second:
            assert second.records() == first.records()
            assert second.proposals() == first.proposals()


def test_load__utf_8_with_a_mark_blank_lines_and_crlf__is_read(tmp_path: Path) -> None:
    lines = [json.dumps(record("Ann")), "", "  ", json.dumps(record("Bob"))]
    path = tmp_path / "in.jsonl"
    path.write_bytes("\ufeff".encode() + "\r\n".join(lines).encode())
    assert Deliberation.load(path).agents() == ["Ann", "Bob"]


BAD_LINES = [
    (
        json.dumps(record(evaluations=[evaluation("Bob", "high")])),  # type: ignore[arg-type]
        "$.evaluations[0].evaluation.score: expected float, got str",
    ),
    (json.dumps(record(round="1")), "$.round: expected int, got str"),
    (
        json.dumps(record("")),
        "$.author_agent_id is empty; an agent is named by at least one character",
    ),
    ("[]", "$: expected object, got array; each record is a line of its own"),
    ("[", "no JSON: a value is missing at character 3; each record is a line of its own, without"),
    (
        "{",
        "no JSON: a key in double quotes is missing at character 3; each record is a line of its",
    ),
    (
        '{"round": 1, "author_agent_id": "A", "author_agent_id": "Z"}',
        "the key 'author_agent_id' stands twice in one object",
    ),
    (
        '{"round": "\\ud800", "author_agent_id": "A", "proposal": {"content": ""}}',
        "$.round: expected int, got str",
    ),
    (
        '{"round": 1, "author_agent_id": "A", "proposal": {"content": ""}, '
        '"aggregated_score": "\\ud800"}',
        "$.aggregated_score: expected float, got str",
    ),
    ('{"round": NaN}', "no JSON: NaN is no JSON number"),
    ("[" * 100_000, "no JSON that can be read: it nests too deeply"),
    ('{"round": ' + "9" * 5_000 + "}", "no JSON that can be read: an integer in it is too long"),
    (b'{"\xff": 1}', "no UTF-8"),
    (
        '{"unknown": ' + "[" * 129 + "]" * 129 + "}",
        "no JSON that can be read: it nests too deeply, and the most is 128",
    ),
]


@pytest.mark.parametrize(
    ("line", "reason"), BAD_LINES, ids=[reason[:30] for _, reason in BAD_LINES]
)
def test_add_transcript__bad_line__names_it_and_takes_nothing(
    tmp_path: Path, line: str | bytes, reason: str
) -> None:
    path = tmp_path / "in.jsonl"
    good = json_line(record("Ann"))
    path.write_bytes(good + b"\n\n" + (line.encode() if isinstance(line, str) else line) + b"\n")
    deliberation = Deliberation()
    kept = deliberation.propose("Zoe", "kept")
    with pytest.raises(TranscriptError) as caught:
        deliberation.add_transcript(path)
    assert str(caught.value).startswith(f"{path}, line 3: {reason}")
    assert deliberation.proposals() == [kept]

    with pytest.warns(TranscriptWarning) as warned:
        report = deliberation.add_transcript(path, skip_bad=True)
    assert report.records == 1
    assert [bad.line for bad in report.left_out] == [3]
    assert report.left_out[0].reason.startswith(reason)
    assert str(warned[0].message).startswith(f"{path}: 1 of 2 records left out: line 3: {reason}")
    assert deliberation.agents() == ["Ann", "Zoe"]


def test_load__many_bad_lines__are_all_reported_and_three_named(tmp_path: Path) -> None:
    path = write(tmp_path / "in.jsonl", *[{"round": number} for number in range(5)])
    with pytest.warns(TranscriptWarning, match=r"5 of 5 records left out: line 1: .*; and 2 more$"):
        Deliberation.load(path, skip_bad=True)
    with pytest.warns(TranscriptWarning):
        report = Deliberation().add_transcript(path, skip_bad=True)
    missing = "$: object missing required field author_agent_id"
    assert report.left_out == tuple(BadLine(number, missing) for number in range(1, 6))


def test_load__long_file__shows_a_progress_bar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "in.jsonl", *[record(f"Agent {number}") for number in range(200)])
    Deliberation.load(path)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("shape_magic.deliberation.transcripts._BAR_AFTER", 0.0)
    Deliberation.load(path)
    assert "B/s]" in capsys.readouterr().err


def test_load__missing_file__is_the_systems_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Deliberation.load(tmp_path / "none.jsonl")


def test_load__two_records_of_one_agent__are_versions(tmp_path: Path) -> None:
    path = write(
        tmp_path / "in.jsonl",
        record(content="a", evaluations=[evaluation("Bob", 1.0)]),
        record(content="b"),
        record(content="a"),
    )
    with Deliberation.load(path) as deliberation:
        versions = deliberation.versions("Ann")
        assert [version.content for version in versions] == ["a", "b", "a"]
        assert [len(deliberation.evaluations(version)) for version in versions] == [1, 0, 0]
        deliberation.save(tmp_path / "out.jsonl")
    assert [record["proposal"]["content"] for record in read_back(tmp_path / "out.jsonl")] == [
        "a",
        "b",
        "a",
    ]


def test_add_transcript__of_what_was_proposed_before__keeps_the_unknown_fields(
    tmp_path: Path,
) -> None:
    path = write(tmp_path / "in.jsonl", record(content="a"), record(content="b", run=7))
    with Deliberation() as deliberation:
        for text in ("a", "b"):
            deliberation.propose("Ann", text, thought_process="because")
        deliberation.add_transcript(path)
        assert deliberation.save(tmp_path / "out.jsonl") == 2
    assert read_back(tmp_path / "out.jsonl") == read_back(path)


def test_add_transcript__again_or_grown__adds_only_what_is_new(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    first = [record(content="a"), record(content="b", evaluations=[evaluation("Bob", 1.0)])]
    with Deliberation.open(tmp_path / "file.db") as deliberation:
        for _ in range(2):
            deliberation.add_transcript(write(path, *first))
            assert [version.content for version in deliberation.versions("Ann")] == ["a", "b"]
            assert len(deliberation.evaluations("Ann")) == 1
        # One that is there already is not counted twice, and one that is new comes in.
        more = [evaluation("Bob", 1.0), evaluation("Bob", 1.0), evaluation("Cleo", None)]
        deliberation.add_transcript(write(path, first[0], record(content="b", evaluations=more)))
        assert len(deliberation.evaluations("Ann")) == 2
        assert len(deliberation.versions("Ann")) == 2


@pytest.mark.parametrize(
    ("brought", "scores", "expected"),
    [
        (0.123, [0.25], 0.123),
        (0.123, [], 0.123),
        (None, [0.25, -1.0], -0.5),
        (None, [None], None),
        (None, [], None),
    ],
)
def test_aggregated_score__that_a_record_brings__stands_until_evaluations_change(
    tmp_path: Path, brought: float | None, scores: list[float | None], expected: float | None
) -> None:
    wire = record(
        aggregated_score=brought,
        evaluations=[evaluation(f"E{number}", score) for number, score in enumerate(scores)],
    )
    path = write(tmp_path / "in.jsonl", wire)
    with Deliberation.load(path) as deliberation:
        assert deliberation.aggregated_score("Ann") == expected
        new = EvaluationEntry(evaluator_agent_id="Zoe", evaluation=Evaluation(score=1.0))
        deliberation.add_evaluations([(deliberation.proposal("Ann"), new)])
        real = [score for score in scores if score is not None]
        recomputed = sum(abs(score) ** 0.5 * (1 if score > 0 else -1) for score in [*real, 1.0])
        assert deliberation.aggregated_score("Ann") == recomputed
        # The record's score knows nothing of Zoe, so taking it in again does not bring it back.
        deliberation.add_transcript(path)
        assert deliberation.aggregated_score("Ann") == recomputed


def test_save__replaces_a_file_in_one_step_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("old")
    path.chmod(0o640)
    link = tmp_path / "link.jsonl"
    link.symlink_to(path)
    deliberation = Deliberation()
    deliberation.propose("Ann", "a")
    deliberation.save(link)
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert read_back(path)[0]["author_agent_id"] == "Ann"
    assert sorted(os.listdir(tmp_path)) == ["link.jsonl", "out.jsonl"]


def test_save__that_fails__leaves_the_old_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("old")
    deliberation = Deliberation()
    deliberation.propose("Ann", "a")

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match=r"No space left on device: '.*/out\.jsonl'"):
        deliberation.save(path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.jsonl"]


def test_save__over_its_own_database__is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file.db"
    with Deliberation.open(path) as deliberation:
        deliberation.propose("Ann", "a")
        with pytest.raises(TranscriptError, match="own database; save to another file"):
            deliberation.save(path)
    with Deliberation.open(path) as deliberation:
        assert deliberation.agents() == ["Ann"]


@pytest.mark.parametrize(
    ("make", "name", "reason"),
    [
        (sqlite_file, "other.db", "is a SQLite database"),
        (sqlite_file, "other.db-wal", "belongs to the database other.db"),
        (sqlite_file, "other.db-journal", "belongs to the database other.db"),
        (lambda path: os.mkfifo(path), "other.db", "is no regular file"),
    ],
    ids=["database", "log", "journal", "pipe"],
)
def test_save__over_a_database_or_no_file__is_refused(
    tmp_path: Path, make: Callable[[Path], object], name: str, reason: str
) -> None:
    make(tmp_path / "other.db")
    before = sorted(os.listdir(tmp_path))
    for save in (Deliberation().save, lambda path: save_summaries([], path)):
        with pytest.raises(TranscriptError, match=reason):
            save(tmp_path / name)
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.parametrize("name", ["none/out.jsonl", "."])
def test_save__place_that_cannot_be__names_it_and_no_draft(tmp_path: Path, name: str) -> None:
    with pytest.raises(OSError, match="directory") as caught:
        Deliberation().save(tmp_path / name)
    assert caught.value.filename == str(tmp_path / name)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["~no such user/x.jsonl", "a\0b.jsonl"])
def test_load_and_save__name_that_is_no_path__is_an_argument_error(name: str) -> None:
    for act in (Deliberation.load, Deliberation().save, load_summaries):
        with pytest.raises(ArgumentError, match=r"no such home folder|holds a NUL"):
            act(name)


ALIKE = [
    [record(run=1), record(run=2)],
    [record(aggregated_score=0.5), record(aggregated_score=0.25)],
    [record(), record()],
    [
        record(evaluations=[evaluation("Eve", score)], aggregated_score=score)
        for score in (1.0, -1.0)
    ],
    [
        record(proposal={"thought_process": "because", "content": "# A"}),
        record(proposal={"thought_process": "", "content": "# A"}),
        record(proposal={"thought_process": None, "content": "# A"}),
        record(proposal={"content": "# A"}),
    ],
    [record(run=1), record(run=True), record(run=1.0)],
    [record(content="a"), record(content="b"), record(content="a")],
]


@pytest.mark.parametrize("wires", ALIKE)
@pytest.mark.parametrize("before", ["nothing", "the same text", "other text"])
def test_add_transcript__records_of_the_same_text__are_versions_and_stay_so(
    tmp_path: Path, wires: list[dict[str, Any]], before: str
) -> None:
    path = write(tmp_path / "in.jsonl", *wires)
    kept = {"nothing": [], "the same text": wires[:1], "other text": [record(content="X")]}[before]
    with Deliberation() as deliberation, Deliberation() as other:
        if kept:
            deliberation.add_transcript(write(tmp_path / "kept.jsonl", *kept))
        for _ in range(3):
            deliberation.add_transcript(path)
            deliberation.save(tmp_path / "out.jsonl")
            expected = [*(kept if before == "other text" else []), *wires]
            # As JSON, where 1, 1.0 and true are three values.
            assert spelt(read_back(tmp_path / "out.jsonl")) == spelt(expected)
        for _ in range(2):
            assert other.add_deliberation(deliberation) == len(expected)
            assert other.save(tmp_path / "copy.jsonl") == len(expected)
            assert read_back(tmp_path / "copy.jsonl") == expected


def test_add_transcript__record_without_a_field_that_is_kept__is_another_version(
    tmp_path: Path,
) -> None:
    with Deliberation() as deliberation:
        for wire, versions in (
            (record(run=1), 1),
            (record(run=1, model="m"), 1),
            (record(run=1), 2),
            (record(run=2), 3),
        ):
            deliberation.add_transcript(write(tmp_path / "in.jsonl", wire))
            assert len(deliberation.versions("Ann")) == versions


def test_taking_in__other_evaluation_by_the_same_evaluator__leaves_the_first_and_says_so(
    tmp_path: Path,
) -> None:
    path = tmp_path / "in.jsonl"
    with Deliberation() as deliberation:
        first = record(evaluations=[evaluation("Eve", 1.0)], aggregated_score=1.0)
        deliberation.add_transcript(write(path, first))
        again = [evaluation("eve ", -1.0), evaluation("Zoe", 0.25)]
        write(path, record(evaluations=again, aggregated_score=-0.5))
        left = "'eve ' on 'Ann', round 1, version 1"
        message = f"1 evaluation not taken, since the evaluator's earlier one stands: {left}"
        with pytest.warns(TranscriptWarning, match=message):
            report = deliberation.add_transcript(path)
        assert report.left_evaluations == (left,)
        given = [(kept.evaluator_agent_id, kept.evaluation.score)
                 for kept in deliberation.evaluations("Ann")]  # fmt: skip
        assert given == [("Eve", 1.0), ("Zoe", 0.25)]
        assert deliberation.aggregated_score("Ann") == 1.5
        with pytest.warns(TranscriptWarning, match=message):
            deliberation.add_deliberation(Deliberation.load(path))
        assert len(deliberation.evaluations("Ann")) == 2


def test_add_transcript__replacing__keeps_everything_where_the_file_is_bad(tmp_path: Path) -> None:
    path = write(tmp_path / "in.jsonl", record("Ann"))
    with Deliberation() as deliberation:
        kept = deliberation.propose("Zoe", "kept")
        with pytest.raises(FileNotFoundError):
            deliberation.add_transcript(tmp_path / "none.jsonl", replace=True)
        with pytest.raises(TranscriptError):
            deliberation.add_transcript(
                write(tmp_path / "bad.jsonl", record(), {"round": 1}), replace=True
            )
        assert deliberation.proposals() == [kept]
        assert deliberation.add_transcript(path, replace=True).records == 1
        assert deliberation.agents() == ["Ann"]


def test_save__that_fails__leaves_the_deliberation_to_other_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deliberation = Deliberation()
    for number in range(3):
        deliberation.propose(f"Agent {number}", "a")

    def fail(record: object) -> bytes:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("shape_magic.deliberation.transcripts.json_line", fail)
        with pytest.raises(OSError, match="No space") as caught:
            deliberation.save(tmp_path / "out.jsonl")
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        # The error is still held, and with it everything that its traceback holds.
        assert caught.value.errno == 28
        assert executor.submit(deliberation._store.database._lock.acquire, timeout=5).result()


def test_add_transcript__evaluator_who_may_be_two_others__is_taken_as_written(
    tmp_path: Path,
) -> None:
    path = tmp_path / "in.jsonl"
    deliberation = Deliberation()
    for names in (["Judge (a)", "Judge (b)"], ["Judge (a)", "Judge (b)", "Judge"]):
        given = [evaluation(name, 1.0) for name in names]
        deliberation.add_transcript(write(path, record(evaluations=given)))
    assert [kept.evaluator_agent_id for kept in deliberation.evaluations("Ann")] == names


@pytest.mark.parametrize(
    ("first", "second"),
    [("Judge", "Judge (model-x)"), ("Judge (model-x)", "Judge"), ("Judge", " judge")],
)
def test_taking_in__one_evaluator_under_two_names__counts_once(
    tmp_path: Path, first: str, second: str
) -> None:
    deliberation = Deliberation()
    deliberation.add_transcript(
        write(tmp_path / "a.jsonl", record("Ann", evaluations=[evaluation(first, 0.25)]))
    )
    with pytest.warns(TranscriptWarning, match="1 evaluation not taken"):
        deliberation.add_transcript(
            write(tmp_path / "b.jsonl", record("Ann", evaluations=[evaluation(second, 1.0)]))
        )
    other = Deliberation.load(tmp_path / "b.jsonl")
    with pytest.warns(TranscriptWarning, match="1 evaluation not taken"):
        deliberation.add_deliberation(other)
    assert [kept.evaluator_agent_id for kept in deliberation.evaluations("Ann")] == [first]
    assert deliberation.aggregated_score("Ann") == 0.5


def test_load_and_save__arms_and_trials__come_back_and_count_in_no_score(tmp_path: Path) -> None:
    seen = {"digest": "d1", "key": "Candidate_B", "place": 2, "analyzer": "markdown/1"}
    wire = record(
        evaluations=[{**evaluation("Eve", 0.25), "prompt": {**seen, "model": "m"}}],
        aggregated_score=0.5,
        arms={
            "": [{**evaluation("Eve", 0.25), "trial": 2}],
            "control": [evaluation("Eve", -1.0), {**evaluation("Eve", 1.0), "trial": 2}],
        },
    )
    first = Deliberation.load(write(tmp_path / "in.jsonl", wire))
    first.save(tmp_path / "out.jsonl")
    assert read_back(tmp_path / "out.jsonl") == [wire]
    assert first.summarize().proposal_scores[0].aggregated_score == 0.5  # type: ignore[index]
    (control,) = first.summarize(arm="control").proposal_scores or ()
    assert (control.aggregated_score, control.real_eval_count) == (0.0, 1)
    frame = first.evaluations_frame()
    assert frame[["arm", "trial"]].to_numpy().tolist() == [
        ["", 1],
        ["", 2],
        ["control", 1],
        ["control", 2],
    ]
    assert list(frame.loc[0, ["prompt", "key", "place"]]) == ["d1", "Candidate_B", 2]


def test_load__a_long_transcript__takes_at_most_three_times_its_size(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    text = "# Plan\n\n" + "Running text that goes on. " * 200
    wires = [
        record(
            f"Agent {number}",
            proposal={"thought_process": text, "content": f"{text}{number}"},
            evaluations=[{**evaluation("Eve", 0.5), "notes": text}],
        )
        for number in range(300)
    ]
    write(path, *wires)
    del wires
    deliberation = Deliberation.open(tmp_path / "file.db")
    tracemalloc.start()
    deliberation.add_transcript(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    deliberation.close()
    assert most < 3 * path.stat().st_size
