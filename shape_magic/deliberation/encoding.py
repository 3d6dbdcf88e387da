r"""Text and JSON as bytes, so that any `str` comes back equal.

A lone surrogate has no UTF-8 form, so SQLite and strict encoders refuse it, and JSON's escapes
would join two that follow one another. `surrogatepass` keeps every code point as it is.

>>> decoded(encoded("\ud83d\ude00 \x00")) == "\ud83d\ude00 \x00"
True
"""

import json
import re
from collections.abc import Sequence
from typing import Any, Final, NoReturn

from shape_magic.analyzers.json import fault
from shape_magic.wording import quoted

__all__ = [
    "MOST_NESTING",
    "decoded",
    "encoded",
    "json_line",
    "parse_json",
    "without_justification",
]

_ESCAPABLE: Final = re.compile("(?<![\ud800-\udbff])[\udc00-\udfff]|[\ud800-\udbff]")


def encoded(text: str) -> bytes:
    """Write any text as bytes."""
    return text.encode("utf-8", "surrogatepass")


def decoded(data: bytes) -> str:
    """Read what `encoded` wrote."""
    return data.decode("utf-8", "surrogatepass")


MOST_NESTING: Final = 128
"""How many arrays and objects may stand in one another, as in JSON that is measured."""


def parse_json(text: str) -> Any:
    """Parse JSON strictly; ValueError says in one line why that cannot be.

    A key that stands twice in an object is refused, and so is what nests deeper than 128, so that
    all that was parsed can be written again.
    """
    try:
        value = json.loads(
            text,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            object_pairs_hook=_each_key_once,
        )
        if _nests_too_deeply(value):
            raise RecursionError
        return value
    except json.JSONDecodeError as error:
        raise ValueError(f"no JSON: {fault(error)} at character {error.pos + 1}") from None
    except _RefusedError:
        raise
    except RecursionError:
        raise ValueError(
            f"no JSON that can be read: it nests too deeply, and the most is {MOST_NESTING}"
        ) from None
    except ValueError:
        # Python reads no integer of more than some thousand digits.
        raise ValueError("no JSON that can be read: an integer in it is too long") from None


def _each_key_once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for place, key in enumerate(keys) if key in keys[:place])
        raise _RefusedError(f"the key {quoted(twice)} stands twice in one object")
    return found


def _nests_too_deeply(value: object) -> bool:
    level = [value]
    for _ in range(MOST_NESTING):
        level = [
            inner
            for outer in level
            if isinstance(outer, (dict, list))
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return False
    return any(isinstance(inner, (dict, list)) for inner in level)


class _RefusedError(ValueError):
    """What is wrong with JSON, in words that are ours already."""


def _refuse_constant(name: str) -> NoReturn:
    raise _RefusedError(f"no JSON: {name} is no JSON number")


def _finite(spelt: str) -> float:
    number = float(spelt)
    if number in (float("inf"), float("-inf")):
        raise _RefusedError(f"no JSON that can be read: {spelt[:20]} is out of a float's range")
    return number


def json_line(value: object) -> bytes:
    r"""Write JSON in one line that comes back equal, in valid UTF-8 wherever that is possible.

    A lone surrogate is written as an escape. Of a high one that a low one follows, which a reader
    would join to another character, only the high one is; there the bytes are no valid UTF-8.

    >>> json_line("é \ud800")
    b'"\xc3\xa9 \\ud800"'
    >>> parse_json(decoded(json_line("\ud83d\ude00"))) == "\ud83d\ude00"
    True
    """
    written = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return encoded(_ESCAPABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", written))


def without_justification(wire: dict[str, Any]) -> tuple[bytes | None, bytes]:
    r"""Take an evaluation's justification out of its wire record, and write both.

    A justification that is null stays in the record, which tells it from one that is not there.

    >>> without_justification({"evaluation": {"score": 1, "justification": "Fine."}})
    (b'Fine.', b'{"evaluation": {"score": 1}}')
    """
    evaluation = wire["evaluation"]
    if evaluation.get("justification") is None:
        return None, json_line(wire)
    rest = {name: value for name, value in evaluation.items() if name != "justification"}
    return encoded(evaluation["justification"]), json_line({**wire, "evaluation": rest})
