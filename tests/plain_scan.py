"""An analyzer that knows no CommonMark: it looks at one line at a time.

It does what the line scanner of the deliberation system in production does, so it is what this
package's Markdown analyzer is compared with.
"""

import re
from itertools import groupby

from shape_magic.lines import split_lines
from shape_magic.shape import Evidence, Measurement
from shape_magic.vocabulary import LineKind

_ITEM = re.compile(r"(?:[-*+]|[0-9]+\.) ")


class PlainScan:
    """A line that begins with three backticks toggles a fence, and so on, white space stripped."""

    kind = "plain"
    version = "1"
    meanings: dict[str, str] = {}  # noqa: RUF012

    def measure(self, text: str) -> Measurement:
        lines = split_lines(text)
        kinds: list[LineKind] = []
        fences = []
        inside = False
        for number, line in enumerate(lines, start=1):
            stripped = line.lstrip()
            if stripped.startswith("```"):
                if not inside:
                    fences.append(number)
                inside = not inside
                kinds.append("code")
            elif inside:
                kinds.append("code")
            elif stripped.startswith("#"):
                kinds.append("heading")
            elif stripped.startswith("|") and "|" in stripped[1:]:
                kinds.append("table")
            elif _ITEM.match(stripped):
                kinds.append("list")
            else:
                kinds.append("prose")

        def each(kind: LineKind) -> list[Evidence]:
            return [Evidence(n, n, 1) for n, own in enumerate(kinds, start=1) if own == kind]

        prose = []
        first = 1
        for kind, run in groupby(kinds):
            last = first + len(list(run)) - 1
            if kind == "prose" and (amount := sum(map(len, lines[first - 1 : last]))):
                prose.append(Evidence(first, last, amount))
            first = last + 1
        count = next((n for n, kind in enumerate(kinds) if kind != "prose"), len(kinds))
        lead = sum(map(len, lines[:count]))
        whole = len(lines)
        return Measurement.from_evidence(
            kind=self.kind,
            version=self.version,
            text=text,
            kinds=kinds,
            evidence={
                "chars": [Evidence(1, whole, len(text))] if lines else [],
                "lines": [Evidence(1, whole, whole)] if lines else [],
                "lead_chars": [Evidence(1, count, lead)] if lead else [],
                "prose_chars": prose,
                "headings": each("heading"),
                "code_blocks": [Evidence(n, n, 1) for n in fences],
                "list_items": each("list"),
                "table_rows": each("table"),
            },
        )
