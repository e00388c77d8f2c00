"""What a step knows of its user: owner, language, and what earlier jobs of the session left."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
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
from workers.errors import InvalidSubmission, NotFound
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
    """E11: A result is what the job's playbook names; its content is read when it is wanted."""
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

    assert len(run("tells", session=session)["told"]["earlier"]) == MOST_EARLIER == 20


def test_a_result_that_retention_removed_is_said_to_be_gone(services: ProcessServices, run: Run) -> None:
    from workers.coordinator.sessions import earlier_results, read_earlier

    session = uuid4()
    run("tells", session=session)
    (pointer,) = earlier_results(services.database, session, "ada", uuid4())
    services.database.statement("DELETE FROM deliverables WHERE id = %(id)s RETURNING id", {"id": pointer.deliverable_id})

    with pytest.raises(NotFound, match="retention has removed it"):
        read_earlier(services.database, pointer)


def begin(services: ProcessServices, owner: str, session: UUID, **more: Any) -> UUID:
    return accept(services.database, SubmitJob(job={"kind": "tells"}, owner=owner, session_id=session, **more), owner_cap=10).job_id


def test_another_owner_s_session_is_refused_and_makes_no_job(services: ProcessServices) -> None:
    """Its earlier results, and later its memory, belong to the owner who opened it."""
    session = uuid4()
    begin(services, "mine", session)

    with pytest.raises(InvalidSubmission, match=f"session_id: session {session} belongs to another owner than 'yours'") as refused:
        begin(services, "yours", session)

    assert "mine" not in str(refused.value)
    assert services.database.row("SELECT count(*) AS n FROM jobs") == {"n": 1}
    assert begin(services, "mine", session) != begin(services, "yours", uuid4())
    assert services.database.row("SELECT owner FROM sessions WHERE id = %(id)s", {"id": session}) == {"owner": "mine"}


def test_of_two_owners_who_open_a_session_at_once_one_gets_it(services: ProcessServices) -> None:
    for _ in range(10):
        session = uuid4()

        def opens(owner: str, session: UUID = session) -> bool:
            try:
                return bool(begin(services, owner, session))
            except InvalidSubmission:
                return False

        with ThreadPoolExecutor(8) as pool:
            taken = list(pool.map(opens, ["a", "b"] * 4))

        row = services.database.row("SELECT array_agg(DISTINCT owner) AS owners FROM jobs WHERE session_id = %(id)s", {"id": session})
        assert row is not None
        assert len(row["owners"]) == 1
        assert taken in ([True, False] * 4, [False, True] * 4)


def test_a_key_that_had_its_job_before_still_has_it(services: ProcessServices) -> None:
    """The last release took another owner's session; its producer may send the same message again."""
    session = uuid4()
    job_id = begin(services, "yours", session, idempotency_key="k")
    services.database.statement("UPDATE sessions SET owner = 'mine' WHERE id = %(id)s", {"id": session})

    assert begin(services, "yours", session, idempotency_key="k") == job_id
