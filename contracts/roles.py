"""The roles of the fleet, and so its queues."""

from enum import StrEnum


class RoleName(StrEnum):
    """Who may fill a stage. Each role is one Celery task on a queue of its own."""

    CLASSIFIER = "classifier"
    FILE_RECOMMENDER = "file-recommender"
    RETRIEVER = "retriever"
    ANALYST = "analyst"
    ARCHITECT = "architect"
    DEVELOPER = "developer"
    REVIEWER = "reviewer"
    DIAGNOSER = "diagnoser"


COORDINATOR = "coordinator"
"""The boss's own queue. Not a role: it fills no stage."""


def queue_name(role: str) -> str:
    """The broker queue of a role or of the coordinator."""
    return f"bullpen.{role}"


def task_name(role: str) -> str:
    """The Celery task of a role or of the coordinator: what Flower shows."""
    return f"bullpen.{role}"
