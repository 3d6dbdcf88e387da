"""The widget: every number of a measurement, clickable to the lines it was counted from."""

import time
from os import PathLike
from pathlib import Path
from typing import Any, Final

import anywidget
import traitlets

from shape_magic.analyzers.registry import Registry, default_registry
from shape_magic.deliberation.proposal import Proposal
from shape_magic.errors import SelectionError
from shape_magic.lines import LineRange
from shape_magic.notebook.display import Bundle, plain_text
from shape_magic.notebook.library import widget_module
from shape_magic.notebook.link import answer, current_cell
from shape_magic.notebook.place import Place, place_of, to_html
from shape_magic.notebook.said import Evaluations
from shape_magic.notebook.view_data import Baseline, candidate_of, from_wire, to_wire
from shape_magic.shape import Measurement
from shape_magic.vocabulary import ATTRIBUTE_NAMES

__all__ = ["Playground", "ShapeView"]

_WIRED: Final[dict[str, Any]] = {
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
    `evaluations` are what evaluators said of the version that is shown first: each claim is marked
    at the lines that hold it. They are a list, as `Deliberation.evaluations` gives it, or lists by
    the names of arms.

    Displayed by itself it lasts as any output: the page finds the view that this one is by the
    cell that it was displayed in, by what it shows, and by when that was.

    >>> from shape_magic import measure
    >>> view = ShapeView(measure("# A\\n\\nWhy.\\n"))
    >>> view.selection = [1, 2]
    >>> view.selection
    (1, 2)
    """

    _esm = widget_module()

    measurement = _Subject()
    selection = _Selection(allow_none=True).tag(
        sync=True, from_json=lambda value, view: _selection_of_page(value, view)
    )
    attribute = _AttributeName(allow_none=True).tag(sync=True)
    search = traitlets.Unicode("").tag(**_WIRED)
    _shown = traitlets.Unicode("").tag(sync=True)
    # Where it was displayed: [cell, digest, time in seconds] for each time.
    _displays: traitlets.List[Any] = traitlets.List().tag(sync=True)

    def __init__(
        self,
        measurement: Measurement | Proposal,
        *,
        registry: Registry | None = None,
        baseline: Baseline | None = None,
        evaluations: Evaluations = (),
        **options: Any,
    ) -> None:
        self._registry = default_registry() if registry is None else registry
        self._baseline = baseline
        self._evaluations = evaluations
        self._place = self._placed(_measured(measurement))
        # The measurement comes first: a selection is checked against its lines.
        super().__init__(measurement=measurement, **{"_shown": self._written(), **options})
        self.observe(self._show, "measurement")
        self.on_msg(self._hear)

    def save(self, path: str | PathLike[str]) -> None:
        """Write what is shown as one page that needs no kernel and no network."""
        page = to_html(self.measurement, baseline=self._baseline, evaluations=self._evaluations)
        Path(path).expanduser().write_text(page, encoding="utf-8")

    def _placed(self, measurement: Measurement | Proposal) -> Place:
        return place_of(measurement, baseline=self._baseline, evaluations=self._evaluations)

    def _written(self) -> str:
        return to_wire(self.data)

    def _show(self, change: Any) -> None:
        # What was said was said of another text.
        self._evaluations = ()
        self._place = self._placed(change["new"])
        with self.hold_sync():
            self.selection = self.attribute = None
            self.search = ""
            self._shown = self._written()

    def _hear(self, _view: object, message: object, _buffers: object) -> None:
        """Answer a question of the page; one about an earlier text has no answer any more."""
        answered = answer(message, find=self._find, registry=self._registry)
        if answered is not None:
            self.send(answered)

    def _find(self, digest: str) -> Measurement | None:
        return candidate_of(self.measurement)[1] if digest == self._place.digest else None

    @property
    def data(self) -> dict[str, Any]:
        """What is shown, as plain data for a page."""
        return {"digest": self._place.digest, **self._place.data}

    def displayed_in(self, digest: str) -> None:
        """Note that the view stands in the output of the cell that runs, under this digest."""
        self._displays = [*self._displays, [current_cell(), digest, time.time()]]

    def _repr_mimebundle_(self, **_options: Any) -> Bundle:
        """Give the forms of what is shown, which outlive the kernel."""
        self.displayed_in(self._place.digest)
        return {"text/plain": plain_text(self.measurement), "text/html": self._place.html}, {}


class Playground(ShapeView):
    """A text area beside a view that follows the typing: a live field for teaching.

    `text` is what stands in the area: it can be set and observed. The rest is as in `ShapeView`;
    the attribute and the search stay while the text changes. Without its kernel it is a view of
    what was measured last when the notebook was saved.

    >>> playground = Playground("# A")
    >>> playground.text = "- one\\n- two"
    >>> playground.measurement.shape.list_items
    2
    """

    # The area has the text already: an echo of it would be a second copy for each key.
    text = traitlets.Unicode("").tag(echo_update=False, **_WIRED)

    def __init__(self, text: str = "", *, registry: Registry | None = None, **options: Any) -> None:
        measures = default_registry() if registry is None else registry
        super().__init__(measures.measure(text), registry=measures, text=text, **options)
        self.observe(self._measure, "text")

    def _measure(self, change: Any) -> None:
        kept = self.attribute, self.search
        with self.hold_sync():
            self.measurement = self._registry.measure(change["new"])
            self.attribute, self.search = kept
