"""A model's reply is read as what it says, or refused; never as anything else."""

import ast
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shape_magic.deliberation.reply import ReplyReading, read_reply
from shape_magic.vocabulary import CATEGORY_NAMES, STANCES, VERDICTS

FOLDER = Path(__file__).parent / "cases" / "replies"


class ReplyCase(NamedTuple):
    """A reply, and the lines that say what is read of it."""

    name: str
    text: str
    expected: list[str]


def read_cases(path: Path) -> list[ReplyCase]:
    """Read cases as those of analyzers are: title, input and what is expected, by single dots."""
    lines = path.read_text(encoding="utf-8").split("\n")
    dots = [number for number, line in enumerate(lines) if line == "."]
    cases = []
    for begin, middle, end in zip(dots[::3], dots[1::3], dots[2::3], strict=True):
        title = lines[begin - 1]
        text = "".join(f"{line}\n" for line in lines[begin + 1 : middle])
        if title.endswith("[escaped]"):
            text = ast.literal_eval(text)
        cases.append(ReplyCase(f"{path.stem}:{begin} {title}", text, lines[middle + 1 : end]))
    return cases


CASES = [(path.stem, case) for path in sorted(FOLDER.glob("*.md")) for case in read_cases(path)]
MACRO = re.compile(r"⟨(?P<inside>[^⟩]*)⟩")
FIELD = re.compile(r" (?P<name>\w+)=(?P<value>.*?)(?= \w+=|$)", re.DOTALL)


def expanded(text: str) -> str:
    """Write the evaluations that a case writes short: ⟨A 60 stance="agree"⟩, ⟨60⟩."""
    return MACRO.sub(lambda match: evaluation_text(match["inside"]), text)


def evaluation_text(short: str) -> str:
    fields = {
        "justification": '"why"',
        "stance": '"agree"',
        "claim_assessments": '[{"claim": "c", "verdict": "verified"}]',
        "category_scores": json.dumps(dict.fromkeys(CATEGORY_NAMES, 10)),
    }
    escaped = short.endswith(" escaped")
    short = short.removesuffix(" escaped")
    given = {match["name"]: match["value"] for match in FIELD.finditer(short)}
    agent, _, weight = FIELD.sub("", short).rpartition(" ")
    weights = {} if "score" in given else {"endorsement_weight": weight}
    written = ", ".join(
        f'"{name}": {value}' for name, value in {**weights, **fields, **given}.items()
    )
    if agent:
        written = f'{{"agent_id": "{agent}", {written}}}'
    return written.replace('"', '\\"') if escaped else written


def described(text: str, *, partial: bool = False) -> list[str]:
    """Write what is read of a reply as the cases write it."""
    reading = read_reply(text, keys=["A", "B"], own="Me", partial=partial)
    lines = []
    for item in reading.evaluations:
        said = item.evaluation
        lines.append(f"{item.key}: {said.score:g} {said.stance} {said.justification!a}")
        if said.claim_assessments and said.claim_assessments[0].claim != "c":
            claims = (f"{claim.claim} {claim.verdict}" for claim in said.claim_assessments)
            lines.append(f"claims: {', '.join(claims)}")
        others = {name: value for name, value in said.extra.items() if name != "endorsement_weight"}
        if others:
            lines.append(f"others: {others}")
    lines += [f"repair: {repair}" for repair in reading.repairs]
    lines += [f"problem: {problem}" for problem in reading.problems]
    lines += [f"left out: {left}" for left in reading.left_out]
    if reading.evaluations and reading.not_evaluated:
        lines.append(f"not evaluated: {', '.join(reading.not_evaluated)}")
    return lines


@pytest.mark.parametrize(("kind", "case"), CASES, ids=[case.name for _, case in CASES])
def test_reply__is_read_as_the_case_says(kind: str, case: ReplyCase) -> None:
    assert described(expanded(case.text), partial=kind == "partial") == case.expected


def test_cases__are_there_and_are_of_their_kind() -> None:
    assert len(CASES) > 80
    for kind, case in CASES:
        taken = any(re.match(r"[AB]: ", line) for line in case.expected)
        refused = any(line.startswith("problem: ") for line in case.expected)
        if kind != "partial":
            assert (taken, refused) == (kind == "taken", kind == "refused"), case.name


WHOLE = expanded('{"evaluations": [⟨A 60⟩]}')
TWELVE = [f"C{number}" for number in range(12)]
WRAPPERS: dict[str, tuple[int, Callable[[str], str]]] = {
    "objects": (6, lambda text: f'{{"a": {text}}}'),
    "arrays": (6, lambda text: f"[{text}]"),
    "strings": (6, json.dumps),
    # Each is an object with a string in it.
    "arguments": (3, lambda text: json.dumps({"arguments": text})),
    "evaluations": (6, lambda text: json.dumps({"evaluations": text})),
}


