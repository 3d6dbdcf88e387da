"""Score against shape: correlation and pictures (the extra `analysis`)."""

from shape_magic.extras import analysis_extra

with analysis_extra():
    from shape_magic.analysis.correlation import correlate
    from shape_magic.analysis.plots import (
        plot_attribute,
        plot_attributes,
        plot_coefficients,
        plot_score,
    )
    from shape_magic.analysis.results import (
        AttributeCorrelation,
        Correlations,
        Estimate,
        RoundCoefficient,
    )

__all__ = [
    "AttributeCorrelation",
    "Correlations",
    "Estimate",
    "RoundCoefficient",
    "correlate",
    "plot_attribute",
    "plot_attributes",
    "plot_coefficients",
    "plot_score",
]
