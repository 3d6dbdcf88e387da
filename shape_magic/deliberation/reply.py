r"""A model's reply, read as evaluations.

What has one reading is taken, and every repair is told with its place; what has two is refused, as
a reply may quote what a candidate wrote; what is missing or wrong is named, candidate by candidate,
and never made up.

>>> reading = read_reply('[{"agent_id": "A", "endorsement_weight": "60"}]', keys=["A", "B"])
>>> print(*reading.problems[:2], sep="\n")
line 1: "A": justification is missing; it is a text
line 1: "A": stance is missing; it is one of strong_agree, agree, neutral, disagree, strong_disagree
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from shape_magic.deliberation.agents import known_as
from shape_magic.deliberation.loose_json import (
    Broken,
    Node,
    Places,
    Repair,
    Value,
    find_values,
    node_of,
    place_text,
    read_number,
    whole_string,
)
from shape_magic.deliberation.records import Evaluation, read_record
from shape_magic.errors import NotFoundError, RecordError, ReplyError
from shape_magic.vocabulary import CATEGORY_NAMES, STANCES, VERDICTS
from shape_magic.wording import visible

__all__ = ["KeyedEvaluation", "Problem", "ReplyReading", "read_reply", "refused"]

WEIGHTS: Final = (-100, 100)
SCORES: Final = (-1, 1)
CATEGORY_SCORES: Final = (-100, 100)

_FIELDS: Final = (
    *("agent_id", "endorsement_weight", "score", "justification", "stance"),
    *("claim_assessments", "category_scores"),
)
# The parts of a wrapper in which a string may be the reply, as in a tool call's arguments.
_STRINGS: Final = frozenset(
    {"arguments", "input", "content", "text", "output", "result", "response", "reply", "answer"}
)
_MOST_WRAPPERS: Final = 6
_THINK: Final = re.compile(r"<[ \t\r\n]*+(?P<closes>/?)[ \t\r\n]*+think(?![\w.:-])[^<>]*+>", re.I)
_BLANK: Final = " \t\r\n\ufeff"
_LEADING: Final = re.compile(f"[{_BLANK}]*+")
_FENCED: Final = re.compile(
    r"(?:```|~~~)[ \t]*+[\w+-]*+[ \t]*+\r?\n(?P<inside>.*)(?:```|~~~)[ \t\r\n]*+", re.DOTALL
)
_SPACING: Final = re.compile("[ \t\r\n_-]++")
_LONGEST_VALUE: Final = 60
_MOST_TOLD: Final = 50
"""How many problems an error's message names; its `problems` are all."""
_BETWEEN_LINES: Final = re.compile("[ \t\r\n,]*+")
# What a piece that cannot be read would have been, had it been the reply.
_NAMES_A_CANDIDATE: Final = re.compile(r"""["']agent_id["'][ \t\r\n]*+:""")
_NAMES_A_FIELD: Final = re.compile(
    r"(?:evaluations|agent_id|endorsement_weight|category_scores|claim_assessments)"
    r"(?:[\"'\u2019\u201d\\]++|[ \t\r\n]*+:)",
    re.IGNORECASE,
)


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """Something in a reply that is missing or wrong."""

    message: str
    key: str | None = None
    """The candidate, as the reply is to call it."""
    field: str = ""
    """As in `category_scores.novelty`."""
    line: int | None = None

    def __str__(self) -> str:
        name = "" if self.key is None else f"{_json(self.key)}: "
        field = f"{self.field} " if self.field else ""
        return f"{place_text(self.line)}{name}{field}{self.message}"


class KeyedEvaluation(msgspec.Struct, frozen=True):
    """What a reply says of one candidate."""

    key: str
    evaluation: Evaluation


class ReplyReading(msgspec.Struct, frozen=True, kw_only=True):
    """What was read of a reply, and how."""

    evaluations: tuple[KeyedEvaluation, ...] = ()
    """In the reply's order; none where the reply is refused."""
    repairs: tuple[Repair, ...] = ()
    problems: tuple[Problem, ...] = ()
    """Why it is refused; of a reply that was taken in part, what was not taken."""
    left_out: tuple[str, ...] = ()
    """Evaluations of the evaluator itself or of nobody, which are not counted."""
    not_evaluated: tuple[str, ...] = ()
    """The candidates that the reply leaves out."""


