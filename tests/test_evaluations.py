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
from shape_magic.deliberation.reply import read_reply
from shape_magic.errors import ArgumentError, NotFoundError, ReplyError, ShapeMagicError
from shape_magic.prompting.template import EvaluationTemplate
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
    assert [evaluated.agent_id for evaluated in taken.evaluations] == ["Ann", "Cleo"]
    assert taken.not_evaluated == ()
    (entry,) = deliberation.evaluations("Ann")
    assert entry.evaluator_agent_id == "Bob (model-x)"
    assert not entry.synthetic
    assert entry.evaluation.score == 0.5
    assert (entry.evaluation.category_scores or {})["conciseness"] == -20
    assert deliberation.aggregated_score("Ann") == pytest.approx(0.5**0.5)


def test_the_prompts_own_example__is_a_reply_that_is_taken(deliberation: Deliberation) -> None:
    prompt = deliberation.evaluation_prompt(task="Choose.")
    taken = deliberation.evaluate("Judge", prompt.text)
    assert [evaluated.agent_id for evaluated in taken.evaluations] == ["Ann"]
    assert taken.not_evaluated == ("Bob (model-x)", "Cleo")


def test_scores__that_numpy_calculated__are_taken_as_numbers(deliberation: Deliberation) -> None:
    np = pytest.importorskip("numpy")
    scores = dict.fromkeys(CATEGORY_NAMES, np.float64(12.5)) | {"novelty": np.int64(3)}
    given = evaluation("Ann", score=np.float64(0.25), category_scores=scores)
    deliberation.evaluate("Judge", reply_of(given))
    ((entry,),) = [deliberation.evaluations("Ann")]
    assert entry.evaluation.score == 0.25
    assert entry.evaluation.category_scores == dict.fromkeys(CATEGORY_NAMES, 12.5) | {"novelty": 3}


def test_unknown_fields__are_kept(deliberation: Deliberation) -> None:
    deliberation.evaluate("Judge", reply_of(evaluation("Ann", confidence=0.9)))
    assert deliberation.evaluations("Ann")[0].evaluation.extra == {"confidence": 0.9}


def test_synthetic__is_stored_and_scores_nothing(deliberation: Deliberation) -> None:
    deliberation.evaluate("Judge", reply_of(evaluation("Ann")), synthetic=True)
    assert [entry.synthetic for entry in deliberation.evaluations("Ann")] == [True]
    assert deliberation.aggregated_score("Ann") is None


PROBLEMS: list[tuple[dict[str, Any], str]] = [
    ({"score": 1.5}, '"Cleo": score is 1.5, and not a number from -1 to 1'),
    ({"justification": None}, '"Cleo": justification is null, and not a text'),
    ({"category_scores": [1]}, "category_scores is [1], and not an object of correctness"),
    ({"agent_id": 7}, "evaluation 2: agent_id is 7, and not one of"),
    ({"agent_id": "Ann"}, '"Ann": is evaluated twice, and differently'),
]


