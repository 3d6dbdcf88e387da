"""Texts of many kinds, and lines that open something, to try analyzers with."""

import random
from collections.abc import Iterator, Sequence
from typing import Final

from shape_magic.lines import split_lines_keeping_ends

__all__ = ["OPENERS", "SAMPLES", "WALL", "mutations"]

WALL: Final = """\
The queue keeps the orders that came in, and nobody waits for the lock any more.
It was measured over a week, and the mean delay fell from seconds to milliseconds.

What remains is the report at night, which reads all of the orders one by one.
It may be moved to the replica, where nothing else is written.

In short, the change is worth its price.
"""
"""Three paragraphs of running text, without any mark-up."""

SAMPLES: Final = (
    "",
    "\n",
    "a",
    " \t\n\n",
    WALL,
    "# Title\n\nLead.\n\n## Part\n\n- one\n- two\n  more\n\n```py\nx = 1\n```\n\n"
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "Title\n=====\n\n1. one\n2. two\n\n> quoted\n\n    indented\n",
    '{"plan": ["publish", {"write": "a\\nb"}], "risk": null, "empty": {}}',
    '[\n  1,\n  "two",\n  [3]\n]\n',
    "--- a/export.py\n+++ b/export.py\n@@ -1,3 +1,3 @@\n-lock(table)\n+queue.publish(order)\n"
    " write(order)\n \n@@ -9 +9 @@ def end():\n-unlock(table)\n+acknowledge()\n"
    "--- a/README\n+++ b/README\n@@ -1 +1 @@\n-locks\n+no lock\n",
    "diff --git a/q.sql b/q.sql\nindex 1..2 100644\n--- a/q.sql\n+++ b/q.sql\n"
    "@@ -1,2 +1 @@\n--- a comment\n select 1;\n\\ No newline at end of file\n",
    '"""A module."""\n\nimport re\n\n\nclass Queue:\n    """Keeps orders."""\n\n'
    "    def publish(self, order):\n        # at once\n        return order\n\n\n"
    "def main():\n    print('x')\n",
    "---\ntitle: Report\ntags: [a, b]\n---\n\n# Report\n\nText.\n",
    "name: queue\nsteps:\n  - publish\n  - write: |\n      many\n      lines\n",
    '<?xml version="1.0"?>\n<report>\n  <title>Queue</title>\n  <p>Running text.</p>\n'
    "  <!-- a comment -->\n</report>\n",
    "a,b,c\n1,2,3\n4,5,6\n",
    "SELECT a\nFROM b\nWHERE c = 1;\n",
)

OPENERS: Final = (
    *("# a", "---", "--- ", "--- a", "+++ b", "@@ -1 +1 @@", "diff --git a/x b/x", "```", "~~~"),
    *("- a", "1. a", "> a", "| a |", "{", "[", "{}", "[]", '{"a":', "<a>", "<?xml version='1.0'?>"),
    *("<!--", "<!DOCTYPE a>", "%YAML 1.2", "a: b", "- a: b", "import os", "def a():", "class A:"),
    *('"""', "#!/bin/sh", "#!/usr/bin/env python3", "SELECT 1;", "a,b,c", "\\begin{a}", "=begin"),
    *("[section]", "BEGIN", "/*", "//", "%", "%%", "@startuml", "digraph {", "graph TD"),
)
"""Lines that begin one kind of content or another."""

# Python's own `splitlines` ends lines at some of these, and the line model at none.
_ODD: Final = ("\x00", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\ufeff", "\ud800", "\u202e")

_LINES: Final = (
    *("", " ", "\t", *_ODD, "é" * 80, "x" * 2000),
    *OPENERS,
)


def mutations(text: str, *, count: int) -> Iterator[str]:
    """Give variants of a text, always the same ones: lines left out, doubled, moved, replaced."""
    # A generator of its own, so that neither order nor number of calls changes what is tried.
    chance = random.Random(text.encode("utf-8", "surrogatepass"))
    lines = split_lines_keeping_ends(text)
    if not lines:
        return
    for odd in _ODD:
        place = chance.randrange(len(lines))
        end = len(lines[place].rstrip("\r\n"))
        changed = f"{lines[place][:end]}{odd}{lines[place][end:]}"
        yield "".join([*lines[:place], changed, *lines[place + 1 :]])
    for _ in range(count):
        yield "".join(_changed(list(lines), chance))


def _changed(lines: list[str], chance: random.Random) -> Sequence[str]:
    for _ in range(chance.choice((1, 1, 2, 3))):
        if not lines:
            return lines
        place = chance.randrange(len(lines))
        match chance.randrange(7):
            case 0:
                del lines[place]
            case 1:
                lines.insert(place, lines[place])
            case 2:
                lines = lines[:place]
            case 3:
                lines = lines[place:]
            case 4:
                lines[place] = chance.choice(_LINES) + "\n"
            case 5:
                lines.insert(place, chance.choice(_LINES) + "\n")
            case _:
                line = lines[place]
                cut = chance.randrange(len(line) + 1)
                lines[place] = line[:cut] + line[cut + 1 :]
    return lines
