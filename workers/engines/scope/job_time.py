"""Where the time of a SCOPE job went: its stages by how long each took. Several run at once, so they do not add up to the job."""

from contracts.spark_time import StageTime, TimeAccount
from workers.engines.scope.job import ScopeJob

MOST_STAGES = 5


def stage_times(job: ScopeJob) -> TimeAccount | None:
    """The longest stages; None where no artefact tells how long job or stages took."""
    if not job.job_ms or not job.stage_ms:
        return None
    ranked = sorted(job.stage_ms.items(), key=lambda timed: (-timed[1], timed[0]))[:MOST_STAGES]
    return TimeAccount(
        wall_ms=job.job_ms, stages=tuple(StageTime(stage_id=number, name=job.name(number), ms=float(took)) for number, took in ranked)
    )
