"""The saved page and the module in Firefox: what reading and selecting need, without a network."""

import base64
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from shape_magic import Deliberation, run_evaluations, to_html
from shape_magic.deliberation.proposal import Proposal
from shape_magic.notebook.compare import compare
from shape_magic.notebook.view import ShapeView
from shape_magic.shape import Measurement
from shape_magic.wording import visible
from tests.browser.firefox import Firefox
from tests.browser.harness import SAMPLE, Harness, proposal
from tests.browser.injections import INJECTIONS
from tests.browser.test_hostile import LOOK, VIEW_TAGS, laced
from tests.browser.test_reading import FOUND
from tests.experiments import fill_rounds, judge

LINES: Final = SAMPLE.split("\n")[:-1]

NUMBERS: Final = """
async (marked) => {
  await new Promise((done) => requestAnimationFrame(() => requestIdleCallback(done)));
  const lines = [...document.querySelectorAll(`.sm-line${marked}`)];
  return lines.map((line) => Number(line.dataset.line));
}
"""


def line(number: int) -> str:
    return f'.sm-line[data-line="{number}"]'


@pytest.fixture
def tab(firefox: Firefox) -> Iterator[Firefox]:
    """Firefox, whose page may raise no error and ask for nothing of another machine."""
    yield firefox
    assert firefox.errors == []
    assert [url for url in firefox.requests if not url.startswith(OWN)] == []


OWN: Final = ("file:", "blob:", "data:", "http://127.0.0.1:")


def opened(tab: Firefox, folder: Path, subject: Any) -> Firefox:
    """Open the saved page of a subject."""
    path = folder / "shape.html"
    path.write_text(to_html(subject), encoding="utf-8")
    tab.open(path.as_uri())
    tab.wait("() => document.querySelector('.sm-source') !== null")
    return tab


def selected(tab: Firefox) -> list[int]:
    numbers: list[int] = tab.run(NUMBERS, '[aria-selected="true"]')
    return numbers


def pasted(tab: Firefox) -> str:
    """Paste what was copied into a text area, and give it."""
    tab.run(
        "() => document.body.append(Object.assign(document.createElement('textarea'), { id: 'p' }))"
    )
    tab.run("() => document.querySelector('#p').focus()")
    tab.press("Control", "v")
    text: str = tab.run("() => { const { value } = p; p.remove(); return value; }")
    return text


def test_page__selects_by_click_key_and_anchor(tab: Firefox, tmp_path: Path) -> None:
    opened(tab, tmp_path, proposal(change=12))
    tab.click(line(3))
    tab.click(line(6), "Shift")
    assert selected(tab) == [3, 4, 5, 6]
    tab.click(line(9), at=(12, 10))
    assert selected(tab) == [9]
    for keys, numbers in [
        (["ArrowDown"], [10]),
        (["Shift", "ArrowDown"], [10, 11]),
        (["Shift", "Home"], [*range(1, 11)]),
        (["End"], [len(LINES)]),
        (["Control", "a"], [*range(1, len(LINES) + 1)]),
        (["Escape"], []),
    ]:
        tab.press(*keys)
        assert selected(tab) == numbers, keys
    tab.click('.sm-anchors [data-first="14"]')
    assert selected(tab) == [14, 15, 16]
    tab.press("ArrowDown")
    tab.press("Enter")
    assert selected(tab)[0] == 18
    assert "kernel" not in tab.run("() => document.body.innerText")


def test_page__highlights_an_attribute_and_a_kind(tab: Firefox, tmp_path: Path) -> None:
    opened(tab, tmp_path, proposal(change=12))
    tab.click('[data-attribute="table_rows"]')
    assert tab.run(NUMBERS, "[data-evidence]") == [20, 21, 22, 23]
    assert "+12" in tab.run(
        "() => document.querySelector('[data-attribute=prose_chars]').innerText"
    )
    tab.click('.sm-kind[data-kind="list"]')
    assert tab.run(NUMBERS, "[data-evidence]") == [5, 6, 10, 11, 12]


def test_search__marks_words_and_leads_through_them(tab: Firefox, tmp_path: Path) -> None:
    opened(tab, tmp_path, proposal())
    tab.click(".sm-search")
    for key in "cache":
        tab.press(key)
    assert len(tab.run(NUMBERS, "[data-matched]")) == 3
    assert tab.run(FOUND) == ["cache"] * 3
    tab.press("Enter")
    assert selected(tab) == [3]


def test_copy__gives_lines_numbered_lines_and_the_call(tab: Firefox, tmp_path: Path) -> None:
    opened(tab, tmp_path, proposal())
    tab.click(line(14), at=(12, 10))
    tab.click(line(16), "Shift", at=(12, 10))
    tab.press("Control", "c")
    assert pasted(tab) == "\n".join(LINES[13:16])
    for number, text in enumerate(["\n".join(LINES[13:16]), "  15| ", "read_proposal("], start=1):
        tab.click(f".sm-copy:nth-child({number})")
        tab.wait("() => document.querySelector('.sm-copies').innerText.includes('copied')")
        assert text in pasted(tab)


def test_wrap__off_leaves_long_lines_long(tab: Firefox, tmp_path: Path) -> None:
    opened(tab, tmp_path, proposal("word " * 100))
    wide = "() => { const { scrollWidth, clientWidth } = document.querySelector('.sm-source');\n"
    wide += "  return scrollWidth > clientWidth + 1; }"
    assert not tab.run(wide)
    tab.click(".sm-wrap")
    assert tab.run(wide)


