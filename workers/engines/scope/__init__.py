"""SCOPE and U-SQL: their scripts, the artefacts of their jobs, and what both say about a slow one."""
