"""The roles of a `diagnose` job."""
