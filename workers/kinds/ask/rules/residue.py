"""Is anything said beside a cue? "Ok, run it please" only agrees; "as a bar chart" only draws; "bar chart of orders" asks something new.

The words that carry a cue are taken away in turn; what is left, if it has a content word, is a question of its own.
"""

import re

_IGNORE = re.IGNORECASE

_POLITE = re.compile(
    r"\b(?:yes|yep|yeah|yup|ok(?:ay)?|alright|all right|sure|fine|right|correct|good|great|perfect|nice|cool|please"
    r"|thanks?|thank you|now|then|so|"
    r"go ahead|go on|go|do it|do that|proceed|continue|sounds good|looks good|let'?s|let us|can|could|would|will"
    r"|you|we|i|me|us|want|need|like|"
    r"to|the|a|an|it|its|this|that|them|these|those|one|for|of|just|and|be|is|'s|have|see|give|show|get|tell|return"
    r"|let|make|do|confirm(?:ed)?|"
    r"again|too|what|find|found|as well|right away|directly|query|sql|statement|select|first|same|in|on|as|with|into|out|approved?)\b"
    r"|ok|那|好的?|行|可以|是的?|对的?|没问题|没错|继续|确认|同意|嗯+|就这样|麻烦|请|吧|了|一下|一遍|这条|这个|那条|它|那就|就|给我|给|看看|看一下|看|我|要|想|"
    r"帮我|帮忙|能|不能|吗|呢|把|出来|直接|现在|语句|查询|再|sql|一|上面|刚才|同样|的",
    _IGNORE,
)
_RUNNING = re.compile(
    r"\b(?:run|execut\w*|exec|start|results?|answers?|figures?|numbers?|output|rows|data)\b|执行|运行|跑|查出|查|结果|答案|数据|开始|出数",
    _IGNORE,
)
_DRAWING = re.compile(
    r"\b(?:bars?|lines?|pie|scatter|column|horizontal|stacked|charts?|plots?|plotted|graphs?|diagrams?|histograms?|pictures?|drawn?|draw|"
    r"visuali[sz]e[ds]?|visuali[sz]ation|show|turn|results?|best|worst|highest|lowest|largest|smallest|most|least"
    r"|descending|ascending|order(?:ed)?|sort(?:ed)?|first|by (?:it|that|this|value|figure|number|result|the \w+))\b"
    r"|柱状|柱形|条形|折线|曲线|饼|散点|图表|图形|图|画|绘制|可视化|作|做|成|张|用|以|换|改|一下|一|展示|显示|表示|呈现|结果|从高到低|从低到高|从大到小|从小到大|从多到少|从少到多|降序|升序|排序|排列|为",
    _IGNORE,
)
_DECLINING = re.compile(
    r"\b(?:no|nope|not|don'?t|do not|never ?mind|cancel|stop|forget|wait|later|yet|hold on|hold|nothing)\b|不用|不要|别|不|算了|取消|等等|先|停",  # noqa: E501 a pattern
    _IGNORE,
)
_OTHER = re.compile(r"\b(?:other|another|different|wrong)\b|另外?的?一[个种条张]|另外的|换一[个种]|不对|错", _IGNORE)
_LEFT = re.compile(r"[^\W_]{2,}|[\u3400-\u9fff]")


def only_runs(words: str) -> bool:
    """Nothing but "run it", in any wording."""
    return bool(_RUNNING.search(words)) and not _left(words, _RUNNING)


def only_draws(words: str) -> bool:
    """Nothing but "draw it", with the kind and the order of the picture."""
    return not _left(words, _DRAWING)


def only_declines(words: str) -> bool:
    """Nothing but "no" or "do not run it"."""
    return bool(_DECLINING.search(words)) and not _left(words, _DECLINING, _RUNNING)


def only_wants_another(words: str) -> bool:
    """Nothing but "no, the other one": which one, the words do not say."""
    return bool(_OTHER.search(words)) and not _left(words, _OTHER, _DECLINING)


def _left(words: str, *patterns: re.Pattern[str]) -> bool:
    text = words
    for pattern in (*patterns, _POLITE):
        text = pattern.sub(" ", text)
    return bool(_LEFT.search(text))
