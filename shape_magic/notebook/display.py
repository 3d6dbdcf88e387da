"""The display bundles: a value in the forms that hosts can show.

No form needs a kernel. JupyterLab prefers a widget's form to all others and shows "model not found"
where its kernel is gone, so that form is in no bundle.
"""

from itertools import islice
from typing import TYPE_CHECKING, Any, Final, cast, get_args

from IPython.core.formatters import MimeBundleFormatter
from IPython.core.interactiveshell import ExecutionInfo

from shape_magic.deliberation.evaluations import Evaluated
from shape_magic.deliberation.matrix import Matrix, matrix_of_summary
from shape_magic.deliberation.prompts import EvaluationPrompt
from shape_magic.deliberation.proposal import Proposal
from shape_magic.deliberation.records import RoundSummary
from shape_magic.errors import NotFoundError, StoreError
from shape_magic.notebook.evaluations import evaluated_report, prompt_html, prompt_text
from shape_magic.notebook.matrix import matrix_place
from shape_magic.notebook.measurements import Measurements
from shape_magic.notebook.place import place_of
from shape_magic.notebook.said import Evaluations
from shape_magic.notebook.session import Session
from shape_magic.notebook.static_html import measurements_html, safe
from shape_magic.notebook.view_data import candidate_of
from shape_magic.prompting.candidate import opening_tag, outline_element
from shape_magic.shape import Measurement
from shape_magic.wording import visible

if TYPE_CHECKING:
    from shape_magic.debugging.compare import AnalyzerComparison
    from shape_magic.experiments import EvaluationRun

__all__ = ["DISPLAYED", "Bundle", "Display", "Displayed", "bundle", "plain_text"]

Bundle = tuple[dict[str, Any], dict[str, Any]]
"""A MIME bundle and its metadata."""

Displayed = (
    Measurement | Proposal | Measurements | RoundSummary | Matrix | EvaluationPrompt | Evaluated
)
"""What is shown by a bundle."""

DISPLAYED: tuple[type, ...] = get_args(Displayed)


_RUN: Final = ("shape_magic.experiments.report", "EvaluationRun")
_ANALYZERS: Final = ("shape_magic.debugging.compare", "AnalyzerComparison")

OPENED: Final = 12
"""How many measurements of a list have a view below its table."""


def plain_text(subject: Measurement | Proposal) -> str:
    """Write the opening tag and the outline as the evaluator gets them, made visible."""
    candidate_id, measurement = candidate_of(subject)
    return visible(
        f"{opening_tag(candidate_id, measurement.shape)}\n{outline_element(measurement)}"
    )


def bundle(subject: Displayed) -> Bundle:
    """Give the forms of a value: HTML, which a page with scripts makes a view, and plain text.

    Both are the same from run to run.
    """
    if isinstance(subject, RoundSummary):
        subject = matrix_of_summary(subject)
    if isinstance(subject, Matrix):
        return {"text/plain": str(subject), "text/html": matrix_place(subject).html}, {}
    if isinstance(subject, Evaluated):
        report = evaluated_report(subject)
        return {"text/plain": str(report), "text/html": report.html()}, {}
    if isinstance(subject, EvaluationPrompt):
        return {"text/plain": prompt_text(subject), "text/html": prompt_html(subject)}, {}
    if isinstance(subject, Measurements):
        plain = "\n".join(
            visible(f"{opening_tag(name, measurement.shape)}\n{outline_element(measurement)}")
            for name, measurement in zip(subject.names, subject, strict=True)
        )
        return {
            "text/plain": plain,
            "text/html": measurements_html(subject) + _opening(subject),
        }, {}
    return {"text/plain": plain_text(subject), "text/html": place_of(subject).html}, {}


def _opening(measurements: Measurements) -> str:
    """Show the views of the first measurements of a list, each to be opened."""
    views = (
        '<details style="margin:4px 0;font-size:13px">'
        f"<summary>{safe(name)}</summary>{place_of(measurement, title=name).html}</details>"
        for name, measurement in islice(zip(measurements.names, measurements, strict=True), OPENED)
    )
    return "".join(views)