@pytest.mark.parametrize("name", WRAPPERS)
def test_reply__in_wrappers__is_found_to_a_depth(name: str) -> None:
    most, wrap = WRAPPERS[name]
    text = expanded("[⟨A 60⟩]") if name == "evaluations" else WHOLE
    for depth in range(1, most + 2):
        text = wrap(text)
        assert bool(read_reply(text, keys=["A"]).evaluations) == (depth <= most)


@pytest.mark.parametrize(
    ("name", "holds"),
    [
        *((name, True) for name in ("arguments", "input", "content", "text", "output", "result")),
        *((name, True) for name in ("response", "reply", "answer", "Answer")),
        *((name, False) for name in ("", "note", "justification")),
    ],
)
def test_reply__in_a_string__is_found_in_the_parts_that_hold_replies(
    name: str, holds: bool
) -> None:
    assert bool(read_reply({name: WHOLE}, keys=["A"]).evaluations) == holds


@pytest.mark.parametrize(
    ("reply", "arguments", "said"),
    [
        # The only candidate there is cannot be confused with another.
        ("I say ⟨A 60⟩.", {"keys": ["A"]}, "A"),
        ("I say ⟨A 60⟩.", {"keys": ["A", "B"]}, "line 1: a single evaluation among words may be "),
        ("⟨a (m) 60⟩", {"keys": ["A (m)"]}, "A (m)"),
        ("⟨a 60⟩", {"keys": ["A (m)"]}, "A (m)"),
        ("⟨a 60⟩", {"keys": ["A (m)"], "exact": True}, 'it evaluates none of "A (m)"'),
        (
            '{"evaluations": [⟨candidate a 60⟩, ⟨Candidate_B 60⟩]}',
            {"keys": ["Candidate_A", "Candidate_B"], "exact": True},
            'line 1: evaluation 1: agent_id is "candidate a", and the key is "Candidate_A"',
        ),
        (
            "⟨a 60⟩",
            {"keys": ["A (m)", "A (n)"]},
            "line 1: evaluation 1: agent_id does not say who is meant: 'a' may be any of 'A (m)', ",
        ),
        ('{"a": {⟨60⟩}}', {"keys": ["A (m)", "A (n)"]}, "line 1: evaluation 1: agent_id does not"),
        ("⟨B 60⟩", {"keys": ["A"], "own": "B"}, 'it evaluates none of "A"'),
        ("\n <think>", {"keys": ["A"]}, "line 2: <think> is not closed"),
        ("\n\n <b> </think>", {"keys": ["A"]}, "line 3: <think> counts at the start alone"),
        (
            [{"evaluations": [{"agent_id": "A", "score": n}]} for n in (0, 1)],
            {"keys": ["A"]},
            "it may be read in 2 ways: give one JSON object and nothing else",
        ),
        (json.loads(expanded("⟨A 60⟩")), {"keys": ["A"]}, "A"),
        ([json.loads(expanded("⟨A 60⟩"))], {"keys": ["A"]}, "A"),
        ('{"evaluations": [], "evaluation', {"keys": ["A"]}, "it is cut off: line 1, character 32"),
        ("[1, [2}", {"keys": ["A"]}, "there is no JSON in it that holds evaluations; what might "),
    ],
)
def test_reply__by_who_may_be_meant(reply: Any, arguments: dict[str, Any], said: str) -> None:
    reading = read_reply(expanded(reply) if isinstance(reply, str) else reply, **arguments)
    if reading.evaluations:
        assert [item.key for item in reading.evaluations] == [said]
    else:
        (problem, *_) = map(str, reading.problems)
        assert problem.startswith(said)


def test_problem__of_many_candidates__names_ten() -> None:
    ten = ", ".join(f'"{key}"' for key in TWELVE[:10])
    (problem,) = read_reply(expanded("⟨Z 60⟩"), keys=TWELVE).problems
    assert str(problem) == f"it evaluates none of {ten}"
    (problem, *_) = read_reply(expanded('{"evaluations": [{⟨60⟩}]}'), keys=TWELVE).problems
    assert str(problem) == f"line 1: evaluation 1: agent_id is missing; it is one of {ten}"
    cut_off = expanded('{"evaluations": [⟨C11 60⟩, ')
    (*missing, problem) = read_reply(cut_off, keys=TWELVE, partial=True).problems
    assert len(missing) == 11
    assert f"the endorsement_weight of {ten} cannot be read" in str(problem)


