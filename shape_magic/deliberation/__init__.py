"""Deliberations: proposals and evaluations in rounds, kept, read, searched and summarised."""
