"""The magics: each module has one class, and `MAGICS` is the list that the extension loads."""

from typing import Final

from shape_magic.notebook.magics.compare import CompareMagics
from shape_magic.notebook.magics.deliberation import DeliberationMagics
from shape_magic.notebook.magics.scores import ScoreMagics
from shape_magic.notebook.magics.shape import ShapeMagics

__all__ = ["MAGICS"]

MAGICS: Final = (ShapeMagics, DeliberationMagics, ScoreMagics, CompareMagics)
