"""Read-only sessions, an engine a module: lock 4."""
