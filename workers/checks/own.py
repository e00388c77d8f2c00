"""The checks that operators wrote: stored by their hash, and run unattended from their approval on."""

from pydantic import ValidationError

from contracts.base import clean_json
from contracts.checks import Check, CheckFinding, CheckOutcome, SensorCheck, SensorKind, System, Trend
from contracts.own_checks import OwnCheck, StoredCheck, Tried
from contracts.sources import SourceKind
from contracts.statements import Name, code, count, listing, name, number, passage, say, size
from workers.blackboard.engine import Database, jsonb
from workers.checks.library import library, sensor_library
from workers.checks.planted import try_check
from workers.checks.statements import parse_check, printed
from workers.engines.logql import LogQLSyntaxError, check_query, parse_logql
from workers.engines.promql import PromQLSyntaxError, is_filter, parse_promql
from workers.engines.safe_yaml import NotYaml, load
from workers.errors import Conflict, InvalidInput, NotFound, StatementRefused
from workers.saying.reasons import statement_of

OWN = "own"
"""The sensor that findings of such checks name: `own.stuck_orders`."""
MOST_YAML = 64_000
"""Bytes of a file."""
SHORTEST = 8
"""Characters of a hash that name a check."""
_COLUMNS = "hash, content AS check, added_by, added_at, approved_by, approved_at"


def read_check(text: str) -> OwnCheck:
    """A check from YAML, with a query that may run. Raises `InvalidInput`."""
    if len(text) > MOST_YAML:
        raise InvalidInput.of(say("check.refused.large_file", most=size(MOST_YAML)))
    try:
        check = OwnCheck.model_validate(clean_json(load(text)))
    except NotYaml as error:
        refused = say("check.refused.aliases") if error.has_alias else say("check.refused.no_yaml", reason=passage(str(error)))
        raise InvalidInput.of(refused) from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "-"
        raise InvalidInput.of(say("check.refused.form", place=name(place), reason=passage(first["msg"][:200]))) from None
    may_run(check)
    return check


def may_run(check: OwnCheck) -> None:
    """Raises `InvalidInput` for a query that may not run, or whose name is a shipped check's."""
    shipped = {each.name for each in library(SourceKind.POSTGRES)} | {each.name for kind in SensorKind for each in sensor_library(kind)}
    if check.name in shipped:
        raise InvalidInput.of(say("check.refused.shipped_name", check=name(check.name)))
    if isinstance(check.rule, Trend) and check.rule.reaches and check.rule.toward is None:
        raise InvalidInput.of(say("check.refused.toward", number=number(check.rule.reaches)))
    try:
        _read_query(check)
    except StatementRefused as error:
        raise InvalidInput.of(statement_of(error)) from None
    except (LogQLSyntaxError, PromQLSyntaxError) as error:
        raise InvalidInput.of(error.what) from None
    except ValidationError as error:  # a trend of a log
        raise InvalidInput.of(say("check.refused.form", place=name("rule"), reason=passage(error.errors()[0]["msg"][:200]))) from None


def _read_query(check: OwnCheck) -> None:
    if check.sql is not None:
        parse_check(check.sql)
        return
    as_sensor_check(check)
    if check.logql is not None:
        query = parse_logql(check.logql)
        if query.kind != "log":
            raise InvalidInput.of(say("check.refused.log_numbers"))
        problems = [problem for problem in check_query(query) if query.matchers]
        if problems:
            raise InvalidInput.of(problems[0].what)
    elif is_filter(parse_promql(check.promql or "")):
        raise InvalidInput.of(say("check.refused.filter"))


def add_check(db: Database, check: OwnCheck, *, by: str) -> StoredCheck:
    """Store a check; it does not run yet. Storing the same again changes nothing. Raises `InvalidInput`."""
    may_run(check)
    db.statement(
        "INSERT INTO own_checks (hash, name, content, added_by) VALUES (%(hash)s, %(name)s, %(content)s, %(by)s) ON CONFLICT DO NOTHING",
        {"hash": check.hash, "name": check.name, "content": jsonb(check.to_json()), "by": by},
    )
    return get_check(db, check.hash)


