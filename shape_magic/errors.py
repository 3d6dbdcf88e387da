"""The errors of the package: one base, and a built-in ancestor each."""

__all__ = [
    "AnalyzerError",
    "AnalyzerWarning",
    "ArgumentError",
    "EvaluationExistsError",
    "FileRefusedError",
    "FrameError",
    "FrameWarning",
    "JudgeError",
    "MeasurementError",
    "MissingExtraError",
    "NotFoundError",
    "RecordError",
    "RemovalError",
    "ReplyError",
    "SelectionError",
    "ShapeMagicError",
    "StoreError",
    "TemplateError",
    "TranscriptError",
    "TranscriptWarning",
    "UnkeptRepliesError",
    "WorkersLostError",
]


class ShapeMagicError(Exception):
    """The base of every error that the package raises of its own."""


class AnalyzerError(ShapeMagicError, ValueError):
    """An analyzer that cannot be registered, or a kind that no analyzer has."""


class AnalyzerWarning(UserWarning):
    """An analyzer failed or could not be loaded, and the next one answered in its place."""


class MeasurementError(ShapeMagicError, ValueError):
    """What an analyzer answered does not fit its text; the message begins with the field."""


class RecordError(ShapeMagicError, ValueError):
    """A wire record that cannot be read; the message begins with the field."""


class TranscriptError(RecordError):
    """A transcript that cannot be read; the message names the file and the line."""


class TranscriptWarning(UserWarning):
    """Part of a transcript, or of another deliberation, was not taken; the message says what."""


class ArgumentError(ShapeMagicError, ValueError):
    """An argument that a call cannot take; the message names the choices."""


class NotFoundError(ShapeMagicError, LookupError):
    """No such agent, round or version, or more than one; the message names those there are."""


class EvaluationExistsError(ShapeMagicError, ValueError):
    """The evaluator has evaluated this version of the proposal before."""


class StoreError(ShapeMagicError, OSError):
    """A deliberation's file cannot be opened, read or written; what it held before is intact."""


class UnkeptRepliesError(StoreError):
    """Replies of judges came, and could not be kept, as on a full disk: `replies` has them."""

    def __init__(self, message: str, *, replies: tuple[object, ...] = ()) -> None:
        super().__init__(message)
        self.replies = replies


class FileRefusedError(StoreError):
    """A place where no deliberation can be, or another kind of file, which is left as it is."""


class WorkersLostError(ShapeMagicError, RuntimeError):
    """An executor failed while it measured many texts: a worker was killed, a cluster went away.

    `delivered` is how many measurements had been handed over before, so that the rest can be
    asked for again: `itertools.islice(texts, error.delivered, None)`.
    """

    def __init__(self, message: str, *, delivered: int = 0) -> None:
        super().__init__(message)
        self.delivered = delivered


class FrameError(ShapeMagicError, ValueError):
    """A data frame that lacks a column, or holds what cannot be analysed."""


class FrameWarning(UserWarning):
    """A data frame whose rows are not all comparable; the message says why."""


class JudgeError(ShapeMagicError, RuntimeError):
    """A judge that gave no reply: what came from its model was cut short, or was no reply."""


class MissingExtraError(ShapeMagicError, ImportError):
    """Something that needs an extra of the package which is not installed."""


class ReplyError(ShapeMagicError, ValueError):
    """A model's reply that cannot be taken as evaluations; `problems` has one line for each."""

    def __init__(self, message: str, *, problems: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.problems = problems


class TemplateError(ShapeMagicError, ValueError):
    """A template of an evaluation prompt that cannot be; the message names the field."""


class RemovalError(ShapeMagicError, ValueError):
    """Lines that cannot be left out of a text, as half of a JSON field cannot."""


class SelectionError(ShapeMagicError, ValueError):
    """A selection that is no range of the lines that a view shows."""
