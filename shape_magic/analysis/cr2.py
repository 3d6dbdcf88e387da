"""Least squares under two sets of effects, with CR2 variances of clusters of rows.

The variances are Bell and McCaffrey's (2002, "Bias reduction in standard errors for linear
regression with multi-stage samples"): each cluster's residuals are multiplied by the inverse
square root of its block of I - H, H being the hat matrix of everything that was fitted, effects
included, and the degrees of freedom are Satterthwaite's under equal and independent errors. The
effects are absorbed (Pustejovsky and Tipton 2018), so that no matrix of rows by rows is made.
"""

import math
from collections.abc import Sequence
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy import stats

__all__ = ["Codes", "Effects", "Fit", "Floats", "Spread", "explained", "fit"]

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
"""The number of each row's level, from 0 up."""

_NOTHING: Final = 1e-10
"""An eigenvalue of a projection, or a share of a column's variance, that stands for 0."""


class Spread(msgspec.Struct, frozen=True):
    """How far a coefficient may be off: a standard error with its degrees of freedom."""

    error: float
    freedom: float

    def interval(self, coefficient: float, confidence: float) -> tuple[float, float]:
        """Give the interval by Student's t."""
        reach = float(stats.t.ppf((1 + confidence) / 2, self.freedom)) * self.error
        return coefficient - reach, coefficient + reach

    def p(self, coefficient: float) -> float:
        """Give the two-sided probability of a coefficient as far from 0."""
        if self.error == 0:
            return 0.0 if coefficient else 1.0
        return float(2 * stats.t.sf(abs(coefficient) / self.error, self.freedom))


class Effects:
    """Effects of groups (an evaluator in a round) and of agents, taken out of columns.

    `agents` None takes the groups' effects out alone.
    """

    def __init__(self, groups: Codes, agents: Codes | None) -> None:
        self.groups, self.sizes = groups, np.bincount(groups).astype(float)
        self.agents = np.zeros_like(groups) if agents is None else agents
        shape = len(self.sizes), int(self.agents.max()) + 1
        counts = np.bincount(self.groups * shape[1] + self.agents, minlength=shape[0] * shape[1])
        self.counts = counts.reshape(shape).astype(float)
        self.shares = self.counts / self.sizes[:, None]
        """Which share of a group's rows is each agent's."""
        within = np.diag(self.counts.sum(axis=0)) - self.counts.T @ self.shares
        values, vectors = np.linalg.eigh(within)
        kept = values > _NOTHING * max(1.0, values[-1])
        self.inverse = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
        self.rank = len(self.sizes) + int(kept.sum())

    def taken_out(self, columns: Floats) -> Floats:
        """Give columns (rows by columns) less their projection on the effects."""
        return columns - self._fitted(columns)[0]

    def of_agents(self, column: Floats) -> Floats:
        """Give the agents' effects on one column, with a mean of 0 over agents."""
        effects = self._fitted(column[:, None])[1][:, 0]
        return np.asarray(effects - effects.mean())

    def _fitted(self, columns: Floats) -> tuple[Floats, Floats]:
        means = _sums(self.groups, columns, len(self.sizes)) / self.sizes[:, None]
        rest = columns - means[self.groups]
        effects = self.inverse @ _sums(self.agents, rest, self.counts.shape[1])
        return (means - self.shares @ effects)[self.groups] + effects[self.agents], effects

    def block(self, rows: Codes) -> Floats:
        """Give the block of I - P of some rows, P being the projection on the effects."""
        groups = self.groups[rows]
        parts = -self.shares[groups]
        parts[np.arange(len(rows)), self.agents[rows]] += 1
        same = (groups[:, None] == groups) / self.sizes[groups]
        return np.asarray(np.eye(len(rows)) - same - parts @ self.inverse @ parts.T)

    def products(self, column: Floats, clusters: Codes) -> Floats:
        """Give z'(I - P)z for all pairs of clusters, z being a column's part in a cluster."""
        count = int(clusters.max()) + 1
        by_group = _table(self.groups, clusters, column, (len(self.sizes), count))
        by_agent = _table(self.agents, clusters, column, (self.counts.shape[1], count))
        by_agent -= self.shares.T @ by_group
        own = np.diag(np.bincount(clusters, column**2, count))
        return np.asarray(
            own
            - by_group.T @ (by_group / self.sizes[:, None])
            - by_agent.T @ self.inverse @ by_agent
        )


