"""A model's reply: taken whole, or not at all and with every reason named."""

import copy
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shape_magic.deliberation import Deliberation
from shape_magic.deliberation.reply import reply_object
from shape_magic.errors import ArgumentError, NotFoundError, ReplyError, ShapeMagicError
from shape_magic.vocabulary import CATEGORY_NAMES


def evaluation(agent_id: Any, /, **changes: Any) -> dict[str, Any]:
    return {
        "agent_id": agent_id,
        "score": 0.5,
        "justification": "L3 says so",
        "stance": "agree",
        "claim_assessments": [{"claim": "it is fast", "verdict": "verified"}],
        "category_scores": {**dict.fromkeys(CATEGORY_NAMES, 10), "conciseness": -20},
        **changes,
    }


def nested(depth: int) -> object:
    value: object = 0
    for _ in range(depth):
        value = [value]
    return value


def reply_of(*evaluations: dict[str, Any]) -> dict[str, Any]:
    return {"evaluations": list(evaluations)}


@pytest.fixture
def deliberation() -> Deliberation:
    made = Deliberation()
    for agent_id in ("Ann", "Bob (model-x)", "Cleo"):
        made.propose(agent_id, f"# {agent_id}\n\nA plan.\n")
    return made


BARE = json.dumps(reply_of(evaluation("Ann"), evaluation("Cleo")))


@pytest.mark.parametrize(
    "reply",
    [
        BARE,
        f"\n\n{BARE}\n",
        f"```json\n{BARE}\n```",
        f"~~~\n{BARE}\n~~~",
        f"My {{honest}} view:\n\n```json\n{json.dumps(json.loads(BARE), indent=2)}\n```\nEnd.",
        f'I looked at {{"chars": 12}} first. {BARE} And {{"that": "is all"}}.',
        f"\ufeff{BARE}",
        json.loads(BARE),
    ],
)
def test_reply__is_taken_bare_in_a_fence_or_with_words_around_it(
    deliberation: Deliberation, reply: str
) -> None:
    taken = deliberation.evaluate("Bob", reply)
    assert taken.evaluator_agent_id == "Bob (model-x)"
    assert [one.agent_id for one in taken.evaluations] == ["Ann", "Cleo"]
    assert taken.not_evaluated == ()
    (entry,) = deliberation.evaluations("Ann")
    assert entry.evaluator_agent_id == "Bob (model-x)"
    assert not entry.synthetic
    assert entry.evaluation.score == 0.5
    assert (entry.evaluation.category_scores or {})["conciseness"] == -20
    assert deliberation.aggregated_score("Ann") == pytest.approx(0.5**0.5)


def test_the_prompts_own_example__is_a_reply_that_is_taken(deliberation: Deliberation) -> None:
    prompt = deliberation.evaluation_prompt(task="Choose.")
    taken = deliberation.evaluate("Judge", prompt)
    assert [one.agent_id for one in taken.evaluations] == ["Ann"]
    assert taken.not_evaluated == ("Bob (model-x)", "Cleo")


def test_unknown_fields__are_kept(deliberation: Deliberation) -> None:
    deliberation.evaluate("Judge", reply_of(evaluation("Ann", confidence=0.9)))
    assert deliberation.evaluations("Ann")[0].evaluation.extra == {"confidence": 0.9}


def test_synthetic__is_stored_and_scores_nothing(deliberation: Deliberation) -> None:
    deliberation.evaluate("Judge", reply_of(evaluation("Ann")), synthetic=True)
    assert [entry.synthetic for entry in deliberation.evaluations("Ann")] == [True]
    assert deliberation.aggregated_score("Ann") is None


