"""The judges over the official clients, held against servers that speak their wires."""

import inspect
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from shape_magic.deliberation import Deliberation
from shape_magic.deliberation.prompts import EvaluationPrompt
from shape_magic.errors import JudgeError
from shape_magic.experiments import Reply, Usage, anthropic_judge, openai_judge, run_evaluations
from shape_magic.experiments.conversation import Judge
from tests.experiments import fill_rounds
from tests.experiments import judge as plain_judge
from tests.servers.clients import (
    ANTHROPIC,
    OPENAI,
    STATUS_ERRORS,
    TIMEOUT_ERRORS,
    awaited,
    connected,
)
from tests.servers.evaluator import Evaluator
from tests.servers.server import Fault, ModelServer, model_server

TASK = "Name a `queue`, a `lock` and what happens at `night`."
TEXTS = {
    "Ann": "A queue, with a lock.",
    "Bob": "A lock.\n" + "It is worth recalling that there are many ways. " * 20,
    "Cleo": "A queue and a lock.\n\n- at night, both rest\n",
}
HONEST = {"Ann": 33, "Bob": -33, "Cleo": 100}


@pytest.fixture(scope="module")
def prompt() -> EvaluationPrompt:
    deliberation = Deliberation()
    for agent_id, content in TEXTS.items():
        deliberation.propose(agent_id, content)
    return deliberation.evaluation_prompt(task=TASK)


Make = Callable[..., Judge]


KINDS: dict[type, Callable[..., Judge]] = {
    **dict.fromkeys(OPENAI, openai_judge),
    **dict.fromkeys(ANTHROPIC, anthropic_judge),
}


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def make(request: pytest.FixtureRequest, opened: ExitStack) -> Make:
    """Give what makes a judge over one of the clients."""
    kind: type = request.param

    def made(server: ModelServer, settings: Any = None, **options: Any) -> Judge:
        client = opened.enter_context(connected(kind, server, **(settings or {})))
        return KINDS[kind](client, model="m", **options)

    return made


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as running:
        yield running


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shape_magic.experiments.conversation._FIRST_PAUSE", 0.001)


def asked(judge: Judge, prompt: EvaluationPrompt) -> Reply:
    given = judge(prompt)
    return given if isinstance(given, Reply) else awaited(given)


def weights(reply: Reply) -> dict[str, int]:
    assert isinstance(reply.content, str)
    evaluations = json.loads(reply.content)["evaluations"]
    return {evaluation["agent_id"]: evaluation["endorsement_weight"] for evaluation in evaluations}


def test_judge__reads_the_prompt_and_checks_by_the_tools(
    make: Make, server: ModelServer, prompt: EvaluationPrompt
) -> None:
    reply = asked(make(server), prompt)
    assert weights(reply) == HONEST
    called = [(call.name, json.loads(call.arguments)) for call in reply.tool_calls]
    assert called[0] == ("read_proposal", {"agent_id": "Ann", "from_line": 1, "to_line": 1})
    assert called[3] == ("search_deliberation", {"keywords": ["queue"]})
    assert "  1| A queue, with a lock." in reply.tool_calls[0].answer
    assert reply.usage == Usage(
        input_tokens=200, output_tokens=40, cached_tokens=80, requests=len(server.bodies)
    )
    assert reply.model == "model-1"


@pytest.mark.parametrize(
    ("bias", "expected"),
    [
        ("honest", HONEST),
        ("length", {"Ann": -96, "Bob": 100, "Cleo": -91}),
        ("first", {**HONEST, "Ann": 93}),
    ],
)
def test_judge__is_as_biased_as_the_evaluator_behind_it(
    make: Make, prompt: EvaluationPrompt, bias: Any, expected: dict[str, int]
) -> None:
    with model_server(Evaluator(bias)) as server:
        assert weights(asked(make(server), prompt)) == expected


