"""What the README and CONTRIBUTING.md say is so."""

import re
from pathlib import Path

import pytest

from shape_magic.notebook.magics import MAGICS
from shape_magic.vocabulary import ATTRIBUTES

REPOSITORY = Path(__file__).parent.parent
PAGES = {
    path.name: path.read_text(encoding="utf-8")
    for path in [
        REPOSITORY / "README.md",
        REPOSITORY / "CONTRIBUTING.md",
        *sorted((REPOSITORY / "notebooks" / "reference").glob("*.md")),
    ]
}
README = PAGES["README.md"]


def test_readme__is_short_enough_to_read() -> None:
    assert README.count("\n") <= 200


def test_readme__explains_each_attribute_in_the_vocabularys_words() -> None:
    rows = "\n".join(f"| `{found.name}` | {found.meaning} |" for found in ATTRIBUTES)
    assert f"| attribute | meaning |\n| --- | --- |\n{rows}\n" in README


def test_readme__has_each_magic_once() -> None:
    there = {
        {"line": "%", "cell": "%%"}[kind] + name
        for container in MAGICS
        for kind, magics in container.magics.items()
        for name in magics
    }
    rows = re.findall(r"^\| `(%{1,2}\w+)", README, re.MULTILINE)
    assert sorted(rows) == sorted(there)


@pytest.mark.parametrize("name", PAGES)
def test_page__its_commands_make_an_environment_of_their_own(name: str) -> None:
    for command in re.findall(r"^python3 -m venv .*$", PAGES[name], re.MULTILINE):
        assert "pip install -e '.[" in command


def test_readme_and_contributing__have_the_one_command_of_all_tests() -> None:
    commands = [
        command
        for page in (README, PAGES["CONTRIBUTING.md"])
        for command in re.findall(r"^python3 -m venv .*pytest$", page, re.MULTILINE)
    ]
    assert len(commands) == 2
    assert commands[0] == commands[1]
    assert "'.[test]'" in commands[0]


@pytest.mark.parametrize("name", PAGES)
def test_page__names_files_that_are_there(name: str) -> None:
    text = PAGES[name]
    folder = REPOSITORY if (REPOSITORY / name).exists() else REPOSITORY / "notebooks" / "reference"
    for path in re.findall(r"`((?:tests|notebooks|shape_magic)/[\w./-]+)`", text):
        assert (REPOSITORY / path).exists(), path
    for path in re.findall(r"\]\((?!http)([^)#]+)\)", text):
        assert (folder / path).exists(), path
