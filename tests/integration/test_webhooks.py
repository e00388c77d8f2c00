"""Webhooks as hostile servers: they cost one sender its deadline, and nothing else."""

import ipaddress
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

import tests.support.noop  # noqa: F401  registers the kinds
from contracts.events import SubmissionRefused
from tests.support.webhooks import LOOPBACK, answers, dribbles, hangs, serving, takes
from workers.app import webhooks
from workers.app.answers import keep_answer
from workers.app.intake_redis import RedisIntake
from workers.app.queues import JOBS_STREAM
from workers.app.senders import Senders
from workers.app.services import ProcessServices
from workers.app.submissions import take_submission
from workers.app.webhooks import AddressNotAllowed, WebhookAway, WebhookRefused, is_allowed, post
from workers.settings import Settings

BODY = b'{"kind": "test"}'


def allowing(*prefixes: str, networks: str = LOOPBACK, **more: Any) -> Settings:
    """Settings that allow these prefixes, on loopback."""
    return Settings(webhook_urls=prefixes, webhook_networks=networks, **more)  # pyright: ignore[reportArgumentType] as in the environment


def wait_until(done: Callable[[], Any], what: str) -> Any:
    give_up_at = time.monotonic() + 60
    while not (found := done()):
        assert time.monotonic() < give_up_at, what
        time.sleep(0.02)
    return found


@pytest.fixture
def fleet(database_url: str, broker_url: str) -> Iterator[Callable[..., ProcessServices]]:
    """Starts intake and senders as in a coordinator, for these prefixes."""
    with ExitStack() as stack:

        def start(*prefixes: str) -> ProcessServices:
            services = ProcessServices(
                allowing(*prefixes, database_url=database_url, broker_url=broker_url, sweep_s=0.05)
            )  # fmt: skip
            stop = threading.Event()
            intake, senders = RedisIntake(services, stop), Senders(services, stop)
            stack.callback(services.close)
            stack.callback(intake.join, 10)
            stack.callback(senders.join, 20)
            stack.callback(stop.set)
            senders.start()
            intake.start()
            return services

        yield start


def test_a_webhook_that_dribbles_holds_up_neither_the_intake_nor_other_answers(
    fleet: Callable[..., ProcessServices], monkeypatch: pytest.MonkeyPatch
) -> None:
    """F4: a server that sent a header line a second stopped all intake, and the next coordinator took up the same message."""
    monkeypatch.setattr(webhooks, "WITHIN_S", 0.2)
    with serving(dribbles) as slow, serving(takes) as good:
        services = fleet(slow.prefix, good.prefix)
        for number in range(30):
            services.redis.xadd(JOBS_STREAM, {"body": json.dumps({"job": {"kind": "noop"}, "reply_to": f"{slow.url}/{number}"})})
        services.redis.xadd(JOBS_STREAM, {"body": json.dumps({"job": {"kind": "noop"}, "reply_to": good.url, "correlation_id": "good"})})

        wait_until(lambda: good.heard, "the other webhook is answered")
        wait_until(lambda: services.redis.xlen(JOBS_STREAM) == 0, "all are taken")

        assert [body["correlation_id"] for body in good.heard] == ["good"]
        assert services.database.row("SELECT count(*) AS n FROM jobs") == {"n": 31}
        # The server has heard a moment before the sender writes that it was sent.
        wait_until(
            lambda: not services.database.statement("SELECT 1 FROM answers WHERE address = %(url)s AND sent_at IS NULL", {"url": good.url}),
            "the good one is sent",
        )
        assert services.database.row("SELECT count(*) AS n FROM answers WHERE sent_at IS NULL") == {"n": 30}


def test_an_answer_is_tried_again_until_its_server_takes_it(fleet: Callable[..., ProcessServices]) -> None:
    with serving(answers("503 Busy")) as hook:
        services = fleet(hook.prefix)
        keep_answer(services, hook.url, SubmissionRefused(error="no", correlation_id="later"))
        wait_until(lambda: services.database.row("SELECT 1 FROM answers WHERE tries > 1 AND error LIKE '%503%'"), "it was tried twice")

        hook.behave = takes
        wait_until(lambda: hook.heard, "it is taken")
        wait_until(lambda: not services.database.statement("SELECT 1 FROM answers"), "and done with")

    assert [body["correlation_id"] for body in hook.heard] == ["later"]


def test_an_answer_that_nobody_takes_for_an_hour_goes_to_quarantine(fleet: Callable[..., ProcessServices]) -> None:
    with serving(answers("410 Gone")) as hook:
        services = fleet(hook.prefix)
        services.database.statement(
            "INSERT INTO answers (address, target, lane, body, created_at) VALUES (%(url)s, %(url)s, 'web', '{\"kind\": \"x\"}', "
            "now() - interval '2 hours')",
            {"url": hook.url},
        )
        entry = wait_until(lambda: services.database.row("SELECT cause, message FROM quarantine"), "it is given up")

        wait_until(lambda: not services.database.statement("SELECT 1 FROM answers"), "and done with")

    assert entry["cause"] == "Undeliverable"


@pytest.mark.parametrize(("behave", "fault"), [(hangs, WebhookAway), (dribbles, WebhookAway), (answers("500 Oops"), WebhookRefused)])
def test_a_server_has_a_total_deadline(behave: Any, fault: type[Exception]) -> None:
    with serving(behave) as hook, pytest.raises(fault):
        post(allowing(hook.prefix), hook.url, BODY, within_s=0.5 if fault is WebhookAway else 60.0)


