"""A live field for teaching: type a text, and its shape follows."""

from typing import Any

import traitlets

from shape_magic.analyzers.registry import Registry, default_registry
from shape_magic.notebook.view import WIRED, ShapeView

__all__ = ["Playground"]


class Playground(ShapeView):
    """A text area beside a view that follows the typing.

    `text` is what stands in the area: it can be set and observed. The rest is as in `ShapeView`;
    the attribute and the search stay while the text changes.

    >>> playground = Playground("# A")
    >>> playground.text = "- one\\n- two"
    >>> playground.measurement.shape.list_items
    2
    """

    # The area has the text already: an echo of it would be a second copy for each key.
    text = traitlets.Unicode("").tag(echo_update=False, **WIRED)

    def __init__(self, text: str = "", *, registry: Registry | None = None, **options: Any) -> None:
        measures = default_registry() if registry is None else registry
        super().__init__(measures.measure(text), registry=measures, text=text, **options)
        self.observe(self._measure, "text")

    def _measure(self, change: Any) -> None:
        kept = self.attribute, self.search
        with self.hold_sync():
            self.measurement = self._registry.measure(change["new"])
            self.attribute, self.search = kept
