"""Whole `diagnose` jobs with a model behind HTTP: the sample history in Postgres, the steps run in this process."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from contracts.diagnose.deliverables import Diagnosis, PhenomenonQuestion
from contracts.jobs import SubmitJob
from tests.support.openai_server import OpenAIServer
from tests.support.said import kept
from workers.app.in_process import run_all
from workers.app.run_step import move_on
from workers.app.services import ProcessServices
from workers.coordinator.actions import answer, open_questions
from workers.coordinator.intake import accept
from workers.kinds.diagnose.samples import sample_incident
from workers.reading.results import read_result

STALE = "Stale planner statistics after a bulk load"
STALE_TICKETS = ("PG-0051", "PG-0040")
"""Tickets with that cause, near to the sample incident."""
NESTED_LOOP = "The plan runs a nested loop with more than 100000 inner iterations"
_ID = re.compile(r"^(?:ticket_id: (PG-\d+)$|(PG-\d+): )", re.MULTILINE)

Json = dict[str, Any]


def recommends(*observations: str, confidence: float = 0.3) -> Json:
    """A model's answer that asks on."""
    return {
        "reasoning": "several causes compete",
        "action": "recommend",
        "confidence": confidence,
        "recommendations": [{"observation": text, "method": "look", "why": "it tells", "related_root_causes": []} for text in observations],
        "diagnosis": None,
    }


def concludes(
    cause: str = STALE, cited: Sequence[str] = STALE_TICKETS, confidence: float = 0.9, reasoning: str = "as the tickets say"
) -> Json:
    """A model's answer that names a cause."""
    found = {"root_cause": cause, "reasoning": reasoning, "observed_phenomena": [], "solution": "ANALYZE", "cited_tickets": list(cited)}
    return {"reasoning": "clear", "action": "diagnose", "confidence": confidence, "recommendations": [], "diagnosis": found}


def shown_tickets(server: OpenAIServer) -> set[str]:
    """Ids of the tickets that stood in any prompt."""
    return {first or other for request in server.asked for first, other in _ID.findall(request.user_text)}


@dataclass(frozen=True)
class ModelJob:
    """One job, as its user and the board see it."""

    services: ProcessServices
    job_id: UUID

    @classmethod
    def submit(
        cls, services: ProcessServices, *, engine: str = "auto", description: str = "", session: UUID | None = None, **request: Any
    ) -> "ModelJob":
        """Submit, and run to the first stop."""
        job = {"kind": "diagnose", "description": description or sample_incident().description, "method": "rar", **request}
        wanted = SubmitJob(job=job, engine=engine, session_id=session)
        made = cls(services, accept(services.database, wanted, owner_cap=1_000, has_model=True).job_id)
        run_all(services)
        return made

    @property
    def status(self) -> str:
        return self._row("SELECT status FROM jobs WHERE id = %(id)s")["status"]

    @property
    def error(self) -> str:
        return kept(self._row("SELECT error FROM jobs WHERE id = %(id)s")["error"])

    @property
    def step(self) -> dict[str, Any]:
        """The newest step of the diagnoser."""
        return self._row(
            "SELECT status, engine, notes, usage, error, attempt, extract(epoch FROM due_at - now())::float AS due_in_s FROM steps "
            "WHERE job_id = %(id)s AND stage = 'diagnosis' ORDER BY id DESC LIMIT 1"
        )

    @property
    def question(self) -> PhenomenonQuestion:
        (row,) = open_questions(self.services.database, self.job_id)
        return PhenomenonQuestion.model_validate(row["payload"]["detail"])

    @property
    def asks(self) -> list[str]:
        return [item.description for item in self.question.items]

    @property
    def asked_text(self) -> str:
        """The open question as its reader gets it."""
        (row,) = open_questions(self.services.database, self.job_id)
        return kept(row["payload"]["text"])

    @property
    def diagnosis(self) -> Diagnosis:
        result = read_result(self.services.database, self.job_id)
        assert result is not None
        return Diagnosis.model_validate(result.content)

    def say(self, text: str) -> None:
        answer(self.services.database, self.job_id, text)
        move_on(self.services, self.job_id)
        run_all(self.services)

    def hurry(self) -> None:
        """Run it on, and what waits for its next attempt as if its time had come."""
        run_all(self.services)
        while self.services.database.statement(
            "UPDATE steps SET due_at = now() WHERE status = 'queued' AND job_id = %(id)s RETURNING id", {"id": self.job_id}
        ):
            run_all(self.services)

    def to_its_end(self, user: Sequence[str] = ()) -> Diagnosis:
        """Answer every question, with these words in turn or as the sample incident's user, and read the result."""
        turn = 0
        while self.status == "waiting_human":
            self.say(user[turn % len(user)] if user else sample_incident().answer(self.question))
            turn += 1
            assert turn <= 20
        assert self.status == "succeeded", self.error
        return self.diagnosis

    def _row(self, sql: str) -> dict[str, Any]:
        row = self.services.database.row(sql, {"id": self.job_id})
        assert row is not None
        return row
