"""The widget's one ES module and its one stylesheet."""

from pathlib import Path
from typing import Final

__all__ = ["SCRIPT", "STYLES"]

_STATIC: Final = Path(__file__).parent / "static"

SCRIPT: Final = _STATIC / "view.js"
STYLES: Final = _STATIC / "view.css"
