"""The shared memory of jobs, in Postgres. Its values (`board.py`) import no database code, so that the boss's rules import none either."""
