"""What may be asked: something that a person can see or not see. A heading, a version, a step of a runbook or a fragment is none.

Prose that was cut into sentences holds all of these beside its phenomena; they still count in what a ticket looks like.
"""

import re

from workers.kinds.diagnose.rules.differential.runbook_rules import looked_for
from workers.kinds.diagnose.rules.families import Family
from workers.kinds.diagnose.rules.products import is_product
from workers.tickets.gauges import is_all_well

_LEAST_LATIN = 8
_LEAST_CHINESE = 4
_MOST = 600
"""Longer texts are whole logs: nobody compares one with theirs."""
_HEADING = re.compile(
    r"[:：]\s*$|^#+\s|^(?:问题)?(?:现象|描述|原因|背景|环境|结论|步骤|说明|分析|处理|解决)[^，。,.]{0,8}$"
    r"|^(?:对于|针对|关于)[^，。,.]{0,14}(?:现象|问题|情况)\s*\d*[^，。,.]{0,3}$"
    r"|^(?:symptoms?|background|environment|summary|steps?|analysis|impact|resolution|workaround|what we see)\b[^.,]{0,12}$",
    re.IGNORECASE,
)
_VERSION = re.compile(
    r"^(?:(?:the )?(?:version|release|build)\b|版本|补丁|操作系统|os\b)[^，。,.]{0,60}$"
    r"|^[\w \-]{0,30}\bv?\d+\.\d+(?:\.\d+)+\s*$|版本(?:号)?[:：为是]",
    re.IGNORECASE,
)
_STEP = re.compile(
    r"^(?:\d+[.、)]\s*)?(?:首先|然后|接着|最后|再|请|需要|需|可以|可)?"
    r"(?:查看|检查|执行|运行|登录|进入|修改|重启|确认|使用|通过|利用|打开|输入|设置|配置|新建|创建|初始化"
    r"|收集|搜索|观察|寻找|联系|参考|参见|按照|根据)"
    r"|^(?:\d+[.)]\s*)?(?:first,? |then,? |next,? |please )?"
    r"(?:check|run|execute|log ?in|open|modify|restart|set|use|verify|see|contact|refer|look|go to|collect|find|enter|create|make sure"
    r"|follow|call|ask|change|increase|add|install)\b",
    re.IGNORECASE,
)
_OUTCOME = re.compile(
    r"失败|报错|异常|错误|出现|发现|显示|提示|无法|不能|没有|超时|卡|慢|满|为空|不足|不一致|不存在|处于|状态为|丢失|被"
    r"|error|fail|exception|time ?out|shows?\b|hang|stuck|slow|full|missing|denied|refused|cannot|can't|does not|returns?|is |are |was ",
    re.IGNORECASE,
)
_FRAGMENT = re.compile(
    r"^(?:as (?:follows|shown)|如下|如图|例如|for example|e\.g\.|note|注意|说明)|(?:如下|as follows|如下图所示)[:：。.]?$|\[图\]",
    re.IGNORECASE,
)
_COMMAND = re.compile(
    r"^(?:[$#>]\s|(?:select|show|alter|create|drop|set|explain|kubectl|curl|grep|cat|vi|cd|sudo|gs_\w+|cm_ctl)\s)", re.IGNORECASE
)
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_WORD = re.compile(r"[^\W\d_\u4e00-\u9fff]{2,}|[\u4e00-\u9fff]")
"""A Chinese character is a word."""
_MEASURED = re.compile(
    r"(?<![\w.>≥<≤=~±:/#-])(?<!above )(?<!over )(?<!below )(?<!under )(?<!than )(?<!error )(?<!code )"
    r"(?<!超过)(?<!大于)(?<!高于)(?<!低于)(?<!小于)(?<!多于)(?<!少于)(?<!不到)"
    r"(?:max\.?\s+|about\s+|约|近)?(\d[\d,]*(?:\.\d+)?)\s?"
    r"(%|ms\b|s\b|sec(?:onds?)?\b|min(?:utes?)?\b|h\b|hours?\b|days?\b|[kmgt]i?b\b|[KMGT]\b|million\b|毫秒|秒|分钟|小时|天|万|亿|次|个|条)",
)
"""A figure with a unit that is no threshold: what was measured in another incident."""
_LIMIT = re.compile(r"(?:超过|大于|高于|低于|小于|多于|少于|不到)\s$")
_LIMITED = re.compile(r"%|ms|s|sec(?:onds?)?|min(?:utes?)?|h|hours?|毫秒|秒|分钟|小时")
"""Shares and times are limits behind such a word and a blank; a count ("超过 4 亿个") is mostly what was counted then."""


_WHEN = re.compile(
    r"^(?:since|from|after) (?:last |this |the )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|week(?:end)?|night|month|yesterday|today|"
    r"noon|midnight|morning)(?: night| morning| evening)?\b(?! (?:of|on|the)\b),?\s+"
    r"|^(?:从|自)?(?:昨天|昨晚|昨夜|今早|今天|前天|上周[一二三四五六日末]?|周[一二三四五六日末]|上个?月)(?:早上|晚上|凌晨|开始|起|以来)?[，,]?\s*",
    re.IGNORECASE,
)
_SEEN_FROM = re.compile(
    r"(?:可以?)?(?:发现|看到|观察到|出现|显示|观测到|查到)(?:了)?|报错|提示|(?:you (?:can )?)?(?:see|find|shows?|reports?|displays?)\b",
    re.IGNORECASE,
)
_NOT_SEEN = re.compile(r"(?:如果|若)?(?:并未|尚未|未|没有|没|不|无)\s*$|\b(?:if )?(?:not|never|don'?t|do not|cannot)\s*$", re.IGNORECASE)
"""What turns the finding round: "if 'exit(0)' does not appear" is not "appears"."""
_CLAUSE = re.compile(r"[，,。；;]\s*|(?<=\.)\s+")

