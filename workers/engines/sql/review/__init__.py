"""Review: defects of a statement or script, each shown on a few rows where it can be."""

from workers.engines.sql.review.reviewing import review

__all__ = ("review",)
