"""How a magic is declared and how its line is read: strictly, each bad use told in one line."""

import argparse
import difflib
import errno
import functools
import keyword
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, Literal, NamedTuple, NoReturn, cast

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, line_magic, no_var_expand
from IPython.core.magic_arguments import MagicArgumentParser

from shape_magic.errors import FileRefusedError, ShapeMagicError, StoreError
from shape_magic.notebook.session import Session
from shape_magic.wording import listed, one_line, quoted

__all__ = [
    "AGENT_ARGUMENTS",
    "EXPRESSION",
    "Argument",
    "SessionMagics",
    "argument",
    "bad_usage",
    "declare",
    "number",
    "parse",
    "parser_of",
    "variable_name",
    "whole_number",
]

AGENT_ARGUMENTS: Final = ("agent_id", "agent_ids", "evaluator")
"""The arguments that name agents."""

EXPRESSION: Final = "expression"
"""The argument that takes the rest of the line, quotes and all; options stand before it."""

# Python's own pattern knows no exponents, and takes -1e-3 for an option.
_NEGATIVE: Final = re.compile(
    r"-(?:[0-9][0-9_]*\.?[0-9_]*(?:e[+-]?[0-9]+)?|\.[0-9]+(?:e[+-]?[0-9]+)?|inf|infinity|nan)\Z",
    re.IGNORECASE,
)
# A short option may have its value right behind it, as in `-oNAME`.
_OPTION: Final = re.compile(r"\s*+(--[A-Za-z][\w-]*+|-[A-Za-z])(=|\s++|(?=\S)|$)")
_WORD: Final = re.compile(r"""(?:"[^"]*"|'[^']*'|[^\s"'])++""")
_WHOLE_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,18}")
_LONGEST_MESSAGE: Final = 400

_WRONG_PATHS: Final = frozenset(
    {
        *(errno.ENOENT, errno.EISDIR, errno.ENOTDIR, errno.EACCES, errno.EPERM),
        *(errno.ENAMETOOLONG, errno.ELOOP, errno.EROFS),
    }
)
"""What the system says of a path that cannot be the one that is meant; all else is a failure."""


class SessionMagics(Magics):
    """Magics of one session: the base of every class of them."""

    def __init__(self, session: Session) -> None:
        super().__init__(shell=session.shell)
        self.session = session


class Argument(NamedTuple):
    """One argument of a magic, as `argparse.ArgumentParser.add_argument` takes it."""

    names: tuple[str, ...]
    options: dict[str, Any]


def argument(*names: str, **options: Any) -> Argument:
    """Declare one argument of a magic.

    An option that takes several values may stand more than once, and then takes them all.
    """
    if options.get("nargs") == "+" and names[0].startswith("-"):
        options.setdefault("action", "extend")
    if "choices" in options:
        options["type"] = functools.partial(_choice, choices=options["choices"])
    return Argument(names, options)


class LineParser(MagicArgumentParser):
    """Reads the words of a magic's line; a bad use is a UsageError of one line."""

    def __init__(self, magic: str, *, description: str | None, epilog: str | None) -> None:
        # The help text puts one escape before the name; a cell magic has two.
        super().__init__(magic[1:], description=description, epilog=epilog)  # type: ignore[no-untyped-call]
        self.magic = magic
        self.allow_abbrev = False
        self._negative_number_matcher = _NEGATIVE

    def error(self, message: str) -> NoReturn:
        """Refuse the line."""
        raise UsageError(one_line(message, length=_LONGEST_MESSAGE))

    @property
    def options(self) -> dict[str, argparse.Action]:
        """The options, by each of their names."""
        return {name: action for action in self._actions for name in action.option_strings}

    @property
    def positionals(self) -> list[argparse.Action]:
        """The arguments that are no options."""
        return [action for action in self._actions if not action.option_strings]

    def read(self, line: str) -> argparse.Namespace:
        """Read a line that was typed."""
        rest = None
        if any(action.dest == EXPRESSION for action in self.positionals):
            line, rest = self._split(line)
        words = self._words(line)
        self._check_options(words)
        options, left_over = self.parse_known_args(words)
        if left_over:
            self._refuse(left_over)
        if rest is not None:
            options.expression = rest
        return options

    def _words(self, line: str) -> list[str]:
        """Split a line at white space; an id with spaces stands in quotes."""
        reader = shlex.shlex(line, posix=True, punctuation_chars=False)
        reader.whitespace_split = True
        # Ids and paths are taken as written: a `#` or a backslash in them is a character.
        reader.commenters = reader.escape = ""
        try:
            return list(reader)
        except ValueError as error:
            self.error(
                f"{quoted(line.strip())} cannot be read ({str(error).lower()}): "
                'put an id with spaces or quotes in quotes, as in "O\'Brien (model)"'
            )

    def _split(self, line: str) -> tuple[str, str]:
        """Split a line into the options that it begins with and the raw rest."""
        position = 0
        while match := _OPTION.match(line, position):
            if match[1] not in self.options:
                # No expression that can be measured begins with a minus: it is a misspelt option.
                return line, ""
            position = match.end()
            if self.options[match[1]].nargs != 0:
                value = _WORD.match(line, position)
                position = value.end() if value else position
        return line[:position], line[position:].strip()

    def _check_options(self, words: Sequence[str]) -> None:
        """Refuse an unknown option, and a second value where an option takes one."""
        seen: set[str] = set()
        for word in words:
            if word == "--":
                break
            # As argparse: what has a space in it, or is a number below zero, is a value.
            if len(word) < 2 or word[0] != "-" or " " in word or _NEGATIVE.match(word):
                continue
            name = word.partition("=")[0]
            if not word.startswith("--") and name not in self.options:
                name = word[:2]
            action = self.options.get(name)
            if action is None:
                self._refuse_option(word.partition("=")[0])
            if action.nargs is None and action.dest in seen:
                self.error(f"{name} is given twice, and it takes one value")
            seen.add(action.dest)

    def _refuse_option(self, name: str) -> NoReturn:
        near = difflib.get_close_matches(name, self.options, n=2, cutoff=0.7)
        hint = f"did you mean {' or '.join(near)}?"
        if not near:
            hint = f"its options are {', '.join(self.options)}"
        self.error(f"{self.magic} has no option {quoted(name)}; {hint}")

    def _refuse(self, left_over: Sequence[str]) -> NoReturn:
        """Refuse words that no argument takes."""
        hint = ""
        if any(action.dest in AGENT_ARGUMENTS for action in self.positionals):
            hint = '; an id with spaces stands in quotes, as in "Candidate A"'
        elif any(action.dest == "path" for action in self.positionals):
            hint = '; a path with spaces stands in quotes, as in "my rounds.db"'
        self.error(f"{listed(left_over)} is more than {self.magic} takes{hint}")


