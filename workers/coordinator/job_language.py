"""The language that a job is shown in, unless the reader chooses another: its user's."""

from contracts.base import Json
from workers.coordinator.playbooks import find_playbook, kinds
from workers.saying import find_language


def job_language(kind: str, known: str | None, request: Json | None) -> str:
    """The language that the job was accepted with. Jobs of release 0.1 know none: what their request says. Else English."""
    if known is None and request is not None and kind in kinds():
        known = find_playbook(kind).language_of(request)
    return find_language(known)
