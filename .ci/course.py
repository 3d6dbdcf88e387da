"""Run every notebook of a copied course, twice in one kernel: `python course.py FOLDER`.

A reader who runs a notebook again from its top must meet no error, and opening and running a
notebook must leave the files beside it as they were.
"""

import hashlib
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient


def digests(folder: Path) -> dict[str, str]:
    """Return a digest of each file below a folder."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def main(folder: Path) -> None:
    """Run the notebooks; the first error ends this with its traceback."""
    before = digests(folder)
    notebooks = sorted(folder.glob("*.ipynb"))
    assert len(notebooks) >= 4, notebooks
    for path in notebooks:
        notebook = nbformat.read(path, as_version=4)
        again = [cell | {"id": f"{cell.id}-again"} for cell in notebook.cells]
        twice = nbformat.v4.new_notebook(
            metadata=notebook.metadata, cells=nbformat.from_dict([*notebook.cells, *again])
        )
        NotebookClient(twice, timeout=600, resources={"metadata": {"path": str(folder)}}).execute()
        sys.stdout.write(f"{path.name} ran twice\n")
    if digests(folder) != before:
        sys.exit("running the notebooks changed files of the course")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
