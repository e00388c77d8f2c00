"""The roles of an `analyze` job: one module a role, thin, over its rules and the floor's libraries."""
