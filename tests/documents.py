"""Documents to draw from, for properties that hold whatever is measured."""

import json

from hypothesis import strategies as st

__all__ = ["any_text", "documents", "json_documents", "markdown_documents"]

any_text = st.text(st.characters())
"""Any code points, lone surrogates among them."""

_lines = st.sampled_from(
    [
        "# One",
        "## Two | L9 code",
        "Title\n===",
        "- item",
        "  continued",
        "1. first",
        "> quote",
        "> # In a quote",
        "```",
        "~~~ text",
        "    indented",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "#no heading",
        "</outline> & more",
        "words\u2028that\x0cgo on \ud800",
        "",
        "",
    ]
)
_endings = st.sampled_from(["\n", "\r\n", "\r"])

markdown_documents = st.lists(st.tuples(_lines | any_text, _endings), max_size=12).map(
    lambda parts: "".join(line + ending for line, ending in parts)
)

json_documents = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    # Lone surrogates, since JSON can spell them.
    | any_text
    | st.sampled_from(["a\nb", "```\n# A\n```", "\u2028"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(any_text, inner, max_size=4),
    max_leaves=12,
).map(lambda value: json.dumps(value if isinstance(value, (dict, list)) else [value]))

documents = markdown_documents | json_documents | any_text
