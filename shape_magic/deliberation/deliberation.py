"""The deliberation: proposals and evaluations in rounds, kept in one SQLite database."""

import os
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from shape_magic.analyzers.registry import Registry, default_registry
from shape_magic.deliberation.agents import known_as
from shape_magic.deliberation.arguments import (
    agent_id_text,
    file_path,
    integer,
    round_number,
    text,
)
from shape_magic.deliberation.database import Database
from shape_magic.deliberation.evaluations import (
    Evaluated,
    Shown,
    ShownVersion,
    check_entry,
    evaluate,
)
from shape_magic.deliberation.frames import evaluations_to_frame, scored_to_frame
from shape_magic.deliberation.matrix import Matrix, make_matrix
from shape_magic.deliberation.messages import (
    MessagesReport,
    add_answers,
    read_frame,
    read_messages,
)
from shape_magic.deliberation.prompts import EvaluationPrompt, kept_prompt, last_prompt, make_prompt
from shape_magic.deliberation.proposal import Proposal
from shape_magic.deliberation.read_proposal import (
    THOUGHTS_PAGE,
    Reading,
    ReadProposal,
    find_row,
    read,
)
from shape_magic.deliberation.records import (
    EvaluationEntry,
    ProposalRecord,
    RoundSummary,
    ShownCandidate,
)
from shape_magic.deliberation.remeasure import RemeasureReport, remeasure
from shape_magic.deliberation.search import (
    DEFAULT_RESULTS,
    SearchDeliberation,
    SearchResults,
    search,
)
from shape_magic.deliberation.store import Row, Store, measurement_columns
from shape_magic.deliberation.summary import scored_versions, summarize
from shape_magic.deliberation.tools import Style, tool_list, tool_request
from shape_magic.deliberation.transcripts import (
    TranscriptReport,
    add_transcript,
    copy_all,
    left_evaluations_text,
    lines_path,
    record_of,
    save_transcript,
)
from shape_magic.errors import (
    ArgumentError,
    EvaluationExistsError,
    NotFoundError,
    ShapeMagicError,
    StoreError,
    TranscriptWarning,
)
from shape_magic.prompting.template import EvaluationTemplate
from shape_magic.shape import Measurement
from shape_magic.wording import listed, quoted

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Deliberation"]


