"""A real Jupyter server with a real kernel, and a notebook that is open in it."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Literal

import nbformat
from playwright.sync_api import BrowserContext, Page

App = Literal["lab", "notebook"]

REPOSITORY: Final = Path(__file__).parents[2]
PATIENCE: Final = 60.0

SWITCHES: Final = (
    "--no-browser",
    "--allow-root",
    "--ServerApp.ip=127.0.0.1",
    "--ServerApp.port=0",
    "--IdentityProvider.token=",
    "--ServerApp.password=",
    "--LabApp.news_url=None",
    "--LabApp.extension_manager=readonly",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    "--LabApp.expose_app_in_browser=True",
)

READY: Final = """
() => {
  const panel = window.jupyterapp?.shell?.currentWidget;
  const kernel = panel?.sessionContext?.session?.kernel;
  return Boolean(panel?.context?.isReady && panel.sessionContext.isReady
    && kernel?.connectionStatus === "connected" && kernel.status === "idle");
}
"""

ALL_RUN: Final = """
() => [...window.jupyterapp.shell.currentWidget.content.widgets]
  .filter((cell) => cell.model.type === "code")
  .every((cell) => cell.model.executionCount !== null)
"""

PANEL: Final = "window.jupyterapp.shell.currentWidget"

# Of the notebook at a path, or of the one that is in front.
EXECUTE: Final = """
async ([code, path]) => {
  const { shell } = window.jupyterapp;
  const panels = path ? [...shell.widgets("main")] : [shell.currentWidget];
  const { kernel } = panels.find((one) => !path || one.context?.path === path)
    .sessionContext.session;
  const asked = kernel.requestExecute({ code });
  let said = "";
  asked.onIOPub = ({ content, header }) => {
    if (header.msg_type === "stream") said += content.text;
    if (header.msg_type === "error") said += `${content.ename}: ${content.evalue}`;
  };
  await asked.done;
  return said;
}
"""

START: Final = """
(code) => new Promise((started) => {
  const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
  const asked = kernel.requestExecute({ code });
  window.running = true;
  asked.onIOPub = ({ header }) => header.msg_type === "execute_input" && started();
  asked.done.then(() => { window.running = false; });
})
"""


@contextmanager
def jupyter(app: App, folder: Path) -> Iterator[str]:
    """Run a server of its own settings under a folder, and give its address."""
    root = folder / "notebooks"
    config = folder / "config"
    runtime = folder / "runtime"
    lab_config = config / "labconfig"
    for folder in (root, lab_config, runtime):
        folder.mkdir(parents=True)
    _write(
        lab_config / "page_config.json",
        {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}},
    )
    _write(
        lab_config / "default_setting_overrides.json",
        {"@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"}},
    )
    places = {
        "HOME": folder,
        "JUPYTER_CONFIG_DIR": config,
        "JUPYTER_DATA_DIR": folder / "data",
        "JUPYTER_RUNTIME_DIR": runtime,
        "IPYTHONDIR": folder / "ipython",
        "JUPYTERLAB_SETTINGS_DIR": folder / "settings",
        "JUPYTERLAB_WORKSPACES_DIR": folder / "workspaces",
    }
    paths = [str(REPOSITORY), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        **{name: str(place) for name, place in places.items()},
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
    }
    switches = [*SWITCHES, f"--ServerApp.root_dir={root}"]
    if app == "notebook":
        switches.append("--JupyterNotebookApp.expose_app_in_browser=True")
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyter", app, *switches],
            env=environment,
            stdout=log,
            stderr=log,
            cwd=root,
        )
    try:
        yield _address(server, runtime, folder / "log")
    finally:
        server.send_signal(signal.SIGTERM)
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _write(path: Path, value: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(value), encoding="utf-8")


def _address(server: "subprocess.Popen[bytes]", runtime: Path, log: Path) -> str:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and server.poll() is None:
        for file in runtime.glob("jpserver-*.json"):
            try:
                address: str = json.loads(file.read_text(encoding="utf-8"))["url"]
                with urllib.request.urlopen(f"{address}api/status", timeout=5):
                    return address.rstrip("/")
            except (OSError, ValueError):
                pass
        time.sleep(0.1)
    raise RuntimeError(f"the server does not answer: {log.read_text(errors='replace')[-2000:]}")


class Server:
    """A running server, and the folder of its notebooks."""

    def __init__(self, app: App, folder: Path, address: str) -> None:
        self.app = app
        self.folder = folder
        self.root = folder / "notebooks"
        self.address = address

    def write(self, cells: list[str], *, name: str) -> Path:
        write_notebook(self.folder, cells, name=name)
        return self.root / name

    def open(self, context: BrowserContext, path: Path) -> "Notebook":
        """Open a notebook in a page of its own."""
        return Notebook.open(context.new_page(), self.app, self.address, name=path.name)


def write_notebook(folder: Path, cells: list[str], *, name: str = "try.ipynb") -> None:
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(cell) for cell in cells],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    )
    nbformat.write(notebook, folder / "notebooks" / name)


class Notebook:
    """A notebook that is open in a page, with its kernel."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address

    @classmethod
    def open(cls, page: Page, app: App, address: str, *, name: str = "try.ipynb") -> "Notebook":
        # Without `reset` JupyterLab would open what was open before, too.
        where = f"lab/tree/{name}?reset" if app == "lab" else f"notebooks/{name}"
        page.goto(f"{address}/{where}")
        page.wait_for_function(READY, timeout=PATIENCE * 1000)
        return cls(page, address)

    def run_all(self) -> None:
        self.page.evaluate(
            "() => void window.jupyterapp.commands.execute('notebook:run-all-cells')"
        )
        self.page.wait_for_function(ALL_RUN, timeout=PATIENCE * 1000)

    def execute(self, code: str, *, path: str | None = None) -> str:
        """Run code beside the notebook's cells and give what it prints."""
        said: str = self.page.evaluate(EXECUTE, [code, path])
        return said.strip()

    def command(self, name: str, *, cell: int) -> None:
        """Run one of the host's commands on a cell."""
        self.page.evaluate(f"index => {{ {PANEL}.content.activeCellIndex = index; }}", cell)
        self.page.evaluate("async name => { await jupyterapp.commands.execute(name); }", name)

    def run_cell(self, cell: int) -> None:
        """Run one cell and wait for its end."""
        self.page.evaluate(f"index => {{ {PANEL}.content.activeCellIndex = index; }}", cell)
        self.page.evaluate("() => void jupyterapp.commands.execute('notebook:run-cell')")
        self.page.wait_for_function(
            f"index => {PANEL}.content.widgets[index].model.executionState !== 'running'"
            f" && {PANEL}.content.widgets[index].model.executionCount !== null",
            arg=cell,
            timeout=PATIENCE * 1000,
        )
        self.execute("pass")

    def clear_output(self, cell: int) -> None:
        self.command("notebook:clear-cell-output", cell=cell)

    def save(self) -> None:
        self.page.evaluate(f"async () => {{ await {PANEL}.context.save(); }}")

    def read(self) -> dict[str, Any]:
        """Read the notebook as its server has saved it."""
        path = self.page.evaluate(f"{PANEL}.context.path")
        url = f"{self.address}/api/contents/{path}"
        with urllib.request.urlopen(url, timeout=10) as answer:
            content: dict[str, Any] = json.load(answer)["content"]
        return content

    def shut_down(self) -> None:
        """Shut the kernel down."""
        self.page.evaluate(f"async () => {{ await {PANEL}.sessionContext.shutdown(); }}")

    def restart(self) -> None:
        """Restart the kernel, and wait until it is there again."""
        self.page.evaluate(
            f"async () => {{ await {PANEL}.sessionContext.session.kernel.restart(); }}"
        )
        self.page.wait_for_function(READY, timeout=PATIENCE * 1000)

    def reload(self) -> None:
        """Load the page again; the kernel goes on."""
        self.page.reload()
        self.page.wait_for_function(READY, timeout=PATIENCE * 1000)

    def open_beside(self, name: str) -> None:
        """Open another notebook in the same page, beside this one."""
        self.page.evaluate(
            "async path => { await jupyterapp.commands.execute('docmanager:open',"
            " { path, factory: 'Notebook', options: { mode: 'split-right' } }); }",
            name,
        )
        self.page.wait_for_function(
            f"path => {PANEL}?.context.path === path && ({READY})()",
            arg=name,
            timeout=PATIENCE * 1000,
        )

    def start(self, code: str) -> None:
        """Start code and do not wait for its end."""
        self.page.evaluate(START, code)

    @property
    def running(self) -> bool:
        """Whether what was started has not ended."""
        running: bool = self.page.evaluate("window.running")
        return running