class _RefusedError(Exception):
    """A reply of which nothing can be read."""

    def __init__(self, message: str, *, line: int | None = None) -> None:
        super().__init__(message)
        self.problem = Problem(message=message, line=line)


class _Candidates(msgspec.Struct, frozen=True):
    """What a reply may call those it evaluates."""

    keys: Sequence[str]
    own: str | None
    exact: bool

    def find(self, asked: str) -> str | None:
        """Give the candidate that is meant, None for nobody; NotFoundError where it may be two."""
        known = self.keys if self.own is None else (*self.keys, self.own)
        if self.exact or asked in known:
            return asked if asked in known else None
        return known_as(asked, known)

    def nearly(self, asked: str) -> str | None:
        """Give the key that matches to the letter alone, where this is another spelling of it."""
        return next((key for key in self.keys if _word(key) == _word(asked)), None)

    def names(self, asked: str) -> bool:
        """Tell whether a candidate is meant."""
        try:
            return self.find(asked) is not None
        except NotFoundError:
            return True


class _Evaluations(msgspec.Struct, frozen=True, kw_only=True):
    """One way to read a text: the evaluations as they stand there."""

    items: list[tuple[str | None, Node]]
    """Each with the key under which it stands, where it stands under one."""
    repairs: list[Repair]
    line: int | None = None
    wrong: str = ""
    """Why there are no evaluations."""
    cut: bool = False

    def told(self, message: str, node: Node) -> "_Evaluations":
        """Add how it was found."""
        repair = Repair(message, node.line, node.column)
        return msgspec.structs.replace(self, repairs=[repair, *self.repairs])


def read_reply(
    reply: str | Mapping[str, Any],
    *,
    keys: Sequence[str],
    own: str | None = None,
    exact: bool = False,
    strict: bool = False,
    partial: bool = False,
) -> ReplyReading:
    """Read a model's reply to an evaluation prompt: text, or JSON that is already parsed.

    `keys` are what the prompt calls the candidates, `own` what it calls the evaluator; with
    `exact` they match to the letter, else as agents are found. `strict` takes the exact form alone.
    `partial` takes the candidates that are whole, also of a reply that was cut off, and names the
    others; where a weight that belongs to the sum cannot be read, it takes none.

    A score is the weight's share of the evaluator's budget: w / Σ|w| over the reply's evaluations
    of others, 0 where all are 0. A reply that gives a `score` from -1 to 1 for all in place of
    weights is taken as it is. Nothing is raised for what a reply holds.

    >>> reading = read_reply("I would rather not.", keys=["A"])
    >>> print(*reading.problems)
    there is no JSON in it that holds evaluations
    """
    candidates = _Candidates(tuple(keys), own, exact)
    try:
        if isinstance(reply, str):
            found = _in_text(reply, candidates, partial=partial)
        else:
            found = _only(list(_in_node(_parsed(reply), candidates, depth=0)))
        if found.wrong:
            raise _RefusedError(found.wrong, line=found.line)
    except _RefusedError as error:
        return ReplyReading(problems=(error.problem,))
    reading = _Reader(candidates, found).read(partial=partial)
    if strict and reading.repairs:
        problems = (
            Problem(
                message=f"{repair.message}: strict takes the exact form alone", line=repair.line
            )
            for repair in reading.repairs
        )
        return ReplyReading(problems=(*reading.problems, *problems))
    return reading


def refused(problems: Iterable[object]) -> ReplyError:
    """Make the error that names every problem of a reply."""
    named = tuple(map(str, problems))
    told = [*named[:_MOST_TOLD]]
    if len(named) > _MOST_TOLD:
        told.append(f"and {len(named) - _MOST_TOLD:,} more problems")
    return ReplyError(f"nothing of the reply was taken: {'; '.join(told)}", problems=named)


# Where the evaluations are.


def _parsed(reply: Mapping[str, Any]) -> Node:
    try:
        return node_of(reply)
    except ValueError as error:
        raise _RefusedError(f"the reply cannot be read: {error}") from None


