"""How every magic reads its line: strictly, and with the names of the session."""

import argparse
import difflib
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

from shape_magic.errors import FileRefusedError, ShapeMagicError, StoreError
from shape_magic.notebook.magics.declare import parser_of
from shape_magic.wording import one_line, visible

__all__ = ["bad_usage", "bind", "lookup", "parse", "split_options", "variables"]

# A short option may have its value right behind it, as in `-oNAME`.
_OPTION: Final = re.compile(r"\s*(--[A-Za-z][\w-]*|-[A-Za-z])(=|\s+|(?=\S)|$)")
_WORD: Final = re.compile(r"""(?:"[^"]*"|'[^']*'|[^\s"'])+""")


def parse(magic: Callable[..., object], line: str) -> argparse.Namespace:
    """Read a magic's line by what it declares; UsageError for what that does not allow.

    Words are split at white space, and an id with spaces stands in quotes. Options are not
    abbreviated: a misspelt one is an error and never another option. One that takes one value is
    given once.
    """
    reader = shlex.shlex(line, posix=True, punctuation_chars=False)
    reader.whitespace_split = True
    # Ids and paths are taken as written: a `#` or a backslash in them is a character.
    reader.commenters = reader.escape = ""
    try:
        words = list(reader)
    except ValueError as error:
        raise UsageError(
            f"{line.strip()!r} cannot be read ({str(error).lower()}): "
            'put an id with spaces or quotes in quotes, as in "O\'Brien (model)"'
        ) from None
    parser = parser_of(magic)
    _check_once(parser, words)
    try:
        return parser.parse_args(words)
    except UsageError as error:
        # The parser quotes what it was given as it is.
        raise UsageError(one_line(str(error))) from None


def _check_once(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Refuse an option that is given twice, of which the parser would take the last."""
    actions = {name: action for action in parser._actions for name in action.option_strings}
    seen: set[str] = set()
    for word in words:
        name = word.partition("=")[0] if word.startswith("--") else word[:2]
        action = actions.get(name)
        if action is None or action.nargs is not None:
            continue
        if action.dest in seen:
            raise UsageError(f"{name} is given twice, and it takes one value")
        seen.add(action.dest)


def split_options(magic: Callable[..., object], line: str) -> tuple[str, str]:
    """Split a line into the options that it begins with and the raw rest."""
    takes_value = {
        name: action.nargs != 0
        for action in parser_of(magic)._actions
        for name in action.option_strings
    }
    position = 0
    while match := _OPTION.match(line, position):
        if match[1] not in takes_value:
            # No expression that can be measured begins with a minus: the parser is to refuse it.
            return line, ""
        position = match.end()
        if takes_value[match[1]]:
            value = _WORD.match(line, position)
            position = value.end() if value else position
    return line[:position], line[position:].strip()


@contextmanager
def bad_usage() -> Iterator[None]:
    """Turn what the library refuses into the one line that IPython prints for a bad call.

    That a disk fails, or another process holds a file, is no bad call: it raises.
    """
    try:
        yield
    except FileRefusedError as error:
        raise UsageError(visible(str(error))) from None
    except StoreError:
        raise
    except ShapeMagicError as error:
        raise UsageError(visible(str(error))) from None


def lookup(shell: InteractiveShell, name: str) -> object:
    """Give the session's variable of a name; UsageError names the nearest ones there are."""
    try:
        return shell.user_ns[name]
    except KeyError:
        near = difflib.get_close_matches(name, variables(shell), n=3)
        hint = f"; did you mean {one_line(' or '.join(near))}?" if near else ""
        raise UsageError(f"there is no variable {name!r} in this session{hint}") from None


def bind(shell: InteractiveShell, name: str | None, value: object) -> None:
    """Bind a value to a name of the session, where one is given."""
    if name is not None:
        shell.push({name: value})


def variables(shell: InteractiveShell) -> list[str]:
    """Give the names of the session's variables, those of IPython's own left out.

    A name of IPython's that was bound to something else is the session's.
    """
    hidden, none = shell.user_ns_hidden, object()
    return [
        name
        for name, value in shell.user_ns.items()
        if not name.startswith("_") and value is not hidden.get(name, none)
    ]
