"""`search_deliberation`: which proposals and evaluations hold the keywords, and on which lines.

A keyword is compared as a substring, in lower case. That is `str.lower` on both, over all the
texts: SQLite's own `lower` knows only ASCII, and its full-text index, even the one by trigrams,
finds no keyword of one or two characters.
"""

import contextlib
import itertools
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Annotated, Any, Final

import msgspec

from shape_magic.deliberation.agents import find_agent
from shape_magic.deliberation.arguments import (
    described,
    integer,
    number,
    round_number,
    text,
    texts,
    words,
)
from shape_magic.deliberation.encoding import decoded, encoded
from shape_magic.deliberation.read_proposal import Piece
from shape_magic.deliberation.records import LAST_ROUND, ClaimAssessment, EvaluationEntry
from shape_magic.deliberation.store import (
    KeptColumns,
    KeptEvaluation,
    Row,
    RowColumns,
    Store,
    kept_of,
    row_of,
)
from shape_magic.errors import ArgumentError
from shape_magic.guard import guarded
from shape_magic.lines import split_lines
from shape_magic.prompting.candidate import escape_attribute
from shape_magic.vocabulary import PHASES, STANCES, VERDICTS
from shape_magic.wording import listed, quoted

__all__ = [
    "DEFAULT_RESULTS",
    "MOST_RESULTS",
    "EvaluationHit",
    "ProposalHit",
    "SearchDeliberation",
    "SearchResults",
    "matched_lines",
    "search",
    "search_rows",
]

DEFAULT_RESULTS: Final = 10
MOST_RESULTS: Final = 50
MOST_MATCHED_LINES: Final = 20
CONTENT_LENGTH: Final = 2_000
"""Characters of a solution, a justification or a claim that a result shows."""

_FINITE: Final = {"minimum": -sys.float_info.max, "maximum": sys.float_info.max}


class SearchDeliberation(msgspec.Struct, frozen=True, kw_only=True):
    """Search the proposals and the evaluations of a deliberation.

    Every keyword must occur in a proposal's solution or thoughts, or in an evaluation's
    justification; case makes no difference. A proposal's matched_lines are numbers of lines that
    hold a keyword: read on there with read_proposal. All filters must hold; one that is null or
    an empty list is no filter.
    """

    keywords: Annotated[
        Iterable[str] | None,
        described("texts that must all occur; by default none", minLength=1),
    ] = None
    rounds: Annotated[
        Iterable[int] | None, described("only these rounds", minimum=0, maximum=LAST_ROUND)
    ] = None
    agent_ids: Annotated[
        Iterable[str] | None,
        described("only proposals by these agents, and the evaluations of those", minLength=1),
    ] = None
    phase: Annotated[
        str | None,
        described(
            "`proposing` for proposals only, `evaluating` for evaluations only",
            enum=list(PHASES),
        ),
    ] = None
    stances: Annotated[
        Iterable[str] | None,
        described("only evaluations that take one of these stances", enum=list(STANCES)),
    ] = None
    verdicts: Annotated[
        Iterable[str] | None,
        described(
            "only evaluations that give one of these verdicts on a claim", enum=list(VERDICTS)
        ),
    ] = None
    min_score: Annotated[
        float | None, described("only proposals with at least this aggregated score", **_FINITE)
    ] = None
    max_score: Annotated[
        float | None, described("only proposals with at most this aggregated score", **_FINITE)
    ] = None
    limit: Annotated[
        int | None,
        described(
            f"how many results; by default {DEFAULT_RESULTS}, at most {MOST_RESULTS}", minimum=1
        ),
    ] = None


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

    def pieces(self, *, line_numbers: bool = True) -> Iterator[Piece]:
        """Give the hit in pieces, as it stands in the answer."""
        attributes = {"round": str(self.round), "agent": self.agent_id}
        if self.aggregated_score is not None:
            attributes["score"] = _score_text(self.aggregated_score)
        if line_numbers:
            attributes["lines"] = str(self.lines)
        if line_numbers and self.matched_lines:
            attributes["matched_lines"] = ",".join(map(str, self.matched_lines))
        return _element("proposal", attributes, self.content)


class EvaluationHit(msgspec.Struct, frozen=True, kw_only=True):
    """An evaluation that matches, of the proposal of a round and an agent."""

    round: int
    agent_id: str
    version: int
    entry: EvaluationEntry
    claims: tuple[ClaimAssessment, ...] = ()
    """The claims that were given one of the verdicts that were asked for."""

    def pieces(self, *, line_numbers: bool = True) -> Iterator[Piece]:
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
        return _element("evaluation", attributes, evaluation.justification or "", self.claims)


