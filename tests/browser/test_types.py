"""The module's types, checked by the TypeScript compiler with anywidget's own."""

import shutil
import subprocess
from pathlib import Path

import pytest

from shape_magic.notebook.assets import SCRIPT

OPTIONS = [
    "--noEmit",
    "--allowJs",
    "--checkJs",
    "--strict",
    "--noUncheckedIndexedAccess",
    "--target",
    "es2023",
    "--lib",
    "es2023,dom,dom.iterable",
    "--module",
    "esnext",
    "--moduleResolution",
    "bundler",
]


def tsc(script: str, npm_packages: Path, tmp_path: Path) -> "subprocess.CompletedProcess[str]":
    (tmp_path / "node_modules").symlink_to(npm_packages, target_is_directory=True)
    (tmp_path / "view.js").write_text(script, encoding="utf-8")
    node = shutil.which("node")
    assert node is not None, "npm is there, so node is"
    compiler = npm_packages / "typescript" / "bin" / "tsc"
    return subprocess.run(
        [node, str(compiler), *OPTIONS, "view.js"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_types__of_the_module_are_sound(npm_packages: Path, tmp_path: Path) -> None:
    checked = tsc(SCRIPT.read_text(encoding="utf-8"), npm_packages, tmp_path)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize(
    "mistake", ["const n = counted('x');", "/** @type {Model} */ const m = {};"]
)
def test_types__of_a_mistake_are_not(npm_packages: Path, tmp_path: Path, mistake: str) -> None:
    checked = tsc(f"{SCRIPT.read_text(encoding='utf-8')}\n{mistake}\n", npm_packages, tmp_path)
    assert checked.returncode != 0
    assert "view.js" in checked.stdout
