"""Evaluations for those who work on Bullpen: `python -m tests.evals.NAME`. What users run on their own data is `bullpen eval`."""