def _in_text(text: str, candidates: _Candidates, *, partial: bool) -> _Evaluations:
    places = Places(text)
    start = _end(_LEADING, text, 0)
    repairs: list[Repair] = []
    thought = _THINK.match(text, start)
    if thought and not thought["closes"]:
        closing = next((tag for tag in _THINK.finditer(text, thought.end()) if tag["closes"]), None)
        if closing is None:
            raise _RefusedError("<think> is not closed", line=places(start)[0])
        repairs.append(Repair("thoughts before it, in <think>", *places(start)))
        start = closing.end()
    found = _only(_readings(text, start, candidates, places, partial=partial))
    return msgspec.structs.replace(found, repairs=[*repairs, *found.repairs])


def _only(readings: list[_Evaluations], *, reason: str = "") -> _Evaluations:
    """Give the only reading; several equal readings count as one."""
    if not readings:
        raise _RefusedError(f"there is no JSON in it that holds evaluations{reason}")
    first = readings[0]
    if len({_compared(reading) for reading in readings}) > 1:
        lines = [str(reading.line) for reading in readings if reading.line is not None]
        where = f", in lines {_some(lines)}" if lines else ""
        raise _RefusedError(
            f"it may be read in {len(readings)} ways{where}: give one JSON object and nothing else"
        )
    if len(readings) > 1:
        repair = Repair(f"the same evaluations {len(readings)} times", first.line)
        return msgspec.structs.replace(first, repairs=[*first.repairs, repair])
    return first


def _some(lines: Sequence[str]) -> str:
    return ", ".join(lines[:5]) + (" …" if len(lines) > 5 else "")


def _compared(reading: _Evaluations) -> str:
    return json.dumps([(key, node.plain()) for key, node in reading.items], sort_keys=True)


def _readings(
    text: str,
    start: int,
    candidates: _Candidates,
    places: Places,
    *,
    partial: bool = False,
    whole: bool = False,
    depth: int = 0,
) -> list[_Evaluations]:
    """Find all ways to read a text; with `whole`, those alone that leave nothing of it out."""
    frame = _Frame.of(text, start)
    string_start, string_end = frame.fenced or (start, len(text))
    string = whole_string(text[string_start:string_end])
    if string is not None and depth < _MOST_WRAPPERS:
        at = places(string_start)
        inner = _readings(
            string, 0, candidates, Places(string, fixed=at), partial=partial, depth=depth + 1
        )
        node = Node(string, at, closed=True)
        return [reading.told("JSON within a string", node) for reading in inner]
    found = find_values(text, start=start, places=places)
    gaps = list(_gaps(text, start, found.values))
    for gap_start, gap_end in gaps:
        if tag := _THINK.search(text, gap_start, gap_end):
            raise _RefusedError("<think> counts at the start alone", line=places(tag.start())[0])
    cut = next((piece for piece in found.broken if piece.node is not None), None)
    _refuse_broken(text, gaps, found.broken, cut, partial=partial)
    values = list(found.values)
    if cut is not None and cut.node is not None and partial and _names_a_field(text, gaps, cut):
        values.append(Value(cut.node, cut.start, len(text), cut.repairs))
    readings = []
    unnamed: Node | None = None
    for group in _grouped(text, values, candidates):
        first, last = group[0].start, group[-1].end
        alone = frame.is_bare(first, last) or frame.is_fenced(first, last)
        if whole and not alone:
            continue
        around = []
        if not frame.is_bare(first, last):
            what = "a code fence" if alone else "words"
            around = [Repair(f"{what} around it", *places(first))]
        in_group = list(_in_group(group, candidates, depth, among_words=not alone))
        if not in_group and unnamed is None and _names_no_candidate(group[0].node):
            unnamed = group[0].node
        for reading in in_group:
            own_repairs = [repair for value in group for repair in value.repairs]
            readings.append(
                msgspec.structs.replace(
                    reading,
                    repairs=[*around, *reading.repairs, *own_repairs],
                    cut=not group[-1].node.closed,
                )
            )
    if (
        readings
        and cut is not None
        and not any(reading.cut for reading in readings)
        and _names_a_field(text, gaps, cut)
    ):
        # With `partial`: what was cut off cannot be read, as within a string, and a quotation can.
        raise _RefusedError(f"it is cut off, and what is left cannot be read: {cut.reason}")
    if readings and cut is None:
        for gap_start, gap_end in gaps:
            if key := _NAMES_A_CANDIDATE.search(text, gap_start, gap_end):
                # An evaluation that lost its opening brace, beside a quotation that can be read.
                line = places(key.start())[0]
                raise _RefusedError("an evaluation beside it cannot be read", line=line)
    if readings and unnamed is not None:
        # A piece of a reply that cannot be read, beside a quotation that can.
        raise _RefusedError("an evaluation beside it names no candidate", line=unnamed.line)
    if not readings and depth == 0 and found.broken:
        furthest = max(found.broken, key=lambda piece: piece.end)
        _only([], reason=f"; what might be it: {furthest.reason}")
    return readings


