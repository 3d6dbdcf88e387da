"""The module's types, checked by the TypeScript compiler with anywidget's own."""

import shutil
import subprocess
from pathlib import Path

import pytest

from shape_magic.notebook.library import STATIC

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


def tsc(
    npm_packages: Path, tmp_path: Path, *, added: str = ""
) -> "subprocess.CompletedProcess[str]":
    (tmp_path / "node_modules").symlink_to(npm_packages, target_is_directory=True)
    modules = sorted(STATIC.glob("*.js"))
    for module in modules:
        shutil.copy(module, tmp_path)
    with (tmp_path / "places.js").open("a", encoding="utf-8") as last:
        last.write(added)
    node = shutil.which("node")
    assert node is not None, "npm is there, so node is"
    compiler = npm_packages / "typescript" / "bin" / "tsc"
    return subprocess.run(
        [node, str(compiler), *OPTIONS, *(module.name for module in modules)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_types__of_the_module_are_sound(npm_packages: Path, tmp_path: Path) -> None:
    checked = tsc(npm_packages, tmp_path)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("mistake", ["cellOf(1);", "/** @type {Part} */ const m = {};"])
def test_types__of_a_mistake_are_not(npm_packages: Path, tmp_path: Path, mistake: str) -> None:
    checked = tsc(npm_packages, tmp_path, added=f"{mistake}\n")
    assert checked.returncode != 0
    assert "places.js" in checked.stdout
