"""`%run_evaluations`, in a shell of its own."""

import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

from shape_magic.experiments import EvaluationRun
from shape_magic.prompting.template import EvaluationTemplate
from tests.experiments import fill_rounds, judge
from tests.shells import run


@pytest.fixture
def rounds(shell: InteractiveShell) -> InteractiveShell:
    """A shell whose deliberation has three rounds, with two judges and a template."""
    fill_rounds(run(shell, "%deliberation"), 3)
    default = EvaluationTemplate.default()
    shell.push(
        {
            "eve": judge(),
            "panel": {"Lee": judge("length"), "Moe": judge("first")},
            "terse": default.replace(name="terse", conciseness="Whether it is short."),
            "default": default,
            "another": "Another `queue`.",
            "number": 7,
        }
    )
    return shell


def test_run_evaluations__asks_the_judges_that_variables_hold(rounds: InteractiveShell) -> None:
    done = run(rounds, "%run_evaluations eve panel --no-progress -o done")
    assert isinstance(done, EvaluationRun)
    assert rounds.user_ns["done"] is done
    assert [(arm.judge, arm.taken) for arm in done.arms] == [
        (name, 3) for name in ("eve", "Lee", "Moe") for _ in range(2)
    ]
    assert len(run(rounds, "%deliberation").evaluations_frame()) == 3 * 3 * 2 * 3


def test_run_evaluations__options_reach_the_run(rounds: InteractiveShell) -> None:
    line = "%run_evaluations eve --rounds 1 3 --templates default terse --trials 2 --no-progress"
    dry = run(rounds, f"{line} --dry-run")
    assert (dry.dry_run, dry.calls) == (True, 8)
    limited = run(rounds, f"{line} --limit 3 --concurrency 1")
    assert (limited.calls, limited.left) == (3, 5)
    named = run(rounds, f"{line} --named --seed 4 --task another")
    assert named.calls == 8
    prompt = run(rounds, "%deliberation").prompts()[-1]
    assert (prompt.keys, prompt.task, prompt.seed) != ([], "", None)
    assert (prompt.anonymous, prompt.task, prompt.seed, prompt.template) == (
        False,
        "Another `queue`.",
        4,
        "terse",
    )


def test_run_evaluations__history__reaches_the_rounds_before(rounds: InteractiveShell) -> None:
    run(rounds, "%run_evaluations eve --named --history --templates default --no-progress")
    prompts = run(rounds, "%deliberation").prompts()
    assert [len(prompt.earlier) for prompt in prompts] == [0, 3, 6]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("eve --history", "--history shows who proposed what in earlier rounds; give --named"),
        ("", "arguments are required: NAME"),
        ("pannel", "there is no variable 'pannel' in this session; did you mean panel?"),
        ("number", "the judge 'number' is no callable"),
        ("panel panel", "two judges are called 'Lee'"),
        ("eve --templates number", "a template is an EvaluationTemplate, not 7"),
        ("eve --task number", "--task number is of type int; a task is a str"),
        ("eve --rounds 9", "there is no round 9"),
        ("eve --trials 0", "trials is 0"),
    ],
)
def test_run_evaluations__bad_usage__is_one_line(
    rounds: InteractiveShell, line: str, message: str
) -> None:
    with pytest.raises(UsageError) as raised:
        run(rounds, f"%run_evaluations {line}")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)
