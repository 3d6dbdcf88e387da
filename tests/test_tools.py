"""The tools for a model: schemas that hold, and a call that always answers."""

import inspect
import json
import re
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shape_magic.deliberation import Deliberation, read_proposal, search
from shape_magic.deliberation.tools import STYLES
from shape_magic.errors import ArgumentError
from shape_magic.prompting import candidate
from shape_magic.vocabulary import PHASES, STANCES, VERDICTS
from tests.strategies import texts

NAMES = ["read_proposal", "search_deliberation"]


@pytest.fixture(scope="module")
def deliberation() -> Deliberation:
    deliberation = Deliberation()
    deliberation.propose("Ann (x)", "# Queue\n\nLatency.\n", thought_process="because")
    deliberation.propose("Bob", "[1]", round=2)
    return deliberation


def schemas() -> dict[str, dict[str, Any]]:
    return {tool["name"]: tool["input_schema"] for tool in Deliberation().tools("input_schema")}


@pytest.mark.parametrize("name", NAMES)
def test_tools__schema__is_valid_and_describes_every_argument(name: str) -> None:
    schema = schemas()[name]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert all(part["description"] for part in schema["properties"].values())
    json.dumps(schema)


def test_tools__arguments__are_those_of_the_methods() -> None:
    for name, schema in schemas().items():
        method = inspect.signature(getattr(Deliberation, name))
        assert list(schema["properties"]) == list(method.parameters)[1:]


def test_limits__are_those_of_the_deliberation_system() -> None:
    assert search.DEFAULT_RESULTS == 10
    assert search.MOST_RESULTS == 50
    assert search.MOST_MATCHED_LINES == 20
    assert search.CONTENT_LENGTH == 2_000
    assert read_proposal.THOUGHTS_PAGE == 5_000
    assert read_proposal.MOST_THOUGHTS == 15_000
    assert candidate.THOUGHTS_LENGTH == 4_000


def test_tools__both_styles__say_the_same() -> None:
    functions, inputs = (Deliberation().tools(style) for style in STYLES)
    assert [tool["type"] for tool in functions] == ["function", "function"]
    assert [
        {
            "name": tool["function"]["name"],
            "description": tool["function"]["description"],
            "input_schema": tool["function"]["parameters"],
        }
        for tool in functions
    ] == inputs
    assert [tool["name"] for tool in inputs] == NAMES


def test_tools__unknown_style__names_those_there_are() -> None:
    with pytest.raises(
        ArgumentError, match="style is 'xml'; there are 'functions', 'input_schema'"
    ):
        Deliberation().tools("xml")  # type: ignore[arg-type]


def test_call_tool__mapping_and_json__answer_as_the_method_does(deliberation: Deliberation) -> None:
    arguments = {"agent_id": "ann", "from_line": 1, "to_line": 2.0, "round": None}
    expected = deliberation.read_proposal("ann", from_line=1, to_line=2)
    assert deliberation.call_tool("read_proposal", arguments) == expected
    assert deliberation.call_tool("read_proposal", json.dumps(arguments)) == expected
    assert deliberation.call_tool(
        "search_deliberation", {"keywords": ["LATENCY"], "rounds": [1]}
    ) == deliberation.search_deliberation(["latency"], rounds=[1])
    assert deliberation.call_tool("search_deliberation", {}) == deliberation.search_deliberation()


