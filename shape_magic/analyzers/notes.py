"""Notes that hold for every kind of content, and how many of one kind there may be."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from shape_magic.lines import split_lines
from shape_magic.shape import Measurement, Note

__all__ = ["NOTES_PER_CODE", "general_notes", "limited"]

NOTES_PER_CODE: Final = 20
"""How many notes of one code a measurement has; the last of them counts the others."""

_PROMPT_TAG: Final = re.compile(
    r"<(/?(?:candidate|outline|proposal|final_solution|thought_process|lines|evaluation))\b|"
    r"FINAL SOLUTION:|THOUGHT PROCESS:"
)
_FURTHER_ANCHOR: Final = re.compile(r" \| L[0-9]+ ")


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
    """Find what may mislead a reader of the prompt.

    The solution stands raw in the prompt, since evaluators quote it to the letter, and a label
    keeps its ` | `: both are named here and changed nowhere.
    """
    return limited(_general_notes(measurement))


def _general_notes(measurement: Measurement) -> Iterator[Note]:
    for anchor in measurement.outline:
        if _FURTHER_ANCHOR.search(anchor.label):
            message = f"the label of L{anchor.line} reads like further anchors"
            yield Note("label-like-anchors", anchor.line, message)
    if _PROMPT_TAG.search(measurement.text):
        for number, line in enumerate(split_lines(measurement.text), start=1):
            if match := _PROMPT_TAG.search(line):
                tag = f"<{match[1]}>" if match[1] else match[0]
                yield Note("prompt-tag", number, f"the solution holds the prompt's own {tag}")
