"""What Tab offers on a magic's line: its options, the agents' ids, the kinds, the variables."""

import argparse
import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import msgspec
from IPython.core.completer import (
    CompletionContext,
    SimpleCompletion,
    SimpleMatcherResult,
    context_matcher,
)

from shape_magic.errors import ShapeMagicError
from shape_magic.notebook.magics.options import (
    AGENT_ARGUMENTS,
    EXPRESSION,
    LineParser,
    parser_of,
)
from shape_magic.notebook.session import Session
from shape_magic.wording import one_line

__all__ = ["Matcher", "matcher"]

Matcher = Callable[[CompletionContext], SimpleMatcherResult]

# A line magic's value may be assigned, as in `answer = %read_proposal Ann`.
_CALL: Final = re.compile(r"(?:[^=%]*=\s*(?=%\w))?\s*(?P<magic>%{1,2}\w+)\s")
# The last word may have a quote that is not closed yet.
_WORD: Final = re.compile(r"""(?:"[^"]*(?:"|\Z)|'[^']*(?:'|\Z)|[^\s"'])+""")
_QUOTES: Final = ("'", '"')


class _Typed(msgspec.Struct, frozen=True):
    """A magic's line up to the cursor."""

    before: list[str]
    """The words that are complete."""
    last: str
    """The word that the cursor stands in; it is empty behind white space."""


def matcher(session: Session, magics: Mapping[str, Callable[..., object]]) -> Matcher:
    """Make the matcher that completes the lines of some magics, by name with escape (`%%shape`)."""

    @context_matcher()  # type: ignore[untyped-decorator]
    def shape_magic_matcher(context: CompletionContext) -> SimpleMatcherResult:
        line = context.text_until_cursor
        call = _CALL.match(line)
        if call is None or call["magic"] not in magics:
            return {"completions": []}
        typed = _typed(line[call.end() :])
        try:
            replaced, offers = _offers(session, parser_of(magics[call["magic"]]), typed)
            completions = [SimpleCompletion(text=offer, type="magic") for offer in offers]
        except ShapeMagicError:
            # As where the deliberation's file is gone: the magic itself says so, and Tab cannot.
            return {"completions": []}
        # The frontend's own token may begin inside the word, as behind a space in quotes.
        return {"completions": completions, "matched_fragment": replaced, "suppress": True}

    return shape_magic_matcher  # type: ignore[no-any-return]


def _typed(text: str) -> _Typed:
    words = list(_WORD.finditer(text))
    if words and words[-1].end() == len(text):
        return _Typed([word[0] for word in words[:-1]], words[-1][0])
    return _Typed([word[0] for word in words], "")


def _offers(session: Session, parser: LineParser, typed: _Typed) -> tuple[str, list[str]]:
    """Give what an offer replaces, and the offers."""
    options = parser.options
    name, is_inline, value = typed.last.partition("=")
    if is_inline and name in options and options[name].nargs != 0:
        return value, _matching(options[name], _values(session, options[name]), value)
    action, is_first = _expected(parser, typed.before)
    if typed.last.startswith("-") and not (is_first and action and action.option_strings):
        return typed.last, [
            name for name in options if name not in typed.before and name.startswith(typed.last)
        ]
    values = () if action is None else _values(session, action)
    return typed.last, [] if action is None else _matching(action, values, typed.last)


def _expected(parser: LineParser, before: Iterable[str]) -> tuple[argparse.Action | None, bool]:
    """Give the argument that the next word belongs to, and whether it is its first value."""
    positionals = [
        action
        for action in parser.positionals
        for _ in range(action.nargs if isinstance(action.nargs, int) else 1)
    ]
    options = parser.options
    option: argparse.Action | None = None
    values = 0
    for word in before:
        name, is_inline, _ = word.partition("=")
        if name in options:
            option = None if is_inline or options[name].nargs == 0 else options[name]
            values = 0
        elif option is not None:
            values += 1
            if option.nargs is None:
                option = None
        elif positionals and not _takes_more(positionals[0]):
            positionals.pop(0)
    if option is not None:
        return option, values == 0
    return (positionals[0], False) if positionals else (None, False)


def _takes_more(positional: argparse.Action) -> bool:
    # An expression is the rest of the line: the parser is given it as one argument.
    return positional.nargs == "*" or positional.dest == EXPRESSION


def _values(session: Session, action: argparse.Action) -> Iterable[str]:
    """Give what an argument may be, by the name under which the magics keep such a value."""
    if action.choices is not None:
        return [str(choice) for choice in action.choices]
    match action.dest:
        case dest if dest in AGENT_ARGUMENTS:
            return session.deliberation.agents()
        case "analyzer":
            return session.registry.names
        case "thoughts" | "task" | "expression":
            return [name for name in session.variables if name.isidentifier()]
        case _:
            return ()


def _matching(action: argparse.Action, values: Iterable[str], typed: str) -> list[str]:
    """Give the values that begin as typed, in quotes where they need them.

    Agents are found whatever their case, and so they are completed.
    """
    plain = str.casefold if action.dest in AGENT_ARGUMENTS else str
    # An apostrophe may begin a quote, or stand in an id.
    begun = {plain(typed), plain(typed[1:] if typed.startswith(_QUOTES) else typed)}
    written = [
        _written(value, typed)
        for value in values
        if any(plain(value).startswith(beginning) for beginning in begun)
    ]
    return [word for word in written if word is not None]


def _written(value: str, typed: str) -> str | None:
    """Write a value as the magics read it; None where a line cannot hold it."""
    # A word that begins with a minus is taken for an option, unless there is a space in it.
    if one_line(value) != value or (value.startswith("-") and " " not in value):
        return None
    begun = typed[:1] if typed.startswith(_QUOTES) else ""
    if not begun and (value.isidentifier() or shlex.quote(value) == value):
        return value
    for quote in (begun or "'", *_QUOTES):
        if quote not in value:
            return f"{quote}{value}{quote}"
    return shlex.quote(value)
