"""What a deliberation keeps beside proposals: measurements, arms, prompts, replies and tasks."""

from collections.abc import Iterator

import msgspec
import pytest

from shape_magic import measure
from shape_magic.deliberation.database import Database
from shape_magic.deliberation.records import ShownCandidate
from shape_magic.deliberation.store import (
    KeptCandidate,
    KeptPrompt,
    Store,
    aggregated_score,
    measurement_columns,
)
from shape_magic.deliberation.transcripts import copy_all
from shape_magic.errors import ArgumentError, StoreError
from shape_magic.shape import Measurement
from tests.deliberations import entry


@pytest.fixture
def store() -> Iterator[Store]:
    database = Database()
    yield Store(database)
    database.close()


def propose(store: Store, agent_id: str, text: str, measurement: Measurement | None = None) -> int:
    measured = measurement_columns(measurement or measure(text), content=text)
    return store.propose(agent_id, measured, round=1, content=text, thoughts="").id


def renamed(text: str) -> Measurement:
    """Measure a text as another analyzer does, whose figures are the same."""
    return msgspec.structs.replace(measure(text), analyzer="other/1")


def prompt(store: Store, digest: str = "d1\ud800") -> KeptPrompt:
    row = store.row("Ann", round=1)
    assert row is not None
    return KeptPrompt(
        digest=digest,
        round=1,
        evaluator="Eve",
        template="short",
        task="decide \ud800",
        seed=7,
        anonymous=True,
        text="the text",
        candidates=(KeptCandidate(1, "Candidate_A", "Ann", row.version, row.id, row.measurement),),
    )


def test_measurements__of_one_text__stand_beside_each_other(store: Store) -> None:
    first = propose(store, "Ann", "# A")
    assert propose(store, "Ann", "# A", renamed("# A")) == first
    assert propose(store, "Ann", "# A", renamed("# A")) == first
    analyzers = [columns.analyzer for columns in store.measurements(first).values()]
    assert analyzers == [measure("# A").analyzer.encode(), b"other/1"]
    assert store.proposal(store.row_by_id(first)).analyzer == "other/1"


def test_evaluations__keep_the_measurement_and_the_arm_they_were_given_under(store: Store) -> None:
    row_id = propose(store, "Ann", "# A")
    (first,) = store.measurements(row_id)
    store.add_evaluations(row_id, [entry("Eve", 0.25)])
    propose(store, "Ann", "# A", renamed("# A"))
    store.add_evaluations(row_id, [entry("Eve", 1.0)], arm="short")
    with store.evaluations(row_id=row_id) as kept:
        (shown, of_arm) = kept
    assert (shown.arm, shown.measurement) == ("", first)
    assert (of_arm.arm, of_arm.measurement > first) == ("short", True)
    assert store.row_by_id(row_id).aggregated_score == 0.5
    assert store.arms() == ["", "short"]
    assert store.remove_evaluations(row_id, evaluator="Eve", arm="short") == 1
    assert [kept_entry.evaluation.score for kept_entry in store.entries(row_id, arm=None)] == [0.25]


def test_evaluations__by_default__are_of_latest_versions_no_arm_and_the_first_trial(
    store: Store,
) -> None:
    first = propose(store, "Ann", "# A")
    store.add_evaluations(first, [entry("Eve", 0.25)])
    second = propose(store, "Ann", "# B")
    again = msgspec.structs.replace(entry("Cleo", 1.0), trial=2)
    store.add_evaluations(second, [entry("Bob", 0.5), again])
    store.add_evaluations(second, [entry("Dan", -1.0)], arm="short")
    with store.evaluations() as kept, store.evaluation_columns() as columns:
        assert [each.entry.evaluation.score for each in kept] == [0.5, 1.0, -1.0]
        assert len(list(columns)) == 3
    with store.evaluations(latest=False) as kept:
        assert [each.entry.evaluation.score for each in kept] == [0.25, 0.5, 1.0, -1.0]
    assert [given.evaluation.score for given in store.entries(second)] == [0.5, 1.0]
    assert store.evaluators(second) == ["Bob"]
    assert store.evaluators(second, trial=2) == ["Cleo"]
    assert store.evaluators(second, arm="short") == ["Dan"]


def test_aggregated_score__trials__are_averaged_before_evaluators() -> None:
    trials = [msgspec.structs.replace(entry("Eve", s), trial=n) for n, s in ((1, 0.5), (2, -0.0))]
    assert aggregated_score([*trials, entry("Bob", 0.25)]) == 1.0
    # Two of one trial, as a record may have them, are two evaluations.
    assert aggregated_score([entry("Eve", 0.25), entry("Eve", 0.25)]) == 1.0


def test_prompt__kept__comes_back_equal(store: Store) -> None:
    propose(store, "Ann", "# A")
    kept = prompt(store)
    store.keep_prompt(kept)
    assert store.prompt(kept.digest) == kept
    assert store.prompts(round=1) == [kept]
    assert store.prompts(round=2) == []
    assert store.prompt("other") is None


