"""The widget: every number of a measurement, clickable to the lines it was counted from."""

from os import PathLike
from pathlib import Path
from typing import Any, Final

import anywidget
import traitlets

from shape_magic.analyzers.registry import Registry, default_registry
from shape_magic.debugging.without import shape_without
from shape_magic.deliberation.proposal import Proposal
from shape_magic.errors import SelectionError
from shape_magic.lines import LineRange
from shape_magic.notebook.assets import SCRIPT, STYLES
from shape_magic.notebook.display import Bundle, bundle
from shape_magic.notebook.page import to_html
from shape_magic.notebook.shown import Baseline, shown_of
from shape_magic.notebook.wire import from_wire, to_wire
from shape_magic.shape import Measurement
from shape_magic.vocabulary import ATTRIBUTE_NAMES
from shape_magic.wording import visible

__all__ = ["WIRED", "ShapeView"]

WIRED: Final[dict[str, Any]] = {
    "sync": True,
    "to_json": lambda value, _view: to_wire(value),
    "from_json": lambda value, _view: from_wire(value),
}
"""The tag of a synced trait that holds text."""


class _Selection(traitlets.TraitType[tuple[int, int] | None, Any]):
    """A range of a view's lines, or None."""

    default_value = None

    def validate(self, obj: Any, value: object) -> tuple[int, int] | None:
        total = len(obj.measurement.kinds)
        match value:
            case None:
                return None
            case LineRange(first=first, last=last) | (int(first), int(last)):
                if not (isinstance(first, bool) or isinstance(last, bool)):
                    if 1 <= first <= last <= total:
                        return first, last
                    there = f"lines 1 to {total}" if total else "no lines"
                    raise SelectionError(
                        f"({first}, {last}) cannot be selected: the text has {there}, "
                        "and a selection is (first, last), both included"
                    )
        raise SelectionError(
            f"{value!r} cannot be selected: a selection is (first, last), two line numbers, or None"
        )


class _AttributeName(traitlets.TraitType[str | None, Any]):
    """The name of an attribute, or None."""

    default_value = None

    def validate(self, obj: Any, value: object) -> str | None:
        if value is None or value in ATTRIBUTE_NAMES:
            return value
        raise SelectionError(
            f"{value!r} is no attribute; there are {', '.join(ATTRIBUTE_NAMES)}, or None"
        )


class _Subject(traitlets.TraitType[Measurement | Proposal, Any]):
    """What a view shows."""

    def validate(self, obj: Any, value: object) -> Measurement | Proposal:
        return _measured(value)


def _measured(value: object) -> Measurement | Proposal:
    if isinstance(value, (Measurement, Proposal)):
        return value
    raise TypeError(
        f"a view shows a Measurement or a Proposal, not a {type(value).__name__}; "
        "a text is measured first, as in ShapeView(shape_magic.measure(text))"
    )


def _selection_of_page(value: list[int] | None, view: "ShapeView") -> tuple[int, int] | None:
    """Take a selection from a page; one that was made on another text selects nothing."""
    if value is None or value[1] > len(view.measurement.kinds):
        return None
    return value[0], value[1]


class ShapeView(anywidget.AnyWidget):
    """Shows a measurement or a proposal, and composes like any other widget.

    - `measurement` is what is shown; another one may be put in its place.
    - `selection` is the selected lines as (first, last), both included, or None.
    - `attribute` is the name of the attribute whose lines are highlighted, or None.
    - `search` is the text of the search box.

    All four can be set and observed. SelectionError says why a value cannot be selected.
    `baseline` is what changes are shown against, in place of a proposal's previous version.

    >>> from shape_magic import measure
    >>> view = ShapeView(measure("# A\\n\\nWhy.\\n"))
    >>> view.selection = [1, 2]
    >>> view.selection
    (1, 2)
    """

    _esm = SCRIPT
    _css = STYLES

    measurement = _Subject()
    selection = _Selection(allow_none=True).tag(
        sync=True, from_json=lambda value, view: _selection_of_page(value, view)
    )
    attribute = _AttributeName(allow_none=True).tag(sync=True)
    search = traitlets.Unicode("").tag(**WIRED)
    _shown = traitlets.Unicode("").tag(sync=True)

    def __init__(
        self,
        measurement: Measurement | Proposal,
        *,
        registry: Registry | None = None,
        baseline: Baseline | None = None,
        **options: Any,
    ) -> None:
        self._registry = default_registry() if registry is None else registry
        self._baseline = baseline
        self._revision = 0
        # The measurement comes first: a selection is checked against its lines.
        super().__init__(
            measurement=measurement, **{"_shown": self._written(_measured(measurement)), **options}
        )
        self.observe(self._show, "measurement")
        self.on_msg(self._answer)

    def save(self, path: str | PathLike[str]) -> None:
        """Write what is shown as one page that needs no kernel and no network."""
        page = to_html(self.measurement, registry=self._registry, baseline=self._baseline)
        Path(path).expanduser().write_text(page, encoding="utf-8")

    def _written(self, measurement: Measurement | Proposal) -> str:
        shown = shown_of(measurement, registry=self._registry, baseline=self._baseline)
        return to_wire({"revision": self._revision, **shown})

    def _show(self, change: Any) -> None:
        self._revision += 1
        with self.hold_sync():
            self.selection = self.attribute = None
            self.search = ""
            self._shown = self._written(change["new"])

    def _answer(self, _view: object, message: object, _buffers: object) -> None:
        """Tell a page what the shape would be without the lines that it asks about."""
        match message:
            case {"ask": "without", "revision": revision, "selection": [int(first), int(last)]}:
                if revision == self._revision:
                    asked = {"revision": revision, "selection": [first, last]}
                    self.send({"answer": "without", **asked, **self._without(first, last)})

    def _without(self, first: int, last: int) -> dict[str, Any]:
        subject = self.measurement
        measurement = subject.measurement if isinstance(subject, Proposal) else subject
        try:
            shape = shape_without(measurement, LineRange(first, last), registry=self._registry)
        except ValueError as error:
            return {"reason": visible(str(error))}
        return {"shape": shape.as_dict()}

    def _repr_mimebundle_(self, **_options: Any) -> Bundle:
        """Give the widget together with the forms for where no widget runs."""
        data, metadata = bundle(self.measurement, registry=self._registry)
        widget = super()._repr_mimebundle_()
        if widget is None:
            return data, metadata
        return {**widget[0], **data}, {**metadata, **widget[1]}
