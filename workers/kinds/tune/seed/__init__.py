"""The `seed` profile: the keyword scores of the source document, kept beside our recommender so that both are measured.

Its formulas are kept as they were written, with their faults, which tests document. What the document leaves open is noted where it is
decided."""

from workers.kinds.tune.seed.profile import check

__all__ = ["check"]
