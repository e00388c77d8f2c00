"""Alembic migrations of the blackboard."""
