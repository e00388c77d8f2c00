"""The words of a question that no part of the query comes from."""

import re
from collections.abc import Iterable, Iterator

from workers.engines.logql.asking.marked import Marked

_EMPTY = frozenset(
    """
    a about across after again all along already also an and any are as at be because been before being but by can could did do
    does done due during each ever every find fetch for from get give had has have having he her here him how i if in including
    into is it its just kindly let like list log logs line lines entry entries message messages look made make many may me more
    most much my need no not now number occur occurred occurrence occurrences of off on only or other our out over per please
    print query record records request requests result results s same search see seen show showing shows since so some such tell
    than that the their them then there these they thing things this those through time times to too try under up us use used want
    was we were what when where whether which while who whose why will with within would you your appeared happened happen
    encountered detected logged related instances instance cases case events event whole entire display value values count
    application app service host hostname
    """.split()  # noqa: SIM905 words without marks between them
)
"""English words without a meaning of their own in a question about logs."""

_EMPTY_ZH = re.compile(
    r"的|了|在|里|中|上|下|有|是|我|想|要|请|帮|把|给|看|查|找|出|一下|所有|全部|哪些|哪个|什么|多少|次|条|个|请求|日志|记录|数据|返回|出现|发生|进行|以及|和|与|或|到|从|并|再|也|都|对|按|吗|呢|这些|那些|它们|他们|其中|情况|一共|总共|共"
)
_REFERENCE = re.compile(r"\b(?:them|those|these|it|that|same|ones)\b|它们|他们|这些|那些|其中|再", re.IGNORECASE)


def unplaced_words(question: Marked) -> Iterator[str]:
    """Words with a meaning of their own that were not understood."""
    seen: set[str] = set()
    for word in question.words():
        if word.isascii():
            plain = word.lower().strip("'-").removesuffix("'s")
            if plain in _EMPTY or len(plain) < 2 or plain in seen:
                continue
            seen.add(plain)
            yield word
        else:
            rest = _EMPTY_ZH.sub("", word)
            if len(rest) >= 2 and rest not in seen:
                seen.add(rest)
                yield rest


def is_only_reference(question: Marked) -> bool:
    """Whether the question points back at the one before it: "show me those"."""
    return _REFERENCE.search(question.text) is not None


_OF_TIME = re.compile(
    r"(?:19|20)\d\d|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|o'clock|am|pm|utc",
    re.IGNORECASE,
)


def times_left(words: Iterable[str]) -> tuple[str, ...]:
    """Words of a time that was not understood: a query over another time would answer another question."""
    return tuple(word for word in words if _OF_TIME.fullmatch(word))
