"""The terminal: one file a command group, thin over coordinator and blackboard."""
