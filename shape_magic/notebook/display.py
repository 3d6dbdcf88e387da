"""The display bundle: one measurement in the forms that hosts can show."""

from collections.abc import Callable
from typing import Any, cast, get_args

from IPython.core.formatters import MimeBundleFormatter
from IPython.core.interactiveshell import InteractiveShell

from shape_magic.analyzers.registry import Registry, default_registry
from shape_magic.deliberation.evaluations import Evaluated
from shape_magic.deliberation.proposal import Proposal
from shape_magic.deliberation.records import RoundSummary
from shape_magic.notebook.html import measurement_html, measurements_html
from shape_magic.notebook.measurements import Measurements
from shape_magic.notebook.scores import evaluated_text, summary_html, summary_text
from shape_magic.prompting.candidate import opening_tag, outline_element
from shape_magic.shape import Measurement
from shape_magic.wording import visible

__all__ = [
    "UNNAMED",
    "Bundle",
    "Displayed",
    "bundle",
    "candidate_of",
    "plain_text",
    "register",
    "unregister",
]

Bundle = tuple[dict[str, Any], dict[str, Any]]
"""A MIME bundle and its metadata."""

UNNAMED = "candidate"
"""The id in the tag of a measurement that is nobody's proposal."""

Displayed = Measurement | Proposal | Measurements | RoundSummary | Evaluated
"""What is shown by a bundle."""

DISPLAYED: tuple[type, ...] = get_args(Displayed)


def candidate_of(subject: Measurement | Proposal) -> tuple[str, Measurement]:
    """Give the id under which a measurement is shown, and the measurement."""
    if isinstance(subject, Proposal):
        return subject.agent_id, subject.measurement
    return UNNAMED, subject


def plain_text(subject: Measurement | Proposal) -> str:
    """Write the opening tag and the outline as the evaluator gets them, made visible."""
    candidate_id, measurement = candidate_of(subject)
    return visible(
        f"{opening_tag(candidate_id, measurement.shape)}\n{outline_element(measurement)}"
    )


def bundle(subject: Displayed, *, registry: Registry | None = None) -> Bundle:
    """Give the forms of a value: static HTML for where no widget runs, and plain text.

    The registry, by default the default one, says what the attributes mean.
    """
    if isinstance(subject, RoundSummary):
        return {"text/plain": summary_text(subject), "text/html": summary_html(subject)}, {}
    if isinstance(subject, Evaluated):
        return {"text/plain": evaluated_text(subject)}, {}
    if isinstance(subject, Measurements):
        plain = "\n".join(
            visible(f"{opening_tag(name, measurement.shape)}\n{outline_element(measurement)}")
            for name, measurement in zip(subject.names, subject, strict=True)
        )
        return {"text/plain": plain, "text/html": measurements_html(subject)}, {}
    candidate_id, measurement = candidate_of(subject)
    title = candidate_id
    previous = None
    if isinstance(subject, Proposal):
        title = f"{candidate_id} · round {subject.round}"
        previous = subject.previous_shape
        if subject.version > 1:
            title += f" · version {subject.version}"
    data = {
        "text/plain": plain_text(subject),
        "text/html": measurement_html(
            measurement,
            title=title,
            registry=default_registry() if registry is None else registry,
            previous=previous,
        ),
    }
    return data, {}


def register(shell: InteractiveShell, make: Callable[[Any], Bundle] = bundle) -> None:
    """Show this package's values by the bundles that `make` makes."""

    def show(subject: Any, include: object = None, exclude: object = None) -> Bundle:
        return make(subject)

    for shown in DISPLAYED:
        _formatter(shell).for_type(shown, show)


def unregister(shell: InteractiveShell) -> None:
    """Undo `register`."""
    for shown in DISPLAYED:
        _formatter(shell).pop(shown, None)


def _formatter(shell: InteractiveShell) -> MimeBundleFormatter:
    formatters: Any = shell.display_formatter
    return cast(MimeBundleFormatter, formatters.mimebundle_formatter)
