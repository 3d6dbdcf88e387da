"""The bar where there are no threads."""

import sys
import threading

import pytest
from tqdm.auto import tqdm

from shape_magic import measure_many


def test_bar__where_no_thread_starts__does_without_and_warns_of_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(sys, "platform", "emscripten")
    monkeypatch.setattr(threading.Thread, "start", refuse)
    monkeypatch.setattr(tqdm, "monitor", None)
    monkeypatch.setattr(tqdm, "monitor_interval", 10)
    assert [found.shape.headings for found in measure_many(["# A", "b"], progress=True)] == [1, 0]
    assert "2/2" in capsys.readouterr().err