@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [
        ("read", {}, "no tool is called 'read'; there are 'read_proposal', 'search_deliberation'"),
        ("read_proposal", {}, "read_proposal needs agent_id; its arguments are 'agent_id', "),
        ("read_proposal", "", "read_proposal needs agent_id; its arguments are "),
        ("read_proposal", [1], "the arguments of read_proposal are an object, not [1]"),
        ("read_proposal", None, "the arguments of read_proposal are an object, not null"),
        ("read_proposal", "{", "the arguments of read_proposal are no JSON: "),
        (
            "read_proposal",
            '{"agent_id": "Ann", "agent_id": "Bob"}',
            "the arguments of read_proposal are the key 'agent_id' stands twice in one object",
        ),
        ("read_proposal", "[1]", "the arguments of read_proposal are an object, not [1]"),
        (
            "read_proposal",
            {"agent_id": "Ann", "line": 3},
            "read_proposal has no argument 'line'; there are 'agent_id', 'round', 'from_line', ",
        ),
        (
            "read_proposal",
            {"agent_id": "Ann", "from_line": "3rd"},
            "read_proposal: from_line is an integer, not '3rd'",
        ),
        ("read_proposal", {"agent_id": "Zed"}, "no agent is called 'Zed'; there are "),
        ("read_proposal", {"agent_id": "Ann", "from_line": 0}, "from_line is 0; lines are 1 to 3"),
        (
            "read_proposal",
            '{"agent_id": "Ann", "round": "\\ud800"}',
            "read_proposal: round is an integer, not '\\ud800'",
        ),
        ("read_proposal", {"agent_id": None}, "read_proposal: agent_id is a text, not null"),
        ("read_proposal", True, "the arguments of read_proposal are an object, not true"),
        ("read_proposal", "false", "the arguments of read_proposal are an object, not false"),
        ("read_proposal", "5", "the arguments of read_proposal are an object, not 5"),
        (
            "search_deliberation",
            {"keywords": [1]},
            "search_deliberation: keywords is a list, and in it a text, not [1]",
        ),
        (
            "search_deliberation",
            {"filters": {"rounds": [1]}, "rounds": [2]},
            "search_deliberation: 'rounds' stands in filters and beside it",
        ),
        (
            "search_deliberation",
            {"filters": [1]},
            "search_deliberation: filters is an object, not [1]",
        ),
        ("search_deliberation", {"phase": "x"}, "phase is 'x'; there are 'proposing', "),
    ],
)
def test_call_tool__bad_call__is_answered_by_one_line(
    deliberation: Deliberation, name: str, arguments: Any, answer: str
) -> None:
    given_answer = deliberation.call_tool(name, arguments)
    assert given_answer.startswith(answer)
    assert len(given_answer.splitlines()) == 1


def test_call_tool__closed_deliberation__is_answered_too() -> None:
    deliberation = Deliberation()
    deliberation.close()
    assert deliberation.call_tool("search_deliberation", {}) == (
        "the deliberation in memory is closed"
    )


ONE_READING: list[tuple[str, Any, dict[str, Any]]] = [
    ("search_deliberation", "", {}),
    ("search_deliberation", " \n", {}),
    ("search_deliberation", {"filters": None}, {}),
    ("search_deliberation", {"keywords": "LATENCY"}, {"keywords": ["latency"]}),
    ("search_deliberation", {"rounds": 1}, {"rounds": [1]}),
    ("search_deliberation", {"rounds": ["1", 2.0]}, {"rounds": [1, 2]}),
    ("search_deliberation", {"filters": {"rounds": [2], "phase": "Proposing"}}, {"rounds": [2]}),
    ("search_deliberation", {"limit": "1"}, {"limit": 1}),
    ("search_deliberation", {"min_score": "-0.5"}, {"min_score": -0.5}),
    ("search_deliberation", {"stances": "Agree"}, {"stances": ["agree"]}),
    ("read_proposal", {"agent_id": "ann", "round": "1"}, {"agent_id": "ann", "round": 1}),
    ("read_proposal", {"agent_id": "ann", "to_line": 2.0}, {"agent_id": "ann", "to_line": 2}),
]


@pytest.mark.parametrize(("name", "given", "meant"), ONE_READING)
def test_call_tool__what_has_one_reading__is_taken(
    deliberation: Deliberation, name: str, given: Any, meant: dict[str, Any]
) -> None:
    answer = getattr(deliberation, name)(**meant)
    assert deliberation.call_tool(name, given) == answer
    if isinstance(given, dict):
        assert deliberation.call_tool(name, json.dumps(given)) == answer


DEEP = "[" * 500 + "]" * 500


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "arguments",
    [
        f'{{"keywords": {DEEP}, "agent_id": {DEEP}}}',
        DEEP,
        {"keywords": json.loads(DEEP), "agent_id": json.loads(DEEP)},
        json.loads(DEEP),
    ],
    ids=["text", "text of a list", "mapping", "list"],
)
def test_call_tool__arguments_that_nest_deep__are_answered(
    deliberation: Deliberation, name: str, arguments: Any
) -> None:
    assert f"of {name} " in (answer := deliberation.call_tool(name, arguments)) or name in answer


def nested(value: Any, depth: int) -> Any:
    for _ in range(depth):
        value = [value]
    return value


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**30, -(10**30)])
    # Python itself refuses to write this one out.
    | st.builds(lambda: 10**5000)
    | st.floats()
    | texts
    | st.binary()
    | st.builds(nested, st.none() | st.text(), st.integers(100, 700)),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner)
        | st.dictionaries(texts | st.integers() | st.none(), inner, max_size=3)
    ),
    max_leaves=6,
)
argument_names = st.sampled_from(
    sorted({name for schema in schemas().values() for name in schema["properties"]})
)
near_misses = st.dictionaries(
    argument_names, anything | st.sampled_from(["Ann", "bob", [1], ["x"]])
)
deep = st.builds(nested, st.integers(), st.integers(100, 700))
json_values = deep | st.none() | st.booleans() | st.integers() | st.floats() | texts
as_json = st.dictionaries(argument_names | texts, json_values | st.lists(json_values)).map(
    json.dumps
)
calls = anything | near_misses | as_json


