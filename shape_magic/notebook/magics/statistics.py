"""`%effects` and `%compare_arms`: what the scores of the session's deliberation go with."""

import argparse
from typing import TYPE_CHECKING, Final

from IPython.core.error import UsageError
from IPython.core.magic import magics_class

from shape_magic.notebook.magics.options import SessionMagics, argument, declare, variable_name
from shape_magic.wording import one_line

if TYPE_CHECKING:
    import pandas as pd

    from shape_magic.analysis import Comparison, Parts

__all__ = ["StatisticsMagics"]

_SCORE: Final = argument(
    "--score",
    default="conciseness",
    metavar="NAME",
    help="the score: a category or endorsement_weight; conciseness by default",
)
_FRAME: Final = argument(
    "--frame",
    type=variable_name,
    metavar="NAME",
    help="the variable that holds a data frame, in place of the session's evaluations",
)


@magics_class
class StatisticsMagics(SessionMagics):
    """The magics that hold scores against shape."""

    @declare(
        "line",
        "effects",
        argument(
            "attributes",
            nargs="*",
            metavar="ATTRIBUTE",
            help="what may go with the score; by default length and six of structure",
        ),
        _SCORE,
        argument("--arm", metavar="NAME", help="the arm, where there are evaluations of several"),
        _FRAME,
    )
    def effects(self, options: argparse.Namespace) -> "Parts":
        """Say what the evaluators' scores go with, each attribute beside the others."""
        # Here, since the extra `analysis` may not be installed, and then says so.
        from shape_magic import analysis

        asked = {"attributes": options.attributes} if options.attributes else {}
        return analysis.effects(self._frame(options), score=options.score, arm=options.arm, **asked)

    @declare(
        "line",
        "compare_arms",
        argument("first", help="the arm that is compared with"),
        argument("second", help="the arm whose change is asked for"),
        argument(
            "--attribute",
            default="chars",
            metavar="NAME",
            help="what the slope is on; chars by default",
        ),
        _SCORE,
        _FRAME,
    )
    def compare_arms(self, options: argparse.Namespace) -> "Comparison":
        """Say what the second arm's scores have over the first's, on the same texts."""
        from shape_magic import analysis

        return analysis.compare_arms(
            self._frame(options),
            options.first,
            options.second,
            attribute=options.attribute,
            score=options.score,
        )

    def _frame(self, options: argparse.Namespace) -> "pd.DataFrame":
        if options.frame is None:
            return self.session.deliberation.evaluations_frame()
        import pandas as pd

        frame = self.session.lookup(options.frame)
        if not isinstance(frame, pd.DataFrame):
            kind = one_line(type(frame).__name__)
            raise UsageError(f"--frame {options.frame} is of type {kind}; it takes a DataFrame")
        return frame
