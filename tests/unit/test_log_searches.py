"""Searches of logs in their closed form, read into queries: all of a text, or what is not read."""

import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.log_questions import FieldForm, LogField, LogReading, LogVocabulary
from tests.support.said import said
from workers.engines.logql import LogEntry, check_query, parse_logql, print_logql
from workers.engines.logql.asking import is_log_search, read_log_search
from workers.engines.logql.vocabulary import learn_vocabulary

NOW = datetime(2026, 3, 10, 15, 30, tzinfo=UTC)
LOG = LogVocabulary(
    labels={
        "app": ("storefront", "billing", "search-eu", "mailer"),
        "env": ("prod", "staging"),
        "host": ("web-1", "web-2", "db-7"),
        "level": ("info", "warn", "error", "ERROR"),
    },
    fields=(
        LogField(name="path", form=FieldForm.JSON, applications=("storefront",)),
        LogField(name="status", form=FieldForm.JSON, is_number=True, applications=("storefront",)),
        LogField(name="status", form=FieldForm.LOGFMT, is_number=True, applications=("mailer",)),
        LogField(name="took", form=FieldForm.LOGFMT, is_number=True, unit="duration", applications=("billing",)),
    ),
)


def ask(text: str, before: LogReading | None = None) -> LogReading:
    return read_log_search(text, LOG, NOW, before)


