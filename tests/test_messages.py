"""Chats, exported rows and data frames, read as answers to tasks."""

from typing import Any

import pandas as pd
import pytest

from shape_magic.deliberation import Deliberation
from shape_magic.deliberation.messages import Answer, numbered, read_frame, read_messages
from shape_magic.errors import ArgumentError, FrameError, RecordError


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def assistant(content: Any, **fields: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **fields}


def answer(agent_id: str, content: str, task: str | None, thoughts: str = "") -> Answer:
    return Answer(agent_id=agent_id, content=content, task=task, thought_process=thoughts)


CHATS: dict[str, tuple[Any, list[Answer]]] = {
    "a chat": ([user("Q"), assistant("A")], [answer("assistant", "A", "Q")]),
    "named": (
        [user("Q"), assistant("A", name="Ann"), assistant("B", name="Bob")],
        [answer("Ann", "A", "Q"), answer("Bob", "B", "Q")],
    ),
    "two turns": (
        [user("Q"), assistant("A"), user("R"), assistant("B")],
        [answer("assistant", "A", "Q"), answer("assistant", "B", "R")],
    ),
    "system": (
        [{"role": "system", "content": "Be short."}, user("Q"), assistant("A")],
        [answer("assistant", "A", "Be short.\n\nQ")],
    ),
    "user twice": ([user("Q"), user("R"), assistant("A")], [answer("assistant", "A", "Q\n\nR")]),
    "tools": (
        [
            user("Q"),
            assistant(None, tool_calls=[{}]),
            {"role": "tool", "content": "found"},
            assistant("A"),
        ],
        [answer("assistant", "A", "Q")],
    ),
    "parts": (
        [
            user([{"type": "text", "text": "Q"}]),
            assistant([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "A"}]),
        ],
        [answer("assistant", "A", "Q", "hm")],
    ),
    "reasoning": (
        [user("Q"), assistant("A", reasoning_content="hm")],
        [answer("assistant", "A", "Q", "hm")],
    ),
    "chats": (
        [[user("Q"), assistant("A")], {"model": "m", "messages": [user("Q"), assistant("B")]}],
        [answer("assistant", "A", "Q"), answer("m", "B", "Q")],
    ),
    "same agent again": (
        [[user("Q"), assistant("A")], [user("Q"), assistant("B")], [user("R"), assistant("B")]],
        [
            answer("assistant", "A", "Q"),
            answer("assistant 2", "B", "Q"),
            answer("assistant", "B", "R"),
        ],
    ),
    "rows by agent": (
        [{"prompt": "Q", "outputs": {"m": "A", "n": {"text": "B", "reasoning": "hm"}}}],
        [answer("m", "A", "Q"), answer("n", "B", "Q", "hm")],
    ),
    "rows, listed": (
        [{"prompt": [user("Q")], "outputs": ["A", {"model": "m", "output": "B"}]}],
        [answer("assistant", "A", "Q"), answer("m", "B", "Q")],
    ),
    "a row an output": (
        [{"instruction": "Q", "output": "A", "generator": "m"}],
        [answer("m", "A", "Q")],
    ),
    "a completion's message": (
        [{"input": "Q", "response": {"message": assistant("A")}}],
        [answer("assistant", "A", "Q")],
    ),
    "a prompt of turns": (
        [{"prompt": [user("Q"), assistant("A"), user("R")], "output": "B"}],
        [answer("assistant", "B", "user: Q\n\nassistant: A\n\nuser: R")],
    ),
    "one row": ({"prompt": "Q", "output": "A"}, [answer("assistant", "A", "Q")]),
    "none": ([], []),
}


