"""What an evaluator was shown: the prompt's text, whom its keys stand for, and its two tools."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from shape_magic.deliberation.agents import find_agent, known_as, plain_id
from shape_magic.deliberation.read_proposal import ReadProposal, reading_of
from shape_magic.deliberation.search import search_rows
from shape_magic.deliberation.store import KeptCandidate, KeptPrompt, Row, Store
from shape_magic.deliberation.tools import STYLES, Style, tool_list, tool_request
from shape_magic.errors import ArgumentError, NotFoundError, ShapeMagicError
from shape_magic.prompting.candidate import Candidate
from shape_magic.prompting.evaluation import evaluation_text
from shape_magic.prompting.template import EvaluationTemplate
from shape_magic.shape import Measurement, Shape
from shape_magic.vocabulary import CATEGORY_NAMES, STANCES, VERDICTS
from shape_magic.wording import listed, quoted

__all__ = [
    "EarlierProposal",
    "EvaluationPrompt",
    "PromptCandidate",
    "kept_prompt",
    "last_prompt",
    "make_prompt",
]

_KEY_WORDS: Final = ("Candidate", "Solution", "Entry")
# What filters evaluations, of which these tools know none.
_NO_EVALUATIONS: Final = frozenset({"phase", "stances", "verdicts", "min_score", "max_score"})
_BY_LINE: Final = frozenset({"from_line", "to_line"})
_READS_BY_LINE: Final = (
    "Setting from_line or to_line returns those lines of the solution, numbered, in place of the "
    "raw text. Line numbers are those of the outline and of matched_lines; they count from 1, and "
    "ranges include both ends."
)
# How the two tools are described, what an agent is called there, and what the round is.
_OF_THE_ROUND: Final = (
    "Read one candidate's proposal: the final solution and the thought process. The thought "
    "process is returned by page: offset and limit choose it.",
    "Search the candidates. Every keyword must occur in a candidate's solution or thoughts; case "
    "makes no difference. A filter that is null or an empty list is no filter.",
    "candidate",
    "the round",
)
_OF_EARLIER_ROUNDS: Final = (
    "Read a proposal of this round or of one before it: the final solution and the thought "
    "process. The thought process is returned by page: offset and limit choose it.",
    "Search the proposals of this round and of those before it. Every keyword must occur in a "
    "proposal's solution or thoughts; case makes no difference. A filter that is null or an empty "
    "list is no filter.",
    "agent",
    "this round or one before; by default an agent's latest one, or all of them in a search",
)
_SEARCHES_BY_LINE: Final = (
    "A result's matched_lines are numbers of lines that hold a keyword: read on there with "
    "read_proposal."
)
_DIGEST_SHOWN: Final = 12
_SHORTEST_DIGEST: Final = 8


class PromptCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate as it stood in a prompt."""

    place: int
    """From 1 on; 0 for the evaluator's own proposal, which is not a candidate."""
    key: str
    """What the prompt, the tools and the reply call it."""
    agent_id: str
    """Whose it is."""
    version: int
    measurement: Measurement
    """The one that was shown."""
    content: str
    thought_process: str


class EarlierProposal(msgspec.Struct, frozen=True, kw_only=True):
    """A proposal of a round before, which a prompt's tools reach and its text does not show."""

    round: int
    agent_id: str
    version: int
    """The latest one at that time."""
    shape: Shape
    text: str
    """The readable form."""
    thought_process: str


