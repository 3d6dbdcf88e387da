"""How much faster two started worker processes measure many texts than one.

    python -m tests.benchmarks.many_texts [--answers FILE.jsonl] [--repeats 5]

Both pools are started and warmed before the clock runs; they take turns, and the best of several
turns counts.
"""

import argparse
import time
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import ExitStack

from shape_magic.bulk import measure_many
from tests.benchmarks.texts import add_option, read_or_make


def seconds(texts: list[str], executor: Executor | None) -> float:
    start = time.perf_counter()
    for _ in measure_many(texts, executor=executor, progress=False):
        pass
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_option(parser)
    parser.add_argument("--repeats", type=int, default=5, help="turns, of which the best counts")
    options = parser.parse_args()
    texts = read_or_make(options.answers)
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
