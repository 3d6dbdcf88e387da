import inspect
import pickle
import subprocess
import sys
import threading
import warnings
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import msgspec
import numpy as np
import pytest

from shape_magic.analyzers.json import JsonAnalyzer
from shape_magic.analyzers.markdown import MarkdownAnalyzer
from shape_magic.analyzers.registry import Registry
from shape_magic.errors import AnalyzerError, AnalyzerWarning, MeasurementError
from shape_magic.shape import Anchor, Evidence, Measurement, Note, Shape
from shape_magic.vocabulary import ATTRIBUTES


class Shout:
    """A toy analyzer: recognises text in capitals."""

    kind = "shout"
    version = "1"
    meanings: Mapping[str, str] = {"chars": "characters, all of them loud"}

    def measure(self, text: str) -> Measurement | None:
        if not text.isupper():
            return None
        return Measurement.from_evidence(
            kind=self.kind,
            version=self.version,
            text=text,
            kinds=["prose"],
            evidence={"chars": [Evidence(1, 1, len(text))], "lines": [Evidence(1, 1, 1)]},
        )


def analyzer(**changes: Any) -> Any:
    """Make an analyzer that differs from the toy by some attributes."""
    parts = {name: getattr(Shout(), name) for name in ("kind", "version", "meanings", "measure")}
    return SimpleNamespace(**parts | changes)


@pytest.fixture
def registry() -> Registry:
    return Registry([JsonAnalyzer()], fallback=MarkdownAnalyzer())


def test_register__puts_an_analyzer_just_ahead_of_the_fallback(registry: Registry) -> None:
    registry.register(Shout())
    assert registry.names == ("json", "shout", "markdown")
    assert registry.measure("LOUD").analyzer == "shout/1"
    assert registry.measure("quiet").kind == "markdown"


def test_register__before_another_kind(registry: Registry) -> None:
    registry.register(Shout(), before="json")
    assert registry.names == ("shout", "json", "markdown")
    assert [analyzer.kind for analyzer in registry] == ["shout", "json", "markdown"]


def test_register__before_a_kind_that_is_not_there(registry: Registry) -> None:
    with pytest.raises(AnalyzerError, match="'yaml'; there are json, markdown"):
        registry.register(Shout(), before="yaml")
    assert registry.names == ("json", "markdown")


def test_register__refuses_a_kind_that_is_taken_and_names_both(registry: Registry) -> None:
    registry.register(Shout())
    with pytest.raises(AnalyzerError, match=r"namespace\(.*'shout' is taken by .*Shout object"):
        registry.register(analyzer())


@pytest.mark.parametrize(
    ("thing", "reason"),
    [
        (object(), "its kind is None"),
        (Shout, "is a class; register an instance"),
        (analyzer(kind="Two Words"), "its kind is 'Two Words'"),
        (analyzer(kind=3), "its kind is 3"),
        (analyzer(version=1), "its version is 1"),
        (analyzer(version=""), "its version is ''"),
        (analyzer(measure=None), "it has no method measure"),
        (analyzer(meanings=None), "its meanings are None"),
        (analyzer(meanings={"words": "w"}), "gives a meaning to 'words'"),
    ],
)
def test_register__refuses_what_is_no_analyzer(registry: Registry, thing: Any, reason: str) -> None:
    with pytest.raises(AnalyzerError, match=reason):
        registry.register(thing)
    assert registry.names == ("json", "markdown")


def test_register__replacing__keeps_the_place(registry: Registry) -> None:
    registry.register(Shout(), before="json", replace=True)
    for _ in range(2):
        again = Shout()
        registry.register(again, replace=True)
        assert registry.names == ("shout", "json", "markdown")
        assert registry.get("shout") is again
    fallback = MarkdownAnalyzer()
    registry.register(fallback, replace=True)
    assert list(registry)[-1] is fallback
    assert registry.measure("quiet").kind == "markdown"
    with pytest.raises(AnalyzerError, match="to move it, unregister that one"):
        registry.register(Shout(), before="markdown", replace=True)


def test_registry__shows_its_kinds_in_order(registry: Registry) -> None:
    registry.register(Shout())
    assert repr(registry) == "<Registry: json, shout, markdown>"


def test_unregister__takes_an_analyzer_out(registry: Registry) -> None:
    registry.unregister("json")
    assert registry.names == ("markdown",)
    assert registry.measure("{}").kind == "markdown"


