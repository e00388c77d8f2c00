"""A finished job of each kind that ships, by the rules."""

from uuid import UUID

from contracts.base import Json
from contracts.diagnose.deliverables import PhenomenonQuestion
from tests.support.console import job_of
from tests.support.tune_jobs import SAMPLES, bring
from workers.app.in_process import run_all
from workers.app.services import ProcessServices
from workers.catalogue import offer_sample
from workers.coordinator.actions import answer
from workers.kinds.diagnose.samples import sample_incident, sample_tickets_path
from workers.reading.questions import read_questions
from workers.tickets import import_tickets, read_tickets

SHIPPED = ("diagnose", "ask", "analyze", "tune", "etl")


def prepare(services: ProcessServices, kind: str) -> None:
    """What a job of this kind needs to be there: the tickets that ship, or the sample source."""
    if kind == "diagnose":
        import_tickets(services.database, None, read_tickets(sample_tickets_path()))
    if kind in ("ask", "etl"):
        offer_sample(services.database, services.settings.data_dir)


def diagnosed(services: ProcessServices) -> UUID:
    incident = sample_incident()
    job = job_of(services, "default", {"kind": "diagnose", "description": incident.description}, engine="rules")
    for _ in range(8):
        question = next((found for found in read_questions(services.database, job) if found.is_open), None)
        if question is None:
            break
        answer(services.database, job, incident.answer(PhenomenonQuestion.model_validate(question.payload["detail"])))
        run_all(services)
    return job


def done(services: ProcessServices, kind: str) -> UUID:
    """A finished job of a kind, asked for in English where its data are: what is shown of it is the reader's."""
    if kind == "diagnose":
        return diagnosed(services)
    requests: dict[str, Json] = {
        "ask": {"question": "revenue per month in 2026", "source": "shop"},
        "analyze": {"question": "帮我分析一下港湾新区的弱覆盖"},
        "etl": {"requirement": "Build region_revenue: revenue per region in 2026", "source": "shop"},
        "tune": {"description": "the nightly job is slow"},
    }
    request: Json = {**requests[kind], "kind": kind}
    if kind == "tune":
        request["bundle"] = bring(services, SAMPLES / "spark_skew")
    return job_of(services, "default", request, engine="rules")
