"""What is wanted of the lines: themselves or a number, which number, for which groups, and how many groups."""

import re
from dataclasses import dataclass, field

from workers.engines.logql.asking.marked import Marked

_COUNT = re.compile(
    r"\bhow many(?: (?:times|instances|occurrences|of (?:them|those|these)))?\b|\bnumbers? of\b|\bcounts?\b|\bhow often\b|\bfrequency\b|\bfrequent(?:ly)?\b"
    r"|\bcount(?:ed|ing)\b|\bdistribution\b|\btrend\b|\bpercent(?:age)?\b|\b(?:ratio|share|proportion) of\b|\bmost common\b"
    r"|多少(?:次|条|个)?|几次|几条|次数|数量|个数|总数|统计|计数|频率|分布|趋势|占比|比例|百分比|汇总",
    re.IGNORECASE,
)
_FUNCTIONS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("avg_over_time", r"\b(?:average|mean|avg)\b|平均"),
        ("max_over_time", r"\b(?:maximum|max|longest|slowest|largest|biggest)\b|最大|最长|最慢"),
        ("min_over_time", r"\b(?:minimum|min|shortest|fastest|smallest)\b|最小|最短|最快"),
        ("sum_over_time", r"\b(?:total|sum of(?: the)?|overall)\s+(?=(?:\w+\s+)?(?:size|bytes|amount|duration|time|volume)\b)|(?:总|合计)(?=大小|字节|金额|时长|耗时)"),
        ("quantile_over_time", r"\b(?:p(?P<p>50|75|90|95|99)|(?P<q>50|75|90|95|99)(?:th)?[ -]percentile|(?P<m>median))\b|(?P<z>50|75|90|95|99)\s*分位|(?P<zm>中位数)"),
        ("rate", r"\b(?:rate|per second)\b|每秒|速率|qps"),
        ("bytes_over_time", r"\b(?:log volume|volume of logs|bytes of logs?)\b|日志量|日志大小"),
    )
)  # fmt: skip
_NUMBER_NOUN = re.compile(
    r"\b(?:response times?|latency|latencies|durations?|time(?: taken| it takes| spent| needed)?|sizes?|bytes|usage|took|length|delay|value|amount)\b"
    r"|响应时间|耗时|延迟|时长|大小|字节|用时|金额|长度",
    re.IGNORECASE,
)
_COUNTED_MEAN = re.compile(r"\b(?:average|mean) (?:number|count)s?\b|平均(?:次数|数量|多少)", re.IGNORECASE)
_UNIQUE = re.compile(
    r"(?P<n>\b(?:how many|number of|count of)\s+(?:the\s+)?)?\b(?:unique|distinct|different)\b|(?P<z>多少个?|几个)?(?:不同|去重|独立)的?",
    re.IGNORECASE,
)
_TOP = re.compile(
    r"\b(?:top|first)\s+(?P<n>\d{1,3})\b|最多的\s*(?P<m>\d{1,3}|[一二三四五六七八九十])\s*(?:台|个|名|条|种)|前\s*(?P<z>\d{1,3}|[一二三四五六七八九十])\s*(?:个|名|位|大|的)?",
    re.IGNORECASE,
)
_BOTTOM = re.compile(r"\b(?:bottom|least|fewest|lowest)(?:\s+(?P<n>\d{1,3}))?\b|最少的?", re.IGNORECASE)
_MOST = re.compile(
    r"\b(?:had|has|have|with|produced?|caused?|saw|log(?:s|ged)?|got)?\s*(?:the\s+)?(?:most(?!\s+recent)|highest|greatest|largest number)(?:\s+(?:number|count|rate)(?:\s+of)?)?\b|最多的?|最高的?|最常见的?",
    re.IGNORECASE,
)
_ABOVE = re.compile(
    r"\b(?:more than|over|exceed(?:s|ed|ing)?|at least|greater than)\s+(?P<n>\d+)\s*(?:times|attempts|different|lines|errors|failures|occurrences)?\b|超过\s*(?P<z>\d+)\s*(?:次|条)",
    re.IGNORECASE,
)
_SORTED = re.compile(r"\b(?:sorted|ordered|ranked)\s+by\s+(?:frequency|count|number)\b|按(?:次数|频率|数量)排[序名列]?", re.IGNORECASE)
_LINES = re.compile(
    r"^\W*(?:please\s+)?(?:show|list|find|get|give|display|fetch|print|search|look)\b|\b(?:logs?|lines?|entries|messages?) (?:of|from|for|with)\b"
    r"|显示|列出|查看|查找|找出|看看|给我|查一下|日志",
    re.IGNORECASE,
)
_THING = r"(?P<{0}>[A-Za-z][A-Za-z_]*(?:[ -][A-Za-z]+)?)"
_GROUPS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:grouped|group|broken down|split|sorted|listed|counted|aggregated|summed)\s+by\s+(?:each\s+|the\s+)?" + _THING.format("g"),
        r"\b(?:per|for each|for every|from each|by each|of each|on each|in each|each|every)\s+(?:unique\s+|distinct\s+)?" + _THING.format("g"),
        r"\bdistribution of\s+(?:the\s+)?" + r"(?P<g>[A-Za-z][A-Za-z_]*(?:[ -][A-Za-z]+){0,2})",
        r"(?<![\w])by\s+(?:the\s+)?(?P<g>host\w*|node\w*|server\w*|machine\w*|instance\w*|app\w*|service\w*|user\w*|path\w*|endpoint\w*|url\w*|status(?:[ _]codes?)?|level\w*"
        r"|severity|method\w*|region\w*|component\w*|pod\w*|container\w*|namespace\w*|cluster\w*|ip(?:[ _]addresse?s?)?|source[ _]ip|reason\w*|type\w*|environment\w*|env)\b",
        r"(?:按照?|根据)\s*(?P<g>[\u4e00-\u9fffA-Za-z_]{1,12}?)(?:来|进行)?(?:统计|分组|汇总|计数|分类|划分|聚合|的?分布|计算|看|，|,|$)",
        r"(?:每个|每台|各个?)\s*(?P<g>[\u4e00-\u9fff]{2,6}?|[A-Za-z_]+)(?=的|有|上|分别|出现|各|返回|\s|，|,|$)",
    )
)  # fmt: skip
_WHICH = re.compile(
    r"\b(?:which|what)\s+(?!(?:is|are|was|were|do|does|did|has|have|will|percentage|the)\b)(?P<g>[A-Za-z][A-Za-z_]*(?:\s+(?:IP|address|code|name|type|node|id)(?:e?s)?)?)\b|(?:哪个|哪些|哪台|哪几个|哪一个)(?P<z>[\u4e00-\u9fff]{2,4}?|[A-Za-z_]+)(?=的|出现|报|返回|产生|有|\s|最)",
    re.IGNORECASE,
)
_TOP_OF = re.compile(
    r"^\W*(?:most\s+)?(?:frequently\s+|frequent\s+|common\s+|active\s+|attempted\s+|often\s+)*(?P<g>(?!(?:the|of|with|in|for|by)\b)[A-Za-z][A-Za-z_]*(?:\s+[A-Za-z]+)?)",
    re.IGNORECASE,
)
_UNIQUE_OF = re.compile(
    r"^\s*(?P<g>[A-Za-z][A-Za-z_]*(?:\s+(?:IP|addresses|address|messages?|codes?|names?|types?)\b)?)|^(?P<z>[\u4e00-\u9fff]{2,4}?)(?=数|有|的|$)",
    re.IGNORECASE,
)
_ZH_TOP_OF = re.compile(r"^\s*(?P<g>[\u4e00-\u9fff]{2,4}|[A-Za-z_]+)")
_DIGITS = {character: number for number, character in enumerate("零一二三四五六七八九十")}


