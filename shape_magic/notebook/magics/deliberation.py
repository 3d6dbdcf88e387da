"""`%deliberation`, `%read_proposal`, `%search_deliberation` and `%evaluation_prompt`."""

import argparse
import errno
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from IPython.core.error import UsageError
from IPython.core.magic import Magics, magics_class

from shape_magic.deliberation import Deliberation
from shape_magic.deliberation.retrieval import THOUGHTS_PAGE, Piece
from shape_magic.deliberation.search import DEFAULT_RESULTS
from shape_magic.errors import StoreError, TranscriptWarning
from shape_magic.notebook.answers import Answer
from shape_magic.notebook.magics.declare import (
    argument,
    declare,
    name_argument,
    output_argument,
)
from shape_magic.notebook.magics.options import bad_usage, bind, lookup, parse
from shape_magic.notebook.session import Session
from shape_magic.vocabulary import PHASES, STANCES, VERDICTS
from shape_magic.wording import one_line, visible

__all__ = ["DeliberationMagics"]

_RANGE: Final = re.compile(r"(?P<first>[0-9]*):(?P<last>[0-9]*)|(?P<only>[0-9]+)")
_NO_TASK: Final = "(none given: --task names the variable that holds it)"


_BAD_PATHS: Final = frozenset(
    {
        *(errno.ENOENT, errno.EISDIR, errno.ENOTDIR, errno.EACCES, errno.EPERM),
        *(errno.ENAMETOOLONG, errno.ELOOP, errno.EROFS),
    }
)
"""What the system says of a path that cannot be the one that is meant; all else is a failure."""


@contextmanager
def _bad_paths() -> Iterator[None]:
    try:
        yield
    except StoreError:
        raise
    except OSError as error:
        if error.errno not in _BAD_PATHS:
            raise
        raise UsageError(visible(f"{error.filename!r}: {error.strerror}")) from None


def lines_argument(text: str) -> tuple[int | None, int | None]:
    """Read a range of lines, for `type=` of an argument: `31:48`, `31:`, `:48` or `31`."""
    match = _RANGE.fullmatch(text)
    if match is None or text == ":":
        raise argparse.ArgumentTypeError(f"{text!r} is no range of lines, such as 31:48")
    if match["only"]:
        return int(match["only"]), int(match["only"])
    first, last = match["first"], match["last"]
    return int(first) if first else None, int(last) if last else None


