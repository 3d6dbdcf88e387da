"""Notes that hold for every kind of content, whatever the analyzer."""

import re
from typing import Final

from shape_magic.lines import split_lines
from shape_magic.shape import Measurement, Note

__all__ = ["general_notes"]

_PROMPT_TAG: Final = re.compile(
    r"</?(?:candidate|outline|proposal|final_solution|thought_process|lines)\b|"
    r"FINAL SOLUTION:|THOUGHT PROCESS:"
)
_FURTHER_ANCHOR: Final = re.compile(r" \| L[0-9]+ ")


def general_notes(measurement: Measurement) -> list[Note]:
    """Find what may mislead a reader of the prompt.

    The solution stands raw in the prompt, since evaluators quote it to the letter, and a label
    keeps its ` | `: both are named here and changed nowhere.
    """
    notes = [
        Note(
            "label-like-anchors",
            anchor.line,
            f"the label of L{anchor.line} reads like further anchors",
        )
        for anchor in measurement.outline
        if _FURTHER_ANCHOR.search(anchor.label)
    ]
    if _PROMPT_TAG.search(measurement.text):
        for number, line in enumerate(split_lines(measurement.text), start=1):
            if match := _PROMPT_TAG.search(line):
                notes.append(
                    Note("prompt-tag", number, f"the solution holds the prompt's own {match[0]!r}")
                )
    return notes
