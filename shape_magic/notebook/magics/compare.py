"""`%shape_compare`: two candidates, or two rounds of one, side by side."""

import re
from typing import TYPE_CHECKING, Final

from IPython.core.magic import Magics, magics_class

from shape_magic.deliberation.proposal import Proposal
from shape_magic.notebook.magics.declare import argument, declare, output_argument
from shape_magic.notebook.magics.options import bad_usage, bind, parse
from shape_magic.notebook.session import Session

if TYPE_CHECKING:
    from shape_magic.notebook.compare import Comparison

__all__ = ["CompareMagics"]

_AT_ROUND: Final = re.compile(r"(?P<agent_id>.+)@(?P<round>[0-9]+)", re.DOTALL)


@magics_class
class CompareMagics(Magics):
    """The magic that compares."""

    def __init__(self, session: Session) -> None:
        super().__init__(shell=session.shell)
        self.session = session

    @declare(
        "line",
        "shape_compare",
        argument(
            "agent_ids",
            nargs=2,
            metavar="AGENT_ID[@ROUND]",
            help="whose proposal, of the latest round where none is named",
        ),
        output_argument(),
    )
    def shape_compare(self, line: str) -> "Comparison":
        """Show two proposals side by side, the second's differences to the first."""
        from shape_magic.notebook.compare import compare

        options = parse(CompareMagics.shape_compare, line)
        with bad_usage():
            left, right = (self._proposal(name) for name in options.agent_ids)
        comparison = compare(left, right, registry=self.session.registry)
        bind(self.session.shell, options.output, comparison)
        return comparison

    def _proposal(self, name: str) -> Proposal:
        deliberation = self.session.deliberation
        named = _AT_ROUND.fullmatch(name)
        # An id may hold an @ itself: as it stands, it is meant before its part is.
        if named is None or name in deliberation.agents():
            return deliberation.proposal(name)
        return deliberation.proposal(named["agent_id"], round=int(named["round"]))
