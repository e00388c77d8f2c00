"""What a key of the gateway allows."""

from enum import StrEnum


class Scope(StrEnum):
    """A right of a key. `admin` includes every other and sees the jobs of every owner."""

    SUBMIT = "submit"
    ANSWER = "answer"
    """Answer, instruct, rate: what a user says to a job."""
    READ = "read"
    OPERATE = "operate"
    """Replay, revise, fork, cancel; quarantine: all of its owner's jobs alone."""
    ADMIN = "admin"
    """What concerns every owner: pause a role, keys, sources, tickets; and everything of everybody."""


EVERYDAY = (Scope.SUBMIT, Scope.ANSWER, Scope.READ)
"""What a key may do when nothing else is said."""
