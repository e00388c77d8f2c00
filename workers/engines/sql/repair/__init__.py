"""Repair: the smallest change with which a refused statement runs."""

from workers.engines.sql.repair.search import DryRun, repair
from workers.engines.sql.repair.translate import translated

__all__ = ("DryRun", "repair", "translated")
