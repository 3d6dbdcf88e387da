"""`%effects` and `%compare_arms`, on the session's evaluations and on a data frame."""

import math
import random

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

from shape_magic.analysis import Comparison, Parts, effect, effects
from shape_magic.deliberation import Deliberation
from shape_magic.vocabulary import CATEGORY_NAMES
from tests.shells import run
from tests.worlds import two_arms


def deliberate(deliberation: Deliberation) -> None:
    """Let five agents propose in eight rounds; one evaluator rewards length, one likes nobody."""
    chance = random.Random(3)
    for number in range(1, 9):
        for agent_id in "ABCDE":
            text = "word " * chance.randint(20, 400)
            deliberation.propose(agent_id, text, round=number)
        proposals = deliberation.proposals(round=number)
        for evaluator in ("Long", "Stern"):
            evaluations = []
            for proposal in proposals:
                score = chance.gauss(-40, 10)
                if evaluator == "Long":
                    score = 10 * math.log2(proposal.shape.chars) - 80 + chance.gauss(0, 5)
                evaluations.append(
                    {
                        "agent_id": proposal.agent_id,
                        "score": 0.5,
                        "justification": "by the rule",
                        "stance": "agree",
                        "claim_assessments": [],
                        "category_scores": {
                            **dict.fromkeys(CATEGORY_NAMES, 0),
                            "conciseness": score,
                        },
                    }
                )
            deliberation.evaluate(evaluator, {"evaluations": evaluations}, round=number)


@pytest.fixture
def judged(shell: InteractiveShell) -> InteractiveShell:
    deliberate(run(shell, "%deliberation"))
    return shell


def test_effects__are_of_the_sessions_evaluations(judged: InteractiveShell) -> None:
    found = run(judged, "%effects chars any_code -o kept")
    assert isinstance(found, Parts)
    assert judged.user_ns["kept"] is found
    assert (found.rounds, found.agents, found.evaluators, found.rows) == (8, 5, 2, 80)
    # Half of what the one that rewards length gives for a doubling.
    assert found["chars"].points == pytest.approx(5, abs=1.5)
    assert found["any_code"].verdict == "no verdict: nobody has any_code"
    assert "no column of evaluators" not in repr(found)


def test_effects__without_attributes_take_the_default_ones(judged: InteractiveShell) -> None:
    found = run(judged, "%effects")
    frame = run(judged, "%deliberation").evaluations_frame()
    assert repr(found) == repr(effects(frame))


def test_evaluations_frame__tells_what_each_evaluator_rewards(judged: InteractiveShell) -> None:
    frame = run(judged, "%deliberation").evaluations_frame()
    long = effect(frame[frame["evaluator_agent_id"] == "Long"], "chars")
    assert long.verdict.startswith("shown: +")
    assert long.points == pytest.approx(10, abs=2)


def test_effects__before_any_evaluation_say_that_there_is_none(shell: InteractiveShell) -> None:
    found = run(shell, "%effects chars")
    assert found["chars"].verdict == "no verdict: no row has conciseness and all the attributes"


def test_compare_arms__takes_a_data_frame(shell: InteractiveShell) -> None:
    shell.push({"frame": two_arms(np.random.default_rng(1), 12, 5)})
    found = run(shell, "%compare_arms control default --frame frame")
    assert isinstance(found, Comparison)
    assert found.rows == 60
    assert run(shell, "%effects chars --arm control --frame frame")["chars"].points is not None
