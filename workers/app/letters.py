"""What a person reads of a job by mail or in a chat: that it asks, or how it ended, in the job's language and with the next move."""

import json
import smtplib
import ssl
from dataclasses import dataclass
from email.message import EmailMessage
from textwrap import shorten
from typing import Any
from urllib.parse import unquote, urlsplit
from uuid import UUID

from contracts.base import Json
from contracts.jobs import JobStatus
from contracts.statements import Shown, name, say
from workers.app.webhooks import WebhookAway, WebhookRefused
from workers.blackboard.engine import Database
from workers.coordinator.job_language import job_language
from workers.coordinator.playbooks import find_playbook, kinds
from workers.errors import NotFound
from workers.kinds.shown import result_document
from workers.reading.jobs import read_job, read_request
from workers.reading.results import read_result
from workers.reading.words import STATES
from workers.saying import text_of
from workers.saying.document import Items, Paragraph
from workers.settings import Settings

WITHIN_S = 20.0
"""Seconds for each exchange with the mail server."""
MOST_CHARACTERS = 3_000
"""Of a text: chats refuse longer ones, and the rest is one command away."""


MOST_ABOUT = 200
GIST_LINES = 5


@dataclass(frozen=True, slots=True)
class Letter:
    """A title, and what it is about."""

    title: str
    text: str


def letter_of(db: Database, body: Json) -> Letter | None:
    """An answer to a producer as a letter; None: it says nothing to a person. One that only a program can use is its own JSON."""
    kind, job_id = body.get("kind"), str(body.get("job_id") or "")
    if kind == "submission_accepted":
        return None
    if kind not in ("job_asks", "job_finished") or not job_id:
        return Letter(str(kind), json.dumps(body, ensure_ascii=False)[:MOST_CHARACTERS])
    job_kind, language, about = _of_job(db, job_id)

    def words(shown: Shown) -> str:
        return text_of(shown, language)

    if kind == "job_asks":
        lines = [str(body.get("question", "")), *(f"- {choice}" for choice in body.get("choices", ()))]
        if body.get("guidance"):
            lines += ["", str(body["guidance"])]
        title = words(say("fleet.letter.asks", kind=name(job_kind), job=name(job_id)))
        command = f"bullpen answer {job_id} --request {body.get('request_id')} '...'"
        last = words(say("fleet.letter.answer_with", command=name(command)))
    else:
        status = str(body.get("status"))
        state = STATES.get(status) or name(status)
        lines = [str(body["error"])] if body.get("error") else []
        if status == JobStatus.SUCCEEDED:
            lines += _gist(db, UUID(job_id), job_kind, language)
        title = words(say("fleet.letter.ended", kind=name(job_kind), status=state, job=name(job_id)))
        last = words(say("fleet.letter.see", command=name(f"bullpen show {job_id}")))
    if body.get("page"):
        last += "\n" + words(say("fleet.letter.page", page=name(str(body["page"]))))
    if about:
        lines = [f"> {about}", "", *lines]
    text = "\n".join(lines).strip()[: MOST_CHARACTERS - len(last) - 2]
    return Letter(" ".join(title.split()), f"{text}\n\n{last}".strip())


def _of_job(db: Database, job_id: str) -> tuple[str, str, str]:
    """Its kind, its language, and the beginning of what the user wrote."""
    try:
        job = read_job(db, UUID(job_id))
    except NotFound:
        return "", "en", ""
    request = read_request(db, job.id) or {}
    words = request.get(find_playbook(job.kind).words) if job.kind in kinds() else None
    return job.kind, job_language(job.kind, job.language, request), shorten(str(words or ""), MOST_ABOUT, placeholder=" …")


def _gist(db: Database, job_id: UUID, kind: str, language: str) -> list[str]:
    """What came out, in a few lines: the title of the report and how it begins."""
    result = read_result(db, job_id) if kind else None
    document = None if result is None else result_document(kind, result.content, job_id)
    if document is None:
        return []
    lines = [document.title]
    for block in document.blocks:
        if isinstance(block, Paragraph):
            lines.append(block.text)
        elif isinstance(block, Items):
            lines += [item.text for item in block.items]
    return [" ".join(text_of(line, language).split()) for line in lines[:GIST_LINES]]


def for_slack(letter: Letter) -> bytes:
    """As Slack, Mattermost, Rocket.Chat and others take it. What a user wrote mentions nobody and links nothing."""
    text = f"*{_plain(letter.title)}*\n{_plain(letter.text)}"
    return json.dumps({"text": text}, ensure_ascii=False).encode("utf-8", "replace")


def _plain(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def send_mail(settings: Settings, to: str, letter: Letter) -> None:
    """Hand a letter to the mail server. Raises `WebhookAway` when it does not answer, `WebhookRefused` when it does not take it."""
    parts = urlsplit(settings.smtp_url or "")
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = settings.mail_from, to, letter.title[:200]
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(letter.text)
    server: Any = smtplib.SMTP_SSL if parts.scheme == "smtps" else smtplib.SMTP
    port = parts.port or (465 if parts.scheme == "smtps" else 587)
    try:
        with server(parts.hostname or "", port, timeout=WITHIN_S) as connection:
            connection.ehlo_or_helo_if_needed()
            if connection.has_extn("starttls"):
                connection.starttls(context=ssl.create_default_context())
            elif parts.username and parts.scheme != "smtps":
                raise smtplib.SMTPNotSupportedError("the server offers no STARTTLS, so the password is not sent")
            if parts.username:
                connection.login(unquote(parts.username), unquote(parts.password or ""))
            connection.send_message(message)
    except (smtplib.SMTPResponseException, smtplib.SMTPRecipientsRefused, smtplib.SMTPNotSupportedError) as error:
        raise WebhookRefused(f"The mail server did not take the letter: {type(error).__name__}.") from error
    except (OSError, smtplib.SMTPException) as error:
        raise WebhookAway(f"The mail server does not answer: {type(error).__name__}.") from error