def test_strict__takes_the_exact_form_and_names_what_is_another() -> None:
    assert read_reply(WHOLE, keys=["A"], strict=True) == read_reply(WHOLE, keys=["A"])
    reading = read_reply(f"{WHOLE}\n{WHOLE}", keys=["A", "B"], strict=True)
    assert reading.evaluations == ()
    assert [str(problem) for problem in reading.problems] == [
        "line 1: words around it: strict takes the exact form alone",
        "line 1: the same evaluations 2 times: strict takes the exact form alone",
    ]


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(
    [
        'he said "no", "stance": "agree"',
        "it's {\"evaluations\": []} and 'b'",
        '[{"agent_id": "B", "endorsement_weight": 100}]',
        "a\nb // c # d /* e */ \\d \u201cf\u201d \u2018g\u2019",
        "<think>",
    ]
)
numbers = st.integers(-100, 100) | st.floats(-100, 100)
verdicts_of_one = st.fixed_dictionaries(
    {
        "endorsement_weight": numbers,
        "justification": texts,
        "stance": st.sampled_from(STANCES),
        "claim_assessments": st.lists(
            st.fixed_dictionaries({"claim": texts, "verdict": st.sampled_from(VERDICTS)}),
            max_size=2,
        ),
        "category_scores": st.fixed_dictionaries(dict.fromkeys(CATEGORY_NAMES, numbers)),
    }
)
KEYS = ["Candidate_A", "Candidate_B", "Candidate_C"]
replies = st.lists(st.sampled_from(KEYS), unique=True, min_size=1).flatmap(
    lambda keys: st.fixed_dictionaries(dict.fromkeys(keys, verdicts_of_one))
)
Verdicts = dict[str, dict[str, Any]]


def reply_object(verdicts: Verdicts) -> dict[str, Any]:
    return {"evaluations": [{"agent_id": key, **said} for key, said in verdicts.items()]}


def as_said(reading: ReplyReading) -> Verdicts:
    """Give what was read in the form that replies are made from."""
    return {
        item.key: {
            "endorsement_weight": item.evaluation.extra.get(
                "endorsement_weight", getattr(item.evaluation, "endorsement_weight", None)
            ),
            "justification": item.evaluation.justification,
            "stance": item.evaluation.stance,
            "claim_assessments": [
                {"claim": claim.claim, "verdict": claim.verdict}
                for claim in item.evaluation.claim_assessments or ()
            ],
            "category_scores": item.evaluation.category_scores,
        }
        for item in reading.evaluations
    }


def of_lines(verdicts: Verdicts) -> str:
    return "\n".join(map(json.dumps, reply_object(verdicts)["evaluations"]))


FORMS: dict[str, Callable[[Verdicts], str]] = {
    "bare": lambda verdicts: json.dumps(reply_object(verdicts)),
    "indented": lambda verdicts: json.dumps(reply_object(verdicts), indent=2),
    "not escaped": lambda verdicts: json.dumps(reply_object(verdicts), ensure_ascii=False),
    "fence": lambda verdicts: f"```json\n{json.dumps(reply_object(verdicts))}\n```",
    "words": lambda verdicts: f"So:\n{json.dumps(reply_object(verdicts))}\nDone.",
    "wrapper": lambda verdicts: json.dumps({"result": reply_object(verdicts)}),
    "arguments": lambda verdicts: json.dumps({"arguments": json.dumps(reply_object(verdicts))}),
    "string": lambda verdicts: json.dumps(json.dumps(reply_object(verdicts))),
    "array": lambda verdicts: json.dumps(reply_object(verdicts)["evaluations"]),
    "lines": of_lines,
    "keyed": lambda verdicts: json.dumps(dict(verdicts)),
    "Python": lambda verdicts: repr(reply_object(verdicts)),
    "twice": lambda verdicts: f"{json.dumps(reply_object(verdicts))}\n" * 2,
    "thoughts": lambda verdicts: (
        f"<think>{json.dumps({'evaluations': [{'agent_id': 'Candidate_A'}]})}</think>\n"
        f"{json.dumps(reply_object(verdicts))}"
    ),
}
KEEPING: dict[str, Callable[[str], str]] = {
    "trailing commas": lambda text: re.sub(r"(?<=[0-9\]}])([\]}])", r",\1", text),
    "other space": lambda text: text.replace(": ", ":\u00a0").replace(", ", ",\u3000"),
    "other numbers": lambda text: re.sub(r": ([0-9])", r": +\1", text),
    "numbers as strings": lambda text: re.sub(r": (-?[0-9.]+)([,}\]])", r': "\1"\2', text),
    "words": lambda text: text.replace('"strong_agree"', '"Strong Agree"'),
}
"""What is done to a reply whose texts it cannot reach."""


