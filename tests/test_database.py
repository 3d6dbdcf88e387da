"""A deliberation's file is opened with care, and a failure leaves what it held."""

import concurrent.futures
import contextlib
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from shape_magic.deliberation import Deliberation
from shape_magic.deliberation.database import Database
from shape_magic.deliberation.records import Evaluation, EvaluationEntry
from shape_magic.deliberation.schema import SCHEMA_VERSION
from shape_magic.errors import StoreError, TranscriptError


def other_database(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE notes (text)")
    connection.commit()
    connection.close()


def newer_schema(path: Path) -> None:
    Deliberation.open(path).close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    connection.commit()
    connection.close()


REFUSED = [
    (lambda path: path.write_bytes(b"hello"), "no deliberation and is left as it is"),
    (lambda path: path.write_bytes(b"hello\n" * 2_000), "no deliberation and is left as it is"),
    (other_database, "a SQLite database with other content"),
    (
        newer_schema,
        f"has schema {SCHEMA_VERSION + 1} and is left as it is: this release reads "
        f"schema {SCHEMA_VERSION}",
    ),
]


@pytest.mark.parametrize(
    ("make", "reason"), REFUSED, ids=["short text", "text", "other database", "newer schema"]
)
def test_open__file_that_is_not_for_us__is_refused_untouched(
    tmp_path: Path, make: Callable[[Path], object], reason: str
) -> None:
    path = tmp_path / "file.db"
    make(path)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=reason):
        Deliberation.open(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["file.db"]


def test_open__newer_schema_with_a_log_beside_it__is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "file.db"
    # A process that is killed leaves its log behind.
    script = (
        "import os, sqlite3, sys\n"
        "from shape_magic.deliberation import Deliberation\n"
        "Deliberation.open(sys.argv[1]).close()\n"
        "connection = sqlite3.connect(sys.argv[1])\n"
        f"connection.execute('PRAGMA user_version = {SCHEMA_VERSION + 1}')\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", script, path], check=True, timeout=60)
    log = tmp_path / "file.db-wal"
    before = path.read_bytes(), log.read_bytes()
    with pytest.raises(StoreError, match="is left as it is"):
        Deliberation.open(path)
    assert (path.read_bytes(), log.read_bytes()) == before


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (".", "is a directory; name a file in it"),
        ("", "is a directory; name a file in it"),
        ("none/file.db", "there is no directory"),
        ("a\0b.db", "holds a NUL character"),
        ("x" * 300, "File name too long"),
        ("file/x.db", "there is no directory"),
    ],
)
def test_open__place_that_cannot_be__is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError, match=reason):
        Deliberation.open(name)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "name", [":memory:", "a b%20c?mode=memory.db", "file:x.db", "né\u202e'\";--.db"]
)
def test_open__strange_name__is_a_file_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with Deliberation.open(name) as deliberation:
        deliberation.propose("Ann", "kept")
        assert name in os.listdir(tmp_path)
        # The log is there while the file is open, so this open looks at it without writing.
        with Deliberation.open(name) as again:
            assert again.proposal("Ann").content == "kept"
    assert os.listdir(tmp_path) == [name]


def test_open__empty_file__is_a_new_deliberation(tmp_path: Path) -> None:
    path = tmp_path / "file.db"
    path.touch()
    with Deliberation.open(path) as deliberation:
        assert deliberation.agents() == []


def test_close__twice__and_then_use__is_one_clear_error() -> None:
    deliberation = Deliberation()
    deliberation.close()
    deliberation.close()
    with pytest.raises(StoreError, match=r"^the deliberation in memory is closed$"):
        deliberation.propose("Ann", "x")
    assert repr(deliberation) == "<Deliberation: the deliberation in memory is closed>"


def test_transaction__that_raises__changes_nothing() -> None:
    deliberation = Deliberation()
    proposal = deliberation.propose("Ann", "first")
    store = deliberation._store
    with pytest.raises(ZeroDivisionError), store.database.transaction():  # noqa: PT012
        store.remove()
        raise ZeroDivisionError
    assert deliberation.proposals() == [proposal]


