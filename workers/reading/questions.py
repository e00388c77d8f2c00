"""Questions to the human, those of the boss included, and the form of their answers."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import ValidationError

from contracts.base import Json
from contracts.statements import Sayable, Statement
from workers.blackboard.engine import Row
from workers.reading.parts import RowsOfJob
from workers.reading.snapshot import Reader
from workers.reading.values import Value

QUESTIONS = RowsOfJob(
    "SELECT id AS request_id, asker, also, step_id, about, payload, response, void, created_at, answered_at,"
    " (SELECT made.payload FROM requests made WHERE made.id = requests.about) AS objection FROM requests"
    " WHERE job_id = %(id)s AND target = 'human' ORDER BY id",
    ids=("request_id", "step_id", "about"),
    times=("created_at", "answered_at"),
)
"""For `as_questions`."""

OF_THE_BOSS = ("escalation", "cap", "instruction")
"""Kinds of questions that the boss itself asks; their answer begins with one of the choices."""

State = Literal["open", "answered", "void"]


@dataclass(frozen=True, slots=True)
class AnswerForm(Value):
    """How a question can be answered: by a text, which may have to begin with one of the choices."""

    text: Sayable
    """The question itself."""
    choices: tuple[Sayable, ...]
    must_choose: bool
    """False: the choices are suggestions, and any text is an answer."""
    guidance: Sayable | None
    """How to find the answer out."""


@dataclass(frozen=True, slots=True)
class QuestionFacts(Value):
    """A question to the human."""

    request_id: UUID
    asker: str
    """The stage that asks, or that the boss asks about; `operator`: about the operator's own instruction."""
    also: tuple[str, ...]
    """Other stages that hear the answer."""
    by_boss: bool
    kind: str
    """`question`, or what its kind of job calls it; of the boss: `escalation`, `cap`, `instruction`."""
    state: State
    """`void`: its answer is not needed any more, as of the boss's last decision."""
    form: AnswerForm
    payload: Json
    answer: str | None
    step_id: UUID | None
    about: UUID | None
    """The remark or instruction that it is about."""
    created_at: datetime
    answered_at: datetime | None

    @property
    def is_open(self) -> bool:
        """It can be answered now."""
        return self.state == "open"


def read_questions(read: Reader, job_id: UUID) -> tuple[QuestionFacts, ...]:
    """Every question to the human, oldest first."""
    return as_questions(read.statement(QUESTIONS.query, {"id": job_id}))


def as_questions(rows: Iterable[Row]) -> tuple[QuestionFacts, ...]:
    """The rows of `QUESTIONS`."""
    return tuple(as_question(row) for row in rows)


def as_question(row: Row) -> QuestionFacts:
    """A row of a request to the human as what it says."""
    payload: Json = row["payload"]
    response: Json | None = row["response"]
    kind = str(payload.get("kind") or "question")
    choices: list[Any] = payload.get("choices") or []
    guidance: Any = payload.get("guidance") or _objection(row.get("objection"))
    return QuestionFacts(
        request_id=row["request_id"],
        asker=row["asker"],
        also=tuple(row["also"]),
        by_boss=row["step_id"] is None and kind in OF_THE_BOSS,
        kind=kind,
        state="answered" if response is not None else "void" if row["void"] else "open",
        form=AnswerForm(
            text=_sayable(payload.get("text") or str(payload)),
            choices=tuple(_sayable(choice) for choice in choices),
            must_choose=kind in OF_THE_BOSS,
            guidance=_sayable(guidance) if guidance else None,
        ),
        payload=payload,
        answer=None if response is None else response.get("text"),
        step_id=row["step_id"],
        about=row["about"],
        created_at=row["created_at"],
        answered_at=row["answered_at"],
    )


def _objection(objection: Json | None) -> str:
    """The objection, and the reply of the author of what is objected to."""
    return "\n".join(str(text) for part in ("text", "reply") if (text := (objection or {}).get(part)))


def _sayable(value: Any) -> Sayable:
    """A statement, or the sentence that a release before statements stored."""
    try:
        return Statement.model_validate(value)
    except ValidationError:
        return str(value)
