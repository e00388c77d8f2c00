"""`/v1/jobs/{job_id}/rows`: all rows of a job's result as a file. Its statement runs again, with the rights and limits of the owner; an
analysis holds the rows of its tables."""

import shutil
import tempfile
from enum import StrEnum
from pathlib import Path
from urllib.parse import quote
from uuid import UUID

from fastapi import APIRouter
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from workers.gateway.access.caller import Here, MayRead
from workers.gateway.bodies import StrictRoute
from workers.kinds.about import by_person
from workers.kinds.shown import rows_of
from workers.operations import jobs as operations
from workers.sources import Sources

router = APIRouter(prefix="/v1/jobs/{job_id}", tags=["results"], route_class=StrictRoute)


class RowsForm(StrEnum):
    """What the rows are written as."""

    CSV = "csv"
    PARQUET = "parquet"


_MEDIA = {RowsForm.CSV: "text/csv", RowsForm.PARQUET: "application/vnd.apache.parquet"}
_FILE = {"schema": {"type": "string", "format": "binary"}}


@router.get("/rows", response_class=FileResponse, responses={200: {"content": dict.fromkeys(_MEDIA.values(), _FILE)}})
def rows(here: Here, caller: MayRead, job_id: UUID, format: RowsForm = RowsForm.CSV, exact: bool = False) -> FileResponse:
    """The rows, as an attachment. `X-Bullpen-Rows` counts them; `X-Bullpen-Cut` (`rows`, `bytes` or `time`) names the limit of the source
    that ended them early; `X-Bullpen-Guarded` counts texts of a CSV file that got an apostrophe, so that no spreadsheet runs them, unless
    `exact` is true; `X-Bullpen-By-Person` names the stages that a person wrote or edited, and then the file's name ends with `-edited`.
    409 for a job that ran no statement."""
    from workers.sources.exporting import export_rows, export_statement  # loads DuckDB

    facts = operations.job(here, caller, job_id)
    job, wanted = facts.job, rows_of(facts)
    folder = Path(tempfile.mkdtemp(prefix="bullpen-rows-"))
    try:
        to = folder / f"rows.{format.value}"
        if wanted.columns:
            done = export_rows(wanted.columns, wanted.rows, is_cut=wanted.is_cut, to=to, exact=exact)
        else:
            sources = Sources(here.db, here.settings.data_dir)
            done = export_statement(sources, wanted.source, wanted.statement, owner=job.owner, job_id=job_id, to=to, exact=exact)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    headers = {"X-Bullpen-Rows": str(done.rows), "X-Bullpen-Guarded": str(done.guarded)}
    headers |= {} if done.cut is None else {"X-Bullpen-Cut": done.cut}
    edited = ",".join(quote(stage.name) for stage in by_person(facts))
    headers |= {"X-Bullpen-By-Person": edited} if edited else {}
    called = f"{job_id}{'-edited' if edited else ''}.{format.value}"
    gone = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
    return FileResponse(to, media_type=_MEDIA[format], filename=called, headers=headers, background=gone)
