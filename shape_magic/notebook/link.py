"""The link between what a notebook shows and its kernel.

What is displayed needs no kernel. Where one is there, a widget that is never displayed answers
what only Python can: its module runs in the page as soon as its comm opens. A question names what
it is about by digest. Where that is not known here, as in a notebook that was opened again, the
page sends the text along; it is measured again, and refused where the figures are others.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import anywidget
import traitlets
from IPython.core.interactiveshell import ExecutionInfo, InteractiveShell

from shape_magic.analyzers.registry import Registry
from shape_magic.debugging.explain import explain
from shape_magic.debugging.without import shape_without
from shape_magic.deliberation.matrix import Matrix
from shape_magic.deliberation.store import Store
from shape_magic.errors import RemovalError
from shape_magic.lines import LineRange
from shape_magic.notebook.candidates import answer_opening
from shape_magic.notebook.library import widget_module
from shape_magic.notebook.session import Session
from shape_magic.notebook.view_data import from_wire, text_of
from shape_magic.shape import Measurement
from shape_magic.vocabulary import ATTRIBUTE_NAMES
from shape_magic.wording import visible

__all__ = ["KernelLink", "Subjects", "answer", "current_cell"]

KEPT: Final = 256
"""How many displayed values questions can be asked about by digest alone."""

Find = Callable[[str], Measurement | None]


class Subjects:
    """The last values that were displayed, by the cell that did so and their digest."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str | None, str], Measurement | Matrix] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def keep(self, digest: str, subject: Measurement | Matrix, *, cell: str | None) -> None:
        """Keep what a cell displayed; the oldest goes where there are too many."""
        self._kept[cell, digest] = subject
        self._kept.move_to_end((cell, digest))
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)

    def find(self, digest: str) -> Measurement | None:
        """Give the measurement that a digest names, where it is kept."""
        found = (kept for kept in self._named(digest) if isinstance(kept, Measurement))
        return next(found, None)

    def stores(self, digest: str) -> list[Store]:
        """Give where the matrices that a digest names come from."""
        matrices = (kept for kept in self._named(digest) if isinstance(kept, Matrix))
        return [matrix.store for matrix in matrices if matrix.store is not None]

    def _named(self, digest: str) -> Iterator[Measurement | Matrix]:
        return (subject for (_, known), subject in self._kept.items() if known == digest)

    def begin_cell(self, info: ExecutionInfo) -> None:
        """Free what the cell displayed before (the callback of the event `pre_run_cell`)."""
        for key in [key for key in self._kept if key[0] == info.cell_id]:
            del self._kept[key]


class KernelLink(anywidget.AnyWidget):
    """Answers the questions of a notebook's views; it is never displayed."""

    _esm = widget_module()

    since = traitlets.Float().tag(sync=True)
    """When it was made, in seconds: of two links of a notebook the later one answers."""

    def __init__(self, subjects: Subjects, *, session: Session) -> None:
        super().__init__(since=time.time())
        self._subjects = subjects
        self._session = session
        self.on_msg(self._hear)

    def _hear(self, _link: object, message: object, _buffers: object) -> None:
        answered = answer_opening(message, stores=self._stores)
        if answered is None:
            find, registry = self._subjects.find, self._session.registry
            answered = answer(message, find=find, registry=registry)
        if answered is not None:
            self.send(answered)

    def _stores(self, digest: str) -> list[Store]:
        """Give where a matrix comes from, and the session's deliberation for one of before."""
        return [*self._subjects.stores(digest), self._session.deliberation._store]


def answer(message: object, *, find: Find, registry: Registry) -> dict[str, Any] | None:
    """Answer a page's question; None where the message is no question.

    The question has a number, a digest, a range of lines or an attribute and, where a first answer
    said that the digest is `unknown`, the `source`: lines, endings, kind of content and figures.
    """
    match message:
        case {"ask": str(asked), "number": int(number), "digest": str(digest), **rest}:
            ask = _asked(asked, rest)
            if ask is None:
                return None
            measurement = find(digest)
            if measurement is None and "source" not in rest:
                return {"number": number, "unknown": True}
            try:
                if measurement is None:
                    measurement = _measured_again(str(rest["source"]), registry)
                return {"number": number, **ask(measurement, registry)}
            except ValueError as error:
                return {"number": number, "reason": visible(str(error))}
    return None


def _asked(
    asked: str, about: Mapping[Any, object]
) -> Callable[[Measurement, Registry], dict[str, Any]] | None:
    """Give what answers a question, None where it is no question."""
    match asked, about:
        case "without", {"lines": [int(first), int(last)]}:
            return lambda measurement, registry: {
                "shape": shape_without(
                    measurement, LineRange(first, last), registry=registry
                ).as_dict()
            }
        case "why", {"lines": [int(first), int(last)]}:
            return lambda measurement, registry: {
                "why": _why_lines(measurement, LineRange(first, last), registry)
            }
        case "why", {"attribute": str(attribute)} if attribute in ATTRIBUTE_NAMES:
            return lambda measurement, registry: {
                "why": _why_attribute(measurement, attribute, registry)
            }
    return None


def _why_attribute(measurement: Measurement, attribute: str, registry: Registry) -> list[str]:
    """Say in short lines what `explain` says of an attribute."""
    explanation = explain(measurement, attribute, registry=registry)
    return [*map(visible, explanation.caveats), *explanation.entries(attribute)]


def _why_lines(measurement: Measurement, lines: LineRange, registry: Registry) -> list[str]:
    """Say in short lines what `explain` says of some lines; they are bounded and made visible."""
    explanation = explain(measurement, lines=lines, registry=registry)
    # All lines add to `chars` and `lines`: of those there is nothing to say.
    entries = (
        f"{name}: {entry}" for name in ATTRIBUTE_NAMES[2:] for entry in explanation.entries(name)
    )
    return [*map(visible, explanation.caveats), *entries]


def current_cell() -> str | None:
    """Give the id of the notebook's cell that runs, where the host tells."""
    if not InteractiveShell.initialized():
        return None
    parent: Any = getattr(InteractiveShell.instance(), "get_parent", dict)()
    cell = parent.get("metadata", {}).get("cellId")
    return cell if isinstance(cell, str) else None


def _measured_again(written: str, registry: Registry) -> Measurement:
    source = from_wire(written)
    text = text_of(source["lines"], source["endings"])
    try:
        measurement = registry.measure(text, analyzer=source["kind"])
    except Exception as error:
        raise RemovalError(f"this text cannot be measured again: {error}") from error
    if measurement.shape.as_dict() != source["figures"]:
        raise RemovalError(
            f"today's analyzers measure this text otherwise than {source['analyzer']} did when "
            "it was shown: measure it again to ask what it would be without lines"
        )
    return measurement
