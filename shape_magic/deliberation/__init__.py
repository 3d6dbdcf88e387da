"""Deliberations: proposals and evaluations in rounds, kept, read, searched and summarised."""

from shape_magic.deliberation.deliberation import Deliberation
from shape_magic.deliberation.proposal import Proposal

__all__ = ["Deliberation", "Proposal"]
