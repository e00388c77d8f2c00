"""A role takes a step and returns a report. `StepContext` holds everything it is given; the worker commits and sends."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from uuid import UUID

from contracts.base import Contract, Json
from contracts.jobs import EngineChoice
from contracts.reports import Report
from contracts.sessions import EarlierResult, SessionMemory
from contracts.stages import Nothing, is_member, member_order, read_nothing
from workers.blackboard.board import OPERATOR
from workers.errors import InvalidInput, StepCancelled

if TYPE_CHECKING:
    from workers.blackboard.engine import Database
    from workers.llm.client import ChatClient
    from workers.llm.embedder import Embedder
    from workers.settings import FromEnvironment, Settings
    from workers.tools.toolbox import Toolbox

C = TypeVar("C", bound=Contract)
S = TypeVar("S", bound="FromEnvironment")


@dataclass(frozen=True, slots=True)
class HeardRequest:
    """A request that concerns the step: one sent to its stage, one that the stage asked, or an answer that it must take into account."""

    asker: str
    target: str
    kind: str
    payload: Json
    response: Json | None
    held: bool = False


def _no_tools() -> "Toolbox":
    from workers.tools.toolbox import Toolbox  # commands that only read a job know this module as well, and call no tool

    return Toolbox()


class Services(Protocol):
    """The services that a worker process offers to its roles. Each is created on first use."""

    @property
    def database(self) -> "Database":
        """The blackboard's database, for its knowledge tables. Roles do not write job state."""
        ...

    @property
    def embedder(self) -> "Embedder | None":
        """The embedding model. None if the deployment has no such model."""
        ...

    @property
    def settings(self) -> "Settings":
        """The deployment's settings, for their defaults."""
        ...

    def settings_of(self, form: type[S]) -> S:
        """The settings of one kind of job."""
        ...


@dataclass(frozen=True, slots=True)
class Session:
    """The session of a step's job."""

    id: UUID | None = None
    find_earlier: Callable[[], tuple[EarlierResult, ...]] = field(default=lambda: ())
    read_content: Callable[[EarlierResult], Json] = field(default=lambda earlier: {})
    recall: Callable[[], SessionMemory] = field(default=SessionMemory)
    describe: Callable[[Collection[UUID]], str] = field(default=lambda shown: "")

    def earlier(self) -> tuple[EarlierResult, ...]:
        """Pointers to the results of the same owner's earlier jobs in this session, newest first, at most 20."""
        return self.find_earlier()

    def memory(self) -> SessionMemory:
        """What was asked, decided and selected in this session, and what each role did: at most 8 KB, references only."""
        return self.recall()

    def context(self, shown: Collection[UUID] = ()) -> str:
        """The memory as a prompt of this step's role shows it, without the step's own job. Fence it: it quotes the user. `shown`: other
        jobs that the prompt shows whole."""
        return self.describe(shown)

    def read(self, contract: type[C], earlier: EarlierResult) -> C:
        """The content of an earlier result. Raises `NotFound` if retention has removed it."""
        return contract.model_validate(self.read_content(earlier))


