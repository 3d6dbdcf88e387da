"""The magics: a module a subject, and `MAGICS` is the list that the extension loads."""

from typing import Final

from shape_magic.notebook.magics.deliberation import DeliberationMagics
from shape_magic.notebook.magics.evaluation import EvaluationMagics
from shape_magic.notebook.magics.experiments import ExperimentMagics
from shape_magic.notebook.magics.shape import ShapeMagics
from shape_magic.notebook.magics.statistics import StatisticsMagics
from shape_magic.notebook.magics.teaching import TeachingMagics

__all__ = ["MAGICS"]

MAGICS: Final = (
    ShapeMagics,
    DeliberationMagics,
    EvaluationMagics,
    StatisticsMagics,
    ExperimentMagics,
    TeachingMagics,
)
