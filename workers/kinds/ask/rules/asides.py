"""Messages that ask for no data: thanks and goodbyes, and why a result is as it is."""

import re

# ruff: noqa: E501 patterns

_IGNORE = re.IGNORECASE

_THANKS = re.compile(
    r"\b(?:thanks?|thank you|thx|ty|cheers|much appreciated|bye|goodbye|good night|see you|that(?:'s| is| will be|'ll be) (?:all|it|everything))\b"
    r"|谢谢|多谢|感谢|谢啦|谢了|辛苦了?|再见|拜拜|就这些|就到这|没有?别的了|没有?了$",
    _IGNORE,
)
_AROUND = re.compile(
    r"\b(?:ok(?:ay)?|great|good|perfect|nice|cool|fine|wonderful|awesome|excellent|helpful|very|so|much|many|a lot|lots|for|your|the|help|it|this|that"
    r"|now|all|was|is|were|i|you|we|me|need(?:ed)?|just|what|wanted|job|work|and|everything|quick|answer|then|today|no|more|questions?)\b"
    r"|好的?|行|可以|太|很|非常|不错|棒|有用|帮助|你|您|的|了|啦|吧|呀|哦|嗯|今天|先|就|这样|十分|挺|明白|知道|清楚|没问题|对|是",
    _IGNORE,
)
_LEFT = re.compile(r"[^\W_]|[\u3400-\u9fff]")

_WHY = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|so|and|but|then|hm+|interesting|strange|odd)\b\W*)*(?:(?:do you know|can you (?:tell|say|explain)|tell me|explain)\s+)?"
    r"(?:why\b|how come\b|what(?:'s| is| are| was| were)? (?:the )?(?:reasons?|causes?|behind|caus(?:ed|es|ing)|explains?|explained|drove|drives|driving)\b)"
    r"|为什么|为何|为啥|怎么会|怎么(?:突然|这么|那么|下降|上升|变)|什么原因"
    r"|(?:^\W*|(?:下降|下滑|下跌|上升|上涨|减少|增加|增长|降低|变化|波动|异常|这样|如此)的?)原因是(?:什么|啥)|是什么(?:导致|造成|引起)|怎么回事",
    _IGNORE,
)


def only_thanks(words: str) -> bool:
    """Thanks or a goodbye, and nothing that asks for anything."""
    if not _THANKS.search(words):
        return False
    return not _LEFT.search(_AROUND.sub(" ", _THANKS.sub(" ", words)))


def asks_why(words: str) -> bool:
    """Whether the reason of something is asked for: data show what changed and where, and not why."""
    return bool(_WHY.search(words))
