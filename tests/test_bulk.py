"""Many texts: the same measurements in the same order, wherever they are made."""

import itertools
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager

import dask
import pytest
from distributed import Client, LocalCluster
from hypothesis import given
from hypothesis import strategies as st

from shape_magic.analyzers.markdown import MarkdownAnalyzer
from shape_magic.analyzers.registry import Registry, default_registry
from shape_magic.bulk import CHUNK_TEXTS, measure_many
from shape_magic.errors import AnalyzerError, AnalyzerWarning, ShapeMagicError, WorkersLostError
from shape_magic.shape import Evidence, Measurement

TEXTS = [
    f"# Part {number}\n\n" + "- item\n" * (number % 7) + "\ud800 x" * (number % 3)
    for number in range(3 * CHUNK_TEXTS + 5)
]


class ShoutAnalyzer:
    """Knows texts in capitals, fails on one word and dies of another."""

    kind = "shout"
    version = "7"
    meanings: Mapping[str, str] = {}

    def measure(self, text: str) -> Measurement | None:
        if text == "KILL":
            os.kill(os.getpid(), signal.SIGKILL)
        if text == "FAIL":
            raise LookupError("a text says FAIL")
        if not text.isupper():
            return None
        whole = Evidence(1, 1, len(text))
        return Measurement.from_evidence(
            kind=self.kind,
            version=self.version,
            text=text,
            kinds=["prose"],
            evidence={"chars": [whole], "lines": [Evidence(1, 1, 1)], "prose_chars": [whole]},
        )


class UnpicklableAnalyzer(ShoutAnalyzer):
    def __init__(self) -> None:
        self.lock = threading.Lock()


def shouting(analyzer: ShoutAnalyzer | None = None) -> Registry:
    return Registry([analyzer or ShoutAnalyzer()], fallback=MarkdownAnalyzer())


@contextmanager
def process_pool(workers: int) -> Iterator[Executor]:
    # Spawned workers inherit nothing: what they know came with the call.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        yield pool


@contextmanager
def dask_cluster(workers: int) -> Iterator[Executor]:
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client.get_executor()


@pytest.fixture(scope="module", params=["threads", "processes", "dask"])
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    match request.param:
        case "threads":
            with ThreadPoolExecutor(2) as pool:
                yield pool
        case "processes":
            with process_pool(2) as pool:
                yield pool
        case _:
            with dask_cluster(2) as pool:
                yield pool


def expected(texts: Iterable[str], registry: Registry | None = None) -> list[Measurement]:
    return [(registry or default_registry()).measure(text) for text in texts]


def test_executor__delivers_what_one_call_after_another_gives(executor: Executor) -> None:
    assert list(measure_many(TEXTS, executor=executor, progress=False)) == expected(TEXTS)


def test_executor__measures_with_the_registry_of_the_call(executor: Executor) -> None:
    texts = ["# a", "LOUD", "# b"]
    measured = measure_many(texts, executor=executor, progress=False, registry=shouting())
    assert [one.analyzer for one in measured] == ["markdown/1", "shout/7", "markdown/1"]


def test_executor__brings_the_analyzers_warnings_back(executor: Executor) -> None:
    with pytest.warns(AnalyzerWarning, match="'shout' failed .LookupError: a text says FAIL"):
        measured = list(
            measure_many(["FAIL"], executor=executor, progress=False, registry=shouting())
        )
    assert measured == expected_plain("FAIL")


def expected_plain(text: str) -> list[Measurement]:
    return expected([text], Registry(fallback=MarkdownAnalyzer()))


@pytest.mark.parametrize("position", [0, 1, CHUNK_TEXTS, CHUNK_TEXTS + 3])
def test_executor__raises_what_a_text_causes_in_its_place(
    executor: Executor, position: int
) -> None:
    texts = ["LOUD"] * position + ["FAIL"] + ["LOUD"] * CHUNK_TEXTS
    measured = measure_many(
        texts, executor=executor, progress=False, registry=shouting(), analyzer="shout"
    )
    assert len(list(itertools.islice(measured, position))) == position
    with pytest.raises(LookupError, match="a text says FAIL") as caught:
        next(measured)
    assert caught.value.__notes__ == [f"text number {position + 1} of those to measure"]


