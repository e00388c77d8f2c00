"""Postgres: the job's shared memory. Its values (`board.py`) know no database, so that the rules that read them do not either."""
