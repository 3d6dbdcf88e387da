"""One run of judges: what is asked next, how its reply is kept, and how it is read."""

import shutil
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import msgspec

from shape_magic.deliberation import Deliberation
from shape_magic.deliberation.agents import known_as
from shape_magic.deliberation.prompts import EvaluationPrompt
from shape_magic.deliberation.store import KeptReply
from shape_magic.errors import (
    JudgeError,
    ReplyError,
    ShapeMagicError,
    StoreError,
    UnkeptRepliesError,
)
from shape_magic.experiments.again import asked_again
from shape_magic.experiments.calls import Calls, Outcome
from shape_magic.experiments.claims import Call, claims_of
from shape_magic.experiments.reply import reply_text
from shape_magic.experiments.report import ArmReport, EvaluationRun, FailedEvaluation
from shape_magic.progress import progress_bar
from shape_magic.prompting.template import EvaluationTemplate
from shape_magic.wording import plural, quoted

__all__ = ["Asking", "Task"]

ASKED: Final = 3
"""How often a judge is asked for one reply that can be taken."""
ERRORS_IN_A_ROW: Final = 5
"""After how many calls in a row that raise a judge is asked no more in a run."""
ROOM: Final = 16_000_000
"""Bytes that the disk must have left before a call is made: many times what replies take."""

_BAR_AFTER: Final = 1.0
"""Seconds after which a progress bar shows."""


class Task(msgspec.Struct, eq=False):
    """One reply that is wanted: of a judge, about a round, under a template."""

    judge: str
    round: int
    template: EvaluationTemplate
    trial: int
    prompt: EvaluationPrompt | None = None
    """Made when its turn comes."""

    @property
    def arm(self) -> tuple[str, str]:
        return self.judge, self.template.name


