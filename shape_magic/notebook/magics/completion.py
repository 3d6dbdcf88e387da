"""What Tab offers on a magic's line: its options, the agents' ids, the kinds, the variables."""

import argparse
import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from IPython.core.completer import (
    CompletionContext,
    SimpleCompletion,
    SimpleMatcherResult,
    context_matcher,
)

from shape_magic.notebook.magics.declare import parser_of
from shape_magic.notebook.magics.options import variables
from shape_magic.notebook.session import Session

__all__ = ["Matcher", "matcher"]

Matcher = Callable[[CompletionContext], SimpleMatcherResult]

_CALL: Final = re.compile(r"\s*(%{1,2}\w+)\s")
_LAST_WORD: Final = re.compile(r"""(?:"[^"]*|'[^']*|\S*)\Z""")


def matcher(session: Session, magics: Mapping[str, Callable[..., object]]) -> Matcher:
    """Make the matcher that completes the lines of some magics, by name with escape (`%%shape`)."""

    @context_matcher()  # type: ignore[untyped-decorator]
    def shape_magic_matcher(context: CompletionContext) -> SimpleMatcherResult:
        line = context.text_until_cursor
        call = _CALL.match(line)
        if call is None or call[1] not in magics:
            return {"completions": []}
        typed = line[call.end() :]
        words = typed.split()
        last = _LAST_WORD.search(typed)
        so_far = last[0] if last else ""
        before = words[:-1] if so_far else words
        # The frontend replaces its token alone, which may begin later than the word does.
        kept = len(so_far) - len(context.token)
        return {
            "completions": [
                SimpleCompletion(text=offer[kept:], type="magic")
                for offer in _offers(session, parser_of(magics[call[1]]), before, so_far)
                if kept >= 0 and offer.startswith(so_far)
            ],
            "suppress": True,
        }

    return shape_magic_matcher  # type: ignore[no-any-return]


def _offers(
    session: Session, parser: argparse.ArgumentParser, before: list[str], so_far: str
) -> Iterable[str]:
    options = {name: action for action in parser._actions for name in action.option_strings}
    previous = options.get(before[-1]) if before else None
    if previous is not None and previous.nargs != 0:
        return _values(session, previous, so_far)
    if so_far.startswith("-"):
        return [name for name in options if name not in before]
    positionals = [action for action in parser._actions if not action.option_strings]
    return [value for action in positionals for value in _values(session, action, so_far)]


def _values(session: Session, action: argparse.Action, so_far: str) -> Iterable[str]:
    """Offer what an argument may be, by the name under which the magics keep such a value."""
    if action.choices is not None:
        return [str(choice) for choice in action.choices]
    match action.dest:
        case "agent_id" | "agent_ids" | "evaluator":
            return [_quoted(agent_id, so_far) for agent_id in session.deliberation.agents()]
        case "analyzer":
            return session.registry.names
        case "thoughts" | "task" | "expression":
            return variables(session.shell)
        case _:
            return []


def _quoted(agent_id: str, so_far: str) -> str:
    """Quote an id where it needs it, with the quote that was begun."""
    if so_far.startswith('"') and not set(agent_id) & set('"\\'):
        return f'"{agent_id}"'
    return f"'{agent_id}'" if so_far.startswith("'") else shlex.quote(agent_id)
