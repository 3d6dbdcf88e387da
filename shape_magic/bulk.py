"""Many texts: measured in order, with a progress bar, on one core or on an executor's workers.

Texts travel in chunks, and only a bounded number of chunks is under way, so that a stream of any
length takes constant memory. Whatever goes wrong takes its place in the order: everything before
it is delivered first.
"""

import functools
import os
import pickle
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sized
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import closing
from itertools import islice
from typing import Final

import msgspec

from shape_magic.analyzers.registry import Failures, Registry, default_registry, said
from shape_magic.errors import AnalyzerError, ArgumentError, WorkersLostError
from shape_magic.progress import progress_bar
from shape_magic.shape import Measurement

__all__ = ["measure_many"]

Measured = Generator[Measurement, None, None]

CHUNK_TEXTS: Final = 32
"""How many texts a worker gets at once."""

CHUNK_CHARS: Final = 200_000
"""A chunk is sent on early where its texts reach this many characters."""


class _Answer(msgspec.Struct, frozen=True):
    """What a worker made of a chunk: measurements, and what the text after them raised."""

    measurements: tuple[Measurement, ...] = ()
    failures: Failures | None = None
    """The analyzers that another one answered for."""
    raised: Exception | None = None


def measure_many(
    texts: Iterable[str],
    *,
    executor: Executor | None = None,
    progress: bool = True,
    registry: Registry | None = None,
    analyzer: str | None = None,
    in_flight: int | None = None,
) -> Measured:
    """Measure many texts, in their order, as they are asked for.

    >>> [made.shape.headings for made in measure_many(["# A", "plain"], progress=False)]
    [1, 0]

    `executor` is any `concurrent.futures.Executor`: a process pool, or a cluster's, as Dask's
    `client.get_executor()`. It stays the caller's and is not shut down. Without one, the calling
    thread measures. `progress` shows tqdm's bar, which knows its end where `texts` has a length.

    `registry` and `analyzer` mean what they mean for one text. To workers that are not threads of
    this process the registry travels by pickle, so analyzers must be picklable and importable
    there; AnalyzerError says which one is not. Of an analyzer that fails on some texts, one warning
    tells at the end, with their number.

    `in_flight` is how many chunks (of 32 texts, fewer where they are long) are under way at once,
    by default four for each of this machine's cores. Give at least two for each worker of a
    cluster. No more texts than that are taken from `texts` ahead of what was delivered.

    An exception that a text causes is raised in that text's place, with its number in a note.
    WorkersLostError, where the executor itself fails, has the number of measurements `delivered`.
    """
    if isinstance(texts, str):
        raise TypeError("texts is one str; measure_many takes an iterable of them, as in [text]")
    if in_flight is not None and in_flight < 1:
        raise ArgumentError(f"in_flight is {in_flight}; at least one chunk is under way")
    registry = default_registry() if registry is None else registry
    if analyzer is not None:
        registry.get(analyzer)
    failures = Failures()
    if executor is None:
        measured = _measure_here(texts, registry, analyzer, failures)
    else:
        submit = _submitter(executor, registry, analyzer)
        measured = _spread(texts, submit, in_flight or 4 * (os.cpu_count() or 1), failures)
    measured = _with_warning(measured, failures)
    if not progress:
        return measured
    return _with_bar(measured, total=len(texts) if isinstance(texts, Sized) else None)


def _with_warning(measured: Measured, failures: Failures) -> Measured:
    try:
        with closing(measured):
            yield from measured
    finally:
        failures.warn()


def _with_bar(measured: Measured, *, total: int | None) -> Measured:
    with closing(measured), progress_bar(total=total, unit="text") as bar:
        for measurement in measured:
            bar.update()
            yield measurement


def _measure_here(
    texts: Iterable[str], registry: Registry, analyzer: str | None, failures: Failures
) -> Measured:
    for number, text in enumerate(texts, start=1):
        try:
            measurement = registry.measure_telling(text, failures, analyzer=analyzer)
        except Exception as error:
            _add_number(error, number)
            raise
        yield measurement


def _add_number(error: Exception, number: int) -> None:
    error.add_note(f"text number {number:,} of those to measure")


def _spread(
    texts: Iterable[str],
    submit: Callable[[list[str]], Future[_Answer]],
    in_flight: int,
    failures: Failures,
) -> Measured:
    """Keep chunks under way and deliver their measurements in order."""
    pending: deque[Future[_Answer]] = deque()
    delivered = 0
    futures = _futures(texts, submit)
    try:
        while True:
            pending.extend(islice(futures, in_flight - len(pending)))
            if not pending:
                return
            for measurement in _opened(pending.popleft(), delivered, failures):
                delivered += 1
                yield measurement
    finally:
        for future in pending:
            future.cancel()