class Fit(msgspec.Struct, frozen=True):
    """Coefficients of columns beside the effects."""

    effects: Effects
    columns: Floats
    """The columns less the effects."""
    bread: Floats
    """The inverse of the columns' products."""
    coefficients: Floats
    residuals: Floats

    def classical(self, index: int = 0) -> Spread:
        """Give the spread that holds where errors are equal and independent."""
        freedom = len(self.residuals) - self.effects.rank - self.columns.shape[1]
        variance = float(self.residuals @ self.residuals) / freedom if freedom > 0 else math.nan
        return Spread(math.sqrt(variance * self.bread[index, index]), freedom)

    def clustered(self, clusters: Codes, *, general: bool = False) -> Sequence[Spread]:
        """Give each coefficient's CR2 spread.

        Where there are one column, one group a round and no gaps, a closed form is taken, which
        equals the general one; `general` takes the general one everywhere.
        """
        if not general and self._closed(clusters):
            return [self._closed_form(clusters)]
        parts = np.zeros_like(self.columns)
        order = np.argsort(clusters, kind="stable")
        for rows in np.split(order, np.cumsum(np.bincount(clusters))[:-1]):
            mine = self.columns[rows]
            values, vectors = np.linalg.eigh(self.effects.block(rows) - mine @ self.bread @ mine.T)
            kept = values > _NOTHING
            root = vectors[:, kept] / np.sqrt(values[kept])
            parts[rows] = root @ (vectors[:, kept].T @ (mine @ self.bread))
        return [self._spread(part, clusters) for part in parts.T]

    def _spread(self, part: Floats, clusters: Codes) -> Spread:
        scores = np.bincount(clusters, part * self.residuals)
        loads = _sums(clusters, self.columns * part[:, None], len(scores))
        products = self.effects.products(part, clusters) - loads @ self.bread @ loads.T
        return _satterthwaite(scores, products)

    def _closed(self, clusters: Codes) -> bool:
        effects = self.effects
        alone = any(np.array_equal(clusters, codes) for codes in (effects.groups, effects.agents))
        return self.columns.shape[1] == 1 and alone and bool((effects.counts == 1).all())

    def _closed_form(self, clusters: Codes) -> Spread:
        # Without gaps the block of a cluster is (1 - 1/m)(I - J/n), m being the clusters' number,
        # and what is left of a column is an eigenvector of it.
        by_agent = np.array_equal(clusters, self.effects.agents)
        groups, agents = self.effects.counts.shape
        other = self.effects.groups if by_agent else self.effects.agents
        grid = np.zeros((agents, groups) if by_agent else (groups, agents))
        grid[clusters, other] = self.columns[:, 0]
        bread, count = float(self.bread[0, 0]), len(grid)
        squares = (grid**2).sum(axis=1)
        eigenvalues = 1 - 1 / count - bread * squares
        scale = np.where(eigenvalues > _NOTHING, 1 / np.sqrt(np.maximum(eigenvalues, _NOTHING)), 0)
        part = grid * (bread * scale)[:, None]
        residuals = np.zeros_like(grid)
        residuals[clusters, other] = self.residuals
        loads = bread * scale * squares
        products = (np.eye(count) - 1 / count) * (part @ part.T) - bread * np.outer(loads, loads)
        return _satterthwaite((part * residuals).sum(axis=1), products)


def fit(scores: Floats, columns: Floats, effects: Effects) -> Fit:
    """Fit columns (rows by columns), none of them `explained`, to scores beside the effects."""
    rest = effects.taken_out(columns)
    bread = np.asarray(np.linalg.inv(rest.T @ rest), dtype=np.float64)
    coefficients = bread @ (rest.T @ scores)
    left = effects.taken_out(scores[:, None])[:, 0] - rest @ coefficients
    return Fit(effects, rest, bread, coefficients, left)


def explained(columns: Floats, effects: Effects) -> list[int]:
    """Give the columns that the effects and the columns before them explain: no slope on these."""
    rest, found = effects.taken_out(columns), list[int]()
    for index, column in enumerate(columns.T):
        before = np.delete(rest[:, :index], found, axis=1)
        alone = rest[:, index] - before @ np.linalg.lstsq(before, rest[:, index], rcond=None)[0]
        spread = column - column.mean()
        # Of a column with one value nothing is left but rounding, which is small beside its size.
        if alone @ alone <= _NOTHING * max(spread @ spread, 1e-12 * (column @ column)):
            found.append(index)
    return found


def _satterthwaite(scores: NDArray[Any], products: Floats) -> Spread:
    squares = float((products**2).sum())
    freedom = float(np.trace(products)) ** 2 / squares if squares > 0 else math.nan
    return Spread(math.sqrt(float(scores @ scores)), freedom)


def _sums(codes: Codes, columns: Floats, count: int) -> Floats:
    return np.stack([np.bincount(codes, column, count) for column in columns.T], axis=1)


def _table(rows: Codes, columns: Codes, weights: Floats, shape: tuple[int, int]) -> Floats:
    sums = np.bincount(rows * shape[1] + columns, weights, shape[0] * shape[1])
    return np.asarray(sums.reshape(shape))
