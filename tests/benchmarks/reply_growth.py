"""How the cost of reading a reply grows with hostile text: ten times the text, how much the time.

    python -m tests.benchmarks.reply_growth

Each reply is made at four sizes, and all are read several times in one run, as a whole and in part;
the least time of each counts. Nothing is asserted.
"""

import argparse
import json
from collections.abc import Callable
from typing import Any, Final

from shape_magic.deliberation.reply import read_reply
from shape_magic.vocabulary import CATEGORY_NAMES
from tests.benchmarks.growth import counted, filled, print_growth

KEYS: Final = ("Ann", "Bob", "Cleo (model-x)")


def evaluation(agent_id: str = "Ann", **fields: Any) -> str:
    """Write one evaluation, whole."""
    given = {
        "agent_id": agent_id,
        "endorsement_weight": 10,
        "justification": "",
        "stance": "agree",
        "claim_assessments": [],
        "category_scores": dict.fromkeys(CATEGORY_NAMES, 0),
        **fields,
    }
    return json.dumps(given)


def whole(inside: str) -> str:
    """Write a reply around what stands in its list."""
    return f'{{"evaluations": [{inside}]}}'


def claims(claim: str, size: int) -> str:
    """Write a reply of one evaluation with many claims."""
    return whole(evaluation(claim_assessments=["CLAIMS"]).replace('"CLAIMS"', filled(claim, size)))


