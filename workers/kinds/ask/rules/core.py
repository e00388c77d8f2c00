"""The question about the data inside of a message: without "write the SQL for", "as a bar chart", "do not run it"."""

import re

_IGNORE = re.IGNORECASE

_ENGINES = r"(?:(?:presto|trino|hive|spark|mysql|postgres(?:ql)?|sqlite|duckdb|clickhouse|bigquery|snowflake|standard|ansi)\s*)?"
_STATEMENT = rf"(?:an? |the |some |one )?{_ENGINES}(?:sql|query|select|statement)(?: query| statement)?"
_PICTURE = r"(?:an? |the )?(?:(?:bar|line|pie|scatter|column|horizontal|stacked) ?)*(?:chart|plot|graph|diagram|histogram)s?"

_BEFORE = re.compile(
    rf"""^\W*(?:(?:ok(?:ay)?|fine|great|good|well|thanks|hi|hello|hey|then|now|so|please|and)\b[\s,.!]*)*
    (?:(?:can|could|would|will)\ you\ (?:please\ )?|i(?:'d|\ would)\ like\ (?:to\ (?:have|see|know)\ )?|i\ (?:want|need)\ (?:to\ (?:have|see|know)\ )?|let\ me\ (?:have|see)\ )?
    (?:(?:please\ )?(?:write|generate|draft|give|show|get|make|build|create|produce|draw|plot|chart|prepare)\ (?:me\ |us\ )?)?
    (?:{_STATEMENT.replace(" ", chr(92) + " ")}|{_PICTURE.replace(" ", chr(92) + " ")})
    (?:\ (?:for|to\ (?:get|find|show|list|compute|calculate|count)|that\ (?:shows?|gives?|returns?|lists?|computes?|finds?|counts?)|showing|returning|of|with|which\ (?:shows?|gives?|returns?))\b|\s*[:：])\s*""",
    _IGNORE | re.VERBOSE,
)
"""An order for a statement or a picture, before what is in it."""

_AROUND = tuple(
    re.compile(pattern, _IGNORE)
    for pattern in (
        r"[\s,.;，。；]*(?:and |but )?(?:please )?(?:do not|don'?t|no need to|without) (?:run|execut)\w*(?: (?:it|this|them|that))?(?: yet| for now)?",
        r"[\s,.;，。；]*(?:and |then )?(?:please )?(?:run|execute) (?:it|this|that)(?: (?:too|as well|now|right away|directly))?\s*[.!]?$",
        r"[\s,.;，。；]*(?:and |then )?(?:just |directly )?(?:give|tell|show) me (?:just )?the (?:results?|answer|figures?|numbers?)(?: directly)?\s*[.!]?$",
        rf"[\s,.;，。；]*(?:and |then )?(?:show|draw|plot|give|make|present)?(?: (?:it|them|this|that|me))? ?\b(?:as|in|with|on) {_PICTURE}",
        rf"[\s,.;，。；]*\b(?:as|in) {_ENGINES}sql\b",
        r"[\s,.;，。；]*(?:(?:highest|lowest|best|worst|largest|smallest|most|least) first)\s*[.!]?$",
        r"[\s,.]*\bplease\b",
        r"^\W*(?:(?:ok(?:ay)?|fine|great|good|well|thanks|hi|hello|hey)\b[\s,.!]+)+(?:then |now |so )?",
        r"[，。；,.;\s]*(?:请)?(?:不用|不要|别|无需|先不|先不要|先别|不必|不需要)(?:去|再)?(?:执行|运行|跑)(?:它|了)?",
        r"[，。；,.;\s]*(?:请)?(?:直接|就)?(?:把结果)?(?:告诉我|给我|返回)(?:结果|答案|数字)(?:就行|即可|就好)?",
        r"[，。；,.;\s]*(?:并|然后|再)?(?:直接)?(?:执行|运行|跑)(?:一下|出来|一遍)?(?=[，。；,.;\s]*$)",
        r"^(?:好的?|嗯|行)[，,。\s]+(?:那么?|请)?",
        rf"^(?:请|麻烦|帮我|帮忙|给我|我要|我想要|写|生成|出|来|编写|提供)*(?:一条|一个|一段|个|条)?\s*{_ENGINES}(?:sql|查询语句|查询|语句)(?:语句|查询)?\s*[：:，,]\s*",
        r"^(?:请|麻烦|帮我|给我)*(?:画|做|出|绘制)(?:一张|一个|个|张)?(?:柱状|柱形|条形|折线|曲线|饼|散点)?图?表?\s*[：:，,]\s*",
        r"[，。；,.;\s]*(?:并|然后|再)?(?:用|以|按)?(?:画|绘制|画成|做成|展示成)?(?:一张|一个|成)?(?:柱状|柱形|条形|折线|曲线|饼|散点)图(?:展示|显示|表示|画出来)?(?=[，。；,.;\s]*$)",
    )
)


def core_of(words: str) -> str:
    """The words without those that say what is to be done with the answer; the words themselves when nothing else is left."""
    text = _BEFORE.sub("", words.strip(), count=1)
    for pattern in _AROUND:
        text = pattern.sub("", text)
    text = text.strip(" ,，。.;；:：")
    return text if len(text) > 1 else words
