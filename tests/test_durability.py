"""Real processes: nothing that was acknowledged is lost, whoever is killed or writes beside."""

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from shape_magic.deliberation import Deliberation

PROPOSE = """
import sys
from shape_magic.deliberation import Deliberation
path, name, count = sys.argv[1:]
deliberation = Deliberation.open(path)
print("open", flush=True)
for number in range(int(count)):
    deliberation.propose(name, f"{name} {number}", round=1 + number % 3, thought_process="t" * 500)
    print(number, flush=True)
"""


RUNNING: "list[subprocess.Popen[str]]" = []


@pytest.fixture(autouse=True)
def no_process_left_behind() -> Iterator[None]:
    """End what a test started, also where it failed."""
    yield
    while RUNNING:
        process = RUNNING.pop()
        process.kill()
        process.communicate()


def python(script: str, *arguments: object, cwd: Path | None = None) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        cwd=cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    RUNNING.append(process)
    return process


def start(path: Path, name: str, count: int) -> "subprocess.Popen[str]":
    return python(PROPOSE, path, name, count)


def contents(deliberation: Deliberation, name: str) -> list[str]:
    return [
        proposal.content
        for number in deliberation.rounds()
        for proposal in deliberation.versions(name, round=number)
    ]


@pytest.mark.parametrize("seed", range(10))
def test_process_killed__at_a_random_moment__keeps_what_was_acknowledged(
    tmp_path: Path, seed: int
) -> None:
    path = tmp_path / "file.db"
    process = start(path, "Ann", 5_000)
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n", process.stderr and process.stderr.read()
    time.sleep(random.Random(seed).uniform(0.02, 0.6))
    process.kill()
    output, errors = process.communicate(timeout=60)
    assert errors == ""
    acknowledged = [line for line in output.splitlines(keepends=True) if line.endswith("\n")]
    assert acknowledged
    with Deliberation.open(path) as deliberation:
        kept = set(contents(deliberation, "Ann"))
        assert deliberation.propose("Bob", "goes on").version == 1
    assert kept >= {f"Ann {number}" for number in range(len(acknowledged))}


def test_four_processes__writing_at_once__lose_none(tmp_path: Path) -> None:
    path = tmp_path / "file.db"
    processes = [start(path, name, 150) for name in ("Ann", "Bob", "Ann", "Cleo")]
    for process in processes:
        output, errors = process.communicate(timeout=120)
        assert (process.returncode, errors) == (0, "")
        assert len(output.splitlines()) == 151
    with Deliberation.open(path) as deliberation:
        for name in ("Bob", "Cleo"):
            assert set(contents(deliberation, name)) == {f"{name} {n}" for n in range(150)}
        # Two processes spoke for Ann: every text is there, and no version number twice.
        assert set(contents(deliberation, "Ann")) == {f"Ann {n}" for n in range(150)}
        for number in deliberation.rounds():
            versions = [proposal.version for proposal in deliberation.versions("Ann", round=number)]
            assert versions == list(range(1, len(versions) + 1))


def test_writer__while_another_holds_the_file__waits(tmp_path: Path) -> None:
    path = tmp_path / "file.db"
    with Deliberation.open(path) as deliberation:
        deliberation.propose("Zoe", "first")
        with deliberation._store.database.transaction():
            process = start(path, "Ann", 3)
            assert process.stdout is not None
            assert process.stdout.readline() == "open\n"
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(timeout=1)
        output, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (0, "")
        assert output.splitlines() == ["0", "1", "2"]
        assert sorted(contents(deliberation, "Ann")) == ["Ann 0", "Ann 1", "Ann 2"]


INTERRUPTED = """
import os, signal, sys, threading
from shape_magic.deliberation import Deliberation
# A shell lets what it starts in the background ignore interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)
deliberation = Deliberation.open("file.db")
deliberation.propose("Ann", "first")
if sys.argv[1] == "read last":
    deliberation.agents()
print("open", flush=True)
sys.stdin.readline()
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    deliberation.propose("Ann", "interrupted")
except KeyboardInterrupt:
    print("interrupted", flush=True)
deliberation.propose("Ann", "later")
print("later", flush=True)
sys.stdin.readline()
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
@pytest.mark.parametrize("before", ["wrote last", "read last"])
def test_interrupt__while_waiting_for_another_process__loses_nothing_that_comes_later(
    tmp_path: Path, before: str
) -> None:
    process = python(INTERRUPTED, before, cwd=tmp_path)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    with Deliberation.open(tmp_path / "file.db") as deliberation:
        with deliberation._store.database.transaction():
            process.stdin.write("go\n")
            process.stdin.flush()
            # The lock is still held: the interrupt does not wait for it.
            assert process.stdout.readline() == "interrupted\n"
        assert process.stdout.readline() == "later\n"
        # The other one is still there: it has committed, and holds no lock.
        assert contents(deliberation, "Ann") == ["first", "later"]
        assert deliberation.propose("Ann", "here").version == 3
        process.communicate(input="done\n", timeout=60)
    assert process.returncode == 0
