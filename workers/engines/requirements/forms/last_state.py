"""The last state of each thing of a change log, or the latest row of each key."""

# ruff: noqa: E501 patterns

import re
from collections.abc import Sequence

from contracts.pipelines.analysis import DedupWork, DeriveWork, EtlTarget, FilterWork, SourceWork, TargetColumn
from contracts.pipelines.expressions import Call, ColumnOf, Constant, Function, NamedExpression, Sorting, ValueType
from contracts.sql_review import WriteMode
from contracts.statements import name, names, say
from contracts.tables import TableDetail
from workers.engines.requirements.facts import RequirementReading, Steps, filter_text
from workers.engines.requirements.forms.sentences import column_of, list_of, sentences_of, table_of

SURE = 0.95
_STATE = r"(?:state|version|row|record|change|entry)"
_LAST = r"(?:last|latest|newest|current|most recent)"
_LOG = re.compile(
    r"(?P<table>[\w.]+) is (?:a|the) (?:change log|change table|cdc log|log of changes)(?: of [\w ]+?)? ?\((?P<op>\w+)(?: is| =|:)? (?P<values>[^)]*)\)"
    r"|(?P<zh>[\w.]+?)\s*是(?:一张)?(?:变更日志|变更表|变更记录)\s*[（(]\s*(?P<op_zh>\w+?)\s*(?:为|是|取值)\s*(?P<values_zh>[^)）]*)[)）]",
    re.IGNORECASE,
)
_BUILD = re.compile(
    rf"(?:build|create|make|keep) (?P<table>[\w.]+)[:,]? (?:with )?(?P<columns>[\w, ]+?) of the {_LAST} {_STATE} of (?:each|every) (?P<entity>\w+)"
    r"(?P<kept> (?:that|which|who) (?:is|was|has) not (?:been )?deleted)?(?: (?:from|in) (?P<source>[\w.]+))?",
    re.IGNORECASE,
)
_BUILD_ZH = re.compile(
    r"(?:建立|创建|生成|加工)\s*(?P<table>[\w.]+)\s*[:：,，]\s*(?:(?P<source>[\w.]+)\s*中)?每(?:个|位|条|张|家)(?P<kept>(?:没有|未)被?删除的)?(?P<entity>[^\s的A-Za-z]{1,8})的?(?:最后|最新|当前)"
    r"(?:状态|版本|一条|记录)\s*[:：,，]?\s*(?P<columns>[\w,，、和 ]+)"
)
_ORDER = re.compile(
    rf"the {_LAST} {_STATE} is the one with the (?P<first>latest|highest|largest|greatest|newest|maximum) (?P<column>\w+)"
    r"(?:,? and among equal (?:times|values|ones|dates) the (?P<second>highest|largest|latest|lowest|smallest|earliest) (?P<other>\w+))?",
    re.IGNORECASE,
)
_EQUAL = re.compile(
    r"(?:and )?among equal (?:times|values|ones|dates)(?: it is)? the (?:one with the )?(?P<second>highest|largest|latest|lowest|smallest|earliest) (?P<other>\w+)",
    re.IGNORECASE,
)
_ORDER_ZH = re.compile(
    r"(?:最后|最新|当前)(?:状态|版本|一条|记录)(?:指|是|为)\s*(?P<column>\w+?)\s*(?P<first>最晚|最大|最新|最高)的?(?:那)?(?:一条|一行|记录)?"
    r"(?:\s*[,，]\s*(?:时间|值|日期)?相同时取\s*(?P<other>\w+?)\s*(?P<second>最大|最晚|最高|最小|最早|最低)的?(?:那)?(?:一条|一行)?)?"
)
_DOWN = frozenset({"highest", "largest", "latest", "最大", "最晚", "最高"})