class _Frame(msgspec.Struct, frozen=True):
    """Where a text begins and ends, white space and a code fence around all of it aside.

    It is looked at once, since a text may hold any number of values.
    """

    begin: int
    end: int
    fenced: tuple[int, int] | None
    """What stands in the fence, where there is one."""
    fenced_begin: int
    fenced_end: int

    @classmethod
    def of(cls, text: str, start: int) -> "_Frame":
        begin = _end(_LEADING, text, start)
        end = len(text.rstrip(_BLANK))
        fence = _FENCED.fullmatch(text, begin)
        if fence is None:
            return cls(begin, end, None, 0, 0)
        inside = fence.span("inside")
        return cls(
            begin,
            end,
            inside,
            _end(_LEADING, text, inside[0]),
            inside[0] + len(fence["inside"].rstrip(_BLANK)),
        )

    def is_bare(self, first: int, last: int) -> bool:
        """Tell whether there is white space alone around a piece of the text."""
        return first == self.begin and last >= self.end

    def is_fenced(self, first: int, last: int) -> bool:
        """Tell whether a code fence and white space are all that there is around it."""
        if self.fenced is None:
            return False
        return first == self.fenced_begin and self.fenced_end <= last <= self.fenced[1]


def _gaps(text: str, start: int, values: Iterable[Value]) -> Iterator[tuple[int, int]]:
    """Give what stands around the values that could be read."""
    for value in values:
        yield start, value.start
        start = value.end
    yield start, len(text)


def _names_a_field(text: str, gaps: Iterable[tuple[int, int]], piece: Broken) -> bool:
    """Tell whether a piece, or whatever comes after it and is not read, names a reply's field."""
    return any(
        _NAMES_A_FIELD.search(text, max(start, piece.start), end)
        for start, end in gaps
        if end > piece.start
    )


def _refuse_broken(
    text: str,
    gaps: Sequence[tuple[int, int]],
    broken: Sequence[Broken],
    cut: Broken | None,
    *,
    partial: bool,
) -> None:
    """Refuse a text with a piece that may be the reply and cannot be read."""
    others = [piece for piece in broken if piece is not cut]
    if others and _names_a_field(text, gaps, others[0]):
        named = (piece for piece in others if _NAMES_A_FIELD.search(text, piece.start, piece.end))
        piece = next(named, others[0])
        raise _RefusedError(f"what may be the reply cannot be read: {piece.reason}")
    if cut is not None and not partial and _names_a_field(text, gaps, cut):
        raise _RefusedError(f"it is cut off: {cut.reason}")


def _grouped(text: str, values: Sequence[Value], candidates: _Candidates) -> Iterator[list[Value]]:
    """Put evaluations that stand alone, an object a line, together."""
    group: list[Value] = []
    for value in values:
        alone = _is_evaluation(value.node)
        if group and not (alone and _end(_BETWEEN_LINES, text, group[-1].end) == value.start):
            yield group
            group = []
        if alone:
            group.append(value)
        else:
            yield [value]
    if group:
        yield group


