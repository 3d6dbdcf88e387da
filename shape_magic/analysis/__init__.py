"""Score against shape: slopes, arms, evaluators, rankings and pictures (the extra `analysis`)."""

from shape_magic.extras import analysis_extra

with analysis_extra():
    from shape_magic.analysis.arms import Comparison, Moved, compare_arms
    from shape_magic.analysis.attributes import Part, Parts, effects
    from shape_magic.analysis.frame import Columns
    from shape_magic.analysis.pictures import (
        plot_arms,
        plot_effects,
        plot_evaluators,
        plot_ranking,
        plot_rounds,
        plot_slope,
    )
    from shape_magic.analysis.reliability import Evaluator, Evaluators, Mean, evaluators
    from shape_magic.analysis.slope import Effect, Interval, effect
    from shape_magic.analysis.standings import Ranking, Standing, ranking

__all__ = [
    "Columns",
    "Comparison",
    "Effect",
    "Evaluator",
    "Evaluators",
    "Interval",
    "Mean",
    "Moved",
    "Part",
    "Parts",
    "Ranking",
    "Standing",
    "compare_arms",
    "effect",
    "effects",
    "evaluators",
    "plot_arms",
    "plot_effects",
    "plot_evaluators",
    "plot_ranking",
    "plot_rounds",
    "plot_slope",
    "ranking",
]
