"""`%evaluation_prompt`, `%%evaluate`, `%round_summary`: what evaluators see, say and add up to."""

import argparse
from typing import Final

from IPython.core.error import UsageError
from IPython.core.magic import magics_class

from shape_magic.deliberation.encoding import decoded, json_line
from shape_magic.deliberation.evaluations import Evaluated
from shape_magic.deliberation.prompts import EvaluationPrompt
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
from shape_magic.prompting.template import EvaluationTemplate
from shape_magic.wording import quoted

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
        argument("--evaluator", metavar="ID", help="who is shown it: an agent, or a judge"),
        argument(
            "--template",
            metavar="NAME",
            help="the variable that holds an EvaluationTemplate, or the name of one used before",
        ),
        argument(
            "--without-shape",
            action="store_true",
            help="the control: no figures, no outline, no legend, no line numbers",
        ),
        argument(
            "--anonymous", action="store_true", help="candidates stand as Candidate_A and so on"
        ),
        argument(
            "--history",
            action="store_true",
            help="let the prompt's tools reach the rounds before; never with --anonymous",
        ),
        argument(
            "--seed", type=whole_number, metavar="N", help="draw the order of the candidates from N"
        ),
        argument("--trial", type=whole_number, default=1, metavar="N", help="the trial (1)"),
    )
    def evaluation_prompt(self, options: argparse.Namespace) -> EvaluationPrompt:
        """Show the evaluation prompt of a round, as an evaluator gets it, and keep it.

        Its value is the `EvaluationPrompt`; `str` of that is the text to send.

        `%%evaluate` takes a reply to be about what this showed, whatever is proposed in the
        meantime, and after a restart. The task is by default the one that is kept for the round.
        """
        session = self.session
        deliberation = session.deliberation
        number = deliberation.current_round if options.round is None else options.round
        task = deliberation.task(number)
        if options.task is not None:
            task = session.text_variable(options.task, option="--task", meaning="a task")
        return deliberation.evaluation_prompt(
            task=_NO_TASK if task is None else task,
            round=number,
            evaluator=options.evaluator,
            template=self._template(options.template, without_shape=options.without_shape),
            anonymous=options.anonymous,
            history=options.history,
            seed=options.seed,
            trial=options.trial,
        )

    def _template(
        self, name: str | None, *, without_shape: bool
    ) -> EvaluationTemplate | str | None:
        template: EvaluationTemplate | str | None = name
        variable = None if name is None else self.session.shell.user_ns.get(name)
        if name is None and without_shape:
            template = EvaluationTemplate.default()
        elif isinstance(variable, EvaluationTemplate):
            template = variable
        if not without_shape:
            return template
        if isinstance(template, EvaluationTemplate):
            return template.without_shape()
        raise UsageError(
            f"--without-shape makes the control of a variable's template, and {quoted(name)} is "
            "no variable that holds one"
        )

    @declare(
        "cell",
        "evaluate",
        argument("evaluator", help="who evaluates: an agent, or a judge that proposes nothing"),
        _ROUND,
        argument(
            "--prompt",
            metavar="DIGEST",
            help="what was shown, in place of the evaluator's last prompt",
        ),
        argument(
            "--arm",
            default="",
            metavar="NAME",
            help="file it under the prompt's template's name, apart from the others",
        ),
        argument(
            "--trial", type=whole_number, metavar="N", help="the trial, in place of the prompt's"
        ),
        argument(
            "--partial",
            action="store_true",
            help="take the candidates that are whole, and name the others",
        ),
        argument("--strict", action="store_true", help="take the exact form alone"),
        argument(
            "--synthetic",
            action="store_true",
            help="made up in place of a reply that failed: counted, and part of no score",
        ),
        argument(
            "--replace",
            action="store_true",
            help="put it in the place of an earlier reply, whole",
        ),
        argument(
            "--complete", action="store_true", help="refuse a reply that leaves a candidate out"
        ),
    )
    def evaluate(self, options: argparse.Namespace, reply: str) -> Evaluated:
        """Take the cell's body, a model's reply, in as the evaluator's evaluations.

        The reply is the JSON that the evaluation prompt asks for. What has one reading is taken,
        and every repair is told; whatever is missing or wrong is named, and then nothing is taken.

        It is about what the evaluator's last %evaluation_prompt showed, in the round that is named
        or in any; where there was none, about the latest versions of the round.
        """
        deliberation = self.session.deliberation
        prompt = options.prompt
        if prompt is None:
            prompt = deliberation.last_prompt(options.evaluator, round=options.round)
        return deliberation.evaluate(
            options.evaluator,
            reply,
            prompt=prompt,
            round=options.round,
            arm=options.arm,
            trial=options.trial,
            partial=options.partial,
            strict=options.strict,
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
