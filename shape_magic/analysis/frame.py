"""A frame of evaluations as figures: its columns checked, its rounds and agents numbered."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Final

import msgspec
import numpy as np
import pandas as pd

from shape_magic.analysis.cr2 import Codes, Floats
from shape_magic.errors import ArgumentError, FrameError
from shape_magic.vocabulary import ATTRIBUTE_NAMES
from shape_magic.wording import listed, nearest, one_line, quoted

__all__ = ["TERMS", "Columns", "Rows", "Term", "figures", "labels_of", "read_rows", "term"]


class Columns(msgspec.Struct, frozen=True, kw_only=True):
    """The names of a frame's columns; the defaults are those of `evaluations_frame`.

    A column that is not there is done without, but for `round` and `agent`: a frame without
    evaluators is read as one evaluator's.
    """

    round: str | tuple[str, ...] = "round"
    """One column, or several that tell rounds apart, as in ("deliberation", "round")."""
    agent: str = "agent_id"
    evaluator: str = "evaluator_agent_id"
    arm: str = "arm"
    trial: str = "trial"
    place: str = "place"
    latest: str = "latest"
    synthetic: str = "synthetic"
    """Evaluations that were made up in place of a reply count in no estimate."""


class Term(msgspec.Struct, frozen=True):
    """What of an attribute stands in a regression."""

    needs: tuple[str, ...]
    """The frame's columns that it is made of."""
    value: Callable[..., Any]
    unit: str
    """What a score's points are counted per."""


def _count(name: str, what: str) -> Term:
    return Term((name, "chars"), lambda count, chars: 1000 * count / chars, f"per {what} in 1,000")


TERMS: Final[Mapping[str, Term]] = {
    "chars": Term(("chars",), np.log2, "per doubling of chars"),
    "lines": _count("lines", "line"),
    "lead_chars": Term(("lead_chars", "chars"), np.divide, "per whole text of lead"),
    "prose_chars": Term(("prose_chars", "chars"), np.divide, "per whole text of prose"),
    "headings": _count("headings", "heading"),
    "code_blocks": _count("code_blocks", "code block"),
    "list_items": _count("list_items", "list item"),
    "table_rows": _count("table_rows", "table row"),
    "lead_over_prose": Term(
        ("lead_chars", "prose_chars"),
        lambda lead, prose: lead / np.maximum(np.maximum(lead, prose), 1),
        "per whole prose of lead",
    ),
    "any_code": Term(("code_blocks",), lambda count: 1.0 * (count > 0), "with any code"),
    "any_heading": Term(("headings",), lambda count: 1.0 * (count > 0), "with any heading"),
    "any_table": Term(("table_rows",), lambda count: 1.0 * (count > 0), "with any table"),
}
"""Length is counted in doublings, counts per 1,000 characters, shares and yes or no as they are."""


def term(frame: pd.DataFrame, name: str) -> Term:
    """Give what an attribute's name stands for; a column of another name stands as it is."""
    if name in TERMS and (name in ATTRIBUTE_NAMES or name not in frame.columns):
        return TERMS[name]
    if name not in frame.columns:
        raise FrameError(_no_column(name, [*frame.columns, *TERMS]))
    return Term((name,), lambda values: values, f"per unit of {one_line(name, length=40)}")