class Deliberation:
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

    def __init__(
        self, *, registry: Registry | None = None, path: str | os.PathLike[str] | None = None
    ) -> None:
        """Make a deliberation in memory, measured by the default registry where none is given."""
        self._registry = registry
        self._store = Store(Database(None if path is None else file_path(path)))

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, registry: Registry | None = None) -> Self:
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

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._store.database.closed

    def close(self) -> None:
        """Close the file; what was in memory only is gone. Closing again does nothing."""
        self._store.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        place = "in memory" if self.path is None else f"at {self._store.database.name}"
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
        comes out measured otherwise than before, as by a newer analyzer, that measurement is
        added and displayed. Evaluations go on standing beside the one that was shown.

        >>> from shape_magic import Deliberation
        >>> deliberation = Deliberation()
        >>> [deliberation.propose("Ann", text).version for text in ("a", "a", "b")]
        [1, 1, 2]
        """
        (proposal,) = self.propose_many(
            [(agent_id, content, thought_process)], round=round, analyzer=analyzer
        )
        return proposal

    def propose_many(
        self,
        proposals: Iterable[tuple[str, ...]],
        *,
        round: int | None = None,
        analyzer: str | None = None,
    ) -> list[Proposal]:
        """Propose for several agents at once, as `propose` does: all of it is stored, or nothing.

        Each is an agent's id and its content, and its thought process where there is one.

        >>> from shape_magic import Deliberation
        >>> deliberation = Deliberation()
        >>> ann, bob = deliberation.propose_many([("Ann", "a"), ("Bob", "b")])
        >>> ann.version, bob.version
        (1, 1)
        """
        number = None if round is None else round_number(round)
        measured = []
        for given in proposals:
            agent_id, content, thoughts = _proposed(given)
            measurement = self.registry.measure(content, analyzer=analyzer)
            columns = measurement_columns(measurement, content=content)
            measured.append((agent_id, content, thoughts, columns))
        with self._store.database.transaction():
            # One round for all, also where the first proposal makes it.
            number = self.current_round if number is None else number
            rows = [
                self._store.propose(
                    agent_id, columns, round=number, content=content, thoughts=thoughts
                )
                for agent_id, content, thoughts, columns in measured
            ]
            return [self._store.proposal(row) for row in rows]

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
        with self._store.rows(rounds=rounds) as rows:
            return [self._store.proposal(row) for row in rows]

    def versions(self, agent_id: str, *, round: int | None = None) -> list[Proposal]:
        """Give all versions of an agent's proposal, the first one first.

        By default they are those of the agent's latest round.
        """
        with self._store.database.reading():
            found = find_row(self._store, agent_id, round=round)
            with self._store.rows(
                rounds=[found.round], agent_ids=[found.agent_id], latest=False
            ) as rows:
                return [self._store.proposal(row) for row in rows]

    def measurements(
        self,
        agent_id: str | Proposal,
        *,
        round: int | None = None,
        version: int | None = None,
    ) -> list[Measurement]:
        """Give the measurements of a proposal's version, the first one first.

        There are several where the same text was proposed again and measured otherwise.
        """
        with self._store.database.reading():
            row = self._version(agent_id, round, version)
            return [
                self._store.proposal(row, measurement=measurement).measurement
                for measurement in self._store.measurements(row.id)
            ]

    def remeasure(self, analyzer: str | None = None, *, dry_run: bool = False) -> RemeasureReport:
        """Measure all versions again with the analyzers of today, and give what changed.

        A measurement that comes out otherwise is added and displayed. Evaluations go on standing
        beside the one that their evaluators were shown, and so do summaries of those scores.
        `analyzer` is one kind, in place of the registry's order; a version that it does not
        recognise, or that makes it raise, stays as it is and is told. With `dry_run` nothing is
        kept. Raises AnalyzerError for an unknown kind.

        >>> from shape_magic import Deliberation
        >>> deliberation = Deliberation()
        >>> _ = deliberation.propose("Ann", '{"a": 1}', analyzer="markdown")
        >>> print(deliberation.remeasure(dry_run=True).changes[0])
        Ann round 1 version 1, markdown/2 -> json/1: chars 8 -> 12, lines 1 -> 3,
        lead_chars 8 -> 2, prose_chars 8 -> 0, headings 0 -> 1
        """
        return remeasure(self._store, self.registry, analyzer=analyzer, dry_run=dry_run)

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
        """Remove everything, also prompts and replies, and give how many versions that were."""
        return self._store.remove()

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
        request = ReadProposal(
            agent_id=agent_id,
            round=round,
            from_line=from_line,
            to_line=to_line,
            offset=offset,
            limit=limit,
        )
        return str(self.read(request))

    def read(self, request: ReadProposal) -> Reading:
        """Read a proposal as `read_proposal` does, as a record; `str` of it is that answer."""
        return read(self._store, request)

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
        are ordered by round and agent: 10 by default, 50 at most. An empty list filters nothing.

        >>> from shape_magic import Deliberation
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
        request = SearchDeliberation(
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
        return str(self.search(request))

    def search(self, request: SearchDeliberation) -> SearchResults:
        """Search as `search_deliberation` does, with records as results."""
        return search(self._store, request)

    def evaluation_prompt(
        self,
        *,
        task: str | None = None,
        round: int | None = None,
        evaluator: str | None = None,
        template: EvaluationTemplate | str | None = None,
        anonymous: bool = False,
        history: bool = False,
        seed: int | None = None,
        trial: int = 1,
        keep: bool = True,
    ) -> EvaluationPrompt:
        """Make the evaluation prompt of a round, by default the current one, and keep it.

        What it showed, and whom its keys stand for, outlives the kernel: `prompt` gives it back by
        its digest. `task` is by default the one that was kept for the round. An `evaluator` that
        has proposed in the round sees its own proposal as a baseline. `template` is an
        EvaluationTemplate, or the name of one that was used here; a name stands for one wording,
        and another one under it raises ArgumentError.

        With `anonymous`, candidates stand as `Candidate_A` and so on. Their order is drawn from
        the seed, the round, the evaluator and the trial; without anonymity and seed it is by id.
        With `history` the prompt's tools reach the rounds before, as they stand now: their latest
        versions, and nothing that was said of them. It shows whose they are, so it is refused
        together with `anonymous`.

        With `keep=False` nothing is kept, as where prompts are only counted.

        >>> from shape_magic import Deliberation
        >>> deliberation = Deliberation()
        >>> _ = deliberation.propose_many([("Ann", "# A"), ("Bob", "# B")])
        >>> prompt = deliberation.evaluation_prompt(task="Choose.", evaluator="Ann", anonymous=True)
        >>> prompt.keys, deliberation.prompt(prompt.digest) == prompt
        (['Candidate_A'], True)
        """
        database = self._store.database
        with database.transaction() if keep else database.reading():
            return make_prompt(
                self._store,
                task=None if task is None else text("task", task),
                round=self._round(round),
                evaluator=None if evaluator is None else agent_id_text(evaluator, name="evaluator"),
                template=self._template(template),
                anonymous=anonymous,
                history=history,
                seed=None if seed is None else integer("seed", seed),
                trial=integer("trial", trial, least=1),
                keep=keep,
            )

    def prompt(self, digest: str) -> EvaluationPrompt:
        """Give back a prompt that was made before, to the letter.

        A beginning of its digest does, of 8 digits or more. NotFoundError where there is none, or
        where a version that it showed was removed.
        """
        return kept_prompt(self._store, text("digest", digest))

    def last_prompt(self, evaluator: str, *, round: int | None = None) -> EvaluationPrompt | None:
        """Give the last prompt that an evaluator may have been shown, None where there is none.

        That is one that was made for it, or for nobody by name.
        """
        number = None if round is None else round_number(round)
        evaluator = agent_id_text(evaluator, name="evaluator")
        digest = last_prompt(self._store, evaluator, round=number)
        return None if digest is None else self.prompt(digest)

    def prompts(self, *, round: int | None = None) -> list[EvaluationPrompt]:
        """Give the prompts of one round or of all, in the order in which they were made.

        Those that showed a version which was removed are left out.
        """
        number = None if round is None else round_number(round)
        with self._store.database.reading():
            return [
                kept_prompt(self._store, kept.digest)
                for kept in self._store.prompts(round=number)
                if all(candidate.row_id is not None for candidate in kept.candidates)
            ]

    def set_task(self, round: int, task: str) -> None:
        """Keep a round's task, in place of an earlier one."""
        self._store.set_task(round_number(round), text("task", task))

    def task(self, round: int) -> str | None:
        """Give a round's task, None where none was kept."""
        return self._store.task(round_number(round))

    def _round(self, round: int | None) -> int:
        number = self.current_round if round is None else round_number(round)
        self._check_round(number)
        return number

    def _template(self, given: EvaluationTemplate | str | None) -> EvaluationTemplate:
        if given is None:
            return EvaluationTemplate.default()
        if isinstance(given, EvaluationTemplate):
            return given
        name = text("template", given)
        kept = self._store.template(name)
        if kept is not None:
            return EvaluationTemplate.from_text(kept[1])
        default = EvaluationTemplate.default()
        known = {template.name: template for template in (default, default.without_shape())}
        if name not in known:
            names = sorted({*known, *self._store.templates()})
            raise NotFoundError(f"no template is called {quoted(name)}; there are {listed(names)}")
        return known[name]

    def tools(self, style: Style = "functions") -> list[dict[str, Any]]:
        """Describe `read_proposal` and `search_deliberation` to a model.

        `functions` is the list for function calling, `input_schema` the one with that key.

        >>> from shape_magic import Deliberation
        >>> [tool["name"] for tool in Deliberation().tools("input_schema")]
        ['read_proposal', 'search_deliberation']
        """
        return tool_list(style)

    def call_tool(self, name: str, arguments: Mapping[str, Any] | str) -> str:
        """Call a tool as a model does, with a mapping or a JSON string, and give the answer.

        What is wrong with the arguments comes back as the answer, too, and nothing is raised.

        >>> from shape_magic import Deliberation
        >>> Deliberation().call_tool("read_proposal", '{"agent_id": "Ann"}')
        "no agent is called 'Ann'; none has proposed"
        """
        try:
            return self._tool_answer(name, arguments)
        except ShapeMagicError as error:
            return str(error)

    def _tool_answer(self, name: str, arguments: Mapping[str, Any] | str) -> str:
        request = tool_request(name, arguments)
        if isinstance(request, ReadProposal):
            return str(self.read(request))
        return str(self.search(request))

    def evaluations(
        self,
        agent_id: str | Proposal,
        *,
        round: int | None = None,
        version: int | None = None,
        arm: str = "",
    ) -> list[EvaluationEntry]:
        """Give the evaluations of a proposal's version under one arm, in the order they came in."""
        with self._store.database.reading():
            return self._store.entries(self._version(agent_id, round, version).id, arm=arm)

    def arms(self) -> list[str]:
        """Give the arms that evaluations are filed under, in order; "" is that of no template.

        >>> from shape_magic import Deliberation
        >>> Deliberation().arms()
        []
        """
        return self._store.arms()

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
                before = known_as(evaluator, self._store.evaluators(row.id, trial=entry.trial))
                if before is not None and replace:
                    self._store.remove_evaluations(row.id, evaluator=before, trial=entry.trial)
                elif before is not None:
                    raise EvaluationExistsError(
                        f"{quoted(evaluator)} has evaluated {quoted(row.agent_id)} in round "
                        f"{row.round}, version {row.version}, before; replace=True puts this one "
                        "in its place"
                    )
                self._store.add_evaluations(
                    row.id, [entry], measurement=self._measurement(row, proposal)
                )

    def evaluate(
        self,
        evaluator_agent_id: str,
        reply: str | Mapping[str, Any],
        *,
        prompt: EvaluationPrompt | str | None = None,
        round: int | None = None,
        arm: str = "",
        trial: int | None = None,
        partial: bool = False,
        strict: bool = False,
        synthetic: bool = False,
        replace: bool = False,
        complete: bool = False,
    ) -> Evaluated:
        """Take a model's reply to an evaluation prompt in as the evaluator's evaluations.

        The reply is the JSON that the prompt asks for, or that JSON parsed. What has one reading
        is taken, and every repair is told in what comes back; `strict` takes the exact form alone.
        It is about the versions and measurements that the `prompt` showed, which is an
        EvaluationPrompt or its digest; without one, about the latest versions of a round.

        All fields and all six categories must be there and in range. ReplyError names whatever is
        wrong, candidate by candidate, and then nothing is taken; with `partial`, the candidates
        that are whole are. A score is the weight's share of all weights of the reply. Evaluations
        of oneself or of nobody are left out and told. A candidate that the reply leaves out is
        told, and is a problem where the reply must be `complete`.

        It is filed under an `arm`, which is the prompt's template's name or "", and a `trial`, by
        default the prompt's. An evaluator evaluates a version once in them; with `replace` the
        reply takes the place of the earlier one, whole. `synthetic` evaluations, made up in place
        of some that failed to arrive, are counted and not scored.
        """
        evaluator = agent_id_text(evaluator_agent_id, name="evaluator_agent_id")
        if not isinstance(reply, (str, Mapping)):
            raise ArgumentError(f"reply is a str or a mapping, not {type(reply).__name__}")
        if prompt is not None:
            given = prompt.digest if isinstance(prompt, EvaluationPrompt) else prompt
            prompt = self.prompt(given)
            if round is not None and round_number(round) != prompt.round:
                raise ArgumentError(f"the prompt is of round {prompt.round}, and round is {round}")
            if text("arm", arm) not in ("", prompt.template):
                raise ArgumentError(
                    f"arm is {quoted(arm)}, and the prompt's template is {quoted(prompt.template)}"
                )
            trial = prompt.trial if trial is None else trial
        return evaluate(
            self._store,
            evaluator,
            reply,
            shown=lambda: self._shown(round, prompt),
            arm=text("arm", arm),
            trial=1 if trial is None else integer("trial", trial, least=1),
            synthetic=synthetic,
            replace=replace,
            complete=complete,
            partial=partial,
            strict=strict,
        )

    def _shown(self, round: int | None, prompt: EvaluationPrompt | None) -> Shown:
        """Give what a reply is about: what a prompt showed, or a round's latest versions."""
        if prompt is None:
            number = self._round(round)
            with self._store.rows(rounds=[number]) as rows:
                versions = [ShownVersion(row.agent_id, row, row.measurement) for row in rows]
            return Shown(versions=versions)
        kept = self._store.prompt(prompt.digest)
        if kept is None:
            raise NotFoundError(f"the prompt {prompt.digest[:12]} is not kept any more")
        by_place = {candidate.place: candidate for candidate in prompt.candidates}
        versions = []
        for candidate in kept.candidates:
            if candidate.place < 1:
                continue
            if candidate.row_id is None or candidate.measurement is None:
                raise NotFoundError(
                    f"the prompt {prompt.digest[:12]} showed a version of "
                    f"{quoted(candidate.agent_id)} that was removed"
                )
            shown = ShownCandidate(
                digest=prompt.digest,
                key=candidate.key,
                place=candidate.place,
                analyzer=by_place[candidate.place].measurement.analyzer,
            )
            row = self._store.row_by_id(candidate.row_id)
            versions.append(ShownVersion(candidate.key, row, candidate.measurement, shown))
        return Shown(
            versions=versions,
            own=None if prompt.own is None or prompt.anonymous else prompt.own.agent_id,
            evaluator=prompt.evaluator,
            digest=prompt.digest,
            exact_keys=prompt.anonymous,
        )

    def _measurement(self, row: Row, proposal: Proposal) -> int:
        """Find the measurement that a proposal came with; the latest where it is not kept."""
        columns = measurement_columns(proposal.measurement, content=row.content)
        return self._store.measurement_id(row.id, columns) or row.measurement

    def summarize(self, round: int | None = None, *, arm: str = "") -> RoundSummary:
        """Sum up a round, by default the current one: for each proposal its scores and its shape.

        The evaluations are those of one arm. A mean is over all real evaluators who gave that
        score, and their number stands beside it. `controversy_score` is the population variance
        of the real scores. The shape is the one that the evaluators were shown.
        """
        with self._store.database.reading():
            number = self.current_round if round is None else round_number(round)
            self._check_round(number)
            return summarize(self._store, number, arm=arm)

    def matrix(
        self,
        *,
        rounds: int | Iterable[int] | None = None,
        arms: Iterable[str] | None = None,
        score: str | None = None,
    ) -> Matrix:
        """Give the scores as a matrix: a row a candidate, a column a score or an arm.

        In a notebook it is a table whose rows unfold to what each evaluator gave in each trial,
        and lead to the text, to what was said of it, to the reply and to the prompt.

        `rounds` are all by default, and `arms` all that evaluations are filed under. With a
        `score` (a category, `endorsement_weight` or `aggregated_score`) the columns are arms, with
        what each gave less the first; so they are where there are several arms, by conciseness.
        Else they are the scores. A mean is over evaluators, whose trials are averaged before.

        NotFoundError for a round or an arm that is not there, ArgumentError for another score.

        >>> from shape_magic import Deliberation
        >>> deliberation = Deliberation()
        >>> proposal = deliberation.propose("Ann", "# Use a queue")
        >>> matrix = deliberation.matrix(score="novelty")
        >>> matrix.title, [(row.agent_id, row.figure("", "novelty")) for row in matrix.rows]
        ('round 1: novelty by arm', [('Ann', None)])
        """
        if isinstance(arms, str):
            raise ArgumentError(f"arms are a list of names, as in [{quoted(arms)}]")
        named = None if arms is None else [text("each of arms", arm) for arm in arms]
        with self._store.database.reading():
            numbers = self._round_numbers(rounds)
            return make_matrix(self._store, rounds=numbers, arms=named, score=score)

    def _round_numbers(self, rounds: int | Iterable[int] | None) -> list[int] | None:
        if rounds is None:
            return None
        if isinstance(rounds, str) or not isinstance(rounds, (int, Iterable)):
            raise ArgumentError(f"rounds are a number or a list of numbers, not {quoted(rounds)}")
        numbers = [rounds] if isinstance(rounds, int) else rounds
        checked = list(dict.fromkeys(round_number(number) for number in numbers))
        for number in checked:
            self._check_round(number)
        return checked

    def to_frame(self, *, arm: str = "") -> "pd.DataFrame":
        """Give every proposal as a row of a data frame, with its scores in one arm and its shape.

        The columns are those of `summaries_to_frame`; the extra `analysis` is needed.
        """
        with self._store.database.reading():
            scored = {
                number: scored_versions(self._store, number, arm=arm) for number in self.rounds()
            }
        return scored_to_frame(scored)

    def evaluations_frame(self) -> "pd.DataFrame":
        """Give every evaluation as a row of a data frame, of all versions, arms and trials.

        Beside who evaluated what, a row has `latest` (whether the agent has proposed nothing since
        in that round), the `prompt`'s digest with the `key` and `place` of the candidate where the
        evaluator was shown one of this deliberation's prompts, the kind, the analyzer and the eight
        attributes as they were shown, and the scores. The extra `analysis` is needed.
        """
        return evaluations_to_frame(self._store)

    def records(self, *, round: int | None = None) -> list[ProposalRecord]:
        """Give the latest versions of one round, or of every round, as wire records."""
        rounds = None if round is None else [round_number(round)]
        with self._store.rows(rounds=rounds) as rows:
            return [record_of(self._store, row) for row in rows]

    def add_messages(
        self, messages: Iterable[Any], *, agent_id: str = "assistant"
    ) -> MessagesReport:
        """Take in chats, or rows of a prompt and its outputs, as proposals of rounds.

        It takes a list of messages with `role` and `content`; a list of such lists, or of objects
        that have one as `messages`; or a list of rows with a `prompt` (a text or messages) and its
        `outputs`: a text, a list, or an object by agent. Other names that evaluation tools write
        for these fields are taken, too, such as `instruction`, `completion` and `generator`.

        A round is a task. In a chat each turn of the user begins one, with the system's message
        before it. The task is kept beside its round, so the same messages again make no other
        rounds. An answer is by the message's `name`, else by the row's `model`, else by `agent_id`;
        an agent that answers a task several times is told apart, as in `assistant 2`. Reasoning
        that stands beside an answer is its thought process.

        All is taken, or nothing: RecordError names the place of what cannot be read.

        >>> from shape_magic import Deliberation
        >>> deliberation = Deliberation()
        >>> rows = [{"prompt": "Queue or lock?", "outputs": {"Ann": "A queue.", "Bob": "A lock."}}]
        >>> print(deliberation.add_messages(rows))
        2 proposals taken, in 1 round
        >>> deliberation.agents(round=1)
        ['Ann', 'Bob']
        """
        answers = read_messages(messages, agent_id=agent_id_text(agent_id))
        return add_answers(self._store, answers, registry=self.registry)

    def add_frame(
        self,
        frame: "pd.DataFrame",
        *,
        agent_id: str = "agent_id",
        content: str = "content",
        task: str | None = None,
        round: str | None = None,
        thought_process: str | None = None,
    ) -> MessagesReport:
        """Take in a data frame as proposals of rounds: a row an answer, columns by these names.

        Without a column for the `round`, a round is a task, as in `add_messages`; without one for
        either, all answers stand in one round. FrameError names the column that is not there, or
        the row that cannot be taken; then nothing is.

        >>> import pandas as pd
        >>> from shape_magic import Deliberation
        >>> frame = pd.DataFrame({"model": ["m", "n"], "output": ["A queue.", "A lock."]})
        >>> print(Deliberation().add_frame(frame, agent_id="model", content="output"))
        2 proposals taken, in 1 round
        """
        answers = read_frame(
            frame,
            agent_id=agent_id,
            content=content,
            task=task,
            round=round,
            thought_process=thought_process,
        )
        return add_answers(self._store, answers, registry=self.registry)

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

        That is also its measurements, prompts, templates, replies and tasks. What is there already
        is not stored again, and an evaluator's earlier evaluation of a version stands, as with
        `add_transcript`; a TranscriptWarning names it.
        """
        copied, left = copy_all(other._store, self._store)
        if left:
            warnings.warn(left_evaluations_text(left), TranscriptWarning, stacklevel=2)
        return copied

    def save(self, path: str | os.PathLike[str]) -> int:
        """Write every version as a transcript, and give how many there are.

        The file is replaced in one step: whatever happens, it is the old file or the new file. A
        database, its log, and what is no regular file are refused with TranscriptError.
        """
        return save_transcript(self._store, lines_path(path))

    def copy_to(self, path: str | os.PathLike[str]) -> None:
        """Copy the whole deliberation to a new file, in one step and as it stands at one moment.

        A copy of the open file alone may lack what stands in its log; this has all that was
        acknowledged. A file that is there already raises StoreError and is left as it is.
        """
        self._store.database.copy_to(file_path(path))

    def _check_round(self, round: int) -> None:
        if not self._store.has_round(round):
            rounds = self._store.rounds()
            there_are = f"there are rounds {listed(rounds)}" if rounds else "nobody has proposed"
            raise NotFoundError(f"round {round} has no proposals; {there_are}")

    def _version(self, agent_id: str | Proposal, round: int | None, version: int | None) -> Row:
        if isinstance(agent_id, Proposal):
            given = agent_id
            row = find_row(self._store, given.agent_id, round=given.round, version=given.version)
            if (row.agent_id, row.content, row.thought_process) != (
                given.agent_id,
                given.content,
                given.thought_process,
            ):
                raise NotFoundError(
                    f"{quoted(row.agent_id)} has another proposal as round {row.round}, version "
                    f"{row.version}: the one that was given is not kept any more"
                )
            return row
        return find_row(self._store, agent_id, round=round, version=version)


def _pair(given: object) -> tuple[Proposal, EvaluationEntry]:
    match given:
        case (Proposal() as proposal, EvaluationEntry() as entry):
            return proposal, entry
    raise ArgumentError(
        f"each of evaluations is a pair of a Proposal and an EvaluationEntry, not {quoted(given)}"
    )


def _proposed(given: object) -> tuple[str, str, str]:
    match given:
        case (agent_id, content):
            thoughts: object = ""
        case (agent_id, content, thoughts):
            pass
        case _:
            raise ArgumentError(
                "each of proposals is an agent's id, a content and perhaps a thought process, "
                f"not {quoted(given)}"
            )
    return agent_id_text(agent_id), text("content", content), text("thought_process", thoughts)
