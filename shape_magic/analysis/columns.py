"""A frame's columns as figures, and its rows by rounds."""

import difflib
import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from shape_magic.errors import ArgumentError, FrameError
from shape_magic.wording import listed, one_line, quoted

__all__ = ["PROSE_SHARE", "attribute_names", "column", "rows_by_round", "rows_of", "within_names"]

PROSE_SHARE: Final = "prose_share"
"""prose_chars / chars, worked out where a frame has no such column."""

DIGITS: Final = 12
MOST_DECIMALS: Final = 300
"""NumPy rounds by way of 10**decimals, which is no number past 308."""


def attribute_names(attributes: str | Sequence[str]) -> list[str]:
    """Check that attributes are named, each of them once; one name stands for itself."""
    names = [attributes] if isinstance(attributes, str) else list(attributes)
    if not names:
        raise ArgumentError("attributes names no column; give at least one, as ['chars']")
    for name in names:
        if names.count(name) > 1:
            raise ArgumentError(f"attributes names {quoted(name)} {names.count(name)} times")
    return names


def within_names(within: str | Sequence[str]) -> list[str]:
    """Give the columns that tell rounds apart; FrameError where none is named."""
    names = [within] if isinstance(within, str) else list(within)
    if not names:
        raise FrameError("within names no column; rounds are told apart by at least one")
    return names


def column(frame: pd.DataFrame, name: str) -> NDArray[np.float64]:
    """Give a column as floats, with NaN where it has no value.

    Figures that differ past the 12th digit of the largest come out equal: such a difference comes
    from the order in which something was added up. FrameError where there is no such column, or
    where it holds what is no finite number.
    """
    if name == PROSE_SHARE and name not in frame.columns:
        chars = column(frame, "chars")
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(chars > 0, column(frame, "prose_chars") / chars, np.nan)
    _check_column(frame, name)
    try:
        figures = pd.to_numeric(frame[name]).to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        reason = one_line(str(error), length=200)
        raise FrameError(f"the column {quoted(name)} holds what is no number: {reason}") from None
    if np.isinf(figures).any():
        raise FrameError(f"the column {quoted(name)} holds an infinite number")
    largest = float(np.nanmax(np.abs(figures), initial=0))
    if largest == 0:
        return figures
    decimals = DIGITS - math.ceil(math.log10(largest))
    scale = 10.0 ** max(0, decimals - MOST_DECIMALS)
    return np.round(figures * scale, min(decimals, MOST_DECIMALS)) / scale


def rows_by_round(
    frame: pd.DataFrame, within: str | Sequence[str]
) -> Mapping[Hashable, NDArray[np.intp]]:
    """Give the positions of each round's rows, rounds in order.

    FrameError where a column is missing, a row has no round, or an agent stands twice in one.
    """
    names = within_names(within)
    for name in names:
        _check_column(frame, name)
        if frame[name].isna().any():
            raise FrameError(
                f"the column {quoted(name)} has rows without a value: no round to count in"
            )
    if "agent_id" in frame.columns:
        _check_column(frame, "agent_id")
        twice = frame.duplicated([*names, "agent_id"])
        if twice.any():
            row = frame[twice].iloc[0]
            where = ", ".join(one_line(f"{name} {row[name]}", length=80) for name in names)
            raise FrameError(
                f"the agent {quoted(row['agent_id'])} stands twice in {where}: a row is one "
                "proposal of a round; where a frame holds several deliberations, within names the "
                "column that tells them apart too, as in within=['deliberation', 'round']"
            )
    return rows_of(frame, names)


def rows_of(frame: pd.DataFrame, names: Sequence[str]) -> Mapping[Hashable, NDArray[np.intp]]:
    """Give the positions of the rows of each value of a column, or of several, in order."""
    for name in names:
        _check_column(frame, name)
    # Not by pandas' own grouping: its text takes no lone surrogate, and an id may hold one.
    found: dict[Hashable, list[int]] = {}
    columns = [frame[name].tolist() for name in names]
    for position, label in enumerate(
        columns[0] if len(columns) == 1 else zip(*columns, strict=True)
    ):
        found.setdefault(label, []).append(position)
    try:
        ordered = sorted(found.items())
    except TypeError:
        ordered = sorted(found.items(), key=lambda item: repr(item[0]))
    return {label: np.array(rows, dtype=np.intp) for label, rows in ordered}


def _check_column(frame: pd.DataFrame, name: str) -> None:
    if name not in frame.columns:
        names = [str(one) for one in frame.columns]
        near = difflib.get_close_matches(name, names, n=3)
        hint = f"did you mean {' or '.join(map(quoted, near))}?" if near else _there_are(names)
        raise FrameError(f"the frame has no column {quoted(name)}; {hint}")
    count = int((frame.columns == name).sum())
    if count > 1:
        raise FrameError(
            f"the frame has {count} columns {quoted(name)}, and which of them is meant is not "
            "guessed: rename or drop the others"
        )


def _there_are(names: Sequence[str]) -> str:
    return f"there are {listed(names)}" if names else "it has none at all"
