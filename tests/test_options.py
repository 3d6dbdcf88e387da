"""How the magics read their lines: what is collected, what is refused, and how that shows."""

from typing import Any

import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

from shape_magic.notebook.magics.deliberation import DeliberationMagics
from shape_magic.notebook.magics.options import parse


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("--min-score -1e-3", {"min_score": -1e-3}),
        ("--min-score -1.5E+3 x", {"min_score": -1500, "keywords": ["x"]}),
        ("--min-score -.5", {"min_score": -0.5}),
        ("--min-score -1", {"min_score": -1}),
        ("--min-score=-1e-3", {"min_score": -1e-3}),
        ("--max-score -inf", {"max_score": float("-inf")}),
        ("--rounds -1 --limit -2", {"rounds": [-1], "limit": -2}),
        ("--stances agree --stances neutral", {"stances": ["agree", "neutral"]}),
        ("--verdicts wrong --limit 1 --verdicts unknown", {"verdicts": ["wrong", "unknown"]}),
        ("--rounds 1 2 --rounds 3", {"rounds": [1, 2, 3]}),
        ("--agent-ids A --agent-ids B C", {"agent_ids": ["A", "B", "C"]}),
        ("--limit 3 -- -x --roud", {"limit": 3, "keywords": ["-x", "--roud"]}),
        ("'- a b' -5", {"keywords": ["- a b", "-5"]}),
    ],
)
def test_parse__takes_negative_numbers_and_collects_lists(
    line: str, expected: dict[str, Any]
) -> None:
    found = vars(parse(DeliberationMagics.search_deliberation, line))
    assert {name: found[name] for name in expected} == expected


def test_parse__lists_of_one_line__are_not_those_of_the_next() -> None:
    for _ in range(2):
        found = parse(DeliberationMagics.search_deliberation, "--rounds 1 --rounds 2")
        assert found.rounds == [1, 2]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("--limit 1 --limit 2", "--limit"),
        ("--limit=1 --limit=1", "--limit"),
        ("-o a x --output b", "--output"),
        ("-oa -o b", "-o"),
        ("--phase proposing --phase evaluating", "--phase"),
    ],
)
def test_parse__option_that_is_given_twice__is_refused(line: str, name: str) -> None:
    with pytest.raises(UsageError, match=f"^{name} is given twice, and it takes one value$"):
        parse(DeliberationMagics.search_deliberation, line)


HOSTILE = "\x1b[31m\u202ex\r"


@pytest.mark.parametrize(
    ("magic", "line"),
    [
        ("read_proposal", "Zed" + HOSTILE),
        ("read_proposal", f"Ann 3 '{HOSTILE}'"),
        ("read_proposal", f"Ann --{HOSTILE}"),
        ("read_proposal", f"Ann '{HOSTILE}"),
        ("read_proposal", f"Ann --round {HOSTILE}"),
        ("read_proposal", f"Ann -o '{HOSTILE}'"),
        ("search_deliberation", f"--phase {HOSTILE}"),
        ("search_deliberation", f"--agent-ids {HOSTILE}"),
        ("evaluation_prompt", f"--task '{HOSTILE}'"),
        ("evaluation_prompt", "--task odd"),
        ("evaluation_prompt", "--task odc"),
        ("deliberation", f"/no/{HOSTILE}/x.db"),
        ("deliberation", f"--load '/no/{HOSTILE}'"),
        ("deliberation", f"--save '/no/{HOSTILE}/x'"),
        ("round_summary", HOSTILE),
        ("shape", f"--analyzer {HOSTILE} 'x'"),
        ("shape", HOSTILE),
        ("shape", "odd"),
        ("shape", "no"),
        ("shape_compare", f"Ann {HOSTILE}"),
    ],
)
def test_bad_usage__is_one_line_in_which_nothing_acts(
    shell: InteractiveShell, magic: str, line: str
) -> None:
    shell.run_cell("%%shape Ann\nx\n")
    odd = type(f"odd{HOSTILE}", (), {})()
    shell.user_ns.update({"odd": odd, f"nob{HOSTILE}": 1, f"odc{HOSTILE}": 1})
    with pytest.raises(UsageError) as caught:
        shell.run_line_magic(magic, line)
    message = str(caught.value)
    assert not {"\x1b", "\u202e", "\r", "\n"} & set(message), message


def test_variables__leave_out_ipythons_own_and_keep_what_took_their_names(
    shell: InteractiveShell,
) -> None:
    shell.run_cell("mine = 1\nopen = 2\n_hidden = 3")
    session = shell.magics_manager.registry["ShapeMagics"].session
    assert session.variables == ["open", "mine"]