class EvaluationPrompt(msgspec.Struct, frozen=True, kw_only=True):
    """What an evaluator was shown of a round; `str` of it is the text.

    It is made and kept by `Deliberation.evaluation_prompt`, and `Deliberation.prompt` gives it back
    by its digest. Its tools know what it shows and, with `history`, what stood in the rounds before
    when it was made, and nothing else, whatever is proposed later.
    """

    text: str
    digest: str
    """It stands for the text, who was shown it, whom its keys mean, and what its tools reach."""
    round: int
    evaluator: str | None
    trial: int
    template: str
    """The template's name."""
    task: str
    anonymous: bool
    seed: int | None
    line_numbers: bool
    """Whether the tools number lines and read by line."""
    candidates: tuple[PromptCandidate, ...]
    """In the order in which they stood there."""
    own: PromptCandidate | None = None
    """What the evaluator proposed itself, which is no candidate."""
    earlier: tuple[EarlierProposal, ...] = ()
    """What its tools reach of the rounds before, by round and agent."""

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        who = "" if self.evaluator is None else f" for {quoted(self.evaluator)}"
        reach = f", tools reach rounds {listed(self._rounds)}" if self.earlier else ""
        return (
            f"<EvaluationPrompt {self.digest[:_DIGEST_SHOWN]}: round {self.round}{who}, "
            f"template {quoted(self.template)}, candidates {listed(self.keys)}, "
            f"{len(self.text):,} characters{reach}>"
        )

    @property
    def keys(self) -> list[str]:
        """What the candidates are called here."""
        return [candidate.key for candidate in self.candidates]

    def tools(self, style: Style = "functions") -> list[dict[str, Any]]:
        """Describe the two retrieval tools to a model, as this evaluator may use them.

        `functions` is the list for function calling, `input_schema` the one with that key.
        """
        reads, searches, who, which = _OF_EARLIER_ROUNDS if self.earlier else _OF_THE_ROUND
        agent_id = {"type": "string", "enum": self._known}
        number = {"type": "integer", "enum": self._rounds}
        tools = tool_list(style, leave_out=self._leave_out)
        for tool in tools:
            described = tool["function"] if style == "functions" else tool
            schema = described["parameters" if style == "functions" else "input_schema"]
            properties = schema["properties"]
            if described["name"] == "read_proposal":
                words = [reads, _READS_BY_LINE if self.line_numbers else ""]
                properties["agent_id"] = {"description": f"the {who}", **agent_id}
                properties["round"] = _filter(which, number)
            else:
                words = [searches, _SEARCHES_BY_LINE if self.line_numbers else ""]
                for name, description, items in (
                    ("agent_ids", f"only these {who}s", agent_id),
                    ("rounds", which, number),
                ):
                    properties[name] = _filter(description, {"type": "array", "items": items})
            described["description"] = " ".join(word for word in words if word)
        return tools

    def call_tool(self, name: str, arguments: Mapping[str, Any] | str) -> str:
        """Call a tool as the evaluator does, with a mapping or a JSON string, and give the answer.

        What is wrong with the arguments comes back as the answer, too, and nothing is raised.
        """
        try:
            request = tool_request(name, arguments, leave_out=self._leave_out)
            if isinstance(request, ReadProposal):
                self._check_rounds([] if request.round is None else [request.round])
                return str(reading_of(self._row(request.agent_id, request.round), request))
            self._check_rounds(request.rounds or ())
            if request.agent_ids is not None:
                agent_ids = [self._find(asked) for asked in request.agent_ids]
                request = msgspec.structs.replace(request, agent_ids=agent_ids)
            return str(search_rows(self._rows, request, line_numbers=self.line_numbers))
        except ShapeMagicError as error:
            return str(error)

    def reply_schema(self, style: Style = "functions") -> dict[str, Any]:
        """Give the JSON Schema of the reply, in which every field is required and none is added.

        With `functions` the ranges of numbers stand as `minimum` and `maximum`; with
        `input_schema`, for those who refuse these words, in the descriptions.
        """
        if style not in STYLES:
            raise ArgumentError(f"style is {quoted(style)}; there are {listed(STYLES)}")
        number: dict[str, Any] = {"type": "number", "description": "from -100 to 100"}
        if style == "functions":
            number = {"type": "number", "minimum": -100, "maximum": 100}
        claim = _object(
            {
                "claim": {"type": "string", "description": "a claim of the candidate, quoted"},
                "verdict": {"type": "string", "enum": list(VERDICTS)},
            }
        )
        evaluation = _object(
            {
                "agent_id": self._key_schema,
                "endorsement_weight": number,
                "justification": {"type": "string"},
                "stance": {"type": "string", "enum": list(STANCES)},
                "claim_assessments": {"type": "array", "items": claim},
                "category_scores": _object(dict.fromkeys(CATEGORY_NAMES, number)),
            }
        )
        return _object({"evaluations": {"type": "array", "items": evaluation}})

    @property
    def _leave_out(self) -> frozenset[str]:
        return _NO_EVALUATIONS if self.line_numbers else _NO_EVALUATIONS | _BY_LINE

    @property
    def _key_schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": self.keys}

    @property
    def _known(self) -> list[str]:
        """Whose proposals the tools reach, the candidates first."""
        earlier = (proposal.agent_id for proposal in self.earlier)
        return list(dict.fromkeys([*self.keys, *earlier]))

    @property
    def _rounds(self) -> list[int]:
        return sorted({self.round, *(proposal.round for proposal in self.earlier)})

    @property
    def _rows(self) -> list[Row]:
        """What the tools reach by round and key, without what anybody said of it."""
        shown = [
            EarlierProposal(
                round=self.round,
                agent_id=candidate.key,
                version=candidate.version,
                shape=candidate.measurement.shape,
                text=candidate.measurement.text,
                thought_process=candidate.thought_process,
            )
            for candidate in sorted(self.candidates, key=lambda candidate: candidate.key)
        ]
        return [
            Row(
                id=place,
                round=proposal.round,
                agent_id=proposal.agent_id,
                version=proposal.version,
                measurement=0,
                shape_data=json.dumps(list(proposal.shape.as_dict().values())).encode(),
                aggregated_score=None,
                content=proposal.text,
                thoughts=proposal.thought_process,
                text=proposal.text,
            )
            for place, proposal in enumerate((*self.earlier, *shown))
        ]

    def _row(self, asked: str, round: int | None) -> Row:
        """Find an agent's proposal, by default its latest one."""
        agent_id = self._find(asked)
        there = {row.round: row for row in self._rows if row.agent_id == agent_id}
        number = max(there) if round is None else round
        if number not in there:
            raise NotFoundError(
                f"{quoted(agent_id)} has no proposal in round {number} here; it has in rounds "
                f"{listed(sorted(there))}"
            )
        return there[number]

    def _find(self, asked: str) -> str:
        if not self.anonymous:
            return find_agent(asked, self._known)
        if asked not in self.keys:
            raise NotFoundError(
                f"no candidate is called {quoted(asked)}; there are {listed(self.keys)}"
            )
        return asked

    def _check_rounds(self, rounds: Iterable[int]) -> None:
        known = self._rounds
        for number in rounds:
            if number not in known:
                there = (
                    f"is round {self.round}" if len(known) == 1 else f"are rounds {listed(known)}"
                )
                raise ArgumentError(f"round is {quoted(number)}; there {there} here")


