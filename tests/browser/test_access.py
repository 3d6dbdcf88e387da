"""For every reader: names, contrast, focus and order, in light and dark."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from shape_magic.notebook.compare import compare
from shape_magic.notebook.place import to_html
from shape_magic.notebook.view import Playground, ShapeView
from tests.browser.harness import SAMPLE, Harness, measured, proposal

THEMES: Final = {
    "jupyterlab-light": ("data-jp-theme-light", "true"),
    "jupyterlab-dark": ("data-jp-theme-light", "false"),
    "vscode-dark": ("class", "vscode-dark"),
    "light": ("", ""),
    "dark": ("", ""),
}

AXE: Final = """
async () => {
  const found = await axe.run("main", { resultTypes: ["violations", "incomplete"] });
  const brief = (list) => list.map(({ id, nodes }) => [id, nodes.map((node) => node.html)]);
  return { violations: brief(found.violations), unsure: brief(found.incomplete) };
}
"""


def in_theme(harness: Harness, theme: str) -> None:
    harness.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    name, value = THEMES[theme]
    if name:
        script = "([name, value]) => document.body.setAttribute(name, value)"
        harness.page.evaluate(script, [name, value])


def used(harness: Harness) -> None:
    """Bring a view into a state where everything is to be seen."""
    harness.show(proposal(change=12), selection=(20, 23), attribute="prose_chars", search="cache")
    harness.hear({"shape": {**proposal().shape.as_dict(), "table_rows": 0}})
    harness.root.locator(".sm-toggle").click()


def audit(page: Page, npm_packages: Path) -> dict[str, Any]:
    page.evaluate((npm_packages / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))
    found: dict[str, Any] = page.evaluate(AXE)
    return found


@pytest.mark.parametrize("theme", THEMES)
def test_axe__finds_nothing(harness: Harness, npm_packages: Path, theme: str) -> None:
    in_theme(harness, theme)
    used(harness)
    found = audit(harness.page, npm_packages)
    assert found["violations"] == [], json.dumps(found["violations"], indent=1)


@pytest.mark.parametrize("what", ["empty", "json", "playground"])
def test_axe__finds_nothing_in_other_views(harness: Harness, npm_packages: Path, what: str) -> None:
    views: dict[str, Callable[[], ShapeView]] = {
        "empty": lambda: ShapeView(measured("")),
        "json": lambda: ShapeView(measured('{"a": ["x\\ny"]}')),
        "playground": lambda: Playground(SAMPLE),
    }
    harness.show_view(views[what]())
    assert audit(harness.page, npm_packages)["violations"] == []


# What the pictures of a text and of its marks are made of: colours as the page computes them.
COLOURS: Final = """
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const over = (below, color) => {
    canvas.fillStyle = `rgb(${below.join(" ")})`;
    canvas.fillRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)];
  };
  const paper = (one) => {
    const above = [];
    for (let at = one; at; at = at.parentElement) above.unshift(getComputedStyle(at));
    return above.map((style) => style.backgroundColor).reduce(over, [255, 255, 255]);
  };
  const light = (color) => {
    const [r, g, b] = color.map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (below, color) => {
    const [dim, bright] = [light(below), light(over(below, color))].sort((a, b) => a - b);
    return (bright + 0.05) / (dim + 0.05);
  };
"""

CONTRAST: Final = f"""
(root) => {{
  {COLOURS}
  const ratio = (one, pseudo) => {{
    const style = getComputedStyle(one, pseudo);
    const below = pseudo ? over(paper(one), style.backgroundColor) : paper(one);
    return contrast(below, style.color);
  }};
  const shows = (one) => [...one.childNodes].some((node) => node.data?.trim());
  const found = [];
  for (const one of root.querySelectorAll("*")) {{
    if (one.getClientRects().length === 0) continue;
    if (shows(one)) found.push([ratio(one), one.className]);
    for (const pseudo of ["::before", "::after"]) {{
      if (/^"..*"$|^attr/.test(getComputedStyle(one, pseudo).content)) {{
        found.push([ratio(one, pseudo), one.className + pseudo]);
      }}
    }}
  }}
  return found.sort((a, b) => a[0] - b[0]);
}}
"""


@pytest.mark.parametrize("theme", THEMES)
def test_contrast__is_enough_line_numbers_and_marks_included(harness: Harness, theme: str) -> None:
    # axe leaves out what a stylesheet writes, as the line numbers.
    in_theme(harness, theme)
    used(harness)
    harness.line(20).hover()
    ratios = harness.root.evaluate(CONTRAST)
    assert {"sm-line::before", "sm-line::after", "sm-figure"} <= {name for _, name in ratios}
    assert ratios[0][0] >= 4.5, ratios[:5]


# Every mark that is no text, against what it stands on: the gutter, edges, parts of the bar, rings.
MARKS: Final = f"""
(root) => {{
  {COLOURS}
  const found = [];
  const look = (selector, colorsOf, {{ pseudo, on }} = {{}}) => {{
    for (const one of root.querySelectorAll(selector)) {{
      for (const color of colorsOf(getComputedStyle(one, pseudo))) {{
        const below = paper(on ? one.closest(on) : one);
        found.push([contrast(below, color), selector, one.dataset.kind ?? ""]);
      }}
    }}
  }};
  const shadows = (style) => style.boxShadow.match(/(?:rgb|color)[^)]*[)]/g) ?? [];
  look(".sm-line", (style) => [style.borderInlineEndColor], {{ pseudo: "::before" }});
  look(".sm-line[data-matched]", (style) => [style.textDecorationColor], {{ pseudo: "::before" }});
  look(".sm-line[data-evidence]", shadows);
  look('.sm-line[aria-selected="true"]', shadows);
  look(".sm-row[aria-current]", shadows);
  look('[aria-pressed="true"]:is(.sm-attribute, .sm-kind)', shadows);
  look(".sm-piece", (style) => [style.backgroundColor], {{ on: ".sm-bar" }});
  look(".sm-swatch", (style) => [style.borderInlineStartColor]);
  look(".sm-notes", (style) => [style.borderInlineStartColor]);
  const words = {{ pseudo: "::highlight(shape-magic-found)" }};
  look(".sm-line[data-matched]", (style) => [style.backgroundColor], words);
  look(".sm-search", (style) => [style.borderTopColor]);
  const chosen = ".sm-cell[data-evidence], .sm-cell[data-selected]";
  look(chosen, (style) => [style.borderInlineStartColor]);
  look(".sm-cell[data-selected]", (style) => [style.outlineColor]);
  look(".sm-word", (style) => [style.textDecorationColor]);
  for (const one of root.querySelectorAll("button, input, .sm-source")) {{
    one.focus({{ focusVisible: true }});
    const {{ outlineColor, outlineStyle }} = getComputedStyle(one);
    if (outlineStyle !== "none") found.push([contrast(paper(one), outlineColor), "ring", ""]);
  }}
  return found.sort((a, b) => a[0] - b[0]);
}}
"""


@pytest.mark.parametrize("theme", THEMES)
def test_contrast__of_every_mark_is_3(harness: Harness, tmp_path: Path, theme: str) -> None:
    in_theme(harness, theme)
    for subject in (proposal(SAMPLE, change=3), proposal('{"a": [1, "x\\ny"]}', change=3)):
        total = len(subject.measurement.kinds)
        met = set()
        for state in (
            {},
            {"selection": (1, total)},
            {"attribute": "chars"},
            {"selection": (1, total), "attribute": "chars", "search": "a e"},
            {"selection": (20, 23) if total > 23 else (1, total), "attribute": "lines"},
        ):
            harness.show(subject, **state)
            if subject.notes:
                harness.root.locator(".sm-toggle").click()
            harness.lines_with("")
            marks = harness.root.evaluate(MARKS)
            assert marks[0][0] >= 3, (state, marks[:8])
            met |= {selector for _, selector, _ in marks}
        assert {".sm-line", ".sm-piece", "ring", ".sm-swatch"} <= met
    path = tmp_path / "both.html"
    path.write_text(to_html(compare(proposal(), proposal(SAMPLE.replace("Use", "Take")))))
    harness.page.goto(path.as_uri())
    in_theme(harness, theme)
    harness.attribute("headings").click()
    harness.page.get_by_label("Next change").click()
    marks = harness.root.evaluate(MARKS)
    assert {".sm-word", ".sm-cell[data-selected]"} <= {selector for _, selector, _ in marks}
    assert marks[0][0] >= 3, marks[:8]


def test_focus__is_visible_and_goes_in_reading_order(harness: Harness) -> None:
    used(harness)
    harness.page.mouse.move(0, 0)
    harness.page.evaluate("Object.assign(document.querySelector('main'), { tabIndex: -1 }).focus()")
    places: list[dict[str, Any]] = []
    for _ in range(40):
        harness.page.keyboard.press("Tab")
        place = harness.page.evaluate(
            """() => {
              const one = document.activeElement;
              const { outlineStyle, outlineWidth } = getComputedStyle(one);
              const box = one.getBoundingClientRect();
              return { inside: one !== document.body, name: one.className, outlineStyle,
                outlineWidth, top: box.top + scrollY, left: box.left };
            }"""
        )
        if not place["inside"]:
            break
        places.append(place)
    names = [place["name"] for place in places]
    assert names == [
        "sm-toggle",
        "sm-row",
        *["sm-attribute"] * 8,
        "sm-ask",
        *["sm-step"] * 2,
        *["sm-kind"] * 5,
        "sm-row",
        "sm-search",
        *["sm-number"] * harness.root.locator(".sm-number").count(),
        "sm-wrap",
        "sm-source",
        *["sm-copy"] * 3,
        "sm-ask",
        "sm-answer",
    ]
    for place in places:
        assert place["outlineStyle"] == "solid", place
        assert place["outlineWidth"] == "2px", place


def test_controls__all_have_names(harness: Harness) -> None:
    used(harness)
    for role in ("button", "listbox", "searchbox"):
        for control in harness.root.get_by_role(role).all():
            expect(control).to_have_accessible_name(re.compile(r"\S"))


@pytest.mark.parametrize("before", ["true", "false"])
def test_theme__switches_live_with_the_host(harness: Harness, before: str) -> None:
    after = {"true": "false", "false": "true"}[before]
    paper = "root => getComputedStyle(root).backgroundColor"
    harness.page.evaluate("light => { document.body.dataset.jpThemeLight = light; }", before)
    harness.show(proposal())
    first = harness.root.evaluate(paper)
    harness.page.evaluate("light => { document.body.dataset.jpThemeLight = light; }", after)
    assert {first, harness.root.evaluate(paper)} == {"rgb(255, 255, 255)", "rgb(17, 17, 17)"}


def test_styles__change_nothing_of_the_host(harness: Harness) -> None:
    look = """() => {
      const probe = document.createElement("div");
      probe.innerHTML = "<button class=sm-row>a</button><ul><li>b</li></ul><pre>c</pre>";
      document.querySelector("main").append(probe);
      const styles = [...probe.querySelectorAll("*")].map((one) => {
        const style = getComputedStyle(one);
        return [...style].map((name) => style.getPropertyValue(name)).join();
      });
      probe.remove();
      return styles;
    }"""
    styled = harness.page.evaluate(look)
    harness.page.evaluate("document.querySelector('link[href=\"view.css\"]').remove()")
    assert harness.page.evaluate(look) == styled


@pytest.mark.parametrize(
    ("name", "theme", "width"),
    [
        ("light", "jupyterlab-light", 1000),
        ("dark", "jupyterlab-dark", 1000),
        ("narrow", "light", 400),
    ],
)
def test_screenshot__is_kept_and_nothing_sticks_out(
    harness: Harness, artefacts: Path, name: str, theme: str, width: int
) -> None:
    harness.page.set_viewport_size({"width": width, "height": 900})
    in_theme(harness, theme)
    used(harness)
    picture = artefacts / f"view-{name}.png"
    harness.page.screenshot(path=picture, full_page=True)
    assert picture.stat().st_size > 10_000
    out = harness.root.evaluate(
        """(root) => [...root.querySelectorAll("*")].filter((one) =>
          one.getClientRects().length > 0 && !one.closest(".sm-anchors, .sm-source")
          && one.getBoundingClientRect().right > root.getBoundingClientRect().right + 1
        ).map((one) => one.className)"""
    )
    assert out == []


def test_screenshot__of_a_comparison_and_a_playground(
    harness: Harness, artefacts: Path, tmp_path: Path, address: str, npm_packages: Path
) -> None:
    both = compare(proposal(change=12), proposal(SAMPLE.replace("Use a", "You may use a")))
    saved = tmp_path / "both.html"
    both.save(saved)
    harness.page.set_viewport_size({"width": 1500, "height": 900})
    harness.page.goto(saved.as_uri())
    harness.page.get_by_label("Next change").click()
    assert audit(harness.page, npm_packages)["violations"] == []
    harness.page.screenshot(path=artefacts / "comparison.png")
    harness = Harness.open(harness.page, address)
    harness.show_view(Playground(SAMPLE))
    harness.page.evaluate("el.style.flex = '1 1 0'")
    harness.page.screenshot(path=artefacts / "playground.png")
