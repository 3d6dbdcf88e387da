"""A matrix: its figures are the summary's, its columns scores or arms, its text a table."""

import copy
import json
import math
import pickle
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shape_magic import Deliberation, run_evaluations
from shape_magic.deliberation.matrix import (
    ARM_SCORES,
    SCORES,
    Matrix,
    MatrixRow,
    columns_of,
    matrix_of_summary,
)
from shape_magic.deliberation.records import Evaluation, EvaluationEntry
from shape_magic.errors import ArgumentError, NotFoundError
from shape_magic.notebook.candidates import answer_opening
from shape_magic.notebook.matrix import (
    MOST_EVALUATIONS,
    MOST_ROWS,
    matrix_data,
    matrix_html,
)
from shape_magic.notebook.static_html import MAX_ROWS
from shape_magic.notebook.view_data import from_wire, to_wire
from shape_magic.vocabulary import ATTRIBUTE_NAMES, CATEGORY_NAMES
from tests.browser.injections import INJECTIONS
from tests.experiments import fill_rounds, judge, large_matrix

JUDGES = {"Eve": judge(), "Lee": judge("length"), "Moe": judge("first")}
ARMS = ("default", "default-without-shape")


@pytest.fixture(scope="module")
def judged() -> Deliberation:
    deliberation = Deliberation()
    fill_rounds(deliberation, 2)
    run_evaluations(deliberation, JUDGES, trials=2, progress=False)
    return deliberation


def given_by(
    evaluator: str, conciseness: float, *, trial: int = 1, synthetic: bool = False
) -> EvaluationEntry:
    return EvaluationEntry(
        evaluator_agent_id=evaluator,
        trial=trial,
        synthetic=synthetic,
        evaluation=Evaluation(
            score=0.25,
            endorsement_weight=conciseness / 2,
            category_scores={"conciseness": conciseness},
            stance="agree",
        ),
    )


def of_one(*entries: EvaluationEntry) -> MatrixRow:
    deliberation = Deliberation()
    proposal = deliberation.propose("Ann", "# A")
    deliberation.add_evaluations([(proposal, entry) for entry in entries])
    (row,) = deliberation.matrix().rows
    return row


def test_figures__are_those_of_the_summary(judged: Deliberation) -> None:
    matrix = judged.matrix()
    assert matrix.arms == ARMS
    for arm in ARMS:
        for number in (1, 2):
            for score in judged.summarize(number, arm=arm).proposal_scores or ():
                (row,) = (
                    row
                    for row in matrix.rows
                    if (row.round, row.agent_id) == (number, score.agent_id)
                )
                assert row.figure(arm, "aggregated_score") == score.aggregated_score
                assert row.figure(arm, "controversy_score") == score.controversy_score
                assert row.figure(arm, "real_eval_count") == score.real_eval_count == 3
                for category, figure in (score.category_breakdown or {}).items():
                    assert row.figure(arm, category) == figure
                assert row.shape == score.shape
                assert len(row.evaluations) == 3 * 2 * 2


def test_trials__are_averaged_before_evaluators_are() -> None:
    row = of_one(given_by("Eve", 10), given_by("Eve", 30, trial=2), given_by("Lee", 100))
    assert row.figure("", "conciseness") == 60
    assert row.figure("", "endorsement_weight") == 30


def test_synthetic_evaluations__are_counted_and_in_no_mean() -> None:
    row = of_one(given_by("Eve", 10), given_by("Lee", 100, synthetic=True))
    assert row.figure("", "conciseness") == 10
    assert (row.figure("", "real_eval_count"), row.figure("", "synthetic_eval_count")) == (1, 1)
    assert [evaluation.synthetic for evaluation in row.evaluations] == [False, True]


