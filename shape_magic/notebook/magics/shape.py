"""`%%shape` and `%shape`: measure a cell, a value or a file."""

import builtins
import keyword
from os import PathLike
from pathlib import Path
from typing import Final

import traitlets
from IPython.core.error import UsageError
from IPython.core.magic import Magics, magics_class

from shape_magic.deliberation.proposal import Proposal
from shape_magic.files import measure_file
from shape_magic.notebook.live import DISPLAYS
from shape_magic.notebook.magics.declare import (
    Argument,
    argument,
    declare,
    name_argument,
    output_argument,
)
from shape_magic.notebook.magics.options import bad_usage, bind, lookup, parse, split_options
from shape_magic.notebook.measurements import Measurements
from shape_magic.notebook.session import Session
from shape_magic.shape import Measurement
from shape_magic.vocabulary import ATTRIBUTES
from shape_magic.wording import one_line, visible

__all__ = ["ShapeMagics"]


_ATTRIBUTES: Final = "attributes:\n" + "\n".join(
    f"  {attribute.name:<12} {attribute.meaning}" for attribute in ATTRIBUTES
)


def _analyzer_argument() -> Argument:
    return argument(
        "--analyzer", metavar="KIND", help="this analyzer, in place of the registry's order"
    )


@magics_class
class ShapeMagics(Magics):
    """The magics that measure."""

    display = traitlets.Enum(
        DISPLAYS,
        "widget",
        help="How measurements and proposals show: as the widget; as html, which stays interactive "
        "without a kernel where the notebook is trusted or exported; or as static HTML.",
    ).tag(config=True)

    def __init__(self, session: Session) -> None:
        super().__init__(shell=session.shell)
        self.session = session

    @declare(
        "cell",
        "shape",
        argument("agent_id", nargs="?", help="whose proposal it is; without one nothing is kept"),
        argument("--round", type=int, metavar="N", help="the round, in place of the current one"),
        argument(
            "--thoughts",
            type=name_argument,
            metavar="NAME",
            help="the variable that holds the thought process",
        ),
        _analyzer_argument(),
        output_argument(),
        epilog=_ATTRIBUTES,
    )
    def shape_cell(self, line: str, cell: str) -> Proposal | Measurement:
        """Measure the cell's body, verbatim, as an agent's proposal in a round."""
        options = parse(ShapeMagics.shape_cell, line)
        content = self.session.typed_body("shape", line, cell)
        if options.agent_id is None:
            for name in ("round", "thoughts"):
                if getattr(options, name) is not None:
                    raise UsageError(
                        f"--{name} belongs to a proposal: name its agent, "
                        f"as in %%shape Candidate_A --{name} {getattr(options, name)}"
                    )
        value: Proposal | Measurement
        with bad_usage():
            if options.agent_id is None:
                value = self.session.registry.measure(content, analyzer=options.analyzer)
            else:
                value = self.session.deliberation.propose(
                    options.agent_id,
                    content,
                    round=options.round,
                    thought_process=self._thoughts(options.thoughts),
                    analyzer=options.analyzer,
                )
        bind(self.session.shell, options.output, value)
        return value

    @declare(
        "line",
        "shape",
        argument(
            "expression",
            nargs="?",
            help="a string, a path or a list of strings; options stand before it",
        ),
        argument("--file", metavar="PATH", help="measure this file, in place of an expression"),
        _analyzer_argument(),
        output_argument(),
        epilog=_ATTRIBUTES,
    )
    def shape_line(self, line: str) -> Measurement | Proposal | Measurements:
        """Measure a value of the session: the rest of the line is a Python expression, as it is."""
        head, expression = split_options(ShapeMagics.shape_line, line)
        options = parse(ShapeMagics.shape_line, head)
        if (options.file is None) == (expression == ""):
            raise UsageError(
                "%shape measures one thing: an expression, as in %shape answer, "
                "or a file, as in %shape --file answer.md"
            )
        subject = Path(options.file) if options.file is not None else self._evaluate(expression)
        value = self._measured(subject, analyzer=options.analyzer)
        bind(self.session.shell, options.output, value)
        return value

    def _thoughts(self, name: str | None) -> str:
        if name is None:
            return ""
        thoughts = lookup(self.session.shell, name)
        if not isinstance(thoughts, str):
            raise UsageError(
                f"--thoughts {name} is a {one_line(type(thoughts).__name__)}; "
                "a thought process is a str"
            )
        return thoughts

    def _evaluate(self, expression: str) -> object:
        try:
            compile(expression, "<%shape>", "eval")
        except SyntaxError as error:
            raise UsageError(
                f"{visible(expression[:80])!r} is no Python expression ({visible(error.msg)}); "
                "options stand before it, as in %shape -o kept answer"
            ) from None
        is_name = expression.isidentifier() and not keyword.iskeyword(expression)
        if is_name and not hasattr(builtins, expression):
            return lookup(self.session.shell, expression)
        return self.session.shell.ev(expression)

    def _measured(
        self, subject: object, *, analyzer: str | None
    ) -> Measurement | Proposal | Measurements:
        registry = self.session.registry
        with bad_usage():
            match subject:
                case Measurement() | Proposal():
                    return subject
                case str():
                    return registry.measure(subject, analyzer=analyzer)
                case PathLike():
                    return measure_file(subject, analyzer=analyzer, registry=registry)
                case list() | tuple() if subject and all(isinstance(one, str) for one in subject):
                    return Measurements(registry.measure(one, analyzer=analyzer) for one in subject)
        raise UsageError(
            f"a {one_line(type(subject).__name__)} cannot be measured; "
            "a string, a path or a list of strings can"
        )
