"""Expressions of steps as nodes of a syntax tree."""

from collections.abc import Callable, Sequence

from sqlglot import exp

from contracts.pipelines.expressions import Call, ColumnOf, Constant, Expression, Function, ValueType
from contracts.queries import DatePart, TimeUnit
from workers.engines.sql.build import divided
from workers.engines.sql.build_time import cut, part_of, seconds_between, whole_days_between

_RESERVED = frozenset(
    [
        "all",
        "and",
        "any",
        "as",
        "asc",
        "between",
        "by",
        "case",
        "cast",
        "check",
        "column",
        "constraint",
        "create",
        "cross",
        "current_date",
        "default",
        "delete",
        "desc",
        "distinct",
        "drop",
        "else",
        "end",
        "exists",
        "false",
        "for",
        "foreign",
        "from",
        "full",
        "grant",
        "group",
        "having",
        "in",
        "index",
        "inner",
        "insert",
        "interval",
        "into",
        "is",
        "join",
        "key",
        "left",
        "like",
        "limit",
        "not",
        "null",
        "on",
        "or",
        "order",
        "outer",
        "primary",
        "references",
        "right",
        "row",
        "rows",
        "select",
        "set",
        "table",
        "then",
        "to",
        "true",
        "union",
        "unique",
        "update",
        "user",
        "using",
        "values",
        "when",
        "where",
        "window",
        "with",
        "date",
        "day",
        "month",
        "year",
        "time",
        "timestamp",
        "rank",
        "value",
        "position",
    ]
)
"""Words that some dialect of ours refuses as a bare name."""

_TYPES = {
    ValueType.TEXT: "text",
    ValueType.INTEGER: "bigint",
    ValueType.DECIMAL: "double",
    ValueType.DATE: "date",
    ValueType.TIMESTAMP: "timestamp",
    ValueType.BOOLEAN: "boolean",
}

_BINARY: dict[Function, type[exp.Binary]] = {
    Function.PLUS: exp.Add,
    Function.MINUS: exp.Sub,
    Function.TIMES: exp.Mul,
    Function.EQUAL: exp.EQ,
    Function.NOT_EQUAL: exp.NEQ,
    Function.SAME: exp.NullSafeEQ,
    Function.LESS: exp.LT,
    Function.LESS_EQUAL: exp.LTE,
    Function.GREATER: exp.GT,
    Function.GREATER_EQUAL: exp.GTE,
    Function.LIKE: exp.Like,
}

_UNARY: dict[Function, type[exp.Expr]] = {
    Function.ABSOLUTE: exp.Abs,
    Function.LOWER: exp.Lower,
    Function.UPPER: exp.Upper,
    Function.TRIM: exp.Trim,
    Function.SUM: exp.Sum,
    Function.AVERAGE: exp.Avg,
    Function.MINIMUM: exp.Min,
    Function.MAXIMUM: exp.Max,
}

_RANKINGS: dict[Function, type[exp.Expr]] = {
    Function.ROW_NUMBER: exp.RowNumber,
    Function.RANK: exp.Rank,
    Function.DENSE_RANK: exp.DenseRank,
}


def identifier(name: str) -> exp.Identifier:
    """A name, in quotation marks only where it needs them."""
    return exp.to_identifier(name, quoted=True if name.lower() in _RESERVED or name != name.lower() or not name.isascii() else None)


def column(name: str, relation: str) -> exp.Column:
    """A column of a relation."""
    return exp.column(identifier(name), table=identifier(relation))


def table(full_name: str) -> exp.Table:
    """A table with its schema."""
    schema, _, name = full_name.rpartition(".")
    return exp.table_(identifier(name), db=identifier(schema) if schema else None)


def constant(value: Constant) -> exp.Expr:
    """A literal."""
    if value.type is ValueType.NULL:
        return exp.Null()
    if value.type is ValueType.BOOLEAN:
        return exp.Boolean(this=value.value.lower() in ("true", "1", "yes"))
    if value.type in (ValueType.INTEGER, ValueType.DECIMAL):
        return exp.Neg(this=exp.Literal.number(value.value[1:])) if value.value.startswith("-") else exp.Literal.number(value.value)
    text = exp.Literal.string(value.value)
    return text if value.type is ValueType.TEXT else exp.Cast(this=text, to=exp.DataType.build(_TYPES[value.type]))


