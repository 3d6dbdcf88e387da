"""What needs an extra of the package says so, and how to install it."""

from collections.abc import Iterator
from contextlib import contextmanager

from shape_magic.errors import MissingExtraError

__all__ = ["analysis_extra"]


@contextmanager
def analysis_extra() -> Iterator[None]:
    """Import pandas, scipy or matplotlib inside; MissingExtraError where they are not there."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        raise MissingExtraError(
            f"this needs the extra 'analysis', and {package!r} is not installed: "
            "pip install 'shape_magic[analysis]'"
        ) from error
