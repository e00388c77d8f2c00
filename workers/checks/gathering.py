"""A look at a system: the checks of all its sensors at once, with rows of the audit for what ran, as what was found."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from uuid import UUID

from contracts.checks import AnyCheck, Check, CheckFinding, CheckOutcome, Gathered, Sensor, SensorCheck, SensorKind, System
from contracts.logs import LogExpression, Matcher, MatchOp
from contracts.own_checks import OwnCheck
from contracts.sources import Lock, LockVerdict, Source, SourceKind, Verdict
from contracts.statements import as_value, name, passage, say
from workers.blackboard.engine import Database
from workers.checks.library import library, sensor_library
from workers.checks.looking import ALL_S, CHECK_S, NoConnection, look_at_postgres
from workers.checks.looking_at_logs import look_at_logs
from workers.checks.looking_at_metrics import look_at_metrics
from workers.checks.own import as_check, as_sensor_check, in_its_words, own_checks_of
from workers.checks.planted import read_own_rows
from workers.checks.reading import Looked, read_safely, with_reasons
from workers.checks.rules import read_sensed
from workers.engines.logql.vocabulary import APPLICATIONS
from workers.engines.promql import Expression
from workers.errors import BullpenError, NotFound, StatementRefused
from workers.logs import Logs, Window
from workers.prometheus import Over, query_metrics
from workers.saying.reasons import statement_of
from workers.sources import audit, get_source
from workers.sources.addresses import source_url

CONNECTION = "connection"
"""The finding that there is no connection."""


@dataclass(frozen=True, slots=True)
class Looking:
    """Where and for whom a system is looked at."""

    db: Database
    data_dir: Path
    owner: str
    job_id: UUID | None = None
    step_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class _Part:
    """What one sensor gave."""

    checks: Sequence[AnyCheck]
    findings: Sequence[CheckFinding]
    source: Source | None = None


def gather(looking: Looking, system: System) -> Gathered:
    """What all checks find in a system now, its sensors looked at side by side. That there is no connection is a finding too.

    A sensor that cannot be looked at is a finding that is not decided, unless it is the only one. Raises then what it raised: `NotFound`
    for one that is gone, `StatementRefused` for an owner who may not use it, and `SourceUnavailable` where this process does not have its
    address or it is away.
    """
    began = monotonic()
    parts, failures = list[_Part](), list[tuple[str, BullpenError]]()
    looks = _looks(looking, system)
    with ThreadPoolExecutor(len(looks)) as pool:
        running = [(kind, pool.submit(look)) for kind, look in looks]
        for kind, run in running:
            try:
                parts.append(run.result())
            except BullpenError as failure:
                failures.append((kind, failure))
    if not parts:
        raise failures[0][1]
    findings = [found for part in parts for found in part.findings] + [_not_looked(kind, failure) for kind, failure in failures]
    source = next((part.source for part in parts if part.source), None)
    return Gathered(
        system=system.name, source=source and source.name, engine=source and source.kind,
        findings=with_reasons(findings, [check for part in parts for check in part.checks]), ms=_since(began),
    )  # fmt: skip


def _looks(looking: Looking, system: System) -> list[tuple[str, Callable[[], _Part]]]:
    found = list[tuple[str, Callable[[], _Part]]]()
    own = own_checks_of(looking.db, system)
    if (at := system.source) is not None:
        found.append(("source", lambda: _look_at_source(looking, at, own)))
    if (logs := system.logs) is not None:
        found.append((SensorKind.LOGS, lambda: _look_at_logs(looking, logs, own)))
    if (metrics := system.metrics) is not None:
        found.append((SensorKind.METRICS, lambda: _look_at_metrics(looking, metrics, own)))
    return found


def _not_looked(kind: str, failure: BullpenError) -> CheckFinding:
    return CheckFinding(
        check=kind, group="sensors", outcome=CheckOutcome.UNDECIDED, says=say("check.failed", reason=as_value(statement_of(failure)))
    )  # fmt: skip


def _look_at_source(looking: Looking, at: str, own: Sequence[OwnCheck]) -> _Part:
    source = get_source(looking.db, at)
    if not source.is_open_to(looking.owner):
        raise StatementRefused(Lock.POLICIES, say("refused.source.not_yours", source=name(source.name)))
    began = monotonic()
    mine = {check.name: check for check in own if check.sql and source.kind is SourceKind.POSTGRES}
    wanted = (*library(source.kind), *(as_check(check) for check in mine.values()))
    findings = list[CheckFinding]()
    url = source_url(source)
    ran = f"-- checks: {', '.join(check.name for check in wanted)}"
    execution = audit.begin(looking.db, source.name, looking.owner, ran, looking.job_id, looking.step_id)
    error: str | None = None
    try:
        for looked in _look(source, url, wanted):
            check = mine.get(looked.check.name)
            findings.append(read_safely(looked) if check is None else read_own_rows(check, looked))
    except NoConnection as failure:
        error = str(failure)
        findings.append(_no_connection(failure))
    except BullpenError as failure:
        error = str(failure)
        raise
    finally:
        passed = tuple(LockVerdict(lock=lock, verdict=Verdict.PASSED, reason="Shipped or approved checks.") for lock in Lock)
        audit.end(looking.db, execution, passed, duration_ms=_since(began), rows=sum(found.count for found in findings), error=error)
    engine = source.kind.value
    return _Part(wanted, [_in_words(found.model_copy(update={"sensor": engine}), own) for found in findings], source)


def _in_words(found: CheckFinding, own: Sequence[OwnCheck]) -> CheckFinding:
    """A finding; that of an operator's check in its author's words."""
    check = next((check for check in own if check.name == found.check), None)
    return found if check is None else in_its_words(check, found)


def _with_own(kind: SensorKind, own: Sequence[OwnCheck]) -> tuple[SensorCheck, ...]:
    mine = [as_sensor_check(check) for check in own if not check.sql]
    return (*sensor_library(kind), *(check for check in mine if check.kind is kind))


def _look_at_logs(looking: Looking, sensor: Sensor, own: Sequence[OwnCheck]) -> _Part:
    logs, checks = Logs(looking.db, looking.data_dir), _with_own(SensorKind.LOGS, own)

    def search(query: LogExpression, window: Window, lines: int, within_s: float):
        return logs.search(
            sensor.name, query, window,
            owner=looking.owner, lines=lines, timeout_s=within_s, job_id=looking.job_id, step_id=looking.step_id,
        )  # fmt: skip

    matchers = sensor.matchers or all_streams(logs.label_names(sensor.name, owner=looking.owner))
    sensed = look_at_logs(search, matchers, checks, datetime.now(UTC), check_s=CHECK_S, all_s=ALL_S)
    return _Part(checks, [_in_words(read_sensed(each), own) for each in sensed])


def all_streams(labels: Sequence[str]) -> tuple[Matcher, ...]:
    """The matcher of a log without a selector: every line with the label of its applications, or with its first label."""
    if not labels:
        raise NotFound.of(say("check.refused.no_labels"))
    label = next((label for label in APPLICATIONS if label in labels), labels[0])
    return (Matcher(label=label, op=MatchOp.MATCHES, value=".+"),)


def _look_at_metrics(looking: Looking, sensor: Sensor, own: Sequence[OwnCheck]) -> _Part:
    checks = _with_own(SensorKind.METRICS, own)

    def query(expression: Expression, over: Over, within_s: float):
        return query_metrics(
            looking.db, sensor.name, expression, over,
            owner=looking.owner, timeout_s=within_s, job_id=looking.job_id, step_id=looking.step_id,
        )  # fmt: skip

    sensed = look_at_metrics(query, sensor, checks, datetime.now(UTC), check_s=CHECK_S, all_s=ALL_S)
    return _Part(checks, [_in_words(read_sensed(each), own) for each in sensed])


def reach(looking: Looking, system: System) -> None:
    """Connect to a system's sensors as its checks would, and no more. Raises `NoConnection`, and what `gather` raises."""
    if system.source is not None:
        source = get_source(looking.db, system.source)
        deque(_look(source, source_url(source), ()), maxlen=0)
    if system.logs is not None:
        Logs(looking.db, looking.data_dir).label_names(system.logs.name, owner=looking.owner)
    if system.metrics is not None:
        query_metrics(looking.db, system.metrics.name, "vector(1)", Over(datetime.now(UTC)), owner=looking.owner)


def _look(source: Source, url: str, checks: Sequence[Check]) -> Iterator[Looked]:
    if source.kind is SourceKind.POSTGRES:
        yield from look_at_postgres(url, checks, superuser=source.insisted)


def _no_connection(error: NoConnection) -> CheckFinding:
    """A server that is away or full is a cause; one that the checks do not get into for another reason says nothing of the incident."""
    reason = passage(str(error))
    if not error.is_evidence:
        return CheckFinding(
            check=CONNECTION, group="connections", outcome=CheckOutcome.UNDECIDED, says=say("check.refused.account", reason=reason)
        )
    return CheckFinding(
        check=CONNECTION, group="connections", outcome=CheckOutcome.CONFIRMED, is_cause=True, severity=0.9, count=1,
        says=say("check.no_connection", reason=reason), advice=say("check.no_connection_advice"),
    )  # fmt: skip


def _since(began: float) -> int:
    return round((monotonic() - began) * 1000)
