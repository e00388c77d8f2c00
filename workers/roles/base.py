"""A role: a step in, a report out. What it is given stands in `StepContext`; committing and sending are not its business."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from uuid import UUID

from contracts.base import Contract, Json
from contracts.jobs import EngineChoice
from contracts.reports import Report
from contracts.sessions import EarlierResult
from contracts.stages import Nothing, is_member, member_order, read_nothing
from workers.errors import InvalidInput, StepCancelled

if TYPE_CHECKING:
    from workers.blackboard.engine import Database
    from workers.llm.client import ChatClient
    from workers.llm.embedder import Embedder
    from workers.settings import FromEnvironment, Settings

C = TypeVar("C", bound=Contract)
S = TypeVar("S", bound="FromEnvironment")


@dataclass(frozen=True, slots=True)
class HeardRequest:
    """A request that concerns the step: told to its stage, asked by it, or an answer it must hear."""

    asker: str
    target: str
    kind: str
    payload: Json
    response: Json | None
    held: bool = False


class Services(Protocol):
    """What a worker process offers to its roles; each is made on first use."""

    @property
    def database(self) -> "Database":
        """The blackboard's database, for the knowledge in it. Roles do not write job state."""
        ...

    @property
    def embedder(self) -> "Embedder | None":
        """The embedding model; None when the deployment has none."""
        ...

    @property
    def settings(self) -> "Settings":
        """The deployment's settings, for its defaults."""
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

    def earlier(self) -> tuple[EarlierResult, ...]:
        """Pointers to the results of the same owner's earlier jobs in this session, the newest first; at most 20."""
        return self.find_earlier()

    def read(self, contract: type[C], earlier: EarlierResult) -> C:
        """The content of an earlier result. Raises `NotFound` when retention has removed it."""
        return contract.model_validate(self.read_content(earlier))


@dataclass(frozen=True, slots=True)
class StepContext:
    """What one step is given. Reads only; the worker writes the report."""

    job_id: UUID
    step_id: UUID
    stage: str
    kind: str
    attempt: int
    params: Json
    needs: dict[str, Json]
    """Contents of the needed stages, by name."""
    requests: tuple[HeardRequest, ...]
    services: Services
    owner: str = "default"
    language: str = "en"
    """Of the user, as BCP 47 writes it: what is written for them is written in it."""
    session: Session = Session()
    tools: Mapping[str, Callable[..., Any]] = field(default_factory=dict[str, Callable[..., Any]])
    """What the step may call, by name. No kind of job grants any yet."""
    may_ask: bool = True
    engine: EngineChoice = EngineChoice.AUTO
    """The job's choice; where the job leaves it open, the deployment's."""
    draft: Json | None = None
    """What an earlier run of this stage left when it asked."""
    previous: Json | None = None
    """The newest deliverable of this stage, when it is redone."""
    stopped: Callable[[], bool] = field(default=lambda: False)
    open_chat: "Callable[[], ChatClient | None]" = field(default=lambda: None)
    """Opens the step's talk with a model at the first call, and gives the same one after that."""

    @property
    def chat(self) -> "ChatClient | None":
        """The model of this step; None when it works by rules, or none is configured for its role."""
        return self.open_chat()

    def settings(self, form: type[S]) -> S:
        """The settings of this kind of job. Raises `ConfigurationError` naming each wrong variable."""
        return self.services.settings_of(form)

    def need(self, contract: type[C], stage: str) -> C:
        """The deliverable of a needed stage. Raises `InvalidInput` when the plan does not give it, or when it yields nothing."""
        found = self.need_or_nothing(contract, stage)
        if isinstance(found, Nothing) and not issubclass(contract, Nothing):
            raise InvalidInput(f"Stage {self.stage} needs {stage}, which yields nothing: {found.nothing} Read it by `need_or_nothing`.")
        return found  # pyright: ignore[reportReturnType] `Nothing` was refused, or is what was asked for

    def need_or_nothing(self, contract: type[C], stage: str) -> C | Nothing:
        """The deliverable of a needed stage that is optional, or why it does not apply. Raises `InvalidInput` as `need` does."""
        if stage not in self.needs:
            raise InvalidInput(f"Stage {self.stage} is not given {stage!r}; its playbook must name it among the needs.")
        content = self.needs[stage]
        return read_nothing(content) or contract.model_validate(content)

    def family(self, contract: type[C], family: str) -> dict[str, C]:
        """The deliverables of a needed family, `plan/*`, by stage and in the order of their numbers. Members that yield nothing are left
        out."""
        members = sorted((stage for stage in self.needs if is_member(stage, family)), key=member_order)
        found = ((stage, self.need_or_nothing(contract, stage)) for stage in members)
        return {stage: value for stage, value in found if not isinstance(value, Nothing)}

    def edit(self) -> Json:
        """The stage's parameters with the edits of replays laid over them, the last one on top."""
        merged = dict(self.params)
        for request in self.requests:
            if request.kind == "replay" and request.target == self.stage:
                merged.update(request.payload.get("edit") or {})
        return merged

    def dialogue(self, contract: type[C]) -> list[tuple[C, str]]:
        """The answered questions of one form, in the order they were asked, each with what the human replied."""
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
        """What reviewers and operators object to in the earlier versions of this stage."""
        return [r.payload for r in self.requests if r.kind == "remark" and r.target == self.stage and not r.held]

    def delegated(self) -> list[Json]:
        """What other stages ask of this one."""
        return [r.payload for r in self.requests if r.kind == "delegation" and r.target == self.stage]

    def check_stopped(self) -> None:
        """Call before each expensive call. Raises `StepCancelled` when the step is no longer wanted or ours."""
        if self.stopped():
            raise StepCancelled(f"Step {self.step_id} was cancelled or taken over.")


RoleTask = Callable[[StepContext], Report[Any]]
"""One task of a role."""