@given(st.sampled_from(NAMES) | anything, calls)
@settings(max_examples=400)
def test_call_tool__anything_at_all__is_answered_by_text(name: Any, arguments: Any) -> None:
    deliberation = Deliberation()
    deliberation.propose("Ann (x)", "# Queue\n", thought_process="because")
    assert isinstance(deliberation.call_tool(name, arguments), str)
    deliberation.close()


def optional(draw: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | draw


positive = st.integers(1, 60)
rounds = st.integers(0, 2**63 - 1) | st.just(1)
words = st.text(st.characters(), min_size=1)
ALLOWED: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "read_proposal": st.fixed_dictionaries(
        {"agent_id": st.just("Ann")},
        optional={
            "round": optional(st.just(1)),
            "from_line": optional(st.just(1)),
            "to_line": optional(positive),
            "offset": optional(st.integers(0)),
            "limit": optional(positive | st.just(3.0)),
        },
    ),
    "search_deliberation": st.fixed_dictionaries(
        {},
        optional={
            "keywords": optional(st.lists(words, max_size=2)),
            "rounds": optional(st.lists(rounds)),
            "agent_ids": optional(st.lists(st.just("Ann"))),
            "phase": optional(st.sampled_from(PHASES)),
            "stances": optional(st.lists(st.sampled_from(STANCES))),
            "verdicts": optional(st.lists(st.sampled_from(VERDICTS))),
            "min_score": optional(st.floats(max_value=0, allow_infinity=False)),
            "max_score": optional(
                st.floats(min_value=0, allow_infinity=False) | st.integers(0, 10**308)
            ),
            "limit": optional(positive),
        },
    ),
}


@pytest.mark.parametrize("name", NAMES)
@given(st.data())
def test_call_tool__what_the_schema_allows__is_taken(name: str, data: st.DataObject) -> None:
    arguments = data.draw(ALLOWED[name])
    jsonschema.validate(arguments, schemas()[name])
    deliberation = Deliberation()
    deliberation.propose("Ann (x)", "# Queue\n")
    answer = deliberation.call_tool(name, arguments)
    assert answer.startswith(("<proposal ", "No results"))
    deliberation.close()


REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("read_proposal", {}),
    ("read_proposal", {"agent_id": ""}),
    ("read_proposal", {"agent_id": 1}),
    ("read_proposal", {"agent_id": "Ann", "other": 1}),
    ("read_proposal", {"agent_id": "Ann", "round": -1}),
    ("read_proposal", {"agent_id": "Ann", "round": 2**63}),
    ("read_proposal", {"agent_id": "Ann", "from_line": 0}),
    ("read_proposal", {"agent_id": "Ann", "to_line": True}),
    ("read_proposal", {"agent_id": "Ann", "offset": -1}),
    ("read_proposal", {"agent_id": "Ann", "limit": 0}),
    ("read_proposal", {"agent_id": "Ann", "limit": 1.5}),
    ("search_deliberation", {"keywords": [""]}),
    ("search_deliberation", {"keywords": ["a", 1]}),
    ("search_deliberation", {"rounds": [-1]}),
    ("search_deliberation", {"rounds": [2**63]}),
    ("search_deliberation", {"agent_ids": [""]}),
    ("search_deliberation", {"phase": "x"}),
    ("search_deliberation", {"stances": ["x"]}),
    ("search_deliberation", {"verdicts": ["x"]}),
    ("search_deliberation", {"min_score": "one"}),
    ("search_deliberation", {"min_score": 10**400}),
    ("search_deliberation", {"max_score": -(10**400)}),
    ("search_deliberation", {"limit": 0}),
]


@pytest.mark.parametrize(("name", "arguments"), REFUSED)
def test_call_tool__what_the_schema_forbids__is_refused(
    deliberation: Deliberation, name: str, arguments: dict[str, Any]
) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(arguments, schemas()[name])
    assert not deliberation.call_tool(name, arguments).startswith(("<proposal ", "No results"))


@pytest.mark.parametrize("style", STYLES)
def test_tools__each_says_what_it_is_for_on_one_line(style: Any) -> None:
    for tool in Deliberation().tools(style):
        described = tool.get("function", tool)
        assert len(described["description"]) > 40, described["name"]
        assert re.fullmatch(r"[A-Z]([^\s]| (?! ))+\.", described["description"])
