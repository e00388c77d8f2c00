"""Tuning of a slow job: what its run measured (`eventlog`), what is wrong with it (`verdicts`), where that comes from (`blame`) and
what it suffers from most (`classify`). Pure functions; files are read and never written. `findings.find` is the way in; a plan of
fixes starts from the `Findings` it gives: the problems of the chosen class, each with its figures and its origin."""
