"""What a key of the gateway allows."""

from enum import StrEnum


class Scope(StrEnum):
    """A right of a key. `admin` includes every other and sees the jobs of every owner."""

    SUBMIT = "submit"
    ANSWER = "answer"
    """Answer, instruct, rate: what a user says to a job."""
    READ = "read"
    OPERATE = "operate"
    """Replay, revise, fork, cancel, quarantine, pause a role."""
    ADMIN = "admin"


EVERYDAY = (Scope.SUBMIT, Scope.ANSWER, Scope.READ)
"""What a key may do when nothing else is said."""
