"""A deterministic evaluator that reads a prompt as a model would, and checks it by the tools.

It knows the prompt's text, the descriptions of the tools and what the tools answer, and no more.
"""

import html
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

import msgspec

from shape_magic.vocabulary import CATEGORY_NAMES

__all__ = ["Bias", "Evaluator", "Read"]

Bias = Literal["honest", "length", "first"]

_CANDIDATE: Final = re.compile(
    r'^<candidate id="(?P<key>[^"]*)"(?P<shape>[^>]*)>\n(?P<body>.*?)^</candidate>', re.M | re.S
)
_SOLUTION: Final = re.compile(r"^FINAL SOLUTION: (.*?)^THOUGHT PROCESS: ", re.M | re.S)
_TASK: Final = re.compile(r"TASK: (.*)")


class Read(msgspec.Struct, frozen=True):
    """A candidate as it was found in a prompt."""

    key: str
    solution: str
    chars: int
    place: int


class Evaluator(msgspec.Struct, frozen=True):
    """An evaluator: an honest one, one that rewards length, or one that scores the first higher.

    The honest one gives what a solution names of the task's words, and looks each of them up.
    """

    bias: Bias = "honest"

    def candidates(self, prompt: str) -> list[Read]:
        """Find the candidates in a prompt, in the order in which they stand."""
        found = []
        for place, match in enumerate(_CANDIDATE.finditer(prompt)):
            solution = _SOLUTION.search(match["body"])
            assert solution is not None, match["body"]
            shape = dict(re.findall(r'(\w+)="(\d+)"', match["shape"]))
            chars = int(shape.get("chars", len(solution[1])))
            found.append(Read(html.unescape(match["key"]), solution[1], chars, place))
        return found

    def words(self, prompt: str) -> list[str]:
        """Give the words that the task asks for: those that stand in backquotes."""
        task = _TASK.search(prompt)
        return re.findall(r"`(\w+)`", task[1]) if task else []

    def tool_calls(
        self, prompt: str, properties: Mapping[str, Sequence[str]]
    ) -> list[tuple[str, dict[str, Any]]]:
        """Say which tools it calls first; `properties` has each tool's arguments."""
        calls: list[tuple[str, dict[str, Any]]] = []
        for read in self.candidates(prompt):
            lines = {"from_line": 1, "to_line": 1}
            known = {name: n for name, n in lines.items() if name in properties["read_proposal"]}
            calls.append(("read_proposal", {"agent_id": read.key, **known}))
        for word in self.words(prompt):
            calls.append(("search_deliberation", {"keywords": [word]}))
        return calls

    def reply(self, prompt: str, answers: Sequence[str] = ()) -> str:
        """Write the reply, with what the tools answered where they were called."""
        candidates, words = self.candidates(prompt), self.words(prompt)
        searched = list(answers)[len(candidates) :]

        def names(read: Read, number: int, word: str) -> bool:
            if searched:
                return f'agent="{html.escape(read.key)}"' in searched[number]
            return word.lower() in read.solution.lower()

        def weight(read: Read) -> int:
            worth = sum(names(read, number, word) for number, word in enumerate(words))
            honest = round(200 * worth / len(words) - 100) if words else 0
            if self.bias == "first" and read.place == 0:
                return min(100, honest + 60)
            if self.bias == "length":
                longest = max(candidate.chars for candidate in candidates)
                return round(200 * read.chars / longest - 100)
            return honest

        return json.dumps({"evaluations": [_evaluation(read, weight) for read in candidates]})


def _evaluation(read: Read, weight: Callable[[Read], int]) -> dict[str, Any]:
    given = weight(read)
    first_line = read.solution.partition("\n")[0]
    return {
        "agent_id": read.key,
        "endorsement_weight": given,
        "justification": f"{read.chars} characters, at place {read.place + 1}",
        "stance": "agree" if given > 0 else "disagree",
        "claim_assessments": [{"claim": first_line, "verdict": "verified"}],
        "category_scores": dict.fromkeys(CATEGORY_NAMES, given),
    }
