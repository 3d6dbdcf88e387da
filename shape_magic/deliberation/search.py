"""`search_deliberation`: which proposals and evaluations hold the keywords, and on which lines.

A keyword is compared as a substring, in lower case. That is `str.lower` on both, over all the
texts: SQLite's own `lower` knows only ASCII, and its full-text index, even the one by trigrams,
finds no keyword of one or two characters.
"""

import contextlib
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import islice
from typing import Any, Final

import msgspec

from shape_magic.deliberation.agents import find_agent
from shape_magic.deliberation.arguments import integer, number, round_number, texts, words
from shape_magic.deliberation.records import EvaluationEntry, read_record
from shape_magic.deliberation.retrieval import Piece
from shape_magic.deliberation.store import Row, Store
from shape_magic.errors import ArgumentError
from shape_magic.lines import split_lines
from shape_magic.prompting.candidate import escape_attribute
from shape_magic.vocabulary import PHASES, STANCES, VERDICTS
from shape_magic.wording import listed, quoted

__all__ = [
    "DEFAULT_RESULTS",
    "MOST_RESULTS",
    "EvaluationHit",
    "ProposalHit",
    "SearchResults",
    "matched_lines",
    "search",
]

DEFAULT_RESULTS: Final = 10
MOST_RESULTS: Final = 50
MOST_MATCHED_LINES: Final = 20
CONTENT_LENGTH: Final = 2_000
"""Characters of a solution or a justification that a result shows."""


class ProposalHit(msgspec.Struct, frozen=True, kw_only=True):
    """A proposal that matches."""

    round: int
    agent_id: str
    version: int
    aggregated_score: float | None
    lines: int
    """How many lines its readable form has."""
    matched_lines: tuple[int, ...]
    """The first lines that hold any of the keywords, 20 at most."""
    content: str
    """The readable form, whole."""

    def pieces(self) -> Iterator[Piece]:
        """Give the hit in pieces, as it stands in the answer."""
        attributes = {"round": str(self.round), "agent": self.agent_id}
        if self.aggregated_score is not None:
            attributes["score"] = _score_text(self.aggregated_score)
        attributes["lines"] = str(self.lines)
        if self.matched_lines:
            attributes["matched_lines"] = ",".join(map(str, self.matched_lines))
        return _element("proposal", attributes, self.content)


class EvaluationHit(msgspec.Struct, frozen=True, kw_only=True):
    """An evaluation that matches, of the proposal of a round and an agent."""

    round: int
    agent_id: str
    version: int
    entry: EvaluationEntry

    def pieces(self) -> Iterator[Piece]:
        """Give the hit in pieces, as it stands in the answer."""
        evaluation = self.entry.evaluation
        attributes = {
            "round": str(self.round),
            "agent": self.agent_id,
            "evaluator": self.entry.evaluator_agent_id,
        }
        if evaluation.score is not None:
            attributes["score"] = _score_text(evaluation.score)
        if evaluation.stance is not None:
            attributes["stance"] = evaluation.stance
        if self.entry.synthetic:
            attributes["synthetic"] = "true"
        return _element("evaluation", attributes, evaluation.justification or "")


class SearchResults(msgspec.Struct, frozen=True, kw_only=True):
    """What `search_deliberation` found; `str` of it is the answer that a model gets."""

    hits: tuple[ProposalHit | EvaluationHit, ...]
    more: bool
    """Whether there are further results past the limit."""
    rounds: tuple[int, ...]
    """The rounds there are."""

    def __str__(self) -> str:
        return "".join(piece.text for piece in self.pieces())

    def pieces(self) -> Iterator[Piece]:
        """Give the answer in pieces, so that a display can tell an agent's words from the rest."""
        if not self.hits:
            yield Piece(
                f"No results. There are proposals in rounds {listed(self.rounds)}."
                if self.rounds
                else "No results: there are no proposals yet."
            )
        for position, hit in enumerate(self.hits):
            if position:
                yield Piece("\n")
            yield from hit.pieces()
        if self.more:
            raising = f", or raise limit (at most {MOST_RESULTS})"
            narrowing = "narrow the search" + (raising if len(self.hits) < MOST_RESULTS else "")
            yield Piece(f"\n[there are more results: {narrowing}]")


