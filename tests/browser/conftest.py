"""A real Chromium and Firefox for the tests of this folder, and what some need from npm.

Without one of them, or without npm, their tests are skipped and say why; where the variable
SHAPE_MAGIC_REQUIRE_BROWSER is 1, as in CI, they fail. SHAPE_MAGIC_ARTEFACTS names a folder that
screenshots are kept in.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final, NoReturn

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, sync_playwright

from shape_magic.notebook.library import FILES
from tests.browser.firefox import Firefox, firefox
from tests.browser.harness import Harness
from tests.browser.jupyter import App, Server, jupyter
from tests.browser.serving import serve

HERE: Final = Path(__file__).parent
PACKAGES: Final = ("axe-core@4.14.1", "typescript@7.0.2", "@anywidget/types@0.4.0")
CHROMIUMS: Final = ("chromium", "chromium-browser", "google-chrome")
FIREFOXES: Final = ("firefox-esr", "firefox")
SWITCHES: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def missing(reason: str) -> NoReturn:
    """Skip, or fail where nothing may be missing."""
    if os.environ.get("SHAPE_MAGIC_REQUIRE_BROWSER") == "1":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def program(variable: str, names: tuple[str, ...]) -> str:
    """Give the path of a browser: the one that a variable names, or the first on the path."""
    found = os.environ.get(variable) or next(filter(None, map(shutil.which, names)), None)
    if found is None:
        missing(f"no {names[0]}: none of {', '.join(names)} is on the path")
    return found


# Playwright keeps an event loop running while it is open, and other tests run their own.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    found = program("SHAPE_MAGIC_CHROMIUM", CHROMIUMS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(SWITCHES))
        yield browser
        browser.close()


@pytest.fixture(scope="package", name="firefox")
def running_firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    found = program("SHAPE_MAGIC_FIREFOX", FIREFOXES)
    with firefox(found, tmp_path_factory.mktemp("firefox")) as running:
        yield running


@pytest.fixture
def requests_out() -> list[str]:
    """The requests that left the machine, all of them stopped."""
    return []


@pytest.fixture
def context(browser: Browser, requests_out: list[str]) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1000, "height": 900})
    context.set_default_timeout(10_000)
    watch(context, requests_out)
    yield context
    context.close()


def watch(context: BrowserContext, requests_out: list[str]) -> None:
    """Stop and note every request that leaves the loopback."""

    def look(route: Route) -> None:
        url = route.request.url
        if url.startswith(("http://127.0.0.1:", "http://localhost:", "file:", "data:", "blob:")):
            route.continue_()
        else:
            requests_out.append(url)
            route.abort()

    context.route("**/*", look)


@pytest.fixture
def page(context: BrowserContext, requests_out: list[str]) -> Iterator[Page]:
    """A page that may raise no error and reach for nothing outside."""
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    yield page
    assert errors == []
    assert requests_out == []


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Where the module and the harness around it are served."""
    files = [*FILES, *(HERE / f"harness.{ending}" for ending in ("html", "css", "js"))]
    with serve({f"/{file.name}": file for file in files}) as address:
        yield address


@pytest.fixture
def harness(page: Page, address: str) -> Harness:
    """The module alone, with a model that the test moves."""
    return Harness.open(page, address)


class Servers(dict[App, Server]):
    """The servers by their app."""

    def __init__(self, running: ExitStack, folders: pytest.TempPathFactory) -> None:
        self._running = running
        self._folders = folders

    def __missing__(self, app: App) -> Server:
        folder = self._folders.mktemp(app)
        address = self._running.enter_context(jupyter(app, folder))
        self[app] = server = Server(app, folder, address)
        return server


@pytest.fixture(scope="package")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """A server of JupyterLab and one of Notebook 7, each started when it is first asked for."""
    with ExitStack() as running:
        yield Servers(running, tmp_path_factory)


@pytest.fixture(scope="session")
def npm_packages() -> Path:
    """The folder of the npm packages, installed at these versions where they are not yet."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "shape_magic" / "npm"
    wanted = cache / "-".join(package.rpartition("@")[2] for package in PACKAGES)
    if not (wanted / "done").exists():
        npm = shutil.which("npm")
        if npm is None:
            missing("no npm: axe-core and tsc cannot be installed")
        command = [npm, "install", "--prefix", str(wanted), "--no-save", "--ignore-scripts"]
        wanted.mkdir(parents=True, exist_ok=True)
        try:
            subprocess.run([*command, *PACKAGES], check=True, capture_output=True, timeout=180)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            missing(f"npm could not install {', '.join(PACKAGES)}: {error}")
        (wanted / "done").touch()
    return wanted / "node_modules"


@pytest.fixture(scope="session")
def artefacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder for screenshots: the one that was asked for, or one that goes away."""
    named = os.environ.get("SHAPE_MAGIC_ARTEFACTS")
    folder = Path(named) if named else tmp_path_factory.mktemp("artefacts")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
