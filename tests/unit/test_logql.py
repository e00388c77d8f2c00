"""LogQL: what is read, what is refused and why, and what is printed."""

import pytest
from hypothesis import HealthCheck, given, settings

from contracts.logs import FilterOp, LineFilter, LogExpression, LogQuery, Matcher, MatchOp, ProblemLevel, Sought
from tests.support.campaign import TIMES
from tests.support.logql_queries import queries, texts
from tests.support.said import said
from workers.engines.logql import LogQLSyntaxError, check_logql, duration_ns, duration_text, parse_logql, print_logql


@given(queries)
@settings(max_examples=120 * TIMES, suppress_health_check=[HealthCheck.too_slow])
def test_what_is_printed_is_read_as_the_same_query(query: LogExpression):
    assert parse_logql(print_logql(query)) == query


@given(texts)
def test_a_text_of_a_user_stays_one_value(text: str):
    query = LogQuery(
        matchers=(Matcher(label="app", op=MatchOp.EQUAL, value=text),),
        stages=(LineFilter(op=FilterOp.CONTAINS, sought=(Sought(text=text),)),),
    )

    assert parse_logql(print_logql(query)) == query


@given(texts)
def test_any_text_is_read_or_refused_with_a_place(text: str):
    checked = check_logql(text)

    assert checked.query is not None or 0 <= checked.problems[0].start <= checked.problems[0].end


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ('{app="shop"', "logs.problem.expected"),
        ('{app="shop"} |= error', "logs.problem.expected"),
        ('{app="shop} |= "x"', "logs.problem.open_text"),
        ('{app="shop', "logs.problem.open_text"),
        ('rate({app="shop"})', "logs.problem.expected"),
        ('rate({app="shop"}[5])', "logs.problem.expected"),
        ('rates({app="shop"}[5m])', "logs.problem.function"),
        ('{app="shop"} | json | unwrap took', "logs.problem.unwrap_outside"),
        ('sum_over_time({app="shop"} | json [5m])', "logs.problem.needs_unwrap"),
        ('count_over_time({app="shop"} | json | unwrap took [5m])', "logs.problem.not_unwrapped"),
        ('sum_over_time({app="shop"} | json | unwrap took | json [5m])', "logs.problem.behind_unwrap"),
        ('rate({app="shop"}[5m]) by (host)', "logs.problem.range_grouping"),
        ('quantile_over_time({app="shop"} | unwrap took [5m])', "logs.problem.quantile"),
        ('topk(rate({app="shop"}[5m]))', "logs.problem.how_many"),
        ('sum({app="shop"})', "logs.problem.needs_series"),
        ('{app="shop"} + 1', "logs.problem.lines_in_operator"),
        ('1 and rate({app="shop"}[5m])', "logs.problem.number_in_set"),
        ('{app="shop"} |~ "(?=x)"', "logs.problem.regex"),
        ('{app="shop"} |= "\\d"', "logs.problem.escape"),
        ('{app="shop"} | regexp "(\\\\d+)"', "logs.problem.regex_names"),
        ('{app="shop"} | pattern "<a><b>"', "logs.problem.pattern_touching"),
        ('{app="shop"} |= ip("x")', "logs.problem.address"),
        ('{app="shop"} | json a="b..c"', "logs.problem.json_path"),
        ('{app="shop"} | json a="b["', "logs.problem.json_path"),
        ('{app="shop"} | label_format __error__="x"', "logs.problem.error_label"),
        ("{}", "logs.problem.no_matcher"),
        ("(" * 60 + "1" + ")" * 60, "logs.problem.nested"),
        ("+".join("1" * 200), "logs.problem.operators"),
        ("x" * 20_001, "logs.problem.long"),
    ],
)
def test_a_fault_is_named(query: str, code: str):
    checked = check_logql(query)

    assert not checked.is_valid
    assert code in [problem.what.code for problem in checked.problems]
    assert all(said(problem.what, language) for problem in checked.problems for language in ("en", "zh"))


@pytest.mark.parametrize(
    "query",
    [
        '{app="shop"} |= "a" or "b" != "c" |~ `\\d+` | json status="a.b[0]", path | status >= 500 and path=~"/p.*"',
        '{app="shop"} | json x="[\\"y z\\"].q" | line_format "{{.path}}"',
        'sum by (path) (rate({app="shop", env=~"prod|stage"} | logfmt --strict | took > 250ms [5m] offset 1h)) / 2 > 0.5',
        'quantile_over_time(0.99, {app="shop"} | json | unwrap duration(took) | __error__="" [5m]) by (path)',
        'topk(3, sum without (host) (count_over_time({app="shop"}[1d])))',
        'sum(rate({app="a"}[1m])) / on () group_left () sum(rate({app="b"}[1m])) # of both',
    ],
)
def test_what_people_paste_is_accepted_and_printed_in_the_same_words(query: str):
    checked = check_logql(query)

    assert checked.is_valid, checked.problems
    assert check_logql(print_logql(parse_logql(query))).is_valid


def test_a_selector_that_narrows_nothing_down_is_logql_but_is_not_to_be_run():
    (problem,) = check_logql('{app!="shop", env=~".*"}').problems

    assert problem.level is ProblemLevel.REFUSED


def test_a_fault_has_its_place():
    with pytest.raises(LogQLSyntaxError) as raised:
        parse_logql('{app="shop"} |= oops')

    assert (raised.value.start, raised.value.end) == (16, 20)


@pytest.mark.parametrize(
    ("text", "printed"), [("90m", "90m"), ("24h", "24h"), ("1d", "24h"), ("1w", "7d"), ("1h30m15s", "1h30m15s"), ("1.5h", "90m")]
)
def test_a_duration_is_printed_in_a_unit_that_fits(text: str, printed: str):
    assert duration_text(duration_ns(text) or 0) == printed
