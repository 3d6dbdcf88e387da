"""The progress bar: tqdm's, also where there are no threads."""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tqdm.auto import tqdm

__all__ = ["progress_bar"]


def progress_bar(**options: Any) -> "tqdm[Any]":
    """Return tqdm's bar for a notebook or a terminal, with tqdm's own options.

    >>> with progress_bar(total=2, disable=True) as bar:
    ...     _ = bar.update(2)
    """
    # Imported here, since in a notebook this import loads ipywidgets.
    from tqdm.auto import tqdm

    if sys.platform == "emscripten":
        # A browser starts no thread, and tqdm warns where its own, which redraws, does not start.
        tqdm.monitor_interval = 0
    return tqdm(**options)
