"""`%%shape`, `%shape` and `%shape_compare`: measure a cell, a value or a file, and compare."""

import argparse
import ast
import contextlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from IPython.core.error import UsageError
from IPython.core.magic import magics_class

from shape_magic.deliberation.proposal import Proposal
from shape_magic.files import measure_file
from shape_magic.notebook.magics.options import (
    EXPRESSION,
    SessionMagics,
    argument,
    declare,
    variable_name,
    whole_number,
)
from shape_magic.notebook.measurements import Measurements
from shape_magic.shape import Measurement
from shape_magic.teaching.glossary import glossary_help
from shape_magic.wording import one_line, quoted

if TYPE_CHECKING:
    from shape_magic.debugging.compare import AnalyzerComparison
    from shape_magic.debugging.explain import Explanation
    from shape_magic.notebook.compare import Comparison

__all__ = ["ShapeMagics"]

_ANALYZER: Final = argument(
    "--analyzer", metavar="KIND", help="this analyzer, in place of the registry's order"
)
_AT_ROUND: Final = re.compile(r"(?P<agent_id>.+)@(?P<round>[0-9]{1,18})", re.DOTALL)
_NAMES_A_FILE: Final = re.compile(r"\S{1,200}\.(?:html|json|jsonl|markdown|md|rst|txt)")
_LONGEST_NAME: Final = 40

_TEXTS_WITHIN: Final[tuple[tuple[str, Callable[[Any], object]], ...]] = (
    (".decode()", lambda value: value.decode() if isinstance(value, bytes | bytearray) else None),
    (".item()", lambda value: value.item()),
    (".content", lambda value: value.content),
    (".text", lambda value: value.text),
    ('["content"]', lambda value: value["content"]),
    (".content[0].text", lambda value: value.content[0].text),
    (".choices[0].message.content", lambda value: value.choices[0].message.content),
)
"""Where a value that is no text may hold one: how that is written, and how it is found."""


@magics_class
class ShapeMagics(SessionMagics):
    """The magics that measure."""

    @declare(
        "cell",
        "shape",
        argument("agent_id", nargs="?", help="whose proposal it is; without one nothing is kept"),
        argument(
            "--round", type=whole_number, metavar="N", help="the round, in place of the current one"
        ),
        argument(
            "--thoughts",
            type=variable_name,
            metavar="NAME",
            help="the variable that holds the thought process",
        ),
        _ANALYZER,
        argument(
            "--compare",
            metavar="KIND",
            help="set this analyzer's measurement against it, with the reasons; nothing is kept",
        ),
        epilog=glossary_help(),
    )
    def shape_cell(
        self, options: argparse.Namespace, content: str
    ) -> "Proposal | Measurement | AnalyzerComparison":
        """Measure the cell's body, verbatim, as an agent's proposal in a round."""
        session = self.session
        if options.compare is not None:
            return self._compared(options, content)
        if options.agent_id is None:
            for name in ("round", "thoughts"):
                if getattr(options, name) is not None:
                    raise UsageError(
                        f"--{name} belongs to a proposal: name its agent, "
                        f"as in %%shape Candidate_A --{name} {getattr(options, name)}"
                    )
            return session.registry.measure(content, analyzer=options.analyzer)
        thoughts = ""
        if options.thoughts is not None:
            thoughts = session.text_variable(
                options.thoughts, option="--thoughts", meaning="a thought process"
            )
        return session.deliberation.propose(
            options.agent_id,
            content,
            round=options.round,
            thought_process=thoughts,
            analyzer=options.analyzer,
        )

    @declare(
        "line",
        "shape",
        argument(
            EXPRESSION,
            nargs="?",
            help="a string, a path or a list of strings; options stand before it",
        ),
        argument("--file", metavar="PATH", help="measure this file, in place of an expression"),
        _ANALYZER,
        epilog=glossary_help(),
    )
    def shape_line(self, options: argparse.Namespace) -> Measurement | Proposal | Measurements:
        """Measure a value of the session: the rest of the line is a Python expression, as it is."""
        expression = options.expression
        if (options.file is None) == (expression == ""):
            raise UsageError(
                "%shape measures one thing: an expression, as in %shape answer, "
                'or a file, as in %shape --file "my answer.md"'
            )
        if options.file is not None:
            return measure_file(
                options.file, analyzer=options.analyzer, registry=self.session.registry
            )
        tree = _parsed(expression)
        value = self._evaluated(expression, tree)
        if isinstance(tree, ast.Constant) and isinstance(value, str):
            _refuse_file_name(value)
        return self._measured(value, expression, tree, analyzer=options.analyzer)

    def _compared(self, options: argparse.Namespace, content: str) -> "AnalyzerComparison":
        from shape_magic.debugging.compare import compare_analyzers

        registry = self.session.registry
        for name in ("agent_id", "round", "thoughts"):
            if getattr(options, name) is not None:
                raise UsageError(
                    "--compare keeps nothing, so it goes with no agent, round or thoughts: "
                    f"%%shape --compare {options.compare}"
                )
        # An unknown kind is refused before anything is measured.
        registry.get(options.compare)
        kind = registry.measure(content, analyzer=options.analyzer).kind
        return compare_analyzers(content, kind, options.compare, registry=registry)

    @declare(
        "line",
        "explain",
        argument(
            "agent_id",
            metavar="AGENT_ID[@ROUND]",
            help="whose proposal, or the variable that holds a measurement or a text",
        ),
        argument(
            "about",
            nargs="?",
            metavar="ATTRIBUTE|LINES",
            help="one of the attributes, or lines: 12 or 12:15",
        ),
        epilog=glossary_help(),
    )
    def explain(self, options: argparse.Namespace) -> "Explanation":
        """Say why figures are what they are: what was counted, and what only looks like it."""
        from shape_magic.debugging.explain import about_what, explain

        attribute, lines = about_what(options.about)
        return explain(
            self._subject(options.agent_id), attribute, lines, registry=self.session.registry
        )

    def _subject(self, name: str) -> Measurement | str:
        """Find an agent's proposal, or else a variable of that name."""
        value = self.session.shell.user_ns.get(name)
        if name in self.session.deliberation.agents() or not isinstance(
            value, Measurement | Proposal | str
        ):
            return self._proposal(name).measurement
        return value.measurement if isinstance(value, Proposal) else value

    @declare(
        "line",
        "shape_compare",
        argument(
            "agent_ids",
            nargs=2,
            metavar="AGENT_ID[@ROUND]",
            help="whose proposal, of the latest round where none is named",
        ),
    )
    def shape_compare(self, options: argparse.Namespace) -> "Comparison":
        """Show two proposals side by side, the second's differences to the first."""
        from shape_magic.notebook.compare import compare

        left, right = (self._proposal(name) for name in options.agent_ids)
        return compare(left, right, registry=self.session.registry)

    def _proposal(self, name: str) -> Proposal:
        deliberation = self.session.deliberation
        named = _AT_ROUND.fullmatch(name)
        # An id may hold an @ itself: as it stands, it is meant before its part is.
        if named is None or name in deliberation.agents():
            return deliberation.proposal(name)
        return deliberation.proposal(named["agent_id"], round=int(named["round"]))

    def _evaluated(self, expression: str, tree: ast.expr) -> object:
        """Evaluate an expression in the session; what it raises is for its author to see whole."""
        shell = self.session.shell
        try:
            return shell.ev(expression)
        except NameError as error:
            # A name that is missing elsewhere, as in a function of the author's, is no bad usage.
            used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
            if error.name not in used or error.name in shell.user_ns:
                raise
            _refuse_file_name(expression)
            return self.session.lookup(error.name)

    def _measured(
        self, value: object, expression: str, tree: ast.expr, *, analyzer: str | None
    ) -> Measurement | Proposal | Measurements:
        registry = self.session.registry
        match value:
            case Measurement() | Proposal():
                return value
            case str():
                return registry.measure(value, analyzer=analyzer)
            case PathLike():
                return measure_file(value, analyzer=analyzer, registry=registry)
        texts = _as_list(value)
        if texts is None:
            way_out = _way_out(value) or "a str, a path or a list of str"
            raise UsageError(
                f"a value of type {_type_name(value)} cannot be measured; {way_out} can"
            )
        if not texts:
            raise UsageError(f"{quoted(expression)} is empty: there is nothing to measure")
        measured = []
        for place, text in enumerate(texts):
            if not isinstance(text, str):
                raise UsageError(
                    f"item {place} of {quoted(expression)} is of type {_type_name(text)} and "
                    f"cannot be measured; {_way_out(text) or 'a list of nothing but str'} can"
                )
            measured.append(registry.measure(text, analyzer=analyzer))
        return Measurements(measured, names=_item_names(value, expression, tree, len(texts)))


