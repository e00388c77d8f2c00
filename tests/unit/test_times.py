"""Ranges of time in words: a table of expressions in both languages, and what holds for any text."""

from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.times import FoundTime, TimeSettings, Weekday
from workers.engines.times import find_times

NOW = datetime(2026, 11, 21, 10, 30)  # noqa: DTZ001 local time, a Saturday

ENGLISH = """
today | 2026-11-21 .. 2026-11-22
yesterday | 2026-11-20 .. 2026-11-21
tomorrow | 2026-11-22 .. 2026-11-23
the day before yesterday | 2026-11-19 .. 2026-11-20
this week | 2026-11-16 .. 2026-11-23
last week | 2026-11-09 .. 2026-11-16
next week | 2026-11-23 .. 2026-11-30
this month | 2026-11-01 .. 2026-12-01
last month | 2026-10-01 .. 2026-11-01
next month | 2026-12-01 .. 2027-01-01
this quarter | 2026-10-01 .. 2027-01-01
last quarter | 2026-07-01 .. 2026-10-01
this year | 2026-01-01 .. 2027-01-01
last year | 2025-01-01 .. 2026-01-01
past 7 days | 2026-11-15 .. 2026-11-22
last 30 days | 2026-10-23 .. 2026-11-22
the past 3 months, inclusive of today's date | 2026-08-22 .. 2026-11-22
last three weeks | 2026-11-01 .. 2026-11-22
last 2 quarters | 2026-05-22 .. 2026-11-22
in the last 10 years | 2016-11-22 .. 2026-11-22
last 24 hours | 2026-11-20 10:30 .. 2026-11-21 10:30
last 3 full months | 2026-08-01 .. 2026-11-01
last 6 months excluding the current month | 2026-05-01 .. 2026-11-01
the whole of the previous ISO week not including the current week | 2026-11-09 .. 2026-11-16
next 14 days | 2026-11-22 .. 2026-12-06
3 days ago | 2026-11-18 .. 2026-11-19
6 days ago | 2026-11-15 .. 2026-11-16
2023 | 2023-01-01 .. 2024-01-01
in 2023 | 2023-01-01 .. 2024-01-01
during 2024 | 2024-01-01 .. 2025-01-01
Q3 2025 | 2025-07-01 .. 2025-10-01
2025Q3 | 2025-07-01 .. 2025-10-01
2025-Q3 | 2025-07-01 .. 2025-10-01
Q2 | 2026-04-01 .. 2026-07-01
third quarter of 2025 | 2025-07-01 .. 2025-10-01
the first quarter of last year | 2025-01-01 .. 2025-04-01
H1 2025 | 2025-01-01 .. 2025-07-01
second half of 2024 | 2024-07-01 .. 2025-01-01
March 2025 | 2025-03-01 .. 2025-04-01
in March | 2026-03-01 .. 2026-04-01
December | 2025-12-01 .. 2026-01-01
last March | 2026-03-01 .. 2026-04-01
May 2026 | 2026-05-01 .. 2026-06-01
March 4, 2025 | 2025-03-04 .. 2025-03-05
4 March 2025 | 2025-03-04 .. 2025-03-05
on Dec 24th | 2025-12-24 .. 2025-12-25
2025-03-04 | 2025-03-04 .. 2025-03-05
2025/3/4 | 2025-03-04 .. 2025-03-05
2025-03 | 2025-03-01 .. 2025-04-01
25/12/2025 | 2025-12-25 .. 2025-12-26
since March | 2026-03-01 ..
since 2024 | 2024-01-01 ..
since the beginning of 2025 | 2025-01-01 ..
before 2020 |  .. 2020-01-01
after 2010 | 2011-01-01 ..
until March 2025 |  .. 2025-04-01
from March 2025 onwards | 2025-03-01 ..
between March 2025 and May 2025 | 2025-03-01 .. 2025-06-01
between 2020 and 2022 | 2020-01-01 .. 2023-01-01
from Jan 5 to Feb 3 | 2026-01-05 .. 2026-02-04
January to March 2025 | 2025-01-01 .. 2025-04-01
November 2025 to February 2026 | 2025-11-01 .. 2026-03-01
2020 to 2022 | 2020-01-01 .. 2023-01-01
year to date | 2026-01-01 .. 2026-11-22
MTD | 2026-11-01 .. 2026-11-22
this year so far | 2026-01-01 .. 2026-11-22
FY2025 | 2025-01-01 .. 2026-01-01
fiscal year 2026 | 2026-01-01 .. 2027-01-01
week 12 of 2025 | 2025-03-17 .. 2025-03-24
2025-W01 | 2024-12-30 .. 2025-01-06
last Monday | 2026-11-16 .. 2026-11-17
the 1990s | 1990-01-01 .. 2000-01-01
recently | ?
03/04/2025 | ?
last summer | ?
Feb 30, 2025 | ?
3 months ago | ?
two weeks ago | ?
the past few weeks | ?
"""
CHINESE = """
今天 | 2026-11-21 .. 2026-11-22
昨天 | 2026-11-20 .. 2026-11-21
前天 | 2026-11-19 .. 2026-11-20
明天 | 2026-11-22 .. 2026-11-23
本周 | 2026-11-16 .. 2026-11-23
上周 | 2026-11-09 .. 2026-11-16
上个星期 | 2026-11-09 .. 2026-11-16
下周 | 2026-11-23 .. 2026-11-30
本月 | 2026-11-01 .. 2026-12-01
上个月 | 2026-10-01 .. 2026-11-01
上上个月 | 2026-09-01 .. 2026-10-01
下个月 | 2026-12-01 .. 2027-01-01
这个月 | 2026-11-01 .. 2026-12-01
本季度 | 2026-10-01 .. 2027-01-01
上季度 | 2026-07-01 .. 2026-10-01
上个季度 | 2026-07-01 .. 2026-10-01
今年 | 2026-01-01 .. 2027-01-01
去年 | 2025-01-01 .. 2026-01-01
前年 | 2024-01-01 .. 2025-01-01
明年 | 2027-01-01 .. 2028-01-01
最近7天 | 2026-11-15 .. 2026-11-22
近30天 | 2026-10-23 .. 2026-11-22
过去 10 年里 | 2016-11-22 .. 2026-11-22
最近三个月 | 2026-08-22 .. 2026-11-22
近两周 | 2026-11-08 .. 2026-11-22
近半年 | 2026-05-22 .. 2026-11-22
过去一年 | 2025-11-22 .. 2026-11-22
最近24小时 | 2026-11-20 10:30 .. 2026-11-21 10:30
最近3个完整月 | 2026-08-01 .. 2026-11-01
过去6个月（不含本月） | 2026-05-01 .. 2026-11-01
未来两周 | 2026-11-22 .. 2026-12-06
3天前 | 2026-11-18 .. 2026-11-19
2025年 | 2025-01-01 .. 2026-01-01
二零二五年三月 | 2025-03-01 .. 2025-04-01
2025年第三季度 | 2025-07-01 .. 2025-10-01
2023 年第一季度 | 2023-01-01 .. 2023-04-01
三季度 | 2026-07-01 .. 2026-10-01
去年四季度 | 2025-10-01 .. 2026-01-01
2025年Q2 | 2025-04-01 .. 2025-07-01
今年上半年 | 2026-01-01 .. 2026-07-01
2024年下半年 | 2024-07-01 .. 2025-01-01
2025年3月 | 2025-03-01 .. 2025-04-01
三月 | 2026-03-01 .. 2026-04-01
十二月 | 2025-12-01 .. 2026-01-01
去年三月 | 2025-03-01 .. 2025-04-01
2025年3月4日 | 2025-03-04 .. 2025-03-05
3月4号 | 2026-03-04 .. 2026-03-05
去年12月24日 | 2025-12-24 .. 2025-12-25
上个月5日 | 2026-10-05 .. 2026-10-06
三月以来 | 2026-03-01 ..
2021 年以来 | 2021-01-01 ..
自2025年3月起 | 2025-03-01 ..
2025年以前 |  .. 2025-01-01
2010年之后 | 2011-01-01 ..
截至2025年3月 |  .. 2025-04-01
从1月5日到2月3日 | 2026-01-05 .. 2026-02-04
2025年1月1日到3月31日 | 2025-01-01 .. 2025-04-01
2025年1月到3月 | 2025-01-01 .. 2025-04-01
2020年至2022年 | 2020-01-01 .. 2023-01-01
3月1日到5日 | 2026-03-01 .. 2026-03-06
年初至今 | 2026-01-01 .. 2026-11-22
今年以来 | 2026-01-01 ..
2025财年 | 2025-01-01 .. 2026-01-01
2025年第12周 | 2025-03-17 .. 2025-03-24
近期 | ?
去年夏天 | ?
去年同期 | ?
最近几天 | ?
2025年2月30日 | ?
三个月前 | ?
两周前 | ?
"""


