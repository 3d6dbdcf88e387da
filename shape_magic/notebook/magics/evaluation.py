"""`%evaluation_prompt`, `%%evaluate`, `%round_summary`: what evaluators see, say and add up to."""

import argparse
from typing import Final

from IPython.core.error import UsageError
from IPython.core.magic import magics_class

from shape_magic.deliberation.encoding import decoded, json_line
from shape_magic.deliberation.evaluations import Evaluated
from shape_magic.deliberation.read_proposal import Piece
from shape_magic.deliberation.records import RoundSummary, to_wire
from shape_magic.notebook.answers import Answer
from shape_magic.notebook.magics.options import (
    SessionMagics,
    argument,
    declare,
    variable_name,
    whole_number,
)

__all__ = ["EvaluationMagics"]

_ROUND: Final = argument(
    "--round", type=whole_number, metavar="N", help="the round, in place of the current one"
)
_NO_TASK: Final = "(none given: --task names the variable that holds it)"


@magics_class
class EvaluationMagics(SessionMagics):
    """The magics that evaluate."""

    @declare(
        "line",
        "evaluation_prompt",
        _ROUND,
        argument(
            "--task",
            type=variable_name,
            metavar="NAME",
            help="the variable that holds the task",
        ),
        argument(
            "--without-shape",
            action="store_true",
            help="the control: no figures, no outline, no legend",
        ),
    )
    def evaluation_prompt(self, options: argparse.Namespace) -> Answer:
        """Show the evaluation prompt of a round, as an evaluator gets it.

        `%%evaluate` takes a reply to be about the versions that this shows, whatever is proposed
        in the meantime.
        """
        session = self.session
        task = _NO_TASK
        if options.task is not None:
            task = session.text_variable(options.task, option="--task", meaning="a task")
        deliberation = session.deliberation
        number = deliberation.current_round if options.round is None else options.round
        prompt = deliberation.evaluation_prompt(
            task=task, round=number, with_shape=not options.without_shape
        )
        session.remember_prompt(deliberation.proposals(round=number))
        return Answer([Piece(prompt, quoted=True)])

    @declare(
        "cell",
        "evaluate",
        argument("evaluator", help="who evaluates: an agent, or a judge that proposes nothing"),
        _ROUND,
        argument(
            "--synthetic",
            action="store_true",
            help="made up in place of a reply that failed: counted, and part of no score",
        ),
        argument(
            "--replace", action="store_true", help="put it in the place of an earlier evaluation"
        ),
        argument(
            "--complete", action="store_true", help="refuse a reply that leaves a candidate out"
        ),
    )
    def evaluate(self, options: argparse.Namespace, reply: str) -> Evaluated:
        """Take the cell's body, a model's reply, in as the evaluator's evaluations.

        The reply is the JSON that the evaluation prompt asks for, with or without words around
        it. Whatever is missing or out of range is named, and then nothing of it is taken.

        It is taken to be about the versions that the round's last %evaluation_prompt showed, also
        where an agent has proposed anew since; where none was shown, about the latest ones.
        """
        session = self.session
        return session.deliberation.evaluate(
            options.evaluator,
            reply,
            round=options.round,
            proposals=session.prompted(options.round),
            synthetic=options.synthetic,
            replace=options.replace,
            complete=options.complete,
        )

    @declare(
        "line",
        "round_summary",
        argument(
            "number", nargs="?", type=whole_number, metavar="N", help="the round, as --round N"
        ),
        _ROUND,
        argument("--json", action="store_true", help="the wire form, in one line"),
    )
    def round_summary(self, options: argparse.Namespace) -> RoundSummary | Answer:
        """Sum up a round: agents by scores and attributes, best first."""
        if options.number is not None and options.round is not None:
            raise UsageError("the round is given once: as %round_summary 2, or by --round 2")
        chosen = options.round if options.number is None else options.number
        summary = self.session.deliberation.summarize(chosen)
        if options.json:
            return Answer([Piece(decoded(json_line(to_wire(summary))), quoted=True)])
        return summary