def test_judge__without_tools_and_schema__asks_once(
    make: Make, server: ModelServer, prompt: EvaluationPrompt
) -> None:
    reply = asked(make(server, tools=False, schema=False), prompt)
    assert weights(reply) == HONEST
    (body,) = server.bodies
    assert not set(body) & {"tools", "response_format", "output_config"}


def test_judge__options__go_into_each_request(
    make: Make, server: ModelServer, prompt: EvaluationPrompt
) -> None:
    asked(make(server, service_tier="auto"), prompt)
    assert [body["service_tier"] for body in server.bodies] == ["auto", "auto"]


def test_judge__out_of_turns__has_to_reply(
    make: Make, server: ModelServer, prompt: EvaluationPrompt
) -> None:
    asked(make(server, tool_turns=1), prompt)
    first, last = server.bodies
    assert "tool_choice" not in first
    assert last["tool_choice"] in ("none", {"type": "none"})


@pytest.mark.parametrize("fault", ["429", "500", "cut", "ends early"])
def test_judge__a_fault__is_passed_over(
    make: Make, server: ModelServer, prompt: EvaluationPrompt, fault: Fault
) -> None:
    server.faults.extend([fault, fault])
    reply = asked(make(server), prompt)
    assert weights(reply) == HONEST
    assert len(server.bodies) == 4


@pytest.mark.parametrize("fault", ["cut", "ends early"])
def test_judge__cut_short_each_time__gives_up(
    make: Make, server: ModelServer, prompt: EvaluationPrompt, fault: Fault
) -> None:
    server.faults.extend([fault] * 3)
    with pytest.raises(JudgeError, match="cut short, 3 times in a row"):
        asked(make(server), prompt)
    assert len(server.bodies) == 3


@pytest.mark.parametrize("fault", ["429", "500"])
def test_judge__refused_each_time__raises_what_the_client_does(
    make: Make, server: ModelServer, prompt: EvaluationPrompt, fault: Fault
) -> None:
    server.faults.extend([fault] * 3)
    with pytest.raises(STATUS_ERRORS, match="try again"):
        asked(make(server), prompt)
    assert len(server.bodies) == 3


def test_judge__a_reply_that_never_comes__ends_by_the_clients_timeout(
    make: Make, server: ModelServer, prompt: EvaluationPrompt
) -> None:
    server.faults.append("silence")
    judge = make(server, settings={"timeout": 0.2, "max_retries": 0})
    with pytest.raises(TIMEOUT_ERRORS):
        asked(judge, prompt)


@pytest.mark.parametrize("kind", KINDS)
def test_judge__is_async_where_its_client_is(
    kind: type, server: ModelServer, opened: ExitStack
) -> None:
    client = opened.enter_context(connected(kind, server))
    judge = KINDS[kind](client, model="m")
    assert inspect.iscoroutinefunction(judge) == kind.__name__.startswith("Async")
    assert judge.__name__ == f"{KINDS[kind].__name__}(m)"


def test_run__over_both_official_clients__takes_what_their_models_found() -> None:
    rounds = Deliberation()
    fill_rounds(rounds, 3)
    with (
        model_server() as server,
        connected(OPENAI[1], server) as over_openai,
        connected(ANTHROPIC[0], server) as over_anthropic,
    ):
        judges = {
            "Olga": openai_judge(over_openai, model="m"),
            "Anton": anthropic_judge(over_anthropic, model="m"),
            "Eve": plain_judge(),
        }
        done = run_evaluations(rounds, judges, progress=False)
    assert done.left == 0
    assert done.failures == ()
    frame = rounds.evaluations_frame()
    weights = frame.pivot(
        index=["round", "arm", "agent_id"],
        columns="evaluator_agent_id",
        values="endorsement_weight",
    )
    # They look the words up by the tools, and Eve reads the prompt: they find the same.
    assert (weights["Olga"] == weights["Eve"]).all()
    assert (weights["Anton"] == weights["Eve"]).all()
    kept = rounds._store.replies(judge="Olga")
    assert {call["name"] for reply in kept for call in (reply.usage or {})["tool_calls"]} == {
        "read_proposal",
        "search_deliberation",
    }