def query_of(text: str, before: LogReading | None = None) -> str:
    reading = ask(text, before)
    assert reading.query is not None, [said(statement) for statement in reading.missing]
    return print_logql(reading.query)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("app=billing level=warn", '{app="billing", level="warn"}'),
        ("app=billing level=error", '{app="billing", level=~"error|ERROR"}'),
        ("app=Billing host!=web-1", '{app="billing", host!="web-1"}'),
        ("app=billing|mailer", '{app=~"billing|mailer"}'),
        ("app=* env=prod", '{app=~".+", env="prod"}'),
        ('app="of tomorrow" "a" "b" not "c" or "d"', '{app="of tomorrow"} |= "a" |= "b" != "c" or "d"'),
        ('app=billing without "a" with "b"', '{app="billing"} != "a" |= "b"'),
        ('app=~"bill.*" host!~"db-.*"', '{app=~"bill.*", host!~"db-.*"}'),
        ("app=storefront path=/cart status>=500 status<600",
         '{app="storefront"} | json | path="/cart" | status >= 500 | status < 600 | __error__=""'),
        ("app=billing took>1500ms", '{app="billing"} | logfmt | took > 1s500ms | __error__=""'),
        ("app=storefront count last 2h", 'sum(count_over_time({app="storefront"} [2h]))'),
        ("app=storefront count by path, host last 1 day",
         'sum by (path, host) (count_over_time({app="storefront"} | json | __error__="" [24h]))'),
        ("app=billing per 10m today", 'sum(count_over_time({app="billing"} [10m]))'),
        ("app=billing 每小时 今天", 'sum(count_over_time({app="billing"} [1h]))'),
        ("app=billing，“支付失败”，不含「重试」，昨天", '{app="billing"} |= "支付失败" != "重试"'),
        ('{app="billing"} |= "x" | logfmt | took > 2s', '{app="billing"} |= "x" | logfmt | took > 2s'),
        ('{app="billing"}\n  |= "x"\nlast 2h', '{app="billing"} |= "x"'),
        ('errors of billing\n{app="billing"} |= "x"', '{app="billing"} |= "x"'),
        ('{app="billing"} |= "last 2h" yesterday', '{app="billing"} |= "last 2h"'),
        ('sum by (host) (rate({app="billing"}[5m])) last 2h per 5m', 'sum by (host) (rate({app="billing"} [5m]))'),
    ],
)  # fmt: skip
def test_a_search_is_the_query_that_is_meant(text: str, query: str) -> None:
    """S37."""
    assert query_of(text) == query


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("errors of billing", "logs.missing.words"),
        ("app=billing and the payments service", "logs.missing.words"),
        ("app=billing app=mailer", "logs.missing.words"),
        ("app=billing today yesterday", "logs.missing.words"),
        ('app=billing "unfinished', "logs.missing.words"),
        ("app=billing only", "logs.missing.words"),
        ("app=storefront status>=500|600", "logs.missing.words"),
        ('sum(rate({app="billing"}[5m])) "x"', "logs.missing.words"),
        ('{app="billing"', "logs.problem.expected"),
        ('{app="billing"}\nerrors', "logs.problem.unexpected"),
        ("app=payments", "logs.missing.value"),
        ("service=billing", "logs.missing.name"),
        ("level=warn count by team", "logs.missing.name"),
        ("status>=500 app=*", "logs.missing.form"),
        ("app=storefront path>3", "logs.missing.number"),
        ("app=billing took>2", "logs.missing.number"),
        ('"timeout" last 2h', "logs.missing.label"),
        ("host!=web-1", "logs.missing.label"),
        ("", "logs.missing.label"),
        ("app=billing 2026-02-30", "logs.missing.time"),
        ("app=billing since 16:00", "logs.missing.time"),
        ("app=billing from 22:00 to 02:00", "logs.missing.time"),
        ("app=billing last week", "logs.missing.words"),
        ('app=billing without "a", "b"', "logs.missing.words"),
        ("app=billing status>=500", "logs.missing.form"),
        ("app=billing from 2026-03-02 to 2026-03-01", "logs.missing.time"),
        ("app=billing last 99999999 weeks", "logs.missing.time"),
        ('app=~"(" last 2h', "logs.problem.regex"),
        ("app=billing " + "the " * 500, "logs.missing.short"),
    ],
)
def test_what_is_not_read_or_missing_is_said_and_nothing_is_searched(text: str, code: str) -> None:
    reading = ask(text)

    assert reading.query is None
    assert [statement.code for statement in reading.missing] == [code]
    assert all(said(statement, language) for statement in reading.missing for language in ("en", "zh"))


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("last 90 minutes", "2026-03-10T14:00", "2026-03-10T15:30"),
        ("in the last half an hour", "2026-03-10T15:00", "2026-03-10T15:30"),
        ("past 1h30m", "2026-03-10T14:00", "2026-03-10T15:30"),
        ("最近两个小时", "2026-03-10T13:30", "2026-03-10T15:30"),
        ("最近半小时", "2026-03-10T15:00", "2026-03-10T15:30"),
        ("today", "2026-03-10T00:00", "2026-03-10T15:30"),
        ("the day before yesterday", "2026-03-08T00:00", "2026-03-09T00:00"),
        ("on 2026-03-01", "2026-03-01T00:00", "2026-03-02T00:00"),
        ("yesterday between 10:00 and 11:30", "2026-03-09T10:00", "2026-03-09T11:30"),
        ("9am - 2pm", "2026-03-10T09:00", "2026-03-10T14:00"),
        ("2026-03-08 23:00 to 01:00", "2026-03-08T23:00", "2026-03-09T01:00"),
        ("from 2026-02-03T10:00 to 2026-02-04T14:00:30", "2026-02-03T10:00:00", "2026-02-04T14:00:30"),
        ("from 2026-02-03 to 2026-02-05", "2026-02-03T00:00", "2026-02-06T00:00"),
        ("from yesterday 10:00 until now", "2026-03-09T10:00", "2026-03-10T15:30"),
        ("from 2026-03-09 to today", "2026-03-09T00:00", "2026-03-10T15:30"),
        ("since 14:00", "2026-03-10T14:00", "2026-03-10T15:30"),
        ("从昨天9点到10点", "2026-03-09T09:00", "2026-03-09T10:00"),
        ("从 2026-02-03 10点 到 2026-02-04", "2026-02-03T10:00", "2026-02-05T00:00"),
        ("昨天9点以来", "2026-03-09T09:00", "2026-03-10T15:30"),
        ("从14点起", "2026-03-10T14:00", "2026-03-10T15:30"),
    ],
)
def test_the_time_is_read(text: str, start: str, end: str) -> None:
    reading = ask(f"app=billing {text}")

    assert reading.query is not None
    assert (reading.start, reading.end) == tuple(datetime.fromisoformat(moment).replace(tzinfo=UTC) for moment in (start, end))


def test_a_search_without_a_time_says_which_time_is_searched() -> None:
    reading = ask("app=billing")

    assert reading.start == NOW - timedelta(hours=1)
    assert [text.code for text in reading.assumed] == ["logs.assumed.time"]


