"""One module a role: thin, a step in and a report out."""
