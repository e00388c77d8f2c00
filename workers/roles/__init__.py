"""The common parts of roles: the step's context, the reasoning step, and the registry of tasks."""
