"""What chats, evaluation tools and data frames hold, read as the proposals of rounds.

>>> chat = [
...     {"role": "user", "content": "Queue or lock?"},
...     {"role": "assistant", "name": "Ann", "content": "A queue."},
... ]
>>> read_messages(chat, agent_id="assistant")
[Answer(agent_id='Ann', content='A queue.', thought_process='', task='Queue or lock?', round=None)]
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from shape_magic.analyzers.registry import Registry
from shape_magic.deliberation.arguments import agent_id_text, round_number
from shape_magic.deliberation.store import Store, measurement_columns
from shape_magic.errors import ArgumentError, FrameError, RecordError
from shape_magic.wording import listed, plural, quoted

__all__ = [
    "Answer",
    "MessagesReport",
    "add_answers",
    "numbered",
    "read_frame",
    "read_messages",
]

# The names that the fields have in what chats and evaluation tools write; a row has one of each.
_PROMPT: Final = ("prompt", "instruction", "input", "question", "task")
_OUTPUTS: Final = ("outputs", "output", "completions", "completion", "responses", "response")
_AGENT: Final = ("agent_id", "model", "generator", "provider", "name")
_CONTENT: Final = ("content", "text", "output", "message")
_THOUGHTS: Final = ("thought_process", "reasoning_content", "reasoning", "thinking")
_TASK_ROLES: Final = ("system", "developer", "user")


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """One agent's answer to a task."""

    agent_id: str
    content: str
    thought_process: str = ""
    task: str | None = None
    round: int | None = None


class MessagesReport(msgspec.Struct, frozen=True):
    """What was taken in; `str` of it says that in a line."""

    rounds: tuple[int, ...]
    """The rounds that the proposals stand in."""
    proposals: int

    def __str__(self) -> str:
        proposals, rounds = plural(self.proposals, "proposal"), plural(len(self.rounds), "round")
        return f"{proposals} taken, in {rounds}"


def read_messages(data: object, *, agent_id: str) -> list[Answer]:
    """Read a conversation, a list of them, or a list of rows with a prompt and its outputs.

    In a conversation each turn of the user begins a task, with the system's message before it, and
    each answer is by the message's `name`, else by the row's `model`, else by `agent_id`. Where an
    agent answers a task several times, its later answers are by `model 2`, `model 3`. RecordError
    names the place of what cannot be read.
    """
    if isinstance(data, Mapping):
        data = [data]
    if isinstance(data, str) or not isinstance(data, Iterable):
        raise ArgumentError(f"messages are a list of messages or of rows, not {quoted(data)}")
    rows = list(data)
    if rows and isinstance(rows[0], Mapping) and "role" in rows[0]:
        return _counted(_conversation(rows, agent_id, "$"))
    answers: list[Answer] = []
    for index, row in enumerate(rows):
        answers += _row(row, agent_id, f"$[{index}]")
    return _counted(answers)


def _row(row: object, agent_id: str, path: str) -> Iterator[Answer]:
    if isinstance(row, Sequence) and not isinstance(row, str):
        return _conversation(row, agent_id, path)
    if not isinstance(row, Mapping):
        raise RecordError(f"{path}: a row is an object or a list of messages, not {quoted(row)}")
    name = _optional(row, _AGENT, path) or agent_id
    if not isinstance(name, str):
        raise RecordError(f"{path}: the agent's name is a str, not {quoted(name)}")
    if "messages" in row:
        return _conversation(row["messages"], name, f"{path}.messages")
    prompt = _field(row, _PROMPT, path)
    outputs = _field(row, _OUTPUTS, path)
    return _outputs(row[outputs], name, _task(row[prompt], f"{path}.{prompt}"), f"{path}.{outputs}")


def _field(row: Mapping[str, Any], names: Sequence[str], path: str) -> str:
    found = [name for name in names if row.get(name) is not None]
    if len(found) == 1:
        return found[0]
    if not found:
        raise RecordError(f"{path}: it has none of the fields {listed(names)}")
    raise RecordError(f"{path}: it has {listed(found)}, and one of them is wanted")


