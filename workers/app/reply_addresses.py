"""Where a producer may be answered: a reply stream on Redis, a queue on AMQP, or a webhook below an allowed prefix."""

import re
from dataclasses import dataclass
from typing import LiteralString
from urllib.parse import SplitResult, urlsplit

from contracts.statements import Name, say
from contracts.url_prefixes import UNPRINTABLE, climbs, is_below
from workers.app.queues import is_redis
from workers.blackboard.answers import Lane
from workers.blackboard.engine import Database
from workers.errors import InvalidSubmission
from workers.settings import Settings

PREFIX = "bullpen:replies:"
"""Of the names of all reply streams. No other key of Redis is ever written for a producer."""

_FIRST: LiteralString = "SELECT owner FROM jobs WHERE reply_to = %(address)s ORDER BY id LIMIT 1"

_MAILBOX = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,200}")


@dataclass(frozen=True, slots=True)
class ReplyAddress:
    """A `reply_to` that this deployment may write to."""

    text: str
    scheme: str
    name: str
    """Of the stream or queue; of a webhook the whole URL; of mail the address."""

    @property
    def lane(self) -> Lane:
        """Which senders deliver to it."""
        return "broker" if self.scheme in ("stream", "queue") else "web"

    @property
    def target(self) -> str:
        """What is away together with it: of a webhook the server, else itself."""
        if self.lane == "broker":
            return self.text
        return "mail" if self.scheme == "mailto" else server_of(self.name)


def server_of(url: str) -> str:
    """Scheme, host and port of a URL, in lower case."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()


def read_address(settings: Settings, text: str) -> ReplyAddress:
    """The address in a `reply_to`. Raises `InvalidSubmission` if answers may not go there; the message does not repeat the address, which
    may hold a secret."""
    scheme, _, name = text.partition(":")
    on_redis = is_redis(settings.broker_url or "")
    if scheme == "stream":
        return _stream(text, name, on_redis)
    if scheme == "queue":
        return _queue(text, name, on_redis)
    if scheme.lower() in ("http", "https"):
        return ReplyAddress(text, scheme.lower(), allowed_webhook(settings, text))
    if scheme == "slack":
        return ReplyAddress(text, scheme, allowed_webhook(settings, name))
    if scheme == "mailto":
        return ReplyAddress(text, scheme, _mailbox(settings, name))
    raise InvalidSubmission.of(say("refused.reply.form", stream=Name(text=f"stream:{PREFIX}NAME")))


def require_own_address(db: Database, text: str, owner: str) -> None:
    """Raise `InvalidSubmission` for a stream or queue that another owner's jobs were the first to be answered at: who hears answers there
    would take these for their own. For submissions that come with a key; who writes to the broker can write to any of its queues."""
    first = None if text.partition(":")[0] not in ("stream", "queue") else db.row(_FIRST, {"address": text})
    if first is not None and first["owner"] != owner:
        raise InvalidSubmission.of(say("refused.reply.foreign"))


def _mailbox(settings: Settings, address: str) -> str:
    """One address, which the deployment allows."""
    local, at, domain = address.partition("@")
    plain = bool(_MAILBOX.fullmatch(address)) and at and local and domain
    allowed = address.lower() in map(str.lower, settings.mail_to) or f"@{domain}".lower() in map(str.lower, settings.mail_to)
    if not plain or not allowed or settings.smtp_url is None:
        raise InvalidSubmission.of(say("refused.reply.mail"))
    return address


def _stream(text: str, name: str, on_redis: bool) -> ReplyAddress:
    if not on_redis:
        raise InvalidSubmission.of(say("refused.reply.needs_redis"))
    if not name.removeprefix(PREFIX) or not name.startswith(PREFIX):
        raise InvalidSubmission.of(say("refused.reply.stream", prefix=Name(text=PREFIX), example=Name(text=f"stream:{PREFIX}orders")))
    return ReplyAddress(text, "stream", name)


def _queue(text: str, name: str, on_redis: bool) -> ReplyAddress:
    if on_redis:
        raise InvalidSubmission.of(say("refused.reply.needs_amqp", stream=Name(text=f"stream:{PREFIX}NAME")))
    if not name or name.startswith(("bullpen.", "celery")) or len(name.encode("utf-8", "replace")) > 255:
        raise InvalidSubmission.of(say("refused.reply.queue"))
    return ReplyAddress(text, "queue", name)


def allowed_webhook(settings: Settings, url: str) -> str:
    """The URL unchanged, if it lies below a prefix of BULLPEN_WEBHOOK_URLS and has no user name or fragment. Raises `InvalidSubmission`."""
    refusal = InvalidSubmission.of(say("refused.reply.webhook"))
    try:
        parts: SplitResult = urlsplit(url)
        fits = any(is_below(parts, urlsplit(prefix)) for prefix in settings.webhook_urls) and parts.hostname is not None
        _ = parts.port  # raises `ValueError` if the port is not a number
    except ValueError:
        raise refusal from None
    if not fits or UNPRINTABLE.search(url) or not url.isascii() or "@" in parts.netloc or parts.fragment or climbs(parts.path):
        raise refusal
    return url