def read_last_state(text: str, tables: Sequence[TableDetail]) -> RequirementReading | None:
    """The last states, when every sentence is part of saying them."""
    log: tuple[TableDetail, str, tuple[str, ...]] | None = None
    build: re.Match[str] | None = None
    order: list[tuple[str, bool]] = []
    for sentence in sentences_of(text):
        if (found := _LOG.fullmatch(sentence)) and (table := table_of(found["table"] or found["zh"], tables)):
            values = re.findall(r"\b([A-Za-z]+)\b", re.sub(r"\b(?:or|and)\b", " ", found["values"] or found["values_zh"]))
            log = (table, found["op"] or found["op_zh"], tuple(values))
        elif found := _BUILD.fullmatch(sentence) or _BUILD_ZH.fullmatch(sentence):
            build = found
        elif found := _ORDER.fullmatch(sentence) or _ORDER_ZH.fullmatch(sentence):
            order = [(found["column"], True), *([(found["other"], found["second"].lower() in _DOWN)] if found["other"] else [])]
        elif (found := _EQUAL.fullmatch(sentence)) and order:
            order.append((found["other"], found["second"].lower() in _DOWN))
        else:
            return None
    if build is None or not order:
        return None
    source = table_of(build["source"], tables) if build["source"] else log[0] if log else None
    return _reading(source, build, order, log) if source is not None else None


def _reading(
    source: TableDetail, build: re.Match[str], order: Sequence[tuple[str, bool]], log: tuple[TableDetail, str, tuple[str, ...]] | None
) -> RequirementReading | None:
    columns = list_of(build["columns"].lower())
    key = _key(source, columns, build["entity"].lower())
    deleted = _deleted(log) if build["kept"] else None
    if key is None or not all(column_of(column, source) for column in (*columns, *(item for item, _ in order))):
        return None
    if build["kept"] and (log is None or deleted is None or not column_of(log[1], source)):
        return None
    steps = Steps()
    last = steps.add(
        source.name,
        SourceWork(table=source.full_name),
        say("requirements.step.source", table=name(source.full_name)),
        tables=(source.full_name,),
    )
    sorting = tuple(Sorting(value=ColumnOf(step=last, name=column.lower()), descending=down) for column, down in order)
    dedup = DedupWork(input=last, key=(ColumnOf(step=last, name=key),), order_by=sorting)
    last = steps.add("last_state", dedup, say("requirements.step.dedup", key=name(key), columns=names(column for column, _ in order)))
    if log is not None and deleted is not None:
        test = Call(
            function=Function.NOT_EQUAL, arguments=(ColumnOf(step=last, name=log[1].lower()), Constant(type=ValueType.TEXT, value=deleted))
        )
        last = steps.add("not_deleted", FilterWork(input=last, where=test), filter_text(last, test))
    chosen = tuple(NamedExpression(name=column, value=ColumnOf(step=last, name=column)) for column in columns)
    steps.add("result", DeriveWork(input=last, columns=chosen), say("requirements.step.derive", columns=names(columns)))
    target = EtlTarget(
        table=build["table"].lower(),
        mode=WriteMode.OVERWRITE,
        columns=tuple(TargetColumn(name=column, description=getattr(column_of(column, source), "description", "")) for column in columns),
        key=(key,),
    )
    says = say("requirements.step.dedup", key=name(key), columns=names(column for column, _ in order))
    return RequirementReading(steps=tuple(steps.made), target=target, tables=(source.full_name,), says=(says,), confidence=SURE)


def _key(source: TableDetail, columns: Sequence[str], entity: str) -> str | None:
    """The column that names the thing: `customer_id` of a customer, or the only column of the result that names a thing by its ending."""
    wanted = {f"{entity}_id", f"{entity}id", f"{entity}_key", f"{entity}_no", f"{entity}_code", entity}
    named = [column for column in columns if column in wanted]
    ids = [column for column in columns if column.endswith(("_id", "_key", "_no", "_code")) or column == "id"]
    found = named or ids
    return found[0] if len(found) == 1 and column_of(found[0], source) else None


def _deleted(log: tuple[TableDetail, str, tuple[str, ...]] | None) -> str | None:
    """The value of the operation that deletes."""
    return next((value for value in log[2] if value.lower() in ("d", "del", "delete", "deleted")), None) if log else None
