"""Many texts: the same measurements in the same order, wherever they are made."""

import itertools
import subprocess
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shape_magic.analyzers.markdown import MarkdownAnalyzer
from shape_magic.analyzers.registry import Registry
from shape_magic.bulk import CHUNK_TEXTS, measure_many
from shape_magic.errors import AnalyzerWarning
from shape_magic.shape import Measurement
from tests.executors import TEXTS, expected, shouting


def test_executor__delivers_what_one_call_after_another_gives(executor: Executor) -> None:
    assert list(measure_many(TEXTS, executor=executor, progress=False)) == expected(TEXTS)


def test_executor__measures_with_the_registry_of_the_call(executor: Executor) -> None:
    texts = ["# a", "LOUD", "# b"]
    measured = measure_many(texts, executor=executor, progress=False, registry=shouting())
    assert [measurement.analyzer for measurement in measured] == [
        "markdown/2",
        "shout/7",
        "markdown/2",
    ]


def test_executor__failures_of_an_analyzer_are_one_warning(
    executor: Executor,
) -> None:
    texts = ["FAIL", "quiet"] * 40
    measuring = measure_many(texts, executor=executor, progress=False, registry=shouting())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        measured = list(measuring)
    assert measured == expected_plain("FAIL", "quiet") * 40
    assert [str(warning.message) for warning in caught] == [
        "the analyzer 'shout' failed on 40 texts, the first time with LookupError: a text says "
        "FAIL; the next one answered"
    ]


def test_analyzers_warning__comes_also_where_the_rest_is_not_asked_for() -> None:
    measured = measure_many(["FAIL", "a"], progress=False, registry=shouting())
    assert next(measured).kind == "markdown"
    with pytest.warns(AnalyzerWarning, match="'shout' failed with LookupError"):
        measured.close()


def expected_plain(*texts: str) -> list[Measurement]:
    return expected(texts, Registry(fallback=MarkdownAnalyzer()))


class CountingExecutor(ThreadPoolExecutor):
    """Knows how long its chunks were, and how many were under way at most."""

    def __init__(self) -> None:
        super().__init__(2)
        self.most = 0
        self.sizes: list[int] = []
        self._open: list[Future[object]] = []

    def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]
        future = super().submit(fn, *args, **kwargs)
        self._open = [running for running in self._open if not running.done()] + [future]
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
        for delivered, measurement in enumerate(measured, start=1):
            assert measurement.text == f"text {delivered - 1}"
            ahead = max(ahead, taken - delivered)
    assert delivered == 5_000
    assert ahead < 3 * CHUNK_TEXTS
    assert executor.most <= 3


class HesitantExecutor(ThreadPoolExecutor):
    """Does the first piece of work at once, and lets all others wait."""

    def __init__(self) -> None:
        super().__init__(1)
        self.futures: list[Future[object]] = []

    def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]
        future: Future[object] = Future()
        if not self.futures:
            future.set_result(fn(*args, **kwargs))
        self.futures.append(future)
        return future


@pytest.mark.parametrize(("cores", "in_flight"), [(None, 4), (1, 4), (3, 12)])
def test_chunks__are_four_for_each_core__and_are_cancelled_where_the_rest_is_not_asked_for(
    cores: int | None, in_flight: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    with HesitantExecutor() as executor:
        measured = measure_many(itertools.repeat("a"), executor=executor, progress=False)
        assert next(measured).shape.chars == 1
        assert len(executor.futures) == in_flight
        measured.close()
        assert all(future.cancelled() for future in executor.futures[1:])


def test_long_texts__travel_in_smaller_chunks() -> None:
    with CountingExecutor() as executor:
        texts = ["x" * 150_000] * 4
        measured = measure_many(iter(texts), executor=executor, progress=False)
        assert [measurement.shape.chars for measurement in measured] == [150_000] * 4
    assert executor.sizes == [2, 2]


def test_iterator__closed_early_leaves_the_executor_usable() -> None:
    with ThreadPoolExecutor(1) as executor:
        measured = measure_many(itertools.repeat("a"), executor=executor, progress=False)
        assert next(measured).shape.chars == 1
        measured.close()
        assert executor.submit(int, "3").result(timeout=10) == 3


@given(st.lists(st.text(st.characters(codec=None), max_size=20), max_size=70))
def test_any_texts__come_back_equal_and_in_order(texts: list[str]) -> None:
    with ThreadPoolExecutor(2) as executor:
        assert list(measure_many(texts, executor=executor, progress=False)) == expected(texts)


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
