"""Texts to measure, for Hypothesis: arbitrary, like Markdown, and JSON."""

import json

from hypothesis import strategies as st

# The starts of every block, and what changes their meaning; also the list of random documents
# that are held against the reference.
STARTS = (
    *("# a", "## b ##", "#c", "#", "###### x", "####### x"),
    *("```", "````", "~~~", "```py", "``` a`b", "~~~ `x"),
    *("- a", "-", "* a", "+ a", "+", "1. a", "2. b", "2) b", "10. x", "1."),
    *("- - a", "- # h", "1. - x", "- > q", "- | -"),
    *("> a", ">", ">b", "> # x", "> - a", "> 1. x", "> ```", "> | a |", "> |-|", ">> a", "> > b"),
    *("---", "- - -", "***", "___", "===", "=", "--"),
    *("a", "b c", "a | b", "| a | b |", "|a|", "|", "||", "a\\|b", "`a|b`"),
    *("| - | - |", "|-|", "- | -", "-|-", "--|--", ":-", ":-:|-", "|:-:|"),
    *("<div>", "</div>", "<b>", "<!--", "-->", "<?x", "<pre>"),
    *("[a]: /u", "[b]: <x> 't'", "[c]:", "'t'", "[d]"),
    *("", " ", "\t"),
)
INDENTS = ("", "", "", "", "", "", " ", "  ", "   ", "    ", "\t", "     ", "      ", "  \t")

lines = st.builds("{}{}".format, st.sampled_from(INDENTS), st.sampled_from(STARTS) | st.text())
markdown = st.lists(lines, max_size=12).flatmap(
    lambda parts: st.sampled_from(["\n", "\r\n", "\r"]).map(
        lambda ending: "".join(part + ending for part in parts)
    )
)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=[]) | st.sampled_from('\n"\\\ud83d\ude00')),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)
json_documents = st.builds(
    lambda value, ascii_only, indent: json.dumps(value, ensure_ascii=ascii_only, indent=indent),
    st.lists(json_values) | st.dictionaries(st.text(), json_values),
    st.booleans(),
    st.none() | st.integers(0, 3),
)
texts = st.text(st.characters(exclude_categories=[])) | markdown | json_documents
"""Any text: a `str` may hold lone surrogates, too."""