def test_prompt__shown_again__is_the_last_one(store: Store) -> None:
    propose(store, "Ann", "# A")
    first, second = prompt(store, "d1"), prompt(store, "d2")
    for kept in (first, second, first):
        store.keep_prompt(kept)
    assert store.prompts() == [second, first]


def test_prompt__whose_version_was_removed__still_tells_its_candidates(store: Store) -> None:
    propose(store, "Ann", "# A")
    store.keep_prompt(prompt(store, "d1"))
    store.remove(agent_id="Ann")
    # An id that is free again is given to the next version, which was not shown.
    propose(store, "Bob", "# B")
    kept = store.prompt("d1")
    assert kept is not None
    assert kept.candidates == (KeptCandidate(1, "Candidate_A", "Ann", 1, None, None),)


def test_template__another_wording_under_a_name__is_refused(store: Store) -> None:
    store.keep_template("short", digest="abc", content="{}")
    store.keep_template("short", digest="abc", content="{}")
    with pytest.raises(ArgumentError, match="'short' has another wording here than before"):
        store.keep_template("short", digest="def", content="{}")
    assert store.template("short") == ("abc", "{}")
    assert store.template("long") is None


def test_task__set_again__is_the_new_one(store: Store) -> None:
    assert store.task(1) is None
    store.set_task(1, "a")
    store.set_task(1, "b \ud800")
    assert store.tasks() == {1: "b \ud800"}


def test_reply__is_asked_for_once(store: Store) -> None:
    assert store.start_reply("d1", "judge")
    # The process died before the reply came.
    assert store.start_reply("d1", "judge")
    store.keep_reply("d1", "judge", reply="{\ud800", seconds=1.5, usage={"in": 3})
    assert not store.start_reply("d1", "judge")
    assert store.start_reply("d1", "judge", attempt=2)
    store.keep_reply("d1", "judge", attempt=2, error="429")
    assert not store.start_reply("d1", "judge", attempt=2)
    store.close_reply("d1", "judge", outcome="refused", problems=["no JSON"])
    first, second = store.replies(prompt="d1", judge="judge")
    assert (first.reply, first.seconds, first.usage) == ("{\ud800", 1.5, {"in": 3})
    assert (first.outcome, first.problems) == ("refused", ("no JSON",))
    assert (second.reply, second.error, second.outcome) == (None, "429", "")
    assert store.replies(judge="other") == []


def test_reply__that_nobody_asked_for__is_an_error(store: Store) -> None:
    with pytest.raises(StoreError, match="no reply of 'judge' to the prompt d1 was asked for"):
        store.keep_reply("d1", "judge", reply="x")


def test_copy__takes_all_that_evaluators_were_shown(store: Store) -> None:
    row_id = propose(store, "Ann", "# A")
    store.add_evaluations(row_id, [entry("Eve", 0.25)])
    propose(store, "Ann", "# A", renamed("# A"))
    seen = ShownCandidate(digest="d1", key="Candidate_A", place=1, analyzer="other/1")
    trial = msgspec.structs.replace(entry("Eve", 1.0), trial=2, prompt=seen)
    store.add_evaluations(row_id, [trial], arm="short")
    store.keep_template("short", digest="abc", content="{}")
    store.keep_prompt(prompt(store, "d1"))
    store.start_reply("d1", "judge")
    store.set_task(1, "decide")
    database = Database()
    target = Store(database)
    propose(target, "Aaron", "other")
    assert copy_all(store, target) == (1, [])
    assert copy_all(store, target) == (1, [])
    there = target.row("Ann")
    assert there is not None
    assert list(target.measurements(there.id).values()) == list(store.measurements(row_id).values())
    assert target.entries(there.id, arm=None) == store.entries(row_id, arm=None)
    with target.evaluations(row_id=there.id) as kept:
        assert [evaluation.measurement for evaluation in kept] == sorted(
            target.measurements(there.id)
        )
    copied = target.prompt("d1")
    assert copied is not None
    assert copied.candidates == (
        KeptCandidate(1, "Candidate_A", "Ann", 1, there.id, there.measurement),
    )
    assert target.templates() == store.templates()
    assert target.replies() == store.replies()
    assert target.tasks() == {1: "decide"}
    database.close()


def test_remove__everything__leaves_no_prompt_and_no_reply(store: Store) -> None:
    propose(store, "Ann", "# A")
    store.keep_prompt(prompt(store))
    store.keep_template("short", digest="abc", content="{}")
    store.start_reply("d1", "judge")
    store.set_task(1, "decide")
    assert store.remove() == 1
    assert (store.prompts(), store.templates(), store.replies(), store.tasks()) == ([], {}, [], {})


def test_remove__a_version_of_every_round__leaves_each_a_latest(store: Store) -> None:
    for number in (1, 2):
        for text in ("x", "y"):
            measured = measurement_columns(measure(text), content=text)
            store.propose("Ann", measured, round=number, content=text, thoughts="")
    assert store.remove(agent_id="Ann", version=2) == 2
    with store.rows() as rows:
        assert [(row.round, row.version) for row in rows] == [(1, 1), (2, 1)]