def _rows(table: str) -> list[tuple[str, str]]:
    return [(text.strip(), expected.strip()) for text, _, expected in (line.partition("|") for line in table.strip().splitlines())]


def _shown(found: FoundTime) -> str:
    if found.range is None:
        return "?"
    ends = (found.range.start, found.range.end)
    return " .. ".join(
        "" if end is None else end.isoformat(" ", "minutes") if isinstance(end, datetime) else end.isoformat() for end in ends
    ).strip()


@pytest.mark.parametrize(("text", "expected"), [*_rows(ENGLISH), *_rows(CHINESE)])
def test_an_expression_means_its_range_and_a_vague_expression_none(text: str, expected: str) -> None:
    (found,) = find_times(text, NOW)

    assert (found.begin, found.stop) == (0, len(text))
    assert _shown(found) == expected


def test_the_words_around_an_expression_are_left_alone() -> None:
    (found,) = find_times("How many orders were placed in March 2025 by customers in the north?", NOW)

    assert found.text == "in March 2025"


@pytest.mark.parametrize(
    "text", ["May I see the orders?", "the model 1500", "version 2025.1", "第1500号", "customer 20231", "12 orders", "三家餐厅"]
)
def test_numbers_and_words_that_are_no_time_are_not_taken_for_one(text: str) -> None:
    assert find_times(text, NOW) == ()


