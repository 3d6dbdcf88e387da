"""The template of an evaluation prompt: each section's words, and what of the shape is shown."""

import difflib
import hashlib
import json
import os
from typing import Any, Final

import msgspec

from shape_magic.errors import TemplateError
from shape_magic.files import file_path
from shape_magic.vocabulary import CATEGORIES
from shape_magic.wording import nearest, quoted, visible

__all__ = ["EvaluationTemplate"]

_FORMAT: Final = "shape_magic.evaluation_template/1"
_MEANINGS: Final = {category.name: category.meaning for category in CATEGORIES}


class EvaluationTemplate(msgspec.Struct, frozen=True, kw_only=True):
    """How an evaluation prompt is worded, under a name that stands for this wording alone.

    A section's text is written as it is, braces and tags included; an empty one is left out. What
    is generated (the task, the legend, the candidates, calls of tools, the reply's fields and
    ranges) stands between them.

    >>> template = EvaluationTemplate.default()
    >>> print(template.difference(template.replace(name="short", task="Q:", show_outline=False)))
    name: default -> short
    task:
    - TASK:
    + Q:
    show_outline: True -> False
    """

    name: str
    task: str
    """Before the task."""
    legend: str
    """Before what the attributes and anchors mean."""
    criteria: str
    """Before the categories."""
    correctness: str
    completeness: str
    novelty: str
    feasibility: str
    evidence_quality: str
    conciseness: str
    """What each category means."""
    conciseness_rules: str
    """What holds for conciseness whatever is shown."""
    conciseness_by_shape: str
    """What makes sense beside attributes alone."""
    weight: str
    """What an endorsement weight of -100, 0 and +100 means."""
    tools: str
    """Before the calls of the two tools."""
    tools_by_line: str
    """Before the calls by line, which make sense beside line numbers alone."""
    own_proposal: str
    """Before the evaluator's own proposal."""
    candidates: str
    """Before the candidates."""
    guarded: str
    """Said where one of the prompt's own tags was guarded in what an agent wrote."""
    reply: str
    """Before the example of the reply."""
    reply_end: str
    """After the reply's fields."""
    show_attributes: bool = True
    """Whether candidates carry the eight attributes."""
    show_outline: bool = True
    """Whether candidates carry their outline."""
    show_legend: bool = True
    """Whether the attributes and anchors that are shown are explained."""
    show_line_numbers: bool = True
    """Whether the tools number lines and read by line."""

    def __post_init__(self) -> None:
        for field in msgspec.structs.fields(type(self)):
            value = getattr(self, field.name)
            if not isinstance(value, field.type):
                wanted = "True or False" if field.type is bool else "a text"
                raise TemplateError(f"{field.name} is {wanted}, not {quoted(value)}")
        if not self.name:
            raise TemplateError("name is empty; a template is named by at least one character")

    @classmethod
    def default(cls) -> "EvaluationTemplate":
        """Give the template that is used where none is named."""
        return _DEFAULT

    def replace(self, **changes: Any) -> "EvaluationTemplate":
        """Give a variant; TemplateError for an unknown field or a wrong value.

        Without a name of its own it is called after this one and its wording's digest.
        """
        unknown = changes.keys() - set(self.__struct_fields__)
        if unknown:
            raise _unknown_field(sorted(unknown)[0])
        changed = msgspec.structs.replace(self, **changes)
        if "name" in changes or changed.digest == self.digest:
            return changed
        return msgspec.structs.replace(changed, name=f"{self.name}-{changed.digest[:8]}")

    def without_shape(self) -> "EvaluationTemplate":
        """Give the control: the same text, less all that is measured and what speaks of it.

        >>> EvaluationTemplate.default().without_shape().name
        'default-without-shape'
        """
        return self.replace(
            name=f"{self.name}-without-shape",
            show_attributes=False,
            show_outline=False,
            show_legend=False,
            show_line_numbers=False,
        )

    @property
    def digest(self) -> str:
        """The digest of the wording, whatever its name."""
        return hashlib.sha256(self._content().encode()).hexdigest()

    def _content(self) -> str:
        fields = msgspec.structs.asdict(self)
        del fields["name"]
        return json.dumps(fields, sort_keys=True)

    def to_text(self) -> str:
        """Write the template as JSON, a field a line, that `from_text` reads back equal."""
        return json.dumps({"format": _FORMAT, **msgspec.structs.asdict(self)}, indent=2) + "\n"

    @classmethod
    def from_text(cls, text: str) -> "EvaluationTemplate":
        """Read what `to_text` wrote; TemplateError names the field and the reason."""
        try:
            fields = json.loads(text)
        except RecursionError:
            raise TemplateError("no template: it nests too deeply") from None
        except ValueError as error:
            raise TemplateError(f"no template: {_fault(error)}") from None
        if not isinstance(fields, dict) or fields.get("format") != _FORMAT:
            given = fields.get("format") if isinstance(fields, dict) else None
            raise TemplateError(f"no template: format is {_FORMAT!r}, not {quoted(given)}")
        del fields["format"]
        for name in fields:
            if name not in cls.__struct_fields__:
                raise _unknown_field(name)
        for name in cls.__struct_fields__:
            if name not in fields:
                raise TemplateError(f"{name} is missing")
        return cls(**fields)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the template to a file; OSError where that cannot be written."""
        file_path(path).write_text(self.to_text(), encoding="utf-8")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "EvaluationTemplate":
        """Read a template from a file; OSError where it cannot be read."""
        data = file_path(path).read_bytes()
        try:
            return cls.from_text(data.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise TemplateError(f"{quoted(str(path))} is not UTF-8: {error.reason}") from None
        except TemplateError as error:
            raise TemplateError(f"{quoted(str(path))}: {error}") from None

    def difference(self, other: "EvaluationTemplate") -> str:
        """Say field by field what another template has in place of this one's; empty if alike."""
        parts = []
        for field in msgspec.structs.fields(type(self)):
            mine, others = getattr(self, field.name), getattr(other, field.name)
            if mine == others:
                continue
            if field.name == "name" or field.type is bool:
                parts.append(f"{field.name}: {visible(str(mine))} -> {visible(str(others))}")
                continue
            compared = difflib.ndiff(mine.split("\n"), others.split("\n"))
            parts.append(f"{field.name}:")
            parts += [visible(line) for line in compared if not line.startswith("? ")]
        return "\n".join(parts)


