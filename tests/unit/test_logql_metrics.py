"""What a query gives over given entries."""

import math
import time

import pytest

from workers.engines.logql import LineReader, LogEntry, TooMuch, collect, parse_logql, vector_at
from workers.engines.logql import collecting as collecting_module
from workers.engines.logql.pushing import push_down

SECOND = 10**9
LINES = [
    (1, "shop", "a", '{"path": "/pay", "status": 502, "took_ms": 900, "user": {"id": 7}}'),
    (2, "shop", "b", '{"path": "/pay", "status": 200, "took_ms": 100}'),
    (3, "shop", "a", '{"path": "/cart", "status": 500, "took_ms": 300}'),
    (4, "stock", "a", 'level=warn msg="slow query" took=250ms size=2KB from=10.0.0.7'),
    (5, "shop", "b", "not JSON at all \x1b[31mred\x1b[0m"),
]
ENTRIES = [LogEntry(at * SECOND, {"app": app, "host": host}, line) for at, app, host, line in LINES]


def times(query: str) -> list[int]:
    """The seconds of the lines that a query selects."""
    reader = LineReader(parse_logql(query))  # pyright: ignore[reportArgumentType]
    return [entry.ts_ns // SECOND for entry in ENTRIES if reader.read(entry) is not None]


def values(query: str, at: int = 10, entries: list[LogEntry] = ENTRIES) -> dict[str, float]:
    """Series (their labels' values) → number, at a second."""
    parsed = parse_logql(query)
    found = vector_at(parsed, collect(parsed, entries), at * SECOND)
    return {" ".join(text for _, text in labels): value for labels, value in found}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('{app="shop"}', [1, 2, 3, 5]),
        ('{app=~"sh.p", host!="a"}', [2, 5]),
        ('{app="shop"} |= "/pay" or "/cart" != "200"', [1, 3]),
        ('{app="shop"} |~ "status.: 50[0-3]"', [1, 3]),
        ('{app="shop"} | json | status >= 500 and path="/pay"', [1]),
        ('{app="shop"} | json | status = 200 or (path="/cart" and took_ms > 100)', [2, 3]),
        ('{app="shop"} | json code="status", owner="user.id" | owner="7"', [1]),
        ('{app="shop"} | json | __error__=""', [1, 2, 3]),
        ('{app="stock"} | logfmt | took > 200ms | size >= 2KB | msg="slow query"', [4]),
        ('{app="stock"} | logfmt | took > 1s', []),
        ('{app="stock"} | logfmt | from=ip("10.0.0.0/8")', [4]),
        ('{app=~".+"} |= ip("10.0.0.1-10.0.0.9")', [4]),
        ('{app="stock"} | pattern "level=<level> msg=\\"<msg>\\" <_>" | level="warn" | msg="slow query"', [4]),
        ('{app="stock"} |> "level=<_> took=<_>"', [4]),
        ('{app="stock"} | regexp "took=(?P<n>\\\\d+)" | n = 250', [4]),
        ('{app="shop"} | decolorize |= "at all red"', [5]),
        ('{app="shop"} | json | line_format "{{ .path | ToUpper }} {{.status}}" |= "/PAY 502"', [1]),
        ('{app="shop"} | json | label_format where=path, both="{{.host}}-{{.app}}" | where="/cart" | both="a-shop"', [3]),
        ('{app="shop"} | json | drop path | path=""', [1, 2, 3, 5]),
        ('{app="shop"} | json | keep path | status=""', [1, 2, 3, 5]),
    ],
)
def test_a_pipeline_keeps_the_lines_that_fit(query: str, expected: list[int]):
    assert times(query) == expected


