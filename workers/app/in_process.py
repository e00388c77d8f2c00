"""A fleet of one process: jobs are driven to where they stop by themselves, without a broker that carries anything.

The same boss, claims, roles and reports as in the fleet; the rows alone say what is next. For evaluations and tests.
"""

from celery.exceptions import Retry

from contracts.commands import RunStep
from workers.app.run_step import advance_and_publish, run_step
from workers.app.services import ProcessServices
from workers.coordinator.sweeper import admit_jobs
from workers.errors import EngineError

MOST_RUNS = 200
"""Steps of one call: more is a plan that does not come to its end."""


def run_all(services: ProcessServices, *, most: int = MOST_RUNS) -> int:
    """Let in what waits and has room, advance every undecided job and run every queued step that is due, until nothing is left; how many
    runs it took.

    A step that is to be tried again later is left queued. Raises `EngineError` after `most` runs.
    """
    runs = 0
    while True:
        admit_jobs(services.database, owner_cap=services.settings.owner_cap)
        for row in services.database.statement("SELECT id FROM jobs WHERE rev <> decided_rev AND admitted ORDER BY id"):
            advance_and_publish(services, row["id"])
        steps = services.database.statement(
            "SELECT id, job_id, stage, attempt + 1 AS attempt FROM steps "
            "WHERE status = 'queued' AND due_at <= now() ORDER BY priority DESC, id"
        )
        if not steps:
            return runs
        for step in steps:
            runs += 1
            if runs > most:
                raise EngineError(f"The jobs did not come to an end in {most} steps. Look at one: bullpen why {step['job_id']}")
            run_once(services, RunStep(job_id=step["job_id"], step_id=step["id"], stage=step["stage"], attempt=step["attempt"]))


def run_once(services: ProcessServices, command: RunStep) -> str:
    """Run one step; what became of it in one word, `retry` when it wants to be tried again."""
    try:
        return run_step(services, command)
    except Retry:
        return "retry"
