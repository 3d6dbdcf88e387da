"""Build the course as a JupyterLite site: the notebooks and the package, run by the browser alone.

    python .ci/site.py FOLDER

makes the site in FOLDER from this checkout: the wheel is built here, JupyterLite and the wheels
come from PyPI, Pyodide from npm. Any static web server serves it. What PyPI has no wheel of for
Pyodide (numpy, pandas, scipy, matplotlib) is loaded from Pyodide's own site when it is imported.
"""

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

# A release of the kernel is made for one release of Pyodide, and asks for it by that number.
TOOLS = (
    "jupyterlite-core==0.8.6",
    "jupyterlite-pyodide-kernel==0.8.6",
    "jupyter-server==2.*",
    # What they add to JupyterLab becomes part of the site: views are linked to the kernel by it.
    "anywidget==0.11.*",
    "jupyterlab-widgets==3.*",
)

# What the site does not carry: it is loaded from Pyodide's own site where a notebook needs it.
ANALYSIS = ("numpy", "pandas", "scipy", "matplotlib")
NETWORK = (
    f"The next cell loads {', '.join(ANALYSIS[:-1])} and {ANALYSIS[-1]} from Pyodide's own site: "
    "some 30 MB, over the network. Without a network it fails, and so do this notebook's "
    "statistics and pictures. What they gave when the notebook was saved stands under their "
    "cells until you run them."
)

# What the kernel itself loads before any notebook says `%pip install`.
KERNEL_WHEELS = ("micropip", "packaging", "six")


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """Run a command and return what it printed; where it fails, all that it said ends this one."""
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def pyodide_of(python: Path) -> tuple[str, str]:
    """Return the release of Pyodide that the kernel is made for, and its own site."""
    names = "PYODIDE_VERSION, PYODIDE_CDN_URL"
    script = f"from jupyterlite_pyodide_kernel.constants import {names}; print({names})"
    version, site = run(python, "-c", script).split()
    return version, site


def download_wheels(wheel: Path, lock: dict[str, Any], *, python: Path, folder: Path) -> None:
    """Put the package's wheel and all that it needs under Pyodide into a folder."""
    abi = lock["info"]["abi_version"]
    major, minor = lock["info"]["python"].split(".")[:2]
    run(
        python, "-m", "pip", "download", "--quiet", "--only-binary", ":all:", "--dest", folder,
        "--python-version", f"{major}.{minor}", "--implementation", "cp",
        "--abi", f"cp{major}{minor}", "--abi", "none",
        "--platform", f"pyemscripten_{abi}_wasm32", "--platform", "any",
        wheel, *KERNEL_WHEELS,
    )  # fmt: skip


def relock(lock: dict[str, Any], *, wheels: Path, site: str) -> dict[str, Any]:
    """Point Pyodide's lock at the wheels that are here, and at its own site for all others."""
    here = {path.name.split("-")[0].lower().replace("_", "-"): path for path in wheels.iterdir()}
    for name, package in lock["packages"].items():
        path = here.get(name)
        if path is None:
            package["file_name"] = f"{site}/{package['file_name']}"
        else:
            package["version"] = path.name.split("-")[1]
            package["file_name"] = f"../../pypi/{path.name}"
            package["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    return lock


def code_cell(cell_id: str, source: str) -> dict[str, Any]:
    """Return a cell that has not run."""
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": cell_id,
        "metadata": {},
        "outputs": [],
        "source": [source],
    }


def adapt(notebook: Path) -> None:
    """Let a copy of a notebook begin with what installs the package in the browser.

    Its data have another name: JupyterLite reads each file whose name ends in `.jsonl` as one
    JSON value, and says of any other that there is no such file.
    """
    text = re.sub(r"(data/[\w-]+)\.jsonl", r"\1.txt", notebook.read_text(encoding="utf-8"))
    content = json.loads(text)
    cells = [code_cell("install", "%pip install -q shape_magic")]
    if "shape_magic[analysis]" in text:
        words = {"cell_type": "markdown", "id": "network", "metadata": {}, "source": [NETWORK]}
        cells += [words, code_cell("install-analysis", f"%pip install -q {' '.join(ANALYSIS)}")]
    content["cells"][:0] = cells
    notebook.write_text(json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")


def build(output: Path, work: Path) -> None:
    """Make the site in a folder, with all that it takes on the way in another one."""
    python = work / "venv" / "bin" / "python"
    venv.create(work / "venv", with_pip=True)
    run(python, "-m", "pip", "install", "--quiet", *TOOLS)
    version, site = pyodide_of(python)

    run("npm", "pack", "--silent", f"pyodide@{version}", cwd=work)
    shutil.unpack_archive(work / f"pyodide-{version}.tgz", work)
    pyodide = work / "lite" / "static" / "pyodide"
    pyodide.mkdir(parents=True)
    for name in ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"):
        shutil.move(work / "package" / name, pyodide)

    run(python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", work / "built", ROOT)
    (wheel,) = (work / "built").iterdir()
    lock = json.loads((work / "package" / "pyodide-lock.json").read_bytes())
    wheels = work / "lite" / "pypi"
    download_wheels(wheel, lock, python=python, folder=wheels)
    lock = relock(lock, wheels=wheels, site=site)
    (pyodide / "pyodide-lock.json").write_text(json.dumps(lock), encoding="utf-8")

    settings = {
        "@jupyterlite/pyodide-kernel-extension:kernel": {
            "pyodideUrl": "./static/pyodide/pyodide.mjs"
        }
    }
    config = {
        "jupyter-lite-schema-version": 0,
        "jupyter-config-data": {"appName": "shape_magic", "litePluginSettings": settings},
    }
    (work / "lite" / "jupyter-lite.json").write_text(json.dumps(config), encoding="utf-8")
    contents = work / "contents"
    shutil.copytree(ROOT / "notebooks", contents, ignore=shutil.ignore_patterns(".ipynb_*"))
    for data in contents.rglob("*.jsonl"):
        data.rename(data.with_suffix(".txt"))
    for notebook in contents.glob("*.ipynb"):
        adapt(notebook)
    run(
        python, "-m", "jupyterlite_core", "build", "--lite-dir", work / "lite",
        "--contents", contents, "--output-dir", output.resolve(),
        "--no-sourcemaps", cwd=work / "lite",
    )  # fmt: skip


def main() -> None:
    """Read the command line and build."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where the site is made; it must not exist yet")
    folder = parser.parse_args().folder
    if folder.exists():
        sys.exit(f"{folder} exists; name a folder that does not")
    with tempfile.TemporaryDirectory() as work:
        build(folder, Path(work))
    sys.stdout.write(f"the site is in {folder}: python -m http.server --directory {folder}\n")


if __name__ == "__main__":
    main()