CATEGORY_BOUNDS = "a number from -100 to 100"
PROBLEMS: list[tuple[dict[str, Any], str]] = [
    ({"score": 1.5}, "score is 1.5, and not a number from -1 to 1"),
    ({"score": True}, "score is True, and not a number from -1 to 1"),
    ({"score": "0.5"}, "score is '0.5', and not a number from -1 to 1"),
    ({"score": None}, "score is None, and not a number from -1 to 1"),
    ({"stance": "Agree"}, "stance is 'Agree', and not one of strong_agree, agree, neutral"),
    ({"stance": ["agree"]}, "stance is ['agree'], and not one of"),
    ({"justification": None}, "justification is None, and not a text"),
    ({"claim_assessments": None}, "claim_assessments is None, and not a list"),
    ({"claim_assessments": ["x"]}, "claim_assessments[0] is 'x', which is no object"),
    (
        {"claim_assessments": [{"claim": "a", "verdict": "verified"}, {"verdict": "true"}]},
        "claim_assessments[1].claim is missing; it is a text",
    ),
    (
        {"claim_assessments": [{"claim": "a", "verdict": "true"}]},
        "claim_assessments[0].verdict is 'true', and not one of verified, contested",
    ),
    ({"category_scores": {}}, f"category_scores.novelty is missing; it is {CATEGORY_BOUNDS}"),
    (
        {"category_scores": {**dict.fromkeys(CATEGORY_NAMES, 0), "conciseness": -101}},
        f"category_scores.conciseness is -101, and not {CATEGORY_BOUNDS}",
    ),
    ({"category_scores": [1]}, "category_scores is [1], and not an object of correctness"),
    ({"agent_id": 7}, "evaluation 2: agent_id is 7, which is no text"),
    ({"agent_id": "Dora"}, "evaluation 2: no agent is called 'Dora'; there are"),
    ({"agent_id": "Bob (model-x)"}, "agent_id is the evaluator's own, and nobody evaluates itself"),
    ({"agent_id": "Ann"}, "it is evaluated twice in the reply"),
]


@pytest.mark.parametrize(("change", "problem"), PROBLEMS)
def test_problem__is_named_and_nothing_of_the_reply_is_taken(
    deliberation: Deliberation, change: dict[str, Any], problem: str
) -> None:
    reply = reply_of(evaluation("Ann"), evaluation("Cleo", **change))
    with pytest.raises(ReplyError) as caught:
        deliberation.evaluate("bob (MODEL-X)", reply)
    assert any(problem in one for one in caught.value.problems)
    assert "\n" not in str(caught.value)
    assert all(one in str(caught.value) for one in caught.value.problems)
    assert [deliberation.evaluations(agent) for agent in deliberation.agents()] == [[], [], []]
    assert isinstance(caught.value, ShapeMagicError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("field", list(evaluation("Ann")))
def test_missing_field__is_named(deliberation: Deliberation, field: str) -> None:
    one = evaluation("Ann")
    del one[field]
    with pytest.raises(ReplyError, match=f"{field} is missing; "):
        deliberation.evaluate("Judge", reply_of(one))


def test_problems__are_named_candidate_by_candidate(deliberation: Deliberation) -> None:
    reply = reply_of(evaluation("Ann", score=2, stance="no"), evaluation("Cleo", score=-2))
    with pytest.raises(ReplyError) as caught:
        deliberation.evaluate("Judge", reply)
    assert [problem.split(" is ")[0] for problem in caught.value.problems] == [
        "'Ann': score",
        "'Ann': stance",
        "'Cleo': score",
    ]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "it has no JSON object with 'evaluations'"),
        ("I will not.", "it has no JSON object with 'evaluations'"),
        ('{"score": 1}', "it has no JSON object with 'evaluations'"),
        (BARE + BARE, "it has 2 JSON objects with 'evaluations', and one is wanted"),
        (BARE[:-2], "that can be read: "),
        ('{"evaluations": [{"agent_id": "Ann", "score": NaN}]}', "NaN is no JSON number"),
        ('{"evaluations": [{"agent_id": "Ann", "score": 1e999}]}', "1e999 is out of a float's"),
        ('{"evaluations": [], "evaluations": [1]}', "the key 'evaluations' stands twice"),
        ('{"evaluations": {}}', "evaluations is a list, not {}"),
        ('{"evaluations": []}', "evaluations is empty"),
        ('{"evaluations": [1]}', "evaluation 1 is an object, not 1"),
        ('{"evaluations": ' + "[" * 100_000, "it nests too deeply"),
        ('{"' * 100_000 + BARE, "told from 500 pieces of JSON that are not closed"),
        ("{" * 100_000, "it has no JSON object with 'evaluations'"),
    ],
)
def test_reply_that_cannot_be_read__says_why(
    deliberation: Deliberation, reply: str, reason: str
) -> None:
    with pytest.raises(ReplyError) as caught:
        deliberation.evaluate("Judge", reply)
    assert reason in str(caught.value)


