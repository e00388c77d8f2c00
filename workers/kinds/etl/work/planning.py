"""Queries of scripts planned by the source itself, as the job's owner through the five locks."""

from uuid import UUID

from contracts.sources import Lock
from workers.engines.pipelines import Reply, SourceReply
from workers.errors import NotFound, SourceUnavailable, StatementFailed, StatementRefused
from workers.sources import Sources


def plan_at_source(
    sources: Sources, source: str, owner: str, query: str, *, job_id: UUID | None = None, step_id: UUID | None = None
) -> SourceReply:
    """What becomes of a query at the source. Its engine's error and a name that it does not have speak against the query; any other lock,
    or a source that does not answer, only means that nobody knows. `job_id` and `step_id` go into the audit."""
    try:
        sources.plan(source, query, owner=owner, job_id=job_id, step_id=step_id)
    except StatementFailed as error:
        return SourceReply(Reply.REFUSED, str(error))
    except StatementRefused as error:
        return SourceReply(Reply.REFUSED if error.lock is Lock.KNOWN else Reply.NOT_TAKEN, str(error))
    except (SourceUnavailable, NotFound) as error:
        return SourceReply(Reply.NOT_TAKEN, str(error))
    return SourceReply(Reply.PLANNED)
