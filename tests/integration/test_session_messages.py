"""A conversation: what a message is, what is remembered, and whose it is."""

from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from typer.testing import CliRunner

import tests.support.noop  # noqa: F401  registers its kinds
from contracts.base import Contract
from contracts.jobs import SubmitJob
from contracts.reports import Report, completed
from contracts.roles import RoleName
from contracts.sessions import MEMORY_BYTES, MessageKind, MessageTaken
from contracts.stages import INPUT, StageSpec
from tests.support.openai_server import Heard, good, openai_server
from tests.support.openai_server import Say as Reply
from workers.app.in_process import run_all
from workers.app.services import ProcessServices
from workers.cli.main import app
from workers.coordinator.intake import accept
from workers.coordinator.playbooks import Playbook, register_playbook
from workers.errors import InvalidInput, ModelUnavailable, NotFound
from workers.llm import ScriptedChat
from workers.llm.token_count import estimate_tokens
from workers.reading.sessions import list_sessions
from workers.roles.base import StepContext
from workers.roles.registry import register_task
from workers.sessions import clear_session, compress_session, read_memory, send_message
from workers.sessions.fitting import size
from workers.sessions.keeping import remember
from workers.sessions.summary import by_model
from workers.settings import Settings


class TalkRequest(Contract):
    kind: str = "talks"
    text: str = ""
    plan: dict[str, Any] = {}


class Talked(Contract):
    context: str
    earlier: int
    selected: tuple[str, ...] = ()
    sql: str = "SELECT salary FROM people"


def talk(ctx: StepContext) -> Report[Talked]:
    text = ctx.need(TalkRequest, INPUT).text
    made = Talked(context=ctx.session.context(), earlier=len(ctx.session.earlier()), selected=(f"shop.{text.split()[-1]}",))
    return completed(made, f"talked about {text}")


register_task(RoleName.ANALYST, "talks", talk)
register_playbook(
    Playbook("talks", TalkRequest, (StageSpec(name="talked", role=RoleName.ANALYST, task="talks", needs=(INPUT,)),), words="text")
)


@pytest.fixture
def services(database_url: str, broker_url: str) -> Iterator[ProcessServices]:
    made = ProcessServices(Settings(database_url=database_url, broker_url=broker_url, advance="inline"))
    yield made
    made.close()


Say = Callable[..., MessageTaken]


@pytest.fixture
def say(services: ProcessServices) -> Say:
    def submit(job: SubmitJob) -> UUID:
        return accept(services.database, job, owner_cap=10).job_id

    def say(session: UUID, text: str, *, owner: str = "ada", run: bool = True, **more: Any) -> MessageTaken:
        taken = send_message(services.database, session, owner, text, submit=submit, **more)
        if run:
            run_all(services)
        return taken

    return say


def begin(services: ProcessServices, session: UUID, **request: Any) -> UUID:
    job = SubmitJob.model_validate({"job": {"kind": "noop", **request}, "owner": "ada", "session_id": session})
    return accept(services.database, job, owner_cap=10).job_id


def content(services: ProcessServices, job_id: UUID | None, stage: str = "talked") -> Any:
    row = services.database.row(
        "SELECT content FROM deliverables WHERE job_id = %(id)s AND stage = %(stage)s", {"id": job_id, "stage": stage}
    )
    assert row is not None
    return row["content"]


def test_a_message_to_a_session_at_rest_is_a_new_job_that_knows_what_was_before(say: Say, services: ProcessServices) -> None:
    session = uuid4()
    first = say(session, "sales of orders", kind="talks")
    second = say(session, "and by month of orders_by_month")

    assert (first.kind, second.kind) == (MessageKind.JOB, MessageKind.JOB)
    made = content(services, second.job_id)
    assert made["earlier"] == 1
    assert "asked (talks, succeeded): sales of orders" in made["context"]
    assert "selected: shop.orders" in made["context"]
    assert "talked: talked about sales of orders" in made["context"]
    assert "SELECT" not in made["context"]


