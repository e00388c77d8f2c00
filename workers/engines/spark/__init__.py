"""Spark: what its event logs measured, and what is wrong with a run."""
