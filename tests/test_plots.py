"""Pictures: axes in and out, told apart without colour, and safe from what an id may hold."""

import subprocess
import sys
from collections.abc import Callable, Iterator

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib import colors, pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from shape_magic.analysis import correlate
from shape_magic.analysis.looks import COLOURS, LEGEND_ENTRIES
from shape_magic.analysis.plots import (
    plot_attribute,
    plot_attributes,
    plot_coefficients,
    plot_score,
)
from shape_magic.errors import ArgumentError, FrameError
from shape_magic.vocabulary import ATTRIBUTE_NAMES
from tests.correlation_data import frame_of, simulated

matplotlib.use("agg")

HOSTILE_IDS = [
    "$\\frac{",
    "_hidden",
    "line\nbreak\t\x1b[31m",
    "\u202eevil\ud800",
    "A (model-x)" * 40,
]


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


@pytest.fixture
def frame() -> pd.DataFrame:
    random = np.random.default_rng(1)
    made: pd.DataFrame = simulated(random, [5, 4, 5, 2, 5, 5, 3], effect=-0.8, between=3.0)
    # An object column: pandas' own text takes no lone surrogate.
    ids = [HOSTILE_IDS[int(name.split()[1])] for name in made["agent_id"]]
    made["agent_id"] = pd.Series(ids, dtype=object)
    for name in ATTRIBUTE_NAMES[1:]:
        made[name] = random.integers(0, 9, len(made))
    made["code_blocks"] = 0
    return made


Draw = Callable[[pd.DataFrame, Axes], Axes]

DRAWINGS: dict[str, Draw] = {
    "score": lambda frame, ax: plot_score(frame, "chars", ax=ax),
    "coefficients": lambda frame, ax: plot_coefficients(correlate(frame), ax=ax),
    "controlled": lambda frame, ax: plot_coefficients(correlate(frame), controlled=True, ax=ax),
    "attribute": lambda frame, ax: plot_attribute(frame, "lines", ax=ax),
}


@pytest.mark.parametrize("draw", DRAWINGS.values(), ids=DRAWINGS)
def test_axes__are_drawn_on_and_returned_whatever_ids_hold(draw: Draw, frame: pd.DataFrame) -> None:
    axes = Figure().subplots()
    assert draw(frame, axes) is axes
    assert axes.has_data()
    # Laying out reads every text; a formula that cannot be parsed, or a warning, is an error here.
    lay_out(axes)
    assert axes.get_xlabel()


def lay_out(axes: Axes) -> None:
    figure = axes.figure
    assert isinstance(figure, Figure)
    figure.draw_without_rendering()


def test_without_axes__each_makes_its_own_figure(frame: pd.DataFrame) -> None:
    for axes in (
        plot_score(frame, "chars"),
        plot_coefficients(correlate(frame)),
        plot_attribute(frame, "chars"),
        plot_attributes(frame)[0],
    ):
        lay_out(axes)
    assert len(pyplot.get_fignums()) == 4


def legend_texts(axes: Axes) -> list[str]:
    legend = axes.get_legend()
    assert legend is not None
    assert not any(text.get_parse_math() for text in legend.get_texts())
    return [text.get_text() for text in legend.get_texts()]


def test_ids__stand_in_the_legend_as_they_are_or_made_visible(frame: pd.DataFrame) -> None:
    assert legend_texts(plot_attribute(frame, "chars", ax=Figure().subplots())) == [
        "$\\frac{",
        "A (model-x)A (model-x)A…",
        "_hidden",
        "line[U+000A]break[U+0009][U+001B][31m",
        "[U+202E]evil[U+D800]",
    ]


