"""Three worlds whose truth is known: verdicts are wrong as rarely as they claim.

The whole table is made by `python -m tests.benchmarks.statistics`.
"""

import pytest
from scipy import stats

from tests.benchmarks.statistics import arms, one_slope

RUNS = 200


def at_most(share: float) -> int:
    """Give how many of the runs a true share of this size exceeds once in 10,000 times."""
    return int(stats.binom.ppf(1 - 1e-4, RUNS, share))


def at_least(share: float) -> int:
    return int(stats.binom.ppf(1e-4, RUNS, share))


@pytest.mark.slow
@pytest.mark.parametrize(
    "world", ["persistent agents", "missing agents", "agents evaluate one another"]
)
def test_one_slope__is_wrong_as_rarely_as_it_claims(world: str) -> None:
    percent = one_slope(world, 12, 5, RUNS)
    counts = {name: round(each * RUNS / 100) for name, each in percent.items()}
    assert counts["shown"] <= at_most(0.05)
    assert counts["shown"] + counts["for these agents"] <= at_most(0.08)
    assert at_least(0.95) <= counts["covers"] <= at_most(0.97)
    if world == "persistent agents":
        assert counts["found"] >= at_least(0.55)


@pytest.mark.slow
def test_arms__are_wrong_as_rarely_as_they_claim() -> None:
    percent = arms(12, 5, RUNS)
    counts = {name: round(each * RUNS / 100) for name, each in percent.items()}
    assert counts["mean"] <= at_most(0.05)
    assert counts["slope"] <= at_most(0.05)
    assert counts["found"] >= at_least(0.6)
