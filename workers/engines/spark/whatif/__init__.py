"""What a change to a run would bring: its stages replayed with the change made (README.md beside this file)."""

from workers.engines.spark.whatif.estimate import Replay

__all__ = ["Replay"]
