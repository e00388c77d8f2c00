"""A user's word on an answer: a good one becomes an example that the next question finds."""

from pydantic import Field, model_validator

from contracts.ask.results import Queried, SqlMade, ToolResult
from contracts.ask.steps import AskAnswer, AskPlan
from contracts.base import Contract, Text
from contracts.statements import name as identifier
from contracts.statements import quote, say
from workers.blackboard.engine import Database
from workers.catalogue import Catalogue
from workers.coordinator.feedback import EndedJob, read_ended, tell_feedback
from workers.errors import Conflict
from workers.kinds.ask.playbook import PLAYBOOK
from workers.kinds.base import FeedbackGiven, Giving


class AskSaid(Contract):
    """A user's feedback on an answer."""

    good: bool = Field(default=False, description="An answer to a question about data: it was right, and may serve as an example.")
    bad: bool = Field(default=False, description="An answer to a question about data: it was wrong.")

    @model_validator(mode="after")
    def _says_one(self) -> "AskSaid":
        if self.good == self.bad:
            raise ValueError("say either --good or --bad")
        return self


class AskLearnt(Contract):
    """What became of the feedback."""

    verdict: Text
    example: Text = ""
    """The place of the example in the catalogue; empty: there is none."""


def give_feedback(given: Giving, form: AskSaid) -> FeedbackGiven:
    """Keep the statement of a good answer as an example. Raises what `read_ended` raises, and `Conflict` where there is no statement."""
    ended = read_ended(given.database, given.job_id, PLAYBOOK.kind, (), "answer")
    stage, answer = _answer(ended)
    learnt = AskLearnt(verdict="good" if form.good else "bad")
    line = say("ask.feedback.bad")
    if form.good:
        result, question = _statement(answer.results, given), answer.state.question
        known = Catalogue(given.database, given.embedder).confirm(
            question, result.sql, result.tables, source=result.source, owner=_owner(given.database, given),
            plan=answer.state.plan if answer.state.sql == result.sql else None,
        )  # fmt: skip
        learnt, line = AskLearnt(verdict="good", example=known.place), say("ask.feedback.good", question=quote(question))
    with given.database.session() as connection, connection.transaction():
        tell_feedback(connection, given.job_id, stage, learnt.to_json())
    return FeedbackGiven(learnt, (line,))


def _answer(ended: EndedJob) -> tuple[str, AskAnswer]:
    """What the last round of the plan answered."""
    rounds = sorted((stage for stage in ended.contents if stage.startswith("plan/")), key=lambda stage: int(stage.rpartition("/")[2]))
    for stage in reversed(rounds):
        plan = ended.read(AskPlan, stage)
        if plan.answer is not None:
            return stage, plan.answer
    raise Conflict.of(say("ask.refused.no_answer", job=identifier(ended.job_id)))


def _statement(results: tuple[ToolResult, ...], given: Giving) -> Queried | SqlMade:
    for result in reversed(results):
        if isinstance(result, Queried | SqlMade) and result.sql and not result.problems:
            return result
    raise Conflict.of(say("ask.refused.no_example", job=identifier(given.job_id)))


def _owner(database: Database, given: Giving) -> str:
    row = database.row("SELECT owner FROM jobs WHERE id = %(id)s", {"id": given.job_id})
    return str(row["owner"]) if row else ""
