"""Load the extension into a shell, and take all of it out again."""

from collections.abc import Callable
from typing import Final

from IPython.core.interactiveshell import InteractiveShell

from shape_magic.notebook.display import Display
from shape_magic.notebook.magics import MAGICS
from shape_magic.notebook.magics.completion import matcher
from shape_magic.notebook.session import Session

__all__ = ["load", "unload"]

_UNDO: Final = "_shape_magic_unload"
"""Where a shell keeps how to undo the loading: in the shell, so that nothing here is global."""

_HANDED_OVER: Final = "_shape_magic_session"
"""Where a shell keeps the session that was unloaded, until the cell that did so has ended.

`%reload_ext` unloads and loads, and says to neither that the other one follows.
"""

_ESCAPES: Final = {"line": "%", "cell": "%%"}


def load(shell: InteractiveShell) -> None:
    """Register the magics, their completion and the displays.

    A second load, as by `%reload_ext`, replaces the first and takes its deliberation over.
    """
    unload(shell)
    session = _handed_over(shell) or Session(shell)
    display = Display(session)
    containers = [container(session) for container in MAGICS]
    names: dict[str, Callable[..., object]] = {}
    for container in containers:
        shell.register_magics(container)
        for magic_kind, magics in container.magics.items():
            names |= {_ESCAPES[magic_kind] + name: magic for name, magic in magics.items()}
    completes = matcher(session, names)
    shell.Completer.custom_matchers.append(completes)
    shell.events.register("pre_run_cell", session.remember_cell)
    display.load()

    def undo() -> Session:
        display.unload()
        shell.events.unregister("pre_run_cell", session.remember_cell)
        shell.Completer.custom_matchers.remove(completes)
        ours: set[object] = set(containers)
        shell.configurables[:] = [other for other in shell.configurables if other not in ours]
        manager = shell.magics_manager
        for container in containers:
            manager.registry.pop(type(container).__name__, None)
            for magic_kind, magics in container.magics.items():
                for name, function in magics.items():
                    # Another extension may have taken the name since; that one stays.
                    if manager.magics[magic_kind].get(name) == function:
                        del manager.magics[magic_kind][name]
        return session

    setattr(shell, _UNDO, undo)


def unload(shell: InteractiveShell) -> None:
    """Take out what `load` put in; nothing to do where it was not loaded.

    The deliberation is let go of when the cell that asked for this has ended, or the next one
    where none did.
    """
    undo = getattr(shell, _UNDO, None)
    if undo is None:
        return
    delattr(shell, _UNDO)
    session: Session = undo()

    def release() -> None:
        if _handed_over(shell) is not None:
            session.release()

    setattr(shell, _HANDED_OVER, (session, release))
    shell.events.register("post_execute", release)


def _handed_over(shell: InteractiveShell) -> Session | None:
    """Take the session that was unloaded in this cell, where one was."""
    kept: tuple[Session, Callable[[], None]] | None = vars(shell).pop(_HANDED_OVER, None)
    if kept is None:
        return None
    session, release = kept
    shell.events.unregister("post_execute", release)
    return session
