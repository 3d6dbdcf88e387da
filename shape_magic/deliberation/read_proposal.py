"""`read_proposal`: a proposal's solution by line, and its thoughts by page."""

from collections.abc import Iterator
from typing import Annotated, Final

import msgspec

from shape_magic.deliberation.agents import find_agent
from shape_magic.deliberation.arguments import (
    agent_id_text,
    described,
    integer,
    round_number,
    version_number,
)
from shape_magic.deliberation.records import LAST_ROUND
from shape_magic.deliberation.store import Row, Store
from shape_magic.errors import ArgumentError, NotFoundError
from shape_magic.guard import guarded
from shape_magic.lines import LineRange, split_lines
from shape_magic.prompting.candidate import call_text, escape_attribute
from shape_magic.wording import listed, quoted

__all__ = [
    "MOST_THOUGHTS",
    "THOUGHTS_PAGE",
    "Piece",
    "ReadProposal",
    "Reading",
    "find_row",
    "read",
    "reading_of",
]

THOUGHTS_PAGE: Final = 5_000
"""Characters of the thoughts that are returned by default."""
MOST_THOUGHTS: Final = 15_000
"""Characters of the thoughts that are returned at most."""


class ReadProposal(msgspec.Struct, frozen=True, kw_only=True):
    """Read one agent's proposal: the final solution, whole or as numbered lines, and the thoughts.

    Setting from_line or to_line returns those lines of the solution, numbered, in place of the
    raw text. Line numbers are those of the outline and of matched_lines; they count from 1, and
    ranges include both ends. The thought process is returned by page: offset and limit choose it.
    """

    agent_id: Annotated[
        str, described("the agent's id, or its name before ` (model)`", minLength=1)
    ]
    round: Annotated[
        int | None,
        described(
            "the round; by default the latest in which the agent proposed",
            minimum=0,
            maximum=LAST_ROUND,
        ),
    ] = None
    from_line: Annotated[
        int | None, described("the first line; by default the solution's first", minimum=1)
    ] = None
    to_line: Annotated[
        int | None, described("the last line, included; by default the solution's last", minimum=1)
    ] = None
    offset: Annotated[
        int | None,
        described(
            "how many characters of the thought process to pass over; by default none", minimum=0
        ),
    ] = None
    limit: Annotated[
        int | None,
        described(
            f"how many characters of the thought process to return; by default {THOUGHTS_PAGE:,}, "
            f"at most {MOST_THOUGHTS:,}",
            minimum=1,
        ),
    ] = None


class Piece(msgspec.Struct, frozen=True):
    """A piece of an answer: what an agent wrote, or what was put around it."""

    text: str
    quoted: bool = False
    """Whether an agent wrote it."""


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What `read_proposal` found; `str` of it is the answer that a model gets."""

    agent_id: str
    round: int
    version: int
    total: int
    """How many lines the readable form has."""
    solution: str | None = None
    """The readable form, where no lines were asked for."""
    range: LineRange | None = None
    """The lines that were asked for, as far as they exist; None also where none does."""
    lines: tuple[str, ...] = ()
    """Those lines, without their endings."""
    beyond: int | None = None
    """The first line that was asked for, where it is past the end."""
    thoughts: str
    """The page of the thoughts."""
    offset: int
    """Where the page begins in the thoughts."""
    thoughts_total: int

    @property
    def remaining(self) -> int:
        """How many characters of the thoughts come after the page."""
        return max(0, self.thoughts_total - self.offset - len(self.thoughts))

    def __str__(self) -> str:
        return "".join(piece.text for piece in self.pieces())

    def pieces(self) -> Iterator[Piece]:
        """Give the answer in pieces, so that a display can tell an agent's words from the rest."""
        yield Piece(f'<proposal round="{self.round}" agent="{escape_attribute(self.agent_id)}">\n')
        yield Piece("<final_solution>\n")
        yield from self._solution_pieces()
        yield Piece("\n</final_solution>\n")
        yield Piece(
            f'<thought_process offset="{self.offset}" length="{len(self.thoughts)}" '
            f'total="{self.thoughts_total}">\n'
        )
        yield Piece(guarded(self.thoughts), quoted=True)
        yield Piece("\n</thought_process>\n")
        if self.remaining:
            offset = self.offset + len(self.thoughts)
            call = call_text(
                "read_proposal", agent_id=self.agent_id, round=self.round, offset=offset
            )
            yield Piece(f"[{self.remaining:,} more characters: {call}]\n")
        yield Piece("</proposal>")

    def _solution_pieces(self) -> Iterator[Piece]:
        if self.solution is not None:
            yield Piece(guarded(self.solution), quoted=True)
        elif self.range is None:
            yield Piece(f"Line {quoted(self.beyond)} exceeds the proposal's {self.total} lines.")
        else:
            first, last = self.range.first, self.range.last
            yield Piece(f'<lines from="{first}" to="{last}" total="{self.total}">\n')
            guarded_lines = guarded("\n".join(self.lines)).split("\n")
            for number, line in enumerate(guarded_lines, start=first):
                yield Piece(f"{number:>4}| ")
                yield Piece(f"{line}\n", quoted=True)
            yield Piece("</lines>")