def _filter(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "anyOf": [schema, {"type": "null"}], "default": None}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def make_prompt(
    store: Store,
    *,
    task: str | None,
    round: int,
    evaluator: str | None,
    template: EvaluationTemplate,
    anonymous: bool,
    history: bool,
    seed: int | None,
    trial: int,
    keep: bool,
) -> EvaluationPrompt:
    """Make a prompt, and keep it in the same transaction; see `Deliberation.evaluation_prompt`."""
    if anonymous and history:
        raise ArgumentError(
            "history shows who proposed what in earlier rounds, which anonymous hides; "
            "leave one of them out"
        )
    with store.database.transaction() if keep else store.database.reading():
        task = _task(store, round) if task is None else task
        with store.rows(rounds=[round]) as found:
            rows = list(found)
        own_row = None
        if evaluator is not None:
            evaluator = known_as(evaluator, store.agents()) or evaluator
            own_row = next((row for row in rows if row.agent_id == evaluator), None)
        others = [row for row in rows if row is not own_row]
        if not others:
            assert evaluator is not None, "a round without a proposal was refused before"
            raise NotFoundError(
                f"nobody but {quoted(evaluator)} itself has proposed in round {round}, and nobody "
                "evaluates itself"
            )
        if anonymous or seed is not None:
            others.sort(key=lambda row: _drawn(row.agent_id, seed, round, evaluator, trial))
        keys = [row.agent_id for row in others]
        if anonymous:
            keys = _anonymous_keys(len(others), taken=[*store.agents(), evaluator or ""])
        candidates = tuple(
            _candidate(store, row, place=place, key=key)
            for place, (row, key) in enumerate(zip(others, keys, strict=True), start=1)
        )
        earlier_rows = []
        if history:
            with store.rows(rounds=[there for there in store.rounds() if there < round]) as found:
                earlier_rows = list(found)
        own = None if own_row is None else _candidate(store, own_row, place=0, key=own_row.agent_id)
        text = evaluation_text(
            template,
            task=task,
            round=round,
            candidates=[_shown(candidate) for candidate in candidates],
            own=None if own is None else _shown(own),
            anonymous=anonymous,
            earlier_rounds=sorted({row.round for row in earlier_rows}),
        )
        prompt = EvaluationPrompt(
            text=text,
            digest="",
            round=round,
            evaluator=evaluator,
            trial=trial,
            template=template.name,
            task=task,
            anonymous=anonymous,
            seed=seed,
            line_numbers=template.show_line_numbers,
            candidates=candidates,
            own=own,
            earlier=tuple(map(_earlier, earlier_rows)),
        )
        prompt = msgspec.structs.replace(prompt, digest=_digest(prompt, template))
        if keep:
            store.keep_template(template.name, digest=template.digest, content=template.to_text())
            shown_rows = [*others, *([own_row] if own_row else [])]
            store.keep_prompt(_to_keep(prompt, shown_rows, earlier_rows))
    return prompt


