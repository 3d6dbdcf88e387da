"""What a value is displayed as, in a terminal and in a kernel, and what is kept for questions."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from IPython.core.interactiveshell import ExecutionInfo, InteractiveShell
from jupyter_client.manager import start_new_kernel

from shape_magic import measure
from shape_magic.notebook.link import KEPT, Subjects
from tests.shells import new_shell


def shown(shell: InteractiveShell, value: object) -> dict[str, Any]:
    formatter: Any = shell.display_formatter
    data: dict[str, Any] = formatter.format(value)[0]
    return data


def test_display__in_a_terminal_shows_no_library(capsys: pytest.CaptureFixture[str]) -> None:
    with TemporaryDirectory() as folder, new_shell(Path(folder)):
        pass
    assert capsys.readouterr().out == ""


def test_display__in_a_terminal_has_a_plain_form(shell: InteractiveShell) -> None:
    data = shown(shell, measure("a"))
    assert data.keys() == {"text/plain", "text/html"}
    assert data["text/plain"].startswith('<candidate id="candidate"')


# --- In a kernel


class Kernel:
    """A kernel that is asked as a notebook asks: with the id of the cell."""

    def __init__(self, client: Any) -> None:
        self.client = client

    def run(
        self, code: str, *, cell: str | None = None, shown: str = "execute_result"
    ) -> list[dict[str, Any]]:
        content = {
            "code": code,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": False,
            "stop_on_error": True,
        }
        metadata = {} if cell is None else {"cellId": cell}
        message = self.client.session.msg("execute_request", content, metadata=metadata)
        self.client.shell_channel.send(message)
        outputs = []
        while True:
            reply = self.client.get_iopub_msg(timeout=60)
            if reply["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                continue
            kind, content = reply["header"]["msg_type"], reply["content"]
            assert kind != "error", content
            if kind == shown:
                outputs.append(content["data"])
            if kind == "status" and content["execution_state"] == "idle":
                return outputs


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    manager, client = start_new_kernel()
    kernel = Kernel(client)
    kernel.run("%load_ext shape_magic")
    yield kernel
    client.stop_channels()
    manager.shutdown_kernel(now=True)


COUNT = "from ipywidgets.widgets.widget import _instances; len(_instances)"


def widgets(kernel: Kernel) -> int:
    return int(kernel.run(COUNT)[0]["text/plain"])


def test_kernel__shows_forms_that_need_no_kernel(kernel: Kernel) -> None:
    (data,) = kernel.run("%%shape Candidate_A\n# A\n", cell="first")
    assert data.keys() == {"text/html", "text/plain"}
    assert data["text/plain"].startswith('<candidate id="Candidate_A"')
    (again,) = kernel.run("%%shape Candidate_A\n# A\n", cell="first")
    assert again == data


def test_kernel__loading_shows_the_library_and_so_does_loading_again(kernel: Kernel) -> None:
    for magic in ("%load_ext", "%reload_ext", "%load_ext"):
        (data,) = kernel.run(f"{magic} shape_magic", cell="load", shown="display_data")
        assert data.keys() == {"text/html"}
        assert data["text/html"].startswith("<div data-shape-magic-library=")


@pytest.mark.parametrize("code", ["%shape ['a', 'b']", "%round_summary"])
def test_kernel__shows_all_else_in_static_forms(kernel: Kernel, code: str) -> None:
    kernel.run("%%shape Candidate_A\n# A\n", cell="first")
    (data,) = kernel.run(code, cell="other")
    assert data.keys() == {"text/html", "text/plain"}


def test_kernel__survives_lone_surrogates(kernel: Kernel) -> None:
    (data,) = kernel.run(r"%shape 'a\ud800 \udc80'", cell="surrogates")
    assert "[U+D800] [U+DC80]" in data["text/html"]


def test_kernel__a_display_takes_no_widget(kernel: Kernel) -> None:
    kernel.run("%shape '# A'", cell="one")
    before = widgets(kernel)
    for cell in ("one", "two"):
        kernel.run("%shape '# A'", cell=cell)
    assert widgets(kernel) == before


def test_kernel__keeps_a_view_that_the_user_made(kernel: Kernel) -> None:
    kernel.run("m = %shape 'a'\nfrom shape_magic.notebook.view import ShapeView", cell="own")
    kernel.run("v = ShapeView(m)", cell="own")
    kernel.run("v", cell="own")
    assert kernel.run("v.comm is None")[0]["text/plain"] == "False"
    assert kernel.run("v._displays[0][0]", cell="other")[0]["text/plain"] == "'own'"


def test_kernel__unloading_leaves_no_widget(kernel: Kernel) -> None:
    kernel.run("%unload_ext shape_magic", cell="load")
    before = widgets(kernel)
    kernel.run("%load_ext shape_magic", cell="load")
    kernel.run("%unload_ext shape_magic", cell="load")
    assert widgets(kernel) == before
    kernel.run("%load_ext shape_magic", cell="load")


# --- What questions are asked about


def info(cell: str | None) -> ExecutionInfo:
    return ExecutionInfo("pass", False, False, True, cell)


def test_subjects__of_a_cell_go_when_it_runs_again() -> None:
    subjects = Subjects()
    subjects.keep("d", measure("a"), cell="one")
    subjects.keep("d", measure("a"), cell="two")
    subjects.keep("e", measure("b"), cell="one")
    subjects.begin_cell(info("one"))
    assert subjects.find("d") == measure("a")
    assert subjects.find("e") is None


def test_subjects__are_the_last_ones() -> None:
    subjects = Subjects()
    for number in range(KEPT + 10):
        subjects.keep(str(number), measure(str(number)), cell=str(number))
    assert len(subjects) == KEPT
    assert subjects.find("9") is None
    assert subjects.find("10") == measure("10")
