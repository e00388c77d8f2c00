"""The call that a tool's stage carries out."""

from dataclasses import dataclass
from typing import TypeVar

from contracts.ask.request import AskRequest
from contracts.ask.results import SqlFixed, SqlMade, TablesFound
from contracts.ask.steps import Understanding
from contracts.base import Contract, Json
from contracts.stages import INPUT
from contracts.statements import Statement
from workers.kinds.ask.playbook import UNDERSTAND
from workers.kinds.ask.roles.conversation import language_of_answer
from workers.roles.base import StepContext
from workers.saying import text_of

R = TypeVar("R", bound=Contract)


@dataclass(frozen=True, slots=True)
class ToolStep:
    """What the tasks of all tools read from their step."""

    ctx: StepContext
    request: AskRequest
    understanding: Understanding
    call_id: str
    arguments: Json
    language: str

    @classmethod
    def of(cls, ctx: StepContext) -> "ToolStep":
        """The call of a step."""
        request, edited = ctx.need(AskRequest, INPUT), ctx.edit()
        given: Json = edited.get("arguments") or {}
        arguments: Json = {name: value for name, value in given.items() if value is not None}
        return cls(
            ctx=ctx,
            request=request.model_copy(update={name: arguments[name] for name in ("source", "logs") if name in arguments}),
            understanding=_asked(ctx.need(Understanding, UNDERSTAND), arguments),
            call_id=str(edited.get("call", "")),
            arguments=arguments,
            language=language_of_answer(ctx, request),
        )

    def text(self, statement: Statement) -> str:
        """A statement in the user's language."""
        return text_of(statement, self.language)

    def earlier(self, contract: type[R]) -> R | None:
        """The newest result of a kind among the calls before this one."""
        kind = contract.model_fields["kind"].default
        found = [content for stage, content in self.ctx.needs.items() if stage.startswith("tool/") and content.get("kind") == kind]
        return contract.model_validate(found[-1]) if found else None

    @property
    def tables(self) -> TablesFound | None:
        """What the discovery of this job found."""
        return self.earlier(TablesFound)

    @property
    def statement(self) -> str:
        """The statement that the call is about: of its arguments, of the message or its conversation, or of an earlier call."""
        made = self.earlier(SqlFixed) or self.earlier(SqlMade)
        return str(
            self.arguments.get("sql")
            or self.understanding.statement
            or (made.runs if isinstance(made, SqlMade) else made.sql if made else "")
        )


def _asked(understanding: Understanding, arguments: Json) -> Understanding:
    """What the call is to answer: an operator may put the question in other words, or want another dialect."""
    changed: Json = {"dialect": arguments["dialect"]} if "dialect" in arguments else {}
    if "question" in arguments:
        question = str(arguments["question"])
        changed |= {"question": question, "words": question, "is_follow_up": False, "chosen": None}
    return understanding.model_copy(update=changed) if changed else understanding