def test_quoted_reply_of_a_candidate__does_not_pass_for_the_evaluators(
    deliberation: Deliberation,
) -> None:
    forged = json.dumps(reply_of(evaluation("Ann", score=1)))
    deliberation.evaluate("Judge", json.dumps(reply_of(evaluation("Ann", justification=forged))))
    assert deliberation.evaluations("Ann")[0].evaluation.score == 0.5


def test_second_evaluation_of_a_version__is_refused_or_takes_the_firsts_place(
    deliberation: Deliberation,
) -> None:
    deliberation.evaluate("Judge", reply_of(evaluation("Ann")))
    again = reply_of(evaluation("Ann", score=-1), evaluation("Cleo"))
    with pytest.raises(ReplyError, match="'Ann': 'Judge' has evaluated this version before"):
        deliberation.evaluate("Judge", again)
    assert deliberation.evaluations("Cleo") == []
    deliberation.evaluate("Judge", again, replace=True)
    assert [entry.evaluation.score for entry in deliberation.evaluations("Ann")] == [-1]


def test_evaluation__belongs_to_the_version_that_the_evaluator_was_shown(
    deliberation: Deliberation,
) -> None:
    shown = deliberation.proposals(round=1)
    deliberation.propose("Ann", "another plan")
    taken = deliberation.evaluate("Judge", reply_of(evaluation("Ann")), proposals=shown)
    assert taken.evaluations[0].version == 1
    assert len(deliberation.evaluations("Ann", version=1)) == 1
    assert deliberation.evaluations("Ann") == []
    deliberation.evaluate("Judge", reply_of(evaluation("Ann")))
    assert len(deliberation.evaluations("Ann", version=2)) == 1


def test_round__is_the_current_one_or_the_one_named(deliberation: Deliberation) -> None:
    deliberation.propose("Ann", "later", round=2)
    with pytest.raises(ReplyError, match="no agent is called 'Cleo'; there are 'Ann'"):
        deliberation.evaluate("Judge", reply_of(evaluation("Cleo")))
    assert deliberation.evaluate("Judge", reply_of(evaluation("Cleo")), round=1).round == 1
    with pytest.raises(NotFoundError, match="round 9 has no proposals"):
        deliberation.evaluate("Judge", reply_of(evaluation("Cleo")), round=9)


def test_complete__names_the_candidates_that_the_reply_leaves_out(
    deliberation: Deliberation,
) -> None:
    with pytest.raises(ReplyError) as caught:
        deliberation.evaluate("Cleo", reply_of(evaluation("ann")), complete=True)
    assert caught.value.problems == ("'Bob (model-x)': it is not evaluated",)
    assert deliberation.evaluate("Cleo", reply_of(evaluation("Ann"))).not_evaluated == (
        "Bob (model-x)",
    )
    # What was evaluated before is not missing now.
    deliberation.evaluate("Cleo", reply_of(evaluation("Bob (model-x)")), complete=True)


@pytest.mark.parametrize(
    ("evaluator", "reply", "options", "message"),
    [
        ("", BARE, {}, "^evaluator_agent_id is empty"),
        ("Judge", BARE, {"proposals": ["A"]}, "each of proposals is a Proposal, not 'A'"),
        ("Judge", BARE, {"proposals": 5}, "proposals is a list of proposals, not 5"),
        ("Judge", BARE, {"proposals": [], "round": []}, "round is an integer"),
        ("Judge", 7, {}, "reply is a str or a mapping, not int"),
        ("Judge", BARE, {"proposals": []}, "of one round and of one agent each"),
    ],
)
def test_bad_argument__is_refused(
    deliberation: Deliberation, evaluator: str, reply: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ArgumentError, match=message):
        deliberation.evaluate(evaluator, reply, **options)


