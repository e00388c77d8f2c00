"""Whole `etl` jobs in this process, on the sample shop."""

from pathlib import Path
from typing import Any
from uuid import UUID

from contracts.jobs import JobStatus
from contracts.pipelines.package import EtlPackage
from workers.blackboard.board_rows import read_board
from workers.coordinator.freshness import look
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.base import FinishedJob

MONTHS = "Build revenue_by_month: revenue per month and channel in 2026; schedule: 0 6 * * *"
SPECS = Path(__file__).parent / "specs"
FACTS = (SPECS / "customer_facts.yaml").read_text("utf-8")
"""Measures of several tables, as typed steps."""
FACTS_OF_FAILED = FACTS.replace("value: completed", "value: failed")


def package_of(job: FinishedJob) -> EtlPackage:
    """The result of a job that succeeded."""
    assert job.status is JobStatus.SUCCEEDED, job.error
    return EtlPackage.model_validate(job.result)


def content(bench: EmbeddedBench, job_id: UUID, stage: str) -> dict[str, Any]:
    """What a stage yields by now."""
    current = look(read_board(bench.database, job_id)).stages[stage].current
    assert current is not None
    row = bench.database.row("SELECT content FROM deliverables WHERE id = %(id)s", {"id": current.id})
    assert row is not None
    return row["content"]


def runs(bench: EmbeddedBench, job_id: UUID) -> list[str]:
    """The stages in the order in which steps were dispatched for them."""
    return [str(row["stage"]) for row in bench.steps(job_id)]


def requests(bench: EmbeddedBench, job_id: UUID) -> list[tuple[str, str, str, Any]]:
    """(kind, asker, target, payload), in their order."""
    rows = bench.database.statement("SELECT kind, asker, target, payload FROM requests WHERE job_id = %(id)s ORDER BY id", {"id": job_id})
    return [(row["kind"], row["asker"], row["target"], row["payload"]) for row in rows]