@dataclass(frozen=True, slots=True)
class StepContext:
    """Everything that one step is given. It only reads; the worker writes the report."""

    job_id: UUID
    step_id: UUID
    stage: str
    kind: str
    attempt: int
    params: Json
    needs: dict[str, Json]
    """Contents of the needed stages, by stage name."""
    requests: tuple[HeardRequest, ...]
    services: Services
    owner: str = "default"
    language: str = "en"
    """The user's language as a BCP 47 tag. Texts for the user are written in it."""
    session: Session = Session()
    tools: "Toolbox" = field(default_factory=_no_tools)
    """What the step may call: keys of the pointers that it holds ∩ its role's allow-list ∩ its skill's allowed tools."""
    may_ask: bool = True
    engine: EngineChoice = EngineChoice.AUTO
    """The job's engine, or the deployment's if the job does not choose."""
    draft: Json | None = None
    """The draft that an earlier run of this stage saved when it asked a question."""
    previous: Json | None = None
    """The newest deliverable of this stage, if the stage is redone."""
    stopped: Callable[[], bool] = field(default=lambda: False)
    open_chat: "Callable[[], ChatClient | None]" = field(default=lambda: None)
    """Opens the step's conversation with a model at the first call, and returns the same conversation afterwards."""
    clock: Callable[[], datetime] = field(default=lambda: datetime.now().astimezone())
    """The moment on the clock of those who ask, the same in all attempts of the step: prompts that name the date stay equal."""
    reads: set[str] = field(default_factory=set[str], compare=False)
    """What the role asked for, as far as that is recorded: `remarks`."""

    @property
    def chat(self) -> "ChatClient | None":
        """The model of this step. None if the step works by rules, or no model is configured for its role."""
        return self.open_chat()

    @property
    def now(self) -> datetime:
        """The step's clock in the time zone of those who ask: its date is their day."""
        return self.clock().astimezone(self.services.settings.zone)

    def settings(self, form: type[S]) -> S:
        """The settings of this kind of job. Raises `ConfigurationError`, which names each wrong variable."""
        return self.services.settings_of(form)

    def need(self, contract: type[C], stage: str) -> C:
        """The deliverable of a needed stage. Raises `InvalidInput` if the plan does not provide it, or if the stage yields nothing."""
        value = self.need_or_nothing(contract, stage)
        if isinstance(value, Nothing) and not issubclass(contract, Nothing):
            raise InvalidInput(f"Stage {self.stage} needs {stage}, which yields nothing: {value.nothing} Read it with `need_or_nothing`.")
        return value  # pyright: ignore[reportReturnType] `Nothing` was refused above, or is the contract that the caller asked for

    def need_or_nothing(self, contract: type[C], stage: str) -> C | Nothing:
        """The deliverable of a needed optional stage, or the reason why it does not apply. Raises `InvalidInput` as `need` does."""
        if stage not in self.needs:
            raise InvalidInput(f"Stage {self.stage} is not given {stage!r}; its playbook must name it among the needs.")
        content = self.needs[stage]
        return read_nothing(content) or contract.model_validate(content)

    def family(self, contract: type[C], family: str) -> dict[str, C]:
        """The deliverables of a needed family, `plan/*`, by stage and in the order of their numbers. Members that yield nothing are left
        out."""
        members = sorted((stage for stage in self.needs if is_member(stage, family)), key=member_order)
        values = ((stage, self.need_or_nothing(contract, stage)) for stage in members)
        return {stage: value for stage, value in values if not isinstance(value, Nothing)}

    def edit(self) -> Json:
        """The stage's parameters with the edits of replays applied in order, so that the last edit wins."""
        merged = dict(self.params)
        for request in self.requests:
            if request.kind == "replay" and request.target == self.stage:
                merged.update(request.payload.get("edit") or {})
        return merged

    def dialogue(self, contract: type[C]) -> list[tuple[C, str]]:
        """The answered questions of one form in the order they were asked, each with the human's reply."""
        kind = contract.model_fields["kind"].default
        return [
            (contract.model_validate(payload["detail"]), str(response.get("text", "")))
            for payload, response in self.answers()
            if payload.get("kind") == kind
        ]

    def answers(self) -> list[tuple[Json, Json]]:
        """The answered questions that concern this step, in the order they were asked: payload and response."""
        return [(r.payload, r.response) for r in self.requests if r.kind == "question" and r.response is not None]

    def remarks(self) -> list[Json]:
        """Objections of reviewers and operators to earlier versions of this stage. A role that does not read them cannot follow an
        instruction, and the worker says so in the step's notes."""
        self.reads.add("remarks")
        return [r.payload for r in self.requests if r.kind == "remark" and r.target == self.stage and not r.held]

    def objections(self) -> list[Json]:
        """Of the remarks those that roles made. Reading them does not count as following an operator's instruction."""
        return [r.payload for r in self.requests if r.kind == "remark" and r.target == self.stage and r.asker != OPERATOR and not r.held]

    def delegated(self) -> list[Json]:
        """Delegations from other stages to this stage."""
        return [r.payload for r in self.requests if r.kind == "delegation" and r.target == self.stage]

    def check_stopped(self) -> None:
        """Call this before each expensive operation. Raises `StepCancelled` if the step was cancelled or taken over."""
        if self.stopped():
            raise StepCancelled(f"Step {self.step_id} was cancelled or taken over.")


RoleTask = Callable[[StepContext], Report[Any]]
"""One task of a role."""
