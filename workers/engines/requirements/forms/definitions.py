"""Definitions of columns in words: `number of orders with status = 'completed'`, `sum of quantity * unit_price of order_items`.

A formula or a condition is parsed as an expression and taken over value by value; anything but columns, constants, arithmetic and
comparisons is refused.
"""

# ruff: noqa: E501 patterns

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.errors import SqlglotError

from contracts.pipelines.expressions import Call, ColumnOf, Constant, Expression, Function, ValueType
from contracts.tables import TableDetail
from workers.engines.questions.chinese_words import LEXICON
from workers.engines.requirements.forms.sentences import column_of
from workers.engines.sql.build_values import NUMERIC, TEMPORAL
from workers.engines.sql.trees import NotParsed, parse_statement

_BINARY: Mapping[type[exp.Expr], Function] = {
    exp.Add: Function.PLUS, exp.Sub: Function.MINUS, exp.Mul: Function.TIMES, exp.Div: Function.OVER, exp.EQ: Function.EQUAL,
    exp.NEQ: Function.NOT_EQUAL, exp.GT: Function.GREATER, exp.GTE: Function.GREATER_EQUAL, exp.LT: Function.LESS,
    exp.LTE: Function.LESS_EQUAL, exp.And: Function.AND, exp.Or: Function.OR,
}  # fmt: skip
_AGGREGATES: tuple[tuple[Function, str, str], ...] = (
    (
        Function.SUM,
        r"(?:the )?(?:sum|total) of (?P<of>.+)",
        r"(?P<of>.+?)\s*(?:之和|的?合计|的?总和|的?总计|求和)|(?:合计|总计)\s*(?P<of2>.+)",
    ),
    (Function.AVERAGE, r"(?:the )?(?:average|mean)(?: of)? (?P<of>.+)", r"(?P<of>.+?)\s*的?(?:平均值|均值)|平均\s*(?P<of2>.+)"),
    (
        Function.MINIMUM,
        r"(?:the )?(?:first|earliest|smallest|lowest|minimum|min)(?: of)? (?P<of>.+)",
        r"最(?:早|小|低)的?\s*(?P<of>.+)|(?P<of2>.+?)\s*的?最(?:小|早|低)值",
    ),
    (
        Function.MAXIMUM,
        r"(?:the )?(?:last|latest|most recent|largest|highest|maximum|max)(?: of)? (?P<of>.+)",
        r"最(?:晚|大|高|近|新)的?\s*(?P<of>.+)|(?P<of2>.+?)\s*的?最(?:大|晚|高)值",
    ),
)
_COUNT = (r"(?:the )?(?:number|count) of (?P<of>.+)", r"(?P<of>.+?)\s*的?(?:数量|个数|总数|笔数|次数|行数|条数|数)")
_DISTINCT = r"(?:different|distinct|unique) (?P<of>.+)|不同的?\s*(?P<of2>.+)"
_ZERO = re.compile(
    r"\s*[,，;；]?\s*(?:\(?0 (?:if|when|where) (?:there (?:are|is) )?none\)?|没有(?:则|时)?(?:为|记为?|是)?\s*0|无则(?:为|记)?\s*0|默认(?:为)?\s*0)\s*$",
    re.IGNORECASE,
)
_WHERE = re.compile(r"^(?P<head>.+?)\s+(?:with|where|whose|having)\s+(?P<where>.+)$", re.IGNORECASE)
_WHERE_ZH = re.compile(r"^(?P<where>[A-Za-z_]\w*\s*(?:=|<>|!=|>=|<=|>|<|为|等于|大于|小于|不等于|是).+?)\s*的\s*(?P<head>.+)$")
_SPOKEN = (
    (r"\s+is not null\b", " IS NOT NULL "), (r"\s+is null\b", " IS NULL "), (r"(?:不等于|不为|不是|\s+is not\s+|\s+not equal to\s+)", " <> "),
    (r"(?:大于等于|不小于|不低于|\s+at least\s+|\s+not less than\s+)", " >= "), (r"(?:小于等于|不大于|不高于|\s+at most\s+|\s+not more than\s+)", " <= "),
    (r"(?:大于|超过|\s+(?:is )?(?:greater|more|larger) than\s+|\s+(?:is )?above\s+|\s+(?:is )?over\s+)", " > "),
    (r"(?:小于|低于|\s+(?:is )?(?:less|smaller) than\s+|\s+(?:is )?below\s+|\s+(?:is )?under\s+)", " < "),
    (r"(?:晚于|\s+(?:is )?(?:after|later than)\s+)", " > "), (r"(?:早于|\s+(?:is )?(?:before|earlier than)\s+)", " < "),
    (r"(?:等于|为|(?<=\w)是|\s+is\s+|\s+equals?(?: to)?\s+)", " = "), (r"(?:并且|而且|且)", " AND "), (r"或者|或", " OR "),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Definition:
    """A measure over the rows of a table."""

    table: TableDetail
    function: Function
    value: Expression | None
    where: Expression | None
    is_zero: bool
    """0 where there are no rows."""

    def of(self, step: str) -> Expression:
        """The aggregate over the columns of a step."""
        value = _moved(self.value, step) if self.value is not None else None
        if self.where is not None:
            inner = value if value is not None else Constant(type=ValueType.INTEGER, value="1")
            value = Call(function=Function.CASE, arguments=(_moved(self.where, step), inner))
        return Call(function=self.function, arguments=() if value is None else (value,))


def read_definition(text: str, tables: Sequence[TableDetail]) -> Definition | None:
    """The measure that the words define, if every word has a part in it and only one table fits."""
    body = text.strip().strip("：:")
    rest = _ZERO.sub("", body)
    is_zero, body = rest != body, rest
    counted = _matched(body, *_COUNT)
    if counted is not None:
        distinct = re.fullmatch(_DISTINCT, counted, re.IGNORECASE)
        if distinct:
            return _distinct(distinct["of"] or distinct["of2"], tables)
        found = _rows(counted, tables)
        return Definition(found[0], Function.COUNT, None, found[1], True) if found else None
    for function, english, chinese in _AGGREGATES:
        of = _matched(body, english, chinese)
        if of is not None and (made := _aggregate(function, of, tables, is_zero)) is not None:
            return made
    return None


def _matched(text: str, english: str, chinese: str) -> str | None:
    for pattern in (english, chinese):
        if found := re.fullmatch(pattern, text, re.IGNORECASE):
            groups = found.groupdict()
            return (groups.get("of") or groups.get("of2") or "").strip()
    return None


def _rows(text: str, tables: Sequence[TableDetail]) -> tuple[TableDetail, Expression | None] | None:
    """`orders with status = 'completed'`: the table and the condition."""
    found = _WHERE.match(text) or _WHERE_ZH.match(text)
    head, where = (found["head"], found["where"]) if found else (text, "")
    table = entity_of(head, tables)
    if table is None:
        return None
    if not where:
        return table, None
    condition = read_condition(where, table)
    return (table, condition) if condition is not None else None


def _distinct(text: str, tables: Sequence[TableDetail]) -> Definition | None:
    found = re.fullmatch(r"(?P<column>\w+)(?:\s+(?:of|in)\s+(?P<table>.+))?", text.strip())
    if not found:
        return None
    fitting = [t for t in _named(found["table"], tables) if column_of(found["column"], t)]
    if len(fitting) != 1:
        return None
    value = ColumnOf(step="", name=found["column"].lower())
    return Definition(fitting[0], Function.COUNT_DISTINCT, value, None, True)


def _aggregate(function: Function, text: str, tables: Sequence[TableDetail], is_zero: bool) -> Definition | None:
    """`quantity * unit_price of order_items with ...`."""
    found = _WHERE.match(text) or _WHERE_ZH.match(text)
    head, where = (found["head"], found["where"]) if found else (text, "")
    of = re.match(r"^(?P<formula>.+?)\s+(?:of|in|over|from)\s+(?:the |all )?(?P<table>[A-Za-z][\w ]*)$", head, re.IGNORECASE)
    formula, named = (of["formula"], _named(of["table"], tables)) if of else (head, list(tables))
    fitting = [(table, value) for table in named if (value := read_formula(formula, table)) is not None]
    if len(fitting) != 1:
        return None
    table, value = fitting[0]
    condition = read_condition(where, table) if where else None
    return Definition(table, function, value, condition, is_zero) if condition is not None or not where else None


def _named(text: str | None, tables: Sequence[TableDetail]) -> list[TableDetail]:
    if not text:
        return list(tables)
    table = entity_of(text, tables)
    return [table] if table is not None else []


def entity_of(text: str, tables: Sequence[TableDetail]) -> TableDetail | None:
    """The table whose rows a noun names: `orders`, `order items`, `order`, 订单. None where there is none, or several."""
    words = re.sub(r"^(?:the|all|a|an|its|their|his|her|所有|全部)\s*", "", text.strip().lower()).replace(" ", "_").replace("-", "_")
    words = LEXICON.get(words, words).replace(" ", "_")
    forms = _forms(words)
    exact = [table for table in tables if table.name.lower() in forms]
    if len(exact) == 1:
        return exact[0]
    near = [table for table in tables if any(table.name.lower().endswith(f"_{form}") for form in forms)]
    return near[0] if not exact and len(near) == 1 else None


def _forms(word: str) -> frozenset[str]:
    singular = word[:-3] + "y" if word.endswith("ies") else word.removesuffix("s")
    plural = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return frozenset({word, singular, plural})


def read_formula(text: str, table: TableDetail) -> Expression | None:
    """Columns of the table, numbers and arithmetic."""
    tree = _parsed(text)
    return _converted(tree, table, lambda node: isinstance(node, exp.Add | exp.Sub | exp.Mul | exp.Div)) if tree is not None else None


def read_condition(text: str, table: TableDetail) -> Expression | None:
    """Comparisons of the table's columns with constants, joined by AND and OR."""
    spoken = text
    for pattern, sign in _SPOKEN:
        spoken = re.sub(pattern, sign, spoken, flags=re.IGNORECASE)
    spoken = re.sub(r"(<>|>=|<=|=|>|<)\s*(\d{4}-\d{2}-\d{2})\b", r"\1 '\2'", spoken)
    spoken = re.sub(r"(=|<>)\s*([A-Za-z_]\w*)(?=\s*(?:$|AND\b|OR\b|\)))", r"\1 '\2'", spoken, flags=re.IGNORECASE)
    tree = _parsed(spoken)
    if not isinstance(tree, exp.Predicate | exp.And | exp.Or | exp.Paren | exp.Not | exp.In):
        return None
    return _converted(tree, table, lambda node: True)


def _parsed(text: str) -> exp.Expr | None:
    if len(text) > 500 or re.search(r"[;]|--|/\*", text):
        return None
    try:
        select = parse_statement(f"SELECT 1 AS one WHERE {text}", "duckdb")
    except (NotParsed, SqlglotError):
        return None
    where = select.args.get("where")
    return where.this if isinstance(where, exp.Where) and len(select.args) > 0 else None


def _converted(node: exp.Expr, table: TableDetail, allowed: Callable[[exp.Expr], bool]) -> Expression | None:
    """The node as a typed expression; None for anything that is not on the list."""
    if isinstance(node, exp.Paren):
        return _converted(node.this, table, allowed)
    if isinstance(node, exp.Column):
        known = column_of(node.name, table) if not node.table or node.table.lower() == table.name.lower() else None
        return ColumnOf(step="", name=known.name) if known is not None else None
    if isinstance(node, exp.Literal):
        return Constant(type=ValueType.TEXT if node.is_string else ValueType.DECIMAL, value=str(node.this))
    if isinstance(node, exp.Is) or (isinstance(node, exp.Not) and isinstance(node.this, exp.Is)):
        inner = node if isinstance(node, exp.Is) else node.this
        value = _converted(inner.this, table, allowed)
        function = Function.IS_NULL if isinstance(node, exp.Is) else Function.NOT_NULL
        return Call(function=function, arguments=(value,)) if value is not None and isinstance(inner.expression, exp.Null) else None
    parts = [node.this, *node.expressions] if isinstance(node, exp.In) else [node.this, node.args.get("expression")]
    function = Function.IN if isinstance(node, exp.In) else _BINARY.get(type(node))
    if function is None or not allowed(node) or (isinstance(node, exp.In) and node.args.get("query") is not None):
        return None
    values = [_converted(part, table, allowed) if isinstance(part, exp.Expr) else None for part in parts]
    made = [value for value in values if value is not None]
    return Call(function=function, arguments=_typed(made, table)) if len(made) == len(values) and made else None


def _typed(values: Sequence[Expression], table: TableDetail) -> tuple[Expression, ...]:
    """Constants as the column beside them compares them."""
    column = next((column_of(value.name, table) for value in values if isinstance(value, ColumnOf)), None)
    type_ = column.type if column is not None else ""
    made: list[Expression] = []
    for value in values:
        if isinstance(value, Constant) and value.type is ValueType.TEXT and TEMPORAL.search(type_):
            value = Constant(type=ValueType.TIMESTAMP if "time" in type_.lower() else ValueType.DATE, value=value.value)
        elif isinstance(value, Constant) and value.type is ValueType.DECIMAL and type_ and not NUMERIC.search(type_):
            value = Constant(type=ValueType.TEXT, value=value.value)
        made.append(value)
    return tuple(made)


def _moved(value: Expression, step: str) -> Expression:
    """The expression with its columns taken from a step."""
    if isinstance(value, ColumnOf):
        return ColumnOf(step=step, name=value.name)
    if isinstance(value, Call):
        return value.model_copy(update={"arguments": tuple(_moved(argument, step) for argument in value.arguments)})
    return value
