"""Postgres: the job's shared memory."""

from workers.blackboard.engine import Database

__all__ = ["Database"]
