"""Claims on calls: held against real processes, which may be killed."""

import errno
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from shape_magic.experiments import claims as claims_module
from shape_magic.experiments.calls import Calls
from shape_magic.experiments.claims import Call, Claims, claims_of

CALL = ("digest", "Judge", 1, 1)
OTHER = ("digest", "Judge", 1, 2)

CLAIM = """
import sys
from pathlib import Path
from shape_magic.experiments.calls import Calls
from shape_magic.experiments.claims import claims_of
claims = claims_of(Path("rounds.db"))
print(claims.claim(("digest", "Judge", 1, 1), Calls()), flush=True)
sys.stdin.readline()
claims.release(("digest", "Judge", 1, 1))
print("released", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def claims(tmp_path: Path) -> Claims:
    return claims_of(tmp_path / "rounds.db")


@pytest.fixture
def other(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process, which has claimed the call."""
    process = subprocess.Popen(
        [sys.executable, "-c", CLAIM],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([os.getcwd(), *sys.path])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "True\n"
    yield process
    process.kill()
    process.communicate(timeout=60)


def test_claim__of_another_process__is_free_when_that_lets_go(
    claims: Claims, other: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    assert not claims.claim(CALL, Calls())
    assert claims.claim(OTHER, Calls())
    assert other.stdin is not None
    assert other.stdout is not None
    other.stdin.write("\n")
    other.stdin.flush()
    assert other.stdout.readline() == "released\n"
    assert claims.claim(CALL, Calls())
    claims.release(CALL)
    assert (tmp_path / "rounds.db-calls").exists()
    claims.release(OTHER)
    assert not (tmp_path / "rounds.db-calls").exists()


def test_claim__of_another_process__is_free_when_that_is_killed(
    claims: Claims, other: "subprocess.Popen[str]"
) -> None:
    assert not claims.claim(CALL, Calls())
    other.kill()
    other.wait(60)
    assert claims.claim(CALL, Calls())
    claims.release(CALL)


def test_claim__of_another_run_here__holds_while_the_call_is_under_way(claims: Claims) -> None:
    ended, first = threading.Event(), Calls[Call]()
    assert claims.claim(CALL, first)
    first.start(CALL, ended.wait)
    assert not claims.claim(CALL, Calls())
    assert claims.claim(CALL, first)
    ended.set()
    first.wait()
    # An interrupt may have kept it from being let go of.
    assert claims.claim(CALL, Calls())
    claims.release(CALL)


def test_claim__after_the_file_was_removed__is_seen_by_others(tmp_path: Path) -> None:
    path = tmp_path / "rounds.db-calls"
    first, second = Claims(path), Claims(path)
    assert first.claim(CALL, Calls())
    path.unlink()
    assert second.claim(OTHER, Calls())
    assert path.exists()
    first.release(CALL)
    second.release(OTHER)
    assert not path.exists()


def test_claim__where_a_file_system_has_no_locks__is_given(
    claims: Claims, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(file: int, place: int, count: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(claims_module, "_lock", refuse)
    assert claims.claim(CALL, Calls())
    claims.release(CALL)
    claims.release(CALL)
