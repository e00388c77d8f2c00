"""Small data that the demo and the docs use: a ticket history and an incident, both written for this project."""

import json
from dataclasses import dataclass
from pathlib import Path

from contracts.diagnose.deliverables import PhenomenonQuestion
from contracts.statements import Statement, count, say, term
from workers.blackboard.engine import Database
from workers.kinds.base import DemoScript
from workers.kinds.diagnose.playbook import PLAYBOOK
from workers.llm.embedder import Embedder
from workers.tickets import import_tickets, read_tickets

_ANSWERS = {"en": ("yes", "no", "unknown", ", also "), "zh": ("确认", "否定", "不清楚", "，另外")}


@dataclass(frozen=True, slots=True)
class SampleIncident:
    """An incident with what a user would find when they look."""

    description: str
    observed: tuple[str, ...]
    """Descriptions of the phenomena that are really there."""
    also: str
    """What the user adds to the first answer without being asked."""

    language: str = "en"

    def answer(self, question: PhenomenonQuestion) -> str:
        """The scripted user's reply: yes to phenomena that are present, no to all others."""
        yes, no, unknown, also = _ANSWERS[self.language]
        parts = [f"{item.number} {yes if item.description in self.observed else no}" for item in question.items]
        text = " ".join(parts) or unknown
        return f"{text}{also}{self.also}" if question.turn == 1 else text


def sample_tickets_path() -> Path:
    """The sample history: JSONL, one ticket a line."""
    return Path(__file__).with_name("tickets.jsonl")


def mixed_history_path() -> Path:
    """A history of five systems in two languages, and incidents with facts: a folder for `bullpen eval diagnose`."""
    return Path(__file__).with_name("mixed")


def sample_incident(language: str = "en") -> SampleIncident:
    """The incident of the demo, in English or Chinese."""
    raw = json.loads(Path(__file__).with_name("incident.json").read_text("utf-8"))
    texts = raw.get(language, raw)
    return SampleIncident(texts["description"], tuple(raw["observed"]), texts["also"], language if language in _ANSWERS else "en")


def demo_script(language: str) -> DemoScript:
    """The demo: the sample history, the incident, and a user who answers by what is really present."""
    incident = sample_incident(language)

    def prepare(db: Database, embedder: Embedder | None, _data_dir: Path) -> Statement:
        report = import_tickets(db, embedder, read_tickets(sample_tickets_path()))
        return say("diagnose.demo.imported", n=count(report.imported + report.updated + report.unchanged))

    return DemoScript(
        request={"kind": PLAYBOOK.kind, "description": incident.description},
        title=term("diagnose.demo.incident"),
        text=incident.description,
        prepare=prepare,
        reply=lambda detail: incident.answer(PhenomenonQuestion.model_validate(detail)),
    )
