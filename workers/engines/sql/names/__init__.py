"""Names: which table each column of a statement comes from, or which known names are near."""

from workers.engines.sql.names.known import KnownTables
from workers.engines.sql.names.model import NameProblem, NameProblemKind, Output, Resolved, ResolvedColumn, Scope, Source
from workers.engines.sql.names.nearest import likeness, nearest
from workers.engines.sql.names.resolver import resolve

__all__ = (
    "KnownTables",
    "NameProblem",
    "NameProblemKind",
    "Output",
    "Resolved",
    "ResolvedColumn",
    "Scope",
    "Source",
    "likeness",
    "nearest",
    "resolve",
)
