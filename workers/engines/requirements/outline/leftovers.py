"""Whether words that were not read may be passed over: only where each of them names what the target has anyway."""

# ruff: noqa: E501 patterns

import re
from collections.abc import Iterable, Iterator, Sequence

from contracts.tables import TableDetail
from workers.engines.requirements.prose.domains import domain_of, known_form
from workers.engines.requirements.prose.nouns import nouns_of, plain

_PLAIN_WORDS = frozenset(
    [
        "a",
        "all",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "by",
        "can",
        "column",
        "columns",
        "contain",
        "contains",
        "create",
        "daily",
        "dashboard",
        "data",
        "day",
        "days",
        "dataset",
        "deliverable",
        "each",
        "every",
        "field",
        "fields",
        "figure",
        "figures",
        "for",
        "from",
        "give",
        "have",
        "i",
        "in",
        "is",
        "it",
        "its",
        "kpi",
        "list",
        "make",
        "me",
        "metric",
        "metrics",
        "month",
        "monthly",
        "months",
        "need",
        "needs",
        "of",
        "on",
        "one",
        "our",
        "overview",
        "per",
        "please",
        "provide",
        "quarter",
        "record",
        "report",
        "reporting",
        "requirement",
        "row",
        "rows",
        "should",
        "show",
        "shows",
        "so",
        "summary",
        "table",
        "target",
        "team",
        "that",
        "the",
        "their",
        "them",
        "there",
        "these",
        "this",
        "to",
        "us",
        "use",
        "view",
        "want",
        "wants",
        "we",
        "week",
        "weekly",
        "weeks",
        "which",
        "with",
        "would",
        "year",
        "yearly",
        "years",
        "you",
        "your",
        "build",
        "by",
        "called",
        "named",
        "like",
        "finance",
        "marketing",
        "sales",
        "management",
        "controlling",
        "operations",
        "analysts",
        "managers",
        "manager",
        "team",
        "department",
        "asks",
    ]
)
_RESTRICTING = re.compile(
    r"\b(?:only|except|without|not|no|never|none|other than|more than|less than|at least|at most|over|under|above|below|before|after|since|until|last|latest|first|top|active|current|new|recent\w*|exclud\w+|includ\w+|distinct|unique)\b"
    r"|只|仅|不|未|没|无|除|至少|最多|以上|以下|超过|大于|小于|之前|之后|以来|最近|最新|首次|今年|去年|本月|上月|当前|有效|去重",
    re.IGNORECASE,
)
SHORT = 2
"""Letters of words such as `a`, which are no values."""
_PLAIN_CHINESE = re.compile(
    r"需求|需要|请|帮忙|帮|建表|建立|新建|创建|建|生成|出|做|制作|写到|一张|一份|一个|的|表|宽表|报表|日报|周报|月报|年报|统计|汇总|明细|清单|画像|分析|情况|数据|每|个|条|行|按|和|与|及|、|，|,|:|：|。|（|）|\(|\)|字段|如下|包含|包括|天|日|月|周|年|份|结果|我们|想|要|看|得到|输出|用于|给|财务|运营|市场|管理|同步|增量|率|名|维度|指标|\s"
)


def is_mere(text: str, tables: Sequence[TableDetail], known: Iterable[str]) -> bool:
    """Whether text holds nothing that could restrict rows: only names of tables and columns, units of time and words of no meaning.
    A value of a column could. `known`: names of the target and its columns."""
    for table in tables:  # 由 a 生成: where the rows come from
        text = re.sub(
            rf"(?:由|从|基于|根据|来自|来源于?)\s*{re.escape(table.name)}\s*表?(?:中|里)?(?:生成|加工|计算|汇总|得到|产出|统计)?", "", text
        )
    if _has_signs(text) or _has_value(text, tables):
        return False
    names = {word for name in known for word in (name.lower(), *re.split(r"_+", name.lower()))}
    nouns = _nouns(tables)
    words = {word.lower() for word in re.findall(r"[A-Za-z_][\w-]*", text)}
    nouns_in_words = known_words(tables)
    if any(
        word not in _PLAIN_WORDS and word not in names and plain(word) not in nouns_in_words and word not in nouns_in_words
        for word in words
    ):
        return False
    return _is_mere_chinese(text, nouns)


def _nouns(tables: Sequence[TableDetail]) -> set[str]:
    """The words for tables and columns."""
    nouns = {noun for table in tables for noun in nouns_of(table)}
    return nouns | {word for table in tables for column in table.columns for word in (column.name.lower(), *_spoken(column.description))}


def known_words(tables: Sequence[TableDetail]) -> set[str]:
    """The words for tables and columns, whole and in their parts."""
    return {part for noun in _nouns(tables) for part in (noun, *noun.replace("_", " ").split())}


def restricts_nothing(text: str, tables: Sequence[TableDetail]) -> bool:
    """Whether a sentence about whose wish it is holds no value, number or word that could restrict rows."""
    return not (_has_signs(text) or _has_value(text, tables) or _RESTRICTING.search(text))


def _has_signs(text: str) -> bool:
    return re.search(r"\d|['\"“”<>=%]", re.sub(r"[A-Za-z]\w*\d\w*|(?<=\w)'(?=s\b)", "", text)) is not None


def _has_value(text: str, tables: Sequence[TableDetail]) -> bool:
    """Whether a word is a value that a column has, or another form of one."""
    return next(values_in(text, tables), None) is not None


def values_in(text: str, tables: Sequence[TableDetail]) -> Iterator[set[str]]:
    """The words of a text that are values of a column: each as it is said and as the column has it, in lower case."""
    columns = [column for table in tables for column in table.columns if domain_of(column)]
    words = {word.lower() for word in re.findall(r"[A-Za-z_][\w-]*", text)}
    for word in sorted(word for word in words if len(word) > SHORT or word not in _PLAIN_WORDS):
        domains = [domain_of(column) for column in columns]
        found = [domain[form] for column, domain in zip(columns, domains, strict=True) if (form := known_form(word, [column])) in domain]
        if found:
            yield {word, *(value.lower() for value in found)}
    chinese = {
        value: known for column in columns for value, known in domain_of(column).items() if re.fullmatch(r"[\u3400-\u9fff]{2,}", value)
    }
    for value in sorted(value for value in chinese if value in text):
        yield {value, chinese[value].lower()}


def _spoken(comment: str) -> list[str]:
    """The Chinese name with which a comment begins."""
    return re.findall(r"[\u3400-\u9fff]{2,6}", re.split(r"[:：,，;；(（]", comment)[0])


def _is_mere_chinese(text: str, nouns: Iterable[str]) -> bool:
    rest = "".join(re.findall(r"[\u3400-\u9fff]+", text))
    for noun in sorted((noun for noun in nouns if re.fullmatch(r"[\u3400-\u9fff]+", noun)), key=len, reverse=True):
        rest = rest.replace(noun, "")
    return not re.search(r"[\u3400-\u9fff]", _PLAIN_CHINESE.sub("", rest))
