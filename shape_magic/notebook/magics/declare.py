"""How a magic is declared: its kind, its name and its arguments, in one typed decorator."""

import argparse
import keyword
import re
from collections.abc import Callable
from typing import Any, Final, Literal, TypeVar, cast

from IPython.core import magic, magic_arguments

__all__ = ["argument", "declare", "name_argument", "output_argument", "parser_of"]

Function = TypeVar("Function", bound=Callable[..., object])
Argument = Callable[[Any], Any]

_NEGATIVE: Final = re.compile(
    r"-(?:[0-9][0-9_]*\.?[0-9_]*(?:e[+-]?[0-9]+)?|\.[0-9]+(?:e[+-]?[0-9]+)?|inf|infinity|nan)\Z",
    re.IGNORECASE,
)

_KINDS: Final = {"line": (magic.line_magic, "%"), "cell": (magic.cell_magic, "%%")}


def declare(
    kind: Literal["line", "cell"], name: str, *arguments: Argument, epilog: str | None = None
) -> Callable[[Function], Function]:
    """Declare a method as a magic, with what its line may hold; its help ends with the epilog.

    The line reaches the method as typed: IPython's expansion of `{x}` and `$x` is off, since ids,
    keywords and expressions may hold them.
    """
    register, escape = _KINDS[kind]
    # IPython puts one escape before the name in the help text; a cell magic has two.
    shown = escape[1:] + name

    def decorate(function: Function) -> Function:
        decorated: Any = magic_arguments.kwds(epilog=epilog)(function)
        for one in reversed(arguments):
            decorated = one(decorated)
        decorated = magic_arguments.magic_arguments(shown)(decorated)
        decorated.parser.allow_abbrev = False
        # Python's own pattern knows no exponents, and takes -1e-3 for an option.
        decorated.parser._negative_number_matcher = _NEGATIVE
        return cast(Function, register(name)(magic.no_var_expand(decorated)))

    return decorate


def argument(*names: str, **options: Any) -> Argument:
    """Declare one argument, as `argparse.ArgumentParser.add_argument` takes it.

    An option that takes several values may stand more than once, and then takes them all.
    """
    if options.get("nargs") == "+" and names[0].startswith("-"):
        options.setdefault("action", "extend")
    return cast(Argument, magic_arguments.argument(*names, **options))


def output_argument() -> Argument:
    """Declare the option that every magic has: `-o NAME` binds the value and still shows it."""
    return argument(
        "-o",
        "--output",
        metavar="NAME",
        type=name_argument,
        help="bind the value to this name, and show it all the same",
    )


def name_argument(text: str) -> str:
    """Check the name of a variable, for `type=` of an argument."""
    if not text.isidentifier() or keyword.iskeyword(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no name of a variable")
    return text


def parser_of(function: Callable[..., object]) -> argparse.ArgumentParser:
    """Give the parser that `declare` made for a magic."""
    return cast(argparse.ArgumentParser, cast(Any, function).parser)
