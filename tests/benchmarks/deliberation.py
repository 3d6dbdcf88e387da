"""How a deliberation of many proposals answers: `python -m tests.benchmarks.deliberation`.

It makes 10,000 proposals of 2 kB with two evaluations each in a file, and prints how long it takes
to open it, to read lines of one proposal, to list agents, to sum all rounds up, and to search them
all, beside a plain scan of the same texts in Python; then how long it takes to take the same in as
a transcript, and the memory for that.
"""

# ruff: noqa: T201 (a benchmark prints its table)

import argparse
import contextlib
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from shape_magic.analyzers.registry import default_registry
from shape_magic.deliberation.database import Database
from shape_magic.deliberation.deliberation import Deliberation
from shape_magic.deliberation.records import ClaimAssessment, Evaluation, EvaluationEntry
from shape_magic.deliberation.store import Store, measurement_columns
from shape_magic.vocabulary import CATEGORY_NAMES

PASSAGE = (
    "the a of and with when because request answer queue latency cost table cache index worker "
    "Kafka retry deploy measure reader outline number shape round agent proposal evidence"
)
WORDS = PASSAGE.split()
AGENTS = 100
JUDGES = ("Judge A", "Judge B")
JUSTIFICATION = "The plan names its costs and says what would fail first. " * 8
DISTINCT_TEXTS = 200


def solution(random_: random.Random, *, size: int) -> str:
    """Write a Markdown answer of about the given number of characters."""
    parts = ["Start with a queue.\n"]
    while sum(map(len, parts)) < size:
        words = " ".join(random_.choices(WORDS, k=40))
        parts.append(f"\n## {words[:20]}\n\n{words}.\n\n- {words[:50]}\n- {words[50:90]}\n")
    return "".join(parts)[:size]


def fill(path: Path, *, count: int, size: int) -> list[str]:
    """Store proposals in a file. Only some of their texts are measured, to spare the time."""
    random_ = random.Random(7)
    texts = [solution(random_, size=size) for _ in range(DISTINCT_TEXTS)]
    measured = [
        measurement_columns(default_registry().measure(text), content=text) for text in texts
    ]
    with contextlib.closing(Database(path)) as database, database.transaction():
        store = Store(database)
        for number in range(count):
            row = store.propose(
                f"Agent {number % AGENTS} (model)",
                measured[number % DISTINCT_TEXTS],
                round=number // AGENTS,
                content=texts[number % DISTINCT_TEXTS],
                thoughts="",
            )
            entries = [evaluation(judge, texts[number % DISTINCT_TEXTS]) for judge in JUDGES]
            store.add_evaluations(row.id, entries)
    # A text of its own for each, as the database has.
    return [
        text.encode().decode()
        for number in range(count)
        for text in (texts[number % DISTINCT_TEXTS], *[JUSTIFICATION] * len(JUDGES))
    ]


def evaluation(judge: str, text: str) -> EvaluationEntry:
    """Write an evaluation as a model does: some sentences, three claims, six scores."""
    claims = tuple(
        ClaimAssessment(claim=text[place : place + 80], verdict="verified")
        for place in (0, 100, 200)
    )
    return EvaluationEntry(
        evaluator_agent_id=judge,
        evaluation=Evaluation(
            score=0.25,
            justification=JUSTIFICATION,
            stance="agree",
            claim_assessments=claims,
            category_scores=dict.fromkeys(CATEGORY_NAMES, 40.0),
        ),
    )


def best_of(times: int, work: Callable[[], object]) -> float:
    """Give the shortest of several runs, in seconds."""

    def timed() -> float:
        begin = time.perf_counter()
        work()
        return time.perf_counter() - begin

    return min(timed() for _ in range(times))


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="how many proposals")
    parser.add_argument("--size", type=int, default=2_000, help="characters of each")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "deliberation.db")
        begin = time.perf_counter()
        texts = fill(path, count=options.count, size=options.size)
        filled = time.perf_counter() - begin
        print(
            f"{options.count:,} proposals of {options.size:,} characters, stored in {filled:.1f} s"
        )
        print(f"{path.stat().st_size / 1e6:,.0f} MB")

        opened = best_of(3, lambda: Deliberation.open(path).close())
        print(f"open                       {opened * 1e3:10.2f} ms")
        last = (options.count - 1) // AGENTS
        with Deliberation.open(path) as deliberation:
            rows = [
                (
                    "read lines, exact id",
                    lambda: deliberation.read_proposal(
                        "Agent 7 (model)", round=last // 2, from_line=3, to_line=9
                    ),
                ),
                (
                    "read lines, by name",
                    lambda: deliberation.read_proposal("agent 7", from_line=3, to_line=9),
                ),
                ("the whole proposal", lambda: deliberation.proposal("Agent 7 (model)")),
                ("list the agents", deliberation.agents),
                ("list the rounds", deliberation.rounds),
                ("sum up one round", lambda: deliberation.summarize(last // 2)),
                (
                    "sum up every round",
                    lambda: [deliberation.summarize(number) for number in deliberation.rounds()],
                ),
            ]
            for name, work in rows:
                print(f"{name:26} {best_of(5, work) * 1e3:10.2f} ms")
            for keywords in (["zebra"], ["latency", "zebra"]):
                wanted = [keyword.lower() for keyword in keywords]

                def scan(wanted: list[str] = wanted) -> int:
                    lowered = (text.lower() for text in texts)
                    return sum(all(word in text for word in wanted) for text in lowered)

                def search(keywords: list[str] = keywords) -> str:
                    return deliberation.search_deliberation(keywords)

                searched, scanned = best_of(3, search), best_of(3, scan)
                print(
                    f"search {' '.join(keywords):19} {searched * 1e3:10.2f} ms, "
                    f"{searched / scanned:.1f} times a plain scan ({scanned * 1e3:.2f} ms)"
                )
            transcript = Path(folder, "rounds.jsonl")
            deliberation.save(transcript)
        taken_in(transcript, Path(folder, "other.db"))


def taken_in(transcript: Path, path: Path) -> None:
    """Take a transcript in, in a process of its own, whose memory is told."""
    script = (
        "import resource, sys, time\n"
        "from shape_magic.deliberation import Deliberation\n"
        "deliberation = Deliberation.open(sys.argv[2])\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "begin = time.perf_counter()\n"
        "deliberation.add_transcript(sys.argv[1])\n"
        "took = time.perf_counter() - begin\n"
        "print(took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, transcript, path], check=True, capture_output=True, text=True
    )
    took, memory = map(float, done.stdout.split())
    size = transcript.stat().st_size
    print(
        f"take in a transcript       {took:10.2f} s, {size / 1e6:,.0f} MB; "
        f"memory {memory * 1024 / size:.1f} times the file"
    )


if __name__ == "__main__":
    main()
