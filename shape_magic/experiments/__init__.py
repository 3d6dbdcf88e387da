"""Experiments: evaluators that are asked by program, about every round and under every wording."""

from shape_magic.experiments.anthropic_judge import anthropic_judge
from shape_magic.experiments.openai_judge import openai_judge
from shape_magic.experiments.reply import Reply, ToolCall, Usage
from shape_magic.experiments.report import ArmReport, EvaluationRun, FailedEvaluation
from shape_magic.experiments.runs import run_evaluations

__all__ = [
    "ArmReport",
    "EvaluationRun",
    "FailedEvaluation",
    "Reply",
    "ToolCall",
    "Usage",
    "anthropic_judge",
    "openai_judge",
    "run_evaluations",
]
