"""The roles of the fleet, and their queues."""

from enum import StrEnum


class RoleName(StrEnum):
    """The roles that fill stages. Each role is a Celery task with its own queue."""

    CLASSIFIER = "classifier"
    FILE_RECOMMENDER = "file-recommender"
    RETRIEVER = "retriever"
    ANALYST = "analyst"
    ARCHITECT = "architect"
    DEVELOPER = "developer"
    REVIEWER = "reviewer"
    DIAGNOSER = "diagnoser"


COORDINATOR = "coordinator"
"""The boss's queue. It is not a role, since it fills no stage."""


def queue_name(role: str) -> str:
    """The broker queue of a role or of the coordinator."""
    return f"bullpen.{role}"


def task_name(role: str) -> str:
    """The name of the Celery task of a role or of the coordinator, as Flower shows it."""
    return f"bullpen.{role}"