def declare(
    kind: Literal["line", "cell"], name: str, *arguments: Argument, epilog: str | None = None
) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Declare a method as a magic: it is given its line's options, and a cell's body as typed.

    What it returns is the magic's value, which `-o NAME` binds. The line reaches it as typed:
    IPython's expansion of `{x}` and `$x` is off, since ids, keywords and expressions may hold them.
    The help that `?` shows lists the options and ends with the epilog.
    """
    escape, register = ("%", line_magic) if kind == "line" else ("%%", cell_magic)

    def decorate(method: Callable[..., object]) -> Callable[..., object]:
        parser = LineParser(f"{escape}{name}", description=method.__doc__, epilog=epilog)
        for declared in (*arguments, _OUTPUT):
            parser.add_argument(*declared.names, **declared.options)

        @functools.wraps(method)
        def magic(self: SessionMagics, line: str, cell: str = "") -> object:
            options = parser.read(line)
            with bad_usage():
                if kind == "line":
                    value = method(self, options)
                else:
                    value = method(self, options, self.session.typed_body(name, line, cell))
            if options.output is not None:
                self.session.shell.push({options.output: value})
            return value

        declared_magic: Any = magic
        declared_magic.parser = parser
        declared_magic.__doc__ = parser.format_help()
        return cast(Callable[..., object], register(name)(no_var_expand(declared_magic)))

    return decorate


def parser_of(magic: Callable[..., object]) -> LineParser:
    """Give the parser that `declare` made for a magic."""
    return cast(LineParser, cast(Any, magic).parser)


def parse(magic: Callable[..., object], line: str) -> argparse.Namespace:
    """Read a magic's line by what it declares; UsageError for what that does not allow."""
    return parser_of(magic).read(line)


@contextmanager
def bad_usage() -> Iterator[None]:
    """Turn what the library refuses into the one line that IPython prints for a bad call.

    That a disk fails, or that another process holds a file, is no bad call: it raises.
    """
    try:
        yield
    except ShapeMagicError as error:
        if isinstance(error, StoreError) and not isinstance(error, FileRefusedError):
            raise
        raise UsageError(one_line(str(error))) from None
    except OSError as error:
        if error.errno not in _WRONG_PATHS:
            raise
        raise UsageError(one_line(f"{quoted(error.filename)}: {error.strerror}")) from None


def variable_name(text: str) -> str:
    """Check the name of a variable, for `type=` of an argument."""
    if not text.isidentifier() or keyword.iskeyword(text):
        raise argparse.ArgumentTypeError(f"{quoted(text)} is no name of a variable")
    return text


def whole_number(text: str) -> int:
    """Read a whole number, for `type=` of an argument."""
    if not _WHOLE_NUMBER.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{quoted(text)} is no whole number of up to 18 digits")
    return int(text)


def number(text: str) -> float:
    """Read a number, for `type=` of an argument."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is no number") from None


def _choice(text: str, *, choices: Sequence[str]) -> str:
    if text not in choices:
        near = difflib.get_close_matches(text.lower(), choices, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(choices)}"
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not one of its values; {hint}")
    return text


_OUTPUT: Final = argument(
    "-o",
    "--output",
    metavar="NAME",
    type=variable_name,
    help="bind the value to this name, and show it all the same",
)
"""The option that every magic has."""
