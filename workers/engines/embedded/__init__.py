"""Embedded engines (DuckDB, SQLite) in processes of their own, with limits that the operating system holds.

A function of an engine can take more memory than the engine's own limit, cannot be interrupted while it does, and a damaged file can
end the process that reads it. So a user's SQL runs in a child, and a user's database or data file is opened there: it has a limit of
address space and processor time, and it is killed when its answer is late. Children are forks of a process that has imported the
engines and never used one (`zygote`): one costs about 2 ms, and a new interpreter would cost 250.

This file imports nothing, because the children load it.
"""
