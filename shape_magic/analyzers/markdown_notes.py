"""Where a Markdown figure may surprise: text that looks like structure and is none, or the
other way round."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from shape_magic.analyzers.commonmark import MAX_NESTING, BlockState, count_cells
from shape_magic.analyzers.json import refusal
from shape_magic.analyzers.notes import limited
from shape_magic.shape import Note
from shape_magic.vocabulary import LineKind

__all__ = ["markdown_notes"]

_HASHES: Final = re.compile(r"[ \t>]*(#+[^#\s]\S{0,30}|#{7,})")
_PIPE: Final = re.compile(r"(?<!\\)\|")


def markdown_notes(
    text: str, lines: Sequence[str], kinds: Sequence[LineKind], parsed: BlockState | None
) -> list[Note]:
    """Find the notes of a Markdown text, in the order of its lines."""
    refused = refusal(text)
    notes = [] if refused is None else [refused]
    if parsed is not None:
        found = (
            _from_parser(parsed),
            _from_blocks(parsed, lines, kinds),
            _from_prose(lines, kinds),
        )
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
            f"{underline - first} lines above the underline in line {underline + 1} are prose "
            "and no heading: only one line of text is",
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


def _from_prose(lines: Sequence[str], kinds: Sequence[LineKind]) -> Iterator[Note]:
    rows = 0
    for number, (line, kind) in enumerate(zip(lines, kinds, strict=True), start=1):
        hashes = _HASHES.match(line) if kind == "prose" and "#" in line else None
        if hashes:
            yield Note("no-heading", number, f"{hashes[1]!r} is no heading: no space after its #")
        rows = rows + 1 if kind == "prose" and line.lstrip(" \t>").startswith("|") else 0
        if rows == 2 and count_cells(line.strip(" \t>")):
            yield Note(
                "no-table",
                number - 1,
                "the rows of pipes are no table: the line under the first is no delimiter row "
                "of as many cells",
            )
