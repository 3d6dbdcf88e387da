"""A cell magic's body as it was typed.

IPython hands a cell magic a body that its own transforms went over: a first line that begins with
`>>> ` or `In [1]:` has lost that, and a final newline is appended. The event `pre_run_cell` has
the cell as typed. It is this call's cell just when IPython's transform of it is this call; under
`%%time`, say, it is not.
"""

import re
from typing import Final

from IPython.core.interactiveshell import InteractiveShell

__all__ = ["body_as_typed"]

_OPENING: Final = re.compile(r"\s*(?:>>> |In \[\d+\]: )?\s*%%")


def body_as_typed(
    shell: InteractiveShell, magic: str, line: str, cell: str, *, raw_cell: str | None
) -> str:
    """Give the body of the call `%%magic line` as typed; `cell` is what IPython handed over."""
    call = f"get_ipython().run_cell_magic({magic!r}, {line!r}, {cell!r})\n"
    # A cell may also call the magic from code, and then there is no body to look for.
    if raw_cell is not None and shell.transform_cell(raw_cell) == call:
        # IPython cuts off its first line with `splitlines`, and so the same is cut off here.
        lines = raw_cell.splitlines(keepends=True)
        opening = next((n for n, text in enumerate(lines) if _OPENING.match(text)), None)
        if opening is not None:
            return "".join(lines[opening + 1 :])
    return cell.removesuffix("\n")
