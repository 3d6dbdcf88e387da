"""What needs an extra of the package says so, and how to install it."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from shape_magic.errors import MissingExtraError

__all__ = ["analysis_extra", "mcp_extra"]


def analysis_extra() -> AbstractContextManager[None]:
    """Import pandas, scipy or matplotlib inside; MissingExtraError where they are not there."""
    return _extra("analysis")


def mcp_extra() -> AbstractContextManager[None]:
    """Import the Model Context Protocol's SDK inside; MissingExtraError where it is missing."""
    return _extra("mcp")


@contextmanager
def _extra(name: str) -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        raise MissingExtraError(
            f"this needs the extra {name!r}, and {package!r} is not installed: "
            f"pip install 'shape_magic[{name}]'"
        ) from error
