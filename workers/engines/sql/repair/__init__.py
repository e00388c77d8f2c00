"""Repair: the smallest change with which a refused statement runs."""

from workers.engines.sql.repair.search import DryRun, repair

__all__ = ("DryRun", "repair")