def _in_group(
    group: Sequence[Value], candidates: _Candidates, depth: int, *, among_words: bool
) -> Iterator[_Evaluations]:
    first = group[0].node
    if len(group) == 1 and not _is_evaluation(first):
        yield from _in_node(first, candidates, depth=depth)
        return
    # One among words may be a quotation; several that follow one another are a reply.
    quoted = among_words and len(group) == 1 and len(candidates.keys) > 1
    reading = _Evaluations(
        items=[(None, value.node) for value in group],
        repairs=[],
        line=first.line,
        wrong="a single evaluation among words may be a quotation" if quoted else "",
    )
    yield reading.told("evaluations that stand alone, an object each", first)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return at if match is None else match.end()


def _in_node(node: Node, candidates: _Candidates, *, depth: int) -> Iterator[_Evaluations]:
    """Find evaluations in a value: its own, or those of what it wraps."""
    value = node.value
    if isinstance(value, dict):
        named = next((key for key in value if _word(key) == "evaluations"), None)
        if named is not None:
            reading = _of_list(value[named], candidates, depth)
            yield (
                reading
                if named == "evaluations"
                else reading.told(f"{named} for evaluations", node)
            )
        elif _is_evaluation(node):
            yield _Evaluations(items=[(None, node)], repairs=[], line=node.line).told(
                "an evaluation that stands alone", node
            )
        elif _is_keyed(node, candidates):
            yield _keyed(node)
        elif depth < _MOST_WRAPPERS:
            for key, inner in value.items():
                for reading in _in_part(key, inner, candidates, depth + 1):
                    yield reading.told(f"within {_json(key)}", inner)
    elif isinstance(value, list) and any(map(_is_evaluation, value)):
        reading = _Evaluations(items=[(None, item) for item in value], repairs=[], line=node.line)
        yield reading.told("a bare array", node)
    elif isinstance(value, list) and depth < _MOST_WRAPPERS:
        for inner in value:
            yield from _in_node(inner, candidates, depth=depth + 1)


def _in_part(key: str, node: Node, candidates: _Candidates, depth: int) -> Iterator[_Evaluations]:
    if isinstance(node.value, str) and _word(key) in _STRINGS:
        yield from _in_string(node, candidates, depth)
    elif not isinstance(node.value, str):
        yield from _in_node(node, candidates, depth=depth)


def _in_string(node: Node, candidates: _Candidates, depth: int) -> Iterator[_Evaluations]:
    if depth >= _MOST_WRAPPERS:
        return
    places = Places(node.value, fixed=(node.line, node.column))
    for reading in _readings(node.value, 0, candidates, places, whole=True, depth=depth + 1):
        yield reading.told("JSON within a string", node)


def _of_list(node: Node, candidates: _Candidates, depth: int) -> _Evaluations:
    """Read what stands under `evaluations`."""
    match node.value:
        case list():
            items: list[tuple[str | None, Node]] = [(None, item) for item in node.value]
            wrong = "" if items else "evaluations is empty"
            return _Evaluations(items=items, repairs=[], line=node.line, wrong=wrong)
        case dict() if _is_evaluation(node):
            reading = _Evaluations(items=[(None, node)], repairs=[], line=node.line)
            return reading.told("an evaluation that stands alone", node)
        case dict() if _is_keyed(node, candidates):
            return _keyed(node)
        case str():
            readings = list(_in_string(node, candidates, depth))
            if readings:
                return _only(readings)
    wrong = f"evaluations is {_json(node.plain())}, and not a list"
    return _Evaluations(items=[], repairs=[], line=node.line, wrong=wrong)


def _keyed(node: Node) -> _Evaluations:
    reading = _Evaluations(items=list(node.value.items()), repairs=[], line=node.line)
    return reading.told("evaluations by candidate, in place of a list", node)


def _is_evaluation(node: Node) -> bool:
    if not isinstance(node.value, dict):
        return False
    named = {_word(key) for key in node.value}
    return "agent_id" in named and len(named.intersection(_FIELDS)) > 1


def _names_no_candidate(node: Node) -> bool:
    items = node.value if isinstance(node.value, list) else [node]
    return any(
        isinstance(item.value, dict)
        and not {_word(key) for key in item.value}.isdisjoint(_FIELDS)
        and not _is_evaluation(item)
        for item in items
    )


