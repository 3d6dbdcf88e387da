"""What the magics of one shell share: the registry, the deliberation and the cell as typed."""

from typing import TYPE_CHECKING

from IPython.core.interactiveshell import ExecutionInfo, InteractiveShell

from shape_magic.analyzers.registry import Registry, default_registry
from shape_magic.notebook.cell import body_as_typed

if TYPE_CHECKING:
    from shape_magic.deliberation import Deliberation

__all__ = ["Session"]


class Session:
    """One shell's session; it is passed to every magic, and nothing is global."""

    def __init__(self, shell: InteractiveShell, *, registry: Registry | None = None) -> None:
        self.shell = shell
        self.registry = default_registry() if registry is None else registry
        self._deliberation: Deliberation | None = None
        self._raw_cell: str | None = None

    @property
    def deliberation(self) -> "Deliberation":
        """The session's deliberation: in memory, until another one is put in its place."""
        if self._deliberation is None:
            from shape_magic.deliberation import Deliberation

            self._deliberation = Deliberation(registry=self.registry)
        return self._deliberation

    @deliberation.setter
    def deliberation(self, deliberation: "Deliberation") -> None:
        self.close()
        self._deliberation = deliberation

    def close(self) -> None:
        """Close the deliberation; the next use opens a new one in memory."""
        if self._deliberation is not None:
            self._deliberation.close()
            self._deliberation = None

    def remember_cell(self, info: ExecutionInfo) -> None:
        """Keep the cell that is about to run (the callback of the event `pre_run_cell`)."""
        self._raw_cell = info.raw_cell

    def typed_body(self, magic: str, line: str, cell: str) -> str:
        """Give the body of a cell magic's call as it was typed, to the letter."""
        return body_as_typed(self.shell, magic, line, cell, raw_cell=self._raw_cell)
