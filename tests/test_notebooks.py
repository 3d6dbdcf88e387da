"""The notebooks run without a word on stderr.

nbval compares their outputs. It lets a bad magic pass, though: IPython prints a `UsageError` and
raises nothing.
"""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

FOLDER = Path(__file__).parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def errors(path: Path, *, extra: str | None = None) -> list[str]:
    """Run a notebook, with one more cell at its end if asked for, and give what goes to stderr."""
    notebook = nbformat.read(path, as_version=4)
    if extra is not None:
        notebook.cells.append(nbformat.v4.new_code_cell(extra))
    client = NotebookClient(notebook, resources={"metadata": {"path": str(path.parent)}})
    client.execute()
    return [
        output.text
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output.output_type == "stream" and output.name == "stderr"
    ]


def test_notebooks__are_there() -> None:
    assert "01-quickstart.ipynb" in {path.name for path in NOTEBOOKS}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook__runs_and_prints_nothing_on_stderr(path: Path) -> None:
    assert errors(path) == []


def test_notebook__a_bad_magic_would_be_seen() -> None:
    with pytest.raises(CellExecutionError, match="UsageError: %shape has no option '--nonsense'"):
        errors(NOTEBOOKS[0], extra="%shape --nonsense")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook__stores_its_outputs_and_no_address_of_a_widget(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in code)
    assert any(cell.outputs for cell in code)
    for cell in code:
        for output in cell.outputs:
            assert "application/vnd.jupyter.widget-view+json" not in output.get("data", {})
