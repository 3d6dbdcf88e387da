"""`%deliberation`, `%read_proposal` and `%search_deliberation`: kept, read and searched."""

import argparse
import re
import warnings
from typing import Final

from IPython.core.error import UsageError
from IPython.core.magic import magics_class

from shape_magic.deliberation import Deliberation
from shape_magic.deliberation.read_proposal import THOUGHTS_PAGE, ReadProposal
from shape_magic.deliberation.search import DEFAULT_RESULTS, SearchDeliberation
from shape_magic.errors import TranscriptWarning
from shape_magic.notebook.answers import Answer
from shape_magic.notebook.magics.options import (
    SessionMagics,
    argument,
    declare,
    number,
    whole_number,
)
from shape_magic.vocabulary import PHASES, STANCES, VERDICTS
from shape_magic.wording import quoted, visible

__all__ = ["DeliberationMagics"]

_RANGE: Final = re.compile(r"(?P<first>[0-9]{0,18}):(?P<last>[0-9]{0,18})|(?P<only>[0-9]{1,18})")


def line_range(text: str) -> tuple[int | None, int | None]:
    """Read a range of lines, for `type=` of an argument: `31:48`, `31:`, `:48` or `31`."""
    match = _RANGE.fullmatch(text)
    if match is None or text == ":":
        raise argparse.ArgumentTypeError(
            f"{quoted(text)} is no range of lines, such as 31:48; "
            'an id with spaces stands in quotes, as in "Candidate A"'
        )
    if match["only"]:
        return int(match["only"]), int(match["only"])
    first, last = match["first"], match["last"]
    return int(first) if first else None, int(last) if last else None


@magics_class
class DeliberationMagics(SessionMagics):
    """The magics that keep, read and search a deliberation."""

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
            "--copy",
            metavar="PATH",
            help="copy the whole database to a new file, also while other kernels write to it",
        ),
        argument(
            "--reset",
            action="store_true",
            help="remove everything; with --load, once the transcript could be read",
        ),
    )
    def deliberation(self, options: argparse.Namespace) -> Deliberation:
        """Put the session's deliberation on a file, or show the one there is.

        What the session holds in memory goes along into the file.
        """
        if options.skip_bad and options.load is None:
            raise UsageError("--skip-bad belongs to --load, as in --load rounds.jsonl --skip-bad")
        if options.reset and options.path is not None:
            raise UsageError(
                "--reset removes everything that the session's deliberation holds: "
                f"switch to {quoted(options.path)} first, and look at what is in it"
            )
        if options.copy is not None and options.reset:
            raise UsageError("--copy copies what is there: call it by itself before --reset")
        session = self.session
        if options.path is not None:
            self._open(options.path, options)
        elif options.load is not None:
            self._load(session.deliberation, options)
        elif options.reset:
            session.deliberation.reset()
        deliberation = session.deliberation
        if options.save is not None:
            deliberation.save(options.save)
        if options.copy is not None:
            deliberation.copy_to(options.copy)
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
            type=line_range,
            metavar="FROM:TO",
            help="the lines to read, both ends included: 31:48, 31:, :48 or 31",
        ),
        argument(
            "--round", type=whole_number, metavar="N", help="the round, in place of the latest"
        ),
        argument("--from-line", type=whole_number, metavar="N", help="the first line"),
        argument("--to-line", type=whole_number, metavar="N", help="the last line, included"),
        argument(
            "--offset",
            type=whole_number,
            default=0,
            metavar="N",
            help="how many characters of the thoughts to pass over",
        ),
        argument(
            "--limit",
            type=whole_number,
            default=THOUGHTS_PAGE,
            metavar="N",
            help="how many characters of the thoughts to show",
        ),
    )
    def read_proposal(self, options: argparse.Namespace) -> Answer:
        """Read a proposal as a model does: whole or by line, and its thoughts by page."""
        from_line, to_line = options.from_line, options.to_line
        if options.lines is not None:
            if from_line is not None or to_line is not None:
                raise UsageError(
                    "the lines are given once: as FROM:TO, or by --from-line and --to-line"
                )
            from_line, to_line = options.lines
        reading = self.session.deliberation.read(
            ReadProposal(
                agent_id=options.agent_id,
                round=options.round,
                from_line=from_line,
                to_line=to_line,
                offset=options.offset,
                limit=options.limit,
            )
        )
        return Answer(reading.pieces())

    @declare(
        "line",
        "search_deliberation",
        argument("keywords", nargs="*", help="texts that must all occur, whatever their case"),
        argument("--rounds", type=whole_number, nargs="+", metavar="N", help="only these rounds"),
        argument("--agent-ids", nargs="+", metavar="ID", help="only proposals by these agents"),
        argument("--phase", choices=PHASES, help="proposals only, or evaluations only"),
        argument(
            "--stances", nargs="+", choices=STANCES, help="only evaluations with such a stance"
        ),
        argument(
            "--verdicts", nargs="+", choices=VERDICTS, help="only evaluations with such a verdict"
        ),
        argument("--min-score", type=number, metavar="X", help="the lowest aggregated score"),
        argument("--max-score", type=number, metavar="X", help="the highest aggregated score"),
        argument(
            "--limit",
            type=whole_number,
            default=DEFAULT_RESULTS,
            metavar="N",
            help="how many results",
        ),
    )
    def search_deliberation(self, options: argparse.Namespace) -> Answer:
        """Search proposals and evaluations as a model does; `matched_lines` can be read on from."""
        results = self.session.deliberation.search(
            SearchDeliberation(
                keywords=options.keywords,
                rounds=options.rounds,
                agent_ids=options.agent_ids,
                phase=options.phase,
                stances=options.stances,
                verdicts=options.verdicts,
                min_score=options.min_score,
                max_score=options.max_score,
                limit=options.limit,
            )
        )
        return Answer(results.pieces())
