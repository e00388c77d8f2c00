"""Questions about logs in words, English and Chinese, read into queries."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.log_questions import FieldForm, LogField, LogReading, LogVocabulary
from tests.support.said import said
from workers.engines.logql import LogEntry, check_query, parse_logql, print_logql
from workers.engines.logql.asking import read_log_question
from workers.engines.logql.asking.learning import learn_vocabulary

NOW = datetime(2026, 3, 10, 15, 30, tzinfo=UTC)
LOG = LogVocabulary(
    labels={
        "app": ("storefront", "billing", "search-eu", "search-us", "parcel-tracker", "mailer"),
        "env": ("prod", "staging"),
        "host": ("web-1", "web-2", "db-7"),
        "level": ("info", "warn", "error"),
    },
    fields=(
        LogField(name="path", form=FieldForm.JSON, applications=("storefront",)),
        LogField(name="status", form=FieldForm.JSON, is_number=True, applications=("storefront",)),
        LogField(name="took_ms", form=FieldForm.JSON, is_number=True, applications=("storefront",)),
        LogField(name="took", form=FieldForm.LOGFMT, is_number=True, unit="duration", applications=("billing",)),
        LogField(name="customer", form=FieldForm.LOGFMT, applications=("billing",)),
    ),
    words=("refund", "declined", "timeout", "retry", "invoice"),
)


def ask(question: str, before: LogReading | None = None) -> LogReading:
    return read_log_question(question, LOG, NOW, before)


def query_of(question: str) -> str:
    reading = ask(question)
    assert reading.query is not None, [said(text) for text in reading.missing]
    return print_logql(reading.query)


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("Show me the errors of billing in the last 2 hours", '{app="billing", level="error"}'),
        ("errors of billing per minute in the last hour", 'sum(count_over_time({app="billing", level="error"} [1m]))'),
        ("How many times did 'card declined' occur in billing today?", 'sum(count_over_time({app="billing"} |= "card declined" [930m]))'),
        ("List all 'quota exceeded' warnings for search-eu on web-2", '{app="search-eu", host="web-2"} |= "quota exceeded"'),
        ("how many 503 errors per path for storefront in production in the past day",
         'sum by (path) (count_over_time({app="storefront", env="prod"} | json | status == 503 [24h]))'),
        ("average response time of storefront in the last 6 hours, grouped by path",
         'avg_over_time({app="storefront"} | json | unwrap took_ms | __error__="" [6h]) by (path)'),
        ("p95 latency of billing yesterday",
         'quantile_over_time(0.95, {app="billing"} | logfmt | unwrap duration(took) | __error__="" [24h]) by ()'),
        ("top 3 hosts with the most errors of mailer in the last week",
         'topk(3, sum by (host) (count_over_time({app="mailer", level="error"} [7d])))'),
        ("How many different customers of billing had a refund in the last 3 days?",
         'count(sum by (customer) (count_over_time({app="billing"} |~ "(?i)refund" | logfmt [3d])))'),
        ("requests to /cart/{id}/items of storefront without 'bot' in the last 30 minutes",
         '{app="storefront"} != "bot" |= "/cart/" |= "/items"'),
        ("How many lines from 10.1.2.3 does parcel-tracker have since 09:00?",
         'sum(count_over_time({app="parcel-tracker"} |= "10.1.2.3" [390m]))'),
        ("which host had the most timeouts in billing in the last 12 hours?",
         'topk(1, sum by (host) (count_over_time({app="billing"} |~ "(?i)timeout" [12h])))'),
    ],
)  # fmt: skip
def test_a_question_in_english_is_the_query_that_is_meant(question: str, query: str):
    """S37."""
    assert query_of(question) == query


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("显示最近2小时 billing 的错误", '{app="billing", level="error"}'),
        ("过去一小时 billing 每分钟的错误数", 'sum(count_over_time({app="billing", level="error"} [1m]))'),
        ("查看 mailer 今天的警告日志", '{app="mailer", level="warn"}'),
        ("昨天 storefront 有多少次“支付失败”？", 'sum(count_over_time({app="storefront"} |= "支付失败" [24h]))'),
        ("最近24小时 search-eu 中“connection reset”出现了几次", 'sum(count_over_time({app="search-eu"} |= "connection reset" [24h]))'),
        ("列出 web-2 上 search-us 包含“quota exceeded”的日志", '{app="search-us", host="web-2"} |= "quota exceeded"'),
        ("过去三天生产环境 storefront 返回 503 错误的次数，按路径统计",
         'sum by (path) (count_over_time({app="storefront", env="prod"} | json | status == 503 [3d]))'),
        ("最近6小时 storefront 各路径的平均响应时间",
         'avg_over_time({app="storefront"} | json | unwrap took_ms | __error__="" [6h]) by (path)'),
        ("昨天 billing 的最大耗时是多少", 'max_over_time({app="billing"} | logfmt | unwrap duration(took) | __error__="" [24h]) by ()'),
        ("过去一周 mailer 错误最多的3台主机",
         'topk(3, sum by (host) (count_over_time({app="mailer", level="error"} [7d])))'),
        ("最近一周错误最多的前3个主机，应用 mailer",
         'topk(3, sum by (host) (count_over_time({app="mailer", level="error"} [7d])))'),
        ("最近12小时 billing 哪台主机的 timeout 最多？",
         'topk(1, sum by (host) (count_over_time({app="billing"} |~ "(?i)timeout" [12h])))'),
        ("过去30分钟 storefront 中不包含“bot”的日志", '{app="storefront"} != "bot"'),
        ("应用 parcel-tracker 过去一天来自 10.1.2.3 的日志有多少条", 'sum(count_over_time({app="parcel-tracker"} |= "10.1.2.3" [24h]))'),
        ("上周 storefront 的 5xx 请求按主机分组统计",
         'sum by (host) (count_over_time({app="storefront"} | json | status >= 500 [7d]))'),
        ("预发环境 storefront 今天 404 状态码有多少次",
         'sum(count_over_time({app="storefront", env="staging"} | json | status == 404 [930m]))'),
        ("最近15分钟 storefront 的 GET 请求数量", 'sum(count_over_time({app="storefront"} |= "GET" [15m]))'),
        ("billing 每小时的错误数量，最近两天", 'sum(count_over_time({app="billing", level="error"} [1h]))'),
        ("2026年3月9日 10点到11点 billing 的错误", '{app="billing", level="error"}'),
        ("从昨天 mailer 的日志中找出“unsubscribe”", '{app="mailer"} |= "unsubscribe"'),
        ("最近7天 search-us 的错误分布，按主机", 'sum by (host) (count_over_time({app="search-us", level="error"} [7d]))'),
        ("db-7 上 billing 最近5分钟的日志", '{app="billing", host="db-7"}'),
        ("主机 web-1 的 storefront 服务过去4小时共有多少错误",
         'sum(count_over_time({app="storefront", host="web-1", level="error"} [4h]))'),
        ("昨天 billing 有多少个不同的 customer", 'count(sum by (customer) (count_over_time({app="billing"} | logfmt [24h])))'),
        ("统计最近一小时每个应用的错误数，环境是 prod",
         'sum by (app) (count_over_time({env="prod", level="error"} [1h]))'),
        ("过去两小时 billing 的 p99 延迟",
         'quantile_over_time(0.99, {app="billing"} | logfmt | unwrap duration(took) | __error__="" [2h]) by ()'),
        ("查找 billing 中带有「invoice 4711」的行，最近三天", '{app="billing"} |= "invoice 4711"'),
        ("今天 parcel-tracker 每个主机的日志数量", 'sum by (host) (count_over_time({app="parcel-tracker"} [930m]))'),
        ("最近半小时 storefront 的错误率，每秒", 'sum(rate({app="storefront", level="error"} [30m]))'),
        ("前天 mailer 报错多少次", 'sum(count_over_time({app="mailer", level="error"} [24h]))'),
    ],
)  # fmt: skip
def test_a_question_in_chinese_is_the_query_that_is_meant(question: str, query: str):
    assert query_of(question) == query


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("billing in the last 90 minutes", "2026-03-10T14:00", "2026-03-10T15:30"),
        ("billing yesterday between 10:00 and 11:30", "2026-03-09T10:00", "2026-03-09T11:30"),
        ("billing on 3 February 2026 from 9 am to 2 pm", "2026-02-03T09:00", "2026-02-03T14:00"),
        ("billing on 2026-03-01", "2026-03-01T00:00", "2026-03-02T00:00"),
        ("billing since 14:00", "2026-03-10T14:00", "2026-03-10T15:30"),
        ("billing since 2026-03-09", "2026-03-09T00:00", "2026-03-10T15:30"),
        ("billing last night 23:00 to 01:00 on 8 March", "2026-03-08T23:00", "2026-03-09T01:00"),
        ("billing from 2026-02-03 10:00 to 2026-02-04 14:00", "2026-02-03T10:00", "2026-02-04T14:00"),
        ("billing between 3 February 2026 and 5 February 2026", "2026-02-03T00:00", "2026-02-06T00:00"),
        ("billing 2026-02-03T10:00 to 2026-02-03T11:00", "2026-02-03T10:00", "2026-02-03T11:00"),
        ("billing 从 2 月 3 日 10 点 到 2 月 4 日", "2026-02-03T10:00", "2026-02-05T00:00"),
        ("billing 昨天9点到10点半", "2026-03-09T09:00", "2026-03-09T10:30"),
        ("billing 最近十五分钟", "2026-03-10T15:15", "2026-03-10T15:30"),
        ("billing 2 月 3 日", "2026-02-03T00:00", "2026-02-04T00:00"),
    ],
)
def test_the_time_is_read(question: str, start: str, end: str):
    reading = ask(question)

    assert (reading.start, reading.end) == tuple(datetime.fromisoformat(text).replace(tzinfo=UTC) for text in (start, end))


def test_a_question_without_a_time_says_which_time_is_assumed():
    reading = ask("errors of billing")

    assert reading.start == NOW - timedelta(days=1)
    assert [text.code for text in reading.assumed] == ["logs.assumed.time"]


def test_a_time_that_is_not_understood_is_asked_for_instead_of_taking_another():
    reading = ask("errors of billing on the first Monday of September")

    assert reading.query is None
    assert [text.code for text in reading.missing] == ["logs.missing.time"]


def test_what_is_missing_is_asked_for_with_what_there_is():
    (missing,) = ask("find the errors").missing

    assert "storefront" in said(missing)
    assert "storefront" in said(missing, "zh")


def test_a_number_that_is_not_in_the_lines_is_asked_for():
    reading = ask("average response time of mailer in the last hour")

    assert reading.query is None or reading.assumed, "either asked for, or said how it is read"


def test_words_without_a_part_in_the_query_are_listed():
    assert ask("errors of billing about purple elephants in the last hour").unplaced == ("purple", "elephants")


def test_a_question_goes_on_from_the_one_before():
    first = ask("'card declined' warnings of billing in production in the last 2 hours")
    second = ask("how many of them per host?", first)
    third = ask("and in staging?", second)

    assert second.query is not None
    assert print_logql(second.query) == 'sum by (host) (count_over_time({app="billing", env="prod"} |= "card declined" [2h]))'
    assert third.matchers[1].value == "staging"


def test_an_answer_to_what_was_missing_completes_the_question():
    reading = ask("mailer, last 10 minutes", ask("find the errors"))

    assert reading.query is not None
    assert print_logql(reading.query) == '{app="mailer", level="error"}'


@given(st.text(max_size=80) | st.text(alphabet="\"'`{}|=\\ /.*错误最近 billing storefront last hour top 3", max_size=80))
def test_no_question_makes_anything_but_a_valid_query_or_a_question_back(question: str):
    reading = ask(f"billing {question}")

    if reading.query is not None:
        assert check_query(reading.query) == ()
        assert parse_logql(print_logql(reading.query)) == reading.query


def test_quoted_words_of_a_user_stay_a_value():
    assert query_of("""lines of billing with "} or {app=~`.+`" in the last hour""") == '{app="billing"} |= "} or {app=~`.+`"'


def test_a_vocabulary_is_learnt_from_lines():
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
    assert "slow" in learnt.words
