"""The dialogue by message: a producer hears what its job asks, answers, instructs and cancels without a shell."""

import json
import threading
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest

import tests.support.noop  # noqa: F401  registers the kinds
from contracts.base import Json
from contracts.limits import MOST_WORD_CHARACTERS
from workers.app.answers import Announcer
from workers.app.asking import announce_questions
from workers.app.in_process import run_all
from workers.app.senders import Senders
from workers.app.services import ProcessServices
from workers.app.submissions import take_submission
from workers.blackboard.answers import claim
from workers.coordinator import actions
from workers.errors import InvalidInput
from workers.kinds.diagnose.samples import sample_incident, sample_tickets_path
from workers.settings import Settings
from workers.tickets import import_tickets, read_tickets

STREAM = "bullpen:replies:dialogue"
ASKING = {"kind": "noop", "plan": {"s2": {"ask": 1}}}


@pytest.fixture
def services(database_url: str, broker_url: str) -> Iterator[ProcessServices]:
    made = ProcessServices(Settings(database_url=database_url, broker_url=broker_url, embeddings="none"))
    yield made
    made.close()


class Producer:
    """A program that knows only what its reply stream says."""

    def __init__(self, services: ProcessServices) -> None:
        self._services = services
        self._senders = Senders(services, threading.Event())
        self._read = 0

    def send(self, message: Json, *, message_id: str | None = None) -> str:
        """Deliver a message as the intake does. Returns the kind of its answer; the fleet then works until it has to wait."""
        taken = take_submission(self._services, json.dumps(message).encode(), source="test", message_id=message_id or uuid4().hex)
        run_all(self._services)
        return taken.kind

    def hear(self) -> list[Json]:
        """What came since."""
        announce_questions(self._services)
        Announcer(self._services, threading.Event()).announce()
        while self._senders.send_broker():
            pass
        entries: Any = self._services.redis.xrange(STREAM)
        new, self._read = entries[self._read :], len(entries)
        return [json.loads(fields[b"body"]) for _, fields in new]

    def start(self, job: Json, **more: Any) -> Json:
        """Submit a job that asks at once. Returns the question."""
        self.send({"job": job, "reply_to": f"stream:{STREAM}", **more})
        accepted, asks = self.hear()
        assert (accepted["kind"], asks["kind"]) == ("submission_accepted", "job_asks")
        return asks


@pytest.fixture
def producer(services: ProcessServices) -> Producer:
    return Producer(services)


def with_text(asks: Json, text: str) -> Json:
    """The reply that a question describes, with its text."""
    reply = asks["reply_with"]
    return {**reply, "answer": {**reply["answer"], "text": text}}


def test_a_producer_hears_a_question_and_answers_it_by_message(producer: Producer) -> None:
    asks = producer.start(ASKING, correlation_id="order 7")

    assert (asks["question"], asks["stage"], asks["must_choose"], asks["correlation_id"]) == ("s2: question 1?", "s2", False, "order 7")
    assert producer.hear() == [], "a question is announced once"
    producer.send(with_text(asks, "blue"))
    taken, finished = producer.hear()

    assert (taken["kind"], taken["command"], taken["request_id"]) == ("command_taken", "answer", asks["request_id"])
    assert (finished["kind"], finished["status"], finished["correlation_id"]) == ("job_finished", "succeeded", "order 7")


@pytest.mark.parametrize(("language", "description"), [("en", None), ("zh", "商城很慢")])
def test_a_diagnosis_is_brought_to_its_end_by_messages_alone(
    services: ProcessServices, producer: Producer, language: str, description: str | None
) -> None:
    """F4: a `diagnose` submitted by a program waited for a person with a shell."""
    import_tickets(services.database, None, read_tickets(sample_tickets_path()))
    asks = producer.start({"kind": "diagnose", "description": description or sample_incident().description})

    assert any("\u4e00" <= letter <= "\u9fff" for letter in asks["question"]) == (language == "zh")
    finished: list[Json] = []
    offered = 0
    while not finished:
        items = asks["detail"]["items"]
        offered += len(items)
        producer.send(with_text(asks, " ".join(f"{item['number']} unknown" for item in items) or "支付超时，数据库连接数已满"))
        heard = producer.hear()
        finished = [answer for answer in heard if answer["kind"] == "job_finished"]
        asks = next((answer for answer in heard if answer["kind"] == "job_asks"), asks)

    assert offered
    assert finished[0]["status"] == "succeeded"
    assert isinstance(finished[0]["result"], dict)


def test_the_same_answer_twice_changes_nothing_and_another_is_refused_with_the_first(services: ProcessServices, producer: Producer) -> None:
    asks = producer.start({"kind": "noop", "plan": {"s2": {"ask": 1}, "s3": {"ask": 1}}})

    kinds = [producer.send(with_text(asks, text)) for text in ("blue", "blue", "red")]

    assert kinds == ["command_taken", "command_taken", "command_refused"]
    first, again, refused = [answer for answer in producer.hear() if answer["kind"].startswith("command")]
    assert (first["changed"], again["changed"]) == (True, False)
    assert "“blue”" in refused["error"]
    row = services.database.row("SELECT id, cause FROM quarantine")
    assert row == {"id": UUID(refused["quarantine_id"]), "cause": "AlreadyAnswered"}