def test_transaction__inside_reading__is_a_programming_error() -> None:
    with (
        contextlib.closing(Database()) as database,
        database.reading(),
        pytest.raises(RuntimeError, match="cannot begin inside reading"),
        database.transaction(),
    ):
        pass


def test_write__full_database__is_an_error_and_the_data_is_intact(tmp_path: Path) -> None:
    with Deliberation.open(tmp_path / "file.db") as deliberation:
        kept = deliberation.propose("Ann", "kept")
        with deliberation._store.database.reading() as connection:
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
            connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(StoreError, match=r"file\.db': database or disk is full"):
            deliberation.propose("Bob", "x" * 100_000)
        assert deliberation.proposals() == [kept]
    with Deliberation.open(tmp_path / "file.db") as deliberation:
        assert deliberation.proposals() == [kept]


WRITE_UNTIL_IT_FAILS = """
import os, resource, signal, sys
from shape_magic.deliberation import Deliberation
from shape_magic.errors import StoreError, TranscriptError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000))
deliberation = Deliberation.open(sys.argv[1])
for number in range(10_000):
    try:
        deliberation.propose(f"Agent {number}", f"{number} " * 1_000)
    except StoreError as error:
        print(number, error)
        os._exit(0)
"""


@pytest.mark.skipif(os.name != "posix", reason="the limit on a file's size is POSIX")
def test_write__past_the_size_a_file_may_have__keeps_what_was_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "file.db"
    ran = subprocess.run(
        [sys.executable, "-c", WRITE_UNTIL_IT_FAILS, path],
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    acknowledged, message = ran.stdout.split(maxsplit=1)
    assert "disk" in message
    assert int(acknowledged) > 5
    with Deliberation.open(path) as deliberation:
        kept = {proposal.agent_id: proposal.content for proposal in deliberation.proposals()}
    assert kept == {f"Agent {n}": f"{n} " * 1_000 for n in range(int(acknowledged))}


READ_AND_WRITE = """
import os
from shape_magic.deliberation import Deliberation
from shape_magic.errors import StoreError, TranscriptError
if os.geteuid() == 0:  # who may write whatever a file says
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    with Deliberation.open("file.db") as deliberation:
        print(deliberation.proposal("Ann").content)
        deliberation.propose("Bob", "lost")
except StoreError as error:
    print(error)
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Give a folder that other users reach, as they do not reach pytest's."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o777)
        yield Path(name)


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX")
@pytest.mark.parametrize(
    ("mode", "printed"),
    [
        (0o444, ["kept", "'file.db': attempt to write a readonly database"]),
        (0o000, ["'file.db': unable to open database file"]),
    ],
    ids=["read-only", "unreadable"],
)
def test_open__file_without_the_right__is_an_error_and_keeps_its_data(
    open_folder: Path, mode: int, printed: list[str]
) -> None:
    path = open_folder / "file.db"
    with Deliberation.open(path) as deliberation:
        deliberation.propose("Ann", "kept")
    path.chmod(mode)
    ran = subprocess.run(
        [sys.executable, "-c", READ_AND_WRITE],
        cwd=open_folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.stdout.splitlines() == printed, ran.stderr
    path.chmod(0o600)
    with Deliberation.open(path) as deliberation:
        assert deliberation.agents() == ["Ann"]


def test_database__used_from_many_threads__loses_nothing() -> None:
    deliberation = Deliberation()
    failures: list[BaseException] = []

    def propose(thread: int) -> None:
        try:
            for number in range(50):
                deliberation.propose(f"Agent {thread}", f"text {number}")
                deliberation.read_proposal(f"agent {thread}", from_line=1)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=propose, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    versions = [len(deliberation.versions(f"Agent {number}")) for number in range(8)]
    assert versions == [50] * 8


def test_database__in_memory__has_no_path() -> None:
    with contextlib.closing(Database()) as database:
        assert database.path is None


def test_path__relative__stands_when_the_working_directory_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    with Deliberation.open("file.db") as deliberation:
        deliberation.propose("Ann", "a")
        monkeypatch.chdir(tmp_path / "elsewhere")
        assert deliberation.path == tmp_path / "file.db"
        assert repr(deliberation).startswith("<Deliberation at 'file.db': 1 proposal")
        assert deliberation.save("out.jsonl") == 1
        with pytest.raises(TranscriptError, match="own database"):
            deliberation.save("../file.db")


DAMAGED = [
    ("measurements", "details", "measurement"),
    ("measurements", "shape", "shape"),
    ("versions", "unknown", "record"),
    ("versions", "content", "proposal"),
    ("evaluations", "record", "record"),
]


@pytest.mark.parametrize("damage", [b"{", b"\xff", b"null", "text", 7])
@pytest.mark.parametrize(("table", "column", "what"), DAMAGED)
def test_read__damaged_column__is_a_store_error_or_a_text(
    table: str, column: str, what: str, damage: object
) -> None:
    deliberation = Deliberation()
    proposal = deliberation.propose("Ann", "a")
    entry = EvaluationEntry(evaluator_agent_id="Eve", evaluation=Evaluation(score=0.5))
    deliberation.add_evaluations([(proposal, entry)])
    with deliberation._store.database.transaction() as connection:
        connection.execute(f"UPDATE {table} SET {column} = ?", (damage,))
    failures = []
    for read in (
        deliberation.proposals,
        deliberation.records,
        deliberation.summarize,
        deliberation.search_deliberation,
        lambda: deliberation.read_proposal("Ann", from_line=1),
    ):
        try:
            read()
        except StoreError as error:
            failures.append(str(error))
    if column not in ("content", "unknown"):
        assert failures
    assert all("file is damaged: a" in failure for failure in failures)


def test_error__that_is_kept__leaves_the_deliberation_to_other_threads() -> None:
    deliberation = Deliberation()
    for name in ("Ann", "Bob", "Cleo"):
        proposal = deliberation.propose(name, "a")
        entry = EvaluationEntry(evaluator_agent_id="Eve", evaluation=Evaluation(score=0.5))
        deliberation.add_evaluations([(proposal, entry)])
    with deliberation._store.database.transaction() as connection:
        connection.execute("UPDATE evaluations SET record = ?", (b"{",))
    kept = []
    for read in (deliberation.records, deliberation.summarize, deliberation.search_deliberation):
        with pytest.raises(StoreError) as caught:
            read()
        kept.append(caught)
    # The tracebacks hold everything that was under way.
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        assert executor.submit(deliberation._store.database._lock.acquire, timeout=5).result()
    assert len(kept) == 3


def remove(path: Path) -> None:
    for file in path.parent.glob("file.db*"):
        file.unlink()


def replace(path: Path) -> None:
    with Deliberation.open(path.with_name("other.db")) as other:
        other.propose("Zoe", "from a backup")
    os.replace(path.with_name("other.db"), path)


def remove_log(path: Path) -> None:
    path.with_name("file.db-wal").unlink()


GONE = pytest.mark.parametrize(
    ("change", "reason"),
    [
        (remove, "was removed or replaced since it was opened"),
        (replace, "was removed or replaced since it was opened"),
        (remove_log, r"the log of .*file.db-wal\) was removed or replaced"),
    ],
    ids=["removed", "replaced", "log removed"],
)


@pytest.mark.skipif(os.name != "posix", reason="elsewhere an open file cannot be removed")
@GONE
def test_open_file__that_is_gone__acknowledges_nothing(
    tmp_path: Path, change: Callable[[Path], None], reason: str
) -> None:
    path = tmp_path / "file.db"
    with Deliberation.open(path) as deliberation:
        deliberation.propose("Ann", "kept")
        change(path)
        with pytest.raises(StoreError, match=reason):
            deliberation.propose("Ann", "lost")
        with pytest.raises(StoreError, match=reason):
            deliberation.agents()


@pytest.mark.skipif(os.name != "posix", reason="elsewhere an open file cannot be removed")
@GONE
def test_open_file__that_goes_during_a_transaction__acknowledges_nothing(
    tmp_path: Path, change: Callable[[Path], None], reason: str
) -> None:
    path = tmp_path / "file.db"
    with Deliberation.open(path) as deliberation:
        deliberation.propose("Ann", "kept")

        def propose_and_change() -> None:
            with deliberation._store.database.transaction():
                deliberation.propose("Ann", "lost")
                change(path)

        with pytest.raises(StoreError, match=reason):
            propose_and_change()


def test_copy_to__open_file__has_all_that_was_acknowledged(tmp_path: Path) -> None:
    with Deliberation.open(tmp_path / "file.db") as deliberation:
        for number in range(20):
            deliberation.propose("Ann", f"text {number}", round=number)
        deliberation.copy_to(tmp_path / "copy.db")
        assert sorted(os.listdir(tmp_path)) == ["copy.db", "file.db", "file.db-shm", "file.db-wal"]
        with Deliberation.open(tmp_path / "copy.db") as copy:
            assert copy.records() == deliberation.records()
            copy.propose("Bob", "goes on")


def test_copy_to__of_what_is_in_memory__is_a_file_as_any(tmp_path: Path) -> None:
    deliberation = Deliberation()
    deliberation.propose("Ann", "a")
    deliberation.copy_to(tmp_path / "copy.db")
    with Deliberation.open(tmp_path / "copy.db") as copy, Deliberation.open(copy.path or "") as too:
        copy.propose("Ann", "b")
        assert too.agents() == ["Ann"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("there.db", "there is such a file already; name a new one"),
        ("file.db", "there is such a file already"),
        (".", "is a directory"),
        ("none/copy.db", "there is no directory"),
        ("a\0b", "holds a NUL character"),
    ],
)
def test_copy_to__place_that_cannot_be__is_refused_and_left(
    tmp_path: Path, name: str, reason: str
) -> None:
    (tmp_path / "there.db").write_bytes(b"mine")
    with Deliberation.open(tmp_path / "file.db") as deliberation:
        before = sorted(os.listdir(tmp_path))
        with pytest.raises(StoreError, match=reason):
            deliberation.copy_to(tmp_path / name)
        assert (tmp_path / "there.db").read_bytes() == b"mine"
        assert sorted(os.listdir(tmp_path)) == before


class Paused(sqlite3.Connection):
    """Lets another process in ahead of one statement of opening."""

    at: int
    between: Callable[[], None]
    count = 0

    def execute(self, *arguments: object) -> sqlite3.Cursor:
        kind = type(self)
        if kind.count == kind.at:
            kind.count += 1
            kind.between()
        kind.count += 1
        return super().execute(*arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("at", range(14))
def test_open__new_file_that_another_opens_meanwhile__is_one_deliberation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    path = tmp_path / "file.db"
    connect = sqlite3.connect
    others: list[threading.Thread] = []

    def open_another() -> None:
        def work() -> None:
            with Deliberation.open(path) as other:
                other.propose("Bob", "b")

        monkeypatch.setattr(sqlite3, "connect", connect)
        others.append(threading.Thread(target=work))
        others[0].start()
        # It waits where this one holds a lock, and goes on once that is let go.
        others[0].join(0.3)

    class PausedHere(Paused):
        pass

    PausedHere.at, PausedHere.between = at, staticmethod(open_another)
    monkeypatch.setattr(
        sqlite3,
        "connect",
        lambda *arguments, **options: connect(*arguments, factory=PausedHere, **options),
    )
    with Deliberation.open(path) as deliberation:
        if not others:
            open_another()
        deliberation.propose("Ann", "a")
        others[0].join()
        assert deliberation.agents() == ["Ann", "Bob"]