@pytest.mark.parametrize(("change", "problem"), PROBLEMS)
def test_problem__is_named_and_nothing_of_the_reply_is_taken(
    deliberation: Deliberation, change: dict[str, Any], problem: str
) -> None:
    reply = reply_of(evaluation("Ann"), evaluation("Cleo", **{"stance": "neutral", **change}))
    with pytest.raises(ReplyError) as caught:
        deliberation.evaluate("bob (MODEL-X)", reply)
    assert any(problem in named for named in caught.value.problems), caught.value.problems
    assert "\n" not in str(caught.value)
    assert all(named in str(caught.value) for named in caught.value.problems)
    assert [deliberation.evaluations(agent) for agent in deliberation.agents()] == [[], [], []]
    assert isinstance(caught.value, ShapeMagicError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("agent_id", ["Dora", "Bob (model-x)", "bob"])
def test_evaluation_of_nobody_or_oneself__is_left_out_and_told(
    deliberation: Deliberation, agent_id: str
) -> None:
    taken = deliberation.evaluate("Bob", reply_of(evaluation("Ann"), evaluation(agent_id)))
    assert [evaluated.agent_id for evaluated in taken.evaluations] == ["Ann"]
    assert agent_id in taken.left_out[0]


@pytest.mark.parametrize("field", list(evaluation("Ann")))
def test_missing_field__is_named(deliberation: Deliberation, field: str) -> None:
    wrong = evaluation("Ann")
    del wrong[field]
    wanted = "endorsement_weight" if field == "score" else field
    with pytest.raises(ReplyError, match=f"{wanted} is missing; "):
        deliberation.evaluate("Judge", reply_of(wrong))


def weighed(agent_id: str, weight: float) -> dict[str, Any]:
    weighed = evaluation(agent_id, endorsement_weight=weight)
    del weighed["score"]
    return weighed


def test_round_of_three__scores_are_what_a_hand_computes() -> None:
    # Each evaluates the two others; Σ|w| is 80, 100 and 50.
    deliberation = Deliberation()
    deliberation.propose_many([("A", "a"), ("B", "b"), ("C", "c")])
    deliberation.evaluate("A", reply_of(weighed("B", 60), weighed("C", -20)))
    deliberation.evaluate("B", reply_of(weighed("A", 36), weighed("C", 64)))
    deliberation.evaluate("C", reply_of(weighed("A", -50), weighed("B", 0)))
    expected = {
        "A": 0.36**0.5 - 1.0**0.5,
        "B": 0.75**0.5 + 0.0,
        "C": -(0.25**0.5) + 0.64**0.5,
    }
    for agent_id, score in expected.items():
        assert deliberation.aggregated_score(agent_id) == pytest.approx(score)
    (first, second) = deliberation.evaluations("A")
    assert (first.evaluation.endorsement_weight, second.evaluation.endorsement_weight) == (36, -50)
    assert (first.evaluation.score, second.evaluation.score) == (0.36, -1)


def test_arms_and_trials__stand_apart(deliberation: Deliberation) -> None:
    control = EvaluationTemplate.default().without_shape()
    prompt = deliberation.evaluation_prompt(task="T", evaluator="Judge", template=control, trial=2)
    deliberation.evaluate("Judge", reply_of(evaluation("Ann")))
    taken = deliberation.evaluate(
        "Judge", reply_of(evaluation("Ann", score=-1)), prompt=prompt, arm=control.name
    )
    assert (taken.arm, taken.trial, taken.digest) == (control.name, 2, prompt.digest)
    (plain,) = deliberation.evaluations("Ann")
    (armed,) = deliberation.evaluations("Ann", arm=control.name)
    assert (plain.evaluation.score, plain.trial, plain.prompt) == (0.5, 1, None)
    assert (armed.evaluation.score, armed.trial) == (-1, 2)
    assert armed.prompt is not None
    assert (armed.prompt.digest, armed.prompt.key, armed.prompt.place, armed.prompt.analyzer) == (
        prompt.digest, "Ann", 1, deliberation.proposal("Ann").measurement.analyzer,
    )  # fmt: skip
    with pytest.raises(ArgumentError, match="arm is 'other', and the prompt's template is"):
        deliberation.evaluate("Judge", reply_of(evaluation("Ann")), prompt=prompt, arm="other")
    with pytest.raises(ArgumentError, match="the prompt was made for 'Judge', and not for 'Eve'"):
        deliberation.evaluate("Eve", reply_of(evaluation("Ann")), prompt=prompt)
    frame = deliberation.evaluations_frame()
    assert list(frame["arm"]) == ["", control.name]
    assert list(frame["prompt"]) == [None, prompt.digest]
    assert deliberation.prompt(frame["prompt"][1]) == prompt


def test_replace__takes_the_place_of_the_whole_reply(deliberation: Deliberation) -> None:
    deliberation.evaluate("Judge", reply_of(evaluation("Ann"), evaluation("Cleo")))
    deliberation.evaluate("Judge", reply_of(evaluation("Ann", score=-1)), replace=True)
    assert [kept.evaluation.score for kept in deliberation.evaluations("Ann")] == [-1]
    assert deliberation.evaluations("Cleo") == []


def test_partial_and_strict__are_told(deliberation: Deliberation) -> None:
    reply = reply_of(evaluation("Ann"), evaluation("Cleo", stance="maybe"))
    taken = deliberation.evaluate("Judge", reply, partial=True)
    assert [evaluated.agent_id for evaluated in taken.evaluations] == ["Ann"]
    assert 'stance is "maybe"' in taken.problems[0]
    text = f"So: {BARE}"
    assert deliberation.evaluate("Eve", text).repairs == ("line 1, character 5: words around it",)
    with pytest.raises(ReplyError, match="words around it: strict takes the exact form alone"):
        deliberation.evaluate("Eve", text, strict=True, replace=True)


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
    with pytest.raises(ReplyError, match="\"Ann\": 'Judge' has evaluated this version before"):
        deliberation.evaluate("Judge", again)
    assert deliberation.evaluations("Cleo") == []
    deliberation.evaluate("Judge", again, replace=True)
    assert [entry.evaluation.score for entry in deliberation.evaluations("Ann")] == [-1]


def test_evaluation__belongs_to_the_version_that_the_evaluator_was_shown(
    deliberation: Deliberation,
) -> None:
    prompt = deliberation.evaluation_prompt(task="T", round=1)
    deliberation.propose("Ann", "another plan")
    taken = deliberation.evaluate("Judge", reply_of(evaluation("Ann")), prompt=prompt.digest)
    assert taken.evaluations[0].version == 1
    assert len(deliberation.evaluations("Ann", version=1)) == 1
    assert deliberation.evaluations("Ann") == []
    deliberation.evaluate("Judge", reply_of(evaluation("Ann")))
    assert len(deliberation.evaluations("Ann", version=2)) == 1


def test_round__is_the_current_one_or_the_one_named(deliberation: Deliberation) -> None:
    deliberation.propose("Ann", "later", round=2)
    with pytest.raises(ReplyError, match='it evaluates none of "Ann"'):
        deliberation.evaluate("Judge", reply_of(evaluation("Cleo")))
    assert deliberation.evaluate("Judge", reply_of(evaluation("Cleo")), round=1).round == 1
    with pytest.raises(NotFoundError, match="round 9 has no proposals"):
        deliberation.evaluate("Judge", reply_of(evaluation("Cleo")), round=9)


def test_complete__names_the_candidates_that_the_reply_leaves_out(
    deliberation: Deliberation,
) -> None:
    with pytest.raises(ReplyError) as caught:
        deliberation.evaluate("Cleo", reply_of(evaluation("ann")), complete=True)
    assert caught.value.problems == ('"Bob (model-x)": is not evaluated',)
    assert deliberation.evaluate("Cleo", reply_of(evaluation("Ann"))).not_evaluated == (
        "Bob (model-x)",
    )
    # What was evaluated before is not missing now.
    deliberation.evaluate("Cleo", reply_of(evaluation("Bob (model-x)")), complete=True)


@pytest.mark.parametrize(
    ("evaluator", "reply", "options", "message"),
    [
        ("", BARE, {}, "^evaluator_agent_id is empty"),
        ("Judge", BARE, {"round": []}, "round is an integer"),
        ("Judge", BARE, {"trial": 0}, "trial is 0, and the least is 1"),
        ("Judge", BARE, {"prompt": 5}, "digest is a str, not int"),
        ("Judge", BARE, {"arm": 5}, "arm is a str, not int"),
        ("Judge", 7, {}, "reply is a str or a mapping, not int"),
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
    with pytest.raises(ReplyError, match="it evaluates none of"):
        deliberation.evaluate("Ann (gpt)", reply_of(evaluation("Ann")))


@pytest.mark.parametrize("again", ["judge ", "Judge (model)"])
def test_evaluator__written_otherwise__has_evaluated_before(
    deliberation: Deliberation, again: str
) -> None:
    deliberation.evaluate("Judge", reply_of(evaluation("Ann")))
    with pytest.raises(ReplyError, match="has evaluated this version before"):
        deliberation.evaluate(again, reply_of(evaluation("Ann")))
    deliberation.evaluate(again, reply_of(evaluation("Ann", score=-1)), replace=True)
    assert [kept.evaluation.score for kept in deliberation.evaluations("Ann")] == [-1]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (math.nan, "JSON has no number nan"),
        ({1, 2}, "JSON has no value of the type set"),
        (nested(500), "nests too deeply"),
        (nested(127), "nests too deeply"),
        (10**5000, "an integer in it is too long"),
    ],
    ids=["nan", "set", "500 deep", "127 deep", "long integer"],
)
def test_unknown_field__that_no_record_can_hold__is_a_problem(
    deliberation: Deliberation, value: object, reason: str
) -> None:
    with pytest.raises(ReplyError, match=reason):
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
    reading = read_reply(before + json.dumps(reply) + after, keys=["Ann"])
    if reading.problems:
        assert "{" in before or "[" in before
    else:
        (found,) = reading.evaluations
        assert found.evaluation.justification == json.loads(json.dumps(claim))


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


def test_many_problems__are_all_in_the_error_and_few_in_its_message(
    deliberation: Deliberation,
) -> None:
    with pytest.raises(ReplyError) as raised:
        deliberation.evaluate("Judge", {"evaluations": [{}] * 1_000})
    assert len(raised.value.problems) >= 1_000
    assert str(raised.value).endswith(" more problems")
    assert len(str(raised.value)) < 10_000