def kept_prompt(store: Store, digest: str) -> EvaluationPrompt:
    """Give back a prompt that was made before, to the letter; NotFoundError where there is none.

    A beginning of the digest does, of 8 digits or more, where only one prompt's begins so.
    """
    with store.database.reading():
        kept = _kept(store, digest)
        found = store.template(kept.template)
        assert found is not None, "a prompt is kept together with its template"
        candidates = {
            candidate.place: _candidate_of(store, kept, candidate)
            for candidate in kept.candidates
            if candidate.place >= 0
        }
        earlier = [
            _earlier(store.row_by_id(*_ids(kept, candidate)))
            for candidate in reversed(kept.candidates)
            if candidate.place < 0
        ]
    return EvaluationPrompt(
        text=kept.text,
        digest=kept.digest,
        round=kept.round,
        evaluator=kept.evaluator,
        trial=kept.trial,
        template=kept.template,
        task=kept.task,
        anonymous=kept.anonymous,
        seed=kept.seed,
        line_numbers=EvaluationTemplate.from_text(found[1]).show_line_numbers,
        candidates=tuple(candidates[place] for place in sorted(candidates) if place),
        own=candidates.get(0),
        earlier=tuple(earlier),
    )


def last_prompt(store: Store, evaluator: str, *, round: int | None = None) -> str | None:
    """Give the digest of the last prompt that an evaluator may have been shown, None for none.

    One that was made for nobody by name may have been shown to anybody.
    """
    with store.database.reading():
        evaluator = known_as(evaluator, store.agents()) or evaluator
        for digest, shown_to in store.prompt_digests(round=round):
            if shown_to is None or known_as(evaluator, [shown_to]) is not None:
                return digest
    return None


def _kept(store: Store, digest: str) -> KeptPrompt:
    kept = store.prompt(digest)
    if kept is not None:
        return kept
    matches = [found for found, _ in store.prompt_digests() if found.startswith(digest)]
    if len(matches) == 1 and len(digest) >= _SHORTEST_DIGEST:
        kept = store.prompt(matches[0])
        assert kept is not None, "it was found in the same transaction"
        return kept
    if len(matches) > 1 and digest:
        raise NotFoundError(
            f"{len(matches)} prompts have a digest that begins with {quoted(digest)}"
        )
    raise NotFoundError(
        f"no prompt with the digest {quoted(digest)} is kept here; "
        "evaluation_prompt makes one and keeps it"
    )


def _task(store: Store, round: int) -> str:
    task = store.task(round)
    if task is None:
        raise ArgumentError(
            f"round {round} has no task: give one as task=…, or keep it by set_task({round}, …)"
        )
    return task


def _drawn(agent_id: str, *parts: object) -> bytes:
    """Draw an agent's place: the same for the same parts, on every machine and release."""
    return hashlib.sha256(json.dumps([*parts, agent_id]).encode()).digest()


def _anonymous_keys(count: int, *, taken: Sequence[str]) -> list[str]:
    """Name the candidates by letters, with a word that no agent's id has in such a name."""
    plain = {plain_id(agent_id) for agent_id in taken}
    words = [*_KEY_WORDS, *(f"Candidate{number}" for number in range(2, len(taken) + 3))]
    for word in words:
        keys = [f"{word}_{_letters(number)}" for number in range(count)]
        if not any(key.casefold() in agent_id for key in keys for agent_id in plain):
            return keys
    raise AssertionError("there are more words than agents")


