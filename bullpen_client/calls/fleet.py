"""Conversations, the fleet's work, quarantine, usage, keys."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from bullpen_client.call import LONG_S, Call, given, path, raw, returns
from bullpen_client.models import Json, Key, KeyMade, KindSeen, Me, MessageTaken, SessionLine


def sessions(*, everything: bool = False, owner: str | None = None, limit: int = 50) -> Call[list[SessionLine]]:
    """Conversations, the newest first. `everything`: also sessions of a single job. `owner` is for keys of scope admin."""
    return Call("GET", "/v1/sessions", returns(list[SessionLine]), given(everything=everything, owner=owner, limit=limit))


def memory(session_id: UUID | str) -> Call[Json]:
    """What is remembered of a conversation."""
    return Call("GET", path("/v1/sessions/{session_id}", session_id=session_id), raw)


def say(session_id: UUID | str, words: str, *, kind: str | None = None, fields: Mapping[str, Any] | None = None) -> Call[MessageTaken]:
    """Say something: the answer to the session's open question, an instruction to its running job, or a new job."""
    body = given(text=words, kind=kind, fields=fields)
    return Call("POST", path("/v1/sessions/{session_id}/messages", session_id=session_id), returns(MessageTaken), body=body)


def forget(session_id: UUID | str) -> Call[Json]:
    """Forget what was said. The jobs stay."""
    return Call("DELETE", path("/v1/sessions/{session_id}/memory", session_id=session_id), raw)


def alert(body: Mapping[str, Any], *, kind: str | None = None, reply_to: str | None = None) -> Call[Json]:
    """Hand over a message of Alertmanager, Grafana or PagerDuty, or a plain one."""
    return Call("POST", "/v1/alerts", raw, given(kind=kind, reply_to=reply_to), body=dict(body))


def alerts(*, limit: int = 100) -> Call[list[Json]]:
    """Alerts, the last heard of first, with their jobs."""
    return Call("GET", "/v1/alerts", raw, {"limit": limit})


def job_alerts(job_id: UUID | str) -> Call[list[Json]]:
    """The alert that a job was made from."""
    return Call("GET", path("/v1/jobs/{job_id}/alerts", job_id=job_id), raw)


def kinds() -> Call[list[KindSeen]]:
    """The kinds of jobs that the fleet knows, with the schemas of their requests."""
    return Call("GET", "/v1/kinds", returns(list[KindSeen]))


def kind(name: str) -> Call[KindSeen]:
    """One kind of job."""
    return Call("GET", path("/v1/kinds/{name}", name=name), returns(KindSeen))


def fleet() -> Call[Json]:
    """The work of each role, live jobs by status, and how much waits in quarantine."""
    return Call("GET", "/v1/fleet", raw)


def leases(*, limit: int = 100) -> Call[list[Json]]:
    """Steps that workers hold now."""
    return Call("GET", "/v1/fleet/leases", raw, {"limit": limit})


def role(name: str) -> Call[Json]:
    """The state of a role, and how many of its steps run."""
    return Call("GET", path("/v1/fleet/roles/{role}", role=name), raw)


def set_role(name: str, state: str) -> Call[Json]:
    """`paused`: a role's workers take no new step. `draining`: the same, on the way to `paused`. `running`: they go on."""
    return Call("PUT", path("/v1/fleet/roles/{role}", role=name), raw, body={"state": state})


def usage(*, since: datetime | None = None, until: datetime | None = None, owner: str | None = None) -> Call[list[Json]]:
    """What steps used of models, by role and model; by default of the last 30 days."""
    return Call("GET", "/v1/usage", raw, given(since=since, until=until, owner=owner))


def purge(older_than_s: float, *, dry_run: bool = False, keep_files: bool = False) -> Call[Json]:
    """Delete finished jobs, settled entries of the quarantine, and files that no job needs, that are older than this."""
    body = {"older_than_s": older_than_s, "dry_run": dry_run, "keep_files": keep_files}
    return Call("POST", "/v1/purge", raw, body=body, timeout_s=LONG_S)


def quarantine(
    *,
    state: str | None = None,
    source: str | None = None,
    cause: str | None = None,
    older_s: float | None = None,
    newer_s: float | None = None,
    limit: int = 50,
) -> Call[list[Json]]:
    """What could not be processed, the newest first."""
    params = given(state=state, source=source, cause=cause, older_s=older_s, newer_s=newer_s, limit=limit)
    return Call("GET", "/v1/quarantine", raw, params)


def quarantine_groups(*, state: str = "new", older_s: float | None = None, newer_s: float | None = None) -> Call[list[Json]]:
    """Entries by source and cause, the most frequent first."""
    return Call("GET", "/v1/quarantine/groups", raw, given(state=state, older_s=older_s, newer_s=newer_s))


def quarantined(entry_id: UUID | str) -> Call[Json]:
    """An entry with the beginning of its body."""
    return Call("GET", path("/v1/quarantine/{entry_id}", entry_id=entry_id), raw)


def quarantine_advice(entry_id: UUID | str) -> Call[Json]:
    """The fault behind an entry, and what helped with faults like it before."""
    return Call("GET", path("/v1/quarantine/{entry_id}/advice", entry_id=entry_id), raw)


def replay_quarantined(entry_id: UUID | str, *, note: str | None = None) -> Call[Json]:
    """Process an entry again."""
    return Call("POST", path("/v1/quarantine/{entry_id}/replay", entry_id=entry_id), raw, body=given(note=note))


def give_up_quarantined(entry_id: UUID | str, *, note: str | None = None) -> Call[Json]:
    """Settle an entry: it needs no further attention."""
    return Call("POST", path("/v1/quarantine/{entry_id}/give-up", entry_id=entry_id), raw, body=given(note=note))


def replay_quarantine(
    *,
    source: str | None = None,
    cause: str | None = None,
    older_s: float | None = None,
    newer_s: float | None = None,
    limit: int = 100,
    note: str | None = None,
) -> Call[Json]:
    """Process many new entries again, the oldest first."""
    body = given(source=source, cause=cause, older_s=older_s, newer_s=newer_s, limit=limit, note=note)
    return Call("POST", "/v1/quarantine/replay", raw, body=body, timeout_s=LONG_S)


def give_up_quarantine(
    *,
    source: str | None = None,
    cause: str | None = None,
    older_s: float | None = None,
    newer_s: float | None = None,
    note: str | None = None,
) -> Call[Json]:
    """Settle all new entries that fit."""
    body = given(source=source, cause=cause, older_s=older_s, newer_s=newer_s, note=note)
    return Call("POST", "/v1/quarantine/give-up", raw, body=body)


def me() -> Call[Me]:
    """Whose key this is, and what it allows."""
    return Call("GET", "/v1/me", returns(Me))


def keys() -> Call[list[Key]]:
    """All keys, the newest first, without their secrets."""
    return Call("GET", "/v1/keys", returns(list[Key]))


def create_key(
    owner: str,
    *,
    scopes: Sequence[str] | None = None,
    label: str = "",
    expires_at: datetime | None = None,
    per_minute: int | None = None,
) -> Call[KeyMade]:
    """Make a key. Its text cannot be read again."""
    body = given(owner=owner, scopes=scopes, label=label, expires_at=expires_at, per_minute=per_minute)
    return Call("POST", "/v1/keys", returns(KeyMade), body=body)


def revoke_key(key_id: str) -> Call[Key]:
    """Refuse a key from now on."""
    return Call("DELETE", path("/v1/keys/{key_id}", key_id=key_id), returns(Key))


def health() -> Call[Any]:
    """Whether the gateway and its database answer."""
    return Call("GET", "/readyz", raw)
