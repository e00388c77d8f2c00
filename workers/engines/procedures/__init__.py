"""Procedures of skills: read from YAML, drawn as a graph, and followed: what is due next is a pure function."""

from workers.engines.procedures.due import Due, draws, find_due, first_asked, reachable, scope_of, suggestions
from workers.engines.procedures.graph import as_mermaid, as_text
from workers.engines.procedures.reading import ProcedureFault, ProcedureRead, read_procedure

__all__ = [
    "Due", "ProcedureFault", "ProcedureRead", "as_mermaid", "as_text", "draws", "find_due", "first_asked", "reachable", "read_procedure",
    "scope_of", "suggestions",
]  # fmt: skip
