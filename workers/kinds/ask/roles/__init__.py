"""The roles of an `ask` job: one module a role, thin, over its rules and the floor's libraries."""
