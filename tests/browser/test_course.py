"""The course in JupyterLab: a notebook that was opened and closed again is as it was."""

from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext

from shape_magic.teaching.course import copy_course
from tests.browser.conftest import Servers
from tests.browser.jupyter import PANEL

NOTEBOOKS = sorted(path.name for path in (Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def course(servers: Servers) -> dict[str, Path]:
    """The copied notebooks, in a folder that JupyterLab serves."""
    return {path.name: path for path in copy_course(servers["lab"].root)}


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebook__is_not_changed_by_being_opened(
    name: str, course: dict[str, Path], servers: Servers, context: BrowserContext
) -> None:
    before = course[name].read_bytes()
    notebook = servers["lab"].open(context, course[name])
    # The kernel has said by now what it is, which is what JupyterLab writes into a notebook.
    notebook.page.wait_for_timeout(1_000)
    assert notebook.page.evaluate(f"{PANEL}.context.model.dirty") is False
    notebook.shut_down()
    notebook.page.close()
    assert course[name].read_bytes() == before
