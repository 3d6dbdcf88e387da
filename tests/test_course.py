"""The course: a copy is whole, and nothing of the reader's is overwritten."""

import json
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from shape_magic.errors import ArgumentError
from shape_magic.teaching.course import copy_course

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"


def test_copy__has_every_notebook_and_its_data(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "course"
    copied = copy_course(folder)
    assert [path.name for path in copied] == sorted(path.name for path in NOTEBOOKS.glob("*.ipynb"))
    for path in (NOTEBOOKS / "data").iterdir():
        assert (folder / "data" / path.name).read_bytes() == path.read_bytes()


def test_copied_notebook__differs_in_the_version_of_python_alone(tmp_path: Path) -> None:
    for path in copy_course(tmp_path):
        copied = json.loads(path.read_bytes())
        assert copied["metadata"]["language_info"]["version"] == platform.python_version()
        original = json.loads((NOTEBOOKS / path.name).read_bytes())
        copied["metadata"]["language_info"]["version"] = original["metadata"]["language_info"][
            "version"
        ]
        assert copied == original


def test_copy__into_a_folder_that_has_one_of_them__changes_nothing(tmp_path: Path) -> None:
    taken = sorted(NOTEBOOKS.glob("*.ipynb"))[-1].name
    (tmp_path / taken).write_text("mine")
    with pytest.raises(ArgumentError, match=f"already has '{taken}'; name a new folder"):
        copy_course(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [taken]
    assert (tmp_path / taken).read_text() == "mine"


def test_command__prints_the_notebooks_and_refuses_in_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "shape_magic", "notebooks", str(tmp_path / "course")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.splitlines()[0] == str(tmp_path / "course" / "01-quickstart.ipynb")
    again = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert again.returncode == 2
    assert again.stderr.count("\n") == 1
