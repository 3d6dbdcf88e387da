r"""How text travels between the kernel and a page, so that any text survives.

A Jupyter message is JSON in UTF-8, which has no form for a lone surrogate: the kernel fails to
send a str that holds one (`UnicodeEncodeError`), or sends bytes that are no UTF-8. So text goes
as JSON inside of the JSON, in ASCII, where every code unit has its escape.

One thing is lost: a str that holds a high and a low surrogate side by side as two characters is
one character in a page, since JavaScript's strings are UTF-16.
"""

import json
from typing import Any

__all__ = ["from_wire", "to_wire"]


def to_wire(value: object) -> str:
    r"""Write a value as JSON in ASCII.

    >>> to_wire("\ud800")
    '"\\ud800"'
    """
    return json.dumps(value, separators=(",", ":"))


def from_wire(written: str) -> Any:
    r"""Read what `to_wire`, or JavaScript's `JSON.stringify`, wrote.

    >>> from_wire('"\\ud800"') == "\ud800"
    True
    """
    return json.loads(written)
