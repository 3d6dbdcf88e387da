"""A cell magic's body as it was typed.

IPython hands a cell magic a body that its own transforms went over: a first line that begins with
`>>> ` or `In [1]:` has lost that, and a final newline is appended. The event `pre_run_cell` has
the cell as typed. It is this call's cell just when IPython's transform of it is this call; under
`%%time`, say, it is not.
"""

from IPython.core.interactiveshell import InteractiveShell

from shape_magic.lines import split_lines_keeping_ends

__all__ = ["body_as_typed"]


def body_as_typed(
    shell: InteractiveShell, magic: str, line: str, cell: str, *, raw_cell: str | None
) -> str:
    """Give the body of the call `%%magic line` as typed; `cell` is what IPython handed over."""
    call = f"get_ipython().run_cell_magic({magic!r}, {line!r}, {cell!r})\n"
    if raw_cell is not None and shell.transform_cell(raw_cell) == call:
        lines = split_lines_keeping_ends(raw_cell)
        opening = next(number for number, text in enumerate(lines) if "%%" in text)
        return "".join(lines[opening + 1 :])
    return cell.removesuffix("\n")