def _optional(row: Mapping[str, Any], names: Sequence[str], path: str) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _task(prompt: object, path: str) -> str:
    if isinstance(prompt, str):
        return prompt
    if not isinstance(prompt, Sequence) or not prompt:
        raise RecordError(f"{path}: a prompt is a str or a list of messages, not {quoted(prompt)}")
    turns = []
    for index, message in enumerate(prompt):
        role, content, _ = _message(message, f"{path}[{index}]")
        turns.append((role, content))
    if len(turns) == 1:
        return turns[0][1]
    return "\n\n".join(f"{role}: {content}" for role, content in turns)


def _conversation(messages: object, agent_id: str, path: str) -> Iterator[Answer]:
    if isinstance(messages, str) or not isinstance(messages, Sequence):
        raise RecordError(f"{path}: a conversation is a list of messages, not {quoted(messages)}")
    system: list[str] = []
    task: list[str] = []
    answered = True
    for index, message in enumerate(messages):
        place = f"{path}[{index}]"
        role, content, thoughts = _message(message, place)
        if role in ("system", "developer"):
            system.append(content)
        elif role == "user":
            task = [*task, content] if not answered else [content]
            answered = False
        elif role == "assistant":
            if not content:
                # It called a tool; its answer is yet to come.
                continue
            answered = True
            yield Answer(
                agent_id=message.get("name") or agent_id,
                content=content,
                thought_process=thoughts,
                task="\n\n".join([*system, *task]) if task else None,
            )
        elif role not in ("tool", "function"):
            raise RecordError(
                f"{place}.role: {quoted(role)} is not one of {listed([*_TASK_ROLES, 'assistant'])}"
            )


def _message(message: object, path: str) -> tuple[str, str, str]:
    """Give a message's role, its text and its thoughts."""
    if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
        raise RecordError(f"{path}: a message is an object with a role, not {quoted(message)}")
    content, thoughts = _parts(message.get("content"), f"{path}.content")
    return message["role"], content, thoughts or _thoughts(message, path)


def _thoughts(fields: Mapping[str, Any], path: str) -> str:
    thoughts = _optional(fields, _THOUGHTS, path)
    return thoughts if isinstance(thoughts, str) else ""


def _parts(content: object, path: str) -> tuple[str, str]:
    """Give the text and the thoughts of a message's content: a text, or a list of parts."""
    if content is None:
        return "", ""
    if isinstance(content, str):
        return content, ""
    if not isinstance(content, Sequence):
        raise RecordError(f"{path}: a content is a str or a list of parts, not {quoted(content)}")
    texts: list[str] = []
    thoughts: list[str] = []
    for index, part in enumerate(content):
        match part:
            case {"type": "text" | "output_text" | "input_text", "text": str(text)}:
                texts.append(text)
            case {"type": "thinking", "thinking": str(text)} | {
                "type": "reasoning",
                "text": str(text),
            }:
                thoughts.append(text)
            case {"type": "tool_use" | "tool_result" | "tool_call" | "redacted_thinking"}:
                pass
            case _:
                kind = part.get("type") if isinstance(part, Mapping) else part
                raise RecordError(f"{path}[{index}]: a part is text, not {quoted(kind)}")
    return "".join(texts), "\n\n".join(thoughts)


def _outputs(outputs: object, agent_id: str, task: str, path: str) -> Iterator[Answer]:
    match outputs:
        case str():
            yield Answer(agent_id=agent_id, content=outputs, task=task)
        case Mapping() if any(name in outputs for name in _CONTENT):
            yield _output(outputs, agent_id, task, path)
        case Mapping():
            for name, output in outputs.items():
                yield _output(output, str(name), task, f"{path}.{name}")
        case Sequence():
            for index, output in enumerate(outputs):
                yield _output(output, agent_id, task, f"{path}[{index}]")
        case _:
            raise RecordError(
                f"{path}: outputs are a text, a list, or an object by agent, not {quoted(outputs)}"
            )


def _output(output: object, agent_id: str, task: str, path: str) -> Answer:
    if isinstance(output, str):
        return Answer(agent_id=agent_id, content=output, task=task)
    if not isinstance(output, Mapping):
        raise RecordError(f"{path}: an output is a text or an object, not {quoted(output)}")
    name = _field(output, _CONTENT, path)
    content, thoughts = (
        _message(output[name], f"{path}.{name}")[1:]
        if name == "message" and isinstance(output[name], Mapping)
        else _parts(output[name], f"{path}.{name}")
    )
    named = _optional(output, _AGENT, path)
    return Answer(
        agent_id=named if isinstance(named, str) and named else agent_id,
        content=content,
        thought_process=thoughts or _thoughts(output, path),
        task=task,
    )


