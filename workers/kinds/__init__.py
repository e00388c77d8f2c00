"""The kinds of jobs: a folder each, and what they have in common."""