class SearchResults(msgspec.Struct, frozen=True, kw_only=True):
    """What `search_deliberation` found; `str` of it is the answer that a model gets."""

    hits: tuple[ProposalHit | EvaluationHit, ...]
    more: bool
    """Whether there are further results past the limit."""
    rounds: tuple[int, ...]
    """The rounds there are."""
    line_numbers: bool = True
    """Whether the answer gives `lines` and `matched_lines`."""

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
            yield from hit.pieces(line_numbers=self.line_numbers)
        if self.more:
            raising = f", or raise limit (at most {MOST_RESULTS})"
            narrowing = "narrow the search" + (raising if len(self.hits) < MOST_RESULTS else "")
            yield Piece(f"\n[there are more results: {narrowing}]")


class _Criteria(msgspec.Struct, frozen=True):
    """What is looked for, once it was checked."""

    keywords: list[str]
    rounds: list[int] | None
    agent_ids: list[str] | None
    proposals: bool
    evaluations: bool
    stances: list[str] | None
    verdicts: list[str] | None
    low: float | None
    high: float | None
    limit: int

    def scored(self, score: float | None) -> bool:
        """Test a score; where a bound is set, a proposal without a score fails it."""
        if self.low is None and self.high is None:
            return True
        return (
            score is not None
            and (self.low is None or self.low <= score)
            and (self.high is None or score <= self.high)
        )


def _criteria(request: SearchDeliberation) -> _Criteria:
    # A model that fills in every argument sends an empty list for a filter that it does not want.
    stances = words("stances", request.stances or (), STANCES)
    verdicts = words("verdicts", request.verdicts or (), VERDICTS)
    phase = None if request.phase is None else text("phase", request.phase).casefold()
    if phase is not None and phase not in PHASES:
        raise ArgumentError(f"phase is {quoted(phase)}; there are {listed(PHASES)}")
    low = None if request.min_score is None else number("min_score", request.min_score)
    high = None if request.max_score is None else number("max_score", request.max_score)
    if low is not None and high is not None and low > high:
        raise ArgumentError(
            f"min_score {request.min_score} is above max_score {request.max_score}; "
            "the lower bound is min_score"
        )
    limit = DEFAULT_RESULTS if request.limit is None else integer("limit", request.limit, least=1)
    return _Criteria(
        keywords=[
            keyword.lower()
            for keyword in texts("keywords", () if request.keywords is None else request.keywords)
        ],
        rounds=(None if request.rounds is None else _rounds(request.rounds)) or None,
        agent_ids=(None if request.agent_ids is None else texts("agent_ids", request.agent_ids))
        or None,
        proposals=phase in (None, "proposing") and not (stances or verdicts),
        evaluations=phase in (None, "evaluating"),
        stances=stances or None,
        verdicts=verdicts or None,
        low=low,
        high=high,
        limit=min(limit, MOST_RESULTS),
    )


def search(store: Store, request: SearchDeliberation) -> SearchResults:
    """Search proposals and evaluations; see `Deliberation.search_deliberation`."""
    criteria = _criteria(request)
    with store.database.reading(), contextlib.ExitStack() as stack:
        there_are = store.rounds()
        wanted: dict[str, Any] = {}
        if criteria.rounds is not None:
            wanted["rounds"] = sorted(set(criteria.rounds) & set(there_are))
        if criteria.agent_ids is not None:
            known = store.agents()
            wanted["agent_ids"] = sorted({find_agent(asked, known) for asked in criteria.agent_ids})
        rows = stack.enter_context(store.row_columns(**wanted))
        evaluations: Iterator[KeptColumns] = iter(())
        if criteria.evaluations:
            evaluations = stack.enter_context(store.evaluation_columns(**wanted, arm=""))
        found = list(itertools.islice(_hits(rows, evaluations, criteria), criteria.limit + 1))
    return _results(found, criteria, rounds=there_are)


def search_rows(
    rows: Sequence[Row], request: SearchDeliberation, *, line_numbers: bool = True
) -> SearchResults:
    """Search the versions that an evaluator's prompt knows, and no evaluations."""
    criteria = _criteria(request)
    holds = _keyword_test(criteria.keywords)
    there_are = sorted({row.round for row in rows})
    known = sorted({row.agent_id for row in rows})
    if criteria.rounds is not None:
        rows = [row for row in rows if row.round in criteria.rounds]
    if criteria.agent_ids is not None:
        wanted = {find_agent(asked, known) for asked in criteria.agent_ids}
        rows = [row for row in rows if row.agent_id in wanted]
    hits = (
        _proposal_hit(row, criteria.keywords)
        for row in rows
        if criteria.proposals
        and criteria.scored(row.aggregated_score)
        and holds(encoded(row.text), encoded(row.thought_process))
    )
    return _results(
        list(itertools.islice(hits, criteria.limit + 1)),
        criteria,
        rounds=there_are,
        line_numbers=line_numbers,
    )


