"""Runs in real processes and kernels: killed, interrupted, out of room, and gone on with."""

import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from jupyter_client.manager import KernelManager

from shape_magic.deliberation import Deliberation
from tests.experiments import fill_rounds

JUDGES = 3
ROUNDS = 50
CALLS = JUDGES * ROUNDS * 2
CONCURRENCY = 4

RUN = f"""
import os, sys, time
from shape_magic.deliberation import Deliberation
from shape_magic.experiments import run_evaluations
from tests.experiments import judge

log = os.open("calls.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
honest = judge()

def asked(name):
    def reply(prompt):
        os.write(log, f"{{prompt.digest}} {{name}}\\n".encode())
        time.sleep(0.002)
        return honest(prompt)
    return reply

deliberation = Deliberation.open("rounds.db")
print("open", flush=True)
done = run_evaluations(
    deliberation,
    {{name: asked(name) for name in ("Eve", "Lee", "Moe")[:{JUDGES}]}},
    concurrency={CONCURRENCY},
    progress=False,
)
print(done.left, len(done.failures), flush=True)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a folder with fifty rounds in a file."""
    with Deliberation.open(tmp_path / "rounds.db") as deliberation:
        fill_rounds(deliberation, ROUNDS)
    return tmp_path


def start(folder: Path, script: str = RUN) -> "subprocess.Popen[str]":
    paths = os.pathsep.join([os.getcwd(), os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n", process.communicate()[1]
    return process


def calls_made(folder: Path) -> "Counter[tuple[str, ...]]":
    path = folder / "calls.log"
    lines = path.read_text().splitlines() if path.exists() else []
    return Counter(tuple(line.split()) for line in lines)


def wait_for_calls(folder: Path, count: int) -> None:
    """Wait until so many calls were begun in all, or all that there are."""
    until = time.monotonic() + 60
    while sum(calls_made(folder).values()) < min(count, CALLS):
        assert time.monotonic() < until
        time.sleep(0.002)


@pytest.mark.slow
def test_process_killed__at_random__makes_each_call_once_but_for_those_in_the_air(
    folder: Path, kills: int
) -> None:
    random_ = random.Random(kills)
    in_the_air: Counter[tuple[str, ...]] = Counter()
    for _ in range(kills):
        before = calls_made(folder)
        process = start(folder)
        wait_for_calls(folder, sum(before.values()) + random_.randint(1, 500 // kills))
        time.sleep(random_.uniform(0.0, 0.01))
        process.kill()
        assert process.communicate(timeout=60)[1] == ""
        with Deliberation.open(folder / "rounds.db") as deliberation:
            kept = {
                (reply.prompt, reply.judge)
                for reply in deliberation._store.replies()
                if reply.reply is not None
            }
        lost = set(calls_made(folder) - before) - kept
        assert len(lost) <= CONCURRENCY
        in_the_air.update(lost)
    process = start(folder)
    output, errors = process.communicate(timeout=300)
    assert (process.returncode, output, errors) == (0, "0 0\n", "")
    made = calls_made(folder)
    assert len(made) == CALLS
    # What was kept was never asked for again, and what was lost once a time it was lost.
    assert made == Counter({call: 1 + in_the_air[call] for call in made})
    with Deliberation.open(folder / "rounds.db") as deliberation:
        assert len(deliberation.evaluations_frame()) == CALLS * 3


AT_ONCE = RUN.replace(
    "done = run",
    """
while not os.path.exists("go"):
    time.sleep(0.001)
done = run""",
)


@pytest.mark.slow
def test_two_processes__at_the_same_run__make_each_call_once(folder: Path) -> None:
    processes = [start(folder, AT_ONCE) for _ in range(2)]
    (folder / "go").touch()
    for process in processes:
        _, errors = process.communicate(timeout=300)
        assert (process.returncode, errors) == (0, "")
    assert set(calls_made(folder).values()) == {1}
    process = start(folder)
    output, errors = process.communicate(timeout=300)
    assert (process.returncode, output, errors) == (0, "0 0\n", "")
    made = calls_made(folder)
    assert (len(made), set(made.values())) == (CALLS, {1})
    assert not (folder / "rounds.db-calls").exists()
    with Deliberation.open(folder / "rounds.db") as deliberation:
        assert len(deliberation.evaluations_frame()) == CALLS * 3


FULL = RUN.replace(
    "deliberation = Deliberation.open",
    """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
limit = 400_000 + max(os.path.getsize(name) for name in os.listdir())
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
deliberation = Deliberation.open""",
)


@pytest.mark.skipif(os.name != "posix", reason="limits are POSIX")
def test_disk_full__stops_the_run__and_the_next_one_goes_on(folder: Path) -> None:
    process = start(folder, FULL)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "StoreError" in errors or "UnkeptRepliesError" in errors
    before = calls_made(folder)
    assert 0 < len(before) < CALLS
    process = start(folder)
    output, errors = process.communicate(timeout=300)
    assert (process.returncode, output, errors) == (0, "0 0\n", "")
    made = calls_made(folder)
    assert len(made) == CALLS
    assert sum(made.values()) <= CALLS + CONCURRENCY


CELL = """
import threading
from shape_magic.deliberation import Deliberation
from shape_magic.experiments import run_evaluations
from tests.experiments import fill_rounds, judge
deliberation = Deliberation()
fill_rounds(deliberation, 3)
gate, asked = threading.Event(), []
def slow(prompt):
    asked.append(prompt.digest)
    if len(asked) == 4:
        print("under way", flush=True)
        gate.wait()
    return judge()(prompt)
"""
RUN_CELL = (
    "done = run_evaluations(deliberation, {'Eve': slow}, concurrency=1, progress=False)\n"
    "print(done.interrupted, done.left, len(asked))"
)


@pytest.mark.slow
def test_interrupt__of_a_kernels_cell__ends_it_with_what_came() -> None:
    manager = KernelManager()
    manager.start_kernel(cwd=os.getcwd())
    client = manager.client()
    client.start_channels()
    printed: list[str] = []

    def hook(message: dict[str, object]) -> None:
        content = message["content"]
        assert isinstance(content, dict)
        if message["msg_type"] == "stream":
            printed.append(content["text"])
            if content["text"] == "under way\n":
                manager.interrupt_kernel()

    def execute(code: str) -> None:
        answer = client.execute_interactive(code, timeout=120, output_hook=hook)
        assert answer["content"]["status"] == "ok", answer

    try:
        client.wait_for_ready(timeout=120)
        execute(CELL)
        execute(RUN_CELL)
        execute("gate.set()")
        execute(RUN_CELL)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    assert "".join(printed) == "under way\nTrue 3 4\nFalse 0 6\n"
