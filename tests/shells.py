"""A shell to run magics in, made for one test and gone after it."""

import atexit
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, cast

from IPython.core.interactiveshell import InteractiveShell

from shape_magic.vocabulary import CATEGORY_NAMES


@contextmanager
def new_shell(folder: Path, *, load: bool = True) -> Iterator[InteractiveShell]:
    """Make a shell of its own, with the extension loaded; nothing is left of it."""
    os.environ["IPYTHONDIR"] = str(folder)
    shell: InteractiveShell = InteractiveShell.instance()
    try:
        if load:
            extension(shell, "load")
        yield shell
        if load:
            extension(shell, "unload")
    finally:
        cast(Any, shell.history_manager).end_session()
        # Else each of hundreds of shells is reset when the tests are done, which takes minutes.
        atexit.unregister(shell.atexit_operations)
        InteractiveShell.clear_instance()
        del os.environ["IPYTHONDIR"]


def extension(shell: InteractiveShell, action: Literal["load", "unload", "reload"]) -> None:
    """Load, unload or reload the extension, as the magics of these names do."""
    getattr(shell.extension_manager, f"{action}_extension")("shape_magic")


def run(shell: InteractiveShell, cell: str) -> Any:
    """Run a cell and give its value; an error is raised."""
    result = shell.run_cell(cell)
    result.raise_error()
    return result.result


def reply_of(*agent_ids: str, **changes: Any) -> str:
    """Write a model's reply that evaluates some candidates, all alike."""
    evaluation = {
        "score": 0.25,
        "justification": "seen",
        "stance": "agree",
        "claim_assessments": [],
        "category_scores": dict.fromkeys(CATEGORY_NAMES, 20),
        **changes,
    }
    items = [{"agent_id": agent_id, **evaluation} for agent_id in agent_ids]
    return json.dumps({"evaluations": items})
