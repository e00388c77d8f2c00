"""The head of a requirement: the name of the target, and what is said of its rows, in the words that the readers of prose know."""

# ruff: noqa: E501 patterns

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from contracts.tables import TableDetail
from workers.engines.squeezing import squeezed

_NAME = r"`?(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?)`?"
_WANT = r"(?:please\s+)?(?:(?:i|we)(?:'d| would)? (?:need|want|like)(?: to (?:have|build|create|get))?|there should be|build|create|make|produce|prepare|generate|maintain|keep|provide|set up|load|materiali[sz]e|derive|compute)"
_MADE = r"(?:me |us )?(?:a |an |the )?(?:new |small |simple |daily |weekly |monthly |yearly |summary |summarised |reporting |fact |dimension |final )*(?:table|view|mart|dataset|list|report|overview)?(?: (?:called|named))?"
_EN = re.compile(
    rf"(?:(?:for|so that|as) [\w' ]{{2,40}}?,? )?{_WANT}\s+{_MADE}\s*{_NAME}(?P<rest>(?=[\s,:;(.]|$).*)", re.IGNORECASE | re.DOTALL
)
_WANT_ZH = r"(?:请(?:帮忙?)?|帮(?:我|忙))?(?:(?:我们?)?(?:需要|想要|(?<!只)要)|建立|创建|新建|建|生成|制作|做|输出|出|构建|加工|产出|开发|维护|写入|得到|需求[:：]?)"
_ZH = re.compile(
    rf"(?P<pre>.*?)(?:，|,)?\s*{_WANT_ZH}(?:一张|一个|一份|成)?(?:新的?)?(?P<what>[^A-Za-z_`，,。:：]{{0,14}}?)(?:表)?\s*{_NAME}\s*(?:表)?\s*(?P<rest>(?:[（(][^）)]{{1,20}}[)）])?.*)",
    re.DOTALL,
)
_PURPOSE = re.compile(
    r"\s*,?\s*\b(?:for|to be used by|used by) (?:the |our )?(?:[a-z]+ ){0,2}(?:team|department|dashboard|report|reporting|analysts?|colleagues|people|managers?|management|finance|marketing|sales|controlling|crm|support|operations|bi)\b(?= *(?:[,:;.]|with\b|that\b|one\b|$))",
    re.IGNORECASE,
)
_COUNTED = r"(?:个|位|家|名|条|笔|件|张|台|辆|份|种|类|门|间|节|次|本|部)"


_NO_NAMES = frozenset(
    "about all and as by for from has in is it listing of on or our per showing that their to where which with".split()  # noqa: SIM905
)

_MOST_CHARACTERS = 2_000
"""Characters of the first line of a reply that may be a requirement."""


@dataclass(frozen=True)
class Head:
    """What the head says."""

    name: str
    pre: str
    """Chinese words before the target's name."""
    rest: str
    """Words behind it."""
    heading: str = ""
    """Words that describe the target and restrict nothing, which is said."""


def head_of(sentence: str) -> Head | None:
    """The head, if the sentence is one."""
    if found := _EN.fullmatch(sentence):
        rest = _PURPOSE.sub("", found["rest"], count=1)
        return Head(found["name"], "", rows_in_words(rest)) if _is_name(found["name"], sentence) else None
    if not re.search(r"[\u3400-\u9fff]", sentence):
        return None
    found = _ZH.fullmatch(sentence)
    if found is None:
        return None
    rest = found["rest"]
    heading = found["what"].strip()
    if bracket := re.match(r"\s*[（(]([\u3400-\u9fff]{2,14})[)）]", rest):
        heading, rest = bracket[1], rest[bracket.end() :]
    return Head(found["name"], found["pre"].strip(" ，,"), rows_in_words(rest), heading)


def is_requirement(text: str) -> bool:
    """Whether a reply is a requirement by itself, not only an answer."""
    first = squeezed(text.strip().split("\n")[0])[:_MOST_CHARACTERS]
    return re.match(rf"{_WANT}\b|{_WANT_ZH}", first.strip(), re.IGNORECASE) is not None and head_of(first.rstrip(" .。")) is not None


