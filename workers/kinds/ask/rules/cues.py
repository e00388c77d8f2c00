"""Cues: phrases of a question that say what its user is after, in English and Chinese.

A cue never decides alone: `intents.py` weighs them against what the deployment has (sources, logs, documents) and what the
conversation holds.
"""

import re
from enum import StrEnum


class Cue(StrEnum):
    """What a phrase says."""

    AGREE = "agree"
    """Yes to what was offered."""
    RUN = "run"
    """Run a statement."""
    HOLD = "hold"
    """Do not run it."""
    SQL = "sql"
    """The statement itself is wanted."""
    FIX = "fix"
    EXPLAIN = "explain"
    TABLES = "tables"
    """Where data is, which tables or columns."""
    RESULT = "result"
    """The figures are wanted."""
    CHART = "chart"
    LOGS = "logs"
    WRITE = "write"
    """Data shall be changed."""
    HOW_TO = "how_to"
    """How something is done, or why it does not work."""
    ELSEWHERE = "elsewhere"
    """Weather, news, jokes: what no data platform answers."""
    FOLLOWS = "follows"
    """The words need the conversation to be understood."""


_IGNORE = re.IGNORECASE

_PATTERNS: dict[Cue, str] = {
    Cue.AGREE: (
        r"^\W*(?:(?:yes|yep|yeah|yup|ok(?:ay)?|sure|fine|right|correct|good|great|perfect|please|go ahead|go on|do it|do that|do so|proceed|continue|"
        r"sounds good|looks good|that(?:'s| is) (?:right|fine|good|it)|let'?s go|make it so)\b[\s,.!]*)+(?:please|then|now)?\W*$"
        r"|^\W*(?:好的?|行|可以|是的?|对的?|没问题|没错|继续|确认|同意|嗯+|就这样|麻烦了|请|吧|执行吧|跑吧|开始吧)+\W*$"
    ),
    Cue.RUN: (
        r"\b(?:run|execute|exec)\b(?:\s+(?:it|that|this|them|the (?:query|sql|statement)|now))?|\bgive me the (?:result|answer|figures?|numbers?)\b"
        r"|执行|运行|跑一下|跑一遍|跑吧|跑这条|跑出来|查出来"
    ),
    Cue.HOLD: (
        r"\b(?:do not|don'?t|without|no need to|not)\s+(?:run|execut)\w*|\bnot (?:run|execute) (?:it|yet)\b|\bonly the (?:sql|query|statement)\b|\bjust the (?:sql|query|statement)\b"
        r"|(?:不用|不要|别|无需|先不|先别|不必|不需要)(?:去|再)?(?:执行|运行|跑)|只要\s*(?:sql|语句|查询)"
    ),
    Cue.SQL: (
        r"\b(?:sql|query|queries|select statement|ddl|hql)\b|\b(?:write|generate|draft|give me|need|want|show me) (?:an? |the )?(?:sql|query|select|statement)\b"
        r"|sql|查询语句|语句|脚本怎么写|怎么写查询"
    ),
    Cue.FIX: (
        r"\b(?:fix|repair|correct|mend|debug)\b|\b(?:syntax error|doesn'?t (?:run|work|parse|compile)|does not (?:run|work|parse|compile)|won'?t run|what(?:'s| is) wrong with (?:this|my|the) (?:sql|query|statement))\b|\b(?:this|it|query|sql|statement) (?:fails|failed|errors?|breaks)\b"
        r"|修复|修正|改正|修一下|修改(?:一下)?这条|改对|跑不通|报错|语法错|哪里错|出错了"
    ),
    Cue.EXPLAIN: (
        r"\bexplain\b|\bwalk me through\b|\bwhat (?:does|do|is) (?:this|that|the|it|my) ?(?:sql|query|statement|select)?\s*(?:do|does|doing|comput\w+|calculat\w+|mean)\b|\bwhat does it (?:do|compute|calculate|mean)\b"
        r"|解释|讲解|讲一下这|说明一下这|是什么意思|在算什么|在做什么|什么含义"
    ),
    Cue.TABLES: (
        r"\b(?:which|what) (?:\w+ )?(?:tables?|columns?|fields?|datasets?|views?)\b|\bwhere (?:do|can|could|should|would|is|are) (?:we|i|you|they|the|our|this|that)?\b.*\b(?:keep|kept|store[ds]?|find|found|look|live|held|hold|recorded|data)\b"
        r"|\bin (?:which|what) (?:table|column|schema|database)\b|\btables? (?:for|about|with|that|hold|contain)|\b(?:find|list|show)(?: me)? (?:the |all )?(?:\w+ )?(?:tables|columns|datasets)\b"
        r"|\b(?:what|how) (?:do|should|can|would) (?:i|we) join\b|\bhow (?:are|is) .*\b(?:related|joined|linked|connected)\b|\bwhat (?:data|information) (?:do we have|is there)\b"
        r"|哪(?:个|张|些|几张|一张)\s*(?:表|字段|列|数据集|库)|(?:表|字段|列)(?:在哪|是哪|有哪些)|在哪(?:里|儿|个|张|些)?.*(?:表|字段|找|存|查到)|存(?:在|放在)哪|什么表|有没有.*表|怎么关联|如何关联|和哪张表|用哪个字段|关联字段|有哪些(?:数据|信息)"
    ),
    Cue.RESULT: (
        r"\bhow (?:many|much|often|long|old|high|big|large)\b|\b(?:number|count|sum|total|average|mean|median|maximum|minimum|max|min|share|percentage|proportion|ratio|rate|rank(?:ing)?) of\b|\b(?:most|least|highest|lowest|top|best|worst|largest|smallest|biggest|fewest|oldest|newest|latest|earliest)\b"
        r"|\b(?:per|by|for each|in each|of each)\b|\b(?:average|total|sum|count)\b|\b(?:compare|trend|breakdown|break (?:it|this|that|them) down|distribution)\b|\b(?:list|show|give|tell|find|get)\b|\bwho\b|\bwhich\b|\bwhat (?:is|are|was|were)\b"
        r"|多少|几(?:个|家|条|次|名|人|种|位)|平均|总(?:数|额|共|和|计)|合计|最(?:高|低|多|少|大|小|好|差|新|早|晚|近)|占比|比例|排名|排行|前\s*[\d一二三四五六七八九十]+|各(?:个|种|类|自)?|每(?:个|种|家|名|月|天|日|年|周|门|位|类|条)?|分布|趋势|对比|统计|列出|查询?一下|看一下|告诉我|哪(?:一)?(?:个|家|位|些|种|名|天|月|年)|是谁|有谁|结果"
    ),
    Cue.CHART: (
        r"\b(?:chart|plot|graph|diagram|histogram|visuali[sz]e|draw|bar|bars|line chart|pie)\b|画|柱状图|柱形图|条形图|折线图|曲线图?|饼图|散点图|图表|可视化|作图|出图"
    ),
    Cue.LOGS: (
        r"\blogs?\b|\blog lines?\b|\b(?:stack ?traces?|exceptions?|warnings?|error lines?|log messages?)\b|\b[45]xx\b|\bstatus (?:code )?[45]\d\d\b|\b(?:find|show|list|count|search)(?: me)?(?: all)? (?:the |all )?errors?\b|\blogql\b|\bgrep\b"
        r"|日志|报错(?:信息|记录)|异常(?:信息|堆栈|记录)|堆栈|告警行|[45]xx|返回\s*[45]\d\d|错误(?:行|信息|记录)"
    ),
    Cue.WRITE: (
        r"\b(?:delete|drop|truncate|erase|wipe|purge|remove)\b.*\b(?:rows?|records?|tables?|entries|data|columns?|customers?|orders?|users?|all|everything|from)\b|\b(?:insert|add) .*\b(?:rows?|records?|into|entry)\b|\bupdate\b.*\b(?:set|rows?|records?|to)\b|\bset .* to \S+|\b(?:create|alter) (?:an? |the )?(?:table|index|column|view|schema|database)\b|\bgrant\b.*\bto\b|\brename\b.*\b(?:table|column)\b"
        r"|(?:删除|删掉|删了|清空|清除|移除|去掉|干掉)(?:.*(?:记录|数据|表|行|客户|订单|用户|全部|所有))?|把.*(?:删|改成|改为|清空|更新|设为|设成|设置为)|(?:插入|新增|写入|添加).*(?:记录|数据|一行|一条)|更新.*(?:表|记录|字段|为)|(?:建|创建|新建)(?:一张|一个)?(?:表|索引|视图)"
    ),
    Cue.HOW_TO: (
        r"\bhow (?:do|can|could|should|would|to)\b(?! (?:we|i) join)|\bwhy (?:is|are|do|does|did|can'?t|won'?t|was|isn'?t|doesn'?t)\b|\bwhat(?:'s| is) wrong\b|\bwhat should i (?:check|do)\b|\bcan i\b|\bam i allowed\b|\bis it (?:possible|allowed)\b|\bpermission\b|\baccess\b|\bpolicy\b|\bretention\b|\bwho (?:owns|approves|can|do i)\b|\bwhere (?:do|can) i (?:ask|request|apply|report|see)\b|\bby default\b"
        r"|怎么(?!关联|写)|如何(?!关联)|怎样|为什么|为何|能不能|可不可以|可以吗|权限|申请|默认|保留|留多久|多久|哪里(?:申请|设置|看|改)|找谁|谁负责|规范|规定"
    ),
    Cue.ELSEWHERE: (
        r"\b(?:weather|forecast|joke|poem|song|recipe|movie|football|news|stock tip|horoscope|translate|capital of|president|lottery|dinner|flight|hotel|birthday|meaning of life)\b|\bwrite (?:me )?an? (?:poem|story|essay|e-?mail|letter|song)\b|\b(?:book|order|buy|reserve) (?:me )?(?:an? )?(?:flight|hotel|table|ticket|pizza|taxi)\b|\b(?:who are you|how are you|what'?s your name)\b"
        r"|天气|笑话|写(?:一)?首|写诗|新闻|翻译|唱歌|食谱|菜谱|电影|彩票|星座|订(?:机票|酒店|外卖|餐|票)|机票|讲个故事|你是谁|你叫什么"
    ),
    Cue.FOLLOWS: (
        r"^\W*(?:and|now|then|also|but|or|instead|same|only|just|again|what about|how about|ok(?:ay)?,?|no,?|yes,?|fine[.,]?|great[.,]?)\b|\b(?:it|its|them|those|these|that|this one|ones|the same|the latter|the former|previous|above|again|instead|break (?:it|this|that) down|drill down)\b"
        r"|^\W*(?:那(?:就|么)?|再|还有|然后|另外|只看|只要|换成|改成|按|其中|同样|接着|好[，,]|不[，,]|我说的|我指的)|它们?|这些|那些|上面|刚才|前面|上一(?:条|个|次)|其中"
    ),
}

