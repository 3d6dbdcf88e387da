"""The course: the notebooks and their data, wherever the package stands."""

import json
import platform
import shutil
from importlib.resources import as_file, files
from pathlib import Path

from shape_magic.errors import ArgumentError
from shape_magic.wording import listed, quoted

__all__ = ["copy_course"]


def copy_course(folder: Path) -> list[Path]:
    """Copy the notebooks and their data into a folder, and return the notebooks in their order.

    A copy names this Python's version: JupyterLab takes a notebook that names another one for
    changed as soon as it is opened, and saves it. The folder is made where it is missing. Nothing
    in it is overwritten: ArgumentError names what stands in the way. OSError where the system
    gives no place.
    """
    with as_file(files("shape_magic")) as package:
        # The wheel carries the course within the package; a checkout has it beside the package.
        source = package / "course"
        if not source.is_dir():
            source = package.parent / "notebooks"
        names = sorted(path.relative_to(source) for path in _course_files(source))
        taken = [str(name) for name in names if (folder / name).exists()]
        if taken:
            raise ArgumentError(
                f"{quoted(str(folder))} already has {listed(taken)}; name a new folder"
            )
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            if name.suffix == ".ipynb":
                _copy_notebook(source / name, folder / name)
            else:
                shutil.copyfile(source / name, folder / name)
    return [folder / name for name in names if name.suffix == ".ipynb"]


def _copy_notebook(source: Path, target: Path) -> None:
    notebook = json.loads(source.read_bytes())
    notebook["metadata"]["language_info"]["version"] = platform.python_version()
    # As Jupyter writes it, so that a save changes no more than a reader did.
    written = json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"
    target.write_text(written, encoding="utf-8", newline="\n")


def _course_files(source: Path) -> list[Path]:
    hidden_or_made = {".ipynb_checkpoints", "__pycache__"}
    return [
        path
        for path in source.rglob("*")
        if path.is_file() and not hidden_or_made.intersection(path.parts)
    ]
