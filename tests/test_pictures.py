"""Pictures: drawn with six rounds and with 100, ids as they are, axes in and out."""

import subprocess
import sys
from collections.abc import Callable

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from shape_magic.analysis import (
    compare_arms,
    effects,
    evaluators,
    plot_arms,
    plot_effects,
    plot_evaluators,
    plot_ranking,
    plot_rounds,
    plot_slope,
    ranking,
)
from shape_magic.errors import ArgumentError, FrameError
from tests.worlds import two_arms

matplotlib.use("Agg")

PICTURES: dict[str, Callable[[pd.DataFrame, Axes | None], Axes]] = {
    "slope": lambda frame, ax: plot_slope(frame, arm="control", ax=ax),
    "rounds": lambda frame, ax: plot_rounds(frame, arm="control", ax=ax),
    "effects": lambda frame, ax: plot_effects(
        effects(frame, attributes=["chars", "nobody"], arm="control"), ax=ax
    ),
    "arms": lambda frame, ax: plot_arms(compare_arms(frame, "control", "default"), ax=ax),
    "ranking": lambda frame, ax: plot_ranking(ranking(frame, arm="control"), ax=ax),
}


def frame_of(rounds: int, seed: int = 2) -> pd.DataFrame:
    frame = two_arms(np.random.default_rng(seed), rounds, 5)
    frame["agent_id"] = frame["agent_id"].map(
        {0: "_$x$", 1: "\x1b[31m", 2: "$", 3: "Ann", 4: "B\n"}
    )
    return frame.assign(nobody=0.0)


def lay_out(axes: Axes) -> list[str]:
    """Draw a picture, which fails where its text cannot be drawn, and give its texts."""
    figure = axes.figure
    assert isinstance(figure, Figure)
    figure.canvas.draw()
    return [text.get_text() for text in figure.findobj(matplotlib.text.Text)]


@pytest.mark.parametrize("rounds", [1, 6, 100])
@pytest.mark.parametrize("picture", PICTURES)
def test_picture__is_drawn_on_axes_that_are_handed_in(picture: str, rounds: int) -> None:
    own = Figure().subplots()
    assert PICTURES[picture](frame_of(rounds), own) is own
    lay_out(own)


@pytest.mark.parametrize("picture", PICTURES)
def test_picture__without_axes_makes_a_figure(picture: str) -> None:
    from matplotlib import pyplot

    lay_out(PICTURES[picture](frame_of(6), None))
    pyplot.close("all")


def test_ranking__names_agents_as_they_are() -> None:
    texts = lay_out(PICTURES["ranking"](frame_of(6), Figure().subplots()))
    assert {"_$x$", "[U+001B][31m", "$", "Ann", "B[U+000A]"} <= set(texts)


def test_slope__has_a_line_a_round_the_slope_and_the_line_through_all_points() -> None:
    axes = PICTURES["slope"](frame_of(6), Figure().subplots())
    assert len(axes.lines) == 1 + 6 + 2
    legend = axes.get_legend()
    assert legend is not None
    labels = [text.get_text() for text in legend.get_texts()]
    assert labels[0] == "a round's own line"
    assert labels[1].startswith("slope within rounds: ")
    assert labels[2] == "through all points"


def test_rounds__has_a_point_a_round() -> None:
    axes = PICTURES["rounds"](frame_of(100), Figure().subplots())
    assert len(np.asarray(axes.lines[-1].get_xdata())) == 100
    assert (np.abs(np.asarray(axes.lines[-1].get_ydata())) <= 1).all()


def test_effects__an_attribute_without_a_slope_says_why() -> None:
    assert " nobody has nobody" in lay_out(PICTURES["effects"](frame_of(8), Figure().subplots()))


def test_evaluators__take_three_axes() -> None:
    frame = frame_of(8)
    frame = frame[frame["arm"] == "control"]
    both = pd.concat([frame.assign(evaluator_agent_id=name) for name in ("$a$", "b")])
    result = evaluators(both)
    own = list(Figure().subplots(1, 3))
    assert plot_evaluators(result, axes=own) == own
    assert "$a$" in lay_out(own[0])
    with pytest.raises(ArgumentError, match="drawn on 3 axes, not on 1"):
        plot_evaluators(result, axes=own[:1])


def test_unknown_attribute__is_an_error() -> None:
    with pytest.raises(FrameError, match="no column 'char'; the nearest are 'chars'"):
        plot_slope(frame_of(6), "char", arm="control")


def test_axes_handed_in__need_no_pyplot() -> None:
    code = (
        "import sys, pandas as pd\n"
        "from matplotlib.figure import Figure\n"
        "from shape_magic.analysis import plot_slope\n"
        "frame = pd.DataFrame({'round': [1, 1, 1], 'agent_id': ['a', 'b', 'c'],\n"
        "                      'chars': [1, 2, 3], 'conciseness': [3, 2, 1]})\n"
        "plot_slope(frame, 'chars', ax=Figure().subplots())\n"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
