"""Measure the shape of a proposal: the numbers that an evaluator sees, and the lines behind them.

>>> import shape_magic
>>> shape_magic.measure("Answer.\\n\\n## Why\\n").shape.headings
1
"""

__version__ = "0.1.0"

from shape_magic.analyzers.registry import default_registry
from shape_magic.shape import Measurement


def measure(text: str, *, analyzer: str | None = None) -> Measurement:
    """Measure a text."""
    return default_registry().measure(text, analyzer=analyzer)
