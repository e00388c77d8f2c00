"""PromQL is read, checked, narrowed and printed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.logs import Matcher, MatchOp
from workers.engines.promql import (
    PromQLSyntaxError,
    Selector,
    is_filter,
    longest_s,
    narrowed,
    parse_matchers,
    parse_promql,
    print_matchers,
    print_promql,
)
from workers.engines.promql.expressions import parts

TOS = Matcher(label="host", op=MatchOp.MATCHES, value="tos.*")
READ = (
    "up",
    'up{job="x"} == 0',
    'sum by (instance) (rate(http_requests_total{code=~"5.."}[5m])) / sum(rate(http_requests_total[5m])) > 0.05',
    "-2 ^ 2",
    "predict_linear(node_filesystem_avail_bytes[6h], 24 * 3600) < 0",
    "max_over_time(rate(x[1m])[1h:1m] offset 7d)",
    "a / on (instance) group_left (x) b",
    "topk(3, up) without (pod)",
    "x @ 123 offset 5m",
    "x @ end()",
    "(a or b) unless on () c",
    "a >= bool 3",
    'label_replace(up, "a", "$1", "b", "(.*)")',
    "histogram_quantile(0.99, sum by (le) (rate(d_bucket[5m])))",
    "a - (b - c) - d",
)


@pytest.mark.parametrize("text", READ)
def test_what_is_printed_reads_as_the_same_and_each_series_is_narrowed(text: str) -> None:
    read = parse_promql(text)
    assert parse_promql(print_promql(read)) == read

    of_system = parse_promql(print_promql(narrowed(read, (TOS,))))
    selectors, before = ([part for part in parts(tree) if isinstance(part, Selector)] for tree in (of_system, read))
    assert len(selectors) == len(before)
    assert all(TOS in selector.matchers for selector in selectors)


@pytest.mark.parametrize(
    "text",
    [
        "", "disk is full", "1h", '{a=""}', "rate(up)", "up[5m] > 3", "sum(a) by (b", "up{", "nosuch(up)", "a and 1", "1 > 2", "'open",
        "up[5m][5m]", "(" * 500, "up; drop table x", "up offset x", "a > > b", "sum(rate(x[5m]) by (y)", "up @ b", "é",
    ],
)  # fmt: skip
def test_what_is_no_promql_is_refused_with_the_place(text: str) -> None:
    with pytest.raises(PromQLSyntaxError) as refused:
        parse_promql(text)
    assert 0 <= refused.value.at <= len(text)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read = parse_promql(text)
    except PromQLSyntaxError:
        return
    assert parse_promql(print_promql(read)) == read


@given(st.text(st.characters(codec="utf-8"), max_size=40))
def test_a_value_is_never_more_than_a_value(value: str) -> None:
    matchers = (Matcher(label="host", op=MatchOp.EQUAL, value=value),)
    assert parse_matchers(print_matchers(matchers)) == matchers


def test_how_far_back_a_query_looks_and_whether_it_is_a_condition() -> None:
    assert longest_s(parse_promql("rate(x[5m] offset 1h) / y")) == 3900
    assert longest_s(parse_promql("max_over_time(rate(x[1m])[1h:1m])")) == 3660
    conditions = {"up == 0": True, "up": False, "up == bool 0": False, "(a > 1) and b": True, "a > 1 or b": False, "2 * (a > 1)": False}
    assert {text: is_filter(parse_promql(text)) for text in conditions} == conditions
