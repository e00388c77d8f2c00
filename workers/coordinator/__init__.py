"""The boss: what is missing or stale is dispatched; holds no knowledge of any domain."""
