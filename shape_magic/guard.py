r"""The guard: what an agent wrote cannot pass for what the system wrote.

Where an agent's text stands inside an element of ours, each `<` that opens or closes one of our own
tags is written `&lt;`, and at the start of a line the words that open a candidate's parts have
their colon written `&#58;`. All else stays to the letter, since evaluators quote it. Text is cut
first and guarded after; what is stored and measured is never guarded.

White space and invisible characters, before, after or inside a name, hide nothing; letters that
look alike are not reached.
"""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from shape_magic.wording import BLANK, INVISIBLE

__all__ = ["TAGS", "WORDS", "OwnWords", "guarded", "own_words", "unguarded"]

TAGS: Final = (
    "candidate",
    "outline",
    "proposal",
    "your_proposal",
    "your_reply",
    "final_solution",
    "thought_process",
    "lines",
    "content",
    "evaluation",
    "claim",
    "think",
)
"""The names of all elements that prompts and tools write, and of a model's own thoughts."""
WORDS: Final = ("FINAL SOLUTION:", "THOUGHT PROCESS:")
"""The words that open the parts of a candidate, each at the start of a line."""

_UNSEEN: Final = f"[{BLANK}{INVISIBLE}]*+"
_UNSEEN_IN_LINE: Final = f"[{BLANK}{INVISIBLE}]".replace("\\n\\r", "")


def _letters(name: str, between: str) -> str:
    return between.join(re.escape(letter) for letter in name if letter != " ")


# A Hangul filler is a letter to Unicode, and yet invisible: it ends a name.
_NAME_ENDS: Final = f"(?![^\\W{INVISIBLE}]|[.:-])"
_NAMES: Final = "|".join(f"(?P<{name}>{_letters(name, _UNSEEN)})" for name in TAGS)
# Between two `<` each character is looked at once for each name with the same beginning, since
# what is unseen is taken at once and never given back: the time is linear.
_OWN_TAG: Final = re.compile(
    f"<(?={_UNSEEN}(?P<closes>/?){_UNSEEN}(?:{_NAMES}){_NAME_ENDS})", re.IGNORECASE
)
_OWN_WORDS: Final = re.compile("|".join(_letters(words, f"{_UNSEEN_IN_LINE}*+") for words in WORDS))
# Each of the words has this letter, and most texts do not.
_RARE: Final = "U"
# Nearly no text has a line that begins so, and to look for that costs less than half.
_MAY_BEGIN: Final = re.compile(
    f"\n{_UNSEEN_IN_LINE}*+(?:"
    + "|".join(_letters(words[:2], f"{_UNSEEN_IN_LINE}*+") for words in WORDS)
    + ")"
)
_UNSEEN_CHARACTER: Final = re.compile(_UNSEEN_IN_LINE)
_LINE_ENDING: Final = re.compile(r"\r\n|\r|\n")


class OwnWords(msgspec.Struct, frozen=True):
    """Words of ours that an agent wrote."""

    line: int
    words: str
    """As we write them: `</candidate>`, `FINAL SOLUTION:`."""


def guarded(text: str) -> str:
    """Write an agent's text so that it neither opens nor closes an element of ours.

    >>> print(guarded("a < b </ Candidate> <candidates> <li>"))
    a < b &lt;/ Candidate> <candidates> <li>
    >>> print(guarded("FINAL SOLUTION: none; FINAL SOLUTION: b"))
    FINAL SOLUTION&#58; none; FINAL SOLUTION: b
    """
    if "<" in text:
        text = _OWN_TAG.sub("&lt;", text)
    return _OWN_WORDS.sub(_with_colon_written, text)


def unguarded(text: str) -> str:
    """Undo the guarding for a comparison, of both sides: what is quoted, and what it is sought in.

    Every `&lt;` and `&#58;` is undone, also one that the agent wrote, so that a quotation may
    begin and end anywhere: `unguarded(guarded(text)) == unguarded(text)`.

    >>> unguarded("&lt;/candidate> a &lt; b")
    '</candidate> a < b'
    """
    return text.replace("&lt;", "<").replace("&#58;", ":")


def own_words(text: str) -> Iterator[OwnWords]:
    """Find what `guarded` would change, from first to last.

    >>> list(own_words("a\\n< /candidate >"))
    [OwnWords(line=2, words='</candidate>')]
    """
    found = []
    if "<" in text:
        found = [
            (match.start(), f"<{match['closes']}{match.lastgroup}>")
            for match in _OWN_TAG.finditer(text)
        ]
    if _RARE in text and ("\r" in text or _MAY_BEGIN.search("\n" + text)):
        found += [
            (match.start(), next(words for words in WORDS if words[0] == match[0][0]))
            for match in _OWN_WORDS.finditer(text)
            if _begins_line(text, match.start())
        ]
    line, before = 1, 0
    for position, words in sorted(found):
        line += len(_LINE_ENDING.findall(text, before, position))
        before = position
        yield OwnWords(line, words)


def _with_colon_written(match: re.Match[str]) -> str:
    if _begins_line(match.string, match.start()):
        return f"{match[0][:-1]}&#58;"
    return match[0]


def _begins_line(text: str, position: int) -> bool:
    while position and _UNSEEN_CHARACTER.match(text, position - 1):
        position -= 1
    return position == 0 or text[position - 1] in "\r\n"
