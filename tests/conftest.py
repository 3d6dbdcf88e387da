"""Options and fixtures that several test modules share."""

import os
from collections.abc import Iterator
from concurrent.futures import Executor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from IPython.core.interactiveshell import InteractiveShell

from shape_magic.deliberation import Deliberation
from tests.executors import EXECUTORS
from tests.left_behind import pytest_sessionfinish, pytest_terminal_summary
from tests.shells import new_shell

__all__ = ["pytest_sessionfinish", "pytest_terminal_summary"]

# The machines that run the tests may be slow and shared: what counts is the result.
settings.register_profile(
    "shape_magic", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
# For the check while one works: `--hypothesis-profile quick`.
settings.register_profile("quick", settings.get_profile("shape_magic"), max_examples=10)
settings.load_profile("shape_magic")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--answers",
        type=Path,
        default=None,
        help="a folder, or a JSON Lines file with id and text, to hold against the reference",
    )
    parser.addoption(
        "--mutations", type=int, default=20_000, help="how many changed texts to measure (20,000)"
    )
    parser.addoption(
        "--judged",
        type=Path,
        default=None,
        help="a folder with judged answers (preferences.csv.gz, leaderboard.csv, cr2.csv)",
    )
    parser.addoption(
        "--kills",
        type=int,
        default=10,
        help="how often a run of judges is killed and started again",
    )


def pytest_configure() -> None:
    # They are read by now, and a run of pytest that a test starts elsewhere has no such options.
    os.environ.pop("PYTEST_ADDOPTS", None)


@pytest.fixture
def mutation_count(request: pytest.FixtureRequest) -> int:
    """Give the number of the option `--mutations`."""
    count: int = request.config.getoption("--mutations")
    return count


@pytest.fixture
def kills(request: pytest.FixtureRequest) -> int:
    """Give the number of the option `--kills`."""
    number: int = request.config.getoption("--kills")
    return number


@pytest.fixture
def answers_path(request: pytest.FixtureRequest) -> Path | None:
    """Give the path of the option `--answers`."""
    path: Path | None = request.config.getoption("--answers")
    return path


@pytest.fixture(scope="session")
def judged_path(request: pytest.FixtureRequest) -> Path:
    """Give the folder of the option `--judged`; skips where there is none."""
    path: Path | None = request.config.getoption("--judged")
    if path is None:
        pytest.skip("there are no judged answers: --judged names their folder")
    return path


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[InteractiveShell]:
    """Give a shell with the extension loaded; the test's folder is its home."""
    with new_shell(tmp_path) as made:
        yield made


@pytest.fixture(scope="module", params=["threads", "processes", "dask"])
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    """Give an executor of each kind, with two workers."""
    with EXECUTORS[request.param](2) as made:
        yield made


@pytest.fixture(params=["memory", "file"])
def deliberation(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Deliberation]:
    """Give an empty deliberation, in memory and in a file."""
    path = None if request.param == "memory" else tmp_path / "file.db"
    with Deliberation(path=path) as opened:
        yield opened