def test_columns__are_scores_of_one_arm_and_arms_of_several(judged: Deliberation) -> None:
    one = judged.matrix(arms=["default"])
    assert one.score is None
    assert [column.name for column in columns_of(one)] == [
        "aggregated_score",
        "conciseness",
        *ATTRIBUTE_NAMES,
        *(name for name in CATEGORY_NAMES if name != "conciseness"),
        "controversy_score",
        "real_eval_count",
        "synthetic_eval_count",
    ]
    both = judged.matrix(arms=ARMS[::-1], score="novelty")
    assert [(column.group, column.name) for column in columns_of(both)][:3] == [
        ("novelty", "default-without-shape"),
        ("novelty", "default"),
        ("less default-without-shape", "default"),
    ]


def test_difference__is_less_the_first_arm_and_unknown_where_one_is(judged: Deliberation) -> None:
    row = MatrixRow(
        round=1,
        agent_id="Ann",
        scores={"a": {"novelty": 10.0}, "b": {"novelty": -5.0}, "c": {"novelty": 20.0}, "d": {}},
    )
    matrix = Matrix(rows=(row,), arms=("a", "b", "c", "d"), score="novelty")
    written = {column.title: column.written(row) for column in columns_of(matrix)}
    assert written["b less a"] == "-15.0"
    assert written["c less a"] == "+10.0"
    assert written["d less a"] == "-"
    assert written["largest difference"] == "25.0"


def test_rows__are_best_first_by_round() -> None:
    scores = {"A": None, "B": -1.0, "C": 2.0, "D": 2.0, "E": 0.0}
    deliberation = Deliberation()
    for number in (2, 1):
        for agent_id, score in scores.items():
            proposal = deliberation.propose(agent_id, "x", round=number)
            if score is not None:
                deliberation.add_evaluations([(proposal, given_by("Z", score))])
    for matrix, order in (
        (deliberation.matrix(score="conciseness"), "CDEBA"),
        (matrix_of_summary(deliberation.summarize(1)), "BCDEA"),
    ):
        rounds = {row.round for row in matrix.rows}
        for number in rounds:
            in_round = [row.agent_id for row in matrix.rows if row.round == number]
            assert "".join(in_round) == order
        assert [row.round for row in matrix.rows] == sorted(row.round for row in matrix.rows)


def test_text__is_a_table_with_the_round_where_there_are_several(judged: Deliberation) -> None:
    title, head, *rows = str(judged.matrix()).splitlines()
    assert title == "2 rounds: conciseness by arm"
    assert head.split()[:4] == ["round", "agent_id", "default", "default-without-shape"]
    assert "default-without-shape less default" in head
    assert len(rows) == 6
    assert repr(judged.matrix(rounds=1)).splitlines()[0] == "round 1: conciseness by arm"
    assert str(judged.matrix(rounds=[1], arms=["default"])).startswith("round 1: arm default\n")


