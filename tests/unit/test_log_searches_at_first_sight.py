"""Searches of a log as somebody types them who has read only docs/logs.md: written before any of them was run, and never changed."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from contracts.log_sources import LogLimits
from workers.engines.logql import print_logql
from workers.engines.logql.asking import read_log_search
from workers.logs.backends import Ask
from workers.logs.files import LogFiles

ZURICH = ZoneInfo("Europe/Zurich")
FIRST = datetime(2026, 5, 4, tzinfo=ZURICH)
NOW = FIRST + timedelta(days=1, hours=18)
Entry = dict[str, str]


def entries() -> Iterator[tuple[datetime, Entry, str]]:
    """Two days of a railway that sells tickets: seats and fares write JSON, the gates key=value, the notices (通知) plain Chinese."""
    for minute in range(2 * 24 * 60):
        at = FIRST + timedelta(minutes=minute, seconds=30)
        service = ("seats", "fares", "gate", "通知")[minute % 4]
        level = "error" if minute % 15 == 0 else "warn" if minute % 7 == 0 else "info"
        if service in ("seats", "fares"):
            path = ("/book", "/price", "/hold")[minute % 3]
            line = json.dumps({"path": path, "status": 503 if level == "error" else 200, "took_ms": minute % 700})
        elif service == "gate":
            said = "card reader timeout" if level == "error" else "turnstile open"
            line = f'msg="{said}" lane={minute % 5} took={minute % 90}ms'
        else:
            line = "短信发送失败，稍后重试" if level == "error" else "短信已发送"
        yield at, {"service": service, "level": level, "node": f"n{minute % 3}"}, line


DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
TODAY = FIRST + DAY


def is_slot(labels: Entry, service: str, level: str = "") -> bool:
    return labels["service"] == service and level in ("", labels["level"])


Holds = Callable[[Entry, str], bool]
READ: tuple[tuple[str, datetime, datetime, Holds, str], ...] = (
    ("service=gate last 2h", NOW - 2 * HOUR, NOW, lambda on, _: is_slot(on, "gate"), ""),
    ('service=gate "card reader timeout" yesterday', FIRST, TODAY, lambda on, _: is_slot(on, "gate", "error"), ""),
    ("level=error service=seats today", TODAY, NOW, lambda on, _: is_slot(on, "seats", "error"), ""),
    ("service=fares status>=500 last 6 hours", NOW - 6 * HOUR, NOW, lambda on, _: is_slot(on, "fares", "error"), ""),
    ("service=seats level=error count by node yesterday", FIRST, TODAY, lambda on, _: is_slot(on, "seats", "error"), "node"),
    (
        "service=seats|fares level!=info from 2026-05-04 10:00 to 2026-05-04 12:00", FIRST + 10 * HOUR, FIRST + 12 * HOUR,
        lambda on, _: on["service"] in ("seats", "fares") and on["level"] != "info", "",
    ),
    ('service=gate without "turnstile open" since yesterday', FIRST, NOW, lambda on, _: is_slot(on, "gate", "error"), ""),
    (
        'node=~"n[12]" level=warn between 08:00 and 09:30', TODAY + 8 * HOUR, TODAY + 9.5 * HOUR,
        lambda on, _: on["node"] in ("n1", "n2") and on["level"] == "warn", "",
    ),
    (
        'show the logs of service=fares with "/price" or "/hold" in the last 30 minutes', NOW - HOUR / 2, NOW,
        lambda on, line: is_slot(on, "fares") and "/book" not in line, "",
    ),
    ("service=* level=error count by service last 24h", NOW - DAY, NOW, lambda on, _: on["level"] == "error", "service"),
    ("service=gate 最近2小时", NOW - 2 * HOUR, NOW, lambda on, _: is_slot(on, "gate"), ""),
    ("service=通知 “短信发送失败” 昨天", FIRST, TODAY, lambda on, _: is_slot(on, "通知", "error"), ""),
    ("service=seats level=error 今天", TODAY, NOW, lambda on, _: is_slot(on, "seats", "error"), ""),
    ("service=fares status>=500 过去6小时", NOW - 6 * HOUR, NOW, lambda on, _: is_slot(on, "fares", "error"), ""),
    ("service=seats level=error 昨天 按 node 计数", FIRST, TODAY, lambda on, _: is_slot(on, "seats", "error"), "node"),
    (
        "service=seats|fares level!=info 从 2026-05-04 10:00 到 2026-05-04 12:00", FIRST + 10 * HOUR, FIRST + 12 * HOUR,
        lambda on, _: on["service"] in ("seats", "fares") and on["level"] != "info", "",
    ),
    ("service=gate 不含“turnstile open” 昨天以来", FIRST, NOW, lambda on, _: is_slot(on, "gate", "error"), ""),
    (
        "查看 level=warn node=n1 今天8点到9点的日志", TODAY + 8 * HOUR, TODAY + 9 * HOUR,
        lambda on, _: on["node"] == "n1" and on["level"] == "warn", "",
    ),
    (
        "service=fares，“/price”或“/hold”，最近30分钟", NOW - HOUR / 2, NOW,
        lambda on, line: is_slot(on, "fares") and "/book" not in line, "",
    ),
    ("service=* level=error 最近24小时 每个 service 有多少条", NOW - DAY, NOW, lambda on, _: on["level"] == "error", "service"),
)  # fmt: skip
OUTSIDE = (
    "errors of seats yesterday",
    "show me what went wrong with the gates",
    "service=gates last 2h",
    "service=gate last few hours",
    "host=n1 last 2h",
    '"card reader timeout" last 2h',
    "service=gate yesterday morning",
    "seats 昨天的错误",
    "service=通知 上周五",
    "service=seats top 3 node today",
)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> LogFiles:
    folder = tmp_path_factory.mktemp("railway")
    with (folder / "railway.jsonl").open("w", encoding="utf-8") as out:
        for at, labels, line in entries():
            out.write(json.dumps({"ts": at.isoformat(), "labels": labels, "line": line}, ensure_ascii=False) + "\n")
    return LogFiles(lambda: folder, LogLimits())


def test_what_is_in_the_grammar_is_found_and_the_rest_is_named(log: LogFiles) -> None:
    """None of them finds anything else than what was meant."""
    vocabulary = log.vocabulary(NOW)

    for text, start, end, holds, group in READ:
        reading = read_log_search(text, vocabulary, NOW)
        assert reading.query is not None, (text, reading.missing)
        assert (reading.start, reading.end) == (start, end), text
        found = log.search(Ask(reading.query, print_logql(reading.query), start, end, None, lines=5_000, timeout_s=30))
        wanted = [(at, labels) for at, labels, line in entries() if start <= at < end and holds(labels, line)]
        assert wanted, text
        if group:
            counted = {series.labels[group]: series.points[-1].value for series in found.series}
            assert counted == Counter(labels[group] for _, labels in wanted), text
        else:
            assert sorted(line.at for line in found.lines) == [at for at, _ in wanted], text
    for text in OUTSIDE:
        reading = read_log_search(text, vocabulary, NOW)
        assert reading.query is None, (text, reading.query)
        assert reading.missing, text
