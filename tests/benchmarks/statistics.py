"""How often the statistics are right where the truth is known, and how long they take.

    python -m tests.benchmarks.statistics --runs 1000

prints the table that stands in notebooks/reference/statistics.md. A run is one made-up
deliberation; a row of the first table is one world at one size.
"""

import argparse
import resource
import sys
import time
from collections.abc import Iterator

import numpy as np

from shape_magic.analysis import compare_arms, effect, effects
from tests.worlds import WORLDS, evaluations, two_arms

SIZES = ((12, 5), (30, 5), (12, 12), (12, 3))
SLOPE = 0.4
"""A partial correlation of 0.37."""


def said(verdict: str) -> str:
    """Give how a verdict begins."""
    return verdict.partition(":")[0]


def runs_of(*seed: int, runs: int) -> Iterator[np.random.Generator]:
    """Give a generator of its own to each run."""
    return (np.random.default_rng([*seed, run]) for run in range(runs))


def one_slope(world: str, rounds: int, agents: int, runs: int) -> dict[str, float]:
    """Simulate one world: null verdicts, coverage, and verdicts under a slope, in percent."""
    counts = dict.fromkeys(("shown", "for these agents", "covers", "found"), 0)
    seed = list(WORLDS).index(world), rounds, agents
    for chance in runs_of(1, *seed, runs=runs):
        frame = evaluations(chance, rounds, agents, **WORLDS[world])
        result = effect(frame, "chars")
        if said(result.verdict) in counts:
            counts[said(result.verdict)] += 1
        # What these agents' slope is where agents' slopes differ: that of the noiseless scores.
        target = 0.0
        if WORLDS[world].get("by_agent"):
            target = effect(frame, "chars", score="truth").points or 0.0
        near = result.these_agents
        counts["covers"] += near is not None and near.low <= target <= near.high
    for chance in runs_of(2, *seed, runs=runs):
        frame = evaluations(chance, rounds, agents, **{**WORLDS[world], "slope": SLOPE})
        counts["found"] += not effect(frame, "chars").verdict.startswith("no")
    return {name: 100 * count / runs for name, count in counts.items()}


def arms(rounds: int, agents: int, runs: int) -> dict[str, float]:
    """Simulate two arms: null verdicts on mean and slope, and a change of slope found."""
    counts = dict.fromkeys(("mean", "slope", "found"), 0)
    for chance in runs_of(3, rounds, agents, runs=runs):
        result = compare_arms(two_arms(chance, rounds, agents), "control", "default")
        counts["mean"] += not result.verdict.startswith("no")
        counts["slope"] += not result.slope.verdict.startswith("no")
    for chance in runs_of(4, rounds, agents, runs=runs):
        frame = two_arms(chance, rounds, agents, slopes=(0.6, 0.0))
        result = compare_arms(frame, "control", "default")
        counts["found"] += not result.slope.verdict.startswith("no")
    return {name: 100 * count / runs for name, count in counts.items()}


def several(rounds: int, agents: int, runs: int) -> dict[str, float]:
    """Simulate a null attribute that goes with length at 0.8, and length that is rewarded."""
    counts = dict.fromkeys(("shown", "for these agents"), 0)
    for chance in runs_of(5, rounds, agents, runs=runs):
        frame = evaluations(chance, rounds, agents, slope=0.6)
        length = np.log2(frame["chars"]) - 10
        frame["beside"] = 0.8 * length + 0.6 * chance.normal(size=len(frame))
        begins = said(effects(frame, attributes=["chars", "beside"])["beside"].verdict)
        if begins in counts:
            counts[begins] += 1
    return {name: 100 * count / runs for name, count in counts.items()}


def speed() -> Iterator[tuple[str, float]]:
    """Time the sizes that are promised."""
    chance = np.random.default_rng(6)
    small, large = evaluations(chance, 12, 5), evaluations(chance, 805, 58)
    gaps = large.drop(index=large.index[::4669])
    for name, frame in (("12 rounds of 5", small), ("805 rounds of 58", large),
                        ("805 rounds of 58, ten gaps", gaps)):  # fmt: skip
        started = time.perf_counter()
        effect(frame, "chars")
        yield name, time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--worlds", nargs="*", default=list(WORLDS))
    asked = parser.parse_args()
    out = sys.stdout

    def table(*head: str, rows: Iterator[tuple[str, dict[str, float]]]) -> None:
        out.write(f"| {' | '.join(head)} |\n{'| --- ' * len(head)}|\n")
        for name, figures in rows:
            out.write(f"| {name} | {' | '.join(f'{each:.1f}' for each in figures.values())} |\n")
            out.flush()
        out.write("\n")

    table(
        "world, rounds x agents",
        "null: shown",
        "null: for these agents",
        "first interval covers",
        f"slope {SLOPE}: found",
        rows=(
            (f"{world}, {rounds} x {agents}", one_slope(world, rounds, agents, asked.runs))
            for world in asked.worlds
            for rounds, agents in SIZES
        ),
    )
    table(
        "two arms, rounds x agents",
        "null: mean",
        "null: slope",
        "slope 0.6 to 0: found",
        rows=((f"{size[0]} x {size[1]}", arms(*size, asked.runs)) for size in SIZES),
    )
    table(
        "a null attribute beside chars",
        "shown",
        "for these agents",
        rows=((f"{rounds} x 5", several(rounds, 5, asked.runs)) for rounds in (12, 40, 100)),
    )
    for name, seconds in speed():
        out.write(f"{name}: {1000 * seconds:,.0f} ms\n")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    out.write(f"most memory: {memory:,.0f} MB\n")


if __name__ == "__main__":
    main()
