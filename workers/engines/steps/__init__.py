"""Typed business steps, printed as SQL of a dialect by way of a syntax tree."""

from workers.engines.steps.relations import Relations, spoken_names
from workers.engines.steps.statements import NotWritable, brought_columns, statements_of, written

__all__ = ["NotWritable", "Relations", "brought_columns", "spoken_names", "statements_of", "written"]
