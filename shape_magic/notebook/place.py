"""A place: the element that a view stands in, in a notebook's output or in a saved page."""

import base64
import hashlib
import sys
from collections.abc import Callable, Iterable
from html import escape
from typing import Any, Final, Protocol

from shape_magic.debugging.compare import AnalyzerComparison
from shape_magic.deliberation.matrix import Matrix
from shape_magic.deliberation.proposal import Proposal
from shape_magic.errors import ArgumentError
from shape_magic.notebook.library import BOOT, library_html, library_module, styles
from shape_magic.notebook.said import Evaluations
from shape_magic.notebook.static_html import measurement_html
from shape_magic.notebook.view_data import (
    Baseline,
    candidate_of,
    digest_of,
    to_attribute,
    view_data,
)
from shape_magic.shape import Measurement
from shape_magic.wording import plural, visible

__all__ = ["Place", "page_of", "place_of", "to_html"]

_ALONE: Final = (Measurement, Proposal)

_PAGE: Final = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{frame}</style>
</head>
<body>
<main>
{body}
</main>
<script type="module">{module}</script>
</body>
</html>
"""

_FRAME: Final = """
body { margin: 0; background: light-dark(#fff, #17191e); }
main { max-width: 76rem; margin: 0 auto; padding: 24px; }
main > * + * { margin-top: 40px; }
main .lesson-text, main .lesson-card > :not(details) {
  max-width: 46rem; font: 16px/1.6 system-ui, sans-serif; color: light-dark(#1c1e21, #e6e8eb);
}
main .lesson-card { border: 1px solid #8b9099; border-radius: 6px; padding: 16px; }
main .lesson-card .lesson-source { font-family: ui-monospace, Menlo, Consolas, monospace; }
main .lesson-source code { white-space: pre-wrap; overflow-wrap: anywhere; }
main .lesson-text table { border-collapse: collapse; }
main .lesson-text :is(td, th) { border: 1px solid #8b9099; padding: 2px 8px; }
main .lesson-card summary { cursor: pointer; min-height: 24px; padding: 4px 0; }
main .lesson-answers { display: none; font: 16px/1.6 system-ui, sans-serif; }
@media print {
  main .lesson-text, main .lesson-text :is(h1, h2, h3, h4, h5, h6) { break-after: avoid; }
  main .lesson-card { break-inside: avoid; }
  main .lesson-card details:not([open]) { display: none; }
  main .lesson-asked li::after { content: " ________"; }
  main .lesson-answers { display: block; break-before: page; }
}
main .shape-magic { --sm-height: max(16rem, calc(100vh - 26rem)); }
"""


class Place:
    """A view's data with its static form: what stands in an output, and what it is known by."""

    def __init__(
        self, data: dict[str, Any], *, static: Callable[[dict[str, Any]], str] = measurement_html
    ) -> None:
        self.data = data
        self._static = static
        self._written = to_attribute(data)
        self.digest = digest_of(self._written)

    @property
    def html(self) -> str:
        """The element: complete without scripts, and drawn anew by the library where they run.

        It is the same from run to run. A host that shows each output in a page of its own, as
        Colab does, gets the library with each.
        """
        element = (
            f'<div class="shape-magic-place" data-shape-magic="{self.digest}" '
            f"data-shape-magic-view='{self._written}'>{self._static(self.data)}<script>{BOOT}</script></div>"
        )
        return element + library_html() if "google.colab" in sys.modules else element


def place_of(
    subject: Measurement | Proposal,
    *,
    baseline: Baseline | None = None,
    title: str | None = None,
    evaluations: Evaluations = (),
) -> Place:
    """Make the place of one measurement; a title names what is nobody's proposal."""
    return Place(view_data(subject, baseline=baseline, title=title, evaluations=evaluations))


class Placed(Protocol):
    """What knows the place that it stands in, as a `Comparison` does."""

    @property
    def place(self) -> Place:
        """The element that it stands in."""


Subject = Measurement | Proposal | Matrix | AnalyzerComparison | Placed


def to_html(
    subject: Subject | Iterable[Subject],
    *,
    baseline: Baseline | None = None,
    evaluations: Evaluations = (),
) -> str:
    """Write a measurement as one page that is the view, without a kernel and without a network.

    Proposals, comparisons, matrices and lists of all these can be written as well; a list is one
    page. Of a matrix's texts, replies and prompts, which its cells open, the page holds the first
    8,000,000 characters.

    The page's security policy lets it run its own script and load nothing. Where scripts do not
    run, it shows the static form. `baseline` and `evaluations` are as in `ShapeView`.

    >>> from shape_magic import measure
    >>> to_html(measure("# A")).startswith("<!doctype html>")
    True
    """
    if isinstance(subject, Iterable):
        if evaluations:
            raise ArgumentError(
                "evaluations are of one proposal, and a page of several has no place for them; "
                "write a page of that proposal alone"
            )
        subjects = list(subject)
        title = plural(len(subjects), "view")
    else:
        subjects = [subject]
        title = _title(subject)
    parts = [part for alone in subjects for part in _parts(alone, baseline, evaluations)]
    return page_of(parts, title=f"{title} · shape")


def _title(subject: Subject) -> str:
    if isinstance(subject, _ALONE):
        return candidate_of(subject)[0]
    return subject.title if isinstance(subject, Matrix) else "comparison"


def _parts(
    subject: Subject, baseline: Baseline | None, evaluations: Evaluations
) -> list[Place | str]:
    """Give what stands in a page for a subject: its place, and words below it."""
    # Imported here, since a matrix and a comparison stand in a place.
    from shape_magic.notebook.matrix import matrix_place

    if isinstance(subject, AnalyzerComparison):
        from shape_magic.notebook.compare import compare_sides

        if subject.sides is None:
            raise ArgumentError(
                "a comparison of two analyzers is a page where it is of one text, and not of "
                f"{subject.compared:,}"
            )
        return [compare_sides(subject).place, subject.reasons_html()]
    if isinstance(subject, Matrix):
        return [matrix_place(subject, embedded=True)]
    if isinstance(subject, _ALONE):
        return [place_of(subject, baseline=baseline, evaluations=evaluations)]
    return [subject.place]


def page_of(parts: Iterable[Place | str], *, title: str) -> str:
    """Write a page of several places, and of HTML between them that needs no script."""
    module = library_module()
    sheet = styles()
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {_hashed(module)} {_hashed(BOOT)}",
            f"style-src-elem {_hashed(sheet)} {_hashed(_FRAME)}",
            # The static form's style attributes: they can load nothing either.
            "style-src-attr 'unsafe-inline'",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    return _PAGE.format(
        policy=policy,
        title=escape(visible(title)),
        frame=_FRAME,
        body="\n".join(part if isinstance(part, str) else part.html for part in parts),
        module=module,
    )


def _hashed(inline: str) -> str:
    digest = hashlib.sha256(inline.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