@pytest.mark.parametrize("name", CHATS)
def test_messages__of_every_form__are_answers_to_tasks(name: str) -> None:
    data, expected = CHATS[name]
    assert read_messages(data, agent_id="assistant") == expected


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([{"prompt": "Q"}], r"\$\[0\]: it has none of the fields 'outputs'"),
        ([{"output": "A"}], r"\$\[0\]: it has none of the fields 'prompt'"),
        ([{"prompt": "Q", "output": "A", "response": "B"}], "has 'output', 'response', and one"),
        ([{"prompt": "Q", "output": 3}], r"\$\[0\].output: outputs are a text"),
        ([{"prompt": "Q", "outputs": [3]}], r"\$\[0\].outputs\[0\]: an output is a text"),
        ([[user("Q"), {"role": "robot", "content": "A"}]], r"\$\[0\]\[1\].role: 'robot' is not"),
        ([user("Q"), assistant([{"type": "image"}])], r"\$\[1\].content\[0\]: .*not 'image'"),
        ([user("Q"), "A"], r"\$\[1\]: a message is an object with a role"),
        ([3], r"\$\[0\]: a row is an object or a list"),
        ([{"prompt": 3, "output": "A"}], r"\$\[0\].prompt: a prompt is a str"),
        ([{"messages": "Q"}], r"\$\[0\].messages: a conversation is a list"),
    ],
)
def test_messages__that_cannot_be_read__name_the_place(data: Any, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        read_messages(data, agent_id="assistant")


@pytest.mark.parametrize("data", ["text", 3, None])
def test_messages__that_are_no_list__are_refused(data: Any) -> None:
    with pytest.raises(ArgumentError, match="messages are a list"):
        read_messages(data, agent_id="assistant")


def frame(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame({"who": ["Ann", "Bob"], "text": ["A", "B"], **columns})


def test_frame__columns__are_named_by_arguments() -> None:
    read = read_frame(
        frame(asked=["Q", None], turn=[1, 2.0], why=["hm", float("nan")]),
        agent_id="who",
        content="text",
        task="asked",
        round="turn",
        thought_process="why",
    )
    assert read == [
        Answer(agent_id="Ann", content="A", task="Q", round=1, thought_process="hm"),
        Answer(agent_id="Bob", content="B", round=2),
    ]


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({}, {"task": "asked"}, "no column 'asked'; there are 'who', 'text'"),
        ({"text": ["A", None]}, {}, "row 1, column 'text': it is empty"),
        ({"text": ["A", 3]}, {}, "row 1, column 'text': it is a text, not 3"),
        ({"n": [1, 2.5]}, {"round": "n"}, "row 1, column 'n': a round is an integer"),
        ({"n": [1, -2]}, {"round": "n"}, "row 1, column 'n': a round is an integer"),
    ],
)
def test_frame__that_cannot_be_taken__is_refused(
    columns: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(FrameError, match=message):
        read_frame(frame(**columns), agent_id="who", content="text", **options)


def test_rounds__are_those_of_the_tasks() -> None:
    answers = [answer("a", "1", "Q"), answer("a", "2", "R"), answer("b", "3", "Q")]
    answers.append(Answer(agent_id="c", content="4", round=9))
    answers += [answer("d", "5", None), answer("e", "6", None)]
    placed = numbered(answers, tasks={3: "R"}, first=4)
    assert [(number, proposal.content) for number, proposal in placed] == [
        (4, "1"),
        (3, "2"),
        (4, "3"),
        (9, "4"),
        (5, "5"),
        (5, "6"),
    ]


ROWS = [
    {"prompt": "Q", "outputs": {"m": "# A", "n": "B"}},
    {"prompt": "R", "outputs": {"m": "C", "n": {"text": "D", "reasoning": "hm"}}},
]


def test_add_messages__keeps_tasks_beside_their_rounds(deliberation: Deliberation) -> None:
    deliberation.propose("Ann", "before")
    report = deliberation.add_messages(ROWS)
    assert (report.rounds, report.proposals) == ((2, 3), 4)
    assert deliberation._store.tasks() == {2: "Q", 3: "R"}
    assert deliberation.proposal("m", round=2).shape.headings == 1
    assert deliberation.proposal("n", round=3).thought_process == "hm"


def test_add_messages__again__changes_nothing(deliberation: Deliberation) -> None:
    deliberation.add_messages(ROWS)
    before = deliberation.proposals()
    assert deliberation.add_messages(ROWS).rounds == (1, 2)
    assert deliberation.proposals() == before
    assert deliberation.add_messages([ROWS[1], {"prompt": "S", "output": "E"}]).rounds == (2, 3)


def test_add_messages__with_one_that_cannot_be_read__takes_none(
    deliberation: Deliberation,
) -> None:
    with pytest.raises(RecordError):
        deliberation.add_messages([*ROWS, {"prompt": "S"}])
    with pytest.raises(ArgumentError, match="agent_id is empty"):
        deliberation.add_messages([*ROWS, {"prompt": "S", "outputs": {"": "E"}}])
    assert deliberation.rounds() == []
    assert deliberation._store.tasks() == {}


def test_add_frame__with_rounds__keeps_one_task_a_round(deliberation: Deliberation) -> None:
    columns = {"agent_id": "who", "content": "text", "task": "asked", "round": "turn"}
    deliberation.add_frame(frame(asked=["Q", "Q"], turn=[4, 4]), **columns)
    assert deliberation._store.tasks() == {4: "Q"}
    with pytest.raises(ArgumentError, match=r"round 4 has the task 'Q', and .* is to 'R'"):
        deliberation.add_frame(frame(asked=["Q", "R"], turn=[4, 4]), **columns)
    assert [proposal.version for proposal in deliberation.proposals()] == [1, 1]