def _results(
    found: Sequence[ProposalHit | EvaluationHit],
    criteria: _Criteria,
    *,
    rounds: Iterable[int],
    line_numbers: bool = True,
) -> SearchResults:
    return SearchResults(
        hits=tuple(found[: criteria.limit]),
        more=len(found) > criteria.limit,
        rounds=tuple(rounds),
        line_numbers=line_numbers,
    )


def _hits(
    rows: Iterable[RowColumns], evaluations: Iterator[KeptColumns], criteria: _Criteria
) -> Iterator[ProposalHit | EvaluationHit]:
    """Give what matches, each proposal before its evaluations; both come in one order.

    Most match nothing: they are passed over as they were stored, and no record is made of them.
    """
    holds = _keyword_test(criteria.keywords)
    evaluation = next(evaluations, None)
    for columns in rows:
        row_id, *_, score, content, thoughts, readable, _ = columns
        scored = criteria.scored(score)
        wanted = scored and criteria.proposals
        if wanted and holds(content if readable is None else readable, thoughts or b""):
            yield _proposal_hit(row_of(columns), criteria.keywords)
        found = []
        while evaluation is not None and evaluation[1] == row_id:
            if scored and holds(evaluation[4] or b""):
                found.append(evaluation)
            evaluation = next(evaluations, None)
        for kept in sorted(found):
            if hit := _evaluation_hit(row_of(columns), kept_of(kept), criteria):
                yield hit


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


def _keyword_test(keywords: Iterable[str]) -> Callable[..., bool]:
    """Make a test of whether all keywords, in lower case, stand in a text or its thoughts.

    It takes them as they are stored: what a keyword is a part of, its bytes are a part of.
    """
    wanted = [encoded(keyword) for keyword in keywords]

    def holds(text: bytes, thoughts: bytes = b"") -> bool:
        if not wanted:
            return True
        lowered = _lowered(text)
        if thoughts:
            # 0xFF stands in no encoded text, so that no keyword reaches over it.
            lowered = b"\xff".join([lowered, _lowered(thoughts)])
        for keyword in wanted:  # noqa: SIM110 (a generator takes as long as the comparison)
            if keyword not in lowered:
                return False
        return True

    return holds


def _lowered(data: bytes) -> bytes:
    # For ASCII, lower case is the same for bytes, and they need no decoding.
    return data.lower() if data.isascii() else encoded(decoded(data).lower())


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


def _evaluation_hit(row: Row, kept: KeptEvaluation, criteria: _Criteria) -> EvaluationHit | None:
    evaluation = kept.wire["evaluation"]
    stance = evaluation.get("stance")
    if criteria.stances and not (isinstance(stance, str) and stance.casefold() in criteria.stances):
        return None
    entry = kept.entry
    claims: tuple[ClaimAssessment, ...] = ()
    if criteria.verdicts is not None:
        claims = tuple(
            claim
            for claim in entry.evaluation.claim_assessments or ()
            if (claim.verdict or "").casefold() in criteria.verdicts
        )
        if not claims:
            return None
    return EvaluationHit(
        round=row.round, agent_id=row.agent_id, version=row.version, entry=entry, claims=claims
    )


def _rounds(value: object) -> list[int]:
    if isinstance(value, str):
        raise ArgumentError(f"rounds is a list of integers, not {quoted(value)}")
    return [round_number(item) for item in (value if isinstance(value, Iterable) else [value])]


def _score_text(score: float) -> str:
    """Write a score short, and so that it reads back equal: it may be fed back as a bound."""
    short = f"{score:.4g}"
    return short if float(short) == score else repr(float(score))


def _element(
    name: str,
    attributes: dict[str, str],
    content: str,
    claims: Iterable[ClaimAssessment] = (),
) -> Iterator[Piece]:
    written = "".join(f' {key}="{escape_attribute(value)}"' for key, value in attributes.items())
    yield Piece(f"<{name}{written}>\n<content>")
    yield from _cut(content)
    yield Piece("</content>\n")
    for claim in claims:
        yield Piece(f'<claim verdict="{escape_attribute(claim.verdict or "")}">')
        yield from _cut(claim.claim or "")
        yield Piece("</claim>\n")
    yield Piece(f"</{name}>")


def _cut(text: str) -> Iterator[Piece]:
    yield Piece(guarded(text[:CONTENT_LENGTH]), quoted=True)
    if len(text) > CONTENT_LENGTH:
        yield Piece("...")
