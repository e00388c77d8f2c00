"""A question cut into words, numbers, quoted texts and expressions of time, each with its place in the text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.times import FoundTime
from workers.engines.questions.items import Kind
from workers.engines.questions.vocabulary import keys_of

_TOKEN = re.compile(
    r"""(?P<quoted>"[^"\n]{1,120}"|“[^”\n]{1,120}”|‘[^’\n]{1,120}’|「[^」\n]{1,120}」|`[^`\n]{1,120}`|(?<![\w])'[^'\n]{1,120}'(?!\w))"""
    r"""|(?P<number>[$€¥£]?(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?(?:%|(?:st|nd|rd|th)\b)?(?![\w]*[A-Za-z]))"""
    r"""|(?P<word>(?<=[\w)] )[*×÷](?= ?[A-Za-z(])|(?<=[\w)])[*×÷](?=[A-Za-z(])|[Nn]o\.(?= of\b)|[A-Z]{1,3}[+-](?![\w+-])|[A-Za-z0-9À-ɏ]+(?:[._'’&+][A-Za-z0-9À-ɏ]+)*(?:_[A-Za-z0-9]+)*)|(?P<sign>>=|<=|[><=])|(?P<end>[.?!;。？！；]+)|(?P<comma>[,，、])"""
    r"""|(?P<cjk>[\u3400-\u9fff])"""
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word of the question."""

    begin: int
    stop: int
    text: str
    lower: str
    keys: tuple[str, ...] = ()
    """What it may be called in the schema, its own form first."""
    kind: Kind | None = None
    """What it does, where that is known at once."""
    payload: object = None
    is_neutral: bool = False
    is_quoted: bool = False


def tokens_of(text: str, times: Sequence[FoundTime]) -> list[Token]:
    """The tokens of an English text from left to right. Words inside an expression of time are a single token."""
    made: list[Token] = []
    place, waiting = 0, list(times)
    while place < len(text):
        if waiting and place >= waiting[0].begin:
            found = waiting.pop(0)
            made.append(Token(found.begin, found.stop, found.text, found.text.lower(), kind=Kind.TIME, payload=found.range))
            place = max(place, found.stop)
            continue
        match = _TOKEN.match(text, place)
        if match is None:
            place += 1
            continue
        made.append(_token(match))
        place = match.end()
    return made


def _token(match: re.Match[str]) -> Token:
    begin, stop, text = match.start(), match.end(), match[0]
    if match["quoted"]:
        inner = text[1:-1].strip()
        return Token(begin, stop, inner, inner.lower(), is_quoted=True)
    if match["number"]:
        return Token(begin, stop, text, text, kind=Kind.NUMBER, payload=re.sub(r"[^\d.]", "", text).rstrip("."))
    if match["end"]:
        return Token(begin, stop, text, text, kind=Kind.STOP)
    if match["comma"]:
        return Token(begin, stop, text, ",", kind=Kind.AND)
    return Token(begin, stop, text, text.lower().replace("’", "'"), keys=keys_of(text))


# ruff: noqa: E501 a spelling a line
_SPELLINGS = (
    (re.compile(r"\bfirst and last names?\b", re.IGNORECASE), "first name and last name"),
    (
        re.compile(
            r",? (?:by|based on|through|using|after) (?:doing an? )?(?:left |inner |right )?join(?:ing)? [^.?]*?(?=[.?;]|$)", re.IGNORECASE
        ),
        "",
    ),
    (
        re.compile(
            r"(?:^|(?<=[.?!]))\s*(?:please )?(?:match|filter|compare) [^.?]*(?:case|ilike|wildcard|exact|like)[^.?]*", re.IGNORECASE
        ),
        "",
    ),
    (re.compile(r"名[、和]姓|姓[、和]名"), "名字(名)、姓"),
    (re.compile(r"(?:^|(?<=[。？；.?!]))[^。？；.?!]*(?:不区分大小写|通配符|ILIKE|精确匹配)[^。？；.?!]*[。？；.?!]?", re.IGNORECASE), ""),
    # how the answer is to be written, which is the same answer
    (
        re.compile(
            r"(?:^|(?<=[.?!]))\s*(?:please )?represent (?:each |the )?\w+ as (?:the )?(?:first|starting) (?:date|day)[^.?]*[.?]?",
            re.IGNORECASE,
        ),
        "",
    ),
    (
        re.compile(
            r",? (?:\(?rounded|and round(?: it)?|\(?rounding) (?:off )?to (?:[2-9]|two|three|four) decimals?(?: places| points)?\)?",
            re.IGNORECASE,
        ),
        "",
    ),
    (
        re.compile(
            r"(?:^|(?<=[.?!]))\s*(?:please )?round (?:the )?[\w ]{0,30}to (?:[2-9]|two|three|four) decimals?(?: places)?[.?]?",
            re.IGNORECASE,
        ),
        "",
    ),
    (re.compile(r"[，,]\s*[^，。,]{0,8}用[^，。,]{0,10}第一天表示"), ""),
    (re.compile(r"[，,。；]?\s*(?:请)?(?:结果)?(?:保留|四舍五入到|精确到)(?:小数点后)?[两二三2-9]位(?:小数)?"), ""),
    (
        re.compile(
            r"(?<=\w) \(?in (?:us |u\.s\. )?(?:square )?(?:meters|metres|kilometers|kilometres|km|miles|feet|kilograms|kg|grams|tons|tonnes|pounds|minutes|hours|seconds|dollars|usd|eur|euros|degrees)\)?(?=[,.?; ]|$)",
            re.IGNORECASE,
        ),
        "",
    ),
    (re.compile(r"（(?:单位[：:])?(?:平方)?(?:公里|千米|米|公斤|千克|分钟|小时|元|美元)）"), ""),
    (
        re.compile(
            r"\b(?:from|starting (?:from|with)) (?:the )?(?:longest|largest|biggest|most expensive|newest|oldest|heaviest|best|tallest|top) to (?:the )?(?:shortest|smallest|cheapest|least expensive|lightest|worst|bottom)\b",
            re.IGNORECASE,
        ),
        "from highest to lowest",
    ),
    (
        re.compile(
            r"\b(?:from|starting (?:from|with)) (?:the )?(?:shortest|smallest|cheapest|least expensive|lightest|worst) to (?:the )?(?:longest|largest|biggest|most expensive|heaviest|best)\b",
            re.IGNORECASE,
        ),
        "from lowest to highest",
    ),
    (re.compile(r"\bhe/she\b|\bhis/her\b", re.IGNORECASE), "they"),
)


def plain_spelling(text: str) -> str:
    """The question without hints on how to write the query, and with shortened lists written out."""
    for pattern, replacement in _SPELLINGS:
        text = pattern.sub(replacement, text)
    return _LARGE.sub(_digits, text)


_LARGE = re.compile(
    r"(?<![\w.])(?P<number>\d+(?:\.\d+)?|an?|one)(?P<hundred> hundred)?(?: ?(?P<k>k)| (?P<word>thousand|million|billion))\b", re.IGNORECASE
)
_TIMES = {"k": 1_000, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}


def _digits(match: re.Match[str]) -> str:
    """`10k` and `1.5 million` in digits."""
    number = float(match["number"]) if match["number"][0].isdigit() else 1.0
    times = _TIMES[(match["k"] or match["word"]).lower()]
    if match["k"] and not match["number"][0].isdigit():
        return match[0]
    return f"{number * times * (100 if match['hundred'] else 1):.15g}"


_AGES = re.compile(r"(?P<number>\d+)\s*(?:周?岁)(?:及|或)?(?P<side>以上|以下|以内)的?")


def with_ages(text: str) -> str:
    """The text in which 60岁以上的 says what it compares: 年龄不低于60的."""
    return _AGES.sub(lambda match: f"年龄{'不低于' if match['side'] == '以上' else '不超过'}{match['number']}的", text)
