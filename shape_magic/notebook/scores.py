"""A round's summary for display: a table, best first."""

from collections.abc import Callable
from html import escape
from itertools import islice
from typing import Final

import msgspec

from shape_magic.deliberation.records import ProposalScore, RoundSummary
from shape_magic.deliberation.summary import best_first
from shape_magic.notebook.static_html import MAX_ROWS, rest_of, safe
from shape_magic.report import Report
from shape_magic.vocabulary import ATTRIBUTES, CATEGORY_NAMES
from shape_magic.wording import one_line

__all__ = ["summary_html", "summary_text"]

Figure = float | int | None


class _Column(msgspec.Struct, frozen=True):
    name: str
    meaning: str
    figure: Callable[[ProposalScore], Figure]
    form: str = "{:,}"


def _category(category: str) -> _Column:
    return _Column(
        category,
        f"mean of {category} over the real evaluations that gave it, -100 to 100",
        lambda score: (score.category_breakdown or {}).get(category),
        "{:+.1f}",
    )


def _attribute(name: str, meaning: str) -> _Column:
    return _Column(
        name, meaning, lambda score: None if score.shape is None else getattr(score.shape, name)
    )


# Conciseness and the shape that it is scored from stand side by side.
COLUMNS: Final = (
    _Column(
        "aggregated_score",
        "aggregated score: the sum of the signed square roots of the real scores",
        lambda score: score.aggregated_score,
        "{:+.2f}",
    ),
    _category("conciseness"),
    *(_attribute(attribute.name, attribute.meaning) for attribute in ATTRIBUTES),
    *(_category(category) for category in CATEGORY_NAMES if category != "conciseness"),
    _Column(
        "controversy_score",
        "population variance of the real scores",
        lambda score: score.controversy_score,
        "{:.3f}",
    ),
    _Column("real_eval_count", "how many real evaluations", lambda score: score.real_eval_count),
    _Column(
        "synthetic_eval_count",
        "how many synthetic evaluations; they are part of no score",
        lambda score: score.synthetic_eval_count,
    ),
)

_MISSING: Final = "-"

NAME_LENGTH: Final = 60
"""How many characters of an id a table shows."""

# The host may run this or not: where it does, a click on a heading, or Enter, sorts by it. What
# is missing stays last either way.
_SORT: Final = (
    "const h=event.target.closest('th');if(!h)return;"
    "const b=h.closest('table').tBodies[0],i=h.cellIndex,"
    "up=h.getAttribute('aria-sort')==='descending';"
    "for(const c of h.parentNode.cells)c.removeAttribute('aria-sort');"
    "h.setAttribute('aria-sort',up?'ascending':'descending');"
    "const v=r=>r.cells[i].dataset.value;"
    "[...b.rows].sort((x,y)=>{const p=v(x),q=v(y);"
    "if(p===''||q==='')return(p==='')-(q==='');"
    "const d=i?p-q:(p<q?-1:p>q?1:0);return up?d:-d}).forEach(r=>b.append(r))"
)
_PRESS: Final = (
    "if(event.key==='Enter'||event.key===' '){event.preventDefault();event.target.click()}"
)


def summary_text(summary: RoundSummary) -> str:
    """Write a round's summary as a table, best first."""
    scores = best_first(summary)
    rows = [["agent_id", *(column.name for column in COLUMNS)]]
    rows += [
        [
            _name(score.agent_id),
            *(_written(column, score) for column in COLUMNS),
        ]
        for score in scores
    ]
    return str(Report(f"round {summary.round}", rows[0], rows[1:]))


def summary_html(summary: RoundSummary) -> str:
    """Show a round's summary as a table, best first, which a host with scripts lets sort."""
    # Hosts have rules of their own for cells, so each has its style.
    cell = "padding:1px 8px;white-space:nowrap;text-align:right"
    first = "padding:1px 8px;white-space:nowrap;text-align:left"
    scores = best_first(summary)
    heads = [f'<th style="{first};cursor:pointer" tabindex="0" scope="col">agent_id</th>']
    heads += [
        f'<th style="{cell};cursor:pointer" tabindex="0" scope="col" '
        f'title="{safe(column.meaning)}">{column.name}</th>'
        for column in COLUMNS
    ]
    rows = []
    for score in islice(scores, MAX_ROWS):
        agent = safe(score.agent_id)
        cells = [f'<td style="{first}" data-value="{agent}">{agent}</td>']
        for column in COLUMNS:
            figure = column.figure(score)
            value = "" if figure is None else repr(figure)
            cells.append(f'<td style="{cell}" data-value="{value}">{_written(column, score)}</td>')
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return (
        f'<div style="overflow-x:auto;font-size:13px"><strong>Round {summary.round}</strong>'
        '<table style="font-size:13px">'
        f'<thead onclick="{escape(_SORT)}" onkeydown="{escape(_PRESS)}">'
        f"<tr>{''.join(heads)}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        f"{rest_of(len(scores), 'proposals')}</div>"
    )


def _written(column: _Column, score: ProposalScore) -> str:
    figure = column.figure(score)
    return _MISSING if figure is None else column.form.format(figure)


def _name(agent_id: str) -> str:
    return one_line(agent_id, length=NAME_LENGTH)