_CLAUSE = re.compile(
    r"[，,;；]\s*(?=只要|只看|只算|只统计|只保留|仅|不含|不包括|不要|排除|剔除|only\s|excluding\s|without\s|except\s)", re.IGNORECASE
)
_ROWS_SAID = re.compile(
    r"[\s,，:：]*(?:with |having |has )?(?:exactly )?(?:(?:one|a|1) (?:row|line|record) (?:per|for)\b|每.{1,30}?一行|per |for (?:each|every) ).*",
    re.IGNORECASE | re.DOTALL,
)


def says_rows(words: str) -> bool:
    """Whether words behind a name say what a row is."""
    return _ROWS_SAID.fullmatch(words) is not None


def with_clauses(head: Head) -> tuple[Head, list[str]]:
    """The head without clauses behind what a row is that say which rows count: `，只要状态为 left 的入住`."""
    body = head.rest.lstrip(" :：")
    before = re.split(r"[:：]", body, maxsplit=1)[0]
    listed = body[len(before) :]
    parts = _CLAUSE.split(before)
    behind = next((found for found in _CLAUSE.finditer(listed) if _is_outside(listed[: found.start()])), None)
    clauses = [*parts[1:], *(_CLAUSE.split(listed[behind.end() :]) if behind is not None else ())]
    if not clauses:
        return head, []
    listed = listed[: behind.start()] if behind is not None else listed
    return replace(head, rest=f"{_lead(head.rest)}{parts[0]}{listed}"), [part.strip(" 。.") for part in clauses if part.strip()]


def _is_outside(before: str) -> bool:
    """Whether no bracket is open behind a text."""
    return len(re.findall(r"[（(]", before)) == len(re.findall(r"[)）]", before))


def _lead(rest: str) -> str:
    found = re.match(r"[\s:：]*", rest)
    return found[0] if found else ""


_NAMED_ZH = re.compile(rf"(?P<what>[\u3400-\u9fff]{{1,14}}?)表?\s*{_NAME}(?P<rest>[，,:：（(].*)?", re.DOTALL)


def named_only(sentence: str) -> Head | None:
    """学员画像表 student_profile，一个学员一条记录: a name without a verb."""
    found = _NAMED_ZH.fullmatch(sentence)
    if found is None or not re.search(r"[_\d]", found["name"]):
        return None
    return Head(found["name"], "", rows_in_words(found["rest"] or ""), f"{found['what']}")


_FIRST = re.compile(rf"{_NAME}\s*[:：]\s*(?P<rest>\S.*)", re.DOTALL)


def named_first(sentence: str) -> Head | None:
    """`session_mix: one row per studio, ...`: a name with an underscore and a colon before what the table holds."""
    found = _FIRST.fullmatch(sentence)
    if found is None or "_" not in found["name"]:
        return None
    return Head(found["name"], "", rows_in_words(f", {found['rest']}" if found["rest"].isascii() else f"：{found['rest']}"))


def head_in(sentence: str, tables: Sequence[TableDetail], columns: Collection[str]) -> tuple[Head, str] | None:
    """The head in a sentence that names the target somewhere, and the words before the name; None: no name of its own is in it."""
    known = {word.lower() for table in tables for word in (table.name, *(column.name for column in table.columns))} | set(columns)
    named = list(re.finditer(rf"\b(?:table|view|mart|call it|called|named|name it)\s+{_NAME}(?=[\s,:;.(]|$)", sentence, re.IGNORECASE))
    found = [match for match in named if match["name"].lower() not in known and match["name"].lower() not in _NO_NAMES]
    if not found:
        spoken = [match for match in re.finditer(rf"(?<![A-Za-z0-9_.]){_NAME}(?![A-Za-z0-9_])", sentence) if "_" in match["name"]]
        found = [match for match in spoken if match["name"].lower() not in known][:1]
    if not found:
        return None
    first = found[0]
    rest = _PURPOSE.sub("", sentence[first.end() :], count=1)
    return Head(first["name"], "", rows_in_words(rest)), sentence[: first.start("name")].strip(" ,，:：`")


