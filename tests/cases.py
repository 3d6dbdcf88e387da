"""Read the cases in `tests/cases/*.md`.

A case is a title, an input and what is expected, each ended by a line that is a single dot. A
title that ends with `[escaped]` has a Python string literal for its input. What is expected is a
line of figures (those left out are 0), then as needed `outline:`, `kinds:` (a letter a line),
`ends:` (the anchors' last lines) and `notes:` (code@line). Whatever stands between the cases is
prose.
"""

import ast
from pathlib import Path
from typing import NamedTuple

from shape_magic.prompting.candidate import outline_element
from shape_magic.shape import Measurement
from shape_magic.wording import visible

FOLDER = Path(__file__).parent / "cases"


class Case(NamedTuple):
    """One case: where it stands, what is measured and what is expected."""

    name: str
    text: str
    expected: list[str]


def read_cases(path: Path) -> list[Case]:
    """Read all cases of a file."""
    cases = []
    lines = path.read_text(encoding="utf-8").split("\n")
    dots = [number for number, line in enumerate(lines) if line == "."]
    for begin, middle, end in zip(dots[::3], dots[1::3], dots[2::3], strict=True):
        title = lines[begin - 1]
        text = "".join(f"{line}\n" for line in lines[begin + 1 : middle])
        if title.endswith("[escaped]"):
            text = ast.literal_eval(text)
        cases.append(Case(f"{path.stem}:{begin} {title}", text, lines[middle + 1 : end]))
    return cases


def describe(measurement: Measurement, *, fields: set[str]) -> list[str]:
    """Write a measurement as the cases write what is expected, with the fields that one asks for.

    Outline and notes are always written where there are any, so that a case that leaves them out
    says that there are none.
    """
    figures = [f"{name}={n}" for name, n in measurement.shape.as_dict().items() if n]
    described = [" ".join(figures)] if figures else []
    if measurement.outline:
        outline = visible(outline_element(measurement))
        described.append(f"outline: {outline[len('<outline>') : -len('</outline>')]}")
    if "kinds" in fields:
        described.append("kinds: " + "".join(kind[0] for kind in measurement.kinds))
    if "ends" in fields:
        described.append("ends: " + " ".join(str(a.last_line) for a in measurement.outline))
    if measurement.notes:
        notes = " ".join(f"{note.code}@{note.line}" for note in measurement.notes)
        described.append(f"notes: {notes}")
    return described


def fields_of(expected: list[str]) -> set[str]:
    """Give the names of the fields that a case asks for."""
    return {line.split(":")[0] for line in expected if ":" in line}
