"""Drives jobs to where they stop by themselves, without worker processes: claims what is queued and runs it here."""

from celery.exceptions import Retry

from contracts.commands import RunStep
from workers.app.run_step import advance_and_publish, run_step
from workers.app.services import ProcessServices


def run_all(services: ProcessServices, *, most: int = 200) -> int:
    """Advance every undecided job and run every queued step that is due, until nothing is left; how many runs it took."""
    runs = 0
    while True:
        for row in services.database.statement("SELECT id FROM jobs WHERE rev <> decided_rev AND admitted ORDER BY id"):
            advance_and_publish(services, row["id"])
        steps = services.database.statement(
            "SELECT id, job_id, stage FROM steps WHERE status = 'queued' AND due_at <= now() ORDER BY priority DESC, id"
        )
        if not steps:
            return runs
        for step in steps:
            runs += 1
            assert runs <= most, "the jobs do not come to an end"
            run_once(services, RunStep(job_id=step["job_id"], step_id=step["id"], stage=step["stage"]))


def run_once(services: ProcessServices, command: RunStep) -> str:
    """Run one step; `retry` when it wants to be tried again."""
    try:
        return run_step(services, command)
    except Retry:
        return "retry"
