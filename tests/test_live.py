"""What a value is displayed as, and that no widget is left behind."""

from collections.abc import Iterator
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from jupyter_client.manager import start_new_kernel

from shape_magic import measure
from tests.shells import extension, run

WIDGET = "application/vnd.jupyter.widget-view+json"


def shown(shell: InteractiveShell, value: object) -> dict[str, Any]:
    formatter: Any = shell.display_formatter
    data: dict[str, Any] = formatter.format(value)[0]
    return data


def test_display__in_a_terminal_makes_no_widget(shell: InteractiveShell) -> None:
    assert shown(shell, measure("a")).keys() == {"text/plain", "text/html"}


def test_display__html_is_the_live_body(shell: InteractiveShell) -> None:
    run(shell, "%config ShapeMagics.display = 'html'")
    data = shown(shell, measure("a"))
    assert '<script type="module">' in data["text/html"]
    run(shell, "%config ShapeMagics.display = 'static'")
    assert "<script" not in shown(shell, measure("a"))["text/html"]


def test_display__of_another_name_is_refused(
    shell: InteractiveShell, caplog: pytest.LogCaptureFixture
) -> None:
    shell.run_cell("%config ShapeMagics.display = 'none'")
    assert "expected any of ['widget', 'html', 'static']" in caplog.text


def test_reload__leaves_one_listener(shell: InteractiveShell) -> None:
    def heard() -> int:
        return len(shell.events.callbacks["pre_run_cell"])

    before = heard()
    extension(shell, "reload")
    assert heard() == before
    extension(shell, "unload")
    assert heard() == before - 2
    extension(shell, "load")


# --- In a kernel


class Kernel:
    """A kernel that is asked as a notebook asks: with the id of the cell."""

    def __init__(self, client: Any) -> None:
        self.client = client

    def run(self, code: str, *, cell: str | None = None) -> list[dict[str, Any]]:
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
            if kind == "execute_result":
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


def test_kernel__shows_the_widget_with_its_other_forms(kernel: Kernel) -> None:
    (data,) = kernel.run("%%shape Candidate_A\n# A\n", cell="first")
    assert data.keys() == {WIDGET, "text/html", "text/plain"}
    assert data["text/plain"].startswith('<candidate id="Candidate_A"')


@pytest.mark.parametrize("code", ["%shape ['a', 'b']", "%round_summary"])
def test_kernel__shows_all_else_in_static_forms(kernel: Kernel, code: str) -> None:
    kernel.run("%%shape Candidate_A\n# A\n", cell="first")
    (data,) = kernel.run(code, cell="other")
    assert data.keys() == {"text/html", "text/plain"}


def test_kernel__survives_lone_surrogates(kernel: Kernel) -> None:
    (data,) = kernel.run(r"%shape 'a\ud800 \udc80'", cell="surrogates")
    assert WIDGET in data
    assert "[U+D800] [U+DC80]" in data["text/html"]


def test_kernel__running_a_cell_again_leaves_no_widget(kernel: Kernel) -> None:
    kernel.run("%shape '# A'", cell="again")
    before = widgets(kernel)
    for _ in range(100):
        kernel.run("%shape '# A'", cell="again")
    assert widgets(kernel) == before


def test_kernel__keeps_what_other_cells_show(kernel: Kernel) -> None:
    kernel.run("%shape '# A'", cell="one")
    before = widgets(kernel)
    kernel.run("%shape '# A'", cell="two")
    assert widgets(kernel) == before + 2


def test_kernel__keeps_a_view_that_the_user_made(kernel: Kernel) -> None:
    kernel.run("m = %shape 'a'\nfrom shape_magic.notebook.view import ShapeView", cell="own")
    kernel.run("v = ShapeView(m)", cell="own")
    kernel.run("pass", cell="own")
    assert kernel.run("v.comm is None")[0]["text/plain"] == "False"
