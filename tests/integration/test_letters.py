"""What people read of a job outside: signed webhooks, chats, mail."""

import hmac
from email import message_from_bytes, policy
from uuid import UUID

import pytest

import tests.support.noop  # noqa: F401  registers its kinds
from contracts.jobs import SubmitJob
from tests.support.mail import mail_server
from tests.support.webhooks import LOOPBACK, serving, takes
from workers.app.in_process import run_all
from workers.app.letters import Letter, for_slack, letter_of, send_mail
from workers.app.reply_addresses import read_address
from workers.app.services import ProcessServices
from workers.app.webhooks import WebhookAway, WebhookRefused, post
from workers.blackboard.engine import Database
from workers.coordinator.intake import accept
from workers.errors import InvalidSubmission
from workers.settings import Settings

SIGNED_WITH = "words-of-some-length"


def settings_for_mail(port: int, *to: str) -> Settings:
    return Settings(smtp_url=f"smtp://127.0.0.1:{port}", mail_from="fleet@example.com", mail_to=to)


def test_what_is_posted_is_signed_with_its_time() -> None:
    with serving(takes) as hook:
        settings = Settings(webhook_urls=(hook.prefix,), webhook_networks=LOOPBACK, webhook_secret=SIGNED_WITH)  # pyright: ignore[reportArgumentType] as in the environment
        post(settings, hook.url, b'{"kind": "test"}')
    (head,) = hook.asked
    signature = next(line for line in head.splitlines() if line.startswith("X-Bullpen-Signature: ")).partition(": ")[2]
    at, digest = (part.partition("=")[2] for part in signature.split(","))
    assert hmac.compare_digest(digest, hmac.new(SIGNED_WITH.encode(), f"{at}.".encode() + b'{"kind": "test"}', "sha256").hexdigest())


@pytest.mark.parametrize(("words", "title", "last"), [
    ("orders are slow", "diagnose asks (job {job})", "Answer: bullpen answer {job} --request r1 '...'"),
    ("订单查询很慢", "diagnose 有问题要问（任务 {job}）", "回答：bullpen answer {job} --request r1 '...'"),
])  # fmt: skip
def test_a_letter_is_in_the_language_of_the_job(database: Database, words: str, title: str, last: str) -> None:
    job = accept(database, SubmitJob(job={"kind": "diagnose", "description": words}), owner_cap=10).job_id
    body = {"kind": "job_asks", "job_id": str(job), "request_id": "r1", "question": "Which?", "choices": ["a", "b"], "guidance": "Look."}
    letter = letter_of(database, body)
    assert letter is not None
    assert letter.title == title.format(job=job)
    assert letter.text.splitlines() == [f"> {words}", "", "Which?", "- a", "- b", "", "Look.", "", last.format(job=job)]


def test_a_letter_of_an_end_says_how_and_what_next(database: Database) -> None:
    job = accept(database, SubmitJob(job={"kind": "noop"}), owner_cap=10).job_id
    letter = letter_of(database, {"kind": "job_finished", "job_id": str(job), "status": "failed", "error": "s2: broken"})
    assert letter == Letter(f"noop: failed (job {job})", f"s2: broken\n\nSee it: bullpen show {job}")
    gone = letter_of(database, {"kind": "job_finished", "job_id": str(UUID(int=1)), "status": "succeeded"})
    assert gone is not None
    assert "succeeded" in gone.title
    assert letter_of(database, {"kind": "submission_accepted", "job_id": str(job)}) is None, "that a job begins is no news to a person"


@pytest.mark.parametrize(("words", "said"), [
    ("orders are slow since the nightly load, and nobody changed anything", "The history has no tickets, so nothing can be diagnosed."),
    ("订单查询很慢，没有人改动过任何东西", "历史工单为空"),
])  # fmt: skip
def test_a_letter_of_a_result_says_what_it_was_about_and_what_came_out(
    database: Database, database_url: str, broker_url: str, words: str, said: str
) -> None:
    job = accept(database, SubmitJob(job={"kind": "diagnose", "description": words}), owner_cap=10).job_id
    services = ProcessServices(Settings(database_url=database_url, broker_url=broker_url, embeddings="none", advance="inline"))
    run_all(services)
    services.close()
    letter = letter_of(database, {"kind": "job_finished", "job_id": str(job), "status": "succeeded"})
    assert letter is not None
    lines = letter.text.splitlines()
    assert lines[:2] == [f"> {words}", ""]
    assert said in " ".join(lines[2:])
    assert lines[-2:] == ["", lines[-1]]
    assert f"bullpen show {job}" in lines[-1]


def test_a_chat_text_mentions_nobody() -> None:
    assert for_slack(Letter("x", "<!channel> & <http://evil|click>")) == (
        b'{"text": "*x*\\n&lt;!channel&gt; &amp; &lt;http://evil|click&gt;"}'
    )


def test_mail_is_handed_to_the_server() -> None:
    with mail_server() as (port, took):
        send_mail(settings_for_mail(port), "ops@example.com", Letter("诊断 asks", "哪个？\nAnswer: bullpen"))
    message = message_from_bytes(took[0], policy=policy.default)
    assert (message["To"], message["From"], message["Subject"]) == ("ops@example.com", "fleet@example.com", "诊断 asks")
    assert message.get_content().splitlines() == ["哪个？", "Answer: bullpen"]


def test_a_mail_server_that_refuses_or_is_away_is_reported() -> None:
    with mail_server(refuses=b"RCPT") as (port, _), pytest.raises(WebhookRefused):
        send_mail(settings_for_mail(port), "ops@example.com", Letter("x", "y"))
    with pytest.raises(WebhookAway):
        send_mail(settings_for_mail(port), "ops@example.com", Letter("x", "y"))


def test_a_password_is_not_sent_in_the_clear() -> None:
    with mail_server() as (port, took):
        settings = settings_for_mail(port).model_copy(update={"smtp_url": f"smtp://me:secret@127.0.0.1:{port}"})
        with pytest.raises(WebhookRefused):
            send_mail(settings, "ops@example.com", Letter("x", "y"))
    assert took == []


@pytest.mark.parametrize("address", [
    "mailto:ops@evil.com", "mailto:ops@example.com,x@evil.com", "mailto:ops@example.com\r\nBcc: x@evil.com", "mailto:",
    "mailto:@example.com",     "slack:http://127.0.0.1/", "slack:file:///etc/passwd",
])  # fmt: skip
def test_letters_go_only_where_the_operator_allows(address: str) -> None:
    with pytest.raises(InvalidSubmission):
        read_address(settings_for_mail(25, "@example.com"), address)


def test_an_allowed_mailbox_is_taken() -> None:
    for allowed in ("@example.com", "ops@example.com"):
        found = read_address(settings_for_mail(25, allowed), "mailto:ops@example.com")
        assert (found.lane, found.target) == ("web", "mail")
    with pytest.raises(InvalidSubmission):
        read_address(Settings(mail_to=("@example.com",)), "mailto:ops@example.com")
