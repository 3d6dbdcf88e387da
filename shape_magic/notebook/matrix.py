"""A matrix of scores in a page: its data, its static form and the place that it stands in."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import groupby, islice
from typing import Any, Final

from shape_magic.deliberation.matrix import (
    SCORES,
    Matrix,
    MatrixColumn,
    MatrixEvaluation,
    MatrixRow,
    arm_name,
    columns_of,
    name_of,
)
from shape_magic.deliberation.store import mean
from shape_magic.notebook.candidates import held_by
from shape_magic.notebook.place import Place
from shape_magic.notebook.static_html import MAX_ROWS, rest_of, safe
from shape_magic.notebook.view_data import FORMAT
from shape_magic.report import Report
from shape_magic.vocabulary import ATTRIBUTES
from shape_magic.wording import one_line, symbols

__all__ = [
    "EMBEDDED",
    "MOST_EVALUATIONS",
    "MOST_ROWS",
    "matrix_data",
    "matrix_html",
    "matrix_place",
]

MOST_ROWS: Final = 1_000
"""Candidates that a page has at most."""
MOST_EVALUATIONS: Final = 5_000
"""Evaluations that a page has at most: the rows after them do not unfold."""

EMBEDDED: Final = 8_000_000
"""Characters of texts, replies and prompts that a page has at most."""

_DIGITS: Final = 4
"""To how many digits a page has figures: more than it shows."""

_GIVEN: Final = tuple(score.name for score in SCORES if score.signed)
"""What one evaluator gives of a row's scores; the others count evaluators."""

# Blue and orange, which the colour-blind tell apart; the sign says the same.
_MORE: Final = "59,130,196"
_LESS: Final = "194,119,46"
_STRONGEST: Final = 0.4
_NAME: Final = 60
"""Characters of an id or of an arm's name that a table shows."""
_PAPER: Final = "var(--jp-layout-color0,var(--vscode-editor-background,Canvas))"
# Hosts have rules of their own for cells, so each has its style.
_CELL: Final = "padding:1px 8px;white-space:nowrap;text-align:right"
_STUCK: Final = f"position:sticky;background:{_PAPER}"
_FIRST: Final = f"padding:1px 8px;white-space:nowrap;text-align:left;{_STUCK};left:0"
_MONO: Final = "font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace"


def matrix_place(matrix: Matrix, *, embedded: bool = False) -> Place:
    """Make the element that a matrix stands in; `embedded` is as in `matrix_data`."""
    data = matrix_data(matrix, embedded=embedded)
    return Place(data, static=lambda _data: matrix_html(matrix))


def matrix_data(matrix: Matrix, *, embedded: bool = False) -> dict[str, Any]:
    """Give what a page shows of a matrix, as plain data.

    Texts, replies and prompts are asked of the kernel. A page that is sent has them `embedded`, as
    far as they fit.
    """
    rows = matrix.rows[:MOST_ROWS]
    prompts: dict[str, int] = {}
    left = MOST_EVALUATIONS
    written = []
    for row in rows:
        left -= len(row.evaluations)
        written.append(_row(matrix, row, prompts=prompts, unfolds=left >= 0))
    data: dict[str, Any] = {
        "format": FORMAT,
        "title": matrix.title.partition(":")[0],
        "arms": list(matrix.arms),
        "score": matrix.score,
        "scores": [
            {
                "name": score.name,
                "meaning": score.meaning,
                "digits": score.digits,
                "signed": score.signed,
                "most": score.most,
            }
            for score in SCORES
        ],
        "attributes": [[attribute.name, attribute.meaning] for attribute in ATTRIBUTES],
        "rows": written,
        "rest": len(matrix.rows) - len(rows),
        "prompts": list(prompts),
        "opens": matrix.store is not None,
        "held": held_by(matrix, most=EMBEDDED) if embedded and matrix.store is not None else None,
    }
    data["symbols"] = symbols("".join(_foreign_text(data)))
    return data