def test_no_executor__raises_what_a_text_causes_in_its_place() -> None:
    measured = measure_many(["LOUD", "FAIL"], progress=False, registry=shouting(), analyzer="shout")
    assert next(measured).kind == "shout"
    with pytest.raises(LookupError, match="a text says FAIL") as caught:
        next(measured)
    assert caught.value.__notes__ == ["text number 2 of those to measure"]


def test_executor__delivers_what_came_before_the_source_failed(executor: Executor) -> None:
    def source() -> Iterator[str]:
        yield from TEXTS[: CHUNK_TEXTS + 3]
        raise OSError("the disk is gone")

    measured = measure_many(source(), executor=executor, progress=False)
    assert list(itertools.islice(measured, CHUNK_TEXTS + 3)) == expected(TEXTS[: CHUNK_TEXTS + 3])
    with pytest.raises(OSError, match="the disk is gone"):
        next(measured)


def delivered_before_the_loss(
    executor: Executor, texts: list[str]
) -> tuple[list[Measurement], WorkersLostError]:
    delivered: list[Measurement] = []
    measured = measure_many(texts, executor=executor, progress=False, registry=shouting())
    with pytest.raises(WorkersLostError) as caught:
        take_all(measured, into=delivered)
    return delivered, caught.value


def take_all(measured: Iterator[Measurement], *, into: list[Measurement]) -> None:
    for one in measured:
        into.append(one)


@pytest.mark.parametrize("pool", [process_pool, dask_cluster])
def test_killed_worker__is_an_error_that_says_how_far_it_came(
    pool: Callable[[int], AbstractContextManager[Executor]],
) -> None:
    before = 2 * CHUNK_TEXTS
    texts = [*TEXTS[:before], "KILL", *TEXTS[:before]]
    with pool(1) as executor:
        delivered, error = delivered_before_the_loss(executor, texts)
    assert delivered == expected(texts[:before])
    assert error.delivered == before
    assert f"{before} texts had been measured" in str(error)
    assert isinstance(error, ShapeMagicError)
    assert isinstance(error, RuntimeError)


class RefusingExecutor(ThreadPoolExecutor):
    """Breaks while work is under way, as a pool does whose worker is killed."""

    def __init__(self, after: int) -> None:
        super().__init__(1)
        self.after = after

    def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]
        if self.after == 0:
            raise RuntimeError("the pool is broken")
        self.after -= 1
        return super().submit(fn, *args, **kwargs)


def test_refused_work__is_an_error_after_the_answers_that_were_there() -> None:
    with RefusingExecutor(after=2) as executor:
        delivered, error = delivered_before_the_loss(executor, TEXTS)
    assert delivered == expected(TEXTS[: 2 * CHUNK_TEXTS])
    assert error.delivered == 2 * CHUNK_TEXTS


def test_unpicklable_analyzer__is_refused_with_a_reason_before_any_work() -> None:
    registry = shouting(UnpicklableAnalyzer())
    refused = pytest.raises(AnalyzerError, match=r"'shout' cannot travel .*TypeError.*lock")
    with process_pool(1) as executor, refused:
        measure_many(["A"], executor=executor, registry=registry)


def test_unpicklable_analyzer__is_shared_with_threads() -> None:
    with ThreadPoolExecutor(1) as executor:
        measured = measure_many(
            ["LOUD"], executor=executor, progress=False, registry=shouting(UnpicklableAnalyzer())
        )
        assert next(measured).kind == "shout"


SCRIPT = """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from shape_magic.analyzers.markdown import MarkdownAnalyzer
from shape_magic.analyzers.registry import Registry
from shape_magic.bulk import measure_many

with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
    class Local(MarkdownAnalyzer):
        kind = "local"
    registry = Registry([Local()], fallback=MarkdownAnalyzer())
    print(list(measure_many(["a"], executor=pool, progress=False, registry=registry)))
"""


