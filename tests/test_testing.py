"""`shape_magic.testing`: cases as data and snapshots, as a plug-in uses them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from shape_magic.shape import Measurement
from shape_magic.testing import (
    Case,
    CaseError,
    case_parameters,
    compare_snapshot,
    describe,
    read_cases,
    save_snapshot,
)
from tests.plain_scan import PlainScan

CASES = """\
# Words between cases are prose.

a tag
.
#tag
.
chars=5 lines=1 headings=1
.

with a letter that is spelt out [escaped]
.
'a\\u00e9# b'
.
chars=5 lines=1 lead_chars=5 prose_chars=5
kinds: p
.
"""


def written(path: Path, text: str) -> Path:
    path.write_bytes(text.encode("utf-8"))
    return path


def test_cases__are_read_with_their_place(tmp_path: Path) -> None:
    first, second = read_cases(written(tmp_path / "plain.md", CASES))
    assert first == Case("plain:3 a tag", "#tag\n", ("chars=5 lines=1 headings=1",))
    assert second.text == "a\u00e9# b"
    for case in (first, second):
        case.check(PlainScan())


def test_case__that_comes_out_otherwise_shows_both_sides(tmp_path: Path) -> None:
    case = read_cases(written(tmp_path / "plain.md", CASES))[0]
    with pytest.raises(AssertionError, match="plain:3 a tag comes out otherwise") as caught:
        case.check()
    assert str(caught.value).split("\n")[1:] == [
        "- chars=5 lines=1 headings=1",
        "+ chars=5 lines=1 lead_chars=4 prose_chars=4",
        "+ notes: no-heading@1",
    ]


def test_case__may_expect_that_a_text_is_not_recognised() -> None:
    Case("", "# A", ("not recognised",)).check("json")
    assert describe(None) == ["not recognised"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (".\na\n.\n", "there are 2 lines that are a single dot"),
        ("title [escaped]\n.\nnonsense\n.\n.\n", "line 3: the input of an [escaped] case"),
    ],
)
def test_cases__that_cannot_be_read_are_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(CaseError, match=re.escape(said)):
        read_cases(written(tmp_path / "wrong.md", text))


def test_cases__none_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="has no cases"):
        case_parameters(tmp_path)


@pytest.mark.slow
def test_plug_in__runs_its_cases_by_pytest(tmp_path: Path) -> None:
    written(tmp_path / "plain.md", CASES)
    written(
        tmp_path / "test_plain.py",
        "from pathlib import Path\n"
        "from shape_magic.testing import case_parameters\n"
        "@case_parameters(Path(__file__).parent)\n"
        "def test_case(case):\n"
        "    case.check()\n",
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "1 failed, 1 passed" in done.stdout, done.stdout
    assert "plain:3 a tag comes out otherwise" in done.stdout


TEXTS = {"tag": "#tag\n\ntext\n", "list": "- a\n- b\n", "odd\ud800": "\ud800"}


def test_snapshot__the_same_analyzer_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "figures.jsonl"
    assert save_snapshot(path, TEXTS) == 3
    compared = compare_snapshot(path, TEXTS)
    assert compared.same
    assert str(compared) == "0 changes in 3 texts"
    assert "text" not in path.read_text(encoding="utf-8")


def test_snapshot__what_changed_is_told_with_todays_reasons(tmp_path: Path) -> None:
    path = tmp_path / "figures.jsonl"
    save_snapshot(path, TEXTS, analyzer=PlainScan())
    compared = compare_snapshot(path, TEXTS, analyzer="markdown")
    assert not compared.same
    change = compared.changes[0]
    assert (change.name, change.lines) == ("tag", (1,))
    assert change.before["headings"] == 1
    assert "headings 1 -> 0" in str(compared)
    assert "in `#tag` a number sign is followed by `t`" in str(compared)


def test_snapshot__texts_that_are_missing_or_new_are_told(tmp_path: Path) -> None:
    path = tmp_path / "figures.jsonl"
    save_snapshot(path, TEXTS)
    compared = compare_snapshot(path, {"tag": "#tag, reworded", "new": "a"})
    assert compared.missing == ("list", "odd\ud800")
    assert compared.added == ("tag", "new")
    assert not compared.same
    str(compared).encode("utf-8")


def test_snapshot__an_analyzer_that_fails_is_a_change_with_what_it_raised(tmp_path: Path) -> None:
    class Fails(PlainScan):
        def measure(self, text: str) -> Measurement:
            raise RuntimeError("not today")

    path = tmp_path / "figures.jsonl"
    save_snapshot(path, ["a"], analyzer=PlainScan())
    assert "RuntimeError: not today" in str(compare_snapshot(path, ["a"], analyzer=Fails()))


def test_snapshot__a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "figures.jsonl", '{"name": 1}\n')
    with pytest.raises(ValueError, match="line 1, is no line of a snapshot"):
        compare_snapshot(path, [])