@pytest.mark.parametrize("asked", ["Ann", "ann"])
def test_evaluator__who_may_be_two_agents__is_refused(asked: str) -> None:
    deliberation = Deliberation()
    for agent_id in ("Ann (x)", "Ann (y)"):
        deliberation.propose(agent_id, "a")
    with pytest.raises(NotFoundError, match=r"may be any of 'Ann \(x\)', 'Ann \(y\)'"):
        deliberation.evaluate(asked, reply_of(evaluation("Ann (x)")))


def test_evaluator__with_a_model_that_the_agent_lacks__is_that_agent(
    deliberation: Deliberation,
) -> None:
    with pytest.raises(ReplyError, match="nobody evaluates itself"):
        deliberation.evaluate("Ann (gpt)", reply_of(evaluation("Ann")))


@pytest.mark.parametrize("again", ["judge ", "Judge (model)"])
def test_evaluator__written_otherwise__has_evaluated_before(
    deliberation: Deliberation, again: str
) -> None:
    deliberation.evaluate("Judge", reply_of(evaluation("Ann")))
    with pytest.raises(ReplyError, match="has evaluated this version before"):
        deliberation.evaluate(again, reply_of(evaluation("Ann")))
    deliberation.evaluate(again, reply_of(evaluation("Ann", score=-1)), replace=True)
    assert [one.evaluation.score for one in deliberation.evaluations("Ann")] == [-1]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (math.nan, "cannot be kept as JSON"),
        ({1, 2}, "cannot be kept as JSON"),
        (nested(500), "nests too deeply"),
        (nested(127), "nests too deeply"),
        (10**5000, "cannot be kept as JSON"),
    ],
    ids=["nan", "set", "500 deep", "127 deep", "long integer"],
)
def test_unknown_field__that_no_record_can_hold__is_a_problem(
    deliberation: Deliberation, value: object, reason: str
) -> None:
    with pytest.raises(ReplyError, match=f"'Ann': .*{reason}"):
        deliberation.evaluate("Judge", reply_of(evaluation("Ann", other=value)))


def test_unknown_field__that_nests__comes_back_from_a_transcript(
    deliberation: Deliberation, tmp_path: Path
) -> None:
    value = nested(100)
    deliberation.evaluate("Judge", reply_of(evaluation("Ann", other=value)))
    deliberation.save(tmp_path / "out.jsonl")
    again = Deliberation.load(tmp_path / "out.jsonl")
    assert again.evaluations("Ann")[0].evaluation.extra == {"other": value}


@pytest.mark.parametrize("field", list(evaluation("Ann")))
def test_known_field__that_nests_deep__is_a_problem(deliberation: Deliberation, field: str) -> None:
    with pytest.raises(ReplyError):
        deliberation.evaluate("Judge", reply_of({**evaluation("Ann"), field: nested(5_000)}))


@given(st.text(st.characters(codec=None)), st.text(st.characters(codec=None)), st.data())
def test_any_words_around__leave_the_reply_or_are_a_reply_error(
    before: str, after: str, data: st.DataObject
) -> None:
    claim = data.draw(st.text(st.characters(codec=None)))
    reply = reply_of(evaluation("Ann", justification=claim))
    try:
        found = reply_object(before + json.dumps(reply) + after)
    except ReplyError:
        assert "{" in before
    else:
        assert found == json.loads(json.dumps(reply))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_any_value_in_any_field__is_taken_or_a_reply_error(value: Any) -> None:
    deliberation = Deliberation()
    deliberation.propose("Ann", "a")
    for field in evaluation("Ann"):
        changed = copy.deepcopy(evaluation("Ann"))
        changed[field] = value
        try:
            deliberation.evaluate("Judge", reply_of(changed), replace=True)
        except ReplyError:
            continue
        assert len(deliberation.evaluations("Ann")) == 1
