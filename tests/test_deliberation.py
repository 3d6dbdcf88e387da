"""Proposals in rounds: proposed and listed, the round's prompt, and the file they are kept in."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shape_magic.analyzers.json import JsonAnalyzer
from shape_magic.analyzers.markdown import MarkdownAnalyzer
from shape_magic.analyzers.registry import Registry
from shape_magic.deliberation import Deliberation
from shape_magic.deliberation.search import SearchDeliberation
from shape_magic.errors import (
    AnalyzerError,
    ArgumentError,
    NotFoundError,
)
from shape_magic.prompting.candidate import Candidate
from shape_magic.prompting.evaluation import evaluation_text
from shape_magic.prompting.template import EvaluationTemplate
from shape_magic.shape import Measurement
from tests.deliberations import everything, filled
from tests.strategies import texts

ids = st.text(st.characters(), min_size=1) | st.sampled_from(
    ["'", '"; DROP TABLE versions;--', "%", "_", "<b>", "a\nb", "\U0001f600", "x" * 10_000, "A (m)"]
)

NAMES = ("Ann", "Bob")


@given(ids, texts, texts, st.integers(0, 2**63 - 1))
def test_propose__any_text__comes_back_equal(
    agent_id: str, content: str, thoughts: str, number: int
) -> None:
    with Deliberation() as deliberation:
        made = deliberation.propose(agent_id, content, round=number, thought_process=thoughts)
        assert (made.agent_id, made.content, made.thought_process, made.round) == (
            agent_id,
            content,
            thoughts,
            number,
        )
        assert made.measurement == deliberation.registry.measure(content)
        assert deliberation.proposal(agent_id) == made
        assert deliberation.agents() == [agent_id]
        assert deliberation.current_round == number
        assert agent_id in {hit.agent_id for hit in deliberation.search(SearchDeliberation()).hits}


def test_propose__without_a_round__is_of_the_current_one(deliberation: Deliberation) -> None:
    assert deliberation.current_round == 1
    assert deliberation.propose("Ann", "a").round == 1
    assert deliberation.propose("Bob", "b", round=3).round == 3
    assert deliberation.propose("Ann", "a").round == 3
    assert deliberation.rounds() == [1, 3]


def test_propose__other_text__is_a_new_version(deliberation: Deliberation) -> None:
    first = deliberation.propose("Ann", "a")
    second = deliberation.propose("Ann", "# b")
    assert (first.version, second.version) == (1, 2)
    assert (first.previous_shape, second.previous_shape) == (None, first.shape)
    assert deliberation.versions("Ann") == [first, second]
    assert deliberation.proposals() == [second]
    assert deliberation.proposal("Ann", version=1) == first


def test_propose__same_text__is_no_new_version(deliberation: Deliberation) -> None:
    first = deliberation.propose("Ann", "a", thought_process="because")
    assert deliberation.propose("Ann", "a", thought_process="because") == first
    assert deliberation.propose("Ann", "a") == first
    # Back to an earlier text is a change, too.
    versions = [deliberation.propose("Ann", text).version for text in ("b", "a")]
    assert versions == [2, 3]


def test_propose__other_thoughts__are_a_new_version(deliberation: Deliberation) -> None:
    deliberation.propose("Ann", "a", thought_process="because")
    second = deliberation.propose("Ann", "a", thought_process="why not")
    assert second.version == 2
    assert [proposal.thought_process for proposal in deliberation.versions("Ann")] == [
        "because",
        "why not",
    ]


def test_previous_shape__is_of_the_latest_earlier_version(deliberation: Deliberation) -> None:
    for number, text in ((1, "a"), (1, "bb"), (4, "dddd"), (3, "ccc")):
        deliberation.propose("Ann", text, round=number)
    deliberation.propose("Bob", "unrelated", round=2)
    previous = deliberation.proposal("Ann", round=3).previous_shape
    assert previous is not None
    assert previous.chars == 2
    previous = deliberation.proposal("Ann", round=4).previous_shape
    assert previous is not None
    assert previous.chars == 3


class NewerMarkdown(MarkdownAnalyzer):
    version = "next"  # type: ignore[misc]

    def measure(self, text: str) -> Measurement:
        return msgspec.structs.replace(super().measure(text), analyzer="markdown/next")


def test_measurement__by_an_older_analyzer__stands_until_proposed_again(tmp_path: Path) -> None:
    path = tmp_path / "file.db"
    with Deliberation.open(path) as deliberation:
        before = deliberation.propose("Ann", "a")
    registry = Registry([JsonAnalyzer()], fallback=NewerMarkdown())
    with Deliberation.open(path, registry=registry) as deliberation:
        assert deliberation.proposal("Ann") == before
        renewed = deliberation.propose("Ann", "a")
        assert (renewed.version, renewed.analyzer) == (1, "markdown/next")
        assert deliberation.proposal("Ann") == renewed


def test_propose__with_an_analyzer__is_measured_by_it(deliberation: Deliberation) -> None:
    assert deliberation.propose("Ann", "[1]", analyzer="markdown").text == "[1]"
    assert deliberation.propose("Ann", "[1]").text == "[\n  1\n]"
    assert deliberation.read_proposal("Ann", from_line=2, to_line=2).count("   2|   1\n") == 1
    with pytest.raises(AnalyzerError, match="no analyzer is called 'yaml'"):
        deliberation.propose("Ann", "b", analyzer="yaml")
    assert len(deliberation.versions("Ann")) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("", "x"), "agent_id is empty; an agent is named by at least one character"),
        ((1, "x"), "agent_id is a str, not int"),
        (("A", b"x"), "content is a str, not bytes"),
        (("A", "x", -1), "round is -1, and the least is 0"),
        (("A", "x", True), "round is an integer from 0 up, not True"),
        (("A", "x", 10**5000), f"round is about 10**5000, and the highest is {2**63 - 1}"),
        (("A", "x", 2**63), f"round is {2**63}, and the highest is {2**63 - 1}"),
    ],
)
def test_propose__bad_argument__is_one_clear_line(
    deliberation: Deliberation, arguments: tuple[str, str, int], message: str
) -> None:
    agent_id, content, *rounds = arguments
    with pytest.raises(ArgumentError) as caught:
        deliberation.propose(agent_id, content, round=rounds[0] if rounds else None)
    assert str(caught.value) == message
    assert deliberation.proposals() == []


def test_lists__are_by_round_and_agent(deliberation: Deliberation) -> None:
    for agent_id, number in (("Zoe", 1), ("Ann", 2), ("Bob", 1), ("Ann", 1)):
        deliberation.propose(agent_id, "x", round=number)
    found = [(proposal.round, proposal.agent_id) for proposal in deliberation.proposals()]
    assert found == [(1, "Ann"), (1, "Bob"), (1, "Zoe"), (2, "Ann")]
    assert [proposal.agent_id for proposal in deliberation.proposals(round=2)] == ["Ann"]
    assert deliberation.agents() == ["Ann", "Bob", "Zoe"]
    assert deliberation.agents(round=2) == ["Ann"]
    assert deliberation.proposals(round=9) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"agent_id": "Bo"}, "no agent is called 'Bo'; there are 'Bob', 'Ann'"),
        (
            {"agent_id": "Bob", "round": 2},
            "'Bob' has no proposal in round 2; it proposed in rounds 1",
        ),
        ({"agent_id": "Ann", "round": 5}, "round 5 has no proposals; there are rounds 1, 2"),
        ({"agent_id": "Ann", "version": 7}, "'Ann' has no version 7; there are 1, 2"),
        (
            {"agent_id": "Ann", "round": 1, "version": 2},
            "'Ann' has no version 2 in round 1; there are 1",
        ),
    ],
)
def test_proposal__that_is_not_there__names_those_that_are(
    deliberation: Deliberation, arguments: dict[str, object], message: str
) -> None:
    for agent_id, number, text in (
        ("Ann", 1, "x"),
        ("Bob", 1, "x"),
        ("Ann", 2, "x"),
        ("Ann", 2, "y"),
    ):
        deliberation.propose(agent_id, text, round=number)
    with pytest.raises(NotFoundError) as caught:
        deliberation.proposal(**arguments)  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_evaluation_prompt__is_that_of_the_round(deliberation: Deliberation) -> None:
    filled(deliberation)
    candidates = [Candidate(name, deliberation.registry.measure(f"{name} 1 y")) for name in NAMES]
    default = EvaluationTemplate.default()
    for template in (default, default.without_shape()):
        prompt = deliberation.evaluation_prompt(task="Choose.", round=1, template=template)
        assert str(prompt) == evaluation_text(
            template, task="Choose.", round=1, candidates=candidates
        )
    assert "FINAL SOLUTION: Ann 2 y" in deliberation.evaluation_prompt(task="Choose.").text
    with pytest.raises(NotFoundError, match="round 7 has no proposals; there are rounds 1, 2"):
        deliberation.evaluation_prompt(task="Choose.", round=7)


def test_evaluation_prompt__where_nobody_has_proposed__says_so() -> None:
    with pytest.raises(NotFoundError, match="round 1 has no proposals; nobody has proposed"):
        Deliberation().evaluation_prompt(task="Choose.")


def test_open__again__gives_everything_back(tmp_path: Path) -> None:
    path = tmp_path / "file.db"
    with Deliberation.open(path) as deliberation:
        filled(deliberation)
        before = deliberation.proposals(), deliberation.records(), deliberation.current_round
    with Deliberation.open(path) as deliberation:
        assert (
            deliberation.proposals(),
            deliberation.records(),
            deliberation.current_round,
        ) == before
        assert deliberation.path == path


def test_add_deliberation__copies_versions_and_evaluations_once(tmp_path: Path) -> None:
    with Deliberation() as source, Deliberation.open(tmp_path / "file.db") as target:
        filled(source)
        source.propose("Cleo", "[1]", analyzer="markdown")
        for _ in range(2):
            assert target.add_deliberation(source) == 9
            assert everything(target) == everything(source)
            assert target.proposals() == source.proposals()
            assert target.records() == source.records()


@pytest.mark.parametrize(
    ("fill", "shown"),
    [
        (False, "<Deliberation in memory: empty>"),
        (True, "<Deliberation in memory: 4 proposals, agents 'Ann', 'Bob', rounds 1, 2>"),
    ],
)
def test_repr__says_what_there_is(fill: bool, shown: str) -> None:
    deliberation = Deliberation()
    if fill:
        filled(deliberation)
    assert repr(deliberation) == shown


def test_integers__of_other_packages__are_taken() -> None:
    numpy = pytest.importorskip("numpy")
    deliberation = Deliberation()
    deliberation.propose("Ann", "a\nb", round=numpy.int64(2))
    assert deliberation.summarize(numpy.int64(2)).round == 2
    assert deliberation.proposal("Ann", round=numpy.uint8(2), version=numpy.int64(1)).round == 2
    answer = deliberation.read_proposal("Ann", from_line=numpy.int64(2), limit=numpy.int32(9))
    assert '<lines from="2" to="2" total="2">' in answer
    assert "No results" in deliberation.search_deliberation(rounds=[numpy.int64(1)])
    assert "<proposal" in deliberation.search_deliberation(rounds=numpy.array([2]))
    assert "No results" in deliberation.search_deliberation(min_score=numpy.float64(0.5))
    for number in deliberation.to_frame()["round"].unique():
        deliberation.summarize(number)


def test_propose_many__one_that_cannot_be__stores_none() -> None:
    deliberation = Deliberation()
    with pytest.raises(ArgumentError, match="agent_id is empty"):
        deliberation.propose_many([("Ann", "a"), ("", "b")])
    with pytest.raises(ArgumentError, match="each of proposals is an agent's id, a content"):
        deliberation.propose_many([("Ann",)])
    assert deliberation.agents() == []


def test_propose_many__a_list__is_one_round_in_order() -> None:
    deliberation = Deliberation()
    deliberation.propose("Zoe", "z", round=3)
    given = [("Ann", "a", "because"), ("Bob", "b"), ("Ann", "c")]
    made = deliberation.propose_many(given)
    assert [(proposal.agent_id, proposal.round, proposal.version) for proposal in made] == [
        ("Ann", 3, 1),
        ("Bob", 3, 1),
        ("Ann", 3, 2),
    ]
    assert made[0].thought_process == "because"
