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

_TAGS: Final = "candidate|outline|proposal|final_solution|thought_process|lines|content|evaluation"
_PROMPT_TAG: Final = re.compile(rf"<\s*(/?)\s*({_TAGS})\b", re.IGNORECASE)
_PROMPT_WORDS: Final = re.compile("FINAL SOLUTION:|THOUGHT PROCESS:")
# Also at either end of a label: the outline's own ` | ` stands before and after it.
_FURTHER_ANCHOR: Final = re.compile(r"(?:^|\s)\|\s*L[0-9]+\b")


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
    text = measurement.text
    if _PROMPT_TAG.search(text) or _PROMPT_WORDS.search(text):
        for number, line in enumerate(split_lines(text), start=1):
            if tag := _PROMPT_TAG.search(line):
                own = f"<{tag[1]}{tag[2]}>"
            elif words := _PROMPT_WORDS.search(line):
                own = words[0]
            else:
                continue
            yield Note("prompt-tag", number, f"the solution holds the prompt's own {own}")