def test_analyzer_that_workers_cannot_import__is_refused_with_a_reason() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert (
        "AnalyzerError: the registry cannot be loaded in a worker (AttributeError: " in done.stderr
    )
    assert "define its analyzers in a module that the workers can import" in done.stderr


class CountingExecutor(ThreadPoolExecutor):
    """Knows how long its chunks were, and how many were under way at most."""

    def __init__(self) -> None:
        super().__init__(2)
        self.most = 0
        self.sizes: list[int] = []
        self._open: list[Future[object]] = []

    def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]
        future = super().submit(fn, *args, **kwargs)
        self._open = [one for one in self._open if not one.done()] + [future]
        self.most = max(self.most, len(self._open))
        self.sizes.append(len(args[-1]))
        return future


def test_stream__is_never_taken_far_ahead_of_what_was_delivered() -> None:
    taken = 0
    ahead = 0

    def stream() -> Iterator[str]:
        nonlocal taken
        for number in range(5_000):
            taken += 1
            yield f"text {number}"

    with CountingExecutor() as executor:
        measured = measure_many(stream(), executor=executor, progress=False, in_flight=3)
        for delivered, one in enumerate(measured, start=1):
            assert one.text == f"text {delivered - 1}"
            ahead = max(ahead, taken - delivered)
    assert delivered == 5_000
    assert ahead < 3 * CHUNK_TEXTS
    assert executor.most <= 3


def test_long_texts__travel_in_smaller_chunks() -> None:
    with CountingExecutor() as executor:
        texts = ["x" * 150_000] * 4
        measured = measure_many(iter(texts), executor=executor, progress=False)
        assert [one.shape.chars for one in measured] == [150_000] * 4
    assert executor.sizes == [2, 2]


def test_iterator__closed_early_leaves_the_executor_usable() -> None:
    with ThreadPoolExecutor(1) as executor:
        measured = measure_many(itertools.repeat("a"), executor=executor, progress=False)
        assert next(measured).shape.chars == 1
        measured.close()  # type: ignore[attr-defined]
        assert executor.submit(int, "3").result(timeout=10) == 3


@given(st.lists(st.text(st.characters(codec=None), max_size=20), max_size=70))
def test_any_texts__come_back_equal_and_in_order(texts: list[str]) -> None:
    with ThreadPoolExecutor(2) as executor:
        assert list(measure_many(texts, executor=executor, progress=False)) == expected(texts)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"texts": "abc"}, r"texts is one str; .* as in \[text\]"),
        ({"texts": [], "in_flight": 0}, "in_flight is 0"),
        ({"texts": [], "analyzer": "yaml"}, "no analyzer is called 'yaml'"),
    ],
)
def test_bad_arguments__are_refused_at_the_call(arguments: dict[str, object], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        measure_many(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("executor_of", [lambda: None, lambda: ThreadPoolExecutor(1)])
def test_text_that_is_no_str__is_refused_in_its_place(
    executor_of: Callable[[], Executor | None],
) -> None:
    measured = measure_many(["a", b"b"], executor=executor_of(), progress=False)  # type: ignore[list-item]
    assert next(measured).text == "a"
    with pytest.raises(TypeError, match="a text to measure is a str, not bytes"):
        next(measured)


def test_progress__counts_to_the_number_of_texts(capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        # tqdm warns where ipywidgets is there and no notebook is.
        warnings.simplefilter("ignore")
        assert len(list(measure_many(TEXTS))) == len(TEXTS)
    shown = capsys.readouterr()
    assert f"{len(TEXTS)}/{len(TEXTS)}" in shown.err
    assert shown.out == ""


def test_progress__can_be_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    list(measure_many(["a"], progress=False))
    assert capsys.readouterr() == ("", "")


def test_import__loads_no_notebook_and_no_progress_bar() -> None:
    code = (
        "import sys, shape_magic.bulk\n"
        "print(sorted({'IPython', 'ipywidgets', 'pandas', 'tqdm', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
