"""What is removed, and what then is not there."""

import pytest

from shape_magic.deliberation import Deliberation
from shape_magic.errors import (
    ArgumentError,
    NotFoundError,
)
from tests.deliberations import entry, everything, filled

ALL = {(a, r, v) for a in ("Ann", "Bob") for r in (1, 2) for v in (1, 2)}


@pytest.mark.parametrize(
    ("arguments", "removed"),
    [
        ({"agent_id": "ann"}, {row for row in ALL if row[0] == "Ann"}),
        ({"round": 1}, {row for row in ALL if row[1] == 1}),
        ({"agent_id": "Bob", "round": 2}, {("Bob", 2, 1), ("Bob", 2, 2)}),
        ({"agent_id": "Bob", "round": 2, "version": 1}, {("Bob", 2, 1)}),
        ({"agent_id": "Bob", "round": 2, "version": 2}, {("Bob", 2, 2)}),
    ],
    ids=["agent", "round", "proposal", "earlier version", "latest version"],
)
def test_remove__takes_just_what_is_named(
    deliberation: Deliberation, arguments: dict[str, object], removed: set[tuple[str, int, int]]
) -> None:
    filled(deliberation)
    assert deliberation.remove(**arguments) == len(removed)  # type: ignore[arg-type]
    assert everything(deliberation) == ALL - removed
    # The highest version that is left is the one that everything reads.
    for proposal in deliberation.proposals():
        assert proposal == deliberation.versions(proposal.agent_id, round=proposal.round)[-1]
    with deliberation._store.database.reading() as connection:
        (orphans,) = connection.execute(
            "SELECT count(*) FROM evaluations WHERE proposal NOT IN (SELECT id FROM versions)"
        ).fetchone()
    assert orphans == 0


def test_remove__nothing_named_or_nothing_there__is_an_error(deliberation: Deliberation) -> None:
    filled(deliberation)
    with pytest.raises(ArgumentError, match=r"reset\(\) removes everything"):
        deliberation.remove()
    with pytest.raises(ArgumentError, match="give round, too"):
        deliberation.remove("Ann", version=1)
    with pytest.raises(NotFoundError, match="round 9 has no proposals; there are rounds 1, 2"):
        deliberation.remove(round=9)
    with pytest.raises(NotFoundError, match="no agent is called 'Zed'"):
        deliberation.remove("Zed")
    assert everything(deliberation) == ALL


@pytest.mark.parametrize("number", [2**63, 2**70, 10**5000], ids=["64 bits", "70 bits", "long"])
def test_version__that_no_column_holds__is_an_argument_error(
    deliberation: Deliberation, number: int
) -> None:
    filled(deliberation)
    for act in (
        deliberation.proposal,
        deliberation.remove,
        deliberation.evaluations,
        deliberation.aggregated_score,
    ):
        with pytest.raises(ArgumentError, match=r"^version is .*, and the highest is"):
            act("Ann", round=1, version=number)


def test_exact_id__of_another_round__is_not_taken_for_a_name(deliberation: Deliberation) -> None:
    deliberation.propose("Ann", "exact", round=1)
    model = deliberation.propose("Ann (m)", "model", round=2)
    message = "'Ann' has no proposal in round 2; it proposed in rounds 1"
    for act in (
        deliberation.remove,
        deliberation.proposal,
        deliberation.versions,
        deliberation.evaluations,
        deliberation.read_proposal,
    ):
        with pytest.raises(NotFoundError, match=message):
            act("Ann", round=2)
    # Where no id is exact, the name is enough.
    assert deliberation.proposal("ann (M)", round=2) == model
    assert deliberation.proposals(round=2) == [model]


def test_proposal__whose_version_was_given_to_another__is_not_kept_any_more(
    deliberation: Deliberation,
) -> None:
    deliberation.propose("Ann", "a")
    for text, thoughts in (("c", ""), ("b", "others")):
        gone = deliberation.propose("Ann", "b", thought_process="because")
        deliberation.remove("Ann", round=1, version=2)
        assert deliberation.propose("Ann", text, thought_process=thoughts).version == 2
        for act in (
            lambda gone=gone: deliberation.add_evaluations([(gone, entry("Eve", 1.0))]),
            lambda gone=gone: deliberation.aggregated_score(gone),
            lambda gone=gone: deliberation.evaluations(gone),
        ):
            with pytest.raises(NotFoundError, match="the one that was given is not kept any more"):
                act()
        deliberation.remove("Ann", round=1, version=2)
    (proposal,) = deliberation.versions("Ann")
    deliberation.remove("Ann")
    deliberation.propose("Ann (m)", "a")
    with pytest.raises(NotFoundError, match="not kept any more"):
        deliberation.aggregated_score(proposal)


def test_reset__removes_everything(deliberation: Deliberation) -> None:
    filled(deliberation)
    assert deliberation.reset() == 8
    assert (deliberation.proposals(), deliberation.current_round) == ([], 1)
