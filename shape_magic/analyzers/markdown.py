"""Markdown, and everything else: CommonMark's block structure plus GFM tables."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from markdown_it import MarkdownIt

from shape_magic.analyzers.json import refusal
from shape_magic.lines import normalize_endings, split_lines
from shape_magic.shape import Anchor, Evidence, Measurement, Note
from shape_magic.vocabulary import LineKind

__all__ = ["MarkdownAnalyzer"]


class MarkdownAnalyzer:
    """Stock-parser draft."""

    kind: Final = "markdown"
    version: Final = "1"
    meanings: Final[Mapping[str, str]] = MappingProxyType({})

    def measure(self, text: str) -> Measurement:
        """Measure any text."""
        md = MarkdownIt("commonmark", {"maxNesting": 100}).enable("table")
        lines = split_lines(text)
        source = normalize_endings(text)
        if source and not source.endswith("\n"):
            source += "\n"
        tokens: list = []
        md.block.parse(source, md, {}, tokens)
        kinds: list[LineKind] = ["prose"] * len(lines)
        evidence: dict[str, list[Evidence]] = {
            n: []
            for n in (
                "headings",
                "code_blocks",
                "list_items",
                "table_rows",
                "prose_chars",
                "lead_chars",
            )
        }
        outline: list[Anchor] = []
        heads = []
        for i, token in enumerate(tokens):
            if not token.map:
                continue
            first, end = token.map
            while end > first + 1 and end <= len(lines) and not lines[end - 1].strip(" \t>"):
                end -= 1
            end = min(end, len(lines))
            span = range(first, end)

            def paint(kind: LineKind) -> None:
                for n in span:
                    kinds[n] = kind

            if token.type == "heading_open":
                if token.markup in "=-" and end - first > 2:
                    continue
                paint("heading")
                evidence["headings"].append(Evidence(first + 1, end, 1))
                label = (
                    lines[first][lines[first].index("#") :]
                    if token.markup.startswith("#")
                    else lines[first]
                )
                heads.append((len(outline), int(token.tag[1])))
                outline.append(Anchor(first + 1, label.strip(" \t")[:60], end))
            elif token.type == "fence":
                end = min(token.map[1], len(lines))
                span = range(first, end)
                paint("code")
                evidence["code_blocks"].append(Evidence(first + 1, end, 1))
                outline.append(Anchor(first + 1, "code", end))
            elif token.type == "table_open":
                paint("table")
                evidence["table_rows"].append(Evidence(first + 1, end, end - first))
                outline.append(Anchor(first + 1, "table", end))
            elif token.type == "list_item_open":
                paint("list")
                evidence["list_items"].append(Evidence(first + 1, end, 1))
        lead = next((n for n, k in enumerate(kinds) if k != "prose"), len(lines))
        for k, (n, level) in enumerate(heads):
            nxt = next((outline[m].line - 1 for m, l in heads[k + 1 :] if l <= level), len(lines))
            outline[n] = Anchor(outline[n].line, outline[n].label, nxt)
        n = 0
        while n < len(lines):
            if kinds[n] == "prose":
                start = n
                while n < len(lines) and kinds[n] == "prose":
                    n += 1
                evidence["prose_chars"].append(
                    Evidence(start + 1, n, sum(len(l) for l in lines[start:n]))
                )
            else:
                n += 1
        if lead:
            evidence["lead_chars"].append(Evidence(1, lead, sum(len(l) for l in lines[:lead])))
        notes: list[Note] = []
        refused = refusal(text)
        if refused:
            notes.append(refused)
        if lines:
            evidence["chars"] = [Evidence(1, len(lines), len(text))]
            evidence["lines"] = [Evidence(1, len(lines), len(lines))]
        return Measurement.from_evidence(
            kind="markdown",
            version="1",
            text=text,
            kinds=kinds,
            evidence=evidence,
            outline=outline,
            notes=notes,
        )