def test_unregister__keeps_the_fallback(registry: Registry) -> None:
    with pytest.raises(AnalyzerError, match="'markdown' is the fallback and stays"):
        registry.unregister("markdown")


def test_measure__skips_an_analyzer_that_raises_and_names_it(registry: Registry) -> None:
    def fail(text: str) -> None:
        raise RuntimeError("broken")

    registry.register(analyzer(kind="bad", measure=fail), before="json")
    with pytest.warns(AnalyzerWarning, match=r"'bad' failed with RuntimeError: broken"):
        assert registry.measure("[1]").kind == "json"
    with pytest.raises(RuntimeError, match="broken"):
        registry.measure("[1]", analyzer="bad")


def test_measure__warns_of_a_failing_analyzer_at_every_call(registry: Registry) -> None:
    def fail(text: str) -> None:
        raise RuntimeError("broken")

    registry.register(analyzer(kind="bad", measure=fail), before="json")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            registry.measure("a")
    assert [warning.category for warning in caught] == [AnalyzerWarning] * 3
    assert {warning.filename for warning in caught} == {__file__}


def test_measure__an_exception_without_words_is_a_failure_too(registry: Registry) -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise ValueError

    def fail(text: str) -> None:
        raise MuteError

    registry.register(analyzer(kind="bad", measure=fail))
    with pytest.warns(AnalyzerWarning, match="MuteError: its message cannot be read"):
        assert registry.measure("a").kind == "markdown"


def test_measure__skips_an_analyzer_that_answers_something_else(registry: Registry) -> None:
    registry.register(analyzer(measure=lambda text: {"chars": 1}))
    with pytest.warns(AnalyzerWarning, match="returned dict"):
        assert registry.measure("LOUD").kind == "markdown"


def test_measure__by_name(registry: Registry) -> None:
    assert registry.measure("[1]", analyzer="markdown").kind == "markdown"
    with pytest.raises(AnalyzerError, match="'json' does not recognise this text"):
        registry.measure("text", analyzer="json")
    with pytest.raises(AnalyzerError, match="called 'yaml'; there are json, markdown"):
        registry.measure("text", analyzer="yaml")


def test_measure__adds_the_notes_that_hold_for_every_kind(registry: Registry) -> None:
    registry.register(Shout())
    assert registry.measure("LOUD").notes == ()
    for text in ("LOUD </OUTLINE>", "quiet </outline>"):
        (note,) = registry.measure(text).notes
        assert (note.code, note.line) == ("prompt-tag", 1)


def test_measure__keeps_what_the_names_mean_in_the_kind(registry: Registry) -> None:
    registry.register(Shout())
    loud = registry.measure("LOUD")
    registry.unregister("shout")
    assert dict(loud.meanings) == Shout.meanings
    assert loud.meaning(ATTRIBUTES[0]) == (
        "total characters of the final solution; in shout: characters, all of them loud"
    )
    assert loud.meaning(ATTRIBUTES[1]) == "total lines"
    assert registry.measure("[1]").meanings["anchor"] == "a top-level key"
    with pytest.raises(TypeError):
        loud.meanings["chars"] = "other"  # type: ignore[index]
    assert pickle.loads(pickle.dumps(loud)) == loud


LOUD = Measurement.from_evidence(
    kind="shout",
    version="1",
    text="A",
    kinds=["prose"],
    evidence={"chars": [Evidence(1, 1, 1)], "lines": [Evidence(1, 1, 1)]},
)


def measured(**changes: Any) -> Measurement:
    """Make a measurement of `A` that is wrong in one place."""
    return msgspec.structs.replace(LOUD, **changes)


