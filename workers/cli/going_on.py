"""A job goes on after somebody changed it."""

from uuid import UUID

from contracts.statements import say
from workers.cli.context import services
from workers.cli.telling import warn


def set_going(job_id: UUID) -> None:
    """After a change of a job, let the boss look at it. A broker that is away is only a warning: the sweep sees to it."""
    if not services().set_going(job_id):
        warn(say("said.broker_away"))
