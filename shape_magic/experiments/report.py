"""What a run came to: what was done, failed and used, by judge and arm."""

from typing import TYPE_CHECKING, Any, Final

import msgspec

from shape_magic.deliberation import Deliberation
from shape_magic.deliberation.matrix import DEFAULT_SCORE, Matrix
from shape_magic.extras import analysis_extra
from shape_magic.report import Report
from shape_magic.wording import one_line, plural

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ArmReport", "EvaluationRun", "FailedEvaluation"]

_NAMED: Final = 5
"""How many failures the text of a run names."""
_NAME: Final = 40
"""How many characters of a name the table shows."""


class ArmReport(msgspec.Struct, frozen=True, kw_only=True):
    """One judge under one template."""

    judge: str
    arm: str
    prompts: int = 0
    """How many prompts it is to reply to: one a round and trial."""
    taken: int = 0
    """How many of them have a reply that was taken, earlier runs included."""
    failed: int = 0
    """How many have none: the judge raised, or no reply could be taken."""
    repaired: int = 0
    """How many replies of this run were taken with repairs."""
    calls: int = 0
    """How often the judge was called in this run; in a dry run, how often it would be at least."""
    characters: int = 0
    """Characters of the prompts of those calls; the tools' answers come on top."""
    seconds: float = 0.0
    """How long those calls took, all together."""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0

    @property
    def left(self) -> int:
        """How many prompts have neither a reply nor a failure: they are still to be asked."""
        return self.prompts - self.taken - self.failed


class FailedEvaluation(msgspec.Struct, frozen=True, kw_only=True):
    """A prompt that has no reply that could be taken, and why."""

    judge: str
    arm: str
    round: int
    trial: int
    prompt: str
    """The prompt's digest."""
    problems: tuple[str, ...]

    def __str__(self) -> str:
        reasons = "; ".join(self.problems)
        return one_line(
            f"{self.judge}, {self.arm}, round {self.round}, trial {self.trial}: {reasons}",
            length=300,
        )


class EvaluationRun(msgspec.Struct, frozen=True, kw_only=True):
    """What `run_evaluations` did, or in a dry run would do; its text is a table."""

    arms: tuple[ArmReport, ...]
    failures: tuple[FailedEvaluation, ...] = ()
    dry_run: bool = False
    interrupted: bool = False
    notes: tuple[str, ...] = ()
    """What else there is to know: a judge that was asked no more, say."""
    deliberation: Deliberation | None = None
    """What was evaluated; None in a dry run."""
    rounds: tuple[int, ...] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        """Give what a copy or a pickle is made from: what was done, without the deliberation."""
        fields = {name: getattr(self, name) for name in self.__struct_fields__}
        return _made_again, ({**fields, "deliberation": None},)

    @property
    def matrix(self) -> Matrix | None:
        """The scores of its rounds, an arm a column, as they are now.

        None in a dry run, and where the deliberation is closed.
        """
        deliberation = self.deliberation
        if deliberation is None or deliberation.closed:
            return None
        arms, there = deliberation.arms(), deliberation.rounds()
        return deliberation.matrix(
            rounds=[number for number in self.rounds if number in there],
            arms=[arm for arm in dict.fromkeys(report.arm for report in self.arms) if arm in arms],
            score=DEFAULT_SCORE,
        )

    @property
    def calls(self) -> int:
        """How many calls were made, or would be."""
        return sum(arm.calls for arm in self.arms)

    @property
    def characters(self) -> int:
        """How many characters the prompts of those calls have."""
        return sum(arm.characters for arm in self.arms)

    @property
    def left(self) -> int:
        """How many prompts are still to be asked."""
        return sum(arm.left for arm in self.arms)

    def to_frame(self) -> "pd.DataFrame":
        """Give the table as a data frame, a row a judge and arm."""
        with analysis_extra():
            import pandas as pd
        return pd.DataFrame(
            [{**msgspec.structs.asdict(arm), "left": arm.left} for arm in self.arms]
        )

    def __repr__(self) -> str:
        """Show the same table as `str`."""
        return str(self)

    def __str__(self) -> str:
        """Write the table, then what failed and what is left."""
        return str(self._report())

    def _repr_html_(self) -> str:
        return self._report().html()

    def _report(self) -> Report:
        taken = sum(arm.taken for arm in self.arms)
        prompts = sum(arm.prompts for arm in self.arms)
        title = f"{taken:,} of {plural(prompts, 'prompt')} have a reply that was taken"
        sentences = []
        if self.dry_run:
            title = f"A dry run, nothing was asked: {title}"
            sentences.append(
                f"At least {plural(self.calls, 'call')}, with prompts of {self.characters:,} "
                "characters; answers of tools, and replies that are asked for again, come on top."
            )
        if self.interrupted:
            sentences.append("Interrupted: what came is kept, and so is what comes later.")
        if self.left and not self.dry_run:
            left = plural(self.left, "prompt")
            sentences.append(f"{left} left: the same call again goes on with what is left.")
        sentences += self.notes
        sentences += [f"Failed: {failure}" for failure in self.failures[:_NAMED]]
        if len(self.failures) > _NAMED:
            sentences.append(f"Failed: {len(self.failures) - _NAMED:,} more, in `.failures`")
        columns = ["prompts", "taken", "failed", "left", "calls"]
        columns += ["characters"] if self.dry_run else ["repaired", "seconds"]
        columns += [
            name
            for name in ("input_tokens", "output_tokens", "cached_tokens")
            if any(getattr(arm, name) for arm in self.arms)
        ]
        rows = [
            [
                one_line(arm.judge, length=_NAME),
                one_line(arm.arm, length=_NAME),
                *(f"{getattr(arm, name):,.0f}" for name in columns),
            ]
            for arm in self.arms
        ]
        return Report(title, ["judge", "arm", *columns], rows, sentences, texts=2)


def _made_again(fields: dict[str, Any]) -> EvaluationRun:
    return EvaluationRun(**fields)
