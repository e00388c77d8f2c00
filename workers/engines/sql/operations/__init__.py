"""The operations of SQL scripts, with their places: what a job does, read without running it."""
