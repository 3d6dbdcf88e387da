"""The ES module in a page of its own, moved as Python and as a reader would move it."""

from typing import Any

from playwright.sync_api import Locator, Page, expect

from shape_magic.analyzers.registry import default_registry
from shape_magic.deliberation.proposal import Proposal
from shape_magic.notebook.view import ShapeView
from shape_magic.shape import Measurement, Shape

STATE = ("_shown", "selection", "attribute", "search", "text")

SETTLED = """
() => new Promise((done) => requestAnimationFrame(() => requestIdleCallback(done)))
"""

SAMPLE = """\
# Recommendation

Use a **cache** in front of the ledger. It halves the median read, and what is lost is time.

1. Put it behind the interface.
2. Invalidate by key.

## Trade-offs

- memory: 2 GB
  - shared by two
- staleness: none

```python
found = cache.get(key)
```

## What was measured

| store | median |
| --- | ---: |
| ledger | 9 ms |
| cache | 4 ms |

Title of
two lines
---

<final_solution> stands here as text.
"""


def measured(text: str) -> Measurement:
    return default_registry().measure(text)


def proposal(text: str = SAMPLE, *, agent_id: str = "Candidate_A", change: int = 0) -> Proposal:
    """A proposal in round 2; with a change, the version before had so many prose_chars less."""
    measurement = measured(text)
    before = measurement.shape.as_dict()
    before["prose_chars"] -= change
    return Proposal(agent_id, 2, 1, text, "", measurement, Shape(**before) if change else None)


class Harness:
    """A page with one view of the module."""

    def __init__(self, page: Page) -> None:
        self.page = page

    @classmethod
    def open(cls, page: Page, address: str) -> "Harness":
        page.goto(f"{address}/harness.html")
        page.wait_for_function("window.ready")
        return cls(page)

    # --- As Python

    @staticmethod
    def state(view: ShapeView) -> dict[str, Any]:
        """What the kernel would send for a view, to the letter."""
        state: dict[str, Any] = view.get_state([name for name in STATE if view.has_trait(name)])
        view.close()
        return state

    def show(self, subject: Measurement | Proposal | str, **options: Any) -> "Harness":
        """Render a new view and forget the one before, which stays where it is."""
        shown = measured(subject) if isinstance(subject, str) else subject
        return self.show_view(ShapeView(shown, **options))

    def show_view(self, view: ShapeView) -> "Harness":
        self.page.evaluate("state => void show(state)", self.state(view))
        return self

    def receive(self, **state: Any) -> None:
        """Set traits as a message from Python does."""
        self.page.evaluate("state => model.receive(state)", state)

    def hear(self, message: dict[str, Any]) -> None:
        """Answer the last question as Python would."""
        self.page.wait_for_function("model.sent.length > 0")
        self.page.evaluate(
            "message => model.tell('msg:custom', { number: model.sent.at(-1).number, ...message })",
            message,
        )

    def trait(self, name: str) -> Any:
        return self.page.evaluate("name => model.get(name)", name)

    @property
    def sent(self) -> list[Any]:
        sent: list[Any] = self.page.evaluate("model.sent")
        return sent

    # --- As a reader

    @property
    def root(self) -> Locator:
        return self.page.locator(".shape-magic").last

    @property
    def source(self) -> Locator:
        return self.root.locator(".sm-source")

    @property
    def search(self) -> Locator:
        return self.root.get_by_label("Search for keywords")

    def line(self, number: int) -> Locator:
        return self.root.locator(f'[data-line="{number}"]')

    def attribute(self, name: str) -> Locator:
        return self.root.locator(f'[data-attribute="{name}"]')

    def anchor(self, line: int) -> Locator:
        return self.root.locator(f'.sm-anchors [data-first="{line}"]')

    def lines_with(self, marked: str) -> list[int]:
        """Give the numbers of the lines that carry an attribute, once nothing is left to do."""
        self.page.evaluate(SETTLED)
        return [
            int(number)
            for number in self.root.locator(f".sm-line{marked}").evaluate_all(
                "lines => lines.map(line => line.dataset.line)"
            )
        ]

    @property
    def highlighted(self) -> list[int]:
        return self.lines_with('[aria-selected="true"]')

    def expect_selection(self, selection: tuple[int, int] | None) -> None:
        """The model, the lines and the call agree on what is selected."""
        wanted = None if selection is None else list(selection)
        assert self.trait("selection") == wanted
        numbers = [] if selection is None else list(range(selection[0], selection[1] + 1))
        assert self.highlighted == numbers
        if selection is not None:
            first, last = selection
            where = f"L{first}" if first == last else f"L{first}\N{EN DASH}{last}"
            expect(self.root.locator(".sm-where")).to_contain_text(where)


class Placed(Harness):
    """A view that stands somewhere in a page."""

    def __init__(self, page: Page, root: Locator) -> None:
        super().__init__(page)
        self._root = root

    @property
    def root(self) -> Locator:
        return self._root