def _row(
    matrix: Matrix, row: MatrixRow, *, prompts: dict[str, int], unfolds: bool
) -> dict[str, Any]:
    return {
        "round": row.round,
        "agent": row.agent_id,
        "version": row.version,
        "text": row.text,
        "shape": None if row.shape is None else list(row.shape.as_dict().values()),
        "scores": [
            [_rounded(scores.get(score.name)) for score in SCORES]
            if (scores := row.scores.get(arm)) is not None
            else None
            for arm in matrix.arms
        ],
        "given": [
            {
                "evaluator": evaluator,
                "trial": trial,
                "synthetic": synthetic,
                "arms": [_given(by_arm.get(arm, ()), prompts) for arm in matrix.arms],
            }
            for evaluator, trial, synthetic, by_arm in evaluations_of(row)
        ]
        if unfolds
        else None,
    }


Evaluations = Mapping[str, Sequence[MatrixEvaluation]]
"""By arm."""


def evaluations_of(row: MatrixRow) -> Iterator[tuple[str, int, bool, Evaluations]]:
    """Give what each evaluator gave: first all trials together, as trial 0, where there are some.

    Synthetic evaluations stand apart, since they are part of no mean.
    """

    def whose(evaluation: MatrixEvaluation) -> tuple[str, bool]:
        return evaluation.evaluator_agent_id, evaluation.synthetic

    for (evaluator, synthetic), found in groupby(sorted(row.evaluations, key=whose), key=whose):
        given = list(found)
        trials = sorted({evaluation.trial for evaluation in given})
        if len(trials) > 1:
            yield evaluator, 0, synthetic, _by_arm(given)
        for trial in trials:
            yield evaluator, trial, synthetic, _by_arm(e for e in given if e.trial == trial)


def _by_arm(evaluations: Iterable[MatrixEvaluation]) -> Evaluations:
    found: dict[str, list[MatrixEvaluation]] = {}
    for evaluation in evaluations:
        found.setdefault(evaluation.arm, []).append(evaluation)
    return found


def _given(evaluations: Sequence[MatrixEvaluation], prompts: dict[str, int]) -> list[Any] | None:
    """Write what an evaluator gave in an arm: its figures, then the prompt's number."""
    if not evaluations:
        return None
    figures = [_rounded(_figure(evaluations, name)) for name in _GIVEN]
    digests = {evaluation.prompt for evaluation in evaluations}
    (digest, *others) = digests
    number = None if digest is None or others else prompts.setdefault(digest, len(prompts))
    return [*figures, number]


def _figure(evaluations: Iterable[MatrixEvaluation], name: str) -> float | None:
    if name == "aggregated_score":
        return mean(evaluation.score for evaluation in evaluations)
    if name == "endorsement_weight":
        return mean(evaluation.endorsement_weight for evaluation in evaluations)
    return mean(evaluation.category_scores.get(name) for evaluation in evaluations)


def _rounded(figure: float | None) -> float | None:
    if figure is None or isinstance(figure, int):
        return figure
    rounded = round(figure, _DIGITS)
    return int(rounded) if rounded == int(rounded) else rounded


def _foreign_text(data: Mapping[str, Any]) -> Iterator[str]:
    """Give the text that another's hand may have written."""
    yield data["title"]
    yield from data["arms"]
    for row in data["rows"]:
        yield row["agent"]
        yield from (given["evaluator"] for given in row["given"] or ())


def matrix_html(matrix: Matrix) -> str:
    """Write the table, and below it what each evaluator gave."""
    columns = columns_of(matrix)
    several = len({row.round for row in matrix.rows}) > 1
    most = [_most(column, matrix) for column in columns]
    rows = "".join(
        f"<tr>{_names(row, several=several)}{_figures(row, columns, most)}</tr>"
        for row in islice(matrix.rows, MAX_ROWS)
    )
    return (
        f'<div style="font-size:13px;line-height:1.5"><strong>{safe(matrix.title)}</strong>'
        '<div style="overflow:auto;max-height:640px;margin:4px 0"><table style="font-size:13px;'
        f'border-collapse:separate;border-spacing:0"><thead style="{_STUCK};top:0;z-index:2">'
        f"{_head(columns, several=several)}</thead><tbody>{rows}</tbody></table></div>"
        f"{rest_of(len(matrix.rows), 'candidates')}{_by_evaluator(matrix, several=several)}</div>"
    )


