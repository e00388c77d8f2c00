"""A look at a system: all checks of its engine, with a row of the audit for each, as what was found."""

from collections.abc import Iterator, Sequence
from time import monotonic
from uuid import UUID

from contracts.checks import Check, CheckFinding, CheckOutcome, Gathered, System
from contracts.sources import Lock, LockVerdict, Source, SourceKind, Verdict
from contracts.statements import as_value, name, say
from workers.blackboard.engine import Database
from workers.checks.library import library
from workers.checks.looking import look_at_postgres
from workers.checks.reading import Looked, read_rows, with_reasons
from workers.errors import BullpenError, StatementRefused
from workers.saying import text_of
from workers.saying.reasons import statement_of
from workers.sources import audit, get_source
from workers.sources.addresses import source_url

CONNECTION = "connection"
"""The finding that there is no connection."""


def gather(
    db: Database,
    system: System,
    *,
    owner: str,
    job_id: UUID | None = None,
    step_id: UUID | None = None,
    checks: Sequence[Check] | None = None,
) -> Gathered:
    """What all checks find in a system now; `checks`: only these. That there is no connection is a finding too.

    Raises `NotFound` for a source that is gone, and `StatementRefused` for an owner who may not query it.
    """
    source = get_source(db, system.source)
    if source.owners and owner not in source.owners:
        raise StatementRefused(Lock.POLICIES, say("refused.source.not_yours", source=name(source.name)))
    began = monotonic()
    wanted = library(source.kind) if checks is None else tuple(checks)
    findings = list[CheckFinding]()
    try:
        for looked in _look(source, wanted):
            _audited(db, source.name, owner, looked, job_id, step_id)
            findings.append(read_rows(looked))
    except BullpenError as error:
        findings.append(_no_connection(error))
    return Gathered(
        system=system.name, source=source.name, engine=source.kind, findings=with_reasons(findings, wanted),
        ms=round((monotonic() - began) * 1000),
    )  # fmt: skip


def _look(source: Source, checks: Sequence[Check]) -> Iterator[Looked]:
    if source.kind is SourceKind.POSTGRES:
        yield from look_at_postgres(source_url(source), checks, superuser=source.insisted)


def _audited(db: Database, source: str, owner: str, looked: Looked, job_id: UUID | None, step_id: UUID | None) -> None:
    """What ran on a source is in its audit, also what ships with the product."""
    if looked.why_not and not looked.ms:
        return
    execution = audit.begin(db, source, owner, looked.check.sql, job_id, step_id)
    passed = [LockVerdict(lock=lock, verdict=Verdict.PASSED, reason=f"Check {looked.check.name}.") for lock in Lock]
    error = text_of(looked.why_not, "en") if looked.why_not else None
    audit.end(db, execution, tuple(passed), duration_ms=looked.ms, rows=len(looked.rows), error=error)


def _no_connection(error: BullpenError) -> CheckFinding:
    reason = as_value(statement_of(error))
    return CheckFinding(
        check=CONNECTION, group="connections", outcome=CheckOutcome.CONFIRMED, severity=1.0, count=1,
        says=say("check.no_connection", reason=reason),
    )  # fmt: skip
