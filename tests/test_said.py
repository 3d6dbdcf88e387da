"""What evaluators said, in the data of a view, in its static form and where a proposal is shown."""

import json
from html import escape

import pytest
from IPython.core.interactiveshell import InteractiveShell

from shape_magic import Deliberation, to_html
from shape_magic.deliberation.records import ClaimAssessment, Evaluation, EvaluationEntry
from shape_magic.errors import ArgumentError
from shape_magic.notebook.place import place_of
from shape_magic.notebook.said import (
    CLAIM_LENGTH,
    JUSTIFICATION_LENGTH,
    MOST_CHARACTERS,
    MOST_CLAIMS,
    MOST_EVALUATIONS,
    NAME_LENGTH,
    said_data,
    said_html,
)
from shape_magic.notebook.view import ShapeView
from shape_magic.notebook.view_data import view_data
from shape_magic.vocabulary import CATEGORY_NAMES
from tests.shells import run

TEXT = "# Queue\n\nNo lock.\n"


def entry(
    evaluator: str = "Judge", *claims: tuple[str | None, str | None], **fields: object
) -> EvaluationEntry:
    assessments = tuple(ClaimAssessment(claim=claim, verdict=verdict) for claim, verdict in claims)
    evaluation = Evaluation(claim_assessments=assessments, **fields)  # type: ignore[arg-type]
    return EvaluationEntry(evaluator_agent_id=evaluator, evaluation=evaluation)


def test_said__has_each_claim_with_its_verdict_and_its_lines() -> None:
    given = entry(
        "Judge",
        ("No lock.", "Verified"),
        ("Queue No lock", "wrong"),
        ("a lock", "contested"),
        (None, "unverified"),
        ("Queue", "so-so"),
        ("Queue", None),
        score=0.5,
        endorsement_weight=-60.0,
        stance="agree",
        justification="Short.",
        category_scores={"conciseness": 40.0, "novelty": None, "correctness": -20.0},
    )
    assert said_data(TEXT, [given]) == {
        "evaluations": [
            {
                "evaluator": "Judge",
                "facts": "score +0.50 · weight -60 · agree",
                "categories": "correctness -20 · conciseness +40",
                "justification": "Short.",
                "claims": [
                    ["✓", "Verified", "No lock.", [[3, 3]]],
                    ["✗", "wrong", "Queue No lock", [[1, 3]]],
                    ["≠", "contested", "a lock", []],
                    ["?", "unverified", "", []],
                    ["○", "so-so", "Queue", [[1, 1]]],
                    ["○", "no verdict", "Queue", [[1, 1]]],
                ],
                "claims_left_out": 0,
            }
        ],
        "left_out": 0,
    }


@pytest.mark.parametrize(
    "given",
    [
        entry("Judge\u200b"),
        entry("Judge", justification="So\u200b."),
        entry("Judge", ("No\u200b lock.", "wrong")),
        entry("Judge", ("No lock.", "wrong\u200b")),
        entry("Judge", stance="agree\u200b"),
    ],
    ids=["id", "justification", "claim", "verdict", "stance"],
)
def test_symbols__are_those_of_what_evaluators_wrote(given: EvaluationEntry) -> None:
    data = view_data(Deliberation().propose("Ann", TEXT), evaluations=[given])
    assert list(data["symbols"]) == ["\u200b"]


def test_said__names_arm_trial_and_what_is_synthetic() -> None:
    second = EvaluationEntry(
        evaluator_agent_id="J", evaluation=Evaluation(), trial=2, synthetic=True
    )
    said = said_data(TEXT, {"": [entry("J")], "terse": [second]})
    assert said is not None
    assert [evaluation["facts"] for evaluation in said["evaluations"]] == [
        "",
        "arm terse · trial 2 · synthetic",
    ]


@pytest.mark.parametrize("nothing", [(), {}, {"terse": []}])
def test_said__of_nobody_leaves_the_data_as_it_was(nothing: object) -> None:
    proposal = Deliberation().propose("Ann", TEXT)
    assert place_of(proposal, evaluations=nothing).html == place_of(proposal).html  # type: ignore[arg-type]