def evidence(**changes: Any) -> Any:
    return {**LOUD.evidence, **changes}


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (measured(kind="json", analyzer="json/1"), "kind: 'json' is not the analyzer's own kind"),
        (measured(analyzer="shout/2 beta"), None),
        (measured(outline=(Anchor(1, "a" * 60, 1),)), None),
        (measured(evidence=evidence(headings=(Evidence(1, 1, 0),))), None),
        (measured(analyzer="loud/1"), "analyzer: 'loud/1' is not the kind 'shout', a slash and"),
        (measured(text=None), "text: None is not a str"),
        (measured(kinds=()), "kinds: there are 0 for 1 line; each line has one"),
        (measured(kinds=("poem",)), "kinds: 'poem' of line 1 is not a kind of line; there are"),
        (measured(text="AB"), "chars=1 and lines=1, but the text has 2 characters and 1 line"),
        (measured(text="\n\n", kinds=("prose",) * 2), "but the text has 2 characters and 2 lines"),
        (
            measured(shape=Shape(chars=1, lines=1, headings=1)),
            "shape: headings is 1, but its evidence adds up to 0",
        ),
        (measured(outline=("a",)), r"outline\[0\]: 'a' is not Anchor"),
        (measured(outline=(Anchor(1, "a", 2),)), r"outline\[0\]: line 1 to 2 is not a range of"),
        (measured(outline=(Anchor(1, "a\nb", 1),)), "the label in line 1 is not one line"),
        (measured(outline=(Anchor(1, "a" * 61, 1),)), "the label in line 1 is not one line"),
        (
            measured(
                text="A\nB",
                kinds=("prose",) * 2,
                shape=Shape(chars=3, lines=2),
                evidence=evidence(chars=(Evidence(1, 2, 3),), lines=(Evidence(1, 2, 2),)),
                outline=(Anchor(2, "b", 2), Anchor(1, "a", 1)),
            ),
            r"outline\[1\]: line 1 comes after line 2, and anchors ascend",
        ),
        (
            measured(evidence=evidence(headings=(Evidence(0, 1, 0),))),
            r"evidence\['headings'\]\[0\]: line 0 to 1 is not a range of the text's 1 line",
        ),
        (
            measured(evidence=evidence(headings=(Evidence(1, 1, -1), Evidence(1, 1, 1)))),
            "the amount in line 1 is -1, and it is an integer from 0 up",
        ),
        (
            measured(evidence=evidence(prose_chars=(Evidence(1, 1, 0.5),))),  # type: ignore[arg-type]
            "the amount in line 1 is 0.5, and it is an integer from 0 up",
        ),
        (
            measured(evidence=evidence(headings=(Evidence(np.int64(1), 1, 0),))),  # type: ignore[arg-type]
            "Measurement.from_evidence takes any others too",
        ),
        (measured(evidence={"chars": LOUD.evidence["chars"]}), "evidence: its keys are not chars"),
        (measured(notes=(Note("odd", 2, "m"),)), r"notes\[0\]: line 2 to 2 is not a range"),
        (measured(notes=("odd",)), r"notes\[0\]: 'odd' is not Note"),
        (measured(meanings={"words": "w"}), "meanings: 'words': 'w' is not prose about an attr"),
    ],
)
def test_measure__skips_an_answer_that_breaks_the_laws(
    registry: Registry, wrong: Measurement, reason: str | None
) -> None:
    registry.register(analyzer(measure=lambda text: wrong))
    if reason is None:
        # A version is the analyzer's own affair.
        assert registry.measure("A").analyzer == wrong.analyzer
        return
    with pytest.warns(AnalyzerWarning, match=f"MeasurementError: .*{reason}"):
        assert registry.measure("A").kind == "markdown"
    with pytest.raises(MeasurementError, match=reason):
        registry.measure("A", analyzer="shout")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"kinds": ["poem"]}, "kinds: 'poem' of line 1"),
        ({"evidence": {"words": []}}, "evidence: 'words' is not an attribute of the vocabulary"),
        (
            {"evidence": {"headings": [Evidence(1, 1, 0.5)]}},  # type: ignore[arg-type]
            r"evidence\['headings'\]\[0\]: amount is 0.5, and it is an integer",
        ),
        ({"evidence": {"headings": [3]}}, r"evidence\['headings'\]\[0\]: 3 is not Evidence"),
        ({"notes": [Note("odd", 9, "m")]}, r"notes\[0\]: line 9 to 9 is not a range"),
        ({"outline": [Anchor(1, "a", 9)]}, r"outline\[0\]: line 1 to 9 is not a range"),
    ],
)
def test_from_evidence__names_field_and_line_of_what_is_wrong(
    changes: dict[str, Any], reason: str
) -> None:
    good = {"chars": [Evidence(1, 1, 1)], "lines": [Evidence(1, 1, 1)]}
    given = {"kinds": ["prose"], "evidence": good} | changes
    if "evidence" in changes:
        given["evidence"] = good | changes["evidence"]
    with pytest.raises(MeasurementError, match=reason):
        Measurement.from_evidence(kind="shout", version="1", text="A", **given)


