"""What a render and a click do at once, and what that is worth (printed).

A text of 20,000 lines, and a matrix of 58 candidates in four arms.
"""

import json
import statistics
import sys
from typing import Final

import pytest

from shape_magic.notebook.matrix import matrix_place
from shape_magic.notebook.view import ShapeView
from tests.browser.harness import Harness, measured
from tests.experiments import large_matrix

TEXT: Final = "\n".join(
    f"## Section {n}\n\nSome running text, number {n}, as long as an answer's line.\n- item {n}\n"
    for n in range(4000)
)
LINES: Final = 20_000 - 1

PAINTED: Final = """
  const painted = (start) => new Promise((done) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => done(performance.now() - start);
    port2.postMessage(0);
  }));
"""

# What the view would be if it were written in the plain way: every line an element, at once.
EVERY_LINE: Final = f"""
async ({{ _shown }}) => {{
  {PAINTED}
  const shown = JSON.parse(_shown);
  const place = document.createElement("div");
  place.className = "shape-magic";
  document.querySelector("#place").append(place);
  const start = performance.now();
  const pane = Object.assign(document.createElement("div"), {{ className: "sm-source" }});
  shown.lines.forEach((text, index) => {{
    const line = Object.assign(document.createElement("div"), {{ className: "sm-line" }});
    line.dataset.line = String(index + 1);
    line.textContent = text;
    pane.append(line);
  }});
  place.append(pane);
  const took = await painted(start);
  place.remove();
  return took;
}}
"""

THE_VIEW: Final = f"""
async (state) => {{
  {PAINTED}
  const start = performance.now();
  show(state);
  const drawn = el.querySelectorAll(".sm-line").length;
  const took = await painted(start);
  clean();
  el.remove();
  return [took, drawn];
}}
"""

CLICK: Final = f"""
async (target) => {{
  {PAINTED}
  const touched = new Set();
  const watching = new MutationObserver(() => {{}});
  watching.observe(el, {{ subtree: true, attributes: true }});
  const start = performance.now();
  target.dispatchEvent(new MouseEvent("click", {{ bubbles: true }}));
  for (const record of watching.takeRecords()) {{
    if (record.target.matches(".sm-line")) touched.add(record.target);
  }}
  watching.disconnect();
  return [await painted(start), touched.size];
}}
"""


def test_first_paint__is_five_times_as_fast_as_one_node_a_line(
    harness: Harness, capsys: pytest.CaptureFixture[str]
) -> None:
    state = harness.state(ShapeView(measured(TEXT)))
    plain, view = [], []
    for _ in range(3):
        plain.append(harness.page.evaluate(EVERY_LINE, state))
        took, drawn = harness.page.evaluate(THE_VIEW, state)
        view.append(took)
        assert 0 < drawn <= 200
    ratio = min(plain) / min(view)
    with capsys.disabled():
        sys.stdout.write(
            f"\n20,000 lines to the first paint: one node a line {min(plain):.0f} ms, "
            f"the view {min(view):.0f} ms: {ratio:.1f} times as fast\n"
        )
    assert ratio >= 5


def test_click__touches_no_more_lines_than_are_in_sight(
    harness: Harness, capsys: pytest.CaptureFixture[str]
) -> None:
    harness.show(TEXT)
    harness.page.wait_for_function(f"el.querySelectorAll('.sm-line').length === {LINES}")
    targets = {
        "a line": harness.line(5),
        "an anchor far below": harness.anchor(4996),
        "chars, which is every line": harness.attribute("chars"),
        "prose_chars": harness.attribute("prose_chars"),
        "lines, which is every line": harness.attribute("lines"),
        "the first line": harness.line(1),
    }
    for name, target in targets.items():
        took, touched = [], []
        for _ in range(5):
            time, lines = target.evaluate(CLICK)
            took.append(time)
            touched.append(lines)
            harness.receive(selection=None, attribute=None)
        with capsys.disabled():
            sys.stdout.write(
                f"\n20,000 lines, a click on {name}: {statistics.median(took):.0f} ms to the next "
                f"paint, {max(touched)} lines touched\n"
            )
        assert 0 < max(touched) <= 600


THE_MATRIX: Final = f"""
async ([written, act]) => {{
  {PAINTED}
  const place = document.createElement("div");
  place.dataset.shapeMagicView = written;
  document.querySelector("#place").append(place);
  const find = (selector, text) => [...place.querySelectorAll(selector)]
    .find((each) => each.textContent === text);
  const begun = performance.now();
  globalThis[Symbol.for("shape_magic")].add(place);
  const first = await painted(begun);
  const head = place.querySelector('[data-key="arm 1"]');
  const target = {{
    "the first paint": () => head,
    "a sort": () => head,
    "the largest difference first": () => find("button", "largest difference first"),
    "a row unfolded": () => place.querySelector("button.sm-unfold"),
    "all unfolded": () => find("button", "unfold all"),
  }}[act]();
  const start = performance.now();
  target.dispatchEvent(new MouseEvent("click", {{ bubbles: true }}));
  const then = await painted(start);
  const rows = place.querySelectorAll('[aria-level="1"]').length;
  place.remove();
  return [act === "the first paint" ? first : then, rows];
}}
"""


def test_matrix__of_58_candidates_in_four_arms_is_fluid(
    harness: Harness, capsys: pytest.CaptureFixture[str]
) -> None:
    matrix = large_matrix(58, arms=4, evaluators=3, trials=2)
    written = json.dumps(matrix_place(matrix).data)
    harness.page.evaluate("initialize({ model: new FakeModel({}) })()")
    for act in (
        "the first paint",
        "a sort",
        "the largest difference first",
        "a row unfolded",
        "all unfolded",
    ):
        done = [harness.page.evaluate(THE_MATRIX, [written, act]) for _ in range(5)]
        took = [time for time, _ in done]
        assert {rows for _, rows in done} == {58}
        with capsys.disabled():
            sys.stdout.write(
                f"\n58 candidates in four arms, {len(written) // 1000} kB of figures, {act}: "
                f"{statistics.median(took):.0f} ms\n"
            )
