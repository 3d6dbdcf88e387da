"""A public benchmark's judgments, where the option `--judged` names them.

58 models answered 805 prompts, and one language model judged them against a baseline's answers: a
prompt is a round, a model an agent.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from shape_magic.analysis import Columns, effect, ranking

COLUMNS = Columns(round="prompt", agent="model")
VARIANTS = ("gpt-3.5-turbo-1106", "alpaca-7b")
"""Models that stand there three times: asked to be concise, as they are, and to be verbose."""


@pytest.fixture(scope="module")
def preferences(judged_path: Path) -> pd.DataFrame:
    return pd.read_csv(judged_path / "preferences.csv.gz")


@pytest.fixture(scope="module")
def standings(preferences: pd.DataFrame) -> pd.DataFrame:
    found = ranking(preferences, score="preference", baseline="baseline_chars", columns=COLUMNS)
    return found.to_frame().set_index("agent")


@pytest.fixture(scope="module")
def leaderboard(judged_path: Path) -> pd.DataFrame:
    return pd.read_csv(judged_path / "leaderboard.csv", index_col=0)


def gameability(figures: pd.Series) -> float:
    """Give how far asking for length moves a figure: the mean of standard deviation over mean."""
    spreads = []
    for name in VARIANTS:
        three = figures[[name, f"{name}_concise", f"{name}_verbose"]].to_numpy(float)
        spreads.append(three.std() / three.mean())
    return float(np.mean(spreads))


def test_ranking__raw_is_the_published_win_rate(
    standings: pd.DataFrame, leaderboard: pd.DataFrame
) -> None:
    both = leaderboard.join(standings, how="inner")
    assert len(both) == len(leaderboard)
    # The leaderboard is published with two decimals.
    np.testing.assert_allclose(both["raw"], both["win_rate"], atol=0.0051)


def test_ranking__raw_is_the_mean_preference_to_the_sixth_digit(
    standings: pd.DataFrame, preferences: pd.DataFrame
) -> None:
    means = 100 * preferences.groupby("model")["preference"].mean()
    np.testing.assert_allclose(standings["raw"], means[standings.index], rtol=1e-6)


def test_ranking__adjusted_comes_near_the_published_correction(
    standings: pd.DataFrame, leaderboard: pd.DataFrame
) -> None:
    both = leaderboard.join(standings, how="inner")
    difference = both["adjusted"] - both["length_controlled_winrate"]
    assert difference.abs().mean() <= 1
    ranks = stats.spearmanr(both["adjusted"], both["length_controlled_winrate"])
    assert ranks.statistic >= 0.98
    assert gameability(standings["adjusted"]) <= 0.15 < gameability(standings["raw"])


def test_effect__a_placebo_is_rarely_shown(preferences: pd.DataFrame) -> None:
    # A model's preferences beside its shapes on other prompts: nobody can have rewarded those.
    chance, said = np.random.default_rng(0), []
    chars = preferences.pivot(index="prompt", columns="model", values="chars")
    scores = preferences.pivot(index="prompt", columns="model", values="preference")
    for _ in range(400):
        models = chance.choice(chars.columns.to_numpy(), 5, replace=False)
        prompts = chance.choice(chars.index.to_numpy(), 24, replace=False)
        frame = pd.DataFrame(
            {
                "prompt": np.repeat(prompts[:12], 5),
                "model": np.tile(models, 12),
                "preference": scores.loc[prompts[:12], models].to_numpy().ravel(),
                "chars": chars.loc[prompts[12:], models].to_numpy().ravel(),
            }
        )
        found = effect(frame, "chars", score="preference", columns=COLUMNS)
        said.append(found.verdict.partition(":")[0])
    assert said.count("shown") <= 0.07 * len(said)
    assert sum(not verdict.startswith("no") for verdict in said) <= 0.07 * len(said)
