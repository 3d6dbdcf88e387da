"""What a displayed value is in a notebook: the widget, the same as a page's body, or neither."""

from typing import Any, Literal, get_args

from IPython.core.interactiveshell import ExecutionInfo, InteractiveShell

from shape_magic.analyzers.registry import Registry
from shape_magic.deliberation.proposal import Proposal
from shape_magic.notebook.display import Bundle, Displayed, bundle
from shape_magic.shape import Measurement

__all__ = ["DISPLAYS", "Display", "LiveDisplay"]

Display = Literal["widget", "html", "static"]
"""How values show: as the widget; as HTML that is live without a kernel; as static HTML."""

DISPLAYS: tuple[Display, ...] = get_args(Display)


class LiveDisplay:
    """Makes the bundles of one shell, and closes the widgets of a cell when it runs again.

    Without that, each run of a cell would leave a widget behind, in the kernel and in the page.
    """

    def __init__(self, shell: InteractiveShell, *, registry: Registry) -> None:
        self._has_kernel = hasattr(shell, "kernel")
        self._registry = registry
        self._cell: str | None = None
        self._views: dict[str, list[Any]] = {}

    def begin_cell(self, info: ExecutionInfo) -> None:
        """Close what the cell showed before (the callback of the event `pre_run_cell`)."""
        self._cell = info.cell_id
        for view in self._views.pop(info.cell_id or "", []):
            # ipywidgets leaves the layout, which is a widget too.
            view.layout.close()
            view.close()

    def bundle(self, subject: Displayed, display: Display) -> Bundle:
        """Give the forms of a value: static ones, and of one measurement what `display` names."""
        if not isinstance(subject, (Measurement, Proposal)) or display == "static":
            return bundle(subject, registry=self._registry)
        if display == "html":
            from shape_magic.notebook.page import body_html

            data, metadata = bundle(subject, registry=self._registry)
            return {**data, "text/html": body_html(subject, registry=self._registry)}, metadata
        if not self._has_kernel:
            return bundle(subject, registry=self._registry)
        from shape_magic.notebook.view import ShapeView

        view = ShapeView(subject, registry=self._registry)
        if self._cell is not None:
            self._views.setdefault(self._cell, []).append(view)
        return view._repr_mimebundle_()