def nested(depth: int, size: int) -> str:
    """Write a reply as a string of JSON in a string of JSON, so many times."""
    text = whole(evaluation(justification="a" * (size // 2**depth)))
    for _ in range(depth):
        text = json.dumps({"arguments": text})
    return text


HOSTILE: Final[dict[str, Callable[[int], str]]] = {
    "a long justification": lambda size: whole(evaluation(justification="a" * size)),
    "escapes": lambda size: whole(evaluation(justification="\n" * (size // 2))),
    "unknown escapes": lambda size: whole(
        evaluation(justification="X").replace("X", filled("\\d", size))
    ),
    "raw line breaks": lambda size: whole(evaluation(justification="X").replace("X", "\n" * size)),
    "claims": lambda size: claims('{"claim": "a", "verdict": "wrong"},', size),
    "claims that are repaired": lambda size: claims("{'claim': 'a', 'verdict': 'Wrong',},", size),
    "claims that are wrong": lambda size: claims("{},", size),
    "evaluations of one": lambda size: whole(filled(evaluation() + ",", size)),
    "evaluations of nobody": lambda size: whole(counted(lambda n: evaluation(str(n)) + ",", size)),
    "different evaluations of one": lambda size: whole(
        counted(lambda n: evaluation(n=n) + ",", size)
    ),
    "a long evaluation and short ones": lambda size: whole(
        evaluation(justification="a" * (size // 2)) + "," + filled('{"agent_id":"Ann"},', size // 2)
    ),
    "evaluations that are empty": lambda size: whole(filled("{},", size)),
    "evaluations that are numbers": lambda size: whole(filled("1,", size)),
    "an object a line": lambda size: filled(evaluation() + "\n", size),
    "objects a line, all different": lambda size: counted(lambda n: evaluation(n=n) + "\n", size),
    "replies all different": lambda size: counted(lambda n: whole(evaluation(n=n)), size),
    "replies all alike": lambda size: filled(whole(evaluation()), size),
    "keyed by nobody": lambda size: (
        "{" + counted(lambda n: f'"{n}": {{"stance": 1}},', size) + '"Ann": {"stance": 1}}'
    ),
    "empty objects": lambda size: filled("{}", size),
    "empty objects after spaces": lambda size: " " * (size // 2) + filled("{} ", size // 2),
    "empty objects in a fence": lambda size: "```\n" + filled("{}\n", size) + "```",
    "empty objects in an open fence": lambda size: "```\n" + filled("{}\n", size),
    "evaluations in an open fence": lambda size: "```\n" + filled(evaluation() + "\nx\n", size),
    "fences": lambda size: filled("```\n", size),
    "fences with spaces": lambda size: filled("```\n" + " " * 90 + "\n", size),
    "a fence and spaces": lambda size: "```json" + filled(" ", size) + "\n{}```",
    "opening brackets": lambda size: filled("[", size),
    "opening braces": lambda size: filled("{", size),
    "keys that open": lambda size: filled('{"a":', size),
    "keys that open in quotes": lambda size: filled('{"a{":1,"a{":', size),
    "keys twice": lambda size: filled("{a:1,a:", size),
    "keys without quotes": lambda size: "{" + filled("a", size) + ":1}",
    "many keys without quotes": lambda size: "{" + counted(lambda n: f"a{n}:1,", size) + "}",
    "many long keys without quotes": lambda size: filled("{" + "a" * 900 + " ", size),
    "comments with quotes": lambda size: filled('[//"', size),
    "comments with quotes on lines": lambda size: filled('[//"\n', size),
    "comments": lambda size: "[" + filled("//a\n", size) + "]",
    "open comments": lambda size: filled("[/*", size),
    "closed comments with quotes": lambda size: filled('[/*"*/', size),
    "a comment after brackets": lambda size: filled("[#", size // 2) + '"' + "a" * (size // 2),
    "stars in comments": lambda size: "[/*" + filled("*", size) + "*/]",
    "other spaces": lambda size: "[" + filled("\u00a0\t", size) + "]",
    "spaces": lambda size: "[" + filled(" ", size) + "x",
    "spaces after brackets": lambda size: filled("[" + " " * 99, size),
    "open strings": lambda size: filled('["', size),
    "open strings in single quotes": lambda size: filled("['", size),
    "open strings in typographic quotes": lambda size: filled("[\u201c", size),
    "strings that end too early": lambda size: filled('["a"b', size),
    "digits": lambda size: "[" + filled("1", size) + "]",
    "broken numbers": lambda size: filled("[1.", size),
    "long broken numbers": lambda size: filled("[" + "1" * 900 + "x", size),
    "words": lambda size: filled("[abc", size),
    "one word": lambda size: "[" + filled("a", size),
    "broken pieces that name a field": lambda size: filled("{evaluations: x ", size),
    "fields and spaces": lambda size: "{x " + filled("evaluations" + " " * 99, size),
    "fields and quotes": lambda size: "{x " + filled("agent_id" + "'" * 99, size),
    "thoughts": lambda size: "<think>" + filled("a", size) + "</think>" + whole(evaluation()),
    "open thoughts": lambda size: filled("<think>", size),
    "half a tag": lambda size: whole(evaluation()) + filled("<think ", size),
    "tags of spaces": lambda size: whole(evaluation()) + filled("<" + " " * 99, size),
    "a string in a string": lambda size: nested(1, size),
    "strings in strings": lambda size: nested(5, size),
    "strings of brackets": lambda size: json.dumps({"arguments": filled("[", size)}),
    "many strings": lambda size: '{"a": [' + filled('{"arguments": "{}"},', size) + "]}",
    "a string of a reply": lambda size: json.dumps(whole(evaluation(justification="a" * size))),
    "quotes and backslashes": lambda size: '"' + filled("\\\\", size) + '"',
    "wrappers": lambda size: filled('{"result": [', 1_200) + " " * size,
    "line endings": lambda size: filled("\r", size) + whole(evaluation()),
}
"""Replies that a model may write, or quote, and that could slow reading down, by name."""


def read(text: str) -> None:
    """Read a reply as a whole and in part."""
    for partial in (False, True):
        read_reply(text, keys=KEYS, own="Me", partial=partial)


def main(arguments: list[str] | None = None) -> None:
    """Print a row for each reply."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--size", type=int, default=1_000_000, help="characters (1,000,000)")
    parser.add_argument("--times", type=int, default=3, help="read this often each (3)")
    options = parser.parse_args(arguments)
    print_growth(HOSTILE, read, size=options.size, times=options.times)


if __name__ == "__main__":
    main()
