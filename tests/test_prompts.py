"""The record of what an evaluator was shown: kept, given back, and with tools of its own."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shape_magic import Deliberation, EvaluationTemplate
from shape_magic.deliberation.prompts import EvaluationPrompt
from shape_magic.errors import ArgumentError, NotFoundError
from shape_magic.vocabulary import CATEGORY_NAMES, STANCES, VERDICTS

CONTROL = EvaluationTemplate.default().without_shape()
AGENTS = ("Zed <x>", "Yve (model-y)", "Quux", "Solution_Q")


@pytest.fixture
def deliberation() -> Deliberation:
    made = Deliberation()
    for number in (1, 2):
        made.propose_many(
            [
                (agent, f"# Plan {place}\n\nLatency is {place}.\n", "because " * 700)
                for place, agent in enumerate(AGENTS)
            ],
            round=number,
        )
    return made


def reply_of(*keys: str) -> dict[str, Any]:
    return {
        "evaluations": [
            {
                "agent_id": key,
                "endorsement_weight": 10,
                "justification": "",
                "stance": "agree",
                "claim_assessments": [],
                "category_scores": dict.fromkeys(CATEGORY_NAMES, 0),
            }
            for key in keys
        ]
    }


def test_prompt__comes_back_to_the_letter_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "file.db"
    with Deliberation.open(path) as deliberation:
        deliberation.propose_many([("Ann", "# A\n", "t" * 5_000), ("Bob", '{"b": "\ud800"}')])
        prompt = deliberation.evaluation_prompt(
            task="T \ud800", evaluator="ann", template=CONTROL, anonymous=True, seed=5, trial=3
        )
        deliberation.propose("Bob", "another text")
    with Deliberation.open(path) as deliberation:
        again = deliberation.prompt(prompt.digest)
        assert again == prompt
        assert str(again) == prompt.text
        assert deliberation.prompt(prompt.digest[:12]) == prompt
        assert deliberation.last_prompt("Ann") == prompt
        taken = deliberation.evaluate("Ann", reply_of("Candidate_A"), prompt=prompt)
        assert [(evaluated.agent_id, evaluated.version) for evaluated in taken.evaluations] == [
            ("Bob", 1)
        ]
        assert again.call_tool("read_proposal", {"agent_id": "Candidate_A"}).count("another") == 0


def test_prompt__own_proposal_is_a_baseline_and_no_candidate(deliberation: Deliberation) -> None:
    prompt = deliberation.evaluation_prompt(task="T", evaluator="yve")
    assert prompt.evaluator == "Yve (model-y)"
    assert prompt.keys == ["Quux", "Solution_Q", "Zed <x>"]
    assert prompt.own is not None
    assert prompt.own.agent_id == "Yve (model-y)"
    assert 'You are "Yve (model-y)".' in prompt.text
    judge = deliberation.evaluation_prompt(task="T", evaluator="Judge")
    assert judge.own is None
    assert len(judge.keys) == 4
    assert "<your_proposal" not in judge.text


def test_prompt__where_nobody_else_has_proposed__is_refused() -> None:
    deliberation = Deliberation()
    deliberation.propose("Ann", "a")
    with pytest.raises(NotFoundError, match="nobody but 'Ann' itself has proposed in round 1"):
        deliberation.evaluation_prompt(task="T", evaluator="Ann")


def test_task__is_the_rounds_where_none_is_given(deliberation: Deliberation) -> None:
    with pytest.raises(ArgumentError, match="round 2 has no task: give one as task="):
        deliberation.evaluation_prompt()
    deliberation.set_task(2, "Which plan?")
    assert deliberation.task(2) == "Which plan?"
    assert deliberation.evaluation_prompt().text.startswith("TASK: Which plan?\n")
    assert deliberation.evaluation_prompt(task="Other?").task == "Other?"


def test_keep__false_keeps_nothing(deliberation: Deliberation) -> None:
    prompt = deliberation.evaluation_prompt(task="T", keep=False)
    assert deliberation.prompts() == []
    with pytest.raises(NotFoundError, match="no prompt with the digest"):
        deliberation.prompt(prompt.digest)
    assert deliberation.evaluation_prompt(task="T") == prompt


def test_order__is_drawn_from_seed_round_evaluator_and_trial_alone(
    deliberation: Deliberation,
) -> None:
    def order(**options: Any) -> list[str]:
        prompt = deliberation.evaluation_prompt(task="T", **{"evaluator": "J", **options})
        return [candidate.agent_id for candidate in prompt.candidates]

    assert order() == sorted(AGENTS)
    assert order(seed=1) == order(seed=1, template=CONTROL) == order(seed=1, anonymous=True)
    orders = {
        tuple(order(seed=seed, round=number, trial=trial, evaluator=evaluator))
        for seed in (1, 2)
        for number in (1, 2)
        for trial in (1, 2)
        for evaluator in ("J", "K")
    }
    assert len(orders) > 8
    # Drawn on this machine as on any other.
    assert order(seed=1) == ["Quux", "Solution_Q", "Yve (model-y)", "Zed <x>"]


def test_anonymous__keys_take_a_word_that_no_id_has() -> None:
    deliberation = Deliberation()
    deliberation.propose_many([(f"agent {n}", f"text {n}") for n in range(28)])
    keys = deliberation.evaluation_prompt(task="T", anonymous=True).keys
    assert keys[:2] + keys[-2:] == ["Candidate_A", "Candidate_B", "Candidate_AA", "Candidate_AB"]
    deliberation.propose("CANDIDATE_B", "x")
    assert deliberation.evaluation_prompt(task="T", anonymous=True).keys[0] == "Solution_A"
    deliberation.propose("Solution_A (model)", "x")
    assert deliberation.evaluation_prompt(task="T", anonymous=True).keys[0] == "Entry_A"
    deliberation.propose("entry_a", "x")
    assert deliberation.evaluation_prompt(task="T", anonymous=True).keys[0] == "Candidate2_A"


arguments = st.fixed_dictionaries(
    {},
    optional={
        "agent_id": st.sampled_from(["Candidate_A", "Entry_B", "Candidate_C", "nobody", ""]),
        "agent_ids": st.lists(st.sampled_from(["Entry_A", "Candidate_C", "x"])),
        "keywords": st.lists(st.sampled_from(["plan", "because", "nothing"])),
        "round": st.integers(0, 3),
        "rounds": st.lists(st.integers(0, 3)),
        "from_line": st.integers(-1, 9),
        "offset": st.integers(-1, 9_000),
        "stances": st.just(["agree"]),
        "limit": st.integers(-1, 3),
        "odd": st.none(),
    },
)


@given(st.sampled_from(["read_proposal", "search_deliberation", "odd"]), arguments, st.booleans())
def test_anonymous__no_real_id_in_the_prompt_or_in_any_answer(
    tool: str, given_arguments: dict[str, Any], control: bool
) -> None:
    made = Deliberation()
    for number in (1, 2):
        made.propose_many(
            [(f"{agent}~{number}", f"# Plan\n{number}", "because " * 700) for agent in AGENTS],
            round=number,
        )
    made.evaluate(f"Zed <x>~{1}", reply_of("Quux~1"), round=1)
    template = CONTROL if control else None
    prompt = made.evaluation_prompt(task="T", evaluator="Quux~2", anonymous=True, template=template)
    said = [
        prompt.text,
        prompt.call_tool(tool, given_arguments),
        json.dumps([prompt.tools(), prompt.tools("input_schema"), prompt.reply_schema()]),
    ]
    for agent_id in made.agents():
        assert not any(agent_id in text or agent_id[:4] in text for text in said)
    if control:
        assert "from_line" not in json.dumps(prompt.tools())
        assert "lines=" not in said[1]


ids = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(str.strip)


@given(
    st.lists(ids, min_size=2, max_size=4, unique_by=lambda agent_id: agent_id.strip().casefold())
)
def test_anonymous__any_id_that_no_text_holds_is_in_no_text(agent_ids: list[str]) -> None:
    def said(names: list[str]) -> str:
        made = Deliberation()
        for number in (1, 2):
            made.propose_many(
                [(name, "# Plan\n\nWait.", "because") for name in names], round=number
            )
        prompt = made.evaluation_prompt(task="T", evaluator=names[0], anonymous=True, seed=1)
        calls: list[tuple[str, dict[str, Any]]] = [
            ("search_deliberation", {}),
            ("search_deliberation", {"keywords": ["nowhere"]}),
            ("search_deliberation", {"agent_ids": ["nobody"], "rounds": [1]}),
            ("read_proposal", {"agent_id": "Candidate_A"}),
            ("read_proposal", {"agent_id": "Candidate_A", "from_line": 2}),
            ("read_proposal", {"agent_id": "nobody"}),
            ("read_proposal", {"agent_id": prompt.keys[0], "round": 1}),
            ("read_proposal", {}),
        ]
        answers = [prompt.call_tool(*call) for call in calls]
        described = json.dumps([prompt.tools(), prompt.reply_schema()], ensure_ascii=False)
        return "\n".join([prompt.text, *answers, described])

    ours = said([f"agent~{place}" for place in range(len(agent_ids))])
    theirs = said(agent_ids)
    for agent_id in agent_ids:
        assert agent_id in ours or agent_id not in theirs


def test_tools__know_what_was_shown_and_nothing_else(deliberation: Deliberation) -> None:
    deliberation.evaluate("Judge", reply_of("Quux"), round=2)
    prompt = deliberation.evaluation_prompt(task="T", evaluator="Quux")
    deliberation.propose("Zed <x>", "later latency")
    found = prompt.call_tool("search_deliberation", '{"keywords": ["latency"]}')
    assert found.count("<proposal ") == 3
    assert "later" not in found
    assert "score=" not in found
    assert 'round="1"' not in found
    assert prompt.call_tool("read_proposal", {"agent_id": "Quux"}).startswith("no agent is called")
    answer = prompt.call_tool("read_proposal", {"agent_id": "Zed <x>", "round": 1})
    assert answer == "round is 1; there is round 2 here"
    assert "   3| Latency is 0." in prompt.call_tool(
        "read_proposal", {"agent_id": "Zed <x>", "from_line": 3}
    )
    for tool in prompt.tools("input_schema"):
        properties = tool["input_schema"]["properties"]
        assert not {"phase", "stances", "verdicts", "min_score", "max_score"} & set(properties)
    assert "odd" in prompt.call_tool("odd", {})
    assert "no JSON" in prompt.call_tool("read_proposal", "{")


def test_reply_schema__has_the_ranges_in_either_style(three_rounds: Deliberation) -> None:
    prompt = three_rounds.evaluation_prompt(task="T")
    bounded = {"type": "number", "minimum": -100, "maximum": 100}
    described = {"type": "number", "description": "from -100 to 100"}
    for style, number in (("functions", bounded), ("input_schema", described)):
        schema = prompt.reply_schema(style)  # type: ignore[arg-type]
        item = schema["properties"]["evaluations"]["items"]["properties"]
        assert item["endorsement_weight"] == number
        assert item["category_scores"]["properties"] == dict.fromkeys(CATEGORY_NAMES, number)


@pytest.mark.parametrize("name", ["default", "without_shape"])
def test_prompt__is_word_for_word_the_one_that_is_kept(
    three_rounds: Deliberation, name: str
) -> None:
    template = EvaluationTemplate.default()
    if name == "without_shape":
        template = template.without_shape()
    prompt = three_rounds.evaluation_prompt(
        task="Choose a plan.", round=2, evaluator="Ann", template=template, history=True
    )
    path = Path(__file__).parent / "data" / f"prompt_{name}.txt"
    assert f"{prompt.text}\n" == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("history", [False, True])
@pytest.mark.parametrize(
    "template",
    [EvaluationTemplate.default(), EvaluationTemplate.default().without_shape()],
    ids=["shape", "no shape"],
)
def test_tools__say_what_they_read_and_search(
    three_rounds: Deliberation, history: bool, template: EvaluationTemplate
) -> None:
    prompt = three_rounds.evaluation_prompt(task="T", history=history, template=template)
    read, searched = (tool["function"]["description"] for tool in prompt.tools())
    of_what = "a proposal of this round or of one before it" if history else "one candidate's"
    assert read.startswith(f"Read {of_what}")
    assert searched.startswith("Search the proposals" if history else "Search the candidates.")
    assert ("matched_lines" in searched) == (template == EvaluationTemplate.default())
    for described in (read, searched):
        assert re.fullmatch(r"[A-Z]([^\s]| (?! ))+\.", described)


def test_reply_schema__is_strict_and_takes_the_reply_that_is_asked_for(
    deliberation: Deliberation,
) -> None:
    prompt = deliberation.evaluation_prompt(task="T", evaluator="Quux")
    schema = prompt.reply_schema("functions")
    _check(reply_of(*prompt.keys), schema)
    with pytest.raises(AssertionError):
        _check(reply_of("Quux"), schema)
    plain = json.dumps(prompt.reply_schema("input_schema"))
    assert "minimum" not in plain
    assert "from -100 to 100" in plain
    item = schema["properties"]["evaluations"]["items"]["properties"]
    assert item["stance"]["enum"] == list(STANCES)
    verdict = item["claim_assessments"]["items"]["properties"]["verdict"]
    assert verdict["enum"] == list(VERDICTS)
    with pytest.raises(ArgumentError, match="style is 'odd'; there are"):
        prompt.reply_schema("odd")  # type: ignore[arg-type]


def _check(value: Any, schema: dict[str, Any]) -> None:
    """Hold a value against the part of JSON Schema that is used, strictly."""
    match schema["type"]:
        case "object":
            assert set(value) == set(schema["properties"]) == set(schema["required"])
            assert schema["additionalProperties"] is False
            for name, inner in schema["properties"].items():
                _check(value[name], inner)
        case "array":
            for item in value:
                _check(item, schema["items"])
        case "number":
            assert schema["minimum"] <= value <= schema["maximum"]
        case _:
            assert isinstance(value, str)
            assert value in schema.get("enum", [value])


def test_prompt__is_shown_short(deliberation: Deliberation) -> None:
    prompt = deliberation.evaluation_prompt(task="T", evaluator="Quux", anonymous=True)
    assert isinstance(prompt, EvaluationPrompt)
    assert repr(prompt).startswith(f"<EvaluationPrompt {prompt.digest[:12]}: round 2 for 'Quux', ")


# History: what the tools reach of the rounds before


@pytest.fixture
def three_rounds(tmp_path: Path) -> Deliberation:
    """Three rounds: Ann in all, Bob in the first and third, Cleo in the second and third."""
    made = Deliberation.open(tmp_path / "three.db")
    texts = {1: ("Ann", "Bob"), 2: ("Ann", "Cleo (m)"), 3: ("Ann", "Bob", "Cleo (m)")}
    for number, agents in texts.items():
        made.propose_many(
            [(agent, f"# Round {number}\n\nLatency, says {agent}.\n", "so") for agent in agents],
            round=number,
        )
    made.propose("Ann", "# Round 1\n\nAnother latency.\n", round=1)
    made.evaluate("Judge", reply_of("Ann"), round=1)
    return made


def answers(prompt: EvaluationPrompt) -> list[str]:
    """Ask a prompt's tools for all that they could know, and for what they must not."""
    calls: list[tuple[str, dict[str, Any]]] = [("search_deliberation", {"limit": 50})]
    for agent_id in ("Ann", "bob", "Cleo", "Dan"):
        calls += [("read_proposal", {"agent_id": agent_id, "round": n}) for n in (None, *range(5))]
        calls.append(("search_deliberation", {"agent_ids": [agent_id], "keywords": ["latency"]}))
    calls += [("search_deliberation", {"rounds": [n]}) for n in range(5)]
    tools = [prompt.tools(), prompt.tools("input_schema"), prompt.reply_schema()]
    return [*(prompt.call_tool(*call) for call in calls), json.dumps(tools)]


