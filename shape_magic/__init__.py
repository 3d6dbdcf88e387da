"""Measure the shape of a proposal: the numbers that an evaluator sees, and the lines behind them.

>>> import shape_magic
>>> shape_magic.measure("Answer.\\n\\n## Why\\n").shape.headings
1
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final

from shape_magic.analyzers.base import Analyzer, ExplainingAnalyzer
from shape_magic.analyzers.registry import Registry, default_registry
from shape_magic.errors import (
    AnalyzerError,
    AnalyzerWarning,
    ArgumentError,
    EvaluationExistsError,
    FileRefusedError,
    FrameError,
    FrameWarning,
    JudgeError,
    MeasurementError,
    MissingExtraError,
    NotFoundError,
    RecordError,
    RemovalError,
    ReplyError,
    SelectionError,
    ShapeMagicError,
    StoreError,
    TemplateError,
    TranscriptError,
    TranscriptWarning,
    UnkeptRepliesError,
    WorkersLostError,
)
from shape_magic.files import measure_file
from shape_magic.lines import LineRange
from shape_magic.shape import Anchor, Evidence, Measurement, Note, Reason, Shape

# What needs more than the core is imported when it is first asked for. A type checker reads the
# imports, Python the table, and a test holds the two equal.
if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from shape_magic.bulk import measure_many
    from shape_magic.debugging.check import AnalyzerCheck, CheckFailure, check_analyzer
    from shape_magic.debugging.compare import AnalyzerComparison, compare_analyzers
    from shape_magic.debugging.explain import Explanation, explain
    from shape_magic.debugging.without import shape_without
    from shape_magic.deliberation import Deliberation
    from shape_magic.deliberation.frames import summaries_to_frame
    from shape_magic.deliberation.prompts import EvaluationPrompt
    from shape_magic.deliberation.proposal import Proposal
    from shape_magic.deliberation.records import (
        ClaimAssessment,
        Evaluation,
        EvaluationEntry,
        ProposalBody,
        ProposalRecord,
        ProposalScore,
        RoundSummary,
    )
    from shape_magic.deliberation.remeasure import RemeasureReport
    from shape_magic.deliberation.summary import load_summaries, save_summaries
    from shape_magic.experiments.anthropic_judge import anthropic_judge
    from shape_magic.experiments.openai_judge import openai_judge
    from shape_magic.experiments.reply import Reply, Usage
    from shape_magic.experiments.report import EvaluationRun
    from shape_magic.experiments.runs import run_evaluations
    from shape_magic.notebook.compare import Comparison, compare
    from shape_magic.notebook.lesson import LessonCard, lesson_html
    from shape_magic.notebook.place import to_html
    from shape_magic.notebook.view import Playground, ShapeView
    from shape_magic.notebook.view_data import Baseline
    from shape_magic.prompting.template import EvaluationTemplate
    from shape_magic.teaching.exercise import check_exercise, predict

_LAZY: Final = {
    "AnalyzerCheck": "shape_magic.debugging.check",
    "AnalyzerComparison": "shape_magic.debugging.compare",
    "Baseline": "shape_magic.notebook.view_data",
    "CheckFailure": "shape_magic.debugging.check",
    "ClaimAssessment": "shape_magic.deliberation.records",
    "Comparison": "shape_magic.notebook.compare",
    "Deliberation": "shape_magic.deliberation",
    "Evaluation": "shape_magic.deliberation.records",
    "EvaluationEntry": "shape_magic.deliberation.records",
    "EvaluationPrompt": "shape_magic.deliberation.prompts",
    "EvaluationRun": "shape_magic.experiments.report",
    "EvaluationTemplate": "shape_magic.prompting.template",
    "Explanation": "shape_magic.debugging.explain",
    "LessonCard": "shape_magic.notebook.lesson",
    "Playground": "shape_magic.notebook.view",
    "Proposal": "shape_magic.deliberation.proposal",
    "ProposalBody": "shape_magic.deliberation.records",
    "ProposalRecord": "shape_magic.deliberation.records",
    "ProposalScore": "shape_magic.deliberation.records",
    "RemeasureReport": "shape_magic.deliberation.remeasure",
    "Reply": "shape_magic.experiments.reply",
    "RoundSummary": "shape_magic.deliberation.records",
    "ShapeView": "shape_magic.notebook.view",
    "Usage": "shape_magic.experiments.reply",
    "anthropic_judge": "shape_magic.experiments.anthropic_judge",
    "check_analyzer": "shape_magic.debugging.check",
    "check_exercise": "shape_magic.teaching.exercise",
    "compare": "shape_magic.notebook.compare",
    "compare_analyzers": "shape_magic.debugging.compare",
    "explain": "shape_magic.debugging.explain",
    "lesson_html": "shape_magic.notebook.lesson",
    "load_summaries": "shape_magic.deliberation.summary",
    "measure_many": "shape_magic.bulk",
    "openai_judge": "shape_magic.experiments.openai_judge",
    "predict": "shape_magic.teaching.exercise",
    "run_evaluations": "shape_magic.experiments.runs",
    "save_summaries": "shape_magic.deliberation.summary",
    "shape_without": "shape_magic.debugging.without",
    "summaries_to_frame": "shape_magic.deliberation.frames",
    "to_html": "shape_magic.notebook.place",
}

__all__ = [
    "Analyzer",
    "AnalyzerCheck",
    "AnalyzerComparison",
    "AnalyzerError",
    "AnalyzerWarning",
    "Anchor",
    "ArgumentError",
    "Baseline",
    "CheckFailure",
    "ClaimAssessment",
    "Comparison",
    "Deliberation",
    "Evaluation",
    "EvaluationEntry",
    "EvaluationExistsError",
    "EvaluationPrompt",
    "EvaluationRun",
    "EvaluationTemplate",
    "Evidence",
    "ExplainingAnalyzer",
    "Explanation",
    "FileRefusedError",
    "FrameError",
    "FrameWarning",
    "JudgeError",
    "LessonCard",
    "LineRange",
    "Measurement",
    "MeasurementError",
    "MissingExtraError",
    "NotFoundError",
    "Note",
    "Playground",
    "Proposal",
    "ProposalBody",
    "ProposalRecord",
    "ProposalScore",
    "Reason",
    "RecordError",
    "Registry",
    "RemeasureReport",
    "RemovalError",
    "Reply",
    "ReplyError",
    "RoundSummary",
    "SelectionError",
    "Shape",
    "ShapeMagicError",
    "ShapeView",
    "StoreError",
    "TemplateError",
    "TranscriptError",
    "TranscriptWarning",
    "UnkeptRepliesError",
    "Usage",
    "WorkersLostError",
    "anthropic_judge",
    "check_analyzer",
    "check_exercise",
    "compare",
    "compare_analyzers",
    "default_registry",
    "explain",
    "lesson_html",
    "load_ipython_extension",
    "load_summaries",
    "measure",
    "measure_file",
    "measure_many",
    "openai_judge",
    "predict",
    "run_evaluations",
    "save_summaries",
    "shape_without",
    "summaries_to_frame",
    "to_html",
    "unload_ipython_extension",
]

__version__ = "0.2.0.dev0"


def measure(text: str, *, analyzer: str | None = None) -> Measurement:
    """Measure a text with the first analyzer that recognises it, or with the one named.

    Never raises on a str. Anything else is a TypeError, and a kind that no analyzer has, or one
    that does not recognise the text, an AnalyzerError.

    >>> measure('{"answer": 42}').analyzer
    'json/1'
    """
    return default_registry().measure(text, analyzer=analyzer)


def load_ipython_extension(shell: "InteractiveShell") -> None:
    """Load the magics and displays into a shell: `%load_ext shape_magic`."""
    from shape_magic.notebook.extension import load

    load(shell)


def unload_ipython_extension(shell: "InteractiveShell") -> None:
    """Take all of the extension out of a shell: `%unload_ext shape_magic`."""
    from shape_magic.notebook.extension import unload

    unload(shell)


# Hidden from type checkers, which would take it to say that any name at all is here.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name in _LAZY:
            return getattr(import_module(_LAZY[name]), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