def test_score__has_a_trend_in_each_large_round_and_a_pooled_one(frame: pd.DataFrame) -> None:
    axes = plot_score(frame, "chars", ax=Figure().subplots())
    slopes = [float(np.divide(*np.diff(line.get_xydata(), axis=0)[0, ::-1])) for line in axes.lines]
    *within, pooled = slopes
    assert len(within) == 6
    assert np.median(within) < 0 < pooled
    assert axes.lines[-1].get_linestyle() == "--"
    assert axes.lines[-1].get_color() == "black"
    assert len(axes.collections) == 7
    assert legend_texts(axes) == [*(f"round {number}" for number in range(1, 8)), "pooled"]


def test_score__leaves_out_what_has_no_score() -> None:
    made = frame_of([([1, 2, 3, 4], [1, None, 3, 5]), ([1, 2], [None, None])])
    axes = plot_score(made, "chars", ax=Figure().subplots())
    assert [len(points.get_offsets()) for points in axes.collections] == [3]  # type: ignore[arg-type]


def test_legend__is_bounded() -> None:
    made = frame_of([([1, 2, 3], [1, 2, 3])] * 30)
    texts = legend_texts(plot_score(made, "chars", ax=Figure().subplots()))
    assert len(texts) == LEGEND_ENTRIES + 2
    assert texts[-2:] == ["and 18 more rounds", "pooled"]


def test_rounds__are_told_apart_without_colour(frame: pd.DataFrame) -> None:
    axes = plot_score(frame, "chars", ax=Figure().subplots())
    shapes = {tuple(map(tuple, points.get_paths()[0].vertices)) for points in axes.collections}  # type: ignore[arg-type]
    assert len(shapes) == 7
    agents = plot_attribute(frame, "chars", ax=Figure().subplots())
    assert len({line.get_marker() for line in agents.lines}) == 5


def test_colours__differ_for_the_colour_blind() -> None:
    """Two colours that a dichromat confuses differ in no more than the axis that he lacks."""
    to_lms = np.array(
        [[0.31399022, 0.63951294, 0.04649755], [0.15537241, 0.75789446, 0.08670142],
         [0.01775239, 0.10944209, 0.87256922]]
    )  # fmt: skip
    seen_as = {"protan": [1, 2], "deutan": [0, 2], "tritan": [0, 1]}
    cones = np.array([colors.to_rgb(colour) for colour in COLOURS]) ** 2.2 @ to_lms.T
    for kept in seen_as.values():
        seen = cones[:, kept] ** (1 / 2.2)
        distances = np.linalg.norm(seen[:, None] - seen[None], axis=2)
        assert distances[~np.eye(len(COLOURS), dtype=bool)].min() > 0.08


def test_coefficients__are_drawn_as_the_result_has_them(frame: pd.DataFrame) -> None:
    result = correlate(frame)
    axes = plot_coefficients(result, ax=Figure().subplots())
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        one.attribute for one in result.attributes
    ]
    drawn = {
        (float(x), float(y)) for line in axes.lines[1:] for x, y in np.asarray(line.get_xydata())
    }
    for height, one in enumerate(result.attributes):
        if one.within.coefficient is not None:
            assert (one.within.coefficient, height) in drawn
            assert one.pooled is None or (one.pooled, height) in drawn
            xs = sorted(x for x, y in drawn if abs(y - height) < 0.4)
            assert {round(point.coefficient, 9) for point in one.within.rounds} <= {
                round(x, 9) for x in xs
            }
            if one.within.interval is not None:
                assert {(end, height) for end in one.within.interval} <= drawn
    assert [text.get_text() for text in axes.texts] == ["no variation"]


def test_controlled_coefficients__leave_the_control_out(frame: pd.DataFrame) -> None:
    axes = plot_coefficients(correlate(frame), controlled=True, ax=Figure().subplots())
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert "chars" not in names
    assert "pooled" not in legend_texts(axes)


def test_attribute__has_a_gap_where_an_agent_did_not_propose() -> None:
    made = pd.DataFrame({"round": [1, 3, 1, 2, 3], "agent_id": list("AABBB"), "chars": range(5)})
    first, second = plot_attribute(made, "chars", ax=Figure().subplots()).lines
    np.testing.assert_array_equal(first.get_xdata(), [1, 2, 3])
    np.testing.assert_array_equal(first.get_ydata(), [0, np.nan, 1])
    np.testing.assert_array_equal(second.get_ydata(), [2, 3, 4])


