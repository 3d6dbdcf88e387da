"""A run fails where its tests leave processes or threads behind, and names them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutate import REPOSITORY

CONFTEST = """
from tests import left_behind
from tests.left_behind import pytest_sessionfinish, pytest_terminal_summary

left_behind._PATIENCE = {patience}
"""
THREAD = """
import threading

def test_leaves_a_thread():
    stopped = threading.Event()
    threading.Thread(target=stopped.wait, args=(4,), name="waits", daemon={daemon}).start()
"""
PROCESS = """
import subprocess, sys

def test_leaves_a_process(request):
    command = "import select, sys; select.select([sys.stdin], [], [], {seconds})"
    process = subprocess.Popen([sys.executable, "-c", command], stdin=subprocess.PIPE)
    # Kept by pytest, so that its own warning of a lost process does not come first.
    request.config.process = process
"""


def run_of(folder: Path, test: str, *, patience: float) -> tuple[int, str]:
    (folder / "conftest.py").write_text(CONFTEST.format(patience=patience), encoding="utf-8")
    (folder / "test_it.py").write_text(test, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "2 passed" in done.stdout
    return done.returncode, done.stdout


@pytest.mark.slow
def test_run__fails_and_names_what_its_tests_left_behind(tmp_path: Path) -> None:
    tests = THREAD.format(daemon=False) + PROCESS.format(seconds=60)
    status, output = run_of(tmp_path, tests, patience=0.2)
    assert status == 1
    assert "left behind by the tests: the thread waits\n" in output
    assert re.search(
        r"left behind by the tests: the process \d+, .*sys.stdin], \[], \[], 60\)", output
    )


@pytest.mark.slow
def test_run__passes_where_what_is_left_ends_or_keeps_nothing_alive(tmp_path: Path) -> None:
    tests = THREAD.format(daemon=True) + PROCESS.format(seconds=0.1)
    status, output = run_of(tmp_path, tests, patience=20)
    assert status == 0, output
    assert "left behind" not in output