class Expressions:
    """Prints the expressions of a script in one dialect."""

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect
        self._special: dict[Function, Callable[[Call, Sequence[exp.Expr]], exp.Expr]] = {
            Function.OVER: lambda _, of: divided(*of),
            Function.ROUND: lambda _, of: self._rounded(of),
            Function.IS_NULL: lambda _, of: exp.Is(this=of[0], expression=exp.Null()),
            Function.NOT_NULL: lambda _, of: exp.Is(this=of[0], expression=exp.Not(this=exp.Null())),
            Function.IN: lambda _, of: exp.In(this=of[0], expressions=list(of[1:])),
            Function.CONTAINS: lambda _, of: _matches("%", of, "%"),
            Function.STARTS_WITH: lambda _, of: _matches("", of, "%"),
            Function.ENDS_WITH: lambda _, of: _matches("%", of, ""),
            Function.AND: lambda _, of: exp.and_(*of),
            Function.OR: lambda _, of: exp.paren(exp.or_(*of), copy=False) if len(of) > 1 else of[0],
            Function.NOT: lambda _, of: exp.Not(this=exp.paren(of[0], copy=False)),
            Function.COALESCE: lambda _, of: exp.Coalesce(this=of[0], expressions=list(of[1:])),
            Function.CASE: lambda _, of: _case(of),
            Function.CONCAT: lambda _, of: exp.Concat(expressions=list(of), safe=True),
            Function.SUBSTRING: lambda _, of: exp.Substring(this=of[0], start=of[1], length=of[2]),
            Function.CONVERT: lambda call, of: exp.Cast(this=of[0], to=exp.DataType.build(_TYPES[call.type or ValueType.TEXT])),
            Function.CUT: lambda call, of: cut(of[0], call.unit or TimeUnit.DAY, self._dialect),
            Function.PART: lambda call, of: part_of(of[0], call.part or DatePart.YEAR, self._dialect),
            Function.ADD_TIME: lambda call, of: _later(of[0], of[1], call.unit or TimeUnit.DAY),
            Function.DAYS_BETWEEN: lambda _, of: whole_days_between(of[0], of[1], self._dialect),
            Function.SECONDS_BETWEEN: lambda _, of: seconds_between(of[0], of[1], self._dialect),
            Function.COUNT: lambda _, of: exp.Count(this=of[0] if of else exp.Star()),
            Function.COUNT_DISTINCT: lambda _, of: exp.Count(this=exp.Distinct(expressions=list(of))),
            Function.LAG: lambda _, of: exp.Lag(this=of[0], offset=of[1] if len(of) > 1 else None),
            Function.LEAD: lambda _, of: exp.Lead(this=of[0], offset=of[1] if len(of) > 1 else None),
        }

    def of(self, value: Expression) -> exp.Expr:
        """The node of an expression."""
        if isinstance(value, ColumnOf):
            return column(value.name, value.step)
        if isinstance(value, Constant):
            return constant(value)
        of = [self.of(argument) for argument in value.arguments]
        if value.function in _BINARY:
            return _binary(_BINARY[value.function], of)
        if value.function in _UNARY:
            return _UNARY[value.function](this=of[0])
        if value.function in _RANKINGS:
            return _RANKINGS[value.function]()
        return self._special[value.function](value, of)

    def _rounded(self, of: Sequence[exp.Expr]) -> exp.Expr:
        """Postgres rounds to digits only what is numeric."""
        if len(of) < 2:
            return exp.Round(this=of[0])
        number = exp.Cast(this=of[0], to=exp.DataType.build("decimal")) if self._dialect == "postgres" else of[0]
        return exp.Round(this=number, decimals=of[1])


def as_text(value: Expression) -> str:
    """An expression as a reader of steps sees it: in standard SQL, with columns by their bare names."""
    tree = Expressions("").of(value)
    for node in tree.find_all(exp.Column):
        node.set("table", None)
    return tree.sql(normalize_functions="upper")


def _binary(kind: type[exp.Binary], of: Sequence[exp.Expr]) -> exp.Expr:
    found = of[0]
    for other in of[1:]:
        found = kind(this=_wrapped(found), expression=_wrapped(other))
    return found


def _wrapped(value: exp.Expr) -> exp.Expr:
    return exp.paren(value, copy=False) if isinstance(value, exp.Binary | exp.Not) and not isinstance(value, exp.Dot) else value


def _matches(before: str, of: Sequence[exp.Expr], after: str) -> exp.Expr:
    value = str(of[1].this) if isinstance(of[1], exp.Literal) else ""
    escaped = "".join(f"!{letter}" if letter in "!%_" else letter for letter in value)
    like = exp.Like(this=of[0], expression=exp.Literal.string(f"{before}{escaped}{after}"))
    return like if escaped == value else exp.Escape(this=like, expression=exp.Literal.string("!"))


def _case(of: Sequence[exp.Expr]) -> exp.Expr:
    pairs = [exp.If(this=of[place], true=of[place + 1]) for place in range(0, len(of) - 1, 2)]
    return exp.Case(ifs=pairs, default=of[-1] if len(of) % 2 else None)


def _later(moment: exp.Expr, amount: exp.Expr, unit: TimeUnit) -> exp.Expr:
    return exp.Cast(this=exp.DateAdd(this=moment, expression=amount, unit=exp.var(unit.value.upper())), to=exp.DataType.build("date"))
