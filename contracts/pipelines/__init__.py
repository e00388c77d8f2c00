"""Pipelines of SQL: business steps, workflows, scripts, trials, reviews and packages, as libraries and kinds exchange them."""
