"""Secrets are hidden by their values, in whatever piece of a text they are; a malformed URL is refused and not quoted."""

from collections.abc import Iterator

import pytest

from workers import secrets
from workers.errors import ConfigurationError
from workers.secrets import redact_url
from workers.server_urls import check_url
from workers.settings import load_settings


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    secrets.forget()
    load_settings.cache_clear()
    yield
    secrets.forget()
    load_settings.cache_clear()


MALFORMED = [
    "redis://:hunter2 horse@h:6379/0", "redis://:hunter2%zz@h:6379/0", "redis://:hunter2#horse@h:6379/0", "redis://:hunter2/horse@h:6379/0",
    "redis://:hunter2@horse@h:6379/0", "redis://:hunter2\thorse@h/0", "redis://:hunter2%@h/0", "amqp://u:hunter2?horse@h:x/", "redis://",
    "redis://u:hunter2@h:99999999/0", "redis://[hunter2/0",
]  # fmt: skip


@pytest.mark.parametrize("url", MALFORMED)
def test_a_malformed_url_is_refused_and_no_part_of_it_is_printed(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """`%` or a space in a password printed it, `#` a part of it."""
    monkeypatch.setenv("BULLPEN_BROKER_URL", url)

    with pytest.raises(ConfigurationError, match="BULLPEN_BROKER_URL") as caught:
        load_settings()

    assert "hunter2" not in str(caught.value)
    assert "horse" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "redis://:p%23ss@h:6379/0", "rediss://h", "amqp://u:p@h:5672//", "amqp://u:p@h/%2F", "https://h/v1", "postgresql://u:p@h1:5432,h2:5433/db",
        "postgresql:///db?host=/var/run", "postgresql://u:p@h/db?sslmode=require", "redis://[::1]:6379/0",
    ],
)  # fmt: skip
def test_a_well_formed_url_is_taken(url: str) -> None:
    assert check_url(url, needs_host=not url.startswith("postgresql")) == url


@pytest.mark.parametrize(
    "text",
    [
        'invalid integer value "hunter2horse" for connection option "port"',
        "the server said hunter2%40horse",
        "could not resolve hunter2@horse@host",
        "cut in the middle of hunter2@ho",
        "cut earlier: hunter",
        "sk-verysecretkey is wrong",
        "Incorrect API key provided: sk-veryse",
    ],
)
def test_a_secret_is_hidden_wherever_and_however_it_is_quoted(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("BULLPEN_BROKER_URL", "redis://:hunter2%40horse@h:6379/0")
    monkeypatch.setenv("BULLPEN_DATABASE_URL", "postgresql://u:hunter2horse@h/db")
    monkeypatch.setenv("BULLPEN_MODEL_API_KEY", "sk-verysecretkey")
    load_settings()

    shown = redact_url(text)

    assert "hunter" not in shown
    assert "sk-very" not in shown
    assert "***" in shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://hooks.slack.com/services/T0/B0/XYZ", "https://hooks.slack.com/***"),
        ("post to https://hooks.example.com/bullpen/x?sig=abc, then", "post to https://hooks.example.com/***, then"),
        ("https://store.example.com/a?sig=abc&x=1", "https://store.example.com/a?sig=***&x=1"),
        ("https://s3.example.com/a?X-Amz-Signature=abc", "https://s3.example.com/a?X-Amz-Signature=***"),
        ("key=value in a sentence about keys", "key=*** in a sentence about keys"),
        ("monkey=banana", "monkey=banana"),
        ("https://example.com/path", "https://example.com/path"),
    ],
)
def test_secrets_by_their_place_are_hidden(text: str, shown: str) -> None:
    assert redact_url(text) == shown