def test_what_names_no_label_changes_the_search_before() -> None:
    first = ask('app=billing env=prod "declined" last 2h')
    second = ask("count by host", first)
    third = ask("only env=staging yesterday", second)
    fourth = ask("app=mailer", third)

    assert second.query is not None
    assert print_logql(second.query) == 'sum by (host) (count_over_time({app="billing", env="prod"} |= "declined" [2h]))'
    assert third.query is not None
    assert print_logql(third.query) == 'sum by (host) (count_over_time({app="billing", env="staging"} |= "declined" [24h]))'
    assert fourth.query is not None
    assert print_logql(fourth.query) == '{app="mailer"}'


def test_a_condition_takes_the_place_of_one_on_the_same_field() -> None:
    first = ask("app=storefront status>=400")

    assert query_of("only status>=500", first) == '{app="storefront"} | json | status >= 500 | __error__=""'


def test_a_metric_that_the_form_does_not_make_is_not_changed() -> None:
    first = ask('topk(3, sum by (host) (count_over_time({app="billing"}[5m])))')

    assert [text.code for text in ask('only "timeout"', first).missing] == ["logs.missing.label"]


def test_an_answer_below_completes_what_was_missing_and_what_it_leaves_out_is_said() -> None:
    reading = ask('"timeout" errors last 10m\napp=mailer')

    assert reading.query is not None
    assert print_logql(reading.query) == '{app="mailer"} |= "timeout"'
    assert reading.start == NOW - timedelta(minutes=10)
    assert [said(text) for text in reading.assumed] == ["These words of an earlier line had no part in the search: errors."]


def test_readings_of_an_older_version_are_read() -> None:
    old = ask("app=billing").to_json() | {"group_by": ["host"], "matchers": [], "function": "rate", "unwrap_as": "", "top": None}

    assert LogReading.model_validate(old).query == ask("app=billing").query


@given(st.text(max_size=80) | st.text(alphabet="\"'`{}|=!~<>\\ /.*，的错误最近app billing last hour 10:00", max_size=80))
def test_no_text_makes_anything_but_a_valid_query_or_a_question_back(text: str) -> None:
    reading = ask(f"app=billing {text}")

    assert (reading.query is None) == bool(reading.missing)
    if reading.query is not None:
        assert is_log_search(f"app=billing {text}") or "\n" in text
        assert check_query(reading.query) == ()
        assert parse_logql(print_logql(reading.query)) == reading.query


def test_quoted_words_of_a_user_stay_a_value() -> None:
    assert query_of("""app=billing '"} or {app=~`.+`'""") == r'{app="billing"} |= "\"} or {app=~`.+`"'


@pytest.mark.parametrize("frame", ["{}", "app=billing {}", '{{app="billing"}} {}', "app=billing {}x"])
def test_no_text_costs_more_than_its_length(frame: str) -> None:
    """Counted, since a count does not depend on the machine: 200,000 calls are some 20 ms."""
    for run in RUNS:
        for size in (400, 2_000, 20_000):
            text = frame.format(run * size).encode()[:size].decode(errors="ignore")
            assert calls_of(lambda text=text: ask(text)) <= 200_000, (run, size)


RUNS = (
    "and ",
    "the ",
    "last ",
    "per ",
    "by a, ",
    "9点",
    "的",
    "错误",
    "a=b|",
    "a=b ",
    "app=billing ",
    '"',
    "“",
    '"a" or ',
    "{",
    "(",
    "|",
    "10:00 to ",
    "1h",
)


def calls_of(read: Callable[[], object]) -> int:
    """Functions that are called, those of Python itself included."""
    called = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal called
        called += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        read()
    finally:
        sys.setprofile(before)
    return called


def test_a_vocabulary_is_learnt_from_lines() -> None:
    learnt = learn_vocabulary(
        [
            LogEntry(1, {"app": "a"}, '{"path": "/x", "took_ms": 5}'),
            LogEntry(2, {"app": "b"}, 'msg="slow query" dur=20ms size=2KB'),
            LogEntry(3, {"app": "b"}, "nothing of the kind"),
        ]
    )

    assert learnt.labels == {"app": ("b", "a")}
    assert {(field.name, field.form, field.is_number, field.unit) for field in learnt.fields} == {
        ("path", FieldForm.JSON, False, ""),
        ("took_ms", FieldForm.JSON, True, ""),
        ("msg", FieldForm.LOGFMT, False, ""),
        ("dur", FieldForm.LOGFMT, True, "duration"),
        ("size", FieldForm.LOGFMT, True, "bytes"),
    }