_PARTICULAR = re.compile(
    r"\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[0-2]?\d:[0-5]\d\b|/dev/\w+|\b(?!(?-i:[A-Z]{2,5}-\d{4,}\b))[A-Za-z]{2,}(?:-[A-Za-z0-9]+)*-\d+\b"
    r"|\b(?:partition|shard|broker|node|host|worker|spid|pid|id|thread|session|blocker|osd)[ .#=:]{0,2}\d+\b"
    r"|(?:分区|分片|会话|线程|节点|客户|用户)\s?[A-Za-z]{0,3}\d+",
    re.IGNORECASE,
)
"""Addresses, times of day, devices, numbered hosts and numbered things; an error code (`ORA-01555`) is none."""
_NUMBERED = re.compile(
    r"(?P<before>[A-Za-z_]+|[\u4e00-\u9fff]{1,3})(?P<between>[ :=]{0,2}|[：])(?P<number>\d{3,})(?![\w.%:/-]|,\d)"
    r"|(?P<place>\d{4}-\d{2}-\d{2}|\d{1,3}(?:\.\d{1,3}){3}|(?<![\d:])[0-2]?\d:[0-5]\d(?![\d:])|(?<!\w)/dev/\w+)"
)
"""A number that says which one it was, or how many there were, and where and when it was."""
_PUBLIC = re.compile(
    r"(?:.*code|error|errno|err|status|state|sqlstate|http|https|port|signal|version|release|level|rfc|above|over|below|under|than|exceeds?|"
    r"exceeded|windows|server|least|most|.*(?:码|错|误|端口|状态|信号|版本|过|于|到))",
    re.IGNORECASE,
)
"""Words before a number that means the same everywhere, or is a limit."""


def is_askable(family: Family) -> bool:
    """Whether any wording of it can be asked."""
    return any(observed(card.description) for card in family.cards)


def observed(text: str) -> str:
    """What a person can say yes or no to: the text, without the step that leads to it and with the figures of its own incident as
    examples; empty if it holds nothing of the kind."""
    written = text.strip().strip("*-• ")
    plain = looked_for(written)
    if plain == written and _STEP.search(plain):
        plain = _after_step(plain)
    least = _LEAST_CHINESE if _CHINESE.search(plain) else _LEAST_LATIN
    if not least <= len(plain) <= _MOST or len(_WORD.findall(plain)) < 2:
        return ""
    if is_all_well(plain) or _HEADING.search(plain) or _VERSION.search(plain) or _FRAGMENT.search(plain) or _COMMAND.search(plain):
        return ""
    return _generalised(without_figures(_without_time(plain, least)))


def _generalised(text: str) -> str:
    """The text with the numbers, addresses and dates of its own incident as examples: nobody else has "appl handle 4711"."""
    example = "（如 {}）" if _CHINESE.search(text) else "(e.g. {})"

    def shown(found: re.Match[str]) -> str:
        if found["place"]:
            return example.format(found["place"])
        if _PUBLIC.fullmatch(found["before"]) or is_product(found["before"]):
            return found[0]
        gap = found["between"].strip() + ("" if example.startswith("（") else " ")
        return f"{found['before']}{gap}{example.format(found['number'])}"

    return _NUMBERED.sub(shown, text)


def has_particulars(text: str) -> bool:
    """Whether a text names a machine, a time of day or a number of its own incident, which another incident cannot have."""
    return _PARTICULAR.search(text) is not None


def _without_time(text: str, least: int) -> str:
    """The text without when it began in its own incident ("since last Monday"), if something is left to be asked."""
    left = _WHEN.sub("", text)
    if left == text or len(left) < least:
        return text
    return left[:1].upper() + left[1:] if text[:1].isupper() else left


def _after_step(text: str) -> str:
    """What the step finds: from the first clause that says so; empty where none does."""
    starts = [0, *(found.end() for found in _CLAUSE.finditer(text))]
    for start in starts:
        clause = text[start:]
        seen = _SEEN_FROM.search(clause, 0, 60)
        if seen and (start or seen.start()):
            denial = _NOT_SEEN.search(clause[: seen.start()])
            found = clause if start and not _STEP.search(clause) else clause[denial.start() if denial else seen.start() :]
            return found if _OUTCOME.search(found) and not _STEP.search(found) else ""
    return ""


def without_figures(text: str) -> str:
    """The text with the figures of its own incident as examples: "lag max 4.9 h" asks for a lag, not for five hours."""
    return _MEASURED.sub(_as_example, text)


def _as_example(found: re.Match[str]) -> str:
    if _LIMIT.search(found.string, 0, found.start()) and _LIMITED.fullmatch(found[2]):
        return found[0]
    return f"(约 {found[1]} {found[2]})" if found[2][0] > "\u4e00" else f"(~{found[1]} {found[2]})"