def _fault(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"it is no JSON from line {error.lineno}, character {error.colno} on"
    return "a number in it is too long"


def _unknown_field(name: str) -> TemplateError:
    fields = ", ".join(nearest(name, EvaluationTemplate.__struct_fields__)[:3])
    return TemplateError(f"a template has no field {quoted(name)}; the nearest are {fields}")


_DEFAULT: Final = EvaluationTemplate(
    name="default",
    task="TASK:",
    legend="Each candidate carries a measured summary of its final solution's shape.",
    criteria="Score each candidate in six categories, each from -100 to 100:",
    correctness=_MEANINGS["correctness"],
    completeness=_MEANINGS["completeness"],
    novelty=_MEANINGS["novelty"],
    feasibility=_MEANINGS["feasibility"],
    evidence_quality=_MEANINGS["evidence_quality"],
    conciseness=_MEANINGS["conciseness"],
    conciseness_rules=(
        "Conciseness is relative to this round's field: compare a candidate with the others here. "
        "A near-empty solution is incomplete, and incomplete is not concise."
    ),
    conciseness_by_shape=(
        "Judge it from the numbers that a candidate carries and not from an impression of length: "
        "a short lead and much structure beat the same chars of undifferentiated prose."
    ),
    weight=(
        "Then weigh each candidate as a whole, as its endorsement_weight:\n"
        "- -100: it would do harm, or is wrong throughout; the round is better off without it.\n"
        "- 0: it neither helps nor harms, or you cannot tell.\n"
        "- 100: adopt it as it stands.\n"
        "What you give to one candidate counts against what you give to the others: a vote is the "
        "weight's share of the sum of all your weights, whatever their signs."
    ),
    tools="Check what you doubt before you score it:",
    tools_by_line="Check a suspicion about the shape by line:",
    own_proposal=(
        "You have proposed in this round, too. Your own proposal is here as a baseline; it is no "
        "candidate, and nobody evaluates itself:"
    ),
    candidates="The candidates:",
    guarded=(
        "Where an agent wrote one of this prompt's own tags or headings, its `<` stands here as "
        "`&lt;` and its `:` as `&#58;`; all else stands to the letter."
    ),
    reply="Reply with one JSON object and nothing else, with one evaluation for each candidate:",
    reply_end="",
)