class Asking:
    """One call of `run_evaluations`: judges, and how they are asked."""

    def __init__(
        self,
        deliberation: Deliberation,
        judges: Mapping[str, Callable[..., Any]],
        *,
        anonymous: bool,
        history: bool,
        seed: int,
        task: str | None,
        concurrency: int,
        limit: int | None,
    ) -> None:
        self.deliberation = deliberation
        self.store = deliberation._store
        self.claims = None if deliberation.path is None else claims_of(deliberation.path)
        self.judges = judges
        self.anonymous, self.history, self.seed, self.task = anonymous, history, seed, task
        self.concurrency, self.limit = concurrency, limit
        self.arms: dict[tuple[str, str], ArmReport] = {}
        self.failures: list[FailedEvaluation] = []
        self.notes: list[str] = []
        self.errors_in_a_row: Counter[str] = Counter()
        self.unkept: list[Outcome] = []
        self.calls_made = 0
        self.elsewhere = 0

    def dry(self, tasks: Sequence[Task]) -> EvaluationRun:
        """Count what a run would ask."""
        for task in tasks:
            self._count(task, prompts=1)
            prompt = self._prompt(task, keep=False)
            kept = self._kept(prompt.digest, task)
            if any(reply.outcome == "taken" for reply in kept):
                self._count(task, taken=1)
            elif _failed(kept):
                self._count(task, failed=1)
            elif not any(reply.reply is not None and not reply.outcome for reply in kept):
                self._count(task, calls=1, characters=len(prompt.text))
        return EvaluationRun(arms=tuple(self.arms.values()), dry_run=True)

    def real(self, tasks: Sequence[Task], calls: Calls[Call], *, progress: bool) -> EvaluationRun:
        """Ask, and take in what comes."""
        for task in tasks:
            self._count(task, prompts=1)
        waiting = deque(tasks)
        asked: dict[Call, Task] = {}
        stopped: StoreError | None = None
        interrupted = False
        # What an earlier run left behind and has come since is kept, and found by its prompt.
        calls.arrived()
        with _bar(len(tasks), progress=progress) as settled:
            try:
                while True:
                    while waiting and stopped is None and len(asked) < self.concurrency:
                        try:
                            task = waiting.popleft()
                            call = self._next(task, calls, settled)
                        except StoreError as error:
                            stopped = error
                        else:
                            if call is not None:
                                asked[call] = task
                    if not asked:
                        break
                    key, outcome = calls.wait()
                    answered = asked.pop(key, None)
                    if outcome.unkept is not None:
                        self.unkept.append(outcome)
                        stopped = stopped or StoreError(str(outcome.unkept))
                    elif answered is not None:
                        try:
                            again = self._settle(answered, outcome, settled)
                        except StoreError as error:
                            stopped = error
                        else:
                            if again:
                                waiting.appendleft(answered)
            except KeyboardInterrupt:
                interrupted = True
        if self.elsewhere:
            self.notes.append(
                f"{plural(self.elsewhere, 'prompt')} left to another run, which is at it just now."
            )
        if self.unkept:
            raise UnkeptRepliesError(
                f"{len(self.unkept):,} replies came and could not be kept ({stopped}); "
                "they are this error's `replies`",
                replies=tuple(outcome.value for outcome in self.unkept),
            ) from stopped
        if stopped is not None:
            raise stopped
        return EvaluationRun(
            arms=tuple(self.arms.values()),
            failures=tuple(self.failures),
            interrupted=interrupted,
            notes=tuple(self.notes),
            deliberation=self.deliberation,
            rounds=tuple(sorted({task.round for task in tasks})),
        )

    def _count(self, task: Task, **more: float) -> None:
        judge, arm = task.arm
        before = self.arms.get(task.arm) or ArmReport(judge=judge, arm=arm)
        changed: dict[str, Any] = {name: getattr(before, name) + n for name, n in more.items()}
        self.arms[task.arm] = msgspec.structs.replace(before, **changed)

    def _prompt(self, task: Task, *, keep: bool) -> EvaluationPrompt:
        return self.deliberation.evaluation_prompt(
            task=self.task,
            round=task.round,
            evaluator=task.judge,
            template=task.template,
            anonymous=self.anonymous,
            history=self.history,
            seed=self.seed,
            trial=task.trial,
            keep=keep,
        )

    def _kept(self, digest: str, task: Task) -> list[KeptReply]:
        """Give the calls that were made for a task, the first one first."""
        replies = self.store.replies(prompt=digest, judge=task.judge)
        return sorted(
            (reply for reply in replies if reply.trial == task.trial),
            key=lambda reply: reply.attempt,
        )

    def _next(self, task: Task, calls: Calls[Call], settled: Callable[[], None]) -> Call | None:
        """Make the next call for a task; None where no call is left to make."""
        if task.prompt is None:
            task.prompt = self._prompt(task, keep=True)
        prompt = task.prompt
        kept = self._kept(prompt.digest, task)
        last = kept[-1] if kept else None
        taken = next((reply for reply in kept if reply.outcome == "taken"), None)
        if taken is not None and self._is_filed(task):
            self._count(task, taken=1)
            self._finish(task, settled)
            return None
        unread = last is not None and last.reply is not None and not last.outcome
        if taken is not None or unread:
            # The run ended before it was read, or what it evaluated was removed and proposed again.
            reply = taken or last
            assert reply is not None
            if not self._read(task, reply, settled):
                return None
            kept = self._kept(prompt.digest, task)
            last = kept[-1]
        if _failed(kept):
            assert last is not None
            self._fail(task, last.problems, settled)
            return None
        attempt = 1 if last is None else last.attempt + (last.outcome != "" or bool(last.error))
        call = (prompt.digest, task.judge, task.trial, attempt)
        if call in calls:
            # An interrupted run made it, and it is still under way.
            return call
        is_spent = self.limit is not None and self.calls_made >= self.limit
        if is_spent or self.errors_in_a_row[task.judge] >= ERRORS_IN_A_ROW:
            task.prompt = None
            return None
        self._check_room()
        if self.claims is not None and not self.claims.claim(call, calls):
            self.elsewhere += 1
            task.prompt = None
            return None
        try:
            if not self.store.start_reply(
                prompt.digest, task.judge, trial=task.trial, attempt=attempt
            ):
                # Another process has its reply: it is read in place of a call.
                return self._next(task, calls, settled)
            shown = prompt
            for refused in kept:
                if refused.outcome == "refused":
                    shown = asked_again(
                        prompt, reply=refused.reply or "", problems=refused.problems
                    )
            keep = partial(self._keep, call)
            calls.start(call, partial(self.judges[task.judge], shown), keep=keep)
        finally:
            if self.claims is not None and call not in calls:
                self.claims.release(call)
        self.calls_made += 1
        self._count(task, calls=1, characters=len(shown.text))
        return call

    def _is_filed(self, task: Task) -> bool:
        """Tell whether the judge has evaluated every candidate, as they stand now."""
        assert task.prompt is not None
        kept = self.store.prompt(task.prompt.digest)
        assert kept is not None, "it was made, or made again, just now"
        return all(
            known_as(
                task.judge,
                self.store.evaluators(candidate.row_id, arm=task.template.name, trial=task.trial),
            )
            for candidate in kept.candidates
            if candidate.place > 0 and candidate.row_id is not None
        )

    def _check_room(self) -> None:
        path = self.deliberation.path
        if path is None:
            return
        free = shutil.disk_usage(path.absolute().parent).free
        if free < ROOM:
            raise StoreError(
                f"{str(path)!r}: the disk has {free / 1e6:,.1f} MB left, and {ROOM / 1e6:,.0f} MB "
                "are wanted before a call is made, so that its reply can be kept"
            )

    def _keep(self, call: Call, outcome: Outcome) -> None:
        """Keep what a call gave, in the thread that made it."""
        try:
            self._keep_reply(call, outcome)
        finally:
            if self.claims is not None:
                self.claims.release(call)

    def _keep_reply(self, call: Call, outcome: Outcome) -> None:
        digest, judge, trial, attempt = call
        reply, usage, error = None, None, outcome.error
        if error is None:
            try:
                reply, usage = reply_text(outcome.value)
            except JudgeError as refused:
                error = refused
        self.store.keep_reply(
            digest,
            judge,
            trial=trial,
            attempt=attempt,
            reply=reply,
            usage=usage,
            seconds=outcome.seconds,
            error=None if error is None else f"{type(error).__name__}: {error}",
        )

    def _settle(self, task: Task, outcome: Outcome, settled: Callable[[], None]) -> bool:
        """Take in what a call gave; True where the judge is to be asked again."""
        assert task.prompt is not None
        last = self._kept(task.prompt.digest, task)[-1]
        usage = last.usage or {}
        self._count(
            task,
            seconds=outcome.seconds,
            **{name: usage.get(name, 0) for name in _TOKENS},
        )
        if last.error is not None:
            self.errors_in_a_row[task.judge] += 1
            if self.errors_in_a_row[task.judge] == ERRORS_IN_A_ROW:
                self.notes.append(
                    f"{quoted(task.judge)} raised {ERRORS_IN_A_ROW} times in a row, "
                    "and was asked no more."
                )
            self._fail(task, (last.error,), settled)
            return False
        self.errors_in_a_row[task.judge] = 0
        return self._read(task, last, settled)

    def _read(self, task: Task, kept: KeptReply, settled: Callable[[], None]) -> bool:
        """Read a reply that is kept; True where the judge is to be asked again."""
        assert task.prompt is not None
        assert kept.reply is not None
        close = partial(
            self.store.close_reply,
            kept.prompt,
            kept.judge,
            trial=kept.trial,
            attempt=kept.attempt,
        )
        with self.store.database.transaction():
            (now,) = [
                reply for reply in self._kept(kept.prompt, task) if reply.attempt == kept.attempt
            ]
            if now.outcome != kept.outcome:
                # Another process has read it in the meantime.
                return self._read_elsewhere(task, now, settled)
            try:
                evaluated = self.deliberation.evaluate(
                    task.judge,
                    kept.reply,
                    prompt=task.prompt,
                    arm=task.template.name,
                    replace=True,
                )
            except StoreError:
                raise
            except ShapeMagicError as error:
                problems = error.problems if isinstance(error, ReplyError) else (str(error),)
                refused = 1 + sum(
                    reply.outcome == "refused" for reply in self._kept(kept.prompt, task)
                )
                failed = refused >= ASKED or not isinstance(error, ReplyError)
                close(outcome="failed" if failed else "refused", problems=problems)
            else:
                close(outcome="taken", problems=evaluated.repairs)
                self._count(task, taken=1, repaired=bool(evaluated.repairs))
                self._finish(task, settled)
                return False
        if failed:
            self._fail(task, problems, settled)
        return not failed

    def _read_elsewhere(self, task: Task, kept: KeptReply, settled: Callable[[], None]) -> bool:
        if kept.outcome == "failed":
            self._fail(task, kept.problems, settled)
        elif kept.outcome == "taken":
            self._count(task, taken=1)
            self._finish(task, settled)
        return kept.outcome == "refused"

    def _fail(self, task: Task, problems: Iterable[str], settled: Callable[[], None]) -> None:
        assert task.prompt is not None
        self.failures.append(
            FailedEvaluation(
                judge=task.judge,
                arm=task.template.name,
                round=task.round,
                trial=task.trial,
                prompt=task.prompt.digest,
                problems=tuple(problems),
            )
        )
        self._count(task, failed=1)
        self._finish(task, settled)

    def _finish(self, task: Task, settled: Callable[[], None]) -> None:
        # Thousands of prompts need not stay in memory at once.
        task.prompt = None
        settled()


@contextmanager
def _bar(total: int, *, progress: bool) -> Iterator[Callable[[], None]]:
    """Give what is called for each prompt that is settled, and shows it where that is wanted."""
    if not progress:
        yield lambda: None
        return
    with progress_bar(total=total, unit="reply", delay=_BAR_AFTER) as bar:

        def settled() -> None:
            bar.update()

        yield settled


_TOKENS: Final = ("input_tokens", "output_tokens", "cached_tokens")


def _failed(kept: Sequence[KeptReply]) -> bool:
    return bool(kept) and kept[-1].outcome == "failed"
