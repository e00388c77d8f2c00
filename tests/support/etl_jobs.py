"""Whole `etl` jobs in this process, on the sample shop."""

from typing import Any
from uuid import UUID

from contracts.jobs import JobStatus
from contracts.pipelines.package import EtlPackage
from workers.blackboard.board_rows import read_board
from workers.coordinator.freshness import look
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.base import FinishedJob

MONTHS = "Build a table revenue_by_month: revenue per month and channel in 2026. Runs daily at 6."
FACTS = (
    "Build customer_facts, one row for each customer: customer_id; name; orders (number of orders); completed (number of orders with "
    "status = 'completed'); spent (sum of quantity * unit_price of order items, 0 if none); last_order (latest ordered_at)."
)


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