def _parsed(expression: str) -> ast.expr:
    try:
        return ast.parse(expression, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        _refuse_file_name(expression)
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise UsageError(
            f"{quoted(expression)} is no Python expression ({one_line(reason, length=80)}); "
            "options stand before it, as in %shape -o kept answer"
        ) from None


def _refuse_file_name(text: str) -> None:
    """Refuse a text of the line itself that was meant as a file's name."""
    try:
        is_file_name = _NAMES_A_FILE.fullmatch(text) is not None or Path(text).is_file()
    except (OSError, ValueError):
        return
    if is_file_name:
        raise UsageError(f"%shape --file {quoted(text)} measures the file; this is its name alone")


def _as_list(value: object) -> Sequence[object] | None:
    """Give the items of a list, or of a Series or an array; None for anything else."""
    if isinstance(value, list | tuple):
        return value
    if isinstance(value, type | memoryview):
        return None
    # NumPy and pandas call it `tolist`, Polars `to_list`, PyArrow `to_pylist`.
    for name in ("tolist", "to_list", "to_pylist"):
        to_list = getattr(value, name, None)
        if callable(to_list):
            items = to_list()
            return items if isinstance(items, list) else None
    return None


def _way_out(value: object) -> str | None:
    """Say what of a value can be measured, where that is easily told."""
    for written, find in _TEXTS_WITHIN:
        # What a foreign object raises when it is asked is no matter here.
        with contextlib.suppress(Exception):
            if isinstance(find(value), str):
                return f"its {written}"
    if hasattr(value, "columns"):
        return 'a column of it, as in frame["answer"],'
    if isinstance(value, Mapping):
        return "a list of its values, as in list(answers.values()),"
    if isinstance(value, Iterable) and not isinstance(value, type | bytes | bytearray):
        return "a list of it, as in list(answers),"
    return None


def _type_name(value: object) -> str:
    return one_line(type(value).__name__, length=80)


def _item_names(value: object, expression: str, tree: ast.expr, count: int) -> list[str]:
    """Call each item of a list as the expression does, so that the displays can be told apart."""
    if isinstance(tree, ast.List | ast.Tuple) and len(tree.elts) == count:
        names = [ast.unparse(element) for element in tree.elts]
    else:
        # The items of a Series go by its labels.
        labels: Any = getattr(value, "index", None)
        if callable(labels) or labels is None or len(labels) != count:
            labels = range(count)
        names = [f"{expression}[{quoted(label)}]" for label in labels]
    return [
        name if len(name) <= _LONGEST_NAME and one_line(name) == name else f"item {place}"
        for place, name in enumerate(names)
    ]
