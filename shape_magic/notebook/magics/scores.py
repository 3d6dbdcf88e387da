"""`%%evaluate` and `%round_summary`: evaluations in, and what they add up to."""

from IPython.core.error import UsageError
from IPython.core.magic import Magics, magics_class

from shape_magic.deliberation.encoding import decoded, json_line
from shape_magic.deliberation.evaluations import Evaluated
from shape_magic.deliberation.records import RoundSummary, to_wire
from shape_magic.deliberation.retrieval import Piece
from shape_magic.notebook.answers import Answer
from shape_magic.notebook.magics.declare import argument, declare, output_argument
from shape_magic.notebook.magics.options import bad_usage, bind, parse
from shape_magic.notebook.session import Session

__all__ = ["ScoreMagics"]


@magics_class
class ScoreMagics(Magics):
    """The magics that score."""

    def __init__(self, session: Session) -> None:
        super().__init__(shell=session.shell)
        self.session = session

    @declare(
        "cell",
        "evaluate",
        argument("evaluator", help="who evaluates: an agent, or a judge that proposes nothing"),
        argument("--round", type=int, metavar="N", help="the round, in place of the current one"),
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
        output_argument(),
    )
    def evaluate(self, line: str, cell: str) -> Evaluated:
        """Take the cell's body, a model's reply, in as the evaluator's evaluations.

        The reply is the JSON that the evaluation prompt asks for, with or without words around
        it. Whatever is missing or out of range is named, and then nothing of it is taken.

        It is taken to be about the versions that the round's last %evaluation_prompt showed, also
        where an agent has proposed anew since; where none was shown, about the latest ones.
        """
        options = parse(ScoreMagics.evaluate, line)
        reply = self.session.typed_body("evaluate", line, cell)
        with bad_usage():
            value = self.session.deliberation.evaluate(
                options.evaluator,
                reply,
                round=options.round,
                proposals=self.session.prompted(options.round),
                synthetic=options.synthetic,
                replace=options.replace,
                complete=options.complete,
            )
        bind(self.session.shell, options.output, value)
        return value

    @declare(
        "line",
        "round_summary",
        argument("number", nargs="?", type=int, metavar="N", help="the round, as --round N"),
        argument("--round", type=int, metavar="N", help="the round, in place of the current one"),
        argument("--json", action="store_true", help="the wire form, in one line"),
        output_argument(),
    )
    def round_summary(self, line: str) -> RoundSummary | Answer:
        """Sum up a round: agents by scores and attributes, best first."""
        options = parse(ScoreMagics.round_summary, line)
        if options.number is not None and options.round is not None:
            raise UsageError("the round is given once: as %round_summary 2, or by --round 2")
        chosen = options.round if options.number is None else options.number
        with bad_usage():
            summary = self.session.deliberation.summarize(chosen)
        value: RoundSummary | Answer = summary
        if options.json:
            value = Answer([Piece(decoded(json_line(to_wire(summary))), quoted=True)])
        bind(self.session.shell, options.output, value)
        return value
