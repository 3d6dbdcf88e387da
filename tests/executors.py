"""Executors of every kind, and an analyzer that fails or kills on demand."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager

import pytest

from shape_magic.analyzers.markdown import MarkdownAnalyzer
from shape_magic.analyzers.registry import Registry, default_registry
from shape_magic.bulk import CHUNK_TEXTS
from shape_magic.shape import Evidence, Measurement

TEXTS = [
    f"# Part {number}\n\n" + "- item\n" * (number % 7) + "\ud800 x" * (number % 3)
    for number in range(3 * CHUNK_TEXTS + 5)
]


class LonelyError(Exception):
    """Cannot be pickled."""

    def __str__(self) -> str:
        return "it stays here"


class OneWayError(Exception):
    """Can be pickled, and not be made again of its pickle."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first} and {second}")


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
        if text == "FAIL ALONE":
            raise LonelyError(threading.Lock())
        if text == "FAIL ONE WAY":
            raise OneWayError("there", "not back")
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
    # Imported here, since Dask takes its time, few modules need it, and the extra `dev` lacks it.
    dask = pytest.importorskip("dask")
    distributed = pytest.importorskip("distributed")
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client.get_executor()


def expected(texts: Iterable[str], registry: Registry | None = None) -> list[Measurement]:
    return [(registry or default_registry()).measure(text) for text in texts]


EXECUTORS: dict[str, Callable[[int], AbstractContextManager[Executor]]] = {
    "threads": ThreadPoolExecutor,
    "processes": process_pool,
    "dask": dask_cluster,
}
