"""Tuning of a slow job: what its run measured. Pure functions; files are read and never written."""
