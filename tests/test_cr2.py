"""CR2 variances against the general matrix formula, and other people's programs."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api
from scipy import stats
from statsmodels.stats.multitest import multipletests

from shape_magic.analysis import effect
from shape_magic.analysis.attributes import holm
from shape_magic.analysis.cr2 import Codes, Effects, Floats, Spread, explained, fit


def dummies(codes: Codes) -> Floats:
    return np.eye(int(codes.max()) + 1)[codes]


def by_matrices(
    scores: Floats, columns: Floats, groups: Codes, agents: Codes, clusters: Codes
) -> tuple[Floats, list[tuple[float, float]]]:
    """Give coefficients, CR2 errors and degrees of freedom by matrices of rows by rows."""
    design = np.hstack([columns, dummies(groups), dummies(agents)])
    bread = np.linalg.pinv(design.T @ design)
    rest = np.eye(len(scores)) - design @ bread @ design.T
    residuals = rest @ scores
    spreads = []
    for index in range(columns.shape[1]):
        parts = []
        for cluster in np.unique(clusters):
            rows = clusters == cluster
            values, vectors = np.linalg.eigh(rest[np.ix_(rows, rows)])
            root = np.where(values > 1e-10, 1 / np.sqrt(np.maximum(values, 1e-10)), 0)
            part = np.zeros(len(scores))
            part[rows] = vectors @ (root * (vectors.T @ design[rows] @ bread[:, index]))
            parts.append(part)
        stacked = np.array(parts)
        products = stacked @ rest @ stacked.T
        variance = float(((stacked @ residuals) ** 2).sum())
        spreads.append((variance**0.5, float(np.trace(products) ** 2 / (products**2).sum())))
    return (bread @ design.T @ scores)[: columns.shape[1]], spreads


def made(seed: int, rounds: int, agents: int, evaluators: int, missing: float) -> tuple[Any, ...]:
    chance = np.random.default_rng(seed)
    axes = np.indices((rounds, agents, evaluators)).reshape(3, -1)
    number, agent, evaluator = axes[:, chance.random(axes.shape[1]) >= missing].astype(np.intp)
    group = np.unique(number * evaluators + evaluator, return_inverse=True)[1].astype(np.intp)
    columns = chance.normal(size=(len(number), 2)) + chance.normal(size=agents)[agent, None]
    return chance.normal(size=len(number)), columns, group, agent, number


@pytest.mark.parametrize("missing", [0.0, 0.25])
@pytest.mark.parametrize("size", [(12, 5, 1), (7, 4, 3), (6, 9, 2), (9, 3, 1)])
@pytest.mark.parametrize("count", [1, 2])
def test_clustered__equals_the_matrix_formula(
    size: tuple[int, int, int], missing: float, count: int
) -> None:
    scores, columns, groups, agents, rounds = made(3, *size, missing)
    columns = columns[:, :count]
    fitted = fit(scores, columns, Effects(groups, agents))
    for clusters in (rounds, agents):
        coefficients, spreads = by_matrices(scores, columns, groups, agents, clusters)
        np.testing.assert_allclose(fitted.coefficients, coefficients, rtol=1e-10)
        found = [(each.error, each.freedom) for each in fitted.clustered(clusters)]
        np.testing.assert_allclose(found, spreads, rtol=1e-10)


@pytest.mark.parametrize("size", [(12, 5), (5, 12), (6, 3), (40, 8)])
def test_closed_form__equals_the_general_one(size: tuple[int, int]) -> None:
    scores, columns, groups, agents, rounds = made(5, *size, 1, 0.0)
    fitted = fit(scores, columns[:, :1], Effects(groups, agents))
    for clusters in (rounds, agents):
        (closed,), (general,) = fitted.clustered(clusters), fitted.clustered(clusters, general=True)
        assert closed.error == pytest.approx(general.error, rel=1e-10)
        assert closed.freedom == pytest.approx(general.freedom, rel=1e-10)


def test_fit__gives_statsmodels_coefficients_and_classical_errors() -> None:
    scores, columns, groups, agents, _ = made(7, 10, 6, 2, 0.2)
    design = np.hstack([columns, dummies(groups), dummies(agents)[:, 1:]])
    theirs = statsmodels.api.OLS(scores, design).fit()
    fitted = fit(scores, columns, Effects(groups, agents))
    np.testing.assert_allclose(fitted.coefficients, theirs.params[:2], rtol=1e-10)
    classical = [fitted.classical(index) for index in range(2)]
    np.testing.assert_allclose([each.error for each in classical], theirs.bse[:2], rtol=1e-10)
    assert {each.freedom for each in classical} == {theirs.df_resid}


def test_effects__of_a_field_that_falls_apart_have_its_rank() -> None:
    # Two fields that share no agent: one effect fewer is determined.
    groups = np.array([0, 0, 1, 1, 2, 2, 3, 3], dtype=np.intp)
    agents = np.array([0, 1, 0, 1, 2, 3, 2, 3], dtype=np.intp)
    expected = np.linalg.matrix_rank(np.hstack([dummies(groups), dummies(agents)]))
    assert Effects(groups, agents).rank == expected == 6


def test_explained__names_what_the_effects_or_columns_before_explain() -> None:
    _, columns, groups, agents, rounds = made(9, 8, 5, 2, 0.1)
    asked = np.column_stack([columns, columns @ [2, -1], agents, rounds, np.full(len(agents), 9.1)])
    assert explained(asked, Effects(groups, agents)) == [2, 3, 4, 5]


def test_spread__is_students_t() -> None:
    spread = Spread(2.0, 7.5)
    low, high = spread.interval(3.0, 0.9)
    np.testing.assert_allclose((low, high), stats.t.interval(0.9, 7.5, loc=3.0, scale=2.0))
    assert spread.p(-3.0) == pytest.approx(2 * stats.t.sf(1.5, 7.5))


@pytest.mark.parametrize("seed", range(20))
def test_holm__is_statsmodels(seed: int) -> None:
    p = np.random.default_rng(seed).random(1 + seed) ** 3
    np.testing.assert_allclose(holm(p.tolist()), multipletests(p, method="holm")[1], rtol=1e-12)


def test_effect__equals_clubsandwich(judged_path: Path) -> None:
    found = effect(pd.read_csv(judged_path / "cr2.csv"), "chars")
    near, far = found.these_agents, found.agents_like_these
    assert near is not None
    assert far is not None
    assert found.points == pytest.approx(10.341052947836, rel=1e-12)
    assert near.p == pytest.approx(0.013427242358226, rel=1e-10)
    assert near.freedom == pytest.approx(5.9536536834074, rel=1e-10)
    assert far.p == pytest.approx(0.0066235440945, rel=1e-8)
    assert far.freedom == pytest.approx(3.236186971251, rel=1e-10)
