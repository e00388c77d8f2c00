"""The address of a job's page in the console, for what leaves the fleet: mails, chats, webhooks, answers to chat clients and agents."""

from uuid import UUID

from workers.settings import Settings

PATH = "/console/jobs/"


def page_of(settings: Settings, job_id: UUID | str) -> str | None:
    """None: the operator has not said where people reach the gateway (`BULLPEN_PUBLIC_URL`)."""
    return None if settings.public_url is None else f"{settings.public_url}{PATH}{job_id}"
