r"""How text, JSON and measurements are turned into bytes, so that any `str` comes back equal.

A lone surrogate has no UTF-8 form, so SQLite and strict encoders refuse it, and JSON's escapes
would join two that follow one another. `surrogatepass` keeps every code point as it is.

>>> decoded(encoded("\ud83d\ude00 \x00")) == "\ud83d\ude00 \x00"
True
"""

import contextlib
import itertools
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NoReturn

from shape_magic.errors import StoreError
from shape_magic.shape import Anchor, Evidence, Meanings, Measurement, Note, Shape

__all__ = [
    "MOST_NESTING",
    "Columns",
    "damage_reported",
    "decoded",
    "decoded_json",
    "decoded_shape",
    "encoded",
    "json_line",
    "measurement_columns",
    "measurement_of",
    "parse_json",
]

Columns = Mapping[str, bytes | None]
"""A measurement as the columns of a table."""

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

    What nests deeper than 128 is refused, so that all that was parsed can be written again.
    """
    try:
        value = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)
        if _nests_too_deeply(value):
            raise RecursionError
        return value
    except json.JSONDecodeError as error:
        raise ValueError(f"no JSON: {error.msg} at character {error.pos + 1}") from None
    except _RefusedError:
        raise
    except RecursionError:
        raise ValueError(
            f"no JSON that can be read: it nests too deeply, and the most is {MOST_NESTING}"
        ) from None
    except ValueError:
        # Python reads no integer of more than some thousand digits.
        raise ValueError("no JSON that can be read: an integer in it is too long") from None


def _nests_too_deeply(value: object) -> bool:
    level = [value]
    for _ in range(MOST_NESTING):
        level = [
            inner
            for one in level
            if isinstance(one, (dict, list))
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return False
    return any(isinstance(one, (dict, list)) for one in level)


class _RefusedError(ValueError):
    """A number that JSON does not have, or that no float holds."""


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
    return encoded(_ESCAPABLE.sub(lambda one: f"\\u{ord(one[0]):04x}", written))


@contextlib.contextmanager
def damage_reported(what: str) -> Iterator[None]:
    """Turn what goes wrong in reading a column into StoreError."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise StoreError(f"the deliberation's file is damaged: {what} cannot be read") from error


def decoded_json(data: bytes) -> Any:
    """Read JSON as it was stored; what is damaged raises StoreError."""
    with damage_reported("a record"):
        return json.loads(decoded(data))


def decoded_shape(data: bytes) -> Shape:
    """Read a shape as a measurement's columns have it; what is damaged raises StoreError."""
    with damage_reported("a shape"):
        return Shape(*json.loads(data))


def measurement_columns(measurement: Measurement, *, content: str) -> Columns:
    """Write a measurement as the columns of a table, which are far smaller than itself.

    The readable form is left out where it is the content.
    """
    runs = [[kind, len(list(run))] for kind, run in itertools.groupby(measurement.kinds)]
    details = {
        "outline": [[one.line, one.label, one.last_line] for one in measurement.outline],
        "kinds": runs,
        "evidence": {
            name: [[one.first_line, one.last_line, one.amount] for one in items]
            for name, items in measurement.evidence.items()
        },
        "notes": [[one.code, one.line, one.message] for one in measurement.notes],
        "meanings": dict(measurement.meanings),
    }
    return {
        "kind": encoded(measurement.kind),
        "analyzer": encoded(measurement.analyzer),
        "shape": json_line(list(measurement.shape.as_dict().values())),
        "readable": None if measurement.text == content else encoded(measurement.text),
        "details": json_line(details),
    }


def measurement_of(
    *, kind: bytes, analyzer: bytes, shape: bytes, text: str, details: bytes
) -> Measurement:
    """Put a measurement together again from its columns and its readable form."""
    with damage_reported("a measurement"):
        plain = json.loads(decoded(details))
        return Measurement(
            kind=decoded(kind),
            analyzer=decoded(analyzer),
            shape=decoded_shape(shape),
            outline=tuple(Anchor(*one) for one in plain["outline"]),
            text=text,
            kinds=tuple(kind for kind, count in plain["kinds"] for _ in range(count)),
            evidence={
                name: tuple(Evidence(*one) for one in items)
                for name, items in plain["evidence"].items()
            },
            notes=tuple(Note(*one) for one in plain["notes"]),
            # A file of version 0.1.0 has none.
            meanings=Meanings(plain.get("meanings", {})),
        )