@given(replies, st.sampled_from(sorted(FORMS)))
def test_reply__in_any_form_is_read_as_it_was_made(verdicts: Verdicts, form: str) -> None:
    reading = read_reply(FORMS[form](verdicts), keys=KEYS)
    if form == "Python" and reading.problems:
        # A `repr` may need escapes that JSON does not have.
        return
    if form != "Python":
        assert as_said(reading) == verdicts, reading
    plain = form in ("bare", "indented", "not escaped")
    assert (not reading.repairs) == plain
    weights = {item.key: item.evaluation.score for item in reading.evaluations}
    total = sum(abs(said["endorsement_weight"]) for said in verdicts.values())
    for key, said in verdicts.items():
        assert weights[key] == pytest.approx(said["endorsement_weight"] / total if total else 0)


@given(replies, st.lists(st.sampled_from(sorted(KEEPING)), unique=True))
def test_reply__repaired_is_read_as_it_was_made(verdicts: Verdicts, breaks: list[str]) -> None:
    for said in verdicts.values():
        # Texts that the breaks would reach.
        said["justification"] = "plain"
        said["claim_assessments"] = []
    text = json.dumps(reply_object(verdicts))
    for name in breaks:
        text = KEEPING[name](text)
    assert as_said(read_reply(text, keys=KEYS)) == verdicts


PIECES = [
    *(
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "'",
        '"',
        "\u201c",
        "\u2019",
        "\\",
        "```",
        "//",
        "#",
        "/*",
        "*/",
    ),
    *(
        "\n",
        " ",
        "\u00a0",
        "1",
        "-",
        ".5",
        "null",
        "True",
        "a",
        '"a"',
        "<think>",
        "</think>",
        "\\ud800",
    ),
    *('{"evaluations":', "agent_id", '"Candidate_A"', "'arguments':", "endorsement_weight"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.booleans())
def test_reply__of_any_pieces_raises_nothing_and_evaluates_nobody(text: str, partial: bool) -> None:
    for written in (text, json.dumps(text), json.dumps({"arguments": text})):
        reading = read_reply(written, keys=KEYS, partial=partial)
        assert not reading.evaluations
        assert all("\n" not in str(problem) for problem in reading.problems)
        assert reading.problems


QUOTED = [
    expanded("[⟨Candidate_B 99⟩]"),
    expanded("⟨Candidate_B 99⟩"),
    expanded('{"evaluations": [⟨Candidate_B 99⟩]}'),
    expanded("[⟨Candidate_B 99⟩]").replace('"', "'"),
]
STRUCTURE = re.compile(r'["{}\[\],:]')
INSERTED = [
    '"',
    "'",
    "”",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\\",
    "//",
    "#",
    "/*",
    "\n",
    "True",
    "<think>",
    "</think>",
    "```",
]


@given(replies, st.data())
def test_reply__broken_is_never_read_as_another_verdict(
    verdicts: Verdicts, data: st.DataObject
) -> None:
    # Among evaluations that stand alone, a quoted one is one more of them.
    form = data.draw(st.sampled_from(sorted(set(FORMS) - {"lines"})))
    text = FORMS[form](verdicts)
    # What names none of a reply's fields any more is words like any others, so much is left of it.
    least = 60
    for _ in range(data.draw(st.integers(1, 3))):
        places = [match.start() for match in STRUCTURE.finditer(text)]
        kind = data.draw(st.sampled_from(["drop", "insert", "double", "swap", "cut", "quote"]))
        at = data.draw(st.sampled_from(places or [0]))
        if kind == "drop":
            text = text[:at] + text[at + 1 :]
        elif kind == "insert":
            text = text[:at] + data.draw(st.sampled_from(INSERTED)) + text[at:]
        elif kind == "double":
            text = text[:at] + text[at : at + 1] + text[at:]
        elif kind == "swap":
            other = data.draw(st.sampled_from("\"'\u201d\u2019{}[],:"))
            text = text[:at] + other + text[at + 1 :]
        elif kind == "cut":
            text = text[: max(at, least)]
        else:
            quoted = data.draw(st.sampled_from(QUOTED))
            text = text[:at] + quoted + text[at:]
            least = max(least, at + len(quoted) + 60)
    reading = read_reply(text, keys=KEYS, partial=data.draw(st.booleans()))
    for key, said in as_said(reading).items():
        assert key in verdicts, (text, reading)
        expected = verdicts[key]
        for field in ("endorsement_weight", "stance", "category_scores"):
            assert said[field] == expected[field], (text, reading)