def test_measurement__is_shown_by_its_figures_alone() -> None:
    assert repr(LOUD) == (
        "<Measurement shout/1: chars=1, lines=1, lead_chars=0, prose_chars=0, headings=0, "
        "code_blocks=0, list_items=0, table_rows=0>"
    )


def test_from_evidence__takes_the_integers_of_a_data_frame() -> None:
    one = np.int64(1)
    measurement = Measurement.from_evidence(
        kind="shout",
        version="1",
        text="A",
        kinds=["prose"],
        evidence={"chars": [Evidence(one, one, one)], "lines": [Evidence(1, 1, 1)]},  # type: ignore[arg-type]
        outline=[Anchor(one, "A", one)],  # type: ignore[arg-type]
    )
    assert type(measurement.shape.chars) is int
    assert {type(measurement.outline[0].line), type(measurement.evidence["chars"][0].amount)} == {
        int
    }


def test_measure__a_failing_analyzer_prints_no_control_code_and_not_much(
    registry: Registry,
) -> None:
    def fail(text: str) -> None:
        raise ValueError(text)

    registry.register(analyzer(measure=fail))
    with pytest.warns(AnalyzerWarning) as caught:
        registry.measure("\x1b[2J" + "x" * 10_000)
    message = str(caught[0].message)
    assert "\x1b" not in message
    assert len(message) < 400


def test_measure__a_fallback_that_recognises_nothing_is_named() -> None:
    registry = Registry(fallback=analyzer(measure=lambda text: None))
    with pytest.raises(AnalyzerError, match="is the fallback and recognised nothing"):
        registry.measure("a")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[" * 128 + "]" * 128, "json"),
        ("[" * 128 + ",]" * 128, "markdown"),
        ("- " * 100 + "a", "markdown"),
        (">" * 100 + "a", "markdown"),
    ],
)
def test_measure__is_the_same_wherever_it_is_called(
    registry: Registry, text: str, kind: str
) -> None:
    def deep(frames: int) -> Measurement:
        return deep(frames - 1) if frames else registry.measure(text)

    measurement = registry.measure(text)
    assert measurement.kind == kind
    frames = sys.getrecursionlimit() - len(inspect.stack()) - 60
    assert deep(frames) == measurement


PLUGIN = """
from shape_magic import Evidence, Measurement

class Shout:
    kind = "shout"
    version = "7"
    meanings = {}

    def measure(self, text):
        if not text.isupper():
            return None
        whole = {"chars": [Evidence(1, 1, len(text))], "lines": [Evidence(1, 1, 1)]}
        return Measurement.from_evidence(
            kind=self.kind, version=self.version, text=text, kinds=["prose"], evidence=whole
        )
"""

PYPROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "shape-magic-shout"
version = "1.0"

[project.entry-points."shape_magic.analyzers"]
shout = "shape_magic_shout:Shout"
broken = "shape_magic_shout:Missing"

[tool.hatch.build.targets.wheel]
packages = ["shape_magic_shout.py"]
only-include = ["shape_magic_shout.py"]
"""


@pytest.mark.slow
def test_entry_point__of_an_installed_package_is_registered(tmp_path: Path) -> None:
    source, site = tmp_path / "source", tmp_path / "site"
    source.mkdir()
    (source / "shape_magic_shout.py").write_text(PLUGIN, encoding="utf-8")
    (source / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    subprocess.run([*install, "--target", str(site), str(source)], check=True, timeout=300)
    script = (
        f"import sys, warnings; sys.path.insert(0, {str(site)!r})\n"
        "import shape_magic\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        "    print(shape_magic.measure('LOUD').analyzer, *shape_magic.default_registry().names)\n"
        "print(caught[0].message)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True, timeout=60
    )
    first, second = done.stdout.splitlines()
    assert first == "shout/7 json shout markdown"
    assert second.startswith(
        "the analyzer 'broken' of the package 'shape-magic-shout' was left out"
    )


def test_measure__where_there_are_no_threads__leaves_the_analyzers_own_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_arguments: object) -> NoReturn:
        raise RuntimeError("can't start new thread")

    def measure(_text: str) -> NoReturn:
        raise RecursionError("too deep")

    registry = Registry([analyzer(measure=measure)], fallback=MarkdownAnalyzer())
    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(RecursionError, match="too deep"):
        registry.measure("a", analyzer="shout")