@dataclass(slots=True)
class Shape:
    """What is wanted."""

    is_metric: bool = False
    says_lines: bool = False
    """The question asks for lines explicitly."""
    function: str | None = None
    quantile: float | None = None
    number_of: str | None = None
    """The words for the number that is averaged, summed or compared."""
    groups: list[str] = field(default_factory=list[str])
    """The words for what the lines are grouped by."""
    shown: list[str] = field(default_factory=list[str])
    """The words for what is to be shown of each line."""
    top: int | None = None
    is_bottom: bool = False
    counts_groups: bool = False
    above: float | None = None


def read_shape(question: Marked, *, about_single: bool) -> Shape:
    """What is wanted. `about_single`: the question names a thing by its id, whose lines are few."""
    shape = Shape(says_lines=question.has(_LINES))
    _read_function(question, shape, about_single=about_single)
    counted = _counts(question, shape)
    if found := question.take(_ABOVE):
        shape.above = float(found["n"] or found["z"])
    is_sorted = bool(question.take_all(_SORTED))
    _read_groups(question, shape)
    _read_shown(question, shape, grouped=is_sorted or shape.above is not None)
    question.take_all(_COUNT)
    asks_number = counted or shape.function is not None or shape.top is not None or bool(shape.groups) or shape.counts_groups
    shape.is_metric = (asks_number or shape.above is not None) and not (about_single and not counted and not shape.groups)
    question.take_all(_LINES)
    return shape