def test_a_parsed_label_does_not_take_the_name_of_a_label_of_the_stream():
    reader = LineReader(parse_logql('{app="shop"} | json'))  # pyright: ignore[reportArgumentType]
    item = reader.read(LogEntry(1, {"app": "shop"}, '{"app": "other", "a.b": 1, "list": [1]}'))

    assert item is not None
    assert dict(item.labels) == {"app": "shop", "app_extracted": "other", "a_b": "1"}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('count_over_time({app="shop"}[10s])', {"shop a": 2, "shop b": 2}),
        ('sum by (app) (count_over_time({app=~".+"}[10s]))', {"shop": 4, "stock": 1}),
        ('sum(count_over_time({app="shop"}[2s] offset 7s))', {"": 2}),  # after second 1, until second 3
        ('sum(count_over_time({app="shop"}[9s]))', {"": 3}),  # the window's beginning is outside
        ('sum(rate({app="shop"}[10s]))', {"": 0.4}),
        ('avg_over_time({app="shop"} | json | unwrap took_ms [10s]) by (path)', {"/cart": 300, "/pay": 500}),
        ('quantile_over_time(0.5, {app="shop"} | json | unwrap took_ms [10s]) by ()', {"": 300}),
        ('max(avg_over_time({app="shop"} | json | unwrap took_ms [10s]) by (host)) without (host)', {"": 600}),
        ('topk(1, sum by (host) (count_over_time({app=~".+"}[10s])))', {"a": 3}),
        ('bytes_over_time({app="stock"}[10s])', {"stock a": float(len(LINES[3][3]))}),
        ('absent_over_time({app="gone"}[10s])', {"gone": 1}),
        ('absent_over_time({app="shop"}[10s])', {}),
        ('sum by (app) (count_over_time({app=~".+"}[10s])) > 1', {"shop": 4}),
        ('sum by (app) (count_over_time({app=~".+"}[10s])) > bool 1', {"shop": 1, "stock": 0}),
        (
            'sum by (host) (count_over_time({app="shop"} |= "50" [10s])) / sum by (host) (count_over_time({app="shop"}[10s]))',
            {"a": 1},
        ),
        ('sum by (host) (count_over_time({app="shop"}[10s])) unless sum by (host) (count_over_time({app="stock"}[10s]))', {"b": 2}),
        (
            'sum by (app, host) (count_over_time({app="shop"}[10s])) / on (app) group_left () '
            'sum by (app) (count_over_time({app="shop"}[10s]))',
            {"shop a": 0.5, "shop b": 0.5},
        ),
        ('label_replace(sum by (host) (count_over_time({app="stock"}[10s])), "node", "n-$1", "host", "(.*)")', {"a n-a": 1}),
        ("2 ^ 3 ^ 0 - 1", {"": 1}),
        ("vector(1) / 0 != bool 1", {"": 1}),
    ],
)
def test_a_metric_has_the_servers_value(query: str, expected: dict[str, float]):
    assert values(query) == pytest.approx(expected)


@pytest.mark.parametrize(
    "query",
    [
        'sum by (host) (count_over_time({app=~".+"} | json [10s]))',
        'sum(rate({app="shop"} | json | unwrap took_ms [10s]))',
        'sum without (host) (bytes_over_time({app=~".+"}[10s])) / on () group_left () sum(count_over_time({app="shop"}[10s]))',
        'topk(1, sum by (app) (sum_over_time({app=~".+"} | json | unwrap took_ms [10s])))',
        'sum by (host) (max_over_time({app="shop"} | json | unwrap took_ms [10s]))',
    ],
)
def test_a_sum_that_is_taken_at_once_has_the_same_value(query: str):
    parsed = parse_logql(query)
    pushed = push_down(parsed)

    at_once, later = (dict(vector_at(form, collect(form, ENTRIES), 10 * SECOND)) for form in (pushed, parsed))
    assert at_once == pytest.approx(later)


def test_division_by_zero_is_not_a_number():
    assert math.isnan(values("vector(1) / 0")[""])


def test_lines_that_have_no_number_are_counted_as_skipped():
    query = parse_logql('sum_over_time({app="shop"} | json | unwrap took_ms [10s])')

    assert collect(query, ENTRIES).skipped == 1


def test_entries_may_come_in_any_order():
    assert values('last_over_time({app="shop"} | json | unwrap took_ms [10s]) by ()', entries=ENTRIES[::-1]) == {"": 300}


def test_more_series_than_can_be_held_are_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(collecting_module, "SERIES_MAX", 2)
    query = parse_logql('count_over_time({app=~".+"} | json [10s])')

    with pytest.raises(TooMuch):
        collect(query, ENTRIES)


def test_an_expression_that_would_never_end_elsewhere_takes_no_time():
    started = time.process_time()

    assert times('{app="shop"} |~ "(a+)+(a+)+(a+)+$"') == []
    reader = LineReader(parse_logql('{app="shop"} |~ "(x+x+)+y"'))  # pyright: ignore[reportArgumentType]
    assert reader.read(LogEntry(1, {"app": "shop"}, "x" * 50_000)) is None
    assert time.process_time() - started < 60  # of our own CPU, on any machine; elsewhere it never ends
