"""The deliberation: proposals and evaluations in rounds, kept in one SQLite database."""

import os
import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from shape_magic.analyzers.registry import Registry
from shape_magic.deliberation.agents import known_as
from shape_magic.deliberation.arguments import agent_id_text, round_number
from shape_magic.deliberation.evaluations import Evaluated, check_entry, evaluate
from shape_magic.deliberation.frames import summaries_to_frame
from shape_magic.deliberation.json_lines import lines_path
from shape_magic.deliberation.proposal import Proposal
from shape_magic.deliberation.reading import ReadableProposals
from shape_magic.deliberation.records import EvaluationEntry, ProposalRecord, RoundSummary
from shape_magic.deliberation.store import Row
from shape_magic.deliberation.summary import summarize
from shape_magic.deliberation.transcripts import (
    TranscriptReport,
    add_transcript,
    copy_versions,
    left_evaluations_text,
    record_of,
    save_transcript,
)
from shape_magic.errors import ArgumentError, EvaluationExistsError, TranscriptWarning
from shape_magic.wording import listed, quoted

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Deliberation"]


def _pair(given: object) -> tuple[Proposal, EvaluationEntry]:
    match given:
        case (Proposal() as proposal, EvaluationEntry() as entry):
            return proposal, entry
    raise ArgumentError(
        f"each of evaluations is a pair of a Proposal and an EvaluationEntry, not {quoted(given)}"
    )


