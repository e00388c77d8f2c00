"""Periods of several months that share a year, as their first and last day."""

import re
from calendar import monthrange

_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")


def normal_times(text: str) -> str:
    """Periods of several months as their first and last day: `January and February 2024`, `the three months from 1993-07-01`."""
    months = "|".join(_MONTHS)
    text = re.sub(
        rf"\b(?:in |during )?({months}) (?:and|to|through) ({months}) (\d{{4}})\b",
        lambda m: _span(int(m[3]), _MONTHS.index(m[1].lower()) + 1, _MONTHS.index(m[2].lower()) + 1, m[0], "between {} and {}"),
        text,
        flags=re.IGNORECASE,
    )
    text = re.sub(
        r"(\d{4}) ?年 ?(\d{1,2}) ?月(?:份)?(?:和|与|、|到|至) ?(\d{1,2}) ?月(?:份)?",
        lambda m: _span(int(m[1]), int(m[2]), int(m[3]), m[0], "{}至{}"),
        text,
    )
    text = re.sub(
        r"\b(?:in |during )?the (\w+) months (?:from|since|starting(?: on)?|beginning(?: on)?) (\d{4})-(\d{2})-01",
        lambda m: _months_on(m[1], m[2], m[3], m[0], "between {} and {}"),
        text,
        flags=re.IGNORECASE,
    )
    return re.sub(
        r"自 ?(\d{4})-(\d{2})-01 ?起的?([一二两三四五六七八九十\d]+) ?个月(?:内|里|间)?",
        lambda m: _months_on(m[3], m[1], m[2], m[0], "{}至{}"),
        text,
    )


def _span(year: int, first: int, last: int, otherwise: str, form: str) -> str:
    if (last != first + 1 and not re.search(r"to|through|到|至", otherwise)) or not 1 <= first < last <= 12:
        return otherwise
    return form.format(f"{year}-{first:02}-01", f"{year}-{last:02}-{monthrange(year, last)[1]:02}")


def _months_on(number: str, year: str, month: str, otherwise: str, form: str) -> str:
    words = {"two": 2, "three": 3, "four": 4, "six": 6, "twelve": 12, "两": 2, "二": 2, "三": 3, "四": 4, "六": 6}
    many = int(number) if number.isdigit() else words.get(number.lower())
    if many is None:
        return otherwise
    place = int(year) * 12 + int(month) - 1 + many - 1
    last = (place // 12, place % 12 + 1)
    return form.format(f"{year}-{month}-01", f"{last[0]}-{last[1]:02}-{monthrange(*last)[1]:02}")
