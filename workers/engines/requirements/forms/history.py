"""A table that keeps versions of its rows: "Keep T (...): a change of A or B closes the current row (...) and opens a new one (...)"."""

# ruff: noqa: E501 patterns

import re
from collections.abc import Sequence

from contracts.pipelines.analysis import EtlTarget, HistoryWork, SourceWork, TargetColumn
from contracts.sql_review import WriteMode
from contracts.statements import name, names, say
from contracts.tables import TableDetail
from workers.engines.requirements.facts import RequirementReading, Steps
from workers.engines.requirements.forms.sentences import column_of, list_of, sentences_of, settings_of, table_of

SURE = 0.95

_SOURCE = re.compile(
    r"(?:every|each) (?:day|night|week|month),? (?P<table>[\w.]+) is (?:replaced|overwritten|reloaded) (?:by|with) (?:the|a) (?:full|complete) "
    r"(?:list|snapshot|copy)(?: of that (?:day|night|week|month))?"
    r"|(?P<zh>[\w.]+?)\s*每(?:天|日|晚|周|月)(?:都)?被?(?:替换|覆盖)(?:成|为)(?:当天|当日|当周|当月)?的?(?:全量|完整)(?:名单|数据|快照|列表)?",
    re.IGNORECASE,
)
_KEEP = re.compile(
    r"(?:keep|maintain|build|create|load) (?P<table>[\w.]+) ?\((?P<columns>[^)]*)\)[:,]? (?:a|any|every|each) change (?:of|in|to) (?P<tracked>[\w, ]+?)"
    r"(?:,? (?:also|including)(?: a change)? to (?:or|and) from null)?,? closes the (?:current|open) row \((?P<close>[^)]*)\) and opens a new (?:one|row) "
    r"\((?P<open>[^)]*)\)",
    re.IGNORECASE,
)
_KEEP_ZH = re.compile(
    r"(?:维护|建立|保持|加工)\s*(?P<table>[\w.]+)\s*[（(](?P<columns>[^)）]*)[)）]\s*[:：,，]?\s*(?P<tracked>[\w,，、和或与 ]+?)\s*(?:发生)?(?:变化|变更|改变)"
    r"(?:[（(][^)）]*空[^)）]*[)）])?时?\s*[,，]?\s*(?:关闭当前行|当前行关闭)\s*[（(](?P<close>[^)）]*)[)）]\s*[,，]?\s*(?:并|且|同时)?(?:新开|新增|打开)一?(?:行|条)"
    r"\s*[（(](?P<open>[^)）]*)[)）]"
)
_MISSING = re.compile(
    r".{1,60}? (?:that|who|which) are (?:missing|absent|no longer)(?: in| from)? (?:the )?(?:list|snapshot|table|\w+) are closed(?: in)?(?: the same way| too| as well)?"
    r"|(?:名单|列表|快照|数据)(?:里|中)?(?:没有|不存在|缺失|不再出现)的.{1,20}?(?:同样|也)(?:要)?被?关闭",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"if they (?:come back|return|reappear),? they get a new row|(?:若|如果)?(?:再次|重新)出现时?(?:则)?(?:另|再|会|重新)?(?:开|新开|新增)(?:新行|新的?一?行|一行|一条)"
)
_TWICE = re.compile(
    r"running (?:it|the same day|a day) (?:twice|again) changes nothing|a second run changes nothing|(?:同一天|重复)(?:跑|运行|执行)(?:两次|多次)?结果不变",
    re.IGNORECASE,
)
_FALSE, _TRUE = frozenset({"false", "0", "n", "no"}), frozenset({"true", "1", "y", "yes"})


def read_history(text: str, tables: Sequence[TableDetail]) -> RequirementReading | None:
    """The history, when every sentence is part of one."""
    source: TableDetail | None = None
    keep: re.Match[str] | None = None
    closes_missing = False
    for sentence in sentences_of(text):
        if (found := _SOURCE.fullmatch(sentence)) and (table := table_of(found["table"] or found["zh"], tables)):
            source = table
        elif found := _KEEP.fullmatch(sentence) or _KEEP_ZH.fullmatch(sentence):
            keep = found
        elif _MISSING.fullmatch(sentence):
            closes_missing = True
        elif not (_BACK.fullmatch(sentence) or _TWICE.fullmatch(sentence)):
            return None
    if source is None or keep is None:
        return None
    return _reading(source, keep, closes_missing, tables)


def _reading(source: TableDetail, keep: re.Match[str], closes_missing: bool, tables: Sequence[TableDetail]) -> RequirementReading | None:
    columns, tracked = list_of(keep["columns"].lower()), list_of(keep["tracked"].lower())
    close, opened = settings_of(keep["close"]), settings_of(keep["open"])
    current = next((key for key, value in opened.items() if value.lower() in _TRUE), "")
    day = next((value for value in opened.values() if column_of(value, source)), "")
    valid_from = next((key for key, value in opened.items() if value == day), "")
    open_end = next((value for value in opened.values() if re.fullmatch(r"\d{4}-\d{2}-\d{2}", value)), "")
    valid_to = next((key for key, value in opened.items() if value == open_end), "")
    wanted = {valid_from: day, valid_to: open_end} | ({current: opened[current]} if current else {})
    if not day or not open_end or opened != wanted or close.get(valid_to) != day:
        return None
    if set(close) != {valid_to, *([current] if current else [])} or (current and close[current].lower() not in _FALSE):
        return None
    own = [column for column in columns if column not in wanted]
    key = tuple(column for column in own if column not in tracked)
    if not key or not set(tracked) <= set(own) or not all(column_of(column, source) for column in own) or not set(wanted) <= set(columns):
        return None
    steps = Steps()
    read = steps.add(
        source.name,
        SourceWork(table=source.full_name),
        say("requirements.step.source", table=name(source.full_name)),
        tables=(source.full_name,),
    )
    work = HistoryWork(
        input=read, key=key, tracked=tuple(tracked), day=day, valid_from=valid_from, valid_to=valid_to, is_current=current, open_end=open_end,
        closes_missing=closes_missing,
    )  # fmt: skip
    text = say("requirements.step.history", columns=names(tracked), key=names(key))
    steps.add("versions", work, text)
    known = table_of(keep["table"], tables)
    target = EtlTarget(
        table=keep["table"].lower(),
        mode=WriteMode.UPSERT,
        columns=tuple(TargetColumn(name=column, nullable=False if column in (*key, *wanted) else None) for column in columns),
        key=(*key, valid_from),
        exists=known is not None,
        description=text,
    )
    says = [text, *([say("requirements.says.closes_missing")] if closes_missing else [])]
    return RequirementReading(steps=tuple(steps.made), target=target, tables=(source.full_name,), says=tuple(says), confidence=SURE)