def test_text__and_html_of_many_are_bounded_and_say_so() -> None:
    rows = tuple(MatrixRow(round=1, agent_id=f"A{n}") for n in range(MAX_ROWS + 7))
    matrix = Matrix(rows=rows, arms=("",))
    assert str(matrix).endswith("\nand 7 more candidates")
    assert matrix_html(matrix).count("<tr>") == MAX_ROWS + 1
    assert "and 7 more candidates" in matrix_html(matrix)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"score": "clarity"}, ArgumentError, "score is 'clarity'; there are 'aggregated_score', "),
        ({"score": "real_eval_count"}, ArgumentError, "score is 'real_eval_count'; there are "),
        ({"arms": ["terse"]}, NotFoundError, "there is no arm 'terse'; there are 'default', "),
        ({"arms": "default"}, ArgumentError, r"arms are a list of names, as in \['default'\]"),
        ({"arms": [1]}, ArgumentError, "each of arms is a str, not int"),
        ({"rounds": 9}, NotFoundError, "round 9 has no proposals; there are rounds 1, 2"),
        ({"rounds": "1"}, ArgumentError, "rounds are a number or a list of numbers, not '1'"),
        ({"rounds": 1.5}, ArgumentError, "rounds are a number or a list of numbers, not 1.5"),
    ],
)
def test_matrix__of_what_is_not_there__says_what_is(
    judged: Deliberation, options: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        judged.matrix(**options)


def test_matrix__of_nothing_is_an_empty_table() -> None:
    matrix = Deliberation().matrix()
    assert (matrix.rows, matrix.arms) == ((), ("",))
    assert str(matrix) == "0 rounds: no candidates"
    assert "by evaluator" not in matrix_html(matrix)


def test_copy__has_the_figures_and_no_texts(judged: Deliberation) -> None:
    matrix = judged.matrix()
    assert matrix.store is not None
    for made in (copy.deepcopy(matrix), pickle.loads(pickle.dumps(matrix))):
        assert str(made) == str(matrix)
        assert made.store is None


def test_run__has_its_matrix() -> None:
    deliberation = Deliberation()
    fill_rounds(deliberation, 3)
    dry = run_evaluations(deliberation, JUDGES, dry_run=True)
    assert dry.matrix is None
    done = run_evaluations(deliberation, JUDGES, rounds=[1, 3], progress=False)
    assert done.matrix is not None
    assert done.matrix.arms == ARMS
    assert sorted({row.round for row in done.matrix.rows}) == [1, 3]
    again = pickle.loads(pickle.dumps(done))
    assert (str(again), again.matrix) == (str(done), None)
    deliberation.remove("Ann", round=3)
    assert len(done.matrix.rows) == 5
    deliberation.close()
    assert done.matrix is None


def test_data__has_what_each_evaluator_gave_and_trials_together_first(
    judged: Deliberation,
) -> None:
    data = matrix_data(judged.matrix())
    row = data["rows"][0]
    assert [(said["evaluator"], said["trial"]) for said in row["given"]] == [
        (name, trial) for name in JUDGES for trial in (0, 1, 2)
    ]
    assert len(data["prompts"]) == 2 * 2 * 3 * 2
    for said in row["given"]:
        for figures in said["arms"]:
            assert len(figures) == len(ARM_SCORES) + 1
            assert (figures[-1] is None) == (said["trial"] == 0)
    assert [len(scores) for scores in row["scores"]] == [len(SCORES)] * 2


def test_data__is_the_same_from_run_to_run() -> None:
    def made() -> str:
        deliberation = Deliberation()
        fill_rounds(deliberation, 2)
        run_evaluations(deliberation, JUDGES, progress=False, concurrency=3)
        return json.dumps(matrix_data(deliberation.matrix())) + matrix_html(deliberation.matrix())

    assert made() == made()


def test_data__of_58_candidates_in_four_arms_is_small() -> None:
    data = json.dumps(matrix_data(large_matrix(58, arms=4, evaluators=3, trials=2)))
    assert len(data) < 250_000


def test_data__of_too_much_leaves_out_and_says_so() -> None:
    many = large_matrix(MOST_ROWS + 3, arms=1, evaluators=6, trials=1)
    data = matrix_data(many)
    assert len(data["rows"]) == MOST_ROWS
    assert data["rest"] == 3
    unfold = [row["given"] is not None for row in data["rows"]]
    assert unfold == [n < MOST_EVALUATIONS // 6 for n in range(MOST_ROWS)]


def asked(*about: object) -> dict[str, Any]:
    return {"ask": "open", "number": 7, "digest": "d", "about": to_wire(list(about))}


def opened(deliberation: Deliberation, *about: object) -> Any:
    """Ask what a cell opens, and give that, or the reason why it opens nothing."""
    store = deliberation.matrix().store
    assert store is not None
    answer = answer_opening(asked(*about), stores=lambda _digest: [store])
    assert answer is not None
    assert answer["number"] == 7
    return from_wire(answer["opened"]) if "opened" in answer else answer["reason"]


def test_opening__gives_the_text_what_was_said_the_reply_and_the_prompt(
    judged: Deliberation,
) -> None:
    row = judged.matrix(rounds=2).rows[0]
    found = opened(judged, "candidate", 2, row.agent_id, row.version, row.text)
    text = judged.proposal(row.agent_id, round=2).measurement.text
    assert "\n".join(found["view"]["lines"]) == text.removesuffix("\n")
    assert [said["evaluator"] for said in found["said"]] == [
        evaluation.evaluator_agent_id for evaluation in row.evaluations
    ]
    assert len(found["view"]["said"]["evaluations"]) == len(row.evaluations)
    given = row.evaluations[0]
    (reply,) = opened(judged, "reply", given.prompt, given.evaluator_agent_id, given.trial)[
        "replies"
    ]
    assert (reply["attempt"], reply["outcome"], reply["error"]) == (1, "taken", None)
    assert json.loads(reply["reply"])["evaluations"]
    assert given.prompt is not None
    assert opened(judged, "prompt", given.prompt)["text"] == judged.prompt(given.prompt).text


@pytest.mark.parametrize(
    "about",
    [
        ("candidate", 1, "Ann", 1, "another text"),
        ("candidate", 9, "Ann", 1, ""),
        ("candidate", 1, "Zoe", 1, ""),
        ("candidate", 10**30, "Ann", 1, ""),
        ("candidate", "1", "Ann", 1, ""),
        ("reply", "no digest", "Eve", 1),
        ("prompt", "no digest"),
        ("prompt",),
        ("evaluations", 1),
        (),
    ],
)
def test_opening__of_what_is_not_there__says_so(
    judged: Deliberation, about: tuple[object, ...]
) -> None:
    reason = opened(judged, *about)
    assert isinstance(reason, str)
    assert "%deliberation PATH" in reason or "too large" in reason


def test_opening__looks_in_one_deliberation_after_the_other(judged: Deliberation) -> None:
    row = judged.matrix(rounds=1).rows[0]
    closed, other = Deliberation(), Deliberation()
    stores = [made.matrix().store for made in (closed, other, judged)]
    closed.close()
    question = asked("candidate", 1, row.agent_id, row.version, row.text)
    answer = answer_opening(question, stores=lambda _digest: [s for s in stores if s is not None])
    assert answer is not None
    assert "opened" in answer


@pytest.mark.parametrize("message", [None, {}, {"ask": "why"}, {"ask": "open", "number": "1"}])
def test_opening__of_another_message__answers_nothing(message: object) -> None:
    assert answer_opening(message, stores=lambda _digest: []) is None


class Tags(HTMLParser):
    """The tags and the attributes of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("hostile", [*INJECTIONS, "\x1b[31m\u202e\n\t"])
def test_hostile_names__stay_text(hostile: str) -> None:
    rows = (
        MatrixRow(
            round=1, agent_id=hostile, scores={hostile: {"novelty": 1.0}, "": {"novelty": 2.0}}
        ),
    )
    matrix = Matrix(rows=rows, arms=("", hostile), score="novelty")
    page = Tags(matrix_html(matrix))
    assert page.tags <= {"div", "strong", "table", "thead", "tbody", "tr", "th", "td"}
    assert page.attributes <= {"style", "scope", "title", "colspan"}
    for written in (str(matrix), page.text):
        assert "\x1b" not in written
        assert "\u202e" not in written
    assert len(str(matrix).splitlines()) == 3


@given(st.floats(allow_nan=False, allow_infinity=False, width=32), st.sampled_from(SCORES))
def test_written_figure__says_its_sign_and_reads_back(figure: float, score: Any) -> None:
    written = score.written(figure)
    assert math.isclose(
        float(written.replace(",", "")), figure, abs_tol=0.51 * 10**-score.digits, rel_tol=1e-9
    )
    assert not score.signed or written[0] in "+-"