def _head(columns: Sequence[MatrixColumn], *, several: bool) -> str:
    """Write the head: where columns stand under a group, in two rows."""
    number = f'<th scope="col" style="{_CELL}">round</th>' if several else ""
    row = f'<tr><th scope="col" style="{_FIRST}">agent_id</th>{number}' + "".join(
        f'<th scope="col" style="{_CELL}" title="{safe(column.meaning)}">'
        f"{safe(column.name, width=_NAME)}</th>"
        for column in columns
    )
    grouped = [(group, len(list(run))) for group, run in groupby(columns, key=lambda c: c.group)]
    if not any(group for group, _ in grouped):
        return f"{row}</tr>"
    above = f'<tr><td style="{_FIRST}"></td>{"<td></td>" if several else ""}' + "".join(
        f'<th scope="colgroup" colspan="{count}" style="{_CELL}">{safe(group, width=_NAME)}</th>'
        for group, count in grouped
    )
    return f"{above}</tr>{row}</tr>"


def _names(row: MatrixRow, *, several: bool) -> str:
    number = f'<td style="{_CELL}">{row.round}</td>' if several else ""
    return f'<th scope="row" style="{_FIRST}">{safe(row.agent_id, width=_NAME)}</th>{number}'


def _figures(row: MatrixRow, columns: Sequence[MatrixColumn], most: Sequence[float]) -> str:
    return "".join(
        f'<td style="{_CELL}{_colour(column, column.figure(row), strongest)}">'
        f"{column.written(row)}</td>"
        for column, strongest in zip(columns, most, strict=True)
    )


def _most(column: MatrixColumn, matrix: Matrix) -> float:
    """Give the figure that has a column's strongest colour."""
    if column.score.most is not None:
        return column.score.most
    figures = [figure for row in matrix.rows if (figure := column.figure(row)) is not None]
    return max(map(abs, figures), default=0)


def _colour(column: MatrixColumn, figure: float | None, most: float) -> str:
    if not column.colour or not figure or not most:
        return ""
    strength = min(1, abs(figure) / most) * _STRONGEST
    return f";background:rgba({_MORE if figure > 0 else _LESS},{strength:.2f})"


def _by_evaluator(matrix: Matrix, *, several: bool) -> str:
    """Write what each evaluator gave in each trial, as lines that open."""
    scores = [score for score in SCORES if score.signed]
    if matrix.score is None:
        columns = [(matrix.arms[0], score) for score in scores]
        names = ["score", *(score.name for score in scores[1:])]
    else:
        wanted = next(score for score in scores if score.name == matrix.score)
        columns = [(arm, wanted) for arm in matrix.arms]
        names = [one_line(arm_name(arm), length=_NAME) for arm in matrix.arms]
    lines = [["agent_id", *(["round"] if several else []), "evaluator", "trial", *names]]
    count = 0
    for row in matrix.rows:
        for evaluator, trial, synthetic, by_arm in evaluations_of(row):
            if trial == 0:
                continue
            count += 1
            if count <= MAX_ROWS:
                lines.append(
                    [
                        name_of(row.agent_id),
                        *([str(row.round)] if several else []),
                        name_of(evaluator) + (" (synthetic)" if synthetic else ""),
                        str(trial),
                        *(
                            score.written(_figure(by_arm.get(arm, ()), score.name))
                            for arm, score in columns
                        ),
                    ]
                )
    if not count:
        return ""
    return (
        '<details><summary>by evaluator</summary><pre style="margin:4px 0;max-height:440px;'
        f'overflow:auto;white-space:pre;{_MONO}">'
        f"{escape(str(Report('', lines[0], lines[1:], texts=3 + several)))}</pre>"
        f"{rest_of(count, 'evaluations')}</details>"
    )
