"""Explain: what a statement computes, in words, query by query and clause by clause."""

from workers.engines.sql.explain.explanation import explain, statements_of

__all__ = ("explain", "statements_of")