@pytest.fixture
def two_deliberations() -> pd.DataFrame:
    one = pd.DataFrame({"round": [1, 2, 4, 1], "agent_id": list("AAAB"), "chars": [1, 2, 3, 4]})
    return pd.concat([one.assign(deliberation=name) for name in "xy"], ignore_index=True)


def test_attribute__of_several_deliberations__has_a_line_an_agent_of_each(
    two_deliberations: pd.DataFrame,
) -> None:
    frame = two_deliberations.sample(frac=1, random_state=1)
    axes = plot_attribute(frame, "chars", within=["deliberation", "round"], ax=Figure().subplots())
    assert legend_texts(axes) == ["x, A", "x, B", "y, A", "y, B"]
    for line in axes.lines[::2]:
        np.testing.assert_array_equal(line.get_xdata(), [1, 2, 3, 4])
        np.testing.assert_array_equal(line.get_ydata(), [1, 2, np.nan, 3])
    (axes,) = plot_attributes(frame, attributes="chars", within=["deliberation", "round"])
    assert axes.get_xlabel() == "round"


def test_attribute__of_rows_that_no_round_tells_apart__is_an_error(
    two_deliberations: pd.DataFrame,
) -> None:
    with pytest.raises(FrameError, match=r"'A' stands twice in round 1: .* within names the col"):
        plot_attribute(two_deliberations, "chars", ax=Figure().subplots())
    with pytest.raises(FrameError, match="'round' has rows without a value"):
        plot_attribute(two_deliberations.assign(round=None), "chars", ax=Figure().subplots())


def test_attribute__rounds_far_apart__take_no_room_between() -> None:
    made = pd.DataFrame({"round": [1, 10**12], "agent_id": ["A", "A"], "chars": [1, 2]})
    (line,) = plot_attribute(made, "chars", ax=Figure().subplots()).lines
    np.testing.assert_array_equal(line.get_xdata(), [1, 2, 10**12])


def test_attributes__none_or_one_name(frame: pd.DataFrame) -> None:
    with pytest.raises(ArgumentError, match="attributes names no column"):
        plot_attributes(frame, attributes=[])
    (axes,) = plot_attributes(frame, attributes="chars")
    assert axes.get_ylabel() == "chars"


def test_score__tiny_ones__are_drawn() -> None:
    made = frame_of([([1, 2, 3], [1e-300, 2e-300, 3e-300])])
    axes = plot_score(made, "chars", ax=Figure().subplots())
    assert [len(points.get_offsets()) for points in axes.collections] == [3]  # type: ignore[arg-type]
    lay_out(axes)


def test_attributes__have_axes_each(frame: pd.DataFrame) -> None:
    axes = plot_attributes(frame)
    assert [one.get_ylabel() for one in axes] == list(ATTRIBUTE_NAMES)
    own = list(Figure().subplots(1, 2))
    assert plot_attributes(frame, attributes=["chars", "lines"], axes=own) == own
    with pytest.raises(ArgumentError, match="2 attributes need as many axes, not 1"):
        plot_attributes(frame, attributes=["chars", "lines"], axes=own[:1])


def test_unknown_attribute__is_an_error(frame: pd.DataFrame) -> None:
    with pytest.raises(FrameError, match="no column 'char'; did you mean 'chars'"):
        plot_score(frame, "char")


def test_axes_handed_in__need_no_pyplot() -> None:
    code = (
        "import sys, pandas as pd\n"
        "from matplotlib.figure import Figure\n"
        "from shape_magic.analysis.plots import plot_score\n"
        "frame = pd.DataFrame({'round': [1, 1, 1], 'chars': [1, 2, 3], 'conciseness': [3, 2, 1]})\n"
        "plot_score(frame, 'chars', ax=Figure().subplots())\n"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
