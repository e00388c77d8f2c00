"""What a change to a run would bring: its stages replayed with the change made (docs/tuning-whatif.md)."""

from workers.engines.spark.whatif.estimate import estimate

__all__ = ["estimate"]
