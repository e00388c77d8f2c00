"""What to read next, and whether enough is known: our recommender, and the source document's for comparison (`recommend.seed`)."""

from workers.kinds.tune.rules.recommend.first import first_reads
from workers.kinds.tune.rules.recommend.ours import check

__all__ = ["check", "first_reads"]
