"""Notes: where a figure may surprise a careful reader.

Some hold for every kind of content. The others are Markdown's: text that looks like structure and
is not, or the other way round.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from shape_magic.analyzers.commonmark import (
    MAX_NESTING,
    BlockState,
    count_cells,
    delimiter_cells,
    split_cells,
)
from shape_magic.guard import own_words
from shape_magic.lines import split_lines
from shape_magic.shape import Measurement, Note
from shape_magic.vocabulary import LineKind
from shape_magic.wording import count_invisible, plural, without_invisible

__all__ = ["NOTES_PER_CODE", "general_notes", "limited", "markdown_notes"]

NOTES_PER_CODE: Final = 20
"""How many notes of one code a measurement has; the last of them counts the others."""

LONG_LINE: Final = 120
"""A heading or a table's cell of more characters hides prose."""

LONG_ITEM: Final = 500
"""A list item's line of more characters hides prose."""

# Also at either end of a label: the outline's own ` | ` stands before and after it.
_FURTHER_ANCHOR: Final = re.compile(r"(?:^|\s)\|\s*L[0-9]+\b")

_MARKERS: Final = re.compile(r"(?:[ \t]*+(?:>|[-+*](?=[ \t])|[0-9]{1,9}[.)](?=[ \t])))*+[ \t]*+")
_PIPE: Final = re.compile(r"(?<!\\)\|")


def limited(notes: Iterable[Note]) -> list[Note]:
    """Keep the first notes of each code, and say in the last of them how many more there are.

    >>> [note.message for note in limited(Note("c", n, "m") for n in range(1, 23))][-1]
    'm (and 2 more like it)'
    """
    kept: list[Note] = []
    counts: Counter[str] = Counter()
    last: dict[str, int] = {}
    for note in notes:
        counts[note.code] += 1
        if counts[note.code] <= NOTES_PER_CODE:
            last[note.code] = len(kept)
            kept.append(note)
    for code, count in counts.items():
        if count > NOTES_PER_CODE:
            note = kept[last[code]]
            message = f"{note.message} (and {count - NOTES_PER_CODE:,} more like it)"
            kept[last[code]] = msgspec.structs.replace(note, message=message)
    return kept


def general_notes(measurement: Measurement) -> list[Note]:
    """Find what may mislead a reader of the prompt, whatever the kind of content.

    A label keeps its ` | `, and what is stored is never changed: both are named here.
    """
    notes: list[Note] = []
    for anchor in measurement.outline:
        if "|" in anchor.label and _FURTHER_ANCHOR.search(without_invisible(anchor.label)):
            message = f"the label of L{anchor.line} reads like further anchors"
            notes.append(Note("label-like-anchors", anchor.line, message))
    text = measurement.text
    told = 0
    for own in own_words(text):
        if own.line > told:
            message = f"the solution holds the prompt's own {own.words}"
            notes.append(Note("prompt-tag", own.line, message))
            told = own.line
    if count := count_invisible(text):
        notes.append(_invisible(text, count))
    return limited(notes) if notes else notes


def _invisible(text: str, count: int) -> Note:
    first = next(
        number for number, line in enumerate(split_lines(text), 1) if count_invisible(line)
    )
    message = (
        "a character shows as nothing, or joins nothing"
        if count == 1
        else f"{count:,} characters show as nothing, or join nothing, the first of them here"
    )
    return Note("invisible-characters", first, message)


def markdown_notes(
    source: str,
    lines: Sequence[str],
    kinds: Sequence[LineKind],
    parsed: BlockState | None,
    *,
    refused: Note | None,
) -> list[Note]:
    """Find the notes of a Markdown text, in the order of its lines.

    `refused` says why the text is not JSON, where it looks like it.
    """
    notes = [] if refused is None else [refused]
    if parsed is not None:
        notes += _from_parser(parsed)
        notes += _from_blocks(parsed, lines, kinds)
        if "list" in kinds and max(map(len, lines)) > LONG_ITEM:
            notes += _hidden_in_lists(lines, kinds)
    if "#" in source or "|" in source:
        notes += _from_prose(parsed, lines, kinds)
    return sorted(limited(notes), key=lambda note: note.line) if notes else notes


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
        if block.kind == "heading":
            length = len(parsed.texts[block.first])
            if length > LONG_LINE:
                yield _hiding(block.first, f"the heading has {length:,} characters")
        elif block.kind == "fence":
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
            for number in range(block.first, block.end):
                if len(lines[number]) > LONG_LINE:
                    cells = split_cells(parsed.texts[number])
                    length = max((len(cell.strip(" \t")) for cell in cells), default=0)
                    if length > LONG_LINE:
                        yield _hiding(number, f"a cell of the table has {length:,} characters")
    if fences == 1 and all(
        kind == "code" or not line.strip(" \t") for kind, line in zip(kinds, lines, strict=True)
    ):
        yield Note("fenced-document", 1, "the whole document stands inside one fence")


def _hidden_in_lists(lines: Sequence[str], kinds: Sequence[LineKind]) -> Iterator[Note]:
    for line, (text, kind) in enumerate(zip(lines, kinds, strict=True)):
        if kind == "list" and len(text) > LONG_ITEM:
            yield _hiding(line, f"the line of a list has {len(text):,} characters")


def _hiding(line: int, what: str) -> Note:
    return Note("hidden-prose", line + 1, f"{what}, which prose_chars does not count")


def _from_prose(
    parsed: BlockState | None, lines: Sequence[str], kinds: Sequence[LineKind]
) -> Iterator[Note]:
    blocks = [] if parsed is None else parsed.opaque
    opaque = {line for first, end in blocks for line in range(first, end)}
    previous: tuple[str, bool] | None = None
    for index, (line, kind) in enumerate(zip(lines, kinds, strict=True)):
        if ("#" not in line and "|" not in line) or kind not in {"prose", "list"}:
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
            f"the rows of pipes are no table: the first has {plural(cells, 'cell')} and the "
            f"delimiter row under it {delimiters}"
        )
    return (
        "the rows of pipes are no table: a paragraph's first delimiter row alone is tried, and it "
        "was refused"
    )