class Rows(msgspec.Struct, frozen=True):
    """One arm's evaluations as figures, a row an evaluation, trials averaged.

    Rounds, agents and evaluators are numbered in the order of their labels.
    """

    scores: Floats
    values: Mapping[str, Floats]
    """The terms that were asked for, by name."""
    places: Floats
    """Where in its prompt a candidate stood; NaN where the frame does not say."""
    rounds: Codes
    agents: Codes
    evaluators: Codes
    labels: tuple[list[Hashable], list[Hashable], list[Hashable]]
    """Of rounds, agents and evaluators."""
    retests: tuple[tuple[int, Floats], ...]
    """Each evaluation that has several trials: its evaluator and its scores, trials in order."""
    notes: tuple[str, ...]
    """What was left out, and why; what a reader must know of the frame."""

    @property
    def groups(self) -> Codes:
        """Give each row's evaluator in its round as a number."""
        key = self.rounds * (len(self.labels[2]) or 1) + self.evaluators
        return np.asarray(np.unique(key, return_inverse=True)[1], dtype=np.intp)

    def chosen(self, kept: Any) -> "Rows":
        """Give some of the rows; rounds, agents and evaluators are numbered anew."""
        codes, labels = [], []
        for own, names in zip(
            (self.rounds, self.agents, self.evaluators), self.labels, strict=True
        ):
            levels, numbers = np.unique(own[kept], return_inverse=True)
            codes.append(numbers.astype(np.intp))
            labels.append([names[level] for level in levels])
        return msgspec.structs.replace(
            self,
            scores=self.scores[kept],
            values={name: column[kept] for name, column in self.values.items()},
            places=self.places[kept],
            rounds=codes[0],
            agents=codes[1],
            evaluators=codes[2],
            labels=(labels[0], labels[1], labels[2]),
        )


def read_rows(
    frame: pd.DataFrame, score: str, terms: Sequence[str], *, columns: Columns, arm: str | None
) -> Rows:
    """Read one arm's rows that have the score and all the terms.

    FrameError where a column is missing or holds no numbers, the frame holds several arms and
    none is named, or an evaluator scored an agent twice in a round and trial.
    """
    notes: list[str] = []
    kept = np.ones(len(frame), dtype=bool)
    if columns.latest in frame.columns:
        kept &= frame[columns.latest].astype(bool).to_numpy()
        _note(notes, len(frame) - int(kept.sum()), "of earlier versions")
    kept &= _of_arm(frame, arm, columns)
    if columns.synthetic in frame.columns:
        synthetic = frame[columns.synthetic].astype(bool).to_numpy()
        _note(notes, int((kept & synthetic).sum()), "of synthetic evaluations")
        kept &= ~synthetic
    frame = frame[kept]
    scores = figures(frame, score)
    complete = ~np.isnan(scores)
    _note(notes, int((~complete).sum()), f"without {one_line(score, length=40)}")
    values = {}
    for name in terms:
        made = term(frame, name)
        parts = [figures(frame, part) for part in made.needs]
        # An empty text has no length to double, and nothing is a share of it.
        empty = figures(frame, "chars") <= 0 if "chars" in made.needs else ~complete & complete
        with np.errstate(divide="ignore", invalid="ignore"):
            values[name] = np.where(empty, np.nan, made.value(*parts))
        _note(notes, int((complete & empty).sum()), "whose text is empty")
        missing = np.isnan(values[name])
        _note(
            notes, int((complete & missing & ~empty).sum()), f"without {one_line(name, length=40)}"
        )
        complete &= ~missing
    if score == "score":
        notes.append("score depends on how many candidates a reply weighs: rather take a category "
                     "or endorsement_weight")  # fmt: skip
    if columns.evaluator not in frame.columns:
        notes.append("no column of evaluators: read as one evaluator's scores")
    frame = frame[complete]
    places = np.full(len(frame), np.nan)
    if columns.place in frame.columns:
        places = figures(frame, columns.place)
    rounds, round_labels = labels_of(frame, columns.round)
    agents, agent_labels = labels_of(frame, columns.agent)
    evaluators, evaluator_labels = np.zeros(len(frame), dtype=np.intp), list[Hashable]([""])
    if columns.evaluator in frame.columns:
        evaluators, evaluator_labels = labels_of(frame, columns.evaluator)
    read = Rows(
        scores=scores[complete],
        values={name: column[complete] for name, column in values.items()},
        places=places,
        rounds=rounds,
        agents=agents,
        evaluators=evaluators,
        labels=(round_labels, agent_labels, evaluator_labels),
        retests=(),
        notes=tuple(notes),
    )
    return _trials_averaged(read, frame, columns)


def figures(frame: pd.DataFrame, name: str) -> Floats:
    """Give a column as floats, NaN where it has no value; FrameError where that cannot be."""
    if name not in frame.columns:
        raise FrameError(_no_column(name, frame.columns))
    column = frame[name]
    if isinstance(column, pd.DataFrame):
        raise FrameError(f"the frame has {column.shape[1]} columns {quoted(name)}: drop the others")
    try:
        return pd.to_numeric(column).to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        reason = one_line(str(error), length=200)
        raise FrameError(f"the column {quoted(name)} holds what is no number: {reason}") from None