def test_print__is_of_several_pages(tab: Firefox, tmp_path: Path) -> None:
    opened(tab, tmp_path, proposal("# A\n\n" + "some words of an answer\n" * 900))
    pdf = base64.b64decode(tab.printed())
    streams = re.findall(rb"/ObjStm.*?stream\n(.*?)\nendstream", pdf, re.DOTALL)
    assert sum(zlib.decompress(packed).count(b"/Type /Page ") for packed in streams) > 5


def test_policy__lets_nothing_else_run_or_load(tab: Firefox, tmp_path: Path) -> None:
    opened(tab, tmp_path, proposal())
    refused = tab.run(
        """async () => {
          const refused = [];
          document.addEventListener("securitypolicyviolation",
            ({ effectiveDirective }) => refused.push(effectiveDirective));
          const script = document.createElement("script");
          script.textContent = "window.ran = true";
          document.body.append(script);
          document.body.append(Object.assign(new Image(), { src: "http://evil.test/x.png" }));
          await fetch("http://evil.test/").catch(() => {});
          await new Promise((done) => setTimeout(done, 100));
          return [refused.sort(), window.ran ?? null];
        }"""
    )
    assert refused == [["connect-src", "img-src", "script-src-elem"], None]
    # Firefox tells of each as an error of the page.
    assert all("Content-Security-Policy" in error for error in tab.errors), tab.errors
    tab.errors.clear()


def test_page__shows_hostile_text_as_text(tab: Firefox, tmp_path: Path) -> None:
    opened(tab, tmp_path, laced())
    tab.click(".sm-toggle")
    shown = tab.run(
        "() => [...document.querySelectorAll('.sm-line')].map((one) => one.textContent)"
    )
    assert shown == [visible(f"# {injection}") for injection in INJECTIONS]
    found = tab.run(f"() => ({LOOK})(document.querySelector('.shape-magic'))")
    assert set(found["tags"]) <= VIEW_TAGS
    assert found["acting"] == []


def test_module__shows_hostile_text_as_text_without_a_policy(tab: Firefox, address: str) -> None:
    tab.open(f"{address}/harness.html")
    tab.wait("() => window.ready === true")
    tab.run("() => { window.calls = 0; window.injected = () => { window.calls += 1; }; }")
    subjects: list[Measurement | Proposal] = [laced(), proposal(agent_id=INJECTIONS[0])]
    for subject in subjects:
        tab.run("(state) => { show(state); }", Harness.state(ShapeView(subject, selection=(1, 1))))
    found = tab.run(f"() => ({LOOK})(document.querySelector('#place'))")
    assert set(found["tags"]) <= VIEW_TAGS | {"MAIN"}
    assert found["acting"] == []
    assert tab.run("() => window.calls") == 0


def test_module__moves_with_its_model_and_leaves_nothing(tab: Firefox, address: str) -> None:
    tab.open(f"{address}/harness.html")
    tab.wait("() => window.ready === true")
    tab.run("(state) => { show(state); }", Harness.state(ShapeView(proposal())))
    tab.click(line(4))
    assert tab.run("() => model.get('selection')") == [4, 4]
    tab.run("() => model.receive({ selection: [20, 23] })")
    assert selected(tab) == [20, 21, 22, 23]
    tab.wait("() => model.sent.length > 0")
    assert tab.run("() => model.sent[0].lines") == [20, 23]
    tab.run("() => { clean(); }")
    assert tab.run("() => [model.listening, el.childNodes.length]") == [0, 0]


def test_comparison__leads_from_change_to_change(tab: Firefox, tmp_path: Path) -> None:
    after = proposal(SAMPLE.replace("Use a", "You may use a"), agent_id="Candidate_B")
    opened(tab, tmp_path, compare(proposal(), after))
    tab.click('[aria-label="Next change"]')
    cells = "() => [...document.querySelectorAll('.sm-cell[data-selected]')]\n"
    cells += "  .map((cell) => [cell.dataset.side, cell.dataset.line])"
    assert tab.run(cells) == [["0", "3"], ["1", "3"]]


def test_matrix__sorts_unfolds_and_opens(tab: Firefox, tmp_path: Path) -> None:
    deliberation = Deliberation()
    fill_rounds(deliberation, 1)
    judges = {"Lee": judge("length"), "Eve": judge()}
    run_evaluations(deliberation, judges, trials=2, progress=False)
    path = tmp_path / "matrix.html"
    path.write_text(to_html(deliberation.matrix()), encoding="utf-8")
    tab.open(path.as_uri())
    tab.wait("() => document.querySelector('.sm-table') !== null")
    tab.click('[data-key="chars"]')
    names = (
        "() => [...document.querySelectorAll('[aria-level=\"1\"] bdi')].map((n) => n.textContent)"
    )
    assert tab.run(names) == ["Ann", "Bob", "Cleo"]
    tab.click('[aria-label="Unfold Ann"]')
    assert tab.run("() => document.querySelectorAll('.sm-given').length") == 6
    tab.click('[aria-label="Open Ann"]')
    tab.wait("() => document.querySelectorAll('.sm-evaluated').length === 8")
    tab.press("Escape")
    assert tab.run("() => document.activeElement.tagName") == "TH"
    tab.press("ArrowDown")
    assert tab.run("() => document.activeElement.parentElement.className") == "sm-given"


def test_screenshot__is_kept(tab: Firefox, tmp_path: Path, artefacts: Path) -> None:
    opened(tab, tmp_path, proposal(change=12))
    tab.click('[data-attribute="prose_chars"]')
    tab.click('.sm-anchors [data-first="20"]')
    picture = artefacts / "firefox.png"
    picture.write_bytes(base64.b64decode(tab.screenshot()))
    assert picture.stat().st_size > 10_000
