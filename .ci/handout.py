"""Make the course's handout with the installed package: `python handout.py COURSE FILE`.

COURSE is the folder that `python -m shape_magic notebooks` made. The page has a text, a view, a
comparison and cards, as a teacher would hand them out.
"""

import sys
from pathlib import Path

from shape_magic import LessonCard, compare, lesson_html, measure, measure_file

TITLE = "What the eight numbers see"

INTRODUCTION = """\
# What the eight numbers see

Two answers say the same and have the same length. An evaluator sees eight numbers of each.

| number | what it tells |
| --- | --- |
| `lead_chars` | how long the reader waits for the answer |
| `prose_chars` | how much of it is running text |
"""

CARD = """\
# Plan

#1 Use a queue.

2. publish
3. confirm

    # not yet

a | b
c | d
"""


def handout(data: Path) -> str:
    """Write the page."""
    wall, shaped = (measure_file(data / name) for name in ("wall.md", "shaped.md"))
    return lesson_html(
        [
            INTRODUCTION,
            compare(wall, shaped, names=("wall", "shaped")),
            "## Predict\n\nWrite your numbers down first.",
            LessonCard(measure(CARD), ask=("headings", "list_items", "table_rows")),
            LessonCard(measure_file(data / "plan.json")),
            "## A whole answer\n\nClick a number to see where it comes from.",
            measure_file(data / "recommendation.md"),
        ],
        title=TITLE,
    )


if __name__ == "__main__":
    course, file = map(Path, sys.argv[1:])
    file.write_text(handout(course / "data"), encoding="utf-8")
