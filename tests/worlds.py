"""Made-up evaluations whose truth is known: the worlds that the statistics are held against.

Lengths and qualities have a variance of 1 and scores are 20 points per unit of quality, so that
`slope` 0.4 is a partial correlation of 0.37.
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["SCALE", "WORLDS", "World", "evaluations", "two_arms"]

Floats = NDArray[np.float64]
Chance = np.random.Generator
World = Callable[..., pd.DataFrame]
SCALE: Final = 20.0


def evaluations(
    chance: Chance,
    rounds: int,
    agents: int,
    *,
    slope: float = 0.0,
    kept: float = 0.5,
    together: float = 0.0,
    follows: float = 0.0,
    by_agent: float = 0.0,
    by_round: float = 0.0,
    noise: str = "equal",
    missing: float = 0.0,
    one_another: bool = False,
) -> pd.DataFrame:
    """Make one deliberation's evaluations, a row each.

    `kept` is the share of variance that agents keep over rounds, `together` the correlation of
    that part of length and quality, `follows` that of an agent's neighbouring rounds; `by_agent`
    and `by_round` are standard deviations of the slope. The column `truth` is the score without
    noise less what is an agent's or a round's own.
    """
    own = chance.normal(size=(2, agents))
    own[1] = together * own[0] + np.sqrt(1 - together**2) * own[1]
    new = chance.normal(size=(2, rounds, agents))
    for number in range(1, rounds):
        new[:, number] = follows * new[:, number - 1] + np.sqrt(1 - follows**2) * new[:, number]
    if noise == "unequal":
        new[1] *= np.exp(chance.normal(0, 0.5, agents)) * np.exp(chance.normal(0, 0.5, (rounds, 1)))
    if noise == "heavy":
        new[1] = chance.standard_t(3, (rounds, agents)) / np.sqrt(3)
    length, quality = np.sqrt(kept) * own[:, None, :] + np.sqrt(1 - kept) * new
    slopes = (
        slope + chance.normal(0, 1, agents) * by_agent + chance.normal(0, 1, (rounds, 1)) * by_round
    )
    truth = SCALE * slopes * length
    scores = SCALE * quality + truth + chance.normal(0, SCALE, (rounds, 1))
    if noise == "heavy":
        scores = np.round(np.clip(scores, -100, 100) / 10) * 10
    places, names = (axis.ravel() for axis in np.indices((rounds, agents)))
    columns: dict[str, Any] = {
        "round": places,
        "agent_id": names,
        "chars": np.exp2(10 + length).ravel(),
        "conciseness": scores.ravel(),
        "truth": truth.ravel(),
    }
    frame = pd.DataFrame(columns)
    if one_another:
        frame = frame.merge(pd.DataFrame({"evaluator_agent_id": np.arange(agents)}), how="cross")
        frame = frame[frame["agent_id"] != frame["evaluator_agent_id"]].reset_index(drop=True)
        stern = chance.normal(0, SCALE, (rounds, agents))
        frame["conciseness"] += stern[frame["round"], frame["evaluator_agent_id"]]
        frame["conciseness"] += chance.normal(0, SCALE, len(frame))
    return frame[chance.random(len(frame)) >= missing] if missing else frame


WORLDS: Final[dict[str, dict[str, Any]]] = {
    "independent": {"kept": 0.0},
    "persistent agents": {},
    "quality goes with length": {"together": 0.8},
    "rounds follow one another": {"follows": 0.6},
    "slopes vary by agent": {"by_agent": 0.4},
    "slopes vary by round": {"by_round": 0.4},
    "unequal noise": {"noise": "unequal"},
    "heavy tails, rounded": {"noise": "heavy"},
    "missing agents": {"missing": 0.2},
    "agents evaluate one another": {"one_another": True},
}
"""Each world's arguments of `evaluations`; in all of them a slope of 0 is a true null."""


def two_arms(
    chance: Chance, rounds: int, agents: int, *, slopes: tuple[float, float] = (0.0, 0.0)
) -> pd.DataFrame:
    """Make the same texts under two arms, `control` and `default`, with a slope in each.

    An arm's own noise has half the variance of quality.
    """
    frame = evaluations(chance, rounds, agents)
    arms = []
    for name, slope in zip(("control", "default"), slopes, strict=True):
        arm = frame.assign(arm=name)
        arm["conciseness"] += SCALE * slope * (np.log2(arm["chars"]) - 10)
        arm["conciseness"] += chance.normal(0, SCALE * np.sqrt(0.5), len(arm))
        arms.append(arm)
    return pd.concat(arms, ignore_index=True)
