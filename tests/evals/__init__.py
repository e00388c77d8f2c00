"""Evaluations that score answers: run with `python -m tests.evals.NAME`."""
