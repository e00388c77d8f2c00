"""What leaves the fleet, from the submission to servers on loopback: webhooks, chats and mail when a job asks and when it has ended."""

import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email import message_from_bytes, policy
from typing import Any

import httpx
import pytest

import tests.support.noop  # noqa: F401  registers its kinds
from tests.support.gateway import key_for, served, working
from tests.support.mail import mail_server
from tests.support.webhooks import LOOPBACK, Hook, serving, takes
from workers.app.answers import Announcer
from workers.app.job_pages import PATH
from workers.app.senders import Senders
from workers.app.services import ProcessServices
from workers.console.routes import all_routers
from workers.settings import Settings

PUBLIC = "https://bullpen.example.com"


@dataclass(frozen=True, slots=True)
class Delivering:
    """A fleet that works and delivers, with its gateway, a web server and a mail server."""

    gateway: httpx.Client
    hook: Hook
    mails: list[bytes]

    def submitted(self, reply_to: str) -> str:
        """A job that asks once."""
        job = {"kind": "noop", "text": "orders are <late>", "plan": {"s1": {"ask": 1}}}
        made = self.gateway.post("/v1/jobs", json={"job": job, "reply_to": reply_to})
        assert made.status_code == 201, made.text
        return made.json()["job_id"]

    def heard(self, **fields: Any) -> list[dict[str, Any]]:
        """The bodies at the web server that have these fields."""
        return [body for body in self.hook.heard if fields.items() <= body.items()]


def wait_until(done: Callable[[], Any], what: str) -> Any:
    give_up_at = time.monotonic() + 120
    while not (found := done()):
        assert time.monotonic() < give_up_at, what
        time.sleep(0.02)
    return found


@pytest.fixture
def fleet(database_url: str, broker_url: str) -> Iterator[Delivering]:
    with serving(takes) as hook, mail_server() as (port, mails):
        settings = Settings(
            database_url=database_url, broker_url=broker_url, embeddings="none", sweep_s=0.05, webhook_urls=(hook.prefix,),
            webhook_networks=LOOPBACK, smtp_url=f"smtp://127.0.0.1:{port}", mail_from="fleet@example.com", mail_to=("@example.com",),
            public_url=f"{PUBLIC}/",
        )  # fmt: skip  # pyright: ignore[reportArgumentType] as in the environment
        stop = threading.Event()
        with working(settings) as services, served(ProcessServices(settings, slots=4)) as base:
            announcer, senders = Announcer(services, stop), Senders(services, stop)
            announcer.start()
            senders.start()
            try:
                with httpx.Client(base_url=base, headers=key_for(services.database, "shop"), timeout=120) as gateway:
                    yield Delivering(gateway, hook, mails)
            finally:
                stop.set()
                announcer.join(60)
                senders.join(60)


def test_a_question_and_an_end_reach_a_webhook_a_chat_and_a_mailbox(fleet: Delivering) -> None:
    """Each with the page of its job."""
    web, chat, mail = (fleet.submitted(to) for to in (fleet.hook.url, f"slack:{fleet.hook.url}", "mailto:ops@example.com"))

    asked = wait_until(lambda: fleet.heard(kind="job_asks"), "the webhook hears the question")[0]
    wait_until(lambda: fleet.mails, "the mailbox has the question")
    texts = wait_until(lambda: [body["text"] for body in fleet.hook.heard if "text" in body], "the chat hears the question")

    assert (asked["job_id"], asked["question"], asked["page"]) == (web, "s1: question 1?", f"{PUBLIC}{PATH}{web}")
    assert texts[0].splitlines()[:4] == [f"*noop asks (job {chat})*", "s1: question 1?", "", texts[0].splitlines()[3]]
    assert re.fullmatch(
        rf"Answer: bullpen answer {chat} --request [0-9a-f-]+ '...'\nIts page: {PUBLIC}{PATH}{chat}", texts[0].split("\n\n")[-1]
    )
    letter = message_from_bytes(fleet.mails[0], policy=policy.default)
    assert (letter["Subject"], letter["To"]) == (f"noop asks (job {mail})", "ops@example.com")
    assert letter.get_content().splitlines()[-1] == f"Its page: {PUBLIC}{PATH}{mail}"

    for job in (web, chat, mail):
        assert fleet.gateway.post(f"/v1/jobs/{job}/answer", json={"text": "yes"}).status_code == 200
    ended = wait_until(lambda: fleet.heard(kind="job_finished"), "the webhook hears the end")[0]
    wait_until(lambda: len(fleet.mails) == 2, "the mailbox has the end")
    last = wait_until(lambda: [body["text"] for body in fleet.hook.heard if "text" in body][1:], "the chat hears the end")[0]

    assert (ended["status"], ended["page"]) == ("succeeded", f"{PUBLIC}{PATH}{web}")
    assert last.startswith(f"*noop: succeeded (job {chat})*")
    assert last.endswith(f"See it: bullpen show {chat}\nIts page: {PUBLIC}{PATH}{chat}")
    letter = message_from_bytes(fleet.mails[1], policy=policy.default)
    assert letter["Subject"] == f"noop: succeeded (job {mail})"
    assert letter.get_content().splitlines()[-2:] == [f"See it: bullpen show {mail}", f"Its page: {PUBLIC}{PATH}{mail}"]


