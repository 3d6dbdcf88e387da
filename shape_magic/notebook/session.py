"""What the magics of one shell share: the registry, the deliberation and the cell as typed."""

import difflib
import re
from typing import TYPE_CHECKING, Final

from IPython.core.error import UsageError
from IPython.core.interactiveshell import ExecutionInfo, InteractiveShell

from shape_magic.analyzers.registry import Registry, default_registry
from shape_magic.wording import one_line, quoted

if TYPE_CHECKING:
    from shape_magic.deliberation import Deliberation

__all__ = ["Session"]

_CELL_CALL: Final = re.compile(r"\s*+(?:>>> |In \[\d++\]: )?+\s*+%%")


class Session:
    """One shell's session; it is passed to every magic, and nothing is global."""

    def __init__(self, shell: InteractiveShell, *, registry: Registry | None = None) -> None:
        self.shell = shell
        self.registry = default_registry() if registry is None else registry
        self._deliberation: Deliberation | None = None
        self._raw_cell: str | None = None

    @property
    def deliberation(self) -> "Deliberation":
        """The session's deliberation: in memory, until another one is put in its place.

        A user may have closed it. Then its file is opened again, or, where it was in memory, a new
        one is begun.
        """
        if self._deliberation is None or self._deliberation.closed:
            from shape_magic.deliberation import Deliberation

            path = None if self._deliberation is None else self._deliberation.path
            self._deliberation = Deliberation(registry=self.registry, path=path)
        return self._deliberation

    def take_along(self, into: "Deliberation") -> None:
        """Copy what the session holds in memory into the deliberation that it switches to."""
        before = self._deliberation
        if before is not None and before.path is None and not before.closed:
            into.add_deliberation(before)

    def switch(self, deliberation: "Deliberation") -> None:
        """Put another deliberation in place.

        The one before is left open, since a variable may hold it: it closes once nothing does.
        """
        self._deliberation = deliberation

    def release(self) -> None:
        """Let go of the deliberation; it closes once no variable holds it either."""
        self._deliberation = None

    def remember_cell(self, info: ExecutionInfo) -> None:
        """Keep the cell that is about to run (the callback of the event `pre_run_cell`)."""
        self._raw_cell = info.raw_cell
        # Pyodide's kernel closes a cell's last line before it runs the cell. The message that asked
        # for it has the cell as it was typed.
        get_parent = getattr(getattr(self.shell, "kernel", None), "get_parent", None)
        message = get_parent() if get_parent else None
        if message and info.raw_cell == f"{message.get('content', {}).get('code')}\n":
            self._raw_cell = message["content"]["code"]

    def typed_body(self, magic: str, line: str, cell: str) -> str:
        """Give the body of a cell magic's call as it was typed; `cell` is what IPython handed over.

        IPython's own transforms went over that: a first line that begins with `>>> ` or `In [1]:`
        has lost that, and a final newline is appended. The cell as typed is this call's just when
        IPython's transform of it is this call; under `%%time`, say, it is not.
        """
        raw_cell = self._raw_cell
        call = f"get_ipython().run_cell_magic({magic!r}, {line!r}, {cell!r})\n"
        # A cell may also call the magic from code, and then there is no body to look for.
        if raw_cell is not None and self.shell.transform_cell(raw_cell) == call:
            # IPython cuts off its first line with `splitlines`, and so the same is cut off here.
            lines = raw_cell.splitlines(keepends=True)
            opening = next((n for n, text in enumerate(lines) if _CELL_CALL.match(text)), None)
            if opening is not None:
                return "".join(lines[opening + 1 :])
        return cell.removesuffix("\n")

    @property
    def variables(self) -> list[str]:
        """The names of the user's variables.

        A name of IPython's own that was bound to something else is the user's.
        """
        hidden, none = self.shell.user_ns_hidden, object()
        return [
            name
            for name, value in self.shell.user_ns.items()
            if not name.startswith("_") and value is not hidden.get(name, none)
        ]

    def lookup(self, name: str) -> object:
        """Give the value of a variable; UsageError names the nearest ones there are."""
        try:
            return self.shell.user_ns[name]
        except KeyError:
            near = difflib.get_close_matches(name, self.variables, n=3, cutoff=0.7)
            hint = f"; did you mean {one_line(' or '.join(near))}?" if near else ""
            raise UsageError(f"there is no variable {quoted(name)} in this session{hint}") from None

    def text_variable(self, name: str, *, option: str, meaning: str) -> str:
        """Give the text that a variable holds; UsageError where it holds no str."""
        value = self.lookup(name)
        if not isinstance(value, str):
            found = one_line(type(value).__name__)
            raise UsageError(f"{option} {name} is of type {found}; {meaning} is a str")
        return value
