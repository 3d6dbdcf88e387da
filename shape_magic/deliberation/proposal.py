"""A proposal: what an agent proposed in a round, together with its measurement."""

from collections.abc import Mapping

import msgspec

from shape_magic.shape import Anchor, Evidence, Measurement, Note, Shape
from shape_magic.vocabulary import LineKind

__all__ = ["Proposal"]


class Proposal(msgspec.Struct, frozen=True):
    """One version of what an agent proposed in one round.

    What its measurement holds can be asked of the proposal itself: `proposal.shape` is
    `proposal.measurement.shape`, and so on.
    """

    agent_id: str
    round: int
    version: int
    content: str
    """The final solution, verbatim as it was proposed."""
    thought_process: str
    measurement: Measurement
    previous_shape: Shape | None = None
    """The shape of the agent's latest earlier version, in this round or before."""

    @property
    def shape(self) -> Shape:
        """The eight attributes."""
        return self.measurement.shape

    @property
    def outline(self) -> tuple[Anchor, ...]:
        """The anchors."""
        return self.measurement.outline

    @property
    def text(self) -> str:
        """The readable form: what every line number refers to."""
        return self.measurement.text

    @property
    def kind(self) -> str:
        """The kind of content."""
        return self.measurement.kind

    @property
    def analyzer(self) -> str:
        """The analyzer's name and version."""
        return self.measurement.analyzer

    @property
    def kinds(self) -> tuple[LineKind, ...]:
        """What each line is."""
        return self.measurement.kinds

    @property
    def evidence(self) -> Mapping[str, tuple[Evidence, ...]]:
        """For each attribute, the lines it was counted from."""
        return self.measurement.evidence

    @property
    def notes(self) -> tuple[Note, ...]:
        """Where a number surprises."""
        return self.measurement.notes