def labels_of(frame: pd.DataFrame, name: str | tuple[str, ...]) -> tuple[Codes, list[Hashable]]:
    """Number the labels of a column, or of several together, in their order."""
    names = [name] if isinstance(name, str) else list(name)
    for each in names:
        if each not in frame.columns:
            raise FrameError(_no_column(each, frame.columns))
        if frame[each].isna().any():
            raise FrameError(f"the column {quoted(each)} has rows without a value")
    parts = [frame[each].tolist() for each in names]
    rows: list[Hashable] = parts[0] if len(parts) == 1 else list(zip(*parts, strict=True))
    # Not by pandas' own grouping: its text takes no lone surrogate, and an id may hold one.
    try:
        labels = sorted(set(rows))  # type: ignore[type-var]
    except TypeError:
        labels = sorted(set(rows), key=repr)
    numbers = {label: number for number, label in enumerate(labels)}
    return np.array([numbers[label] for label in rows], dtype=np.intp), labels


def _of_arm(frame: pd.DataFrame, arm: str | None, columns: Columns) -> Any:
    if columns.arm not in frame.columns:
        if arm is not None:
            raise FrameError(_no_column(columns.arm, frame.columns))
        return True
    arms = frame[columns.arm]
    there = sorted({str(name) for name in arms})
    if arm is None:
        if len(there) > 1:
            raise FrameError(
                f"the frame holds {len(there)} arms, and their rows are of the same texts: name "
                f"one, as in arm={quoted(there[0])}, or compare two by compare_arms; "
                f"there are {listed(there)}"
            )
        return True
    if arm not in there:
        raise ArgumentError(
            f"there is no arm {quoted(arm)}; there are {listed(nearest(arm, there))}"
        )
    return (arms == arm).to_numpy()


def _trials_averaged(rows: Rows, frame: pd.DataFrame, columns: Columns) -> Rows:
    cells = (rows.groups * max(1, len(rows.labels[1]))) + rows.agents
    trials, names = np.zeros(len(cells), dtype=np.intp), list[Hashable]([1])
    if columns.trial in frame.columns:
        trials, names = labels_of(frame, columns.trial)
    order = np.lexsort((trials, cells))
    _, starts, counts = np.unique(cells[order], return_index=True, return_counts=True)
    twice = np.flatnonzero((np.diff(cells[order]) == 0) & (np.diff(trials[order]) == 0))
    if len(twice):
        row = order[twice[0]]
        where, agent, evaluator = (
            one_line(str(labels[codes[row]]), length=40)
            for labels, codes in zip(
                rows.labels, (rows.rounds, rows.agents, rows.evaluators), strict=True
            )
        )
        raise FrameError(
            f"the agent {quoted(agent)} stands twice in round {where}"
            f"{f' by {quoted(evaluator)}' if evaluator else ''}: a row is one evaluation; where a "
            "frame holds several deliberations, name what tells them apart, as in "
            'columns=Columns(round=("deliberation", "round"))'
        )
    if len(names) < 2 or (counts == 1).all():
        return rows
    pieces = np.split(rows.scores[order], starts[1:])
    retests = tuple(
        (int(rows.evaluators[order[start]]), piece)
        for start, piece in zip(starts, pieces, strict=True)
        if len(piece) > 1
    )
    means = np.array([piece.mean() for piece in pieces])
    places = np.add.reduceat(rows.places[order], starts) / counts
    averaged = rows.chosen(order[starts])
    return msgspec.structs.replace(averaged, scores=means, places=places, retests=retests)


def _note(notes: list[str], count: int, why: str) -> None:
    if count:
        notes.append(f"{count:,} row{'s' * (count != 1)} {why} left out")


def _no_column(name: str, known: Any) -> str:
    names = [str(column) for column in known]
    near = listed(nearest(name, names)[:5])
    return f"the frame has no column {quoted(name)}; the nearest are {near}"
