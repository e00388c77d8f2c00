"""A look at a system: all checks of its engine, with a row of the audit for each, as what was found."""

from collections import deque
from collections.abc import Iterator, Sequence
from time import monotonic
from uuid import UUID

from contracts.checks import Check, CheckFinding, CheckOutcome, Gathered, System
from contracts.sources import Lock, LockVerdict, Source, SourceKind, Verdict
from contracts.statements import name, passage, say
from workers.blackboard.engine import Database
from workers.checks.library import library
from workers.checks.looking import NoConnection, look_at_postgres
from workers.checks.reading import Looked, read_safely, with_reasons
from workers.errors import BullpenError, StatementRefused
from workers.sources import audit, get_source
from workers.sources.addresses import source_url

CONNECTION = "connection"
"""The finding that there is no connection."""


def gather(db: Database, system: System, *, owner: str, job_id: UUID | None = None, step_id: UUID | None = None) -> Gathered:
    """What all checks find in a system now. That there is no connection is a finding too. One row of the audit has what ran.

    Raises `NotFound` for a source that is gone, `StatementRefused` for an owner who may not query it, and `SourceUnavailable` where this
    process does not have its address.
    """
    source = get_source(db, system.source)
    if not source.is_open_to(owner):
        raise StatementRefused(Lock.POLICIES, say("refused.source.not_yours", source=name(source.name)))
    began = monotonic()
    wanted = library(source.kind)
    findings = list[CheckFinding]()
    url = source_url(source)
    execution = audit.begin(db, source.name, owner, f"-- checks: {', '.join(check.name for check in wanted)}", job_id, step_id)
    error: str | None = None
    try:
        findings += [read_safely(looked) for looked in _look(source, url, wanted)]
    except NoConnection as failure:
        error = str(failure)
        findings.append(_no_connection(failure))
    except BullpenError as failure:
        error = str(failure)
        raise
    finally:
        passed = tuple(LockVerdict(lock=lock, verdict=Verdict.PASSED, reason="Shipped checks.") for lock in Lock)
        audit.end(db, execution, passed, duration_ms=_since(began), rows=sum(found.count for found in findings), error=error)
    return Gathered(
        system=system.name, source=source.name, engine=source.kind, findings=with_reasons(findings, wanted), ms=_since(began)
    )  # fmt: skip


def reach(db: Database, system: System) -> None:
    """Connect to a system as its checks would, and no more. Raises `NoConnection`, and what `gather` raises."""
    source = get_source(db, system.source)
    deque(_look(source, source_url(source), ()), maxlen=0)


def _look(source: Source, url: str, checks: Sequence[Check]) -> Iterator[Looked]:
    if source.kind is SourceKind.POSTGRES:
        yield from look_at_postgres(url, checks, superuser=source.insisted)


def _no_connection(error: NoConnection) -> CheckFinding:
    """A server that is away or full is a cause; one that refuses the account of the checks says nothing of the incident."""
    reason = passage(str(error))
    if error.is_refused_account:
        return CheckFinding(
            check=CONNECTION, group="connections", outcome=CheckOutcome.UNDECIDED, says=say("check.refused.account", reason=reason)
        )
    return CheckFinding(
        check=CONNECTION, group="connections", outcome=CheckOutcome.CONFIRMED, is_cause=True, severity=0.9, count=1,
        says=say("check.no_connection", reason=reason), advice=say("check.no_connection_advice"),
    )  # fmt: skip


def _since(began: float) -> int:
    return round((monotonic() - began) * 1000)