def _counted(answers: Iterable[Answer]) -> list[Answer]:
    """Tell apart the answers that one agent gave to one task."""
    times: Counter[tuple[str | None, str]] = Counter()
    told_apart = []
    for answer in answers:
        times[answer.task, answer.agent_id] += 1
        number = times[answer.task, answer.agent_id]
        name = answer.agent_id if number == 1 else f"{answer.agent_id} {number}"
        told_apart.append(msgspec.structs.replace(answer, agent_id=name))
    return told_apart


def read_frame(
    frame: Any,
    *,
    agent_id: str,
    content: str,
    task: str | None = None,
    round: str | None = None,
    thought_process: str | None = None,
) -> list[Answer]:
    """Read a data frame by the names of its columns: a row an answer.

    FrameError names a column that is not there, or the row that holds what cannot be taken.
    """
    columns = {"agent_id": agent_id, "content": content}
    optional = {"task": task, "round": round, "thought_process": thought_process}
    columns |= {field: name for field, name in optional.items() if name is not None}
    there = list(frame.columns)
    for name in columns.values():
        if name not in there:
            raise FrameError(f"there is no column {quoted(name)}; there are {listed(there)}")
    answers = []
    for number, row in enumerate(zip(*(frame[name] for name in columns.values()), strict=True)):
        fields: dict[str, Any] = {
            field: value for field, value in zip(columns, row, strict=True) if not _missing(value)
        }
        for field, name in columns.items():
            place = f"row {number:,}, column {quoted(name)}"
            value = fields.get(field)
            if field == "round" and value is not None:
                fields[field] = _round(value, place)
            elif value is None and field in ("agent_id", "content"):
                raise FrameError(f"{place}: it is empty")
            elif value is not None and not isinstance(value, str):
                raise FrameError(f"{place}: it is a text, not {quoted(value)}")
        answers.append(Answer(**fields))
    return _counted(answers) if round is None else answers


def _missing(value: object) -> bool:
    # pandas has several values for 'none': each is None, or is not equal to itself.
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def _round(value: Any, place: str) -> int:
    try:
        number = float(value)
        if not math.isfinite(number) or number != int(number):
            raise ValueError
        return round_number(int(value))
    except (TypeError, ValueError):
        raise FrameError(f"{place}: a round is an integer from 0 up, not {quoted(value)}") from None


def numbered(
    answers: Iterable[Answer], *, tasks: Mapping[int, str], first: int
) -> list[tuple[int, Answer]]:
    """Give each answer its round: its own, that of its task, else a new one from `first` on.

    `tasks` are those of the rounds that there are, so that what is taken in again comes out in the
    same rounds. Answers without a task stand in one round together.
    """
    rounds: dict[str | None, int] = {task: number for number, task in tasks.items()}
    placed = []
    for answer in answers:
        if answer.round is not None:
            number = answer.round
        elif answer.task in rounds:
            number = rounds[answer.task]
        else:
            number = rounds[answer.task] = first
            first += 1
        placed.append((number, answer))
    return placed


def add_answers(store: Store, answers: Sequence[Answer], *, registry: Registry) -> MessagesReport:
    """Store answers as proposals, and each task beside its round: all of them, or nothing."""
    measured = [
        (
            agent_id_text(answer.agent_id),
            measurement_columns(registry.measure(answer.content), content=answer.content),
        )
        for answer in answers
    ]
    with store.database.transaction():
        tasks = store.tasks()
        first = max([0, *store.rounds(), *tasks]) + 1
        placed = numbered(answers, tasks=tasks, first=first)
        for number, answer in placed:
            if answer.task is None or answer.task == tasks.get(number):
                continue
            if number in tasks:
                raise ArgumentError(
                    f"round {number} has the task {quoted(tasks[number])}, and an answer in it is "
                    f"to {quoted(answer.task)}"
                )
            store.set_task(number, answer.task)
            tasks[number] = answer.task
        for (number, answer), (agent_id, columns) in zip(placed, measured, strict=True):
            store.propose(
                agent_id,
                columns,
                round=number,
                content=answer.content,
                thoughts=answer.thought_process,
            )
    return MessagesReport(tuple(sorted({number for number, _ in placed})), len(placed))