def test_a_fiscal_year_begins_in_the_month_of_the_settings() -> None:
    settings = TimeSettings(fiscal_year_start=4)

    assert _shown(find_times("FY2026", NOW, settings)[0]) == "2025-04-01 .. 2026-04-01"
    assert _shown(find_times("last fiscal quarter", NOW, settings)[0]) == "2026-07-01 .. 2026-10-01"
    assert _shown(find_times("fiscal Q1 2026", NOW, settings)[0]) == "2025-04-01 .. 2025-07-01"
    assert _shown(find_times("2026财年", NOW, settings)[0]) == "2025-04-01 .. 2026-04-01"


def test_a_week_begins_on_the_day_of_the_settings() -> None:
    settings = TimeSettings(week_start=Weekday.SUNDAY)

    assert _shown(find_times("last week", NOW, settings)[0]) == "2026-11-08 .. 2026-11-15"
    assert _shown(find_times("上周", NOW, settings)[0]) == "2026-11-08 .. 2026-11-15"


def test_rolling_days_can_end_with_yesterday() -> None:
    assert _shown(find_times("past 7 days", NOW, TimeSettings(rolling_includes_today=False))[0]) == "2026-11-14 .. 2026-11-21"


@given(st.integers(min_value=1, max_value=999), st.sampled_from(["last {} days", "past {} days", "最近{}天", "过去{}天"]))
def test_the_last_days_are_that_many_and_today_is_the_last(number: int, form: str) -> None:
    (words,) = find_times(form.format(number), NOW)
    found = words.range

    assert found is not None
    assert found.end is not None
    assert found.end == NOW.date() + timedelta(days=1)
    assert found.start == found.end - timedelta(days=number)
    assert found.is_rolling


@given(st.dates(date(1900, 1, 1), date(2099, 12, 30)))
def test_a_day_in_any_spelling_is_that_day(day: date) -> None:
    for text in (
        day.isoformat(),
        f"{day:%B} {day.day}, {day.year}",
        f"{day.day} {day:%b} {day.year}",
        f"{day.year}年{day.month}月{day.day}日",
    ):
        (words,) = find_times(text, NOW)

        assert (words.begin, words.stop) == (0, len(text))
        assert words.range is not None, text
        assert (words.range.start, words.range.end) == (day, day + timedelta(days=1)), text


_ENGLISH_WORDS = "last next past since before between and to from 7 12 2025 9999 0 days week month quarter March 31 Q3 of FY 30 Feb 99"
_CHINESE_WORDS = "最近 上 个 月 周 年 季度 第 三 到 以来 之前 半 日 , - / （"
_WORDS = st.sampled_from([*_ENGLISH_WORDS.split(), *_CHINESE_WORDS.split()])


@given(st.lists(_WORDS, max_size=9), st.sampled_from(["", " "]))
def test_whatever_the_text_the_ranges_lie_in_it_apart_and_in_order(words: list[str], space: str) -> None:
    text = space.join(words)

    behind = 0
    for found in find_times(text, NOW):
        assert behind <= found.begin < found.stop <= len(text)
        assert found.text == text[found.begin : found.stop]
        if found.range is not None and found.range.start is not None and found.range.end is not None:
            start, end = found.range.start, found.range.end
            assert start.timetuple()[:6] < end.timetuple()[:6]
        behind = found.stop


@given(st.text(max_size=60))
def test_any_text_is_read_without_an_error(text: str) -> None:
    find_times(text, NOW)
