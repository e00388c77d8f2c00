"""Typed business steps, printed as SQL of a dialect by way of a syntax tree."""

from workers.engines.steps.relations import Relations, spoken_names
from workers.engines.steps.statements import statements_of

__all__ = ["Relations", "spoken_names", "statements_of"]
