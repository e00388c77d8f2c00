"""Diagnosis of an incident from the history of tickets: read answers, weigh causes, ask or conclude. Pure functions.

Import the modules themselves: a reader of reports needs the wording only, not the grammar of answers.
"""