@magics_class
class DeliberationMagics(Magics):
    """The magics that keep, read and search a deliberation."""

    def __init__(self, session: Session) -> None:
        super().__init__(shell=session.shell)
        self.session = session

    @declare(
        "line",
        "deliberation",
        argument("path", nargs="?", help="the file to keep the session's deliberation in"),
        argument("--load", metavar="PATH", help="take in a transcript: a record a line"),
        argument(
            "--skip-bad", action="store_true", help="with --load, leave out lines that are bad"
        ),
        argument("--save", metavar="PATH", help="write everything as a transcript"),
        argument(
            "--reset",
            action="store_true",
            help="remove everything; with --load, once the transcript could be read",
        ),
        output_argument(),
    )
    def deliberation(self, line: str) -> Deliberation:
        """Put the session's deliberation on a file, or show the one there is.

        What the session holds in memory goes along into the file.
        """
        options = parse(DeliberationMagics.deliberation, line)
        if options.skip_bad and options.load is None:
            raise UsageError("--skip-bad belongs to --load, as in --load rounds.jsonl --skip-bad")
        if options.reset and options.path is not None:
            raise UsageError(
                "--reset removes everything that the session's deliberation holds: "
                f"switch to {visible(options.path)!r} first, and look at what is in it"
            )
        session = self.session
        with bad_usage(), _bad_paths():
            if options.path is not None:
                self._open(options.path, options)
            elif options.load is not None:
                self._load(session.deliberation, options)
            elif options.reset:
                session.deliberation.reset()
            if options.reset:
                session.forget_prompts()
            deliberation = session.deliberation
            if options.save is not None:
                deliberation.save(options.save)
        bind(session.shell, options.output, deliberation)
        return deliberation

    def _open(self, path: str, options: argparse.Namespace) -> None:
        """Put the session on a file, once everything that was asked for is in it."""
        opened = Deliberation.open(path, registry=self.session.registry)
        try:
            self.session.take_along(opened)
            if options.load is not None:
                self._load(opened, options)
        except BaseException:
            opened.close()
            raise
        self.session.switch(opened)

    def _load(self, deliberation: Deliberation, options: argparse.Namespace) -> None:
        with warnings.catch_warnings():
            # A warning shows once in a session; what is not taken shows each time.
            warnings.simplefilter("ignore", TranscriptWarning)
            report = deliberation.add_transcript(
                options.load, skip_bad=options.skip_bad, replace=options.reset
            )
        if report.left_out or report.left_evaluations:
            print(visible(str(report)))  # noqa: T201

    @declare(
        "line",
        "read_proposal",
        argument("agent_id", help="whose proposal: the id, or the name before ` (model)`"),
        argument(
            "lines",
            nargs="?",
            type=lines_argument,
            metavar="FROM:TO",
            help="the lines to read, both ends included: 31:48, 31:, :48 or 31",
        ),
        argument("--round", type=int, metavar="N", help="the round, in place of the latest"),
        argument("--from-line", type=int, metavar="N", help="the first line"),
        argument("--to-line", type=int, metavar="N", help="the last line, included"),
        argument(
            "--offset",
            type=int,
            default=0,
            metavar="N",
            help="how many characters of the thoughts to pass over",
        ),
        argument(
            "--limit",
            type=int,
            default=THOUGHTS_PAGE,
            metavar="N",
            help="how many characters of the thoughts to show",
        ),
        output_argument(),
    )
    def read_proposal(self, line: str) -> Answer:
        """Read a proposal as a model does: whole or by line, and its thoughts by page."""
        options = parse(DeliberationMagics.read_proposal, line)
        from_line, to_line = options.from_line, options.to_line
        if options.lines is not None:
            if from_line is not None or to_line is not None:
                raise UsageError(
                    "the lines are given once: as FROM:TO, or by --from-line and --to-line"
                )
            from_line, to_line = options.lines
        with bad_usage():
            reading = self.session.deliberation.read(
                options.agent_id,
                round=options.round,
                from_line=from_line,
                to_line=to_line,
                offset=options.offset,
                limit=options.limit,
            )
        return self._answered(Answer(reading.pieces()), options)

    @declare(
        "line",
        "search_deliberation",
        argument("keywords", nargs="*", help="texts that must all occur, whatever their case"),
        argument("--rounds", type=int, nargs="+", metavar="N", help="only these rounds"),
        argument("--agent-ids", nargs="+", metavar="ID", help="only proposals by these agents"),
        argument("--phase", choices=PHASES, help="proposals only, or evaluations only"),
        argument(
            "--stances", nargs="+", choices=STANCES, help="only evaluations with such a stance"
        ),
        argument(
            "--verdicts", nargs="+", choices=VERDICTS, help="only evaluations with such a verdict"
        ),
        argument("--min-score", type=float, metavar="X", help="the lowest aggregated score"),
        argument("--max-score", type=float, metavar="X", help="the highest aggregated score"),
        argument(
            "--limit", type=int, default=DEFAULT_RESULTS, metavar="N", help="how many results"
        ),
        output_argument(),
    )
    def search_deliberation(self, line: str) -> Answer:
        """Search proposals and evaluations as a model does; `matched_lines` can be read on from."""
        options = parse(DeliberationMagics.search_deliberation, line)
        with bad_usage():
            results = self.session.deliberation.search(
                options.keywords,
                rounds=options.rounds,
                agent_ids=options.agent_ids,
                phase=options.phase,
                stances=options.stances,
                verdicts=options.verdicts,
                min_score=options.min_score,
                max_score=options.max_score,
                limit=options.limit,
            )
        return self._answered(Answer(results.pieces()), options)

    @declare(
        "line",
        "evaluation_prompt",
        argument("--round", type=int, metavar="N", help="the round, in place of the current one"),
        argument(
            "--task",
            type=name_argument,
            metavar="NAME",
            help="the variable that holds the task",
        ),
        argument(
            "--without-shape",
            action="store_true",
            help="the control: no figures, no outline, no legend",
        ),
        output_argument(),
    )
    def evaluation_prompt(self, line: str) -> Answer:
        """Show the evaluation prompt of a round, as an evaluator gets it.

        `%%evaluate` takes a reply to be about the versions that this shows, whatever is proposed
        in the meantime.
        """
        options = parse(DeliberationMagics.evaluation_prompt, line)
        task = _NO_TASK if options.task is None else self._task(options.task)
        with bad_usage():
            deliberation = self.session.deliberation
            number = deliberation.current_round if options.round is None else options.round
            prompt = deliberation.evaluation_prompt(
                task=task, round=number, with_shape=not options.without_shape
            )
            self.session.remember_prompt(deliberation.proposals(round=number))
        return self._answered(Answer([Piece(prompt, quoted=True)]), options)

    def _task(self, name: str) -> str:
        task = lookup(self.session.shell, name)
        if not isinstance(task, str):
            raise UsageError(f"--task {name} is a {one_line(type(task).__name__)}; a task is a str")
        return task

    def _answered(self, answer: Answer, options: argparse.Namespace) -> Answer:
        bind(self.session.shell, options.output, answer)
        return answer