def _is_keyed(node: Node, candidates: _Candidates) -> bool:
    return any(candidates.names(key) for key in node.value) and all(
        isinstance(inner.value, dict)
        and (not inner.closed or {_word(key) for key in inner.value}.intersection(_FIELDS))
        for inner in node.value.values()
    )


# What the evaluations say.


class _Item:
    """An evaluation of a reply, while it is read."""

    def __init__(self, node: Node, name: str) -> None:
        self.node = node
        self.name = name
        """How messages call it while its candidate is not known."""
        self.key: str | None = None
        self.fields: dict[str, Node] = {}
        """The known fields, by their own names."""
        self.read: dict[str, Any] = {}
        """What was read of them, and whatever else there is, as it came."""
        self.problems: list[Problem] = []
        self.doubtful = False
        """Whether even its weight cannot be said."""

    def problem(self, field: str, message: str, node: Node | None = None) -> None:
        """Name what is missing or wrong."""
        line = (self.node if node is None else node).line
        if self.key is None:
            message = f"{self.name}: {field} {message}" if field else f"{self.name} {message}"
            field = ""
        self.problems.append(Problem(key=self.key, field=field, message=message, line=line))


class _Reader:
    """Reads the evaluations of a reply, field by field."""

    def __init__(self, candidates: _Candidates, found: _Evaluations) -> None:
        self.candidates = candidates
        self.found = found
        self.repairs = list(found.repairs)
        self.left_out: list[str] = []

    def read(self, *, partial: bool) -> ReplyReading:
        """Read them all."""
        items = []
        for number, (key, node) in enumerate(self.found.items, start=1):
            item = self._item(_Item(node, f"evaluation {number}"), key)
            if item is not None:
                items.append(item)
        items = self._each_once(items)
        keys = {item.key for item in items}
        not_evaluated = tuple(key for key in self.candidates.keys if key not in keys)
        missing = not_evaluated if self.found.cut else ()
        whose_weight = self._scores(items, missing)
        evaluations = []
        for item in items:
            self._words_and_categories(item)
            if (evaluation := _evaluation(item)) is not None:
                evaluations.append(evaluation)
        problems = [problem for item in items for problem in item.problems]
        problems += [
            Problem(key=key, message="is not there: the reply is cut off before it")
            for key in missing
        ]
        if not items:
            names = ", ".join(_json(key) for key in self.candidates.keys[:10])
            problems.append(Problem(message=f"it evaluates none of {names}"))
        elif partial and problems and whose_weight:
            problems.append(
                Problem(
                    message=f"no part of it is taken: the endorsement_weight of {whose_weight} "
                    "cannot be read, and every score is a share of the sum of all weights"
                )
            )
        taken = not problems or (partial and not whose_weight)
        return ReplyReading(
            evaluations=tuple(evaluations) if taken else (),
            repairs=tuple(self.repairs),
            problems=tuple(problems),
            left_out=tuple(self.left_out),
            not_evaluated=not_evaluated,
        )

    def _repaired(self, message: str, node: Node) -> None:
        self.repairs.append(Repair(message, node.line, node.column))

    def _item(self, item: _Item, key: str | None) -> _Item | None:
        """Find whom an evaluation is about; None where it is left out."""
        node = item.node
        if not isinstance(node.value, dict):
            item.problem("", f"is {_json(node.plain())}, and not an object")
            return item
        for name, inner in node.value.items():
            field = _word(name)
            if field not in _FIELDS:
                item.read[name] = inner.plain()
            elif field in item.fields:
                item.problem(field, "stands there twice", inner)
            else:
                item.fields[field] = inner
                if field != name:
                    self._repaired(f"{_json(name)} for {field}", inner)
        named = item.fields.get("agent_id")
        asked = key if named is None else named.value
        if not isinstance(asked, str):
            keys = ", ".join(_json(known) for known in self.candidates.keys[:10])
            item.problem("agent_id", _missing_or(named, f"one of {keys}"), named)
            return item
        try:
            found = self.candidates.find(asked)
            if key is not None and found != self.candidates.find(key):
                item.problem("agent_id", f"is {_json(asked)}, under {_json(key)}", named)
                return item
        except NotFoundError as error:
            item.problem("agent_id", f"does not say who is meant: {error}", named)
            return item
        if found is None and (meant := self.candidates.nearly(asked)) is not None:
            # Left out, it would change the others' shares.
            item.problem("agent_id", f"is {_json(asked)}, and the key is {_json(meant)}", named)
            return item
        if found is None or found == self.candidates.own:
            whose = "which is no candidate" if found is None else "the evaluator itself"
            self.left_out.append(f"{place_text(node.line)}{_json(asked)}, {whose}")
            return None
        item.key = found
        if found != asked:
            self._repaired(f"{_json(asked)} for {_json(found)}", node)
        if not node.closed:
            item.problem("", "is not whole: the reply is cut off within it")
        return item

    def _each_once(self, items: Sequence[_Item]) -> list[_Item]:
        """Leave out what stands there twice, and name what differs."""
        firsts: dict[str, tuple[_Item, str]] = {}
        kept = []
        for item in items:
            if item.key is None:
                kept.append(item)
                continue
            written = json.dumps(item.node.plain(), sort_keys=True)
            first, first_written = firsts.setdefault(item.key, (item, written))
            if first is item:
                kept.append(item)
            elif first_written == written:
                self._repaired(f"the same evaluation of {_json(item.key)} twice", item.node)
            else:
                first.problem("", "is evaluated twice, and differently", item.node)
                first.doubtful = True
        return kept

    def _scores(self, items: Sequence[_Item], missing: Sequence[str]) -> str:
        """Read the weights or the scores; say whose weight is not known, of those in the sum."""
        if any("score" in item.fields for item in items) and not any(
            "endorsement_weight" in item.fields for item in items
        ):
            for item in items:
                if isinstance(item.node.value, dict):
                    self._number(item, "score", item.fields, SCORES)
            return ""
        unknown: list[str] = []
        total = 0.0
        for item in items:
            if "score" in item.fields:
                message = "does not stand beside endorsement_weight: give the weights alone"
                item.problem("score", message, item.fields["score"])
            if isinstance(item.node.value, dict):
                self._number(item, "endorsement_weight", item.fields, WEIGHTS)
            if item.key is None or item.doubtful or "endorsement_weight" not in item.read:
                unknown.append(item.name if item.key is None else _json(item.key))
            else:
                total += abs(item.read["endorsement_weight"])
        for item in items:
            if "endorsement_weight" in item.read:
                weight = item.read["endorsement_weight"]
                item.read["score"] = weight / total if total else 0.0
        unknown += map(_json, missing)
        return ", ".join(unknown[:10])

    def _words_and_categories(self, item: _Item) -> None:
        fields = item.fields
        if not isinstance(item.node.value, dict) or not item.node.closed:
            # What it lacks is said already.
            return
        justification = fields.get("justification")
        if justification is None or not isinstance(justification.value, str):
            item.problem("justification", _missing_or(justification, "a text"), justification)
        else:
            item.read["justification"] = justification.value
        self._known_word(item, "stance", fields, STANCES)
        claims = fields.get("claim_assessments")
        if claims is None or not isinstance(claims.value, list):
            wanted = "a list, which may be empty"
            item.problem("claim_assessments", _missing_or(claims, wanted), claims)
        else:
            item.read["claim_assessments"] = [
                self._claim(item, number, claim) for number, claim in enumerate(claims.value)
            ]
        categories = fields.get("category_scores")
        if categories is None or not isinstance(categories.value, dict):
            wanted = f"an object of {', '.join(CATEGORY_NAMES)}"
            item.problem("category_scores", _missing_or(categories, wanted), categories)
        else:
            self._categories(item, categories)

    def _categories(self, item: _Item, categories: Node) -> None:
        given: dict[str, Node] = {}
        read: dict[str, Any] = {}
        for name, inner in categories.value.items():
            category = _word(name)
            if category not in CATEGORY_NAMES:
                number = isinstance(inner.value, int | float) and not isinstance(inner.value, bool)
                if not number and inner.value is not None:
                    wrong = f"{_json(name)} {_missing_or(inner, 'a number')}"
                    item.problem("category_scores", wrong, inner)
                read[name] = inner.plain()
            elif category in given:
                item.problem(f"category_scores.{category}", "stands there twice", inner)
            else:
                given[category] = inner
                if category != name:
                    self._repaired(f"{_json(name)} for {category}", inner)
        for category in CATEGORY_NAMES:
            self._number(item, category, given, CATEGORY_SCORES, within="category_scores", to=read)
        item.read["category_scores"] = read

    def _claim(self, item: _Item, number: int, node: Node) -> dict[str, Any]:
        field = f"claim_assessments[{number}]"
        if isinstance(node.value, str):
            self._repaired(f"{field} without a verdict: unverified", node)
            return {"claim": node.value, "verdict": "unverified"}
        if not isinstance(node.value, dict):
            item.problem(field, f"is {_json(node.plain())}, and not an object", node)
            return {}
        read = {}
        known: dict[str, Node] = {}
        for name, inner in node.value.items():
            if (word := _word(name)) in ("claim", "verdict") and word not in known:
                known[word] = inner
                if word != name:
                    self._repaired(f"{_json(name)} for {word}", inner)
            else:
                read[name] = inner.plain()
        claim, verdict = known.get("claim"), known.get("verdict")
        if claim is None or not isinstance(claim.value, str):
            item.problem(f"{field}.claim", _missing_or(claim, "a text"), claim)
        else:
            read["claim"] = claim.value
        if verdict is None or verdict.value is None:
            self._repaired(f"{field} without a verdict: unverified", node)
            read["verdict"] = "unverified"
        else:
            self._known_word(item, "verdict", known, VERDICTS, within=field, to=read)
        return read

    def _known_word(
        self,
        item: _Item,
        name: str,
        fields: Mapping[str, Node],
        known: Sequence[str],
        *,
        within: str = "",
        to: dict[str, Any] | None = None,
    ) -> None:
        node = fields.get(name)
        value = None if node is None else node.value
        word = _word(value) if isinstance(value, str) else None
        if node is None or word not in known:
            field = f"{within}.{name}" if within else name
            item.problem(field, _missing_or(node, f"one of {', '.join(known)}"), node)
            return
        if word != value:
            self._repaired(f"{_json(value)} for {word}", node)
        (item.read if to is None else to)[name] = word

    def _number(
        self,
        item: _Item,
        name: str,
        fields: Mapping[str, Node],
        bounds: tuple[int, int],
        *,
        within: str = "",
        to: dict[str, Any] | None = None,
    ) -> None:
        node = fields.get(name)
        value = None if node is None else node.value
        if isinstance(value, str) and (number := read_number(value.strip(" "))) is not None:
            value = number[0]
            assert node is not None, "it has a value"
            self._repaired(f"the number {value!r} as a text", node)
        if (
            node is None
            or isinstance(value, bool)
            or not isinstance(value, (int, float))
            or not bounds[0] <= value <= bounds[1]
        ):
            field = f"{within}.{name}" if within else name
            wanted = f"a number from {bounds[0]} to {bounds[1]}"
            item.problem(field, _missing_or(node, wanted), node)
            return
        (item.read if to is None else to)[name] = value


def _evaluation(item: _Item) -> KeyedEvaluation | None:
    if item.problems or item.key is None:
        return None
    try:
        return KeyedEvaluation(item.key, read_record(Evaluation, item.read))
    except RecordError as error:
        field, _, reason = str(error).partition(": ")
        item.problem(field.removeprefix("$."), reason)
        return None


def _word(text: str) -> str:
    """Write a word without regard to case and spacing."""
    return _SPACING.sub("_", text.strip(" \t\r\n")).lower()


def _json(value: object) -> str:
    """Write a value for a message as JSON has it, made visible and cut."""
    written = visible(json.dumps(value, ensure_ascii=False, default=str))
    return written if len(written) <= _LONGEST_VALUE else f"{written[: _LONGEST_VALUE - 1]}…"


def _missing_or(node: Node | None, wanted: str) -> str:
    if node is None:
        return f"is missing; it is {wanted}"
    return f"is {_json(node.plain())}, and not {wanted}"
