"""Wherever a registry is given, it is the one that measures, and never the default one."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from shape_magic import Measurement, Playground, Reason, ShapeView, compare, default_registry
from shape_magic.analyzers.markdown import MarkdownAnalyzer
from shape_magic.analyzers.registry import Registry
from shape_magic.lines import split_lines
from shape_magic.notebook import extension, link
from shape_magic.notebook.session import Session
from shape_magic.shape import Evidence
from tests.shells import new_shell, run
from tests.test_completion import completed

VERSE = "/ one\n/ two\n/ three\n"


class VerseAnalyzer:
    """Knows texts whose lines all begin with a slash, and counts the lines as items."""

    kind = "verse"
    version = "1"
    meanings: Mapping[str, str] = {}

    def measure(self, text: str) -> Measurement | None:
        lines = split_lines(text)
        if not all(line.startswith("/") for line in lines):
            return None
        last = max(len(lines), 1)
        return Measurement.from_evidence(
            kind=self.kind,
            version=self.version,
            text=text,
            kinds=["list"] * len(lines),
            evidence={
                "chars": [Evidence(1, last, len(text))] if lines else [],
                "lines": [Evidence(1, last, len(lines))] if lines else [],
                "list_items": [Evidence(n, n, 1) for n in range(1, len(lines) + 1)],
            },
        )

    def reasons(self, text: str) -> list[Reason]:
        return [
            Reason(number, number, "list_items", True, "verse", "a verse of the ode")
            for number in range(1, len(split_lines(text)) + 1)
        ]


@pytest.fixture
def registry() -> Registry:
    assert "verse" not in default_registry().names
    return Registry([VerseAnalyzer()], fallback=MarkdownAnalyzer())


VIEWS: dict[str, Callable[[Measurement, Registry], ShapeView]] = {
    "a view": lambda measurement, registry: ShapeView(measurement, registry=registry),
    "a playground": lambda measurement, registry: Playground(VERSE, registry=registry),
    "a comparison's left": lambda measurement, registry: (
        compare(measurement, measurement, registry=registry).left
    ),
    "a comparison's right": lambda measurement, registry: (
        compare(measurement, measurement, registry=registry).right
    ),
}


@pytest.mark.parametrize("name", VIEWS)
def test_view__answers_a_page_by_its_registry(
    registry: Registry, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = VIEWS[name](registry.measure(VERSE), registry)
    sent: list[Any] = []
    monkeypatch.setattr(view, "send", sent.append)
    question = {"number": 7, "digest": view.data["digest"], "lines": [2, 2]}
    for asked in ("without", "why"):
        view._handle_custom_msg({"ask": asked, **question}, [])
    without, why = sent
    assert without["shape"]["list_items"] == 2
    assert any("a verse" in entry for entry in why["why"])


def test_playground__measures_what_is_typed_by_its_registry(registry: Registry) -> None:
    playground = Playground("# A", registry=registry)
    playground.text = VERSE
    assert playground.measurement.kind == "verse"


def test_session__opens_its_deliberation_with_its_registry(
    registry: Registry, shell: InteractiveShell
) -> None:
    session = Session(shell, registry=registry)
    assert session.deliberation.propose("A", VERSE).measurement.kind == "verse"
    session.deliberation.close()
    assert session.deliberation.propose("A", VERSE).measurement.kind == "verse"


@pytest.fixture
def verse_shell(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[InteractiveShell]:
    monkeypatch.setattr(extension, "Session", partial(Session, registry=registry))
    monkeypatch.chdir(tmp_path)
    Path("verse.md").write_text(VERSE, encoding="utf-8")
    with new_shell(tmp_path) as shell:
        shell.user_ns |= {"verse": VERSE, "path": Path("verse.md")}
        run(shell, f"%%shape Ann\n{VERSE}")
        yield shell


@pytest.mark.parametrize(
    ("cell", "kind_of"),
    [
        ("%%shape Ann\n/ other\n", lambda value: value.kind),
        (f"%%shape\n{VERSE}", lambda value: value.kind),
        ("%shape verse", lambda value: value.kind),
        ("%shape path", lambda value: value.kind),
        ("%shape --file verse.md", lambda value: value.kind),
        ("%shape [verse]", lambda value: value[0].kind),
        (f"%%shape --compare markdown\n{VERSE}", lambda value: value.names[0].partition("/")[0]),
        (f"%%shape --compare verse\n{VERSE}", lambda value: value.names[1].partition("/")[0]),
        ("%explain Ann 2", lambda value: "verse" if "a verse" in str(value) else str(value)),
        ("%shape_compare Ann Ann", lambda value: value.left._registry.names[0]),
        (f"%%predict list_items=3\n{VERSE}", lambda value: "verse" if value.right else str(value)),
        (
            "%deliberation rounds.db",
            lambda value: value.propose("Bob", VERSE).kind,
        ),
    ],
)
def test_magic__measures_by_the_sessions_registry(
    verse_shell: InteractiveShell, cell: str, kind_of: Callable[[Any], str]
) -> None:
    assert kind_of(run(verse_shell, cell)) == "verse"


def test_completion__offers_the_kinds_of_the_sessions_registry(
    verse_shell: InteractiveShell,
) -> None:
    assert completed(verse_shell, "%shape --analyzer v") == ["%shape --analyzer verse"]


def test_link_to_a_kernel__answers_by_the_sessions_registry(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Registry] = []

    class Link(link.KernelLink):
        def __init__(self, subjects: link.Subjects, *, session: Session) -> None:
            given.append(session.registry)
            super().__init__(subjects, session=session)

    monkeypatch.setattr(extension, "Session", partial(Session, registry=registry))
    monkeypatch.setattr(link, "KernelLink", Link)
    monkeypatch.setattr(InteractiveShell, "kernel", None, raising=False)
    with new_shell(tmp_path):
        pass
    assert given == [registry]
