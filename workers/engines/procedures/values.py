"""What people write for a number or a date, in a form and elsewhere."""

from datetime import UTC, datetime

_DATES = ("%Y-%m-%d", "%d.%m.%Y", "%Y/%m/%d", "%Y.%m.%d", "%Y年%m月%d日")
"""Forms that can be read in one way only: 3/4/2026 is a day in March in one country and in April in another one."""
_THOUSANDS = 3


def read_number(value: object) -> float | None:
    """A number as it is written, with a decimal point or a decimal comma, perhaps with a percent sign. None: it is not a number, or
    it is `1,234`, which is one number in Germany and another one in England."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if not isinstance(value, str):
        return float(value)
    text = value.strip().removesuffix("%").strip().replace("\N{MINUS SIGN}", "-")
    whole, comma, rest = text.partition(",")
    if comma and "." not in text and not (len(rest) == _THOUSANDS and whole.lstrip("-") != "0"):
        text = f"{whole}.{rest}"
    if "_" in text or any(letter.isalpha() for letter in text):
        return None
    try:
        return float(text)
    except ValueError:
        return None


def read_date(text: str) -> str | None:
    """A date as `2026-11-30`. None: it is not a date, or it can be read in several ways."""
    for form in _DATES:
        try:
            return datetime.strptime(text.strip(), form).replace(tzinfo=UTC).date().isoformat()
        except ValueError:
            continue
    return None