def test_history__tools_reach_the_rounds_before_and_no_other(three_rounds: Deliberation) -> None:
    prompt = three_rounds.evaluation_prompt(task="T", round=2, evaluator="Ann", history=True)
    assert [(earlier.round, earlier.agent_id, earlier.version) for earlier in prompt.earlier] == [
        (1, "Ann", 2),
        (1, "Bob", 1),
    ]
    assert "- This is round 2; both also reach the rounds before it: 1." in prompt.text
    found = prompt.call_tool("search_deliberation", {"keywords": ["latency"]})
    assert [line for line in found.split("\n") if line.startswith("<proposal")] == [
        '<proposal round="1" agent="Ann" lines="3" matched_lines="3">',
        '<proposal round="1" agent="Bob" lines="3" matched_lines="3">',
        '<proposal round="2" agent="Cleo (m)" lines="3" matched_lines="3">',
    ]
    read = prompt.call_tool("read_proposal", {"agent_id": "ann"})
    assert read.startswith('<proposal round="1" agent="Ann">')
    assert "Another latency" in read
    assert "   3| Latency, says Bob." in prompt.call_tool(
        "read_proposal", {"agent_id": "Bob", "round": 1, "from_line": 3}
    )
    assert prompt.call_tool("read_proposal", {"agent_id": "Ann", "round": 2}) == (
        "'Ann' has no proposal in round 2 here; it has in rounds 1"
    )
    assert prompt.call_tool("search_deliberation", {"rounds": [3]}) == (
        "round is 3; there are rounds 1, 2 here"
    )
    assert "No results" in prompt.call_tool(
        "search_deliberation", {"rounds": [2], "agent_ids": ["Bob"]}
    )
    assert not any("Round 3" in said or "score=" in said for said in answers(prompt))
    (reading, _) = prompt.tools("input_schema")
    properties = reading["input_schema"]["properties"]
    assert properties["agent_id"]["enum"] == ["Cleo (m)", "Ann", "Bob"]
    assert properties["round"]["anyOf"][0]["enum"] == [1, 2]
    assert prompt.reply_schema()["properties"]["evaluations"]["items"]["properties"]["agent_id"][
        "enum"
    ] == ["Cleo (m)"]


