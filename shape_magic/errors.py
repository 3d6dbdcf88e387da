"""The errors of the package: one base, and a built-in ancestor each."""

__all__ = ["AnalyzerError", "AnalyzerWarning", "ShapeMagicError"]


class ShapeMagicError(Exception):
    """The base of every error that the package raises of its own."""


class AnalyzerError(ShapeMagicError, ValueError):
    """An analyzer that cannot be registered, or a kind that no analyzer has."""


class AnalyzerWarning(UserWarning):
    """An analyzer failed or could not be loaded, and the next one answered in its place."""
