"""`%run_evaluations`: the session's judges, asked about rounds and under templates."""

import argparse
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError
from IPython.core.magic import magics_class

from shape_magic.notebook.magics.options import (
    SessionMagics,
    argument,
    declare,
    variable_name,
    whole_number,
)
from shape_magic.wording import one_line

if TYPE_CHECKING:
    from shape_magic.experiments import EvaluationRun

__all__ = ["ExperimentMagics"]


@magics_class
class ExperimentMagics(SessionMagics):
    """The magics that run experiments."""

    @declare(
        "line",
        "run_evaluations",
        argument(
            "judges",
            nargs="+",
            type=variable_name,
            metavar="NAME",
            help="variables that hold a judge each, which evaluates under that name, "
            "or a dictionary of judges by name",
        ),
        argument("--rounds", type=whole_number, nargs="+", metavar="N", help="only these rounds"),
        argument(
            "--templates",
            type=variable_name,
            nargs="+",
            metavar="NAME",
            help="variables that hold a template each, in place of the default one and its control",
        ),
        argument(
            "--trials", type=whole_number, default=1, metavar="N", help="how often each is asked"
        ),
        argument(
            "--task",
            type=variable_name,
            metavar="NAME",
            help="the variable that holds the task, in place of the one kept with each round",
        ),
        argument(
            "--named", action="store_true", help="show candidates under their ids, not as letters"
        ),
        argument(
            "--history",
            action="store_true",
            help="let the prompts' tools reach the rounds before; with --named alone",
        ),
        argument(
            "--seed",
            type=whole_number,
            default=0,
            metavar="N",
            help="what the order of the candidates is drawn from",
        ),
        argument(
            "--concurrency",
            type=whole_number,
            default=4,
            metavar="N",
            help="how many calls are under way at once",
        ),
        argument("--limit", type=whole_number, metavar="N", help="how many calls are made at most"),
        argument(
            "--dry-run", action="store_true", help="say how many calls it would be, and ask nobody"
        ),
        argument("--no-progress", action="store_true", help="show no progress bar"),
    )
    def run_evaluations(self, options: argparse.Namespace) -> "EvaluationRun":
        """Ask judges about every round under every template, and take in what they reply.

        Each reply is kept before it is read: interrupted, and called again, it goes on where it
        was, and asks for nothing twice.
        """
        from shape_magic.experiments import run_evaluations

        if options.history and not options.named:
            raise UsageError(
                "--history shows who proposed what in earlier rounds; give --named beside it"
            )
        session = self.session
        task = None
        if options.task is not None:
            task = session.text_variable(options.task, option="--task", meaning="a task")
        templates: Any = None
        if options.templates is not None:
            templates = [session.lookup(name) for name in options.templates]
        return run_evaluations(
            session.deliberation,
            self._judges(options.judges),
            rounds=options.rounds,
            templates=templates,
            trials=options.trials,
            anonymous=not options.named,
            history=options.history,
            seed=options.seed,
            task=task,
            concurrency=options.concurrency,
            limit=options.limit,
            dry_run=options.dry_run,
            progress=not options.no_progress,
        )

    def _judges(self, names: list[str]) -> Mapping[str, Callable[..., Any]]:
        judges: dict[str, Callable[..., Any]] = {}
        for name in names:
            value: Any = self.session.lookup(name)
            found: Mapping[str, Any] = value if isinstance(value, Mapping) else {name: value}
            for judge, function in found.items():
                if judge in judges:
                    raise UsageError(f"two judges are called {one_line(repr(judge))}")
                judges[judge] = function
        return judges