def test_a_message_to_an_open_question_is_its_answer_whatever_it_says(say: Say, services: ProcessServices) -> None:
    session = uuid4()
    begun = begin(services, session, plan={"s2": {"ask": 1}})
    run_all(services)

    taken = say(session, "start a new job please")

    assert (taken.kind, taken.job_id) == (MessageKind.ANSWER, begun)
    memory = read_memory(services.database, session, "ada")
    assert [(item.question, item.answer) for item in memory.decided] == [("s2: question 1?", "start a new job please")]
    assert [item.status for item in memory.asked] == ["succeeded"]


def test_a_message_to_a_running_job_is_an_instruction(say: Say, services: ProcessServices) -> None:
    session = uuid4()
    begun = begin(services, session)

    taken = say(session, "only the last week", run=False)

    assert (taken.kind, taken.job_id) == (MessageKind.INSTRUCTION, begun)
    assert [item.answer for item in read_memory(services.database, session, "ada").decided] == ["only the last week"]


def test_several_open_questions_must_be_answered_by_name(say: Say, services: ProcessServices) -> None:
    session = uuid4()
    for _ in range(2):
        begin(services, session, plan={"s2": {"ask": 1}})
    run_all(services)

    with pytest.raises(InvalidInput, match="2 open questions"):
        say(session, "yes")


def test_another_owner_s_session_is_not_there(say: Say, services: ProcessServices) -> None:
    session = uuid4()
    say(session, "mine", kind="talks")

    with pytest.raises(NotFound, match="eve has no session"):
        say(session, "yours", owner="eve", kind="talks")
    with pytest.raises(NotFound):
        say(session, "/compress", owner="eve")
    with pytest.raises(NotFound):
        read_memory(services.database, session, "eve")
    with pytest.raises(NotFound):
        clear_session(services.database, session, "eve")
    assert [line.owner for line in list_sessions(services.database, owner="eve")] == []


def test_a_cleared_session_knows_nothing_of_before(say: Say, services: ProcessServices) -> None:
    session = uuid4()
    say(session, "sales of orders", kind="talks")

    clear_session(services.database, session, "ada")
    after = say(session, "again orders")

    made = content(services, after.job_id)
    assert made["earlier"] == 0
    assert "sales" not in made["context"]


def test_a_long_conversation_is_compressed_and_stays_small(say: Say, services: ProcessServices) -> None:
    """E12, E15: the memory of a session stays small."""
    session = uuid4()
    for number in range(16):
        say(session, f"question {number} about {'很长的话' * 30} table{number}", kind="talks")

    memory = remember(services.database, session, "ada")

    known = memory.roles[RoleName.ANALYST]
    assert size(memory) <= MEMORY_BYTES
    assert known.summary
    assert len(known.turns) <= 10
    stored = services.database.row("SELECT memory FROM sessions WHERE id = %(id)s", {"id": session})
    assert stored is not None
    assert set(stored["memory"]) == {"roles"}


def test_compression_by_a_model_keeps_the_turns_when_it_fails(say: Say, services: ProcessServices) -> None:
    """E15: a failure keeps the recent turns and says so."""
    session = uuid4()
    for number in range(4):
        say(session, f"question {number}", kind="talks")
    failing = ScriptedChat(ModelUnavailable("away"))

    refused = say(session, "/compress", summarise=by_model(failing)).compressions
    turns = read_memory(services.database, session, "ada").roles[RoleName.ANALYST].turns
    taken = say(session, "/compact analyst", summarise=by_model(ScriptedChat({"summary": "four questions"}))).compressions

    assert [(item.done, item.turns, item.reason) for item in refused] == [(False, 4, "away")]
    assert len(turns) == 4
    assert [(item.done, item.turns, item.engine) for item in taken] == [(True, 4, "scripted")]
    known = read_memory(services.database, session, "ada").roles[RoleName.ANALYST]
    assert (known.summary, known.turns) == ("four questions", ())