def _is_name(name: str, sentence: str) -> bool:
    """Whether a word is meant as a name: it has an underscore or figures, or follows `table`."""
    if name.lower() in _NO_NAMES:
        return False
    return bool(re.search(r"[_\d]", name)) or bool(re.search(rf"\b(?:table|view|mart|called|named)\s+`?{re.escape(name)}", sentence, re.IGNORECASE)) or bool(
        re.match(rf"(?:please )?(?:build|create|make|generate|maintain)\s+`?{re.escape(name)}`?(?=[\s,:;]|$)", sentence, re.IGNORECASE)
    )  # fmt: skip


def rows_in_words(text: str) -> str:
    """The words for what a row is, as the readers of prose know them."""
    body = re.sub(
        r"\b(one|a|1|exactly one) (?:record|line|entry|row each)(?= (?:per|for each|for every|for)\b)", r"\1 row", text, flags=re.IGNORECASE
    )
    body = re.sub(r",\s*grain(?:\s*:| is| of)?\s+([^,:;.]+)", r", one row per \1", body, flags=re.IGNORECASE)
    body = re.sub(r"[，,]\s*粒度\s*(?:[:：]|为|是)\s*([^，,:：。]+)", lambda found: f"，每个{grain_of(found[1])}一行", body)
    body = re.sub(
        r"^\s*,?\s*(?:showing|listing|with|giving|that shows|which shows),? for (?:each|every) ([^,:]+?)\s*[,:]\s*",
        r", one row per \1: ",
        body,
        flags=re.IGNORECASE,
    )
    body = re.sub(r"\b1 row\b", "one row", body, flags=re.IGNORECASE)
    body = re.sub(
        rf"一{_COUNTED}\s*([\u3400-\u9fff]{{1,8}}?)\s*(?:占|对应|一共)?一(?:条记录|行(?:记录|数据)?|条数据|条)", r"每个\1一行", body
    )
    body = re.sub(r"(一行)[，,]\s*(?:并|分别)?(?:列出|给出|展示|显示|包括|包含|要有|需要有?)\s*[:：]?\s*", r"\1：", body)
    body = re.sub(rf"(每{_COUNTED}?[^，,:：。]{{1,20}}?)(?:占|对应)?一(?:条记录|条数据|行记录|行数据|条)", r"\1一行", body)
    return re.sub(
        r"[，,]?\s*(?:统计|展示|汇总|记录)((?:每[^，,:：。每]{1,12}?){1,3})的?[\u3400-\u9fff]{0,4}?(?:情况|数据|明细|概况|表现)\s*(?=[:：，,。]|$)",
        _every,
        body,
    )


def _every(found: re.Match[str]) -> str:
    """统计每门课程每天的报名情况 as 每个课程、天一行."""
    parts = [re.sub(rf"^每{_COUNTED}?", "", part).rstrip("的") for part in re.findall(r"每[^每]+", found[1])]
    return f"，每个{'、'.join(parts)}一行"


def grain_of(words: str) -> str:
    """The words of a labelled line for what a row is."""
    body = re.sub(r"\s*[+×&/]\s*|\s+x\s+", " and " if words.isascii() else "、", words.strip())
    body = re.sub(r"^(?:one row (?:per|for each|for every)|per|each|every|每(?:个|一)?)\s*", "", body, flags=re.IGNORECASE)
    body = re.sub(r"(月份?|日期?|天|周|季度|年份?)\s*[（(]按?(.+?)[)）]", r"\2的\1", body)
    return re.sub(r"(?:一行|一条记录)$", "", body).strip()


def times_in_words(part: str) -> Iterator[str]:
    """Other words for a unit of time: `day on which the trip started` is the day of what started."""
    yield part
    if found := re.fullmatch(
        r"(?:the )?(?P<unit>day|date|week|month|quarter|year) (?:on|in|at) which (?:the |a |an )?(?:(?P<noun>[\w ]+?) )?(?:was |were |is |are |has |have )?(?P<verb>\w+)",
        part,
        re.IGNORECASE,
    ):
        yield f"{found['unit']} {found['verb']}"
        yield f"{found['unit']} of {found['verb']}"
