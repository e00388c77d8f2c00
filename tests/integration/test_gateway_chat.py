"""Chat clients talk to the fleet: the openai client, LangChain's ChatOpenAI, and the four addresses of a conversation."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any
from uuid import UUID

import httpx
import pytest
from langchain_openai import ChatOpenAI
from openai import NotFoundError, OpenAI, PermissionDeniedError

from contracts.access import Scope
from contracts.base import Contract
from contracts.reports import Question, Report, asks, completed
from contracts.roles import RoleName
from contracts.stages import INPUT, StageSpec
from tests.support.gateway import served, working
from workers.app.in_process import run_all
from workers.app.run_step import advance_and_publish
from workers.app.services import ProcessServices
from workers.coordinator.playbooks import Playbook
from workers.errors import InvalidInput
from workers.gateway.access.keys import create_key, revoke_key
from workers.kinds.base import Kind
from workers.kinds.registry import register_kind
from workers.roles.base import StepContext
from workers.settings import Settings


class ParrotRequest(Contract):
    kind: str = "parrot"
    text: str


class Said(Contract):
    text: str


def speak(ctx: StepContext) -> Report[Said]:
    """Says again what it heard; first asks when the text ends in a question mark. Some words it cannot say."""
    words = ctx.need(ParrotRequest, INPUT).text
    if words == "unspeakable":
        raise InvalidInput("no parrot says that")
    if words.endswith("?") and not ctx.answers():
        return asks(Question(text="Which one?", choices=("left", "right")))
    heard = [words, *(answer["text"] for _, answer in ctx.answers())]
    return completed(Said(text=" / ".join(heard)), "heard it")


register_kind(
    Kind(
        playbook=Playbook(
            "parrot", ParrotRequest, (StageSpec(name="messages", role=RoleName.ANALYST, task="parrot", needs=(INPUT,)),), words="text"
        ),
        summary="Says it again.",
        tasks={(RoleName.ANALYST, "parrot"): speak},
        talks=True,
    )
)


@pytest.fixture
def services(database_url: str, broker_url: str) -> Iterator[ProcessServices]:
    """Services beside which jobs are run as they come."""
    with working(Settings(database_url=database_url, broker_url=broker_url, embeddings="none")) as made:
        yield made


@pytest.fixture
def base(services: ProcessServices) -> Iterator[str]:
    with served(ProcessServices(services.settings, slots=4)) as address:
        yield address


@pytest.fixture
def key(services: ProcessServices) -> str:
    return create_key(services.database, "shop")[1]


def jobs(base: str, key: str) -> list[dict[str, Any]]:
    return httpx.get(f"{base}/v1/jobs", headers={"Authorization": f"Bearer {key}"}).json()["jobs"]


def test_the_openai_client_holds_a_conversation_in_one_session(base: str, key: str) -> None:
    with OpenAI(base_url=f"{base}/v1", api_key=key, max_retries=0) as client:
        assert "bullpen/parrot" in [model.id for model in client.models.list()]
        assert client.models.retrieve("bullpen/parrot").id == "bullpen/parrot"
        messages: Any = [{"role": "system", "content": "be kind"}, {"role": "user", "content": "which way?"}]
        asked = client.chat.completions.create(model="bullpen/parrot", messages=messages)
        question = asked.choices[0].message.content
        assert question is not None
        assert question.splitlines() == ["Which one?", "- left", "- right"]
        messages += [{"role": "assistant", "content": question}, {"role": "user", "content": [{"type": "text", "text": "left"}]}]
        stream = client.chat.completions.create(
            model="bullpen/parrot", messages=messages, stream=True, stream_options={"include_usage": True}
        )
        chunks = list(stream)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    thoughts = [getattr(chunk.choices[0].delta, "reasoning_content", None) for chunk in chunks if chunk.choices]
    assert "which way? / left" in text
    assert "messages: heard it\n" in thoughts
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.total_tokens == 0
    (job,) = jobs(base, key)  # the answer went to the job that asked
    assert job["status"] == "succeeded"


def test_a_fault_is_told_in_fixed_words_with_its_cause_and_the_conversation_goes_on(base: str, key: str) -> None:
    """S27: nothing is asked of the user."""
    with OpenAI(base_url=f"{base}/v1", api_key=key, max_retries=0) as client:
        messages: Any = [{"role": "user", "content": "unspeakable"}]
        told = client.chat.completions.create(model="parrot", messages=messages).choices[0].message.content
        messages += [{"role": "assistant", "content": told}, {"role": "user", "content": "hello"}]
        after = client.chat.completions.create(model="parrot", messages=messages).choices[0].message.content

    assert told is not None
    assert told.startswith("Something went wrong here, and the work has ended. Nothing is asked of you")
    assert told.endswith("messages: no parrot says that")
    assert after is not None
    assert "hello" in after


def test_a_further_question_is_a_job_of_the_same_session_and_a_new_conversation_is_not(base: str, key: str) -> None:
    with OpenAI(base_url=f"{base}/v1", api_key=key, max_retries=0) as client:
        messages: Any = [{"role": "user", "content": "hello"}]
        for words in ("more", "and more"):
            answer = client.chat.completions.create(model="parrot", messages=messages).choices[0].message.content
            messages += [{"role": "assistant", "content": answer}, {"role": "user", "content": words}]
        client.chat.completions.create(model="parrot", messages=messages)
        client.chat.completions.create(model="parrot", messages=[{"role": "user", "content": "hello"}])
    sessions = [job["session_id"] for job in jobs(base, key)][::-1]
    assert len(sessions) == 4
    assert sessions[0] == sessions[1] == sessions[2] != sessions[3]


def test_two_conversations_that_begin_alike_are_told_apart_by_the_session_that_the_client_names(
    base: str, key: str, services: ProcessServices
) -> None:
    """Each answer says its session; the older of the two goes on with it, and a session of somebody else is not there."""

    def say(texts: list[str], **headers: str) -> httpx.Response:
        body = {"model": "bullpen/parrot", "messages": [{"role": "user", "content": text} for text in texts]}
        return httpx.post(f"{base}/v1/chat/completions", json=body, headers={"Authorization": f"Bearer {key}", **headers}, timeout=120)

    first, second = say(["which way?"]), say(["which way?"])
    named = {"X-Bullpen-Session": first.headers["x-bullpen-session"]}
    answer = say(["which way?", "left"], **named)

    assert first.headers["x-bullpen-session"] != second.headers["x-bullpen-session"]
    assert answer.headers["x-bullpen-session"] == first.headers["x-bullpen-session"]
    assert answer.headers["x-bullpen-job"] == first.headers["x-bullpen-job"]
    assert {job["id"]: job["status"] for job in jobs(base, key)} == {
        first.headers["x-bullpen-job"]: "succeeded", second.headers["x-bullpen-job"]: "waiting_human",
    }  # fmt: skip
    assert say(["which way?", "right"]).headers["x-bullpen-job"] == second.headers["x-bullpen-job"]  # unnamed: the newest
    with httpx.stream(
        "POST", f"{base}/v1/chat/completions", headers={"Authorization": f"Bearer {key}", **named}, timeout=120,
        json={"model": "bullpen/parrot", "messages": [{"role": "user", "content": "go on"}], "stream": True},
    ) as streamed:  # fmt: skip
        assert streamed.headers["x-bullpen-session"] == named["X-Bullpen-Session"]
        assert "[DONE]" in streamed.read().decode()
    other = {"Authorization": f"Bearer {create_key(services.database, 'bank')[1]}"}
    assert say(["hello"], **named, **other).status_code == 404
    assert say(["hello"], **{"X-Bullpen-Session": "no id"}).status_code == 422


def test_langchain_talks_to_it(base: str, key: str) -> None:
    model = ChatOpenAI(model="bullpen/parrot", base_url=f"{base}/v1", api_key=key, max_retries=0)  # pyright: ignore[reportArgumentType] a text is taken
    assert "good morning" in str(model.invoke("good morning").content)
    assert "good evening" in "".join(str(chunk.content) for chunk in model.stream("good evening"))


def test_what_is_wrong_is_an_error_of_the_client(base: str, key: str, services: ProcessServices) -> None:
    reader = create_key(services.database, "shop", scopes=[Scope.READ])[1]
    with OpenAI(base_url=f"{base}/v1", api_key=key, max_retries=0) as client, pytest.raises(NotFoundError, match="bullpen/parrot"):
        client.chat.completions.create(model="gpt-5", messages=[{"role": "user", "content": "hi"}])
    with OpenAI(base_url=f"{base}/v1", api_key=reader, max_retries=0) as client, pytest.raises(PermissionDeniedError, match="submit"):
        client.chat.completions.create(model="parrot", messages=[{"role": "user", "content": "hi"}])


def test_another_owners_conversation_is_not_found_by_its_words(base: str, key: str, services: ProcessServices) -> None:
    other = create_key(services.database, "bank")[1]
    messages: Any = [
        {"role": "user", "content": "hello?"},
        {"role": "assistant", "content": "Which one?"},
        {"role": "user", "content": "left"},
    ]
    with OpenAI(base_url=f"{base}/v1", api_key=key, max_retries=0) as client:
        client.chat.completions.create(model="parrot", messages=messages[:1])
    with OpenAI(base_url=f"{base}/v1", api_key=other, max_retries=0) as client:
        client.chat.completions.create(model="parrot", messages=messages)
    assert jobs(base, key)[0]["status"] == "waiting_human"
    assert [job["about"] for job in jobs(base, other)] == ["left"]


def test_a_conversation_is_started_watched_continued_and_forgotten(base: str, key: str) -> None:
    """E16: start, sse, continue, session clear; E17: Last-Event-ID."""
    with httpx.Client(base_url=base, headers={"Authorization": f"Bearer {key}"}, timeout=120) as client:
        started = client.post("/v1/chat/start", json={"kind": "parrot", "text": "which way?"})
        assert started.status_code == 201, started.text
        session = started.json()["session_id"]
        seen: list[str] = []

        def watch(last: str, until: str) -> None:
            with client.stream("GET", f"/v1/chat/{session}/sse", headers={"Last-Event-ID": last}) as response:
                for line in response.iter_lines():
                    if line.startswith("id: "):
                        seen.append(line[4:])
                    if until in line:
                        return

        watch("", "needs_clarification")
        taken = client.post(f"/v1/chat/{session}/continue", json={"text": "right"}).json()
        assert (taken["kind"], taken["job_id"]) == ("answer", started.json()["job_id"])
        watch(seen[-1], "event: end")
        assert seen == [f"{started.json()['job_id']}:{rev}" for rev in range(1, len(seen) + 1)]
        assert client.get(f"/v1/chat/{session}/sse", headers={"Last-Event-ID": seen[-1]}).status_code == 204
        second = client.post(f"/v1/chat/{session}/continue", json={"text": "hello"}).json()["job_id"]
        last, seen = seen[-1], []
        watch(last, "event: end")  # ids of the job before say nothing of this one's
        assert seen == [f"{second}:{rev}" for rev in range(1, len(seen) + 1)]
        memory = client.get(f"/v1/sessions/{session}").json()
        assert memory["decided"][0]["answer"] == "right"
        assert client.post(f"/v1/chat/{session}/clear").json()["cleared"] is True
        assert client.get(f"/v1/sessions/{session}").json()["decided"] == []
        assert client.get("/v1/chat/01890000-0000-7000-8000-000000000000/sse").status_code == 404
        assert json.loads(client.post("/v1/chat/start", json={"kind": "tune", "text": "x"}).text)["status"] in (400, 404)


@pytest.fixture
def idle(database_url: str, broker_url: str) -> Iterator[ProcessServices]:
    """Services beside which no job is run: each takes longer than its client waits."""
    made = ProcessServices(Settings(database_url=database_url, broker_url=broker_url, embeddings="none"), slots=4)
    yield made
    made.close()


def tell(base: str, key: str, *texts: str, stream: bool = False, wait_s: float = 60) -> httpx.Response:
    messages = [{"role": "user", "content": text} for text in texts]
    body = {"model": "bullpen/parrot", "stream": stream, "messages": messages}
    return httpx.post(f"{base}/v1/chat/completions", json=body, headers={"Authorization": f"Bearer {key}"}, timeout=wait_s)


@pytest.mark.parametrize("ends", ["gateway", "key"])
def test_who_is_cut_off_is_given_nothing_for_an_answer(idle: ProcessServices, ends: str) -> None:
    key, text = create_key(idle.database, "shop")
    with ThreadPoolExecutor(2) as pool:
        with served(ProcessServices(idle.settings, slots=4)) as base:
            waiting = [pool.submit(tell, base, text, "hello", stream=stream) for stream in (True, False)]
            while not idle.database.statement("SELECT 1 FROM jobs"):
                time.sleep(0.05)
            time.sleep(1)
            if ends == "key":
                revoke_key(idle.database, key.id)
                wait(waiting, timeout=60)
        streamed, whole = (each.result(60) for each in waiting)

    assert (whole.status_code, whole.headers["retry-after"]) == (503, "2"), whole.text
    assert streamed.status_code == 200
    assert "[DONE]" not in streamed.text
    assert "stop" not in streamed.text


def test_a_message_that_a_client_sends_again_is_neither_a_second_job_nor_an_instruction(idle: ProcessServices) -> None:
    """The OpenAI clients do so by themselves after a timeout, and after the 504 of a proxy."""
    text = create_key(idle.database, "shop")[1]

    def give_up_on(*texts: str) -> None:
        for _ in range(3):
            with pytest.raises(httpx.ReadTimeout):
                tell(base, text, *texts, wait_s=1)

    with served(ProcessServices(idle.settings, slots=4)) as base:
        give_up_on("which way?")
        assert len(jobs(base, text)) == 1
        run_all(idle)
        give_up_on("which way?", "left")
        (job,) = jobs(base, text)
        said = "SELECT coalesce(response, payload)->>'text' AS text FROM requests WHERE response IS NOT NULL OR kind = 'remark' ORDER BY id"
        assert [row["text"] for row in idle.database.statement(said)] == ["left"]
        advance_and_publish(idle, UUID(job["id"]))
        give_up_on("which way?", "left", "no, right")
        assert [row["text"] for row in idle.database.statement(said)] == ["left", "no, right"]
        give_up_on("which way?")  # the first words again, after others: another conversation
        assert [each["id"] for each in jobs(base, text)][1:] == [job["id"]]