def test_an_instruction_that_is_delivered_twice_is_given_once(services: ProcessServices, producer: Producer) -> None:
    asks = producer.start(ASKING)
    order = {"instruct": {"job_id": asks["job_id"], "text": "shorter", "stage": "s1"}}

    assert [producer.send(order, message_id=name) for name in ("m1", "m1", "m2")] == ["command_taken"] * 3
    assert [producer.send({**order, "idempotency_key": "k"}, message_id=name) for name in ("m3", "m4")] == ["command_taken"] * 2

    given = services.database.statement("SELECT payload->>'text' AS text FROM requests WHERE kind = 'remark'")
    assert [row["text"] for row in given] == ["shorter"] * 3, "m1, m2 and k"


def test_a_job_is_cancelled_by_message_and_its_end_is_told(producer: Producer) -> None:
    asks = producer.start(ASKING)

    assert [producer.send({"cancel": {"job_id": asks["job_id"]}}) for _ in range(2)] == ["command_taken"] * 2

    heard = producer.hear()
    assert [answer["changed"] for answer in heard if answer["kind"] == "command_taken"] == [True, False]
    assert [answer["status"] for answer in heard if answer["kind"] == "job_finished"] == ["cancelled"]


def test_another_owner_s_job_is_not_there(services: ProcessServices, producer: Producer) -> None:
    """F2: neither answered, instructed nor cancelled, and the refusal does not say that it exists."""
    asks = producer.start(ASKING, owner="alice")
    job_id = asks["job_id"]
    assert asks["reply_with"]["owner"] == "alice"
    orders = [{"answer": {"job_id": job_id, "text": "x"}}, {"instruct": {"job_id": job_id, "text": "x"}}, {"cancel": {"job_id": job_id}}]

    kinds = [producer.send({**order, "owner": owner}) for order in orders for owner in ("mallory", "default")]

    assert kinds == ["command_refused"] * 6
    assert services.database.row("SELECT status FROM jobs") == {"status": "waiting_human"}
    there = {row["message"] for row in services.database.statement("SELECT message FROM quarantine")}
    producer.send({"cancel": {"job_id": str(uuid4())}, "owner": "mallory"})
    absent = services.database.row("SELECT message FROM quarantine ORDER BY id DESC LIMIT 1")
    assert absent is not None
    assert {text.replace(job_id, "ID") for text in there if "mallory" in text} == {
        f"{absent['message'].split(' job ')[0]} job ID. Name its `owner` as in the submission."
    }


@pytest.mark.parametrize(
    ("message", "says"),
    [
        ({"answer": {"text": "x"}}, "job_id"),
        ({"answer": {"job_id": "7", "text": "x"}}, "job_id"),
        ({"answer": 7}, "answer"),
        ({"answer": None}, "exactly one"),
        ({"answer": {"job_id": str(UUID(int=7)), "text": ""}}, "text"),
        ({"answer": {"job_id": str(UUID(int=7)), "text": "x" * (MOST_WORD_CHARACTERS + 1)}}, "text"),
        ({"instruct": {"job_id": str(UUID(int=7)), "text": "x"}, "cancel": {"job_id": str(UUID(int=7))}}, "exactly one"),
        ({"cancel": {"job_id": str(UUID(int=7))}, "reply_to": "stream:orders"}, "reply_to"),
        ({"cancel": {"job_id": str(UUID(int=7))}, "v": 0}, "version"),
    ],
)
def test_a_malformed_command_is_refused_with_the_field(services: ProcessServices, producer: Producer, message: Json, says: str) -> None:
    assert producer.send(message) == "command_refused"

    entry = services.database.row("SELECT cause, message FROM quarantine")
    assert entry is not None
    assert entry["cause"] == "InvalidSubmission"
    assert says in entry["message"]


def test_a_question_of_the_boss_names_its_choices(services: ProcessServices, producer: Producer) -> None:
    asks = producer.start(ASKING)
    producer.send({"instruct": {"job_id": asks["job_id"], "text": "use the other table"}})

    boss = next(answer for answer in producer.hear() if answer["kind"] == "job_asks")
    assert boss["must_choose"]
    assert "s1" in boss["choices"]
    assert producer.send(with_text(boss, "nonsense")) == "command_refused"
    assert producer.send(with_text(boss, "s1")) == "command_taken"


def test_a_human_s_words_are_bounded_on_every_way(services: ProcessServices, producer: Producer) -> None:
    """50 MB was taken as an answer."""
    asks = producer.start(ASKING)
    job_id, long = UUID(asks["job_id"]), "x" * (MOST_WORD_CHARACTERS + 1)

    for act in (actions.answer, actions.instruct):
        with pytest.raises(InvalidInput, match=f"{MOST_WORD_CHARACTERS} are allowed"):
            act(services.database, job_id, long)
    with pytest.raises(InvalidInput, match="bytes"):
        actions.revise(services.database, job_id, "s1", {"stage": "x" * 3_000_000, "given": {}})

    assert actions.answer(services.database, job_id, long[1:])


def test_answers_about_a_job_leave_in_order(services: ProcessServices, producer: Producer) -> None:
    producer.start(ASKING)
    services.database.statement("INSERT INTO answers (address, target, lane, job_id, body, try_at) "
        "SELECT 'stream:x', 'stream:x', 'broker', id, '{\"n\": 1}', now() + interval '1 hour' FROM jobs")  # fmt: skip
    services.database.statement(
        "INSERT INTO answers (address, target, lane, job_id, body) SELECT 'stream:x', 'stream:x', 'broker', id, '{\"n\": 2}' FROM jobs"
    )

    assert claim(services.database, "broker", limit=10) == []
