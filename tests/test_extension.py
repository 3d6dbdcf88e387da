import gc
import warnings
import weakref
from pathlib import Path
from typing import Any, cast

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

from shape_magic import Measurement, Proposal
from shape_magic.notebook.display import DISPLAYED
from shape_magic.notebook.magics import MAGICS
from tests.shells import extension, new_shell, reply_of, run


def names(shell: InteractiveShell) -> list[str]:
    """Give the names of all magics there are."""
    return [name for magics in shell.magics_manager.magics.values() for name in magics]


def traces(shell: InteractiveShell) -> dict[str, int]:
    """Count everything that loading leaves in a shell."""
    ours = {container.__name__ for container in MAGICS}
    formatter = cast(Any, shell.display_formatter).mimebundle_formatter
    return {
        "magics": sum(
            getattr(function, "__module__", "").startswith("shape_magic")
            for magics in shell.magics_manager.magics.values()
            for function in magics.values()
        ),
        "containers": sum(name in ours for name in shell.magics_manager.registry),
        "configurables": sum(
            type(configurable).__name__ in ours for configurable in shell.configurables
        ),
        "callbacks": sum(
            getattr(callback, "__module__", "").startswith("shape_magic")
            for callbacks in shell.events.callbacks.values()
            for callback in callbacks
        ),
        "matchers": sum(
            getattr(matcher, "__module__", "").startswith("shape_magic")
            for matcher in shell.Completer.custom_matchers
        ),
        "displays": sum(shown in formatter.type_printers for shown in DISPLAYED),
        "names": sum("shape_magic" in name for name in vars(shell)),
    }


def test_unload__takes_all_of_it_out(shell: InteractiveShell) -> None:
    loaded = traces(shell)
    assert all(loaded.values()), loaded
    run(shell, "%unload_ext shape_magic")
    assert not any(traces(shell).values()), traces(shell)
    run(shell, "%load_ext shape_magic")
    assert traces(shell) == loaded


def test_reload__leaves_no_second_copy(shell: InteractiveShell) -> None:
    loaded = traces(shell)
    for _ in range(3):
        extension(shell, "reload")
    assert traces(shell) == loaded


RELOADS = ["%reload_ext shape_magic", "import shape_magic as m; m.load_ipython_extension(_shell)"]


@pytest.mark.parametrize("reload", RELOADS)
@pytest.mark.parametrize("path", ["", "kept.db"])
def test_reload__goes_on_with_the_deliberation_and_what_was_prompted(
    shell: InteractiveShell, tmp_path: Path, path: str, reload: str
) -> None:
    shell.user_ns["_shell"] = shell
    run(shell, f"%deliberation {path and tmp_path / path}")
    run(shell, "%%shape A\nfirst\n")
    run(shell, "%evaluation_prompt")
    loaded = traces(shell)
    for _ in range(2):
        run(shell, reload)
    assert traces(shell) == loaded
    assert run(shell, "%deliberation").path == (tmp_path / path if path else None)
    assert run(shell, "%%shape A\nsecond\n").version == 2
    taken = run(shell, f"%%evaluate Judge\n{reply_of('A')}\n")
    assert [evaluated.version for evaluated in taken.evaluations] == [1]


def test_unload__lets_go_of_the_deliberation(shell: InteractiveShell) -> None:
    kept = shell.run_line_magic("deliberation", "")
    database = weakref.ref(kept._store.database)
    run(shell, "%%shape A -o proposal\nx\n")
    run(shell, "%unload_ext shape_magic")
    # A variable of the user's may hold it, and then it goes on.
    assert kept.agents() == ["A"]
    run(shell, "%load_ext shape_magic")
    assert run(shell, "%deliberation").agents() == []
    del kept
    gc.collect()
    assert database() is None


def test_unload__leaves_a_magic_that_another_extension_put_in_its_place(
    shell: InteractiveShell,
) -> None:
    def other(line: str) -> str:
        return "other"

    cast(Any, shell).register_magic_function(other, "line", "shape")
    extension(shell, "unload")
    assert run(shell, "%shape x") == "other"
    del shell.magics_manager.magics["line"]["shape"]
    extension(shell, "load")


def test_load__two_shells_share_nothing(tmp_path_factory: pytest.TempPathFactory) -> None:
    seen = []
    for _ in range(2):
        with new_shell(tmp_path_factory.mktemp("home")) as shell:
            proposal = run(shell, "%%shape A\nx\n")
            seen.append((proposal.round, proposal.version))
    assert seen == [(1, 1), (1, 1)]


def completions(shell: InteractiveShell, line: str) -> list[str]:
    with provisionalcompleter(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        offered = list(shell.Completer.completions(line, len(line)))
    return [line[: completion.start] + completion.text for completion in offered]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%%shape --thou", ["%%shape --thoughts"]),
        ("%%shape Cand", ["%%shape Candidate_A"]),
        ("%%shape --analyzer j", ["%%shape --analyzer json"]),
        ("%%shape A --thoughts reas", ["%%shape A --thoughts reasoning"]),
        ("%shape reas", ["%shape reasoning"]),
        ("%shape --f", ["%shape --file"]),
        ("%%shape 'Two w", ["%%shape 'Two words (x)'"]),
    ],
)
def test_completion__offers_options_ids_kinds_and_variables(
    shell: InteractiveShell, line: str, expected: list[str]
) -> None:
    shell.user_ns["reasoning"] = "because"
    run(shell, "%%shape Candidate_A\nx\n")
    run(shell, "%%shape 'Two words (x)'\nx\n")
    assert completions(shell, line) == expected


def test_completion__leaves_other_magics_alone(shell: InteractiveShell) -> None:
    lines = ["%time pri", "%%timeit --", "pri", "%shapes pri", "%sha"]
    with_ours = [completions(shell, line) for line in lines]
    extension(shell, "unload")
    without = [completions(shell, line) for line in lines[:-1]]
    extension(shell, "load")
    assert with_ours[:-1] == without
    assert any(without)
    assert "%shape" in with_ours[-1]


def test_display__shows_measurements_and_proposals_by_their_bundle(shell: InteractiveShell) -> None:
    for cell in ("%%shape\n# A\n", "%%shape A\n# A\n"):
        value = run(shell, cell)
        assert isinstance(value, Measurement | Proposal)
        formatter: Any = shell.display_formatter
        data, _ = formatter.format(value)
        assert data["text/plain"].startswith("<candidate id=")
        assert "Source, 1 line" in formatter.mimebundle_formatter(value)[0]["text/html"]