def test_an_alert_is_diagnosed_and_its_end_told_where_it_says(fleet: Delivering) -> None:
    """As Alertmanager sends it; that it is resolved makes no second letter."""
    labels = {"alertname": "ReplicationLag", "instance": "db-1"}
    alert = {"status": "firing", "labels": labels, "annotations": {"summary": "replica behind"}, "fingerprint": "f1"}
    message = {"version": "4", "status": "firing", "receiver": "bullpen", "alerts": [alert]}
    for address in (f"slack:{fleet.hook.url}", "mailto:ops@example.com"):
        alert["fingerprint"] = address
        taken = fleet.gateway.post("/v1/alerts", params={"reply_to": address}, json=message).json()["alerts"][0]
        assert taken["became"] == "job"

    text = wait_until(lambda: [body["text"] for body in fleet.hook.heard], "the chat hears the end")[0]
    wait_until(lambda: fleet.mails, "the mailbox has the end")
    mail = message_from_bytes(fleet.mails[0], policy=policy.default)
    resolved = {**message, "alerts": [{**alert, "status": "resolved"}]}
    assert [found["became"] for found in fleet.gateway.post("/v1/alerts", json=resolved).json()["alerts"]] == ["resolved"]
    known = {found["fingerprint"]: found for found in fleet.gateway.get("/v1/alerts").json()}

    assert "replica behind" in text
    assert "Unknown: no root cause found" in text
    assert f"{PUBLIC}{PATH}{taken['job_id']}" in mail.get_content()
    assert known["mailto:ops@example.com"]["resolved_at"] is not None
    assert known[f"slack:{fleet.hook.url}"]["resolved_at"] is None
    assert (len(fleet.hook.heard), len(fleet.mails)) == (1, 1)
    refused = fleet.gateway.post("/v1/alerts", params={"reply_to": "mailto:x@evil.example"}, json=message)
    assert refused.status_code == 400
    assert "BULLPEN_MAIL_TO" in refused.json()["detail"]


def test_a_chat_client_is_given_the_page_of_its_job(fleet: Delivering) -> None:
    body = {"model": "bullpen/diagnose", "messages": [{"role": "user", "content": "orders are late"}]}
    answer = fleet.gateway.post("/v1/chat/completions", json=body)

    assert (
        answer.json()["choices"][0]["message"]["content"].splitlines()[-1] == f"Its page: {PUBLIC}{PATH}{answer.headers['x-bullpen-job']}"
    )


def test_the_page_of_a_job_is_one_of_the_console() -> None:
    paths = {route.path for router in all_routers() for route in router.routes}  # pyright: ignore[reportAttributeAccessIssue] all have one

    assert f"{PATH}{{job_id}}" in paths


@pytest.mark.parametrize("wrong", [
    "bullpen.example.com", "ftp://bullpen.example.com", "https://", "https://me:secret@bullpen.example.com", "https://bullpen.example.com/sub",
    "https://bullpen.example.com/?x=1", "https://bullpen.example.com/#x", "https://bullpen example.com", "https://bullpen.example.com:port",
])  # fmt: skip
def test_an_address_that_could_not_be_linked_is_no_setting(wrong: str) -> None:
    with pytest.raises(ValueError, match="public_url") as caught:
        Settings(public_url=wrong)
    assert "secret" not in str(caught.value).partition("[type=")[0]
    assert Settings(public_url="").public_url is None
    assert Settings(public_url="http://10.0.0.5:8420/").public_url == "http://10.0.0.5:8420"