class Display:
    """The displays of one shell, and the link between them and its kernel."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._shell = session.shell
        self._link: Any = None
        self._subjects: Any = None

    def load(self) -> None:
        """Show this package's values by their bundles; in a kernel, bring the library and a link.

        The library stands in the output of the cell that loads, the only one that is the same in
        whatever order cells run.
        """
        for displayed in DISPLAYED:
            self._formatter.for_type(displayed, self._bundle)
        # By name, since few sessions load what asks judges.
        self._formatter.for_type_by_name(*_RUN, self._run_bundle)
        self._formatter.for_type_by_name(*_ANALYZERS, self._analyzers_bundle)
        if hasattr(self._shell, "kernel"):
            from shape_magic.notebook.link import KernelLink, Subjects

            self._subjects = Subjects()
            self._link = KernelLink(self._subjects, session=self._session)
            self._shell.events.register("pre_run_cell", self.begin_cell)
            self._show_library()

    def unload(self) -> None:
        """Undo `load`."""
        for displayed in DISPLAYED:
            self._formatter.pop(displayed, None)
        for name in (_RUN, _ANALYZERS):
            self._formatter.pop(".".join(name), None)
        if self._link is not None:
            self._shell.events.unregister("pre_run_cell", self.begin_cell)
            # ipywidgets leaves the layout, which is a widget too.
            self._link.layout.close()
            self._link.close()
            self._link = None

    def begin_cell(self, info: ExecutionInfo) -> None:
        """Free what the cell displayed before (the callback of the event `pre_run_cell`)."""
        self._subjects.begin_cell(info)
        # A second `%load_ext` loads nothing, and the cell's output had the library.
        if "%load_ext shape_magic" in (info.raw_cell or ""):
            self._show_library()

    def _run_bundle(
        self, run: "EvaluationRun", include: object = None, exclude: object = None
    ) -> Bundle:
        """Show what was asked, and the scores that came of it."""
        html = run._repr_html_()
        matrix = run.matrix
        if matrix is not None:
            html += self._bundle(matrix)[0]["text/html"]
        return {"text/plain": str(run), "text/html": html}, {}

    def _analyzers_bundle(
        self, comparison: "AnalyzerComparison", include: object = None, exclude: object = None
    ) -> Bundle:
        """Show how two analyzers count one text, side by side, and the reasons; or the table."""
        html = comparison._repr_html_()
        if comparison.sides is not None:
            from shape_magic.notebook.compare import compare_sides

            both = compare_sides(comparison, registry=self._session.registry)
            html = both._repr_mimebundle_()[0]["text/html"] + comparison.reasons_html()
        return {"text/plain": str(comparison), "text/html": html}, {}

    def _bundle(self, subject: Displayed, include: object = None, exclude: object = None) -> Bundle:
        if isinstance(subject, RoundSummary):
            subject = self._matrix(subject)
        if isinstance(subject, Matrix):
            place = matrix_place(subject)
            self._keep(place.digest, subject)
            return {"text/plain": str(subject), "text/html": place.html}, {}
        if not isinstance(subject, (Measurement, Proposal)):
            return bundle(subject)
        place = place_of(subject, evaluations=self._said(subject))
        self._keep(place.digest, candidate_of(subject)[1])
        return {"text/plain": plain_text(subject), "text/html": place.html}, {}

    def _keep(self, digest: str, subject: Measurement | Matrix) -> None:
        """Keep what the cell displays, where a kernel's link may be asked about it."""
        if self._subjects is not None:
            from shape_magic.notebook.link import current_cell

            self._subjects.keep(digest, subject, cell=current_cell())

    def _said(self, subject: Measurement | Proposal) -> Evaluations:
        """Find what was said of a proposal, where it is of the session's deliberation."""
        if not isinstance(subject, Proposal):
            return ()
        deliberation = self._session.deliberation
        try:
            return {arm: deliberation.evaluations(subject, arm=arm) for arm in deliberation.arms()}
        except (NotFoundError, StoreError):
            # It is another deliberation's, or the file is closed or gone: the text is shown alone.
            return ()

    def _matrix(self, summary: RoundSummary) -> Matrix:
        """Find what a summary sums up, where it is of the session's deliberation as it is now."""
        deliberation = self._session.deliberation
        if summary.round in deliberation.rounds():
            arms = deliberation.arms()
            for arm in ["", *arms]:
                if deliberation.summarize(summary.round, arm=arm) == summary:
                    given = deliberation.matrix(rounds=summary.round)
                    return (
                        given
                        if arm == ""
                        else deliberation.matrix(rounds=summary.round, arms=[arm])
                    )
        return matrix_of_summary(summary)

    def _show_library(self) -> None:
        from shape_magic.notebook.library import library_html

        # No plain form: a terminal has nothing to show for it.
        publisher: Any = self._shell.display_pub
        publisher.publish({"text/html": library_html()})

    @property
    def _formatter(self) -> MimeBundleFormatter:
        formatters: Any = self._shell.display_formatter
        return cast(MimeBundleFormatter, formatters.mimebundle_formatter)
