"""Whole `tune` jobs in this process: from the upload of a bundle to its report."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

from contracts.jobs import EngineChoice, SubmitJob
from contracts.tune.plan import TuningReport
from workers.app.in_process import run_all
from workers.app.services import ProcessServices
from workers.blackboard.board_rows import read_board
from workers.bundles import bring as bring_files
from workers.coordinator.freshness import look
from workers.coordinator.intake import accept
from workers.reading.results import read_result
from workers.settings import Settings

SAMPLES = Path(__file__).parents[2] / "workers" / "kinds" / "tune" / "samples"


@contextmanager
def own_services(database_url: str, broker_url: str, folder: Path, **settings: Any) -> Generator[ProcessServices]:
    """Services without vectors, and with an artefact store of their own."""
    made = ProcessServices(
        Settings(database_url=database_url, broker_url=broker_url, embeddings="none", artefact_store=str(folder / "artefacts"), **settings)
    )
    yield made
    made.close()


def bring(services: ProcessServices, *paths: Path) -> str:
    """The reference of the bundle that these files are."""
    return bring_files(services.database, services.settings, list(paths), owner="default").ref


def tune(
    services: ProcessServices, paths: Sequence[Path], engine: EngineChoice = EngineChoice.RULES, session: UUID | None = None,
    **request: Any,
) -> UUID:  # fmt: skip
    """A job that was run as far as it goes."""
    job = {"kind": "tune", "bundle": bring(services, *paths), **request}
    wanted = SubmitJob(job=job, engine=engine, session_id=session)
    job_id = accept(services.database, wanted, owner_cap=100, has_model=services.settings.has_model).job_id
    run_all(services)
    return job_id


def content(services: ProcessServices, job_id: UUID, stage: str) -> dict[str, Any]:
    """What a stage yields by now."""
    current = look(read_board(services.database, job_id)).stages[stage].current
    assert current is not None, services.database.statement("SELECT stage, status, error FROM steps WHERE job_id = %(id)s", {"id": job_id})
    row = services.database.row("SELECT content FROM deliverables WHERE id = %(id)s", {"id": current.id})
    assert row is not None
    return row["content"]


def report_of(services: ProcessServices, job_id: UUID) -> TuningReport:
    """The result of a job that succeeded."""
    result = read_result(services.database, job_id)
    assert result is not None
    return TuningReport.model_validate(result.content)


def requests(services: ProcessServices, job_id: UUID) -> list[tuple[str, str, Any]]:
    """(asker, target, payload), in their order."""
    rows = services.database.statement("SELECT asker, target, payload FROM requests WHERE job_id = %(id)s ORDER BY id", {"id": job_id})
    return [(row["asker"], row["target"], row["payload"]) for row in rows]
