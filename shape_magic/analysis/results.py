"""What a correlation says: frozen records, a table to read and a frame to go on with."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Final

import msgspec

from shape_magic.errors import ArgumentError
from shape_magic.extras import analysis_extra
from shape_magic.wording import listed, one_line, quoted

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["AttributeCorrelation", "Correlations", "Estimate", "RoundCoefficient"]

INTERVAL_ROUNDS: Final = 6
"""From how many rounds on an interval is given; `mean_interval` says why."""


class RoundCoefficient(msgspec.Struct, frozen=True):
    """One round's coefficient."""

    round: Hashable
    proposals: int
    coefficient: float


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """A mean coefficient over rounds, with how sure it is.

    Where there is no coefficient, `reason` says why and the figures are None.
    """

    coefficient: float | None = None
    """The mean of the rounds' coefficients, each round counted once."""
    reason: str = ""
    """Why there is no coefficient: as in 'no variation'."""
    p: float | None = None
    """Two-sided, from permuting within rounds."""
    p_holm: float | None = None
    """The same, adjusted over the attributes by Holm's method."""
    smallest_p: float | None = None
    """The smallest p that these rounds could have given."""
    exact: bool = False
    """Whether p counts all permutations, or permutations that were drawn."""
    interval: tuple[float, float] | None = None
    """An interval for the mean coefficient over rounds like these; None for too few rounds."""
    rounds: tuple[RoundCoefficient, ...] = ()
    """The points: each round that has a coefficient."""
    rounds_too_small: int = 0
    """Rounds left out, since they have fewer proposals with all the values than it takes."""
    rounds_without_variation: int = 0
    """Rounds left out, since an attribute or the score is the same for all in them."""


class AttributeCorrelation(msgspec.Struct, frozen=True):
    """How a score goes with one attribute."""

    attribute: str
    within: Estimate
    """Within rounds: the answer, since scores are relative to their round's field."""
    controlled: Estimate
    """The same with the control's part taken out of both: a partial coefficient."""
    pooled: float | None
    """The same proposals with all rounds thrown together: what differs between rounds is in it."""
    missing: int
    """Scored proposals without this attribute, as in entries from before `shape`."""

    @property
    def opposed(self) -> bool:
        """Whether the pooled coefficient has the other sign than the one within rounds."""
        coefficient = self.within.coefficient
        return coefficient is not None and self.pooled is not None and coefficient * self.pooled < 0


class Correlations(msgspec.Struct, frozen=True, kw_only=True):
    """How a score goes with each attribute; its text is a table."""

    score: str
    control: str
    confidence: float
    attributes: tuple[AttributeCorrelation, ...]
    proposals: int
    """Rows of the frame."""
    scored: int
    """Those that have the score."""
    synthetic_evaluations: int | None
    """Evaluations that are part of no score; None where the frame does not say."""
    rounds: int
    rounds_left_out: int
    """Rounds of fewer than three scored proposals, which say nothing."""
    resamples: int
    """How many permutations are drawn where not all are counted."""

    def __getitem__(self, attribute: str) -> AttributeCorrelation:
        for one in self.attributes:
            if one.attribute == attribute:
                return one
        names = listed([one.attribute for one in self.attributes])
        raise ArgumentError(f"{quoted(attribute)} was not correlated; there are {names}")

    @property
    def missing_scores(self) -> int:
        """How many proposals have no score."""
        return self.proposals - self.scored

    def __repr__(self) -> str:
        """Show the same table as `str`."""
        return str(self)

    def __str__(self) -> str:
        """Write the table, then what a reader must know of it."""
        return correlations_text(self)

    def to_frame(self) -> "pd.DataFrame":
        """Give every figure, one row an attribute and estimate (`within` or `controlled`)."""
        with analysis_extra():
            import pandas as pd
        frame = pd.DataFrame(
            [
                {
                    "attribute": one.attribute,
                    "estimate": name,
                    "coefficient": estimate.coefficient,
                    "reason": estimate.reason,
                    "low": estimate.interval[0] if estimate.interval else None,
                    "high": estimate.interval[1] if estimate.interval else None,
                    "p": estimate.p,
                    "p_holm": estimate.p_holm,
                    "smallest_p": estimate.smallest_p,
                    "exact": estimate.exact,
                    "rounds": len(estimate.rounds),
                    "rounds_too_small": estimate.rounds_too_small,
                    "rounds_without_variation": estimate.rounds_without_variation,
                    "pooled": one.pooled if name == "within" else None,
                    "missing": one.missing,
                }
                for one in self.attributes
                for name, estimate in (("within", one.within), ("controlled", one.controlled))
            ]
        )
        figures = ["coefficient", "low", "high", "p", "p_holm", "smallest_p", "pooled"]
        return frame.astype(dict.fromkeys(figures, "float64"))