@pytest.mark.parametrize("status", ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"])
def test_redirects_are_not_followed(status: str) -> None:
    with (
        serving(takes) as inner,
        serving(answers(status, f"Location: {inner.url}\r\n")) as outer,
        pytest.raises(WebhookRefused, match="Redirects are not followed"),
    ):
        post(allowing(outer.prefix, inner.prefix), outer.url, BODY)

    assert (len(outer.asked), inner.asked) == (1, [])


def test_a_name_that_leads_to_this_machine_is_not_connected_to() -> None:
    """The address is checked, not the name; and it is the one that would be connected to."""
    with serving(takes) as hook:
        prefix = f"http://localhost:{hook.port}/"
        with pytest.raises(AddressNotAllowed):
            post(allowing(prefix, networks=""), f"{prefix}x", BODY)

    assert hook.asked == []


def test_a_name_whose_address_changes_after_the_check_gains_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """DNS rebinding: the name is resolved once, and what was checked is connected to."""
    asked: list[str] = []
    real = socket.getaddrinfo

    def rebinding(host: str, *args: Any, **more: Any) -> Any:
        asked.append(host)
        return real("192.0.2.1" if len(asked) == 1 else "127.0.0.1", *args, **more)

    with serving(takes) as hook:
        monkeypatch.setattr(socket, "getaddrinfo", rebinding)
        with pytest.raises(AddressNotAllowed):
            post(allowing(f"http://hooks.example.com:{hook.port}/", networks=""), f"http://hooks.example.com:{hook.port}/x", BODY)

    assert (asked, hook.asked) == (["hooks.example.com"], [])


SPECIAL = [
    "127.0.0.1", "127.255.255.254", str(ipaddress.IPv4Address(0)), "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254",
    "100.64.0.1", "224.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "240.0.0.1", "::1", "::", "fe80::1", "fc00::1",
    "fd12::1", "ff02::1", "2001:db8::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2002:a00:1::", "2001::1",
]  # fmt: skip


@pytest.mark.parametrize("address", SPECIAL)
def test_no_special_address_is_allowed_in_any_spelling(address: str) -> None:
    """Loopback, link-local, private, shared, multicast, reserved, and IPv4 inside of IPv6."""
    assert not is_allowed(ipaddress.ip_address(address), ())


@pytest.mark.parametrize("address", ["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_public_addresses_are_allowed(address: str) -> None:
    assert is_allowed(ipaddress.ip_address(address), ())


def test_a_network_that_the_operator_names_is_allowed_and_no_other() -> None:
    networks = (ipaddress.ip_network("10.1.0.0/16"),)

    assert is_allowed(ipaddress.ip_address("10.1.2.3"), networks)
    assert is_allowed(ipaddress.ip_address("::ffff:10.1.2.3"), networks)
    assert not is_allowed(ipaddress.ip_address("10.2.0.1"), networks)


PREFIX = "https://hooks.example.com/bullpen/"


@pytest.fixture
def services(database_url: str, broker_url: str) -> Iterator[ProcessServices]:
    services = ProcessServices(allowing(PREFIX, database_url=database_url, broker_url=broker_url))
    yield services
    services.close()


@pytest.mark.parametrize(
    "url",
    [
        "https://hooks.example.com/other", "https://hooks.example.com.evil.example/bullpen/x", "http://hooks.example.com/bullpen/x",
        "https://hooks.example.com:444/bullpen/x", "https://user:pw@hooks.example.com/bullpen/x", "https://hooks.example.com/bullpen/../x",
        "https://hooks.example.com/bullpen/%2e%2e/x", "https://hooks.example.com/bullpen/a b", "https://hooks.example.com/bullpen/x#y",
        "https://hooks.example.com/bullpen/x\r\nHost: other", "https://hooks.example.com/bullpen-evil", "https://[::1/bullpen/", "https://",
        "carrier pigeon", "file:///etc/passwd", "stream:", "stream:bullpen:jobs", "stream:orders", "stream:bullpen:replies:",
        "queue:answers",
    ],
)  # fmt: skip
def test_an_address_that_is_not_allowed_is_refused_at_intake(url: str, services: ProcessServices) -> None:
    """F2: with the reason in quarantine, and the address itself is not repeated."""
    answer = take_submission(services, json.dumps({"job": {"kind": "noop"}, "reply_to": url}).encode(), source="test")

    assert answer.kind == "submission_refused"
    assert answer.error.startswith("reply_to: ")
    assert services.database.statement("SELECT cause FROM quarantine") == [{"cause": "InvalidSubmission"}]
    assert services.database.statement("SELECT 1 FROM jobs UNION SELECT 1 FROM answers") == []


@pytest.mark.parametrize("url", ["https://hooks.example.com/bullpen/x", "https://HOOKS.example.com/bullpen/x?sig=abc"])
def test_a_url_below_a_prefix_is_taken(url: str, services: ProcessServices) -> None:
    answer = take_submission(services, json.dumps({"job": {"kind": "noop"}, "reply_to": url}).encode(), source="test")

    assert answer.kind == "submission_accepted"
    assert services.database.statement("SELECT address, lane, target FROM answers") == [
        {"address": url, "lane": "web", "target": "https://hooks.example.com"}
    ]


def test_a_prefix_with_a_user_name_or_without_a_host_is_no_setting() -> None:
    for prefix in ("https://user:secret@host/", "https://", "ftp://host/x/", "https://host/x"):
        with pytest.raises(ValueError, match="prefix 1 is not of the form") as caught:
            allowing(prefix)
        assert "secret" not in str(caught.value).partition("[type=")[0]
