"""Searches of logs as services write them: nested fields, levels in any spelling, times with offsets, several services in a folder."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from contracts.base import Json
from contracts.log_questions import LogReading
from contracts.log_sources import LogLimits
from tests.support.said import said
from workers.engines.logql import print_logql
from workers.engines.logql.asking import read_log_search
from workers.logs.backends import Answer, Ask
from workers.logs.files import LogFiles
from workers.logs.lines import LineParser

CHINA = timezone(timedelta(hours=8))
NOW = datetime(2026, 11, 24, 9, tzinfo=CHINA)
DAY = datetime(2026, 11, 23, tzinfo=CHINA)


def write(folder: Path, name: str, rows: Iterator[Json]) -> None:
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def nested() -> Iterator[Json]:
    """As the Elastic common schema has it; the payments fail in every fifth minute, from 10:00 to 12:00."""
    for minute in range(24 * 60):
        at = DAY + timedelta(minutes=minute)
        for service in ("checkout", "payments"):
            fails = service == "payments" and 10 <= at.hour < 12 and minute % 5 == 0
            yield {
                "@timestamp": at.isoformat(timespec="milliseconds"), "log": {"level": "error" if fails else "info"},
                "service": {"name": service, "environment": "prod"}, "host": {"name": f"ip-{minute % 3}"},
                "http": {"response": {"status_code": 503 if fails else 200}}, "url": {"path": "/api/pay" if fails else "/api/cart"},
                "message": "upstream timed out" if fails else "request handled",
            }  # fmt: skip


def of_node() -> Iterator[Json]:
    """As pino has it: levels are numbers, times are milliseconds."""
    for minute in range(24 * 60):
        at = DAY + timedelta(minutes=minute)
        yield {
            "level": 50 if minute % 100 == 0 else 40 if minute % 10 == 0 else 30, "time": round(at.timestamp() * 1000), "pid": 17,
            "hostname": f"web-{minute % 2}", "name": "orders-api", "res": {"statusCode": 200}, "responseTime": minute % 2 * 100,
        }  # fmt: skip


def in_its_own_way(service: str, level: str, word: str, time: str) -> Iterator[Json]:
    for minute in range(5, 24 * 60, 10):
        at = DAY + timedelta(minutes=minute)
        written = at.strftime("%Y-%m-%dT%H:%M:%S%z") if time == "time" else at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S,000")
        yield {time: written, level: word if minute % 60 == 5 else "INFO", "app": service}


@pytest.fixture
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    shape = request.param
    if shape == "nested":
        write(tmp_path, "shop.jsonl", nested())
    elif shape == "of_node":
        write(tmp_path, "orders.ndjson", of_node())
    else:
        for service, level, word, time in (
            ("billing", "level", "ERROR", "time"), ("mailer", "severity", "error", "timestamp"), ("reports", "Level", "Error", "Timestamp"),
        ):  # fmt: skip
            write(tmp_path, f"{service}.jsonl", in_its_own_way(service, level, word, time))
        with (tmp_path / "mailer.jsonl").open("a") as opened:
            opened.write("  at com.example.Mailer.send(Mailer.java:17)\n")
    return tmp_path


def asked(folder: Path, question: str) -> tuple[LogReading, Answer]:
    files = LogFiles(lambda: folder, LogLimits())
    reading = read_log_search(question, files.vocabulary(NOW), NOW)
    assert reading.query is not None, [statement.code for statement in reading.missing]
    assert reading.start is not None
    assert reading.end is not None
    step = reading.step_ns / 1e9 if reading.step_ns else None
    ask = Ask(reading.query, print_logql(reading.query), reading.start, reading.end, step, lines=1_000, timeout_s=30)
    return reading, files.search(ask)


def counts(answer: Answer) -> dict[str, float | None]:
    return {"/".join(series.labels.values()): series.points[-1].value for series in answer.series}


@pytest.mark.parametrize("folder", ["nested"], indirect=True)
@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("level=error by service yesterday", {"payments": 24.0}),
        ("昨天 level=error 每个 service 的数量", {"payments": 24.0}),
        ("service=* http_response_status_code>=500 by url_path yesterday", {"/api/pay": 24.0}),
        ("service=payments level=error count by host yesterday", {"ip-0": 8.0, "ip-1": 8.0, "ip-2": 8.0}),
    ],
)
def test_fields_inside_of_others_are_labels_and_fields(folder: Path, question: str, found: dict[str, float]) -> None:
    assert counts(asked(folder, question)[1]) == found


@pytest.mark.parametrize("folder", ["nested"], indirect=True)
def test_times_of_day_are_those_of_the_asking_zone(folder: Path) -> None:
    _, answer = asked(folder, "level=error service=payments yesterday between 10:00 and 11:00")

    assert len(answer.lines) == 12
    assert min(line.at for line in answer.lines).astimezone(CHINA).hour == 10


@pytest.mark.parametrize("folder", ["of_node"], indirect=True)
def test_levels_as_numbers_are_named_as_they_are(folder: Path) -> None:
    vocabulary = LogFiles(lambda: folder, LogLimits()).vocabulary(NOW)
    (unknown,) = read_log_search("level=warn yesterday", vocabulary, NOW).missing

    assert counts(asked(folder, "level=40 count yesterday")[1]) == {"": 144.0 - 15}
    assert counts(asked(folder, "app=* responseTime>50 by hostname yesterday")[1]) == {"web-1": 720.0}
    assert "30, 40, 50" in said(unknown)


@pytest.mark.parametrize("folder", ["own"], indirect=True)
def test_levels_are_one_level_however_each_service_spells_them(folder: Path) -> None:
    _, answer = asked(folder, "level=error by app yesterday")

    assert counts(answer) == {"billing": 24.0, "mailer": 24.0, "reports": 24.0}
    assert answer.skipped == 1


@pytest.mark.parametrize(
    "time",
    ["2026-11-23T10:00:00+08:00", "2026-11-23T10:00:00.000+0800", "2026-11-23 02:00:00,000", "23/Nov/2026:10:00:00 +0800", 1795399200000,
     "1795399200000", "1795399200", "1795399200.000", "1795399200000000000", "20261123020000"],
)  # fmt: skip
def test_times_in_the_forms_of_loggers(time: object) -> None:
    entry = LineParser().entry(json.dumps({"Timestamp": time, "level": "info"}).encode(), "a.jsonl")

    assert entry is not None
    assert datetime.fromtimestamp(entry.ts_ns / 1e9, UTC) == datetime(2026, 11, 23, 2, tzinfo=UTC)


@pytest.mark.parametrize("time", ["17701201123", "177012011234", "1770120112345678901234"])
def test_digits_that_are_no_time_are_no_date(time: str) -> None:
    assert LineParser().entry(json.dumps({"ts": time, "level": "info"}).encode(), "a.jsonl") is None


@pytest.mark.parametrize("folder", ["own"], indirect=True)
def test_a_link_to_a_log_beside_it_is_no_second_log(folder: Path) -> None:
    """`current.jsonl`, as rotation leaves it."""
    before = counts(asked(folder, "level=error by app yesterday")[1])
    (folder / "current.jsonl").symlink_to(next(iter(sorted(folder.glob("*.jsonl")))).name)

    assert counts(asked(folder, "level=error by app yesterday")[1]) == before


@pytest.mark.parametrize("folder", ["own"], indirect=True)
def test_steps_count_what_a_count_counts_the_step_that_is_not_over_too(folder: Path) -> None:
    """An hour that does not end yet is the one that matters in an incident; a time that was given is not moved."""
    _, whole = asked(folder, "level=error count last 2 days")
    until_now, steps = asked(folder, "level=error per 7h last 2 days")
    given, _ = asked(folder, "level=error per 7h yesterday")

    assert (
        sum(point.value or 0 for series in steps.series for point in series.points)
        == sum(value or 0 for value in counts(whole).values())
        > 0
    )
    assert [statement.code for statement in until_now.assumed] == []
    assert [statement.code for statement in given.assumed] == ["logs.assumed.last_step"]
