"""The roles of a `tune` job: one module a role, thin, over its rules."""
