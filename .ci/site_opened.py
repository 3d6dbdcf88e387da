"""Open the built site in Chromium and run notebooks of it: `python .ci/site_opened.py FOLDER`.

They must print in the browser what they printed when they were saved, and nothing may be asked for
beyond the site itself. Between them they measure, keep, compare, check and read data.
"""

import functools
import json
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import Page, Route, sync_playwright

NOTEBOOKS = ("01-quickstart.ipynb", "03-analyzers.ipynb")
MINUTES = 8
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# A saved page knows its cells by their prompts: a number when the cell is done.
PROMPTS = (
    "() => [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].map(e => e.innerText)"
)
OUTPUTS = "() => [...document.querySelectorAll('.jp-OutputArea-output')].map(e => e.innerText)"


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def saved_text(notebook: Path) -> list[str]:
    """Return what a saved notebook printed: streams, and results that have no HTML."""
    texts = []
    for cell in json.loads(notebook.read_bytes())["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "text/html" not in data:
                texts.append("".join(output.get("text") or data.get("text/plain", "")).strip())
    return texts


def run_notebook(page: Page, address: str, *, name: str) -> list[str]:
    """Run all cells of a notebook by the menu, and return what stands in its outputs."""
    page.goto(f"{address}/lab/index.html?path={name}")
    page.wait_for_selector(".jp-NotebookPanel .jp-CodeCell", timeout=120_000)
    for second in range(MINUTES * 60):
        prompts = page.evaluate(PROMPTS)
        # The first cell has not run before. The menu does nothing until the kernel has started.
        if second % 20 == 0 and prompts[:1] == ["[ ]:"]:
            page.get_by_role("menuitem", name="Run", exact=True).click()
            page.get_by_text("Run All Cells", exact=True).click()
        page.wait_for_timeout(1_000)
        if prompts and all(prompt.strip("[]: ").isdecimal() for prompt in prompts):
            break
    else:
        sys.exit(f"{name}: after {MINUTES} minutes the cells stand at {prompts}")
    return list(page.evaluate(OUTPUTS))


def main(folder: str) -> None:
    """Serve the site, run the notebooks, and end with a message where anything is not as saved."""
    handler = functools.partial(QuietHandler, directory=folder)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    outside: list[str] = []

    def keep_inside(route: Route) -> None:
        if route.request.url.startswith((address, "data:", "blob:")):
            route.continue_()
        else:
            outside.append(route.request.url)
            route.abort()

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
        for name in NOTEBOOKS:
            # All cells are within the window, since only those are drawn that are in sight.
            context = browser.new_context(viewport={"width": 1200, "height": 16_000})
            context.route("**/*", keep_inside)
            printed = [
                text.strip() for text in run_notebook(context.new_page(), address, name=name)
            ]
            context.close()
            if outside:
                sys.exit(f"{name} asked for {outside}")
            saved = saved_text(Path(folder, "files", name))
            missing = [text for text in saved if text not in printed]
            if missing:
                sys.exit(f"{name}: not printed in the browser: {missing}\nprinted: {printed}")
            sys.stdout.write(f"{name} ran in the browser and printed what it had printed before\n")
        browser.close()
    server.shutdown()


if __name__ == "__main__":
    main(sys.argv[1])