def test_history__answers_the_same_after_a_restart_and_later_changes(
    three_rounds: Deliberation, tmp_path: Path
) -> None:
    prompt = three_rounds.evaluation_prompt(task="T", round=3, evaluator="J", history=True)
    before = answers(prompt)
    three_rounds.propose("Bob", "a later version", round=1)
    three_rounds.propose("Dan", "later", round=2)
    three_rounds.propose("Ann", "# Round 2\n\nLatency, says Ann.\n", round=2, analyzer="markdown")
    three_rounds.propose("Dan", "later", round=4)
    three_rounds.evaluate("Dan", reply_of("Ann"), round=2)
    path = three_rounds.path
    assert path is not None
    three_rounds.close()
    with Deliberation.open(path) as again, Deliberation() as copied:
        assert again.prompt(prompt.digest) == prompt
        assert answers(again.prompt(prompt.digest)) == before
        copied.propose("Other", "of its own")
        copied.add_deliberation(again)
        assert copied.prompt(prompt.digest) == prompt
        assert again.evaluate("J", reply_of("Bob"), prompt=prompt.digest).round == 3
        later = again.evaluation_prompt(task="T", round=3, evaluator="J", history=True)
        assert later.digest != prompt.digest
        assert later.text == prompt.text
        again.remove("Bob", round=1, version=1)
        with pytest.raises(NotFoundError, match="reaches version 1 of 'Bob' in an earlier round"):
            again.prompt(prompt.digest)
        assert again.prompts() == [later]


def test_history__without_a_round_before__is_the_prompt_without_it(
    three_rounds: Deliberation,
) -> None:
    plain = three_rounds.evaluation_prompt(task="T", round=1)
    assert three_rounds.evaluation_prompt(task="T", round=1, history=True) == plain


def test_history__goes_with_anonymity_never(three_rounds: Deliberation) -> None:
    with pytest.raises(ArgumentError, match="which anonymous hides; leave one of them out"):
        three_rounds.evaluation_prompt(task="T", anonymous=True, history=True)
