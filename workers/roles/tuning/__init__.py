"""The roles of a `tune` job: one module a role, thin, over the engine in workers/engines/tuning."""