def read(store: Store, request: ReadProposal) -> Reading:
    """Read a proposal; see `Deliberation.read_proposal`."""
    return reading_of(find_row(store, request.agent_id, round=request.round), request)


def reading_of(row: Row, request: ReadProposal) -> Reading:
    """Read what is asked for of a version that was found."""
    offset = 0 if request.offset is None else integer("offset", request.offset, least=0)
    limit = THOUGHTS_PAGE if request.limit is None else integer("limit", request.limit, least=1)
    total = row.shape.lines
    solution, chosen, lines, beyond = None, None, [], None
    if request.from_line is None and request.to_line is None:
        solution = row.text
    else:
        chosen = _range(request.from_line, request.to_line, total=total)
        if chosen is None:
            beyond = 1 if request.from_line is None else request.from_line
        else:
            lines = split_lines(row.text)[chosen.first - 1 : chosen.last]
    thoughts = row.thought_process
    offset = min(offset, len(thoughts))
    return Reading(
        agent_id=row.agent_id,
        round=row.round,
        version=row.version,
        total=total,
        solution=solution,
        range=chosen,
        lines=tuple(lines),
        beyond=beyond,
        thoughts=thoughts[offset : offset + min(limit, MOST_THOUGHTS)],
        offset=offset,
        thoughts_total=len(thoughts),
    )


def _range(from_line: int | None, to_line: int | None, *, total: int) -> LineRange | None:
    """Make the range of the lines that exist; None where the first one is past the end."""
    there_are = f"lines are 1 to {total}" if total else "the proposal has no lines"
    try:
        first = 1 if from_line is None else integer("from_line", from_line)
        last = total if to_line is None else integer("to_line", to_line)
    except ArgumentError as error:
        raise ArgumentError(f"{error}; {there_are}") from None
    if first > total:
        return None
    for name, line in (("from_line", first), ("to_line", last)):
        if line < 1:
            raise ArgumentError(f"{name} is {quoted(line)}; {there_are}")
    if last < first:
        raise ArgumentError(
            f"from_line {first} is after to_line {last}; {there_are}, and the first is given first"
        )
    return LineRange(first, min(last, total))


def find_row(
    store: Store, agent_id: str, *, round: int | None = None, version: int | None = None
) -> Row:
    """Find a version by what a reader calls its agent, by default the latest of all.

    Raises NotFoundError, which names the agents, the rounds or the versions that there are.
    """
    agent_id = agent_id_text(agent_id)
    if version is not None:
        version = version_number(version)
    return _find_row(store, agent_id, None if round is None else round_number(round), version)


def _find_row(store: Store, agent_id: str, round: int | None, version: int | None) -> Row:
    with store.database.reading():
        row = store.row(agent_id, round=round, version=version)
        if row is not None:
            return row
        in_round = store.agents(round)
        if round is not None and agent_id not in in_round and agent_id in store.agents():
            # The exact id is that agent, and none whose name it is.
            raise _not_in_round(store, agent_id, round=round)
        try:
            found = find_agent(agent_id, in_round)
        except NotFoundError:
            # Perhaps there is such an agent, which did not propose in this round.
            if round is None:
                raise
            raise _not_in_round(store, agent_id, round=round) from None
        row = store.row(found, round=round, version=version)
        if row is not None:
            return row
        raise NotFoundError(
            f"{quoted(found)} has no version {quoted(version)}"
            f"{'' if round is None else f' in round {round}'}; "
            f"there are {listed(store.versions(found, round=round))}"
        )


def _not_in_round(store: Store, agent_id: str, *, round: int) -> NotFoundError:
    rounds = store.rounds()
    if round not in rounds and rounds:
        return NotFoundError(f"round {round} has no proposals; there are rounds {listed(rounds)}")
    try:
        found = find_agent(agent_id, store.agents())
    except NotFoundError as error:
        return error
    return NotFoundError(
        f"{quoted(found)} has no proposal in round {round}; "
        f"it proposed in rounds {listed(store.rounds(found))}"
    )