def test_said__is_bounded_and_tells_what_is_left_out() -> None:
    claims = [("c" * (CLAIM_LENGTH + 1), "v" * 200_000)] * (MOST_CLAIMS + 2)
    given = entry(
        "i" * 200_000,
        *claims,
        justification="j" * (JUSTIFICATION_LENGTH + 2_000),
        stance="s" * 200_000,
    )
    said = said_data(TEXT, {"a" * 200_000: [given]})
    assert said is not None
    (first,) = said["evaluations"]
    cut = " … 199,880 more characters"
    assert first["evaluator"] == "i" * NAME_LENGTH + cut
    assert first["facts"] == f"{'s' * NAME_LENGTH}{cut} · arm {'a' * NAME_LENGTH}{cut}"
    assert first["justification"] == "j" * JUSTIFICATION_LENGTH + " … 2,000 more characters"
    assert len(first["claims"]) == MOST_CLAIMS
    assert first["claims"][0][1] == "v" * NAME_LENGTH + cut
    assert first["claims"][0][2] == "c" * CLAIM_LENGTH + " … 1 more character"
    assert first["claims_left_out"] == 2
    assert "and 2 more claims" in said_html(said)


@pytest.mark.parametrize(
    ("length", "held"), [(0, MOST_EVALUATIONS), (JUSTIFICATION_LENGTH, 21)], ids=["short", "long"]
)
def test_said__of_many_evaluations_is_bounded_and_tells_how_many_more(
    length: int, held: int
) -> None:
    given = [entry(f"J{n:02}", justification="j" * length) for n in range(MOST_EVALUATIONS + 3)]
    said = said_data(TEXT, given)
    assert said is not None
    assert len(said["evaluations"]) == held
    assert len(json.dumps(said["evaluations"])) <= MOST_CHARACTERS + 2 * held
    assert said["left_out"] == MOST_EVALUATIONS + 3 - held
    assert f"and {said['left_out']} more evaluations" in said_html(said)


def test_static_form__says_where_each_claim_stands() -> None:
    many = Deliberation().propose("Ann", "a b\n" * 5 + "c\nd\n")
    given = entry("<Judge>", ("a b", "wrong"), ("c d", "verified"), ("e & \x1b", "contested"))
    html = place_of(many, evaluations=[given]).html.partition("<details>")[2]
    assert "<strong>&lt;Judge&gt;</strong>" in html
    assert "✗ wrong, L1, L2, L3 and 2 more: “a b”" in html
    assert "✓ verified, L6-L7: “c d”" in html
    assert "≠ contested, nowhere in the text word for word: “e &amp; ␛”" in html


def test_view_and_page__take_the_evaluations_of_one_proposal() -> None:
    deliberation = Deliberation()
    proposal = deliberation.propose("Ann", TEXT)
    deliberation.add_evaluations([(proposal, entry("Judge", ("No lock.", "wrong")))])
    given = deliberation.evaluations(proposal)
    view = ShapeView(proposal, evaluations=given)
    assert view.data["said"] == said_data(TEXT, given)
    view.measurement = deliberation.propose("Ann", "Another.")
    assert "said" not in view.data
    view.close()
    assert escape("“No lock.”") in to_html(proposal, evaluations=given)
    with pytest.raises(ArgumentError, match=r"of one proposal, .*a page of that proposal alone"):
        to_html([proposal], evaluations=given)


def test_displayed_proposal__has_what_was_said_of_this_version(shell: InteractiveShell) -> None:
    run(shell, "from shape_magic import Deliberation\n%deliberation -o d")
    run(shell, "%%shape Ann -o first\n# Queue\n\nNo lock.")
    run(shell, "other = Deliberation().propose('Ann', '# Queue')")
    reply = {
        "evaluations": [
            {
                "agent_id": "Ann",
                "endorsement_weight": 50,
                "justification": "Brief.",
                "stance": "agree",
                "claim_assessments": [{"claim": "No lock.", "verdict": "wrong"}],
                "category_scores": dict.fromkeys(CATEGORY_NAMES, 10),
            }
        ]
    }
    run(shell, f"%%evaluate Judge\n{json.dumps(reply)}")
    run(shell, "%%shape Ann -o second\n# Lock")

    def html(name: str) -> str:
        formatted = shell.display_formatter.format(shell.user_ns[name])  # type: ignore[union-attr]
        return str(formatted[0]["text/html"])

    assert "✗ wrong, L3: “No lock.”" in html("first")
    assert "Brief." in html("first")
    assert "What evaluators said" not in html("second")
    assert "What evaluators said" not in html("other")
    shell.user_ns["d"].close()
    assert "What evaluators said" not in html("first")
    assert "# Queue" in html("first")