_COMPILED = {cue: re.compile(pattern, _IGNORE) for cue, pattern in _PATTERNS.items()}

_FENCED = re.compile(r"```(?:sql)?\s*(?P<fenced>.+?)```|(?P<bare>\b(?:select|with)\b.+\bfrom\b.+)", _IGNORE | re.DOTALL)

_QUOTED = re.compile(r"\"[^\"]{1,80}\"|“[^”]{1,80}”|「[^」]{1,80}」|《[^》]{1,80}》")
"""Quoted words are values that the user looks for."""

_DIALECTS = {
    "presto": "presto", "trino": "trino", "hive": "hive", "spark": "spark", "mysql": "mysql", "mariadb": "mysql", "postgres": "postgres", "postgresql": "postgres",
    "sqlite": "sqlite", "duckdb": "duckdb", "clickhouse": "clickhouse", "bigquery": "bigquery", "snowflake": "snowflake", "redshift": "redshift", "oracle": "oracle",
    "tsql": "tsql", "t-sql": "tsql", "doris": "doris", "starrocks": "starrocks",
}  # fmt: skip
_DIALECT = re.compile(rf"(?<![\w.])(?P<name>{'|'.join(sorted(_DIALECTS, key=len, reverse=True))})(?:\s*sql)?(?![\w.])", _IGNORE)


def cues_in(words: str) -> frozenset[Cue]:
    """The cues of a message. Statements and quotations inside of it count as data, not as words."""
    spoken = _QUOTED.sub(" ", _FENCED.sub(" sql ", words))
    found = {cue for cue, pattern in _COMPILED.items() if pattern.search(spoken)}
    if Cue.HOLD in found:
        found.discard(Cue.RUN)
        found.discard(Cue.AGREE)
    return frozenset(found)


def statement_in(words: str) -> str | None:
    """A SQL statement that the user pasted into the message."""
    found = _FENCED.search(words)
    return (found["fenced"] or found["bare"]).strip() if found else None


def dialect_in(words: str) -> str | None:
    """The SQL dialect that the user names beside the word SQL or query, as sqlglot calls it."""
    found = _DIALECT.search(words)
    return _DIALECTS[found["name"].lower()] if found and Cue.SQL in cues_in(words) else None
