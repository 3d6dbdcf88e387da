from pathlib import Path

import pytest

import shape_magic


def test_measure_file__keeps_line_endings_and_takes_off_the_mark(tmp_path: Path) -> None:
    path = tmp_path / "answer.md"
    path.write_bytes("\ufeff# Ä\r\n".encode())
    measurement = shape_magic.measure_file(path)
    assert measurement.text == "# Ä\r\n"
    assert measurement.shape.headings == 1
    assert measurement.notes == ()


def test_measure_file__replaces_and_notes_what_is_no_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "answer.md"
    path.write_bytes(b"# A\r\n\xff and \xe4\n")
    measurement = shape_magic.measure_file(str(path))
    assert measurement.text == "# A\r\n\ufffd and \ufffd\n"
    (note,) = measurement.notes
    assert (note.code, note.line) == ("undecodable", 2)
    assert "from byte 6 on" in note.message


def test_measure_file__notes_the_line_of_the_readable_form(tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    path.write_bytes(b'{\n\n\n\n"a":\n"\xff"}')
    measurement = shape_magic.measure_file(path)
    assert measurement.kind == "json"
    assert measurement.notes[0].line == 2


def test_measure_file__says_which_file_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"missing\.md"):
        shape_magic.measure_file(tmp_path / "missing.md")


def test_measure_file__takes_an_analyzer_and_a_registry(tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    path.write_text("[1]", encoding="utf-8")
    registry = shape_magic.default_registry()
    assert shape_magic.measure_file(path).kind == "json"
    measured = shape_magic.measure_file(path, analyzer="markdown", registry=registry)
    assert measured.kind == "markdown"
