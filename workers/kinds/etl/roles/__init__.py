"""The roles of an `etl` job: one module a role, thin, over its rules and the libraries."""
