"""`search_deliberation`: every keyword, the filters, and the lines that lead on."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shape_magic.deliberation import Deliberation
from shape_magic.deliberation.read_proposal import ReadProposal
from shape_magic.deliberation.records import ClaimAssessment, Evaluation, EvaluationEntry
from shape_magic.deliberation.search import (
    EvaluationHit,
    ProposalHit,
    SearchDeliberation,
    matched_lines,
)
from shape_magic.errors import ArgumentError, NotFoundError
from shape_magic.lines import split_lines
from tests.strategies import texts


def entry(
    evaluator: str, score: float, justification: str, stance: str, verdict: str, **more: Any
) -> EvaluationEntry:
    return EvaluationEntry(
        evaluator_agent_id=evaluator,
        evaluation=Evaluation(
            score=score,
            justification=justification,
            stance=stance,
            claim_assessments=(ClaimAssessment(claim="it is fast", verdict=verdict),),
        ),
        **more,
    )


@pytest.fixture
def deliberation() -> Deliberation:
    deliberation = Deliberation()
    ann = deliberation.propose("Ann (x)", "# Queue\n\nLatency: 12 ms\n\nCost, latency.\n")
    bob = deliberation.propose("Bob", '{"cache": "latency 3 ms"}', thought_process="COST matters")
    deliberation.propose("Ann (x)", "Nothing of it.", round=2)
    deliberation.add_evaluations(
        [
            (ann, entry("Bob", 0.25, "The latency is wrong.", "disagree", "wrong")),
            (ann, entry("Cleo", 1.0, "Fine.", "agree", "verified", synthetic=True)),
            (bob, entry("Ann (x)", -1.0, "No latency table.", "strong_disagree", "contested")),
        ]
    )
    return deliberation


def places(deliberation: Deliberation, **arguments: Any) -> list[str]:
    """Name each hit by its round and agent, an evaluation by its evaluator too."""
    return [
        f"{hit.round} {hit.agent_id}"
        + (f" < {hit.entry.evaluator_agent_id}" if isinstance(hit, EvaluationHit) else "")
        for hit in deliberation.search(SearchDeliberation(**arguments)).hits
    ]


ANN, BOB, LATER = "1 Ann (x)", "1 Bob", "2 Ann (x)"
BY_BOB, BY_CLEO, BY_ANN = "1 Ann (x) < Bob", "1 Ann (x) < Cleo", "1 Bob < Ann (x)"


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, [ANN, BY_BOB, BY_CLEO, BOB, BY_ANN, LATER]),
        ({"keywords": []}, [ANN, BY_BOB, BY_CLEO, BOB, BY_ANN, LATER]),
        ({"keywords": ["LATENCY"]}, [ANN, BY_BOB, BOB, BY_ANN]),
        ({"keywords": "latency"}, [ANN, BY_BOB, BOB, BY_ANN]),
        # Bob's keywords stand in the solution and in the thoughts.
        ({"keywords": ["latency", "cost"]}, [ANN, BOB]),
        ({"keywords": ["latency", "table"]}, [BY_ANN]),
        ({"keywords": ["queue\n\nlatency"]}, [ANN]),
        ({"keywords": ["%"]}, []),
        ({"keywords": ["lat_ncy"]}, []),
        ({"keywords": ["'; DROP TABLE versions; --"]}, []),
        ({"rounds": [2]}, [LATER]),
        ({"rounds": [2, 7]}, [LATER]),
        # Models send empty lists for filters that they do not want.
        ({"rounds": []}, [ANN, BY_BOB, BY_CLEO, BOB, BY_ANN, LATER]),
        (
            {"agent_ids": [], "stances": [], "verdicts": []},
            [ANN, BY_BOB, BY_CLEO, BOB, BY_ANN, LATER],
        ),
        # More than SQLite takes as parameters of one query.
        ({"rounds": range(2, 300_000)}, [LATER]),
        ({"agent_ids": ["Bob", "bob", " BOB"] * 100_000}, [BOB, BY_ANN]),
        ({"agent_ids": ["bob"]}, [BOB, BY_ANN]),
        ({"agent_ids": ["Ann"], "rounds": [2]}, [LATER]),
        ({"phase": "proposing"}, [ANN, BOB, LATER]),
        ({"phase": "evaluating"}, [BY_BOB, BY_CLEO, BY_ANN]),
        ({"stances": ["disagree", "agree"]}, [BY_BOB, BY_CLEO]),
        ({"verdicts": ["contested"]}, [BY_ANN]),
        ({"stances": ["agree"], "verdicts": ["wrong"]}, []),
        ({"stances": ["agree"], "phase": "proposing"}, []),
        ({"min_score": 0}, [ANN, BY_BOB, BY_CLEO]),
        ({"min_score": -1, "max_score": -1}, [BOB, BY_ANN]),
        ({"max_score": 10**300}, [ANN, BY_BOB, BY_CLEO, BOB, BY_ANN]),
        ({"limit": 2}, [ANN, BY_BOB]),
    ],
)
def test_search__filters__find_just_these(
    deliberation: Deliberation, arguments: dict[str, Any], found: list[str]
) -> None:
    assert places(deliberation, **arguments) == found


def test_search_deliberation__hits__are_written_as_designed(deliberation: Deliberation) -> None:
    assert deliberation.search_deliberation(["latency"], agent_ids=["Ann"]) == (
        '<proposal round="1" agent="Ann (x)" score="0.5" lines="5" matched_lines="3,5">\n'
        "<content># Queue\n\nLatency: 12 ms\n\nCost, latency.\n</content>\n"
        "</proposal>\n"
        '<evaluation round="1" agent="Ann (x)" evaluator="Bob" score="0.25" stance="disagree">\n'
        "<content>The latency is wrong.</content>\n"
        "</evaluation>"
    )


@pytest.mark.parametrize("evaluations", [[0.3], [1.0], [0.1, 0.2, 0.7], [1e-9], [-0.25]])
def test_search_deliberation__score_in_an_answer__finds_it_again(evaluations: list[float]) -> None:
    with Deliberation() as deliberation:
        proposal = deliberation.propose("Ann", "a")
        deliberation.add_evaluations(
            (
                proposal,
                EvaluationEntry(evaluator_agent_id=f"E{n}", evaluation=Evaluation(score=score)),
            )
            for n, score in enumerate(evaluations)
        )
        answer = deliberation.search_deliberation(phase="proposing")
        score = float(answer.split('score="')[1].split('"')[0])
        assert deliberation.search(SearchDeliberation(min_score=score, max_score=score)).hits


def test_search_deliberation__without_keywords__has_no_matched_lines(
    deliberation: Deliberation,
) -> None:
    opening, *_ = deliberation.search_deliberation(rounds=[2]).split("\n")
    assert opening == '<proposal round="2" agent="Ann (x)" lines="1">'


def test_search_deliberation__long_content__is_cut(deliberation: Deliberation) -> None:
    deliberation.propose("Long", "x" * 2_000, round=3)
    deliberation.propose("Longer", "x" * 2_001, round=3)
    answer = deliberation.search_deliberation(["xxx"])
    assert f"<content>{'x' * 2_000}</content>" in answer
    assert f"<content>{'x' * 2_000}...</content>" in answer


def test_search_deliberation__past_the_limit__says_so() -> None:
    deliberation = Deliberation()
    assert deliberation.search_deliberation(["x"]) == "No results: there are no proposals yet."
    for number in range(60):
        deliberation.propose(f"Agent {number:02}", "x")
    for limit, shown in ((10, 10), (50, 50), (10**30, 50)):
        answer = deliberation.search_deliberation(["x"], limit=limit)
        assert answer.count("<proposal ") == shown
        more = ", or raise limit (at most 50)" if shown < 50 else ""
        assert answer.endswith(f"\n[there are more results: narrow the search{more}]")
    assert deliberation.search_deliberation(["y"]) == "No results. There are proposals in rounds 1."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"keywords": ["a", ""]}, "keywords holds an empty text, which would match everything"),
        ({"keywords": [1]}, "each of keywords is a str, not int"),
        ({"keywords": 7}, "keywords is a list of texts, not 7"),
        ({"rounds": ["1"]}, "round is an integer from 0 up, not '1'"),
        ({"rounds": "1"}, "rounds is a list of integers, not '1'"),
        ({"phase": "voting"}, "phase is 'voting'; there are 'proposing', 'evaluating'"),
        (
            {"stances": ["yes"]},
            "stances holds 'yes'; there are 'strong_agree', 'agree', 'neutral', 'disagree', "
            "'strong_disagree'",
        ),
        ({"verdicts": ["true"]}, "verdicts holds 'true'; there are 'verified', 'contested'"),
        ({"min_score": "1"}, "min_score is a number, not '1'"),
        ({"min_score": float("nan")}, "min_score is a finite number, not nan"),
        ({"max_score": 10**400}, "max_score is a finite number"),
        ({"min_score": 1, "max_score": 0}, "min_score 1 is above max_score 0"),
        ({"limit": 0}, "limit is 0, and the least is 1"),
        ({"limit": 1.5}, "limit is an integer from 1 up, not 1.5"),
    ],
)
def test_search__bad_argument__is_one_line_with_the_valid_ones(
    deliberation: Deliberation, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(ArgumentError, match=re.escape(message)):
        deliberation.search(SearchDeliberation(**arguments))


def test_search__unknown_agent__is_an_error_that_names_those_there_are(
    deliberation: Deliberation,
) -> None:
    with pytest.raises(NotFoundError, match=r"no agent is called 'Bop'; there are 'Bob', 'Ann"):
        deliberation.search(SearchDeliberation(agent_ids=["Bop"]))


def test_search__finds_in_the_latest_version_only(deliberation: Deliberation) -> None:
    deliberation.propose("Bob", "Rewritten.", round=1)
    assert places(deliberation, agent_ids=["Bob"]) == [BOB]
    assert places(deliberation, keywords=["cache"]) == []


def contents(deliberation: Deliberation) -> list[tuple[str, str, str]]:
    return [
        (proposal.agent_id, proposal.text, proposal.thought_process)
        for proposal in deliberation.proposals()
    ]


@given(
    st.lists(st.tuples(texts, texts), max_size=4),
    st.lists(st.text(st.characters(), min_size=1, max_size=2), max_size=3),
    st.data(),
)
def test_search__any_texts_and_keywords__equals_a_plain_scan(
    proposals: list[tuple[str, str]], keywords: list[str], data: st.DataObject
) -> None:
    with Deliberation() as deliberation:
        for number, (text, thoughts) in enumerate(proposals):
            deliberation.propose(f"Agent {number}", text, thought_process=thoughts)
        everything = "".join(text + thoughts for _, text, thoughts in contents(deliberation))
        if everything:
            # Such as are surely there, in another case.
            start = data.draw(st.integers(0, len(everything) - 1))
            keywords = [*keywords, everything[start : start + data.draw(st.integers(1, 5))].upper()]
        wanted = [keyword.lower() for keyword in keywords]
        expected = [
            agent_id
            for agent_id, text, thoughts in contents(deliberation)
            if all(word in text.lower() or word in thoughts.lower() for word in wanted)
        ]
        found = deliberation.search(SearchDeliberation(keywords=keywords))
        assert [hit.agent_id for hit in found.hits] == expected
        for hit in found.hits:
            assert isinstance(hit, ProposalHit)
            lines = split_lines(hit.content)
            assert (
                list(hit.matched_lines)
                == [
                    number
                    for number, line in enumerate(lines, start=1)
                    if any(word in line.lower() for word in wanted)
                ][:20]
            )
            for number in hit.matched_lines:
                answer = deliberation.read(
                    ReadProposal(agent_id=hit.agent_id, from_line=number, to_line=number)
                )
                assert any(word in answer.lines[0].lower() for word in wanted)


@st.composite
def evaluated(draw: st.DrawFn) -> list[tuple[str, str, list[Evaluation]]]:
    """Draw proposals, each a text, thoughts and what was said of it."""
    evaluations = st.builds(
        Evaluation,
        score=st.none() | st.sampled_from([-0.25, 0.0, 0.25, 1.0]),
        justification=st.none() | texts,
        stance=st.none() | st.sampled_from(["agree", "Disagree"]),
    )
    said = st.lists(evaluations, max_size=3)
    return draw(st.lists(st.tuples(texts, texts, said), min_size=1, max_size=4))


@given(
    evaluated(),
    st.lists(st.text(st.characters(), min_size=1, max_size=2), max_size=1),
    st.none() | st.sampled_from(["proposing", "evaluating"]),
    st.none() | st.just("disagree"),
    st.none() | st.sampled_from([-0.5, 0.5]),
    st.data(),
)
def test_search__any_evaluations_and_filters__equals_a_plain_scan(
    proposals: list[tuple[str, str, list[Evaluation]]],
    keywords: list[str],
    phase: str | None,
    stance: str | None,
    low: float | None,
    data: st.DataObject,
) -> None:
    with Deliberation() as deliberation:
        for number, (text, thoughts, said) in enumerate(proposals):
            proposal = deliberation.propose(f"Agent {number}", text, thought_process=thoughts)
            deliberation.add_evaluations(
                (proposal, EvaluationEntry(evaluator_agent_id=f"Judge {judge}", evaluation=given))
                for judge, given in enumerate(said)
            )
        everything = "".join(
            text + thoughts + "".join(given.justification or "" for given in said)
            for text, thoughts, said in proposals
        )
        if everything:
            start = data.draw(st.integers(0, len(everything) - 1))
            keywords = [*keywords, everything[start : start + data.draw(st.integers(1, 3))].upper()]

        def holds(*parts: str | None) -> bool:
            lowered = [(part or "").lower() for part in parts]
            return all(any(keyword.lower() in part for part in lowered) for keyword in keywords)

        expected: list[str] = []
        for proposal in deliberation.proposals():
            (record,) = (
                record
                for record in deliberation.records()
                if record.author_agent_id == proposal.agent_id
            )
            score = record.aggregated_score
            if low is not None and (score is None or score < low):
                continue
            if (
                phase != "evaluating"
                and stance is None
                and holds(proposal.text, proposal.thought_process)
            ):
                expected.append(f"1 {proposal.agent_id}")
            if phase != "proposing":
                expected += [
                    f"1 {proposal.agent_id} < {entry.evaluator_agent_id}"
                    for entry in record.evaluations or ()
                    if holds(entry.evaluation.justification)
                    and (stance is None or (entry.evaluation.stance or "").lower() == stance)
                ]
        found = places(
            deliberation,
            keywords=keywords,
            phase=phase,
            stances=None if stance is None else [stance],
            min_score=low,
            limit=50,
        )
        assert found == expected


@pytest.mark.parametrize(
    ("text", "keywords", "numbers"),
    [
        ("a\nb\nA\n", ["a"], (1, 3)),
        ("a\r\n\rb\u2028a\n", ["a"], (1, 3)),
        ("İstanbul\nISTANBUL", ["istanbul"], (2,)),
        ("\u0391\u03a3\n\u03b1\u03c2", ["\u0391\u03a3"], (1, 2)),
        ("x\n" * 30, ["x"], tuple(range(1, 21))),
        ("x", [], ()),
    ],
    ids=["case", "line endings", "dotted capital", "final sigma", "first 20", "no keyword"],
)
def test_matched_lines__compares_in_lower_case(
    text: str, keywords: list[str], numbers: tuple[int, ...]
) -> None:
    assert matched_lines(text, keywords) == numbers
