"""Spark event logs: found, decompressed, read line by line, and reduced to the facts of a run."""

from workers.engines.spark.eventlog.limits import KeepLimits, ReadLimits
from workers.engines.spark.eventlog.run import read_run

__all__ = ["KeepLimits", "ReadLimits", "read_run"]