class Deliberation(ReadableProposals):
    """Proposals and evaluations in rounds.

    It lives in memory, or in a file where one is named with `open`. It may be used from any
    thread, and several processes may have one file open.

    An agent is found by its exact id, else by one that is equal without regard to case and
    surrounding space, else by the name before ` (model)`. What is not found, or may be any of
    several, raises NotFoundError; an argument that makes no sense raises ArgumentError. The
    deliberation's own file raises StoreError where it cannot be read or written; a transcript
    raises TranscriptError, or the system's OSError where the system does not give or take it.

    >>> deliberation = Deliberation()
    >>> proposal = deliberation.propose("Ann", "# Use a queue\\n\\nIt is simpler.\\n")
    >>> proposal.shape.headings, deliberation.current_round
    (1, 1)
    >>> print(deliberation.read_proposal("ann", from_line=3))
    <proposal round="1" agent="Ann">
    <final_solution>
    <lines from="3" to="3" total="3">
       3| It is simpler.
    </lines>
    </final_solution>
    <thought_process offset="0" length="0" total="0">
    <BLANKLINE>
    </thought_process>
    </proposal>
    """

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        skip_bad: bool = False,
        registry: Registry | None = None,
    ) -> "Deliberation":
        """Read a transcript into a new deliberation in memory; see `add_transcript`."""
        deliberation = cls(registry=registry)
        deliberation.add_transcript(path, skip_bad=skip_bad)
        return deliberation

    def evaluations(
        self,
        agent_id: str | Proposal,
        *,
        round: int | None = None,
        version: int | None = None,
    ) -> list[EvaluationEntry]:
        """Give the evaluations of a proposal's version, in the order in which they came."""
        with self._store.database.reading():
            return self._store.evaluations(self._version(agent_id, round, version).id)

    def aggregated_score(
        self,
        agent_id: str | Proposal,
        *,
        round: int | None = None,
        version: int | None = None,
    ) -> float | None:
        """Give the score of a proposal's version; None where nobody has scored it.

        It is the sum over real evaluations of sign(s)·√|s|, or what a transcript's record said,
        which stands until the evaluations change.
        """
        with self._store.database.reading():
            return self._version(agent_id, round, version).aggregated_score

    def add_evaluations(
        self,
        evaluations: Iterable[tuple[Proposal, EvaluationEntry]],
        *,
        replace: bool = False,
    ) -> None:
        """Add evaluations, each to its version of a proposal: all of them, or none.

        A second one by the same evaluator of the same version raises EvaluationExistsError, or
        takes the first one's place. An evaluator is found as an agent is, and nobody evaluates
        itself. What could not be written as a record raises RecordError. Whether an evaluation is
        complete is not looked at here.
        """
        with self._store.database.transaction():
            agents = self._store.agents()
            for proposal, entry in map(_pair, evaluations):
                check_entry(entry)
                row = self._version(proposal, None, None)
                evaluator = entry.evaluator_agent_id
                if known_as(evaluator, agents) == row.agent_id:
                    raise ArgumentError(
                        f"the evaluator {quoted(evaluator)} proposed this itself, as "
                        f"{quoted(row.agent_id)}, and nobody evaluates itself"
                    )
                before = known_as(evaluator, self._store.evaluators(row.id))
                if before is not None and replace:
                    self._store.remove_evaluations(row.id, evaluator=before)
                elif before is not None:
                    raise EvaluationExistsError(
                        f"{quoted(evaluator)} has evaluated {quoted(row.agent_id)} in round "
                        f"{row.round}, version {row.version}, before; replace=True puts this one "
                        "in its place"
                    )
                self._store.add_evaluations(row.id, [entry])

    def evaluate(
        self,
        evaluator_agent_id: str,
        reply: str | Mapping[str, Any],
        *,
        round: int | None = None,
        proposals: Iterable[Proposal] | None = None,
        synthetic: bool = False,
        replace: bool = False,
        complete: bool = False,
    ) -> Evaluated:
        """Take a model's reply to the evaluation prompt in as the evaluator's evaluations.

        The reply is the JSON that the prompt asks for, bare, in a fence or with words around it,
        or that JSON parsed. Its candidates are the latest versions of a round, by default the
        current one, or the `proposals` that the prompt was made of. One that it leaves out is told
        in what comes back, and is a problem where the reply must be `complete`.

        All fields and all six categories must be there and in range, nobody evaluates itself, and
        an evaluator evaluates a version once, unless `replace` is set. ReplyError names whatever
        is wrong, candidate by candidate, and then nothing of the reply is taken. `synthetic`
        evaluations, made up in place of some that failed to arrive, are counted and not scored.
        """
        evaluator = agent_id_text(evaluator_agent_id, name="evaluator_agent_id")
        if not isinstance(reply, (str, Mapping)):
            raise ArgumentError(f"reply is a str or a mapping, not {type(reply).__name__}")
        if proposals is not None and not isinstance(proposals, Iterable):
            raise ArgumentError(f"proposals is a list of proposals, not {quoted(proposals)}")
        shown_ones = None if proposals is None else list(proposals)
        return evaluate(
            self._store,
            evaluator,
            reply,
            rows=lambda: self._candidates(round, shown_ones),
            synthetic=synthetic,
            replace=replace,
            complete=complete,
        )

    def _candidates(self, round: int | None, proposals: list[Proposal] | None) -> list[Row]:
        if proposals is None:
            number = self.current_round if round is None else round_number(round)
            self._check_round(number)
            with self._store.rows(rounds=[number]) as rows:
                return list(rows)
        for one in proposals:
            if not isinstance(one, Proposal):
                raise ArgumentError(f"each of proposals is a Proposal, not {quoted(one)}")
        rounds = {one.round for one in proposals}
        if round is not None:
            rounds.add(round_number(round))
        agents = {one.agent_id for one in proposals}
        if len(rounds) != 1 or len(agents) != len(proposals):
            raise ArgumentError(
                "the proposals that an evaluator was shown are of one round and of one agent each; "
                f"these {len(proposals)} are of {len(agents)} agents and of rounds "
                f"{listed(sorted(rounds))}"
            )
        return [self._version(one, None, None) for one in proposals]

    def summarize(self, round: int | None = None) -> RoundSummary:
        """Sum up a round, by default the current one: for each proposal its scores and its shape.

        A mean is over all real evaluations that gave that score, and their number stands beside
        it. `controversy_score` is the population variance of the real scores.
        """
        with self._store.database.reading():
            number = self.current_round if round is None else round_number(round)
            self._check_round(number)
            return summarize(self._store, number)

    def to_frame(self) -> "pd.DataFrame":
        """Give every proposal as a row of a data frame, with its scores and its shape.

        The columns are those of `summaries_to_frame`; the extra `analysis` is needed.
        """
        with self._store.database.reading():
            summaries = [summarize(self._store, number) for number in self.rounds()]
            analyzers = self._store.analyzers()
        return summaries_to_frame(summaries, analyzers=analyzers)

    def records(self, *, round: int | None = None) -> list[ProposalRecord]:
        """Give the latest versions of one round, or of every round, as wire records."""
        rounds = None if round is None else [round_number(round)]
        with self._store.rows(rounds=rounds) as rows:
            return [record_of(self._store, row) for row in rows]

    def add_transcript(
        self,
        path: str | os.PathLike[str],
        *,
        skip_bad: bool = False,
        replace: bool = False,
    ) -> TranscriptReport:
        """Take in a transcript: a file of proposal records, one JSON object a line.

        A line that cannot be read raises TranscriptError, which names file, line and field, and
        nothing is taken. With `skip_bad` the rest is taken, and a TranscriptWarning and the
        report say what was left. With `replace` everything that there was is removed, in the same
        step in which the transcript is taken.

        Records are taken as they are, whatever their evaluations lack. Two of one round and agent
        are two versions, also with the same text. A record of which a version is there already is
        not stored again: that has the record's text and thoughts, and no unknown field that the
        record lacks. New evaluations are added to it. Where an evaluator has given that version
        another one before, that stands, and the warning and the report say so.
        """
        report = add_transcript(
            self._store,
            lines_path(path),
            registry=self.registry,
            skip_bad=skip_bad,
            replace=replace,
        )
        if report.left_out or report.left_evaluations:
            warnings.warn(str(report), TranscriptWarning, stacklevel=2)
        return report

    def add_deliberation(self, other: "Deliberation") -> int:
        """Take in all that another deliberation holds, and give how many versions that were.

        What is there already is not stored again, and an evaluator's earlier evaluation of a
        version stands, as with `add_transcript`; a TranscriptWarning names such a one.
        """
        copied, left = copy_versions(other._store, self._store)
        if left:
            warnings.warn(left_evaluations_text(left), TranscriptWarning, stacklevel=2)
        return copied

    def save(self, path: str | os.PathLike[str]) -> int:
        """Write every version as a transcript, and give how many there are.

        The file is replaced in one step: whatever happens, it is the old one or the new one. A
        database, its log, and what is no regular file are refused with TranscriptError.
        """
        return save_transcript(self._store, lines_path(path))
