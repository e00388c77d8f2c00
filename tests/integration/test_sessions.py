"""What a step knows of its user: owner, language, and what earlier jobs of the session left."""

from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest

import tests.support.noop  # noqa: F401  registers its kinds
from contracts.base import Contract
from contracts.jobs import SubmitJob
from contracts.reports import Report, completed
from contracts.roles import RoleName
from contracts.stages import INPUT, StageSpec
from workers.app.in_process import run_all
from workers.app.services import ProcessServices
from workers.coordinator.intake import accept
from workers.coordinator.playbooks import Playbook, register_playbook
from workers.coordinator.sessions import MOST_EARLIER
from workers.errors import NotFound
from workers.roles.base import StepContext
from workers.roles.registry import register_task
from workers.settings import Settings


class TellRequest(Contract):
    kind: str = "tells"
    text: str = ""
    language: str | None = None


class Told(Contract):
    owner: str
    language: str
    tools: int
    earlier: tuple[str, ...]
    read: tuple[str, ...]


def tell(ctx: StepContext) -> Report[Told]:
    earlier = ctx.session.earlier()
    read = tuple(ctx.session.read(Told, pointer).owner for pointer in earlier if pointer.kind == "tells")
    lines = tuple(f"{pointer.kind}/{pointer.stage}: {pointer.summary}" for pointer in earlier)
    return completed(Told(owner=ctx.owner, language=ctx.language, tools=len(ctx.tools), earlier=lines, read=read), f"tells {len(earlier)}")


register_task(RoleName.ANALYST, "tells", tell)
register_playbook(
    Playbook("tells", TellRequest, (StageSpec(name="told", role=RoleName.ANALYST, task="tells", needs=(INPUT,)),), words="text")
)

Run = Callable[..., dict[str, Any]]


@pytest.fixture
def services(database_url: str, broker_url: str) -> Iterator[ProcessServices]:
    made = ProcessServices(Settings(database_url=database_url, broker_url=broker_url, advance="inline"))
    yield made
    made.close()


@pytest.fixture
def run(services: ProcessServices) -> Run:
    def run(kind: str, *, owner: str = "ada", session: UUID | None = None, **request: Any) -> dict[str, Any]:
        job = SubmitJob.model_validate({"job": {"kind": kind, **request}, "owner": owner, "session_id": session})
        job_id = accept(services.database, job, owner_cap=10).job_id
        run_all(services)
        rows = services.database.statement("SELECT stage, content FROM deliverables WHERE job_id = %(id)s", {"id": job_id})
        return {row["stage"]: row["content"] for row in rows}

    return run


def test_a_step_knows_owner_and_language_and_no_tool(run: Run) -> None:
    chinese = run("tells", text="夜间作业为什么变慢了")["told"]
    chosen = run("tells", text="slow", language="zh")["told"]
    silent = run("tells")["told"]

    assert (chinese["owner"], chinese["language"], chinese["tools"]) == ("ada", "zh", 0)
    assert chosen["language"] == "zh"
    assert silent["language"] == "en"


def test_a_job_sees_pointers_to_the_earlier_results_of_its_session(run: Run) -> None:
    """A result is what the job's playbook names; its content is read when it is wanted."""
    session = uuid4()
    run("noop", session=session)
    run("tells", session=session)

    third = run("tells", session=session)["told"]

    assert third["earlier"] == ["tells/told: tells 1", "noop/s6: s6 done"]
    assert third["read"] == ["ada"]


def test_another_session_s_results_and_failed_jobs_are_not_seen(run: Run) -> None:
    session = uuid4()
    run("tells", session=uuid4())
    run("noop", session=session, plan={"s2": {"break": True}})

    assert run("tells", session=session)["told"]["earlier"] == []


def test_a_long_session_shows_its_latest_results_alone(run: Run) -> None:
    session = uuid4()
    for _ in range(MOST_EARLIER + 2):
        run("tells", session=session)

    assert len(run("tells", session=session)["told"]["earlier"]) == MOST_EARLIER


def test_a_result_that_retention_removed_is_said_to_be_gone(services: ProcessServices, run: Run) -> None:
    from workers.coordinator.sessions import earlier_results, read_earlier

    session = uuid4()
    run("tells", session=session)
    (pointer,) = earlier_results(services.database, session, "ada", uuid4())
    services.database.statement("DELETE FROM deliverables WHERE id = %(id)s RETURNING id", {"id": pointer.deliverable_id})

    with pytest.raises(NotFound, match="retention has removed it"):
        read_earlier(services.database, pointer)
