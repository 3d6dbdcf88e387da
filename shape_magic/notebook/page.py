"""A saved page: the view without a kernel and without a network, in one file."""

import base64
import hashlib
import json
from html import escape
from typing import Final

from shape_magic.analyzers.registry import Registry
from shape_magic.deliberation.proposal import Proposal
from shape_magic.notebook.assets import SCRIPT, STYLES
from shape_magic.notebook.display import bundle, candidate_of
from shape_magic.notebook.shown import Baseline, shown_of
from shape_magic.shape import Measurement
from shape_magic.wording import visible

__all__ = ["body_html", "to_html"]

_PAGE: Final = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{frame}</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""

_FRAME: Final = """
body { margin: 0; background: light-dark(#fff, #17191e); }
main { max-width: 76rem; margin: 0 auto; padding: 24px; }
main .shape-magic { --sm-height: max(16rem, calc(100vh - 26rem)); }
"""


def to_html(
    measurement: Measurement | Proposal,
    *,
    registry: Registry | None = None,
    baseline: Baseline | None = None,
) -> str:
    """Write a measurement as one page that is the view, without a kernel and without a network.

    The page's security policy lets it run its own script and load nothing. Where scripts do not
    run, it shows the static form. `baseline` is as in `ShapeView`.

    >>> from shape_magic import measure
    >>> to_html(measure("# A")).startswith("<!doctype html>")
    True
    """
    candidate_id, _ = candidate_of(measurement)
    script, styles = _script(), _styles()
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {_hashed(script)}",
            f"style-src-elem {_hashed(styles)} {_hashed(_FRAME)}",
            # The static form's style attributes: they can load nothing either.
            "style-src-attr 'unsafe-inline'",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    return _PAGE.format(
        policy=policy,
        title=escape(f"{visible(candidate_id)} · shape"),
        frame=_FRAME,
        body=body_html(measurement, registry=registry, baseline=baseline),
    )


def body_html(
    measurement: Measurement | Proposal,
    *,
    registry: Registry | None = None,
    baseline: Baseline | None = None,
) -> str:
    """Write what makes the view within any page: its data, its script and its styles.

    Until the script runs, and where none may run, the static form stands there.
    """
    shown = {"revision": 0, **shown_of(measurement, registry=registry, baseline=baseline)}
    static = bundle(measurement, registry=registry)[0]["text/html"]
    return (
        f'<div class="shape-magic-place" data-shape-magic="{_mark()}">\n'
        f'<script type="application/json">{_json_for_html(shown)}</script>\n'
        f"{static}\n</div>\n"
        f"<style>{_styles()}</style>\n"
        f'<script type="module">{_script()}</script>'
    )


def _json_for_html(value: object) -> str:
    """Write JSON in ASCII that no HTML parser can leave: `<`, `>` and `&` stand as escapes."""
    written = json.dumps(value, separators=(",", ":"))
    return written.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _styles() -> str:
    return STYLES.read_text(encoding="utf-8")


def _mark() -> str:
    """Name the script's version, so that in a notebook of several each shows its own places."""
    return hashlib.sha256(SCRIPT.read_bytes()).hexdigest()[:12]


def _script() -> str:
    # All places of the page: a module cannot tell which of them it stands beside.
    places = f"document.querySelectorAll('[data-shape-magic=\"{_mark()}\"]')"
    start = (
        f"for (const place of {places}) {{ place.removeAttribute('data-shape-magic'); "
        "mount(place); }"
    )
    return f"{SCRIPT.read_text(encoding='utf-8')}\n{start}\n"


def _hashed(inline: str) -> str:
    digest = hashlib.sha256(inline.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
