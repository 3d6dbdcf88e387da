"""Every rule of the design, as cases in `tests/cases/*.md`."""

from pathlib import Path

from shape_magic.testing import Case, case_parameters, read_cases

FOLDER = Path(__file__).parent / "cases"
CASES = [case for path in sorted(FOLDER.glob("*.md")) for case in read_cases(path)]


def test_cases__are_there_and_have_names_of_their_own() -> None:
    assert len(CASES) > 100
    assert len({case.name for case in CASES}) == len(CASES)


@case_parameters(FOLDER)
def test_case__comes_out_as_expected(case: Case) -> None:
    case.check()


def test_cases__every_note_has_one() -> None:
    noted = {
        word.split("@")[0]
        for case in CASES
        for line in case.expected
        if line.startswith("notes: ")
        for word in line.split()[1:]
    }
    # A file that is not UTF-8 is no text, and has its own test.
    assert noted == {
        "fenced-document",
        "hidden-prose",
        "invisible-characters",
        "json-refused",
        "label-like-anchors",
        "no-heading",
        "no-table",
        "prompt-tag",
        "repeated-key",
        "swallowed-paragraph",
        "swollen",
        "too-deep",
        "unclosed-fence",
        "underlined-paragraph",
    }