def test_a_role_compresses_what_would_fill_its_model_s_window_and_says_when_it_cannot(say: Say, services: ProcessServices) -> None:
    session = uuid4()
    for number in range(6):
        say(session, f"question {number} about many things", kind="talks")

    def fails(before: str, turns: Any) -> tuple[str, str]:
        raise ModelUnavailable("away")

    kept = remember(services.database, session, "ada", summarise=fails, window_tokens=100)
    done = remember(services.database, session, "ada", window_tokens=100)

    assert len(kept.roles[RoleName.ANALYST].turns) == 6
    assert kept.notes == ("analyst: not compressed, 6 turns were kept: away",)
    assert len(done.roles[RoleName.ANALYST].turns) == 3
    assert done.notes == ()


def test_a_conversation_that_fills_80_percent_of_a_small_window_is_compressed_by_the_model_of_the_step(
    database_url: str, broker_url: str
) -> None:
    """E15: before a role has ten turns, and once; the next prompt has the summary in the place of the turns."""
    session, seen = uuid4(), []

    def summarise(heard: Heard) -> Reply:
        seen.append(heard.user_text)
        return good({"summary": "客户问了很多表"})

    with openai_server() as server:
        server.by_prompt = summarise
        settings = Settings(
            database_url=database_url, broker_url=broker_url, advance="inline", model="test-model", model_base_url=server.base_url,
            model_context_tokens=2_048, model_output_tokens=512,
        )  # fmt: skip
        services = ProcessServices(settings)
        contexts = list[str]()
        for number in range(8):
            submit = SubmitJob(job={"kind": "talks", "text": f"{number} {'很长的话' * 15}"}, owner="ada", session_id=session)
            job = accept(services.database, submit, owner_cap=10).job_id
            run_all(services)
            contexts.append(content(services, job)["context"])
        services.close()

    room = 2_048 - 512 - 2_048 // 4
    full = [estimate_tokens(text) for text in contexts]
    first = next(place for place, text in enumerate(contexts) if "before: " in text)
    assert 3 < first < 8
    assert full[first - 1] < 0.8 * room < full[first - 1] + 2 * full[1]
    assert "before: 客户问了很多表" in contexts[first]
    assert contexts[first].count("talked: ") == 3
    assert seen[0].count("talked: ") == first - 3
    assert full[first] < full[first - 1]


def test_compressing_twice_loses_nothing(say: Say, services: ProcessServices) -> None:
    session = uuid4()
    for number in range(5):
        say(session, f"question {number}", kind="talks")

    first = compress_session(services.database, session, "ada")
    second = compress_session(services.database, session, "ada")

    assert ([item.turns for item in first], second) == ([2], ())


@pytest.mark.parametrize(
    ("text", "fault"), [("", "empty"), ("/compress cook", "not a role"), ("hello", "--kind"), ("x" * 20_001, "20000 are allowed")]
)
def test_a_message_that_means_nothing_is_refused(say: Say, text: str, fault: str) -> None:
    with pytest.raises((InvalidInput, NotFound), match=fault):
        say(uuid4(), text)


def test_the_commands_list_show_and_clear(say: Say, services: ProcessServices, monkeypatch: pytest.MonkeyPatch) -> None:
    from workers.cli import context

    session = uuid4()
    for number in range(2):
        say(session, f"question {number}", owner="default", kind="talks")
    monkeypatch.setenv("BULLPEN_DATABASE_URL", services.settings.database_url or "")
    monkeypatch.setenv("BULLPEN_BROKER_URL", services.settings.broker_url or "")
    context.forget()
    runner, short = CliRunner(), str(session)[-8:]

    listed = runner.invoke(app, ["session", "list"])
    shown = runner.invoke(app, ["session", "show", short])
    cleared = runner.invoke(app, ["session", "clear", short, "--json"])
    empty = runner.invoke(app, ["session", "show", str(session), "--json"])
    said = runner.invoke(app, ["session", "say", short, "what else"])
    other = runner.invoke(app, ["session", "show", short, "--owner", "eve"])
    context.forget()

    assert "talks" in listed.output
    assert "talked: talked about question 1" in shown.output
    assert '"cleared": true' in cleared.output
    assert '"asked": []' in empty.output
    assert said.exit_code == 0
    assert other.exit_code == 4
