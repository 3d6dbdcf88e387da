"""Open the handout without a network and print it: `python handout_printed.py FILE COURSE`.

Nothing may be asked for beyond the file, nothing may fail, a card must unfold, and on paper there
must be all of it: every word of the texts, the questions and the answers.
"""

import re
import sys
from collections import Counter
from io import BytesIO
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from pypdf import PdfReader

FEWEST_PAGES = 3
TEXTS = ("wall.md", "shaped.md", "recommendation.md", "plan.json")


def words(text: str) -> Counter[str]:
    """Count a text's words, however a page breaks its lines."""
    return Counter(re.findall(r"[^\W\d_]+|\d+", text))


def check_screen(page: Page) -> None:
    """Unfold a card, and step to what a number was counted from."""
    details = page.locator(".lesson-card details").first
    assert not details.locator(".shape-magic-place").is_visible(), "the numbers stand open"
    details.locator("summary").click()
    details.get_by_role("button", name="headings").click()
    assert details.locator("[data-evidence]").count() == 2, "no lines are highlighted"
    details.locator("summary").click()
    assert not page.locator(".lesson-answers").is_visible(), "the answers stand on the screen"


def main(file: Path, course: Path) -> None:
    """Open the page and print it, and end with a message where something is missing."""
    asked: list[str] = []
    failed: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"]
        )
        context = browser.new_context(offline=True)
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.on("console", lambda said: failed.append(said.text) if said.type == "error" else None)
        page.goto(file.resolve().as_uri())
        page.wait_for_selector(".shape-magic")
        check_screen(page)
        reader = PdfReader(BytesIO(page.pdf(format="A4")))
        browser.close()
    outside = [url for url in asked if not url.startswith(("file:", "data:", "blob:"))]
    if outside or failed:
        sys.exit(f"the handout asked for {outside} and reported {failed}")
    printed = [sheet.extract_text() for sheet in reader.pages]
    wanted = sum(
        (words((course / "data" / name).read_text(encoding="utf-8")) for name in TEXTS), Counter()
    )
    missing = wanted - words(" ".join(printed))
    if missing or len(printed) < FEWEST_PAGES:
        sys.exit(f"{len(printed)} pages were printed, without {missing}")
    assert "Answers" in printed[-1], printed[-1]
    assert "Card 1: headings 2, list_items 2, table_rows 0" in " ".join(printed[-1].split())
    sys.stdout.write(f"the handout is whole on {len(printed)} pages\n")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
