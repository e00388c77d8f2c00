"""A fleet that has played: jobs of every kind, done, waiting, failed and at work, so that every page of the console has something on it."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote
from uuid import UUID

import tests.support.noop  # noqa: F401  # pyright: ignore[reportUnusedImport]  registers the kind
from contracts.access import Scope
from contracts.base import Json
from contracts.diagnose.deliverables import PhenomenonQuestion
from contracts.jobs import EngineChoice
from tests.support.etl_jobs import FACTS, MONTHS
from tests.support.tune_jobs import SAMPLES, bring
from workers.app.in_process import run_all
from workers.app.services import ProcessServices
from workers.app.submitting import submit
from workers.blackboard.quarantine import put
from workers.catalogue import offer_sample
from workers.coordinator.actions import answer
from workers.coordinator.intake import read_submission
from workers.coordinator.replay import fork, replay_stage
from workers.gateway.access.keys import create_key
from workers.kinds.diagnose.samples import sample_incident, sample_tickets_path
from workers.reading.questions import read_questions
from workers.tickets import import_tickets, read_tickets

OWNER = "default"
MOST_ANSWERS = 8

FAN_OUT = (
    "SELECT c.region, SUM(p.amount) AS revenue FROM customers c JOIN orders o ON o.customer_id = c.customer_id "
    "JOIN payments p ON p.order_id = o.order_id JOIN order_items i ON i.order_id = o.order_id GROUP BY c.region"
)
"""Wrong on purpose: each payment is counted once for each item of its order."""


@dataclass(slots=True)
class Played:
    """What was played."""

    services: ProcessServices
    jobs: dict[str, UUID] = field(default_factory=dict[str, UUID])
    sessions: dict[str, UUID] = field(default_factory=dict[str, UUID])
    quarantined: list[UUID] = field(default_factory=list[UUID])

    def job(self, name: str, request: Json, *, run: bool = True, **submission: Any) -> UUID:
        """A job that has run as far as it goes by itself."""
        body = {"job": request, "owner": OWNER, "engine": EngineChoice.RULES.value, **submission}
        made = submit(self.services, read_submission(body))
        self.jobs[name] = made.job_id
        if run:
            run_all(self.services)
        return made.job_id

    def answer(self, name: str, text: str) -> None:
        """Answer the open question of a job, and run it on."""
        answer(self.services.database, self.jobs[name], text)
        run_all(self.services)

    def open_question(self, name: str) -> Any:
        """The detail of the question that a job asks; None: it asks none."""
        found = [question for question in read_questions(self.services.database, self.jobs[name]) if question.is_open]
        return found[0].payload.get("detail") if found else None

    def pages(self) -> dict[str, str]:
        """Name → address of every page, with the parameters that fill it."""
        plain = (
            "home",
            "jobs",
            "new",
            "chat",
            "tickets",
            "tickets/import",
            "catalogue",
            "sources",
            "systems",
            "skills",
            "fleet",
            "quarantine",
            "usage",
            "keys",
            "design",
            "spec",
            "plan",
        )
        found = {name: f"/console/{name}" for name in plain} | {"home": "/console"}
        found |= {f"new-{kind}": f"/console/new/{kind}" for kind in ("diagnose", "tune", "etl", "ask", "analyze")}
        found |= {f"job-{name}": f"/console/jobs/{job_id}" for name, job_id in self.jobs.items()}
        found |= {f"chat-{name}": f"/console/chat/{session}" for name, session in self.sessions.items()}
        tune, etl, mended = (f"/console/jobs/{self.jobs[name]}" for name in ("tune", "etl", "mended"))
        found |= {f"tune-{part}": f"{tune}/result/{part}" for part in ("time", "fixes", "evidence")}
        found |= {f"etl-{part}": f"{etl}/result/{part}" for part in ("design", "sql", "lineage", "review")}
        found |= {
            "etl-files": f"{etl}/files",
            "etl-stage-script": f"{etl}/stages/{quote('script/1', safe='')}",
            "etl-stage-review-stopped": f"{mended}/stages/development_review?version=2",
            "tune-feedback": f"{tune}/feedback",
            "stage-input": f"{tune}/stages/input",
            "tickets-found": "/console/tickets?text=lock",
            "ticket": "/console/tickets/show/PG-0001",
            "catalogue-found": "/console/catalogue?text=orders",
            "catalogue-table": "/console/catalogue/show/shop.main.orders",
            "source": "/console/sources/shop",
            "skill": "/console/skills/tune-skew",
            "quarantine-entry": f"/console/quarantine/{self.quarantined[0]}",
            "error": "/console/jobs/00000000-0000-0000-0000-000000000000",
            "login": "/console/login",
            "stage-inspected": f"{etl}?stage={quote('script/1', safe='')}",
            "jobs-filtered": "/console/jobs?status=failed",
            "jobs-none": "/console/jobs?kind=tune&status=cancelled",
            "tickets-none": "/console/tickets?text=nothing-like-it",
            "catalogue-none": "/console/catalogue?text=nothing-like-it",
            "not-found": "/console/nowhere",
            "broken": "/console/broken",
        }
        return found


def play(services: ProcessServices) -> Played:
    """Play jobs of every kind. Takes about a minute."""
    played, db = Played(services), services.database
    import_tickets(db, None, read_tickets(sample_tickets_path()))
    offer_sample(db, services.settings.data_dir)
    _diagnose(played)
    _talk(played)
    played.job("tune", {"kind": "tune", "bundle": bring(services, SAMPLES / "spark_skew"), "description": "the nightly job is slow"})
    played.job("etl", {"kind": "etl", "spec": FACTS, "source": "shop"})
    played.job("months", {"kind": "etl", "requirement": MONTHS, "source": "shop"})
    played.job(
        "etl-asks",
        {"kind": "etl", "requirement": "Build region_revenue: revenue per region in 2026; partition_by: day", "source": "shop"},
    )
    played.job("mended", {"kind": "etl", "requirement": "Build region_revenue: revenue per region in 2026.", "source": "shop"})
    replay_stage(db, played.jobs["mended"], "script/1", edit={"sql": FAN_OUT})
    run_all(services)
    played.jobs["fork"] = fork(db, played.jobs["mended"], "script/1", edit={"sql": FAN_OUT})
    run_all(services)
    played.job("failed", {"kind": "noop", "text": "a step that breaks", "plan": {"s1": {"break": True}}})
    played.quarantined = [
        put(db, source="messages", cause="InvalidMessage", message="field required: step_id", body=b'{"kind": "run_step"}')
        for _ in range(3)
    ]
    create_key(db, "shop", scopes=(Scope.READ, Scope.SUBMIT), label="nightly load", expires_at=datetime.now(UTC) + timedelta(days=30))
    played.job("waiting", {"kind": "diagnose", "description": "nobody works on this one yet"}, run=False)
    return played


def _diagnose(played: Played) -> None:
    incident = sample_incident()
    for name, turns in (("diagnose-asks", 0), ("diagnose", MOST_ANSWERS)):
        played.job(name, {"kind": "diagnose", "description": incident.description})
        for _ in range(turns):
            if (detail := played.open_question(name)) is None:
                break
            played.answer(name, incident.answer(PhenomenonQuestion.model_validate(detail)))
    played.job("diagnose-chinese", {"kind": "diagnose", "description": "下单变慢，数据库连接数一直在涨，日志里有锁等待超时"})


def _talk(played: Played) -> None:
    db = played.services.database

    def session_of(name: str) -> UUID:
        row = db.row("SELECT session_id FROM jobs WHERE id = %(id)s", {"id": played.jobs[name]})
        assert row is not None
        return row["session_id"]

    played.job("ask", {"kind": "ask", "question": "revenue per month in 2026", "source": "shop"})
    played.sessions["ask"] = session_of("ask")
    played.job("ask-more", {"kind": "ask", "question": "and by region?", "source": "shop"}, session_id=str(played.sessions["ask"]))
    played.job("analyze", {"kind": "analyze", "question": "帮我分析一下港湾新区的弱覆盖"})
    played.sessions["analyze"] = session_of("analyze")
    for number, text in enumerate(("好的，请进行仿真", "画张堆叠柱状图对比一下"), start=2):
        played.job(f"analyze-{number}", {"kind": "analyze", "question": text}, session_id=str(played.sessions["analyze"]))
