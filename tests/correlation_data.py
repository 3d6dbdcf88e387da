"""Rounds made for the tests of the correlation, and plain recomputations to hold it against."""

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

Floats = NDArray[np.float64]


def frame_of(rounds: Sequence[tuple[Sequence[float], Sequence[float | None]]]) -> pd.DataFrame:
    """Make a frame of rounds, each given as its proposals' chars and their scores."""
    return pd.DataFrame(
        [
            {"round": number, "agent_id": f"Agent {place}", "chars": chars, "conciseness": score}
            for number, (all_chars, scores) in enumerate(rounds, start=1)
            for place, (chars, score) in enumerate(zip(all_chars, scores, strict=True))
        ]
    )


def simulated_round(
    random: np.random.Generator,
    size: int,
    *,
    effect: float,
    spread: float = 0.0,
    ties: bool = False,
) -> tuple[Floats, Floats]:
    """Draw a round's chars and scores, `effect` their correlation, which rounds may differ in."""
    own = np.tanh(np.arctanh(effect) + spread * random.standard_normal())
    chars = random.standard_normal(size)
    scores = own * chars + np.sqrt(1 - own**2) * random.standard_normal(size)
    return (np.round(chars), np.round(2 * scores)) if ties else (chars, scores)


def simulated(
    random: np.random.Generator,
    sizes: Sequence[int],
    *,
    effect: float,
    between: float = 0.0,
    ties: bool = False,
) -> pd.DataFrame:
    """Draw a frame of rounds; `between` is what each adds to the chars and scores of the last."""
    rounds: list[tuple[list[float], list[float | None]]] = []
    for number, size in enumerate(sizes):
        chars, scores = simulated_round(random, size, effect=effect, ties=ties)
        rounds.append(((chars + between * number).tolist(), (scores + between * number).tolist()))
    return frame_of(rounds)


def enumerated_p(frame: pd.DataFrame) -> tuple[float, float]:
    """Give p by trying all permutations of all rounds, and the smallest p there is."""
    return _shares(
        [
            [
                stats.spearmanr(one["chars"], list(order)).statistic
                for order in itertools.permutations(one["conciseness"])
            ]
            for _, one in frame.groupby("round")
        ]
    )


def enumerated_controlled_p(frame: pd.DataFrame, attribute: str) -> tuple[float, float]:
    """Give the same of an attribute with chars taken out, by permuting what is left of scores."""
    listed = []
    for _, one in frame.groupby("round"):
        line = _line_in_ranks(one["chars"].to_numpy())
        scores = stats.rankdata(one["conciseness"])
        attribute_left = _left(stats.rankdata(one[attribute]), line)
        score_left = _left(scores, line)
        explained = scores - score_left
        coefficients = []
        for order in itertools.permutations(score_left):
            left = _left(explained + np.array(order), line)
            if np.ptp(left) > 1e-6:
                coefficients.append(float(np.corrcoef(attribute_left, left)[0, 1]))
        listed.append(coefficients)
    return _shares(listed)


def _shares(listed: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Give how many combinations go as far from 0 as the first, and as the farthest."""
    reached = np.abs([np.mean(combination) for combination in itertools.product(*listed)])
    observed = abs(np.mean([coefficients[0] for coefficients in listed]))
    return (
        float(np.mean(reached >= observed - 1e-9)),
        float(np.mean(reached >= reached.max() - 1e-9)),
    )


def _line_in_ranks(control: Floats) -> Floats:
    return np.column_stack([np.ones(len(control)), stats.rankdata(control)])


def _left(values: Floats, line: Floats) -> Floats:
    return np.asarray(values - line @ np.linalg.lstsq(line, values, rcond=None)[0])


def partial_of_ranks(attribute: Floats, score: Floats, control: Floats) -> float:
    """Give the coefficient of what a straight line in the control's ranks leaves of both."""
    line = _line_in_ranks(control)
    left = [_left(stats.rankdata(values), line) for values in (attribute, score)]
    return float(stats.pearsonr(*left).statistic)
