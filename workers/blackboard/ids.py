"""Ids are UUIDv7, made by the application: they sort by time."""

from uuid import UUID

from uuid_utils.compat import uuid7


def new_id() -> UUID:
    """A new id. Later ids of the same process are greater."""
    return uuid7()
