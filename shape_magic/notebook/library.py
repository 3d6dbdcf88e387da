"""The view's library: its ES modules and its stylesheet, as one module for a page.

The modules in `static` are read and checked as they stand there. A page gets them as one, without
comments; the output of `%load_ext` has that packed. It is packed when it is first asked for: what a
build had packed would have to be held against the modules, and no other output has packed data.
"""

import base64
import json
import re
import zlib
from functools import cache
from pathlib import Path
from typing import Final

__all__ = [
    "BOOT",
    "FILES",
    "STATIC",
    "library_html",
    "library_module",
    "styles",
    "widget_module",
]

STATIC: Final = Path(__file__).parent / "static"

MODULES: Final = ("view.js", "compare.js", "matrix.js", "places.js")
"""The ES modules, each after those that it imports."""

SHEETS: Final = ("view.css", "matrix.css")

FILES: Final = tuple(STATIC / name for name in (*MODULES, *SHEETS))
"""All that the library is made of."""

BOOT: Final = (
    '(globalThis[Symbol.for("shape_magic")]??=new Set).add(document.currentScript.parentElement)'
)
"""The script of a place: it waits to be drawn, or is drawn at once where the library is there."""

# The sources are written so that these suffice: a comment begins its line, an import is a statement
# of a line's beginning, and nothing but declarations is exported.
_COMMENT: Final = re.compile(r"^[ ]*(?://[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)\n", re.MULTILINE)
_IMPORT: Final = re.compile(r'^import [^;]*? from "\./[a-z]+\.js";\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=const|function|class|async)", re.MULTILINE)


def styles() -> str:
    """Give the stylesheets as one, without comments."""
    sheets = (STATIC / name for name in SHEETS)
    return "".join(_COMMENT.sub("", sheet.read_text(encoding="utf-8")) for sheet in sheets)


@cache
def library_module() -> str:
    """Give the one module: it draws what waits in its page, and its default is an anywidget's."""
    sources = [(STATIC / name).read_text(encoding="utf-8") for name in MODULES]
    declared = (_EXPORT.sub("", _IMPORT.sub("", _COMMENT.sub("", source))) for source in sources)
    sheet = json.dumps(styles()).replace("</", "<\\/")
    return (
        f"{''.join(declared)}install({sheet});\n"
        "export default { initialize, render: renderModel };\n"
    )


@cache
def library_html() -> str:
    """Give the element that brings the library into a page, packed."""
    place = "document.currentScript.parentElement.dataset.shapeMagicLibrary"
    return (
        f'<div data-shape-magic-library="{_packed()}">'
        f"<script>{{{_unpack()}unpackLibrary({place})}}</script></div>"
    )


@cache
def widget_module() -> str:
    """Give the module of this package's widgets: the library, packed, since widgets are saved."""
    return (
        f"{_unpack()}const library = await unpackLibrary({json.dumps(_packed())});\n"
        "export default library.default;\n"
    )


def _unpack() -> str:
    return _COMMENT.sub("", (STATIC / "unpack.js").read_text(encoding="utf-8"))


def _packed() -> str:
    # The headerless form of deflate; DecompressionStream reads it.
    packer = zlib.compressobj(level=9, wbits=-15)
    packed = packer.compress(library_module().encode()) + packer.flush()
    return base64.b64encode(packed).decode("ascii")
