"""Roles, keys, tools, and what is deleted for good."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from contracts.access import EVERYDAY, Scope
from contracts.base import Json
from contracts.tools import ToolOffer
from workers.cli.context import database, services, settings
from workers.cli.reach.remote import gateway
from workers.cli.telling import reader
from workers.gateway.access.keys import ApiKey

PURGED = ("jobs", "events", "decisions", "sessions", "quarantine", "facts", "skills")


def role_set(role: str, state: str) -> str:
    """Let a role be `running`, `paused` or `draining`; what it was before."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import fleet

        return away.value(fleet.set_role(role, state))["before"]
    from workers.app.role_states import role_state, set_role_state

    before = role_state(database(), role)
    set_role_state(database(), role, state)
    return before


def running_of(role: str) -> int:
    """How many steps of a role run."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import fleet

        return away.value(fleet.role(role))["running_steps"]
    from workers.app.role_states import running_steps

    return running_steps(database(), role)


def key_made(
    owner: str, *, scopes: Sequence[Scope] | None, label: str, expires_at: datetime | None, per_minute: int | None
) -> tuple[ApiKey, str]:
    """A new key, and its text."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import fleet

        call = fleet.create_key(owner, scopes=scopes or EVERYDAY, label=label, expires_at=expires_at, per_minute=per_minute)
        value = away.value(call)
        return ApiKey.from_json(value), value["key"]
    from workers.gateway.access.keys import create_key

    return create_key(database(), owner, scopes=scopes or EVERYDAY, label=label, expires_at=expires_at, per_minute=per_minute)


def keys() -> list[ApiKey]:
    """All keys, the newest first."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import fleet

        return away.read(list[ApiKey], fleet.keys())
    from workers.gateway.access.keys import list_keys

    return list(list_keys(database()))


def key_revoked(key_id: str) -> ApiKey:
    """Refuse a key from now on."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import fleet

        return away.read(ApiKey, fleet.revoke_key(key_id))
    from workers.gateway.access.keys import revoke_key

    return revoke_key(database(), key_id)


def purge(age: timedelta, *, dry_run: bool, keep_files: bool) -> Json:
    """Delete what is older, or count it: `jobs`, `events`, ..., and `artefacts` with `bundles`, `files`, `bytes`."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import fleet

        return away.value(fleet.purge(age.total_seconds(), dry_run=dry_run, keep_files=keep_files))
    from workers.blackboard import retention
    from workers.bundles import Freed, open_store, purge_store

    rows = retention.count_old(database(), age) if dry_run else retention.purge(database(), age)
    files = Freed() if keep_files else purge_store(database(), open_store(settings()), age, dry_run=dry_run)
    return {**asdict(rows), "artefacts": asdict(files), "dry_run": dry_run}


def tool_offers() -> list[tuple[ToolOffer | None, str, list[str]]]:
    """Each registered tool as it is offered, its name, and the kinds of pointers that open it."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        found = away.value(knowledge.tools())
        offers = [None if tool["offer"] is None else ToolOffer.model_validate(tool["offer"]) for tool in found]
        return [(offer, tool["name"], tool["opened_by"]) for offer, tool in zip(offers, found, strict=True)]
    from workers.tools.offers import tool_offers as offers_here

    services()  # registers what extensions bring
    return offers_here()


def calls_of(job_id: UUID) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What the steps of a job were granted, and what they called."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import jobs

        value = away.value(jobs.tool_calls(job_id))
        return value["granted"], value["calls"]
    from workers.tools import list_calls, list_grants

    return list_grants(database(), job_id), list_calls(database(), job_id)


def skills_reindexed() -> Json:
    """Rebuild what is kept of the skills: see `workers.kinds.skills_shown`."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        return away.operation(knowledge.reindex_skills())
    from workers.kinds.skills_shown import reindex_skills

    return reindex_skills(database(), services().embedder, services().settings, reader().language)
