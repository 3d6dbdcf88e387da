"""Fail a run that leaves processes or threads behind, and name them.

A thread that is no daemon keeps the interpreter from ending, and a process that outlives its test
holds files, ports and processors that the next run needs.
"""

import gc
import threading
import time
from collections.abc import Iterator
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Final

import pytest

_LEFT: Final = pytest.StashKey[list[str]]()
_PATIENCE: Final = 10.0
"""Seconds that what was told to end may take to do so."""


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    # Executors end their threads once nobody holds them.
    gc.collect()
    deadline = time.monotonic() + _PATIENCE
    while (left := [*_threads(), *_processes()]) and time.monotonic() < deadline:
        time.sleep(0.05)
    session.config.stash[_LEFT] = left
    if left and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    for line in config.stash.get(_LEFT, []):
        terminalreporter.line(f"left behind by the tests: {line}", red=True)


def _threads() -> Iterator[str]:
    for thread in threading.enumerate():
        if not thread.daemon and thread not in (
            threading.main_thread(),
            threading.current_thread(),
        ):
            yield f"the thread {thread.name}"


def _processes() -> Iterator[str]:
    """Name the child processes that still run, where the system lists them in /proc."""
    # It ends with this process, whose spawned workers share it.
    tracker = getattr(resource_tracker, "_resource_tracker")._pid  # noqa: B009
    for listed in Path("/proc/self/task").glob("*/children"):
        for pid in map(int, _read(listed).split()):
            command = _read(Path(f"/proc/{pid}/cmdline")).replace("\0", " ").strip()
            # What has ended and is not yet waited for has no command line.
            if command and pid != tracker:
                yield f"the process {pid}, {command[:200]}"


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        # It has ended since it was listed.
        return ""