def _counts(question: Marked, shape: Shape) -> bool:
    """Whether a count is asked for. What stands behind "where" only describes the lines that are to be shown."""
    text = question.open
    if shape.says_lines and (where := re.search(r"\bwhere\b", text, re.IGNORECASE)):
        text = text[: where.start()]
    return _COUNT.search(text) is not None


_INCLUDING = re.compile(
    r"\b(?:including|along with|together with)\s+(?:the\s+)?(?P<g>[A-Za-z]+(?:\s+[A-Za-z]+){0,2}(?:\s+and\s+(?:the\s+)?[A-Za-z]+(?:\s+[A-Za-z]+)?)?)",
    re.IGNORECASE,
)
_ENTITY = re.compile(
    r"\b(?:the|all|all the|any|unique)\s+(?:\w+\s+){0,2}?(?P<g>(?:source\s+|client\s+)?ip addresses|(?:source\s+|client\s+)?ips|user ?names|users)\b",
    re.IGNORECASE,
)


def _read_shown(question: Marked, shape: Shape, *, grouped: bool) -> None:
    """What is to be shown of each line, or counted by: "including the source IP", "all the usernames"."""
    for pattern in (_INCLUDING, _ENTITY):
        found = question.take(pattern)
        if found is None:
            continue
        if grouped and not shape.groups:
            shape.groups.append(found["g"])
        elif not shape.groups:
            shape.shown += re.split(r"\s+and\s+(?:the\s+)?", found["g"])


def _read_function(question: Marked, shape: Shape, *, about_single: bool) -> None:
    if question.take(_COUNTED_MEAN):
        shape.function = "count_over_time"
        return
    for name, pattern in _FUNCTIONS:
        found = pattern.search(question.open)
        if found is None:
            continue
        noun = _NUMBER_NOUN.search(question.open)
        if name in ("avg_over_time", "max_over_time", "min_over_time", "sum_over_time") and noun is None:
            continue
        if about_single:
            return
        question.cover(*found.span())
        if noun is not None and name not in ("rate", "bytes_over_time"):
            shape.number_of = noun[0]
            question.cover(*noun.span())
        shape.function = name
        if name == "quantile_over_time":
            text = found["p"] or found["q"] or found["z"]
            shape.quantile = int(text) / 100 if text else 0.5
        return
    usage = re.search(r"\b(?:usage)\b|使用量|用量", question.open, re.IGNORECASE)
    if usage is not None:
        shape.function, shape.number_of = "max_over_time", usage[0]
        question.cover(*usage.span())


def _read_groups(question: Marked, shape: Shape) -> None:
    for pattern in _GROUPS:
        if found := question.take(pattern):
            shape.groups.append(found["g"])
    if found := question.take(_TOP):
        number = found["n"] or found["m"] or found["z"]
        shape.top = int(number) if number.isdigit() else _DIGITS[number]
        _group_behind(question, found.end(), shape, _TOP_OF if found["n"] else _ZH_TOP_OF)
    if found := question.take(_BOTTOM):
        shape.is_bottom, shape.top = True, shape.top or int(found["n"] or 1) if "n" in found.groupdict() else 1
    most = question.take(_MOST)
    if most is not None and shape.top is None and not shape.is_bottom:
        shape.top = 1
        if found := question.take(_WHICH):
            shape.groups.append(found["g"] or found["z"])
            if (found["g"] or "").endswith("s"):
                shape.top = 10
        elif re.match(r"\W*(?:common|frequent)", question.open[most.end() :], re.IGNORECASE):
            shape.top = 10
            _group_behind(question, most.end(), shape, _TOP_OF)
    if found := question.take(_UNIQUE):
        _group_behind(question, found.end(), shape, _UNIQUE_OF)
        shape.counts_groups = bool(found["n"] or found["z"]) and not shape.top


def _group_behind(question: Marked, at: int, shape: Shape, pattern: re.Pattern[str]) -> None:
    rest = question.open[at:]
    if not shape.groups and (found := pattern.search(rest)):
        text = next((group for group in found.groupdict().values() if group), None)
        if text:
            shape.groups.append(text)
            question.cover(at + found.start(), at + found.end())
