"""Messages that ask for no data: greetings, thanks and goodbyes, what can be asked here, and why a result is as it is."""

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
_GREETING = re.compile(
    r"^\W*(?:(?:hello|hi|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day))\b\W*"
    r"(?:(?:how are you|nice to meet you|there|everyone|all|team|again|bullpen)\b\W*)*)+$|^\W*(?:(?:你好|您好|大家好|哈[喽啰罗]|嗨|嘿|早上好|上午好|中午好|下午好|晚上好|早安?|在吗|在么|在不在|有人吗|啊|呀|哦)\W*)+$",
    _IGNORE,
)
_ABILITY = re.compile(
    r"^\W*(?:(?:hello|hi|hey)\b\W*)?(?:so\W+|and\W+|please\W+)?(?:help(?: me)?|what (?:can|could|do|will) you (?:do|help(?: me)?(?: with)?|answer|offer|know)(?: for me| here)?"
    r"|how (?:can|could|do) you help(?: me)?|what (?:can|could|may|should|do) (?:i|we) (?:ask|do|say|try)(?: you| here| about)*"
    r"|what (?:(?:kinds?|sorts?|types?) of )?(?:questions?|things) (?:can|may|could) (?:i|we) ask(?: you| here)*|what (?:is|are) (?:this|you)(?: for| good for)?"
    r"|how (?:does this work|do (?:i|you) (?:use this|work|start|begin)|does it work)|where do i start|get(?:ting)? started)\W*$"
    r"|^\W*(?:(?:你好|您好|嗨)\W*)?(?:请问)?(?:你|您|这里|这个|我)?(?:都|还)?(?:能|可以|会|能够)(?:帮我|帮忙|为我|向你|在这里|问你)?(?:做|干|问|查|回答|提供|帮)?(?:点|些)?(?:什么|啥|哪些|哪些问题|什么问题|哪些事|什么事)(?:呢|啊|呀|忙)?\W*$"
    r"|^\W*(?:你有(?:什么|哪些)功能|有(?:什么|哪些)功能|(?:这个)?(?:怎么|如何)(?:使用|用|开始)(?:你|它|这个)?|帮助|帮帮我|使用说明|从哪(?:里|儿)开始)(?:呢|啊|呀)?\W*$",
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


_MEANING = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|so|and|but|wait|sorry)\b\W*)*(?:what (?:do|did) you (?:mean|understand) by|what is meant by|what counts as|what does|what do)"
    r"\s+(?:the |an? )?(?P<what>[\w' -]{2,40}?)(?:\s+(?:mean|stand for|refer to))?\W*$"
    r"|^\W*(?:你(?:说|讲)的)?[「“\"]?(?P<what_zh>[\w\u3400-\u9fff]{2,12}?)[」”\"]?(?:是什么意思|什么意思|指(?:的是)?什么|是指什么|代表什么|是怎么算的|怎么算的?)\W*$"
    r"|^\W*什么(?:叫|是)[「“\"]?(?P<what_zh2>[\w\u3400-\u9fff]{2,12}?)[」”\"]?\W*$",
    _IGNORE,
)
_SAYS_MEANING = re.compile(r"\b(?:mean|meant|understand|counts as|stand for|refer)\b|意思|指|代表|怎么算|什么叫|什么是", _IGNORE)


def asked_meaning(words: str) -> str:
    """What the user wants to have explained: `revenue` of "what do you mean by revenue?". Empty: nothing."""
    found = _MEANING.match(words) if _SAYS_MEANING.search(words) else None
    return (found["what"] or found["what_zh"] or found["what_zh2"]).strip() if found else ""


def only_thanks(words: str) -> bool:
    """Thanks or a goodbye, and nothing that asks for anything."""
    if not _THANKS.search(words):
        return False
    return not _LEFT.search(_AROUND.sub(" ", _THANKS.sub(" ", words)))


def only_greets(words: str) -> bool:
    """A greeting, or the question what can be asked here, and nothing else."""
    return bool(_GREETING.search(words) or _ABILITY.search(words))


def asks_why(words: str) -> bool:
    """Whether the reason of something is asked for: data show what changed and where, and not why."""
    return bool(_WHY.search(words))