def search(
    store: Store,
    *,
    keywords: Iterable[str] | None = None,
    rounds: Iterable[int] | None = None,
    agent_ids: Iterable[str] | None = None,
    phase: str | None = None,
    stances: Iterable[str] | None = None,
    verdicts: Iterable[str] | None = None,
    min_score: float | None = None,
    max_score: float | None = None,
    limit: int = DEFAULT_RESULTS,
) -> SearchResults:
    """Search proposals and evaluations; see `Deliberation.search_deliberation`."""
    wanted = [] if keywords is None else [one.lower() for one in texts("keywords", keywords)]
    # A model that fills in every argument sends an empty list for a filter that it does not want.
    in_rounds = (None if rounds is None else _rounds(rounds)) or None
    of_agents = (None if agent_ids is None else texts("agent_ids", agent_ids)) or None
    if phase is not None and phase not in PHASES:
        raise ArgumentError(f"phase is {quoted(phase)}; there are {listed(PHASES)}")
    with_stances = (None if stances is None else words("stances", stances, STANCES)) or None
    with_verdicts = (None if verdicts is None else words("verdicts", verdicts, VERDICTS)) or None
    scored = _score_filter(min_score, max_score)
    limit = min(integer("limit", limit, least=1), MOST_RESULTS)

    of_evaluations = with_stances is not None or with_verdicts is not None
    takes_proposals = phase in (None, "proposing") and not of_evaluations
    takes_evaluations = phase in (None, "evaluating")

    def hits(
        in_rounds: list[int] | None, of_agents: list[str] | None
    ) -> Generator[ProposalHit | EvaluationHit, None, None]:
        evaluated = store.evaluated() if takes_evaluations else set()
        with store.rows(rounds=in_rounds, agent_ids=of_agents) as rows:
            for row in rows:
                if not scored(row.aggregated_score):
                    continue
                if takes_proposals and _holds_all(wanted, row.text, row.thought_process):
                    yield _proposal_hit(row, wanted)
                if row.id in evaluated:
                    for wire in store.evaluation_wires(row.id):
                        if _evaluation_matches(
                            wire["evaluation"], wanted, stances=with_stances, verdicts=with_verdicts
                        ):
                            yield EvaluationHit(
                                round=row.round,
                                agent_id=row.agent_id,
                                version=row.version,
                                entry=read_record(EvaluationEntry, wire),
                            )

    with store.database.reading():
        there_are = store.rounds()
        if in_rounds is not None:
            in_rounds = sorted(set(in_rounds) & set(there_are))
        if of_agents is not None:
            known = store.agents()
            of_agents = sorted({find_agent(one, known) for one in of_agents})
        with contextlib.closing(hits(in_rounds, of_agents)) as of_all:
            found = list(islice(of_all, limit + 1))
    return SearchResults(
        hits=tuple(found[:limit]), more=len(found) > limit, rounds=tuple(there_are)
    )


def matched_lines(text: str, keywords: Iterable[str]) -> tuple[int, ...]:
    r"""Give the numbers of the first 20 lines that hold any of the keywords, in lower case.

    >>> matched_lines("Latency\n\ncost and latency\n", ["latency"])
    (1, 3)
    """
    wanted = [keyword.lower() for keyword in keywords]
    found: list[int] = []
    if not wanted:
        return ()
    for line_number, line in enumerate(split_lines(text), start=1):
        lowered = line.lower()
        if any(keyword in lowered for keyword in wanted):
            found.append(line_number)
            if len(found) == MOST_MATCHED_LINES:
                break
    return tuple(found)


def _holds_all(keywords: list[str], *places: str) -> bool:
    if not keywords:
        return True
    lowered = [place.lower() for place in places]
    return all(any(keyword in place for place in lowered) for keyword in keywords)


def _proposal_hit(row: Row, keywords: list[str]) -> ProposalHit:
    return ProposalHit(
        round=row.round,
        agent_id=row.agent_id,
        version=row.version,
        aggregated_score=row.aggregated_score,
        lines=row.shape.lines,
        matched_lines=matched_lines(row.text, keywords),
        content=row.text,
    )


def _evaluation_matches(
    evaluation: dict[str, Any],
    keywords: list[str],
    *,
    stances: list[str] | None,
    verdicts: list[str] | None,
) -> bool:
    if stances is not None and evaluation.get("stance") not in stances:
        return False
    if verdicts is not None:
        claims = evaluation.get("claim_assessments") or []
        if not any(claim.get("verdict") in verdicts for claim in claims):
            return False
    return _holds_all(keywords, evaluation.get("justification") or "")


def _rounds(value: Iterable[int]) -> list[int]:
    if isinstance(value, int):
        value = [value]
    if not isinstance(value, Iterable) or isinstance(value, str):
        raise ArgumentError(f"rounds is a list of integers, not {quoted(value)}")
    return [round_number(one) for one in value]


def _score_filter(
    min_score: float | None, max_score: float | None
) -> Callable[[float | None], bool]:
    """Make the test of a score; where a bound is set, a proposal without a score fails it."""
    if min_score is None and max_score is None:
        return lambda score: True
    low = float("-inf") if min_score is None else number("min_score", min_score)
    high = float("inf") if max_score is None else number("max_score", max_score)
    if low > high:
        raise ArgumentError(
            f"min_score {min_score} is above max_score {max_score}; the lower bound is min_score"
        )
    return lambda score: score is not None and low <= score <= high


def _score_text(score: float) -> str:
    """Write a score short, and so that it reads back equal: it may be fed back as a bound."""
    short = f"{score:.4g}"
    return short if float(short) == score else repr(float(score))


def _element(name: str, attributes: dict[str, str], content: str) -> Iterator[Piece]:
    written = "".join(f' {key}="{escape_attribute(value)}"' for key, value in attributes.items())
    yield Piece(f"<{name}{written}>\n<content>")
    yield Piece(content[:CONTENT_LENGTH], quoted=True)
    yield Piece(f"{'...' if len(content) > CONTENT_LENGTH else ''}</content>\n</{name}>")
