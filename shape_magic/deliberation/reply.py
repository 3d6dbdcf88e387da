r"""Finding the JSON in a model's reply: bare, in a fence or with words around it.

>>> print(reply_object('Sure:\n```json\n{"evaluations": []}\n```\nDone.'))
{'evaluations': []}
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from shape_magic.deliberation.encoding import parse_json
from shape_magic.errors import ReplyError
from shape_magic.wording import quoted

__all__ = ["FAILURES", "refused", "reply_object"]

# Numbers stay text here: this finds where an object is, and `parse_json` reads it.
_LOCATE: Final = json.JSONDecoder(parse_int=str, parse_float=str)
_OPENING: Final = re.compile(r'\{[ \t\n\r]*["}]')

FAILURES: Final = 500
"""How many openings of objects that are none are passed over, so that no reply takes minutes."""


def reply_object(text: str) -> Mapping[str, Any]:
    """Find the one JSON object with `evaluations` in a reply.

    ReplyError where there is none, or more than one: which of them is meant is not guessed, since
    a reply may quote what a candidate wrote.
    """
    spans, failure = _objects_with_evaluations(text)
    if not spans:
        raise refused([f"it has no JSON object with 'evaluations'{failure}"])
    if len(spans) > 1:
        raise refused([f"it has {len(spans)} JSON objects with 'evaluations', and one is wanted"])
    start, end = spans[0]
    try:
        json.loads(text[start:end], object_pairs_hook=_check_keys)
        reply: Mapping[str, Any] = parse_json(text[start:end])
    except ValueError as error:
        raise refused([str(error)]) from None
    return reply


def _objects_with_evaluations(text: str) -> tuple[list[tuple[int, int]], str]:
    """Give where the objects are, and how far the one came that cannot be read."""
    spans = []
    failure, furthest, failures = "", -1, 0
    opening = _OPENING.search(text)
    while opening and failures < FAILURES:
        start, end = opening.start(), opening.start() + 1
        try:
            value, end = _LOCATE.raw_decode(text, start)
        except json.JSONDecodeError as error:
            failures += 1
            if error.pos > furthest and text.find('"evaluations"', start, error.pos) >= 0:
                failure, furthest = f" that can be read: {error.msg} at {_place(error)}", error.pos
        except RecursionError:
            failures += 1
            failure, furthest = " that can be read: it nests too deeply", len(text)
        else:
            if "evaluations" in value:
                spans.append((start, end))
        opening = _OPENING.search(text, end)
    if opening:
        # What is left may hold another reply, so none is taken.
        return [], f" that can be told from {failures:,} pieces of JSON that are not closed"
    return spans, failure


def _place(error: json.JSONDecodeError) -> str:
    return f"line {error.lineno}, character {error.colno}"


def _check_keys(pairs: Sequence[tuple[str, object]]) -> None:
    keys: set[str] = set()
    for key, _ in pairs:
        if key in keys:
            raise ValueError(f"the key {quoted(key)} stands twice in one object")
        keys.add(key)


def refused(problems: Iterable[str]) -> ReplyError:
    """Make the error that names every problem of a reply."""
    named = tuple(problems)
    return ReplyError(f"nothing of the reply was taken: {'; '.join(named)}", problems=named)
