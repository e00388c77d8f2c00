"""Who may read the prompts and answers of a job's steps."""

from contracts.access import Scope
from workers.gateway.access.caller import Caller
from workers.reading.jobs import Job


def may_read_prompts(caller: Caller, job: Job) -> bool:
    """Prompts and answers hold everything that a job's owner said and may see: they are shown to the owner and to admins. Who operates
    the fleet does not need them."""
    return caller.may(Scope.ADMIN) or (caller.owner == job.owner and caller.may(Scope.READ))