def list_checks(db: Database, *, approved: bool = False) -> list[StoredCheck]:
    """All, or those that run; by name, the newest first."""
    rows = db.statement(
        f"SELECT {_COLUMNS} FROM own_checks WHERE NOT %(approved)s OR approved_at IS NOT NULL ORDER BY name, added_at DESC, hash",  # noqa: S608 a constant
        {"approved": approved},
    )
    return [StoredCheck.model_validate(row) for row in rows]


def get_check(db: Database, wanted: str) -> StoredCheck:
    """By its hash, or the beginning of it. Raises `NotFound` or `Conflict`."""
    rows = db.statement(
        f"SELECT {_COLUMNS} FROM own_checks WHERE left(hash, length(%(hash)s)) = %(hash)s LIMIT 2",  # noqa: S608 a constant
        {"hash": wanted.lower()},
    )
    if len(wanted) < SHORTEST or not rows:
        raise NotFound.of(say("check.refused.no_check", check=Name(text=wanted[:80]), command=code("bullpen checks list")))
    if len(rows) > 1:
        raise Conflict.of(say("check.refused.several", hash=name(wanted[:80])))
    return StoredCheck.model_validate(rows[0])


def try_planted(db: Database, check: OwnCheck) -> tuple[Tried, ...]:
    """What it finds in its planted data."""
    return try_check(check, db.url, as_check(check) if check.sql else as_sensor_check(check))


def approve_check(db: Database, wanted: str, *, by: str) -> StoredCheck:
    """Let a check run unattended, in the place of an approved one of the same name. Raises `Conflict` where its own tests fail."""
    stored = get_check(db, wanted)
    may_run(stored.check)
    wrong = [result for result in try_planted(db, stored.check) if not result.is_right]
    if wrong:
        found = listing(*(say("check.test.wrong", expected=name(each.expect), found=name(each.found)) for each in wrong[:3]))
        raise Conflict.of(say("check.refused.tests", n=count(len(wrong)), found=found))
    with db.unit_of_work() as connection:
        connection.exec_driver_sql(
            "UPDATE own_checks SET approved_by = NULL, approved_at = NULL WHERE name = %(name)s AND hash <> %(hash)s",
            {"name": stored.check.name, "hash": stored.hash},
        )
        connection.exec_driver_sql(
            "UPDATE own_checks SET approved_by = %(by)s, approved_at = now() WHERE hash = %(hash)s AND approved_at IS NULL",
            {"by": by, "hash": stored.hash},
        )
    return get_check(db, stored.hash)


def remove_check(db: Database, wanted: str) -> StoredCheck:
    """Forget a check. Raises `NotFound`."""
    stored = get_check(db, wanted)
    db.statement("DELETE FROM own_checks WHERE hash = %(hash)s", {"hash": stored.hash})
    return stored


def own_checks_of(db: Database, system: System) -> list[OwnCheck]:
    """The approved checks of a system."""
    return [
        stored.check for stored in list_checks(db, approved=True) if not stored.check.systems or system.name in stored.check.systems
    ]  # fmt: skip


def as_check(check: OwnCheck) -> Check:
    """As a check of a database; what runs is printed from the tree that was looked at. Raises `StatementRefused`."""
    sql = printed(parse_check(check.sql or ""))
    return Check(name=check.name, kind=SourceKind.POSTGRES, group=OWN, is_cause=check.is_cause, sql=sql)


def as_sensor_check(check: OwnCheck) -> SensorCheck:
    """As a check of a log or of metrics. Raises `ValidationError`."""
    return SensorCheck(
        name=check.name, kind=SensorKind.LOGS if check.logql else SensorKind.METRICS, group=OWN, is_cause=check.is_cause,
        query=check.query, rule=check.rule, unit=check.unit, severity=check.severity, window_s=check.window_s,
    )  # fmt: skip


def in_its_words(check: OwnCheck, found: CheckFinding) -> CheckFinding:
    """A finding as its author words it."""
    words = {"sensor": OWN, "about": check.title}
    if found.outcome is CheckOutcome.CONFIRMED:
        return found.model_copy(update={**words, "says": say("check.own.found", title=passage(check.title)), "advice": check.advice})
    if found.outcome is CheckOutcome.DENIED:
        fine = check.fine or say("check.own.fine", title=passage(check.title))
        return found.model_copy(update={**words, "says": fine})
    return found.model_copy(update=words)
