"""A file of an older release is brought forward whole, or left as it is."""

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from shape_magic.analyzers.json import JsonAnalyzer
from shape_magic.deliberation import Deliberation
from shape_magic.deliberation.schema import SCHEMA_VERSION
from shape_magic.errors import StoreError

DATA = Path(__file__).parent / "data"
"""What release 0.1.0 wrote: a file, and the transcript that it saved of it."""


@pytest.fixture
def file_of_0_1_0(tmp_path: Path) -> Path:
    return Path(shutil.copy(DATA / "release-0.1.0.db", tmp_path / "file.db"))


def version_of(path: Path) -> int:
    connection = sqlite3.connect(path)
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    connection.close()
    return int(version)


def test_open__file_of_0_1_0__has_all_that_it_had(file_of_0_1_0: Path, tmp_path: Path) -> None:
    assert version_of(file_of_0_1_0) == 1
    with Deliberation.open(file_of_0_1_0) as deliberation:
        deliberation.save(tmp_path / "saved.jsonl")
        assert [(proposal.agent_id, proposal.version) for proposal in deliberation.proposals()] == [
            ("Ann (model-x)", 2),
            ("Bob", 1),
            ("Bob", 1),
            ("Cleo", 1),
        ]
        (of_json,) = [proposal for proposal in deliberation.proposals() if proposal.kind == "json"]
        assert of_json.measurement.meanings == JsonAnalyzer().meanings
        assert deliberation.summarize(1).proposal_scores
        assert deliberation.evaluations_frame()["arm"].tolist() == ["", "", "", ""]
    before = (DATA / "release-0.1.0.jsonl").read_text(encoding="utf-8").splitlines()
    after = (tmp_path / "saved.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in after] == [json.loads(line) for line in before]
    assert version_of(file_of_0_1_0) == SCHEMA_VERSION


def test_propose__what_0_1_0_measured__again_adds_no_measurement_of_the_same(
    file_of_0_1_0: Path,
) -> None:
    with Deliberation.open(file_of_0_1_0) as deliberation:
        before = deliberation.proposal("Bob", round=1)
        again = deliberation.propose("Bob", before.content, round=1)
        assert (again.version, again.measurement) == (1, before.measurement)
        assert len(deliberation.measurements(again)) == 1


def test_open__a_step_that_fails__leaves_the_older_file_as_it_is(
    file_of_0_1_0: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = sqlite3.connect(file_of_0_1_0)
    connection.execute("UPDATE versions SET unknown = X'7B' WHERE unknown IS NOT NULL")
    connection.commit()
    dump = list(connection.iterdump())
    connection.close()
    with pytest.raises(StoreError, match="file is damaged: a record cannot be read"):
        Deliberation.open(file_of_0_1_0)
    connection = sqlite3.connect(file_of_0_1_0)
    assert list(connection.iterdump()) == dump
    connection.close()
    assert version_of(file_of_0_1_0) == 1
