"""Many texts, and what goes wrong on the way: in its place, with everything before it delivered."""

import itertools
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager

import pytest

from shape_magic.bulk import CHUNK_TEXTS, measure_many
from shape_magic.errors import AnalyzerError, ShapeMagicError, WorkersLostError
from shape_magic.shape import Measurement
from tests.executors import (
    TEXTS,
    UnpicklableAnalyzer,
    dask_cluster,
    expected,
    process_pool,
    shouting,
)


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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("FAIL ALONE", "LonelyError: it stays here"),
        ("FAIL ONE WAY", "OneWayError: there and not back"),
    ],
)
def test_processes__tell_what_cannot_come_back(text: str, said: str) -> None:
    with process_pool(1) as executor:
        measured = measure_many(
            ["LOUD", text], executor=executor, progress=False, registry=shouting(), analyzer="shout"
        )
        assert next(measured).kind == "shout"
        with pytest.raises(AnalyzerError, match=f"come back from a worker: {said}") as caught:
            next(measured)
    assert caught.value.__notes__ == ["text number 2 of those to measure"]


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
    executor: Executor, texts: list[str], *, in_flight: int | None = None
) -> tuple[list[Measurement], WorkersLostError]:
    delivered: list[Measurement] = []
    measured = measure_many(
        texts, executor=executor, progress=False, registry=shouting(), in_flight=in_flight
    )
    with pytest.raises(WorkersLostError) as caught:
        take_all(measured, into=delivered)
    return delivered, caught.value


def take_all(measured: Iterator[Measurement], *, into: list[Measurement]) -> None:
    for measurement in measured:
        into.append(measurement)


POOLS = pytest.mark.parametrize("pool", [process_pool, dask_cluster])
Pool = Callable[[int], AbstractContextManager[Executor]]


@POOLS
def test_killed_worker__is_an_error_that_says_how_far_it_came(pool: Pool) -> None:
    before = 2 * CHUNK_TEXTS
    texts = [*TEXTS[:before], "KILL", *TEXTS[:before]]
    with pool(1) as executor:
        delivered, error = delivered_before_the_loss(executor, texts, in_flight=1)
    assert delivered == expected(texts[:before])
    assert error.delivered == before
    assert f"{before} texts had been measured" in str(error)
    assert isinstance(error, ShapeMagicError)
    assert isinstance(error, RuntimeError)


@POOLS
def test_killed_worker__leaves_no_gap_in_what_was_delivered(pool: Pool) -> None:
    # With more under way, what a killed worker of a cluster had measured may be lost with it.
    before = 2 * CHUNK_TEXTS
    texts = [*TEXTS[:before], "KILL", *TEXTS[:before]]
    with pool(2) as executor:
        delivered, error = delivered_before_the_loss(executor, texts)
        assert error.delivered == len(delivered) <= before
        assert delivered == expected(texts[: error.delivered])


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
