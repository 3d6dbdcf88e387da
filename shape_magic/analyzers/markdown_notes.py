"""Where a Markdown figure may surprise: text that looks like structure and is none, or the
other way round."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from shape_magic.analyzers.commonmark import (
    MAX_NESTING,
    BlockState,
    count_cells,
    delimiter_cells,
)
from shape_magic.analyzers.json import refusal
from shape_magic.analyzers.notes import limited
from shape_magic.shape import Note
from shape_magic.vocabulary import LineKind

__all__ = ["markdown_notes"]

_MARKERS: Final = re.compile(r"(?:[ \t]*(?:>|[-+*](?=[ \t])|[0-9]{1,9}[.)](?=[ \t])))*[ \t]*")
_PIPE: Final = re.compile(r"(?<!\\)\|")


def markdown_notes(
    text: str, lines: Sequence[str], kinds: Sequence[LineKind], parsed: BlockState | None
) -> list[Note]:
    """Find the notes of a Markdown text, in the order of its lines."""
    refused = refusal(text)
    notes = [] if refused is None else [refused]
    found: list[Iterator[Note]] = []
    if parsed is not None:
        found += [_from_parser(parsed), _from_blocks(parsed, lines, kinds)]
    if "#" in text or "|" in text:
        found.append(_from_prose(parsed, lines, kinds))
    notes += limited(chain(*found))
    return sorted(notes, key=lambda note: note.line)


def _from_parser(parsed: BlockState) -> Iterator[Note]:
    if parsed.too_deep is not None:
        yield Note(
            "too-deep",
            parsed.too_deep + 1,
            f"quotes and lists nest deeper than {MAX_NESTING} from here on; what is deeper is "
            "measured as text",
        )
    for first, underline in parsed.underlined:
        yield Note(
            "underlined-paragraph",
            first + 1,
            f"{underline - first} lines above the underline in line {underline + 1} are prose: "
            "an underline makes a heading of a single line only",
        )


def _from_blocks(
    parsed: BlockState, lines: Sequence[str], kinds: Sequence[LineKind]
) -> Iterator[Note]:
    fences = 0
    for block in parsed.blocks:
        if block.kind == "fence":
            fences += 1
            if not block.closed:
                yield Note(
                    "unclosed-fence",
                    block.first + 1,
                    f"the fence is never closed and ends with line {block.end}",
                )
        elif block.kind == "table":
            for number in range(block.first + 2, block.end):
                if not _PIPE.search(lines[number]):
                    yield Note(
                        "swallowed-paragraph",
                        number + 1,
                        "the line has no pipe and yet is a row: no blank line parts it from the "
                        "table above",
                    )
                    break
    if fences == 1 and all(
        kind == "code" or not line.strip() for kind, line in zip(kinds, lines, strict=True)
    ):
        yield Note("fenced-document", 1, "the whole document stands inside one fence")


def _from_prose(
    parsed: BlockState | None, lines: Sequence[str], kinds: Sequence[LineKind]
) -> Iterator[Note]:
    blocks = [] if parsed is None else parsed.opaque
    opaque = {line for first, end in blocks for line in range(first, end)}
    previous: tuple[str, bool] | None = None
    for index, (line, kind) in enumerate(zip(lines, kinds, strict=True)):
        if kind not in {"prose", "list"} or ("#" not in line and "|" not in line):
            previous = None
            continue
        text = "" if index in opaque else _text_of(line)
        if text.startswith("#") and (reason := _why_no_heading(text)):
            yield Note("no-heading", index + 1, f"{text[:30]!r} is no heading: {reason}")
        row = text if text.startswith("|") or (" | " in text and kind == "prose") else None
        if row is not None and previous is not None:
            first, told = previous
            if not told:
                yield Note("no-table", index, _why_no_table(first, row))
            previous = (first, True)
        else:
            previous = None if row is None else (row, False)


def _text_of(line: str) -> str:
    """Give a line without the markers of containers before it."""
    return _MARKERS.sub("", line, count=1).strip(" \t")


def _why_no_heading(text: str) -> str | None:
    hashes = len(text) - len(text.lstrip("#"))
    if hashes > 6:
        return f"it begins with {hashes} number signs, and 6 are the most"
    if hashes < len(text) and text[hashes] not in " \t":
        return "no space follows its number sign"
    return None


def _why_no_table(header: str, below: str) -> str:
    cells, delimiters = count_cells(header), delimiter_cells(below)
    if not delimiters:
        return "the rows of pipes are no table: no delimiter row is under the first"
    if cells != delimiters:
        return (
            f"the rows of pipes are no table: the first has {cells} cells and the delimiter row "
            f"under it {delimiters}"
        )
    return (
        "the rows of pipes are no table: a paragraph's first delimiter row alone is tried, and it "
        "was refused"
    )
