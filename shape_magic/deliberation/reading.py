"""Reading what a deliberation keeps: by line, by keyword, as a prompt, and as tools for a model."""

from collections.abc import Iterable, Mapping
from typing import Any

from shape_magic.deliberation.arguments import round_number, text
from shape_magic.deliberation.keeping import KeptProposals
from shape_magic.deliberation.retrieval import THOUGHTS_PAGE, Reading, read
from shape_magic.deliberation.search import DEFAULT_RESULTS, SearchResults, search
from shape_magic.deliberation.tools import Style, tool_arguments, tool_list
from shape_magic.errors import ShapeMagicError
from shape_magic.prompting.candidate import Candidate
from shape_magic.prompting.evaluation import evaluation_prompt

__all__ = ["ReadableProposals"]


class ReadableProposals(KeptProposals):
    """The part of a deliberation that is read and searched; see `Deliberation`."""

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
        are ordered by round and agent: 10 by default, 50 at most. An empty list is as none.

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
            given = tool_arguments(name, arguments)
            if name == "read_proposal":
                return self.read_proposal(**given)
            return self.search_deliberation(**given)
        except ShapeMagicError as error:
            return str(error)
