"""The artefacts of a job: kinds, their registry, and the parsers of those that are text."""