def _letters(number: int) -> str:
    """Write a number in letters: A to Z, AA and on.

    >>> [_letters(number) for number in (0, 25, 26, 701, 702)]
    ['A', 'Z', 'AA', 'ZZ', 'AAA']
    """
    letters = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 26)
        letters = chr(ord("A") + digit) + letters
    return letters


def _candidate(store: Store, row: Row, *, place: int, key: str) -> PromptCandidate:
    proposal = store.proposal(row)
    return PromptCandidate(
        place=place,
        key=key,
        agent_id=row.agent_id,
        version=row.version,
        measurement=proposal.measurement,
        content=row.content,
        thought_process=row.thought_process,
    )


def _candidate_of(store: Store, prompt: KeptPrompt, kept: KeptCandidate) -> PromptCandidate:
    row_id, measurement = _ids(prompt, kept)
    row = store.row_by_id(row_id)
    return PromptCandidate(
        place=kept.place,
        key=kept.key,
        agent_id=kept.agent_id,
        version=row.version,
        measurement=store.proposal(row, measurement=measurement).measurement,
        content=row.content,
        thought_process=row.thought_process,
    )


def _ids(prompt: KeptPrompt, kept: KeptCandidate) -> tuple[int, int]:
    """Give the ids of a version that a prompt showed and of its measurement."""
    if kept.row_id is None or kept.measurement is None:
        where = f"showed version {kept.version} of {quoted(kept.agent_id)} in round {prompt.round}"
        if kept.place < 0:
            where = f"reaches version {kept.version} of {quoted(kept.agent_id)} in an earlier round"
        raise NotFoundError(
            f"the prompt {prompt.digest[:_DIGEST_SHOWN]} {where}, and that was removed"
        )
    return kept.row_id, kept.measurement


def _earlier(row: Row) -> EarlierProposal:
    return EarlierProposal(
        round=row.round,
        agent_id=row.agent_id,
        version=row.version,
        shape=row.shape,
        text=row.text,
        thought_process=row.thought_process,
    )


def _shown(candidate: PromptCandidate) -> Candidate:
    return Candidate(candidate.key, candidate.measurement, candidate.thought_process)


def _digest(prompt: EvaluationPrompt, template: EvaluationTemplate) -> str:
    candidates = [*prompt.candidates, *([prompt.own] if prompt.own else [])]
    parts = [
        prompt.text,
        prompt.round,
        prompt.evaluator,
        prompt.trial,
        [template.name, template.digest],
        [prompt.anonymous, prompt.seed],
        [[candidate.place, candidate.key, candidate.agent_id] for candidate in candidates],
        [[candidate.measurement.text, candidate.thought_process] for candidate in candidates],
        *(
            [proposal.round, proposal.agent_id, proposal.text, proposal.thought_process]
            for proposal in prompt.earlier
        ),
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _to_keep(
    prompt: EvaluationPrompt, rows: Iterable[Row], earlier_rows: Iterable[Row]
) -> KeptPrompt:
    by_agent = {row.agent_id: row for row in rows}
    candidates = [*prompt.candidates, *([prompt.own] if prompt.own else [])]
    return KeptPrompt(
        digest=prompt.digest,
        round=prompt.round,
        evaluator=prompt.evaluator,
        trial=prompt.trial,
        template=prompt.template,
        task=prompt.task,
        seed=prompt.seed,
        anonymous=prompt.anonymous,
        text=prompt.text,
        candidates=(
            *(
                KeptCandidate(
                    place=candidate.place,
                    key=candidate.key,
                    agent_id=candidate.agent_id,
                    version=candidate.version,
                    row_id=by_agent[candidate.agent_id].id,
                    measurement=by_agent[candidate.agent_id].measurement,
                )
                for candidate in candidates
            ),
            *(
                KeptCandidate(
                    place=-place,
                    key=row.agent_id,
                    agent_id=row.agent_id,
                    version=row.version,
                    row_id=row.id,
                    measurement=row.measurement,
                )
                for place, row in enumerate(earlier_rows, start=1)
            ),
        ),
    )
