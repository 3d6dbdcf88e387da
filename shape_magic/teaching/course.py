"""The course: the notebooks and their data, wherever the package stands."""

import shutil
from importlib.resources import as_file, files
from pathlib import Path

from shape_magic.errors import ArgumentError
from shape_magic.wording import listed, quoted

__all__ = ["copy_course"]


def copy_course(folder: Path) -> list[Path]:
    """Copy the notebooks and their data into a folder, and return the notebooks in their order.

    The folder is made where it is missing. Nothing in it is overwritten: ArgumentError names what
    stands in the way. OSError where the system gives no place.
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
            shutil.copyfile(source / name, folder / name)
    return [folder / name for name in names if name.suffix == ".ipynb"]


def _course_files(source: Path) -> list[Path]:
    hidden_or_made = {".ipynb_checkpoints", "__pycache__"}
    return [
        path
        for path in source.rglob("*")
        if path.is_file() and not hidden_or_made.intersection(path.parts)
    ]