def correlations_text(result: Correlations) -> str:
    """Write a correlation for a reader: two tables and what must be known of them."""
    percent = f"{100 * result.confidence:g} %"
    head = ["", "mean", percent, "p", "Holm", "rounds"]
    plain = [
        [*_figures(one.attribute, one.within), _coefficient(one.pooled) + " !" * one.opposed]
        for one in result.attributes
    ]
    controlled = [
        _figures(one.attribute, one.controlled)
        for one in result.attributes
        if one.attribute != result.control
    ]
    lines = [
        f"{one_line(result.score)}: mean within-round Spearman coefficients",
        *_table([[*head, "pooled"], *plain]),
        "",
    ]
    if controlled:
        title = f"the same, {one_line(result.control)} taken out of both"
        lines += [title, *_table([head, *controlled]), ""]
    return "\n".join([*lines, *_remarks(result)])


def _table(rows: list[list[str]]) -> list[str]:
    """Align the first column to the left, the last as it is, the others to the right."""
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    lines = []
    for name, *cells in rows:
        aligned = [cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)]
        if rows[0][-1] == "pooled":
            aligned[-1] = cells[-1].ljust(widths[-1])
        lines.append("  ".join([name.ljust(widths[0]), *aligned]).rstrip())
    return lines


def _figures(attribute: str, estimate: Estimate) -> list[str]:
    return [
        one_line(attribute),
        estimate.reason or _coefficient(estimate.coefficient),
        "{:+.2f} to {:+.2f}".format(*estimate.interval) if estimate.interval else "",
        _probability(estimate.p),
        _probability(estimate.p_holm),
        str(len(estimate.rounds)),
    ]


def _coefficient(value: float | None) -> str:
    return "" if value is None else f"{value:+.2f}"


def _probability(p: float | None) -> str:
    if p is None:
        return ""
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def _remarks(result: Correlations) -> list[str]:
    remarks = [
        f"{result.scored:,} of {result.proposals:,} proposals have a score; "
        f"{result.rounds_left_out:,} of {result.rounds:,} rounds have fewer than three such and "
        "say nothing."
    ]
    if result.synthetic_evaluations:
        remarks.append(f"{result.synthetic_evaluations:,} synthetic evaluations are in no score.")
    if any(one.missing for one in result.attributes):
        most = max(one.missing for one in result.attributes)
        remarks.append(f"{most:,} scored proposals lack an attribute and are left out there.")
    remarks += _remarks_on_p(result)
    estimates = [estimate for one in result.attributes for estimate in (one.within, one.controlled)]
    intervals = [one.interval for one in estimates if one.coefficient is not None]
    if any(intervals):
        remarks.append("An interval is for the mean coefficient over rounds like these.")
    if not all(intervals):
        remarks.append(
            f"There is no interval under {INTERVAL_ROUNDS} rounds, or where all agree exactly."
        )
    if any(one.opposed for one in result.attributes):
        remarks.append(
            "! Pooled has the other sign: all rounds thrown together, what differs between them "
            "is in it. Within rounds is the answer, since scores are relative to a round."
        )
    return remarks


def _remarks_on_p(result: Correlations) -> list[str]:
    tested = [one.within for one in result.attributes if one.within.smallest_p is not None]
    if not tested:
        return []
    counted = sum(estimate.exact for estimate in tested)
    how = "p: all permutations of the scores within rounds"
    if counted < len(tested):
        how = f"p: permutations within rounds, {result.resamples:,} drawn where all are too many"
    smallest = sorted(estimate.smallest_p or 0.0 for estimate in tested)
    low, high = _probability(smallest[0]), _probability(smallest[-1])
    possible = low if low == high else f"{low} to {high}"
    at_best = _probability(min(1.0, smallest[0] * len(tested)))
    remarks = [
        f"{how}. The smallest that these rounds could give: {possible}, "
        f"after Holm over {len(tested)} attribute{'s' * (len(tested) != 1)} at best {at_best}."
    ]
    controlled = [one.controlled for one in result.attributes if one.controlled.p is not None]
    if controlled:
        drawn = "" if all(one.exact for one in controlled) else f", {result.resamples:,} draws,"
        remarks.append(
            f"With {one_line(result.control)} taken out, p is approximate: what is left of the "
            f"scores is permuted{drawn} and ranks take out a control in part only."
        )
    return remarks
