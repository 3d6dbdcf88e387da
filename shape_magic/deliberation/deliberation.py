"""The deliberation: proposals and evaluations in rounds, kept in one SQLite database."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from shape_magic.analyzers.registry import Registry, default_registry
from shape_magic.deliberation.agents import listed, shown
from shape_magic.deliberation.arguments import agent_id_text, round_number, text
from shape_magic.deliberation.database import Database
from shape_magic.deliberation.encoding import measurement_columns
from shape_magic.deliberation.evaluations import Evaluated, evaluate
from shape_magic.deliberation.frames import summaries_to_frame
from shape_magic.deliberation.proposal import Proposal
from shape_magic.deliberation.records import EvaluationEntry, ProposalRecord, RoundSummary
from shape_magic.deliberation.retrieval import THOUGHTS_PAGE, Reading, find_row, read
from shape_magic.deliberation.search import DEFAULT_RESULTS, SearchResults, search
from shape_magic.deliberation.store import Row, Store
from shape_magic.deliberation.summary import summarize
from shape_magic.deliberation.tools import Style, tool_arguments, tool_list
from shape_magic.deliberation.transcripts import (
    TranscriptReport,
    add_transcript,
    copy_versions,
    record_of,
    save_transcript,
)
from shape_magic.errors import (
    ArgumentError,
    EvaluationExistsError,
    NotFoundError,
    ShapeMagicError,
    StoreError,
)
from shape_magic.prompt import Candidate, evaluation_prompt

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Deliberation"]


class Deliberation:
    """Proposals and evaluations in rounds.

    It lives in memory, or in a file where one is named with `open`. It may be used from any
    thread, and several processes may have one file open.

    An agent is found by its exact id, else by one that is equal without regard to case and
    surrounding space, else by the name before ` (model)`. What is not found, or may be any of
    several, raises NotFoundError; an argument that makes no sense raises ArgumentError; a file
    that cannot be read or written raises StoreError.

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

    def __init__(
        self, *, registry: Registry | None = None, path: str | os.PathLike[str] | None = None
    ) -> None:
        """Make a deliberation in memory, measured by the default registry where none is given."""
        self._registry = registry
        self._store = Store(Database(None if path is None else Path(path).expanduser()))

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], *, registry: Registry | None = None
    ) -> "Deliberation":
        """Open the deliberation in a file; a file that is not there yet is made.

        A `~` at the start is the home folder, here and wherever a path is given.
        A file that is no deliberation, or one of a newer release, raises StoreError and is left
        as it is.
        """
        return cls(registry=registry, path=path)

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

    @property
    def path(self) -> Path | None:
        """The file, None in memory."""
        return self._store.database.path

    @property
    def registry(self) -> Registry:
        """The analyzers that measure what is proposed."""
        return default_registry() if self._registry is None else self._registry

    def close(self) -> None:
        """Close the file; what was in memory only is gone. Closing again does nothing."""
        self._store.database.close()

    def __enter__(self) -> "Deliberation":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        place = "in memory" if self.path is None else f"at {str(self.path)!r}"
        try:
            with self._store.database.reading():
                count, agents, rounds = self._store.count(), self.agents(), self.rounds()
        except StoreError as error:
            return f"<Deliberation: {error}>"
        if not count:
            return f"<Deliberation {place}: empty>"
        return (
            f"<Deliberation {place}: {count:,} proposal{'' if count == 1 else 's'}, "
            f"agents {listed(agents)}, rounds {listed(rounds)}>"
        )

    # Proposing

    def propose(
        self,
        agent_id: str,
        content: str,
        *,
        round: int | None = None,
        thought_process: str = "",
        analyzer: str | None = None,
    ) -> Proposal:
        """Measure a solution and store it as the agent's proposal, by default of the current round.

        In a round where the agent has proposed, other content or other thoughts make a new
        version. The same content makes none, with the same thoughts or without any; where it
        comes out measured otherwise than before, as by a newer analyzer, the stored measurement
        is renewed.

        >>> deliberation = Deliberation()
        >>> [deliberation.propose("Ann", text).version for text in ("a", "a", "b")]
        [1, 1, 2]
        """
        agent_id = agent_id_text(agent_id)
        content = text("content", content)
        thought_process = text("thought_process", thought_process)
        number = None if round is None else round_number(round)
        measurement = self.registry.measure(content, analyzer=analyzer)
        measured = measurement_columns(measurement, content=content)
        with self._store.database.transaction():
            row = self._store.propose(
                agent_id, measured, round=number, content=content, thoughts=thought_process
            )
            return self._store.proposal(row)

    @property
    def current_round(self) -> int:
        """The highest round there is, 1 where there is none."""
        return self._store.current_round()

    def rounds(self) -> list[int]:
        """Give the rounds that have a proposal, in order."""
        return self._store.rounds()

    def agents(self, *, round: int | None = None) -> list[str]:
        """Give the ids of the agents that proposed, in one round or in any, in order."""
        return self._store.agents(None if round is None else round_number(round))

    def proposal(
        self, agent_id: str, *, round: int | None = None, version: int | None = None
    ) -> Proposal:
        """Give an agent's proposal, by default the latest version of its latest round."""
        with self._store.database.reading():
            return self._store.proposal(
                find_row(self._store, agent_id, round=round, version=version)
            )

    def proposals(self, *, round: int | None = None) -> list[Proposal]:
        """Give the latest versions of one round, or of every round, by round and agent."""
        rounds = None if round is None else [round_number(round)]
        with self._store.database.reading():
            return [self._store.proposal(row) for row in self._store.rows(rounds=rounds)]

    def versions(self, agent_id: str, *, round: int | None = None) -> list[Proposal]:
        """Give all versions of an agent's proposal, the first one first.

        By default they are those of the agent's latest round.
        """
        with self._store.database.reading():
            row = find_row(self._store, agent_id, round=round)
            rows = self._store.rows(rounds=[row.round], agent_ids=[row.agent_id], latest=False)
            return [self._store.proposal(one) for one in rows]

    def remove(
        self,
        agent_id: str | None = None,
        *,
        round: int | None = None,
        version: int | None = None,
    ) -> int:
        """Remove an agent, a round, an agent's proposal in a round, or one version of that.

        Their evaluations go with them. Gives how many versions were removed; where there is
        nothing that matches, NotFoundError says what there is.
        """
        if agent_id is None:
            if round is None or version is not None:
                raise ArgumentError(
                    "remove() takes an agent_id, a round, or both, and a version beside both; "
                    "reset() removes everything"
                )
            number = round_number(round)
            with self._store.database.transaction():
                self._check_round(number)
                return self._store.remove(round=number)
        if version is not None and round is None:
            raise ArgumentError("a version is removed from a round; give round, too")
        with self._store.database.transaction():
            row = find_row(self._store, agent_id, round=round, version=version)
            return self._store.remove(agent_id=row.agent_id, round=round, version=version)

    def reset(self) -> int:
        """Remove everything, and give how many versions that were."""
        return self._store.remove()

    # Reading

    def read_proposal(
        self,
        agent_id: str,
        *,
        round: int | None = None,
        from_line: int | None = None,
        to_line: int | None = None,
        offset: int = 0,
        limit: int = THOUGHTS_PAGE,
    ) -> str:
        """Read a proposal: the answer that a model gets.

        Setting either line bound returns the solution as numbered lines, both ends included, in
        place of its raw readable form; a `to_line` past the end stands for the end. `offset` and
        `limit` page the thoughts, in characters: 5,000 by default, 15,000 at most.
        """
        return str(
            self.read(
                agent_id,
                round=round,
                from_line=from_line,
                to_line=to_line,
                offset=offset,
                limit=limit,
            )
        )

    def read(
        self,
        agent_id: str,
        *,
        round: int | None = None,
        from_line: int | None = None,
        to_line: int | None = None,
        offset: int = 0,
        limit: int = THOUGHTS_PAGE,
    ) -> Reading:
        """Read a proposal as `read_proposal` does, as a record; `str` of it is that answer."""
        return read(
            self._store,
            agent_id,
            round=round,
            from_line=from_line,
            to_line=to_line,
            offset=offset,
            limit=limit,
        )

    def search_deliberation(
        self,
        keywords: Iterable[str] | None = None,
        *,
        rounds: Iterable[int] | None = None,
        agent_ids: Iterable[str] | None = None,
        phase: str | None = None,
        stances: Iterable[str] | None = None,
        verdicts: Iterable[str] | None = None,
        min_score: float | None = None,
        max_score: float | None = None,
        limit: int = DEFAULT_RESULTS,
    ) -> str:
        """Search proposals and evaluations: the answer that a model gets.

        Every keyword must occur, compared in lower case, in the latest version of a proposal (its
        readable solution and thoughts together) or in an evaluation of it (its justification).
        `matched_lines` are the first 20 numbers of lines that hold any of them. All filters must
        hold: `agent_ids` and the scores are the proposal's, also where an evaluation is found;
        `stances` and `verdicts` are an evaluation's, so with either no proposal is found. Results
        are ordered by round and agent: 10 by default, 50 at most.

        >>> deliberation = Deliberation()
        >>> _ = deliberation.propose("Ann", "# Queue\\n\\nLatency is low.\\n")
        >>> print(deliberation.search_deliberation(["latency"]))
        <proposal round="1" agent="Ann" lines="3" matched_lines="3">
        <content># Queue
        <BLANKLINE>
        Latency is low.
        </content>
        </proposal>
        """
        return str(
            self.search(
                keywords,
                rounds=rounds,
                agent_ids=agent_ids,
                phase=phase,
                stances=stances,
                verdicts=verdicts,
                min_score=min_score,
                max_score=max_score,
                limit=limit,
            )
        )

    def search(
        self,
        keywords: Iterable[str] | None = None,
        *,
        rounds: Iterable[int] | None = None,
        agent_ids: Iterable[str] | None = None,
        phase: str | None = None,
        stances: Iterable[str] | None = None,
        verdicts: Iterable[str] | None = None,
        min_score: float | None = None,
        max_score: float | None = None,
        limit: int = DEFAULT_RESULTS,
    ) -> SearchResults:
        """Search as `search_deliberation` does, with records as results."""
        return search(
            self._store,
            keywords=keywords,
            rounds=rounds,
            agent_ids=agent_ids,
            phase=phase,
            stances=stances,
            verdicts=verdicts,
            min_score=min_score,
            max_score=max_score,
            limit=limit,
        )

    def evaluation_prompt(
        self, *, task: str, round: int | None = None, with_shape: bool = True
    ) -> str:
        """Write the evaluation prompt of a round, by default the current one.

        Without the shape it is the control: no figures, no outline, no legend.
        """
        task = text("task", task)
        with self._store.database.reading():
            number = self.current_round if round is None else round_number(round)
            self._check_round(number)
            proposals = self.proposals(round=number)
        return evaluation_prompt(
            [Candidate(one.agent_id, one.measurement, one.thought_process) for one in proposals],
            task=task,
            round=number,
            meanings={analyzer.kind: analyzer.meanings for analyzer in self.registry},
            with_shape=with_shape,
        )

    def _check_round(self, round: int) -> None:
        rounds = self._store.rounds()
        if round not in rounds:
            there_are = f"there are rounds {listed(rounds)}" if rounds else "nobody has proposed"
            raise NotFoundError(f"round {round} has no proposals; {there_are}")

    # Evaluations

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
        takes the first one's place. Whether an evaluation is complete is not looked at here.
        """
        with self._store.database.transaction():
            for proposal, entry in evaluations:
                row = self._version(proposal, None, None)
                evaluator = entry.evaluator_agent_id
                if replace:
                    self._store.remove_evaluations(row.id, evaluator=evaluator)
                elif evaluator in self._store.evaluators(row.id):
                    raise EvaluationExistsError(
                        f"{shown(evaluator)} has evaluated {shown(row.agent_id)} in round "
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
        evaluator = agent_id_text(evaluator_agent_id)
        if not isinstance(reply, (str, Mapping)):
            raise ArgumentError(f"reply is a str or a mapping, not {type(reply).__name__}")
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
            return list(self._store.rows(rounds=[number]))
        rounds = {one.round for one in proposals} | (set() if round is None else {round})
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

    def _version(self, agent_id: str | Proposal, round: int | None, version: int | None) -> Row:
        if isinstance(agent_id, Proposal):
            one = agent_id
            return find_row(self._store, one.agent_id, round=one.round, version=one.version)
        return find_row(self._store, agent_id, round=round, version=version)

    # Transcripts

    def records(self, *, round: int | None = None) -> list[ProposalRecord]:
        """Give the latest versions of one round, or of every round, as wire records."""
        rounds = None if round is None else [round_number(round)]
        with self._store.database.reading():
            return [record_of(self._store, row) for row in self._store.rows(rounds=rounds)]

    def add_transcript(
        self, path: str | os.PathLike[str], *, skip_bad: bool = False
    ) -> TranscriptReport:
        """Take in a transcript: a file of proposal records, one JSON object a line.

        A line that cannot be read raises TranscriptError, which names file, line and field, and
        nothing is taken. With `skip_bad` the rest is taken, and a TranscriptWarning and the
        report say what was left. Records are taken as they are, whatever their evaluations lack.
        Two records of one round and agent are two versions.
        """
        return add_transcript(
            self._store, Path(path).expanduser(), registry=self.registry, skip_bad=skip_bad
        )

    def add_deliberation(self, other: "Deliberation") -> int:
        """Take in all that another deliberation holds, and give how many versions that were.

        What is there already, version by version, is not stored again.
        """
        return copy_versions(other._store, self._store)

    def save(self, path: str | os.PathLike[str]) -> int:
        """Write every version as a transcript, and give how many there are.

        The file is replaced in one step: whatever happens, it is the old one or the new one.
        """
        return save_transcript(self._store, Path(path).expanduser())

    # Tools

    def tools(self, style: Style = "functions") -> list[dict[str, Any]]:
        """Describe `read_proposal` and `search_deliberation` to a model.

        `functions` is the list for function calling, `input_schema` the one with that key.

        >>> [tool["name"] for tool in Deliberation().tools("input_schema")]
        ['read_proposal', 'search_deliberation']
        """
        return tool_list(style)

    def call_tool(self, name: str, arguments: Mapping[str, Any] | str) -> str:
        """Call a tool as a model does, with a mapping or a JSON string, and give the answer.

        What is wrong with the arguments comes back as the answer, too, and nothing is raised.

        >>> Deliberation().call_tool("read_proposal", '{"agent_id": "Ann"}')
        "no agent is called 'Ann'; none has proposed"
        """
        try:
            given = tool_arguments(name, arguments)
            if name == "read_proposal":
                return self.read_proposal(**given)
            return self.search_deliberation(**given)
        except ShapeMagicError as error:
            return str(error)