def _futures(
    texts: Iterable[str], submit: Callable[[list[str]], Future[_Answer]]
) -> Iterator[Future[_Answer]]:
    """Submit chunk after chunk; what fails on the way becomes a future in its place."""
    chunks = _chunks(texts)
    while True:
        future: Future[_Answer] = Future()
        try:
            chunk = next(chunks, None)
        except Exception as error:
            future.set_result(_Answer(raised=error))
            yield future
            return
        if chunk is None:
            return
        try:
            future = submit(chunk)
        except Exception as error:
            # A broken pool refuses work; the answers that it gave before are still to be had.
            future.set_exception(error)
            yield future
            return
        yield future


def _chunks(texts: Iterable[str]) -> Iterator[list[str]]:
    chunk: list[str] = []
    chars = 0
    try:
        for text in texts:
            if not isinstance(text, str):
                raise TypeError(f"a text to measure is a str, not {type(text).__name__}")
            chunk.append(text)
            chars += len(text)
            if len(chunk) >= CHUNK_TEXTS or chars >= CHUNK_CHARS:
                yield chunk
                chunk, chars = [], 0
    except Exception:
        if chunk:
            yield chunk
        raise
    if chunk:
        yield chunk


def _opened(future: Future[_Answer], delivered: int, failures: Failures) -> Iterator[Measurement]:
    """Hand over a chunk's measurements, then raise what stopped it, if anything did."""
    try:
        answer = future.result()
    except Exception as error:
        raise WorkersLostError(
            f"the executor failed when {delivered:,} texts had been measured and delivered "
            f"({said(error)}); "
            f"the texts from number {delivered + 1:,} on are still to be measured",
            delivered=delivered,
        ) from error
    if answer.failures is not None:
        failures.update(answer.failures)
    yield from answer.measurements
    if answer.raised is not None:
        _add_number(answer.raised, delivered + len(answer.measurements) + 1)
        raise answer.raised


def _submitter(
    executor: Executor, registry: Registry, analyzer: str | None
) -> Callable[[list[str]], Future[_Answer]]:
    """Choose how a chunk reaches the workers: threads share the registry, others get a copy."""
    if isinstance(executor, ThreadPoolExecutor):
        return lambda chunk: executor.submit(_measure_chunk, registry, analyzer, chunk)
    payload = _pickled(registry)
    return lambda chunk: executor.submit(_measure_chunk_apart, payload, analyzer, chunk)


def _pickled(registry: Registry) -> bytes:
    for analyzer in registry:
        try:
            pickle.dumps(analyzer)
        except Exception as error:
            raise AnalyzerError(
                f"the analyzer {analyzer.kind!r} cannot travel to the executor's workers "
                f"({said(error)}); make {analyzer!r} picklable, "
                "or measure with threads or without an executor"
            ) from error
    return pickle.dumps(registry)


def _measure_chunk(registry: Registry, analyzer: str | None, chunk: list[str]) -> _Answer:
    measurements: list[Measurement] = []
    failures = Failures()
    for text in chunk:
        try:
            measurements.append(registry.measure_telling(text, failures, analyzer=analyzer))
        except Exception as error:
            return _Answer(tuple(measurements), failures, raised=error)
    return _Answer(tuple(measurements), failures)


def _measure_chunk_apart(payload: bytes, analyzer: str | None, chunk: list[str]) -> _Answer:
    """Measure in a worker process: all that comes back is picklable."""
    try:
        registry = _unpickled(payload)
    except Exception as error:
        return _Answer(
            raised=AnalyzerError(
                f"the registry cannot be loaded in a worker ({said(error)}); "
                "define its analyzers in a module that the workers can import"
            )
        )
    answer = _measure_chunk(registry, analyzer, chunk)
    if answer.raised is None:
        return answer
    return msgspec.structs.replace(answer, raised=_portable(answer.raised))


@functools.lru_cache(maxsize=4)
def _unpickled(payload: bytes) -> Registry:
    registry: Registry = pickle.loads(payload)
    return registry


def _portable(error: Exception) -> Exception:
    """Give an exception that survives the way back, in place of one that does not."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return AnalyzerError(
            f"an analyzer raised what cannot come back from a worker: {said(error)}"
        )
    return error
