"""The README says what the code says."""

import re
from pathlib import Path

import pytest

from shape_magic.vocabulary import ATTRIBUTES

REPOSITORY = Path(__file__).parent.parent
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


def test_readme__explains_each_attribute_in_the_vocabularys_words() -> None:
    rows = "\n".join(f"| `{one.name}` | {one.meaning} |" for one in ATTRIBUTES)
    assert f"| attribute | meaning |\n| --- | --- |\n{rows}\n" in README


def test_readme__its_commands_make_an_environment_of_their_own() -> None:
    commands = re.findall(r"^python3 -m venv .*$", README, re.MULTILINE)
    assert len(commands) == 2
    for command in commands:
        assert "pip install -e '.[" in command
    assert commands[1].endswith("/pytest")


@pytest.mark.parametrize(
    "path", re.findall(r"`((?:tests|notebooks|shape_magic)/[\w./-]+)`", README)
)
def test_readme__names_files_that_are_there(path: str) -> None:
    assert (REPOSITORY / path).exists()
