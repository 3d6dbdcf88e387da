"""How much faster two started worker processes measure many texts than one.

    python tests/benchmarks/many_texts.py [--texts FILE.jsonl] [--repeats 5]

Both pools are started and warmed before the clock runs; they take turns, and the best of several
turns counts. A file has one JSON object a line, with the text under "text"; without one, Markdown
is made here, the same on every machine.
"""

import argparse
import json
import random
import time
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from shape_magic.bulk import measure_many


def made_texts(count: int = 1_500) -> list[str]:
    """Make answers of the usual mixture: paragraphs, lists, code and a table here and there."""
    random_one = random.Random(1)
    words = [
        "the",
        "a",
        "model",
        "answer",
        "latency",
        "because",
        "index",
        "query",
        "which",
        "holds",
        "more",
        "than",
        "one",
        "line",
    ]

    def sentence() -> str:
        return " ".join(random_one.choices(words, k=random_one.randint(6, 22))).capitalize() + "."

    blocks = [
        lambda: " ".join(sentence() for _ in range(random_one.randint(1, 5))),
        lambda: "\n".join(f"- {sentence()}" for _ in range(random_one.randint(2, 7))),
        lambda: "```python\n" + "\n".join(f"x = {n}" for n in range(8)) + "\n```",
        lambda: "| a | b |\n| - | - |\n" + "\n".join(f"| {n} | {sentence()} |" for n in range(4)),
        lambda: "## " + sentence()[:-1],
    ]
    return [
        "\n\n".join(random_one.choice(blocks)() for _ in range(random_one.randint(3, 20))) + "\n"
        for _ in range(count)
    ]


def read_texts(path: Path) -> list[str]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]


def seconds(texts: list[str], executor: Executor | None) -> float:
    start = time.perf_counter()
    for _ in measure_many(texts, executor=executor, progress=False):
        pass
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, help="JSON Lines with a text under 'text'")
    parser.add_argument("--repeats", type=int, default=5, help="turns, of which the best counts")
    options = parser.parse_args()
    texts = read_texts(options.texts) if options.texts else made_texts()
    with ExitStack() as stack:
        ways: dict[str, Executor | None] = {
            "the calling process": None,
            "one worker process": stack.enter_context(ProcessPoolExecutor(1)),
            "two worker processes": stack.enter_context(ProcessPoolExecutor(2)),
        }
        for executor in ways.values():
            seconds(texts[:200], executor)
        turns = [
            {way: seconds(texts, executor) for way, executor in ways.items()}
            for _ in range(options.repeats)
        ]
    best = {way: min(turn[way] for turn in turns) for way in ways}
    chars = sum(len(text) for text in texts)
    print(f"{len(texts):,} texts, {chars:,} characters, best of {options.repeats}")  # noqa: T201
    for way, time_taken in best.items():
        rate = len(texts) / time_taken
        print(f"{way:>20}: {time_taken:6.2f} s {rate:9,.0f} texts/s")  # noqa: T201
    ratio = best["one worker process"] / best["two worker processes"]
    print(f"two workers are {ratio:.2f} times as fast as one")  # noqa: T201


if __name__ == "__main__":
    main()
