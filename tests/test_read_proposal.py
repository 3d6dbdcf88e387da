"""`read_proposal`: the lines that an anchor names, and the thoughts page by page."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shape_magic.deliberation import Deliberation
from shape_magic.deliberation.read_proposal import Reading, ReadProposal
from shape_magic.errors import ArgumentError, NotFoundError, ShapeMagicError
from shape_magic.lines import LineRange, split_lines
from tests.strategies import texts

TEXT = "# Recommendation\n\nUse a queue.\n\n| model | latency |\n| --- | --- |\n| a | 12 |\n"


@pytest.fixture
def deliberation() -> Deliberation:
    deliberation = Deliberation()
    deliberation.propose("Ann (model-x)", TEXT, thought_process="0123456789" * 2_000)
    deliberation.propose("Bob", "", round=2)
    return deliberation


def test_read_proposal__with_lines__numbers_them(deliberation: Deliberation) -> None:
    assert deliberation.read_proposal("Ann", from_line=5, to_line=6, limit=12) == (
        '<proposal round="1" agent="Ann (model-x)">\n'
        "<final_solution>\n"
        '<lines from="5" to="6" total="7">\n'
        "   5| | model | latency |\n"
        "   6| | --- | --- |\n"
        "</lines>\n"
        "</final_solution>\n"
        '<thought_process offset="0" length="12" total="20000">\n'
        "012345678901\n"
        "</thought_process>\n"
        '[19,988 more characters: read_proposal(agent_id="Ann (model-x)", round=1, offset=12)]\n'
        "</proposal>"
    )


def test_read_proposal__without_lines__is_the_raw_text(deliberation: Deliberation) -> None:
    assert deliberation.read_proposal("Ann", offset=19_990) == (
        '<proposal round="1" agent="Ann (model-x)">\n'
        f"<final_solution>\n{TEXT}\n</final_solution>\n"
        '<thought_process offset="19990" length="10" total="20000">\n'
        "0123456789\n"
        "</thought_process>\n"
        "</proposal>"
    )


@pytest.mark.parametrize(
    ("bounds", "lines"),
    [
        ({"from_line": 3}, LineRange(3, 7)),
        ({"to_line": 2}, LineRange(1, 2)),
        ({"from_line": 7, "to_line": 10**30}, LineRange(7, 7)),
        ({"from_line": 7, "to_line": 7}, LineRange(7, 7)),
        ({"from_line": 1, "to_line": 7}, LineRange(1, 7)),
    ],
)
def test_read__bounds__are_met_and_clamped(
    deliberation: Deliberation, bounds: dict[str, int], lines: LineRange
) -> None:
    reading = deliberation.read(ReadProposal(agent_id="Ann", **bounds))
    assert reading.range == lines
    assert list(reading.lines) == split_lines(TEXT)[lines.first - 1 : lines.last]


@pytest.mark.parametrize(
    ("agent_id", "bounds", "answer"),
    [
        ("Ann", {"from_line": 60}, "Line 60 exceeds the proposal's 7 lines."),
        ("Ann", {"from_line": 10**5000}, "Line about 10**5000 exceeds the proposal's 7 lines."),
        ("Ann", {"from_line": 8, "to_line": 3}, "Line 8 exceeds the proposal's 7 lines."),
        ("Ann", {"from_line": 8, "to_line": 0}, "Line 8 exceeds the proposal's 7 lines."),
        ("Bob", {"from_line": 1}, "Line 1 exceeds the proposal's 0 lines."),
        ("Bob", {"to_line": 4}, "Line 1 exceeds the proposal's 0 lines."),
    ],
)
def test_read_proposal__from_past_the_end__answers_the_total(
    deliberation: Deliberation, agent_id: str, bounds: dict[str, int], answer: str
) -> None:
    text = deliberation.read_proposal(agent_id, **bounds)
    assert f"<final_solution>\n{answer}\n</final_solution>" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"from_line": 0}, "from_line is 0; lines are 1 to 7"),
        ({"from_line": -3}, "from_line is -3; lines are 1 to 7"),
        ({"to_line": 0}, "to_line is 0; lines are 1 to 7"),
        ({"from_line": 0, "to_line": 99}, "from_line is 0; lines are 1 to 7"),
        (
            {"from_line": 4, "to_line": 3},
            "from_line 4 is after to_line 3; lines are 1 to 7, and the first is given first",
        ),
        ({"from_line": 1.5}, "from_line is an integer, not 1.5; lines are 1 to 7"),
        ({"to_line": "3"}, "to_line is an integer, not '3'; lines are 1 to 7"),
        ({"to_line": True}, "to_line is an integer, not True; lines are 1 to 7"),
        ({"offset": -1}, "offset is -1, and the least is 0"),
        ({"limit": 0}, "limit is 0, and the least is 1"),
        ({"limit": 2.0}, "limit is an integer from 1 up, not 2.0"),
        ({"round": "1"}, "round is an integer from 0 up, not '1'"),
    ],
)
def test_read_proposal__bad_argument__is_one_line_with_the_valid_ones(
    deliberation: Deliberation, arguments: dict[str, object], message: str
) -> None:
    with pytest.raises(ArgumentError) as caught:
        deliberation.read_proposal("Ann", **arguments)  # type: ignore[arg-type]
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"agent_id": "Zed"}, "no agent is called 'Zed'; there are 'Ann (model-x)', 'Bob'"),
        (
            {"agent_id": "Zed", "round": 2},
            "no agent is called 'Zed'; there are 'Ann (model-x)', 'Bob'",
        ),
        ({"agent_id": "Zed", "round": 3}, "round 3 has no proposals; there are rounds 1, 2"),
        (
            {"agent_id": "ann", "round": 2},
            "'Ann (model-x)' has no proposal in round 2; it proposed in rounds 1",
        ),
    ],
)
def test_read_proposal__that_is_not_there__names_those_that_are(
    deliberation: Deliberation, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(NotFoundError) as caught:
        deliberation.read_proposal(**arguments)
    assert str(caught.value) == message
    assert deliberation.call_tool("read_proposal", arguments) == message


def test_read_proposal__of_an_empty_proposal_by_bad_bounds__says_it_has_no_lines(
    deliberation: Deliberation,
) -> None:
    assert "exceeds the proposal's 0 lines." in deliberation.read_proposal("Bob", to_line=0)
    with pytest.raises(ArgumentError, match="from_line is 0; the proposal has no lines"):
        deliberation.read_proposal("Bob", from_line=0)


def test_read_proposal__by_default__is_of_the_agents_latest_round(
    deliberation: Deliberation,
) -> None:
    deliberation.propose("ann (model-x)", "later", round=5)
    assert deliberation.read(ReadProposal(agent_id="ann (model-x)")).round == 5
    assert deliberation.read(ReadProposal(agent_id="Ann (model-x)")).round == 1
    with pytest.raises(NotFoundError, match="may be any of"):
        deliberation.read(ReadProposal(agent_id="Ann"))
    # In a round where only one of them proposed, the name is enough, and another's exact id is not.
    assert deliberation.read(ReadProposal(agent_id="Ann", round=5)).agent_id == "ann (model-x)"
    with pytest.raises(
        NotFoundError, match=r"'Ann \(model-x\)' has no proposal in round 5; it pro"
    ):
        deliberation.read(ReadProposal(agent_id="Ann (model-x)", round=5))


@given(texts)
def test_read__from_any_anchor_to_its_last_line__is_that_block(text: str) -> None:
    with Deliberation() as deliberation:
        proposal = deliberation.propose("Ann", text)
        lines = split_lines(proposal.text)
        for anchor in proposal.outline:
            answer = deliberation.read_proposal(
                "Ann", from_line=anchor.line, to_line=anchor.last_line
            )
            block = lines[anchor.line - 1 : anchor.last_line]
            assert block
            numbered = [f"{n:>4}| {line}" for n, line in enumerate(block, start=anchor.line)]
            assert "\n".join(numbered) in answer
            assert f'<lines from="{anchor.line}" to="{anchor.last_line}"' in answer


@given(texts, st.integers(1, 7))
def test_read__pages_of_thoughts__joined_are_the_thoughts(thoughts: str, limit: int) -> None:
    with Deliberation() as deliberation:
        deliberation.propose("Ann", "x", thought_process=thoughts)
        pages: list[Reading] = [deliberation.read(ReadProposal(agent_id="Ann", limit=limit))]
        while pages[-1].remaining:
            offset = pages[-1].offset + len(pages[-1].thoughts)
            pages.append(
                deliberation.read(ReadProposal(agent_id="Ann", offset=offset, limit=limit))
            )
        assert "".join(page.thoughts for page in pages) == thoughts


def test_read_proposal__pages__are_cut_out_of_the_answers_by_their_length(
    deliberation: Deliberation,
) -> None:
    thoughts, offset = "", 0
    while True:
        answer = deliberation.read_proposal("Ann", offset=offset, limit=99_999)
        page = re.search(r'<thought_process offset="(\d+)" length="(\d+)" total="20000">\n', answer)
        assert page is not None
        length = int(page[2])
        thoughts += answer[page.end() : page.end() + length]
        more = re.search(r"\[([\d,]+) more characters: read_proposal\(.*, offset=(\d+)\)\]", answer)
        if more is None:
            break
        assert length == 15_000
        offset = int(more[2])
    assert thoughts == "0123456789" * 2_000


@given(st.text(st.characters(), min_size=1), texts)
def test_read_proposal__any_id__breaks_no_line(agent_id: str, asked: str) -> None:
    with Deliberation() as deliberation:
        deliberation.propose(agent_id, "x")
        opening, *_ = deliberation.read_proposal(agent_id).split("\n")
        assert re.fullmatch(r'<proposal round="1" agent="[^"<>\r]*">', opening)
        try:
            deliberation.read_proposal(asked)
        except ShapeMagicError as error:
            message = str(error)
            assert len(message.splitlines()) == 1
