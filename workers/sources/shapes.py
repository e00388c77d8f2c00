"""The parts that a query may be made of, as the parser names them. What is not here is refused."""

from sqlglot import exp

_QUERY = (
    exp.Select, exp.SetOperation, exp.Subquery, exp.Values, exp.With, exp.CTE, exp.From, exp.Join, exp.Lateral, exp.Where, exp.Group,
    exp.Having, exp.Qualify, exp.Order, exp.Ordered, exp.Limit, exp.Offset, exp.Fetch, exp.Distinct, exp.Window, exp.WindowSpec,
    exp.GroupingSets, exp.Rollup, exp.Cube, exp.Pivot, exp.PivotAlias, exp.PivotAny, exp.TableSample, exp.LimitOptions, exp.WithFill,
)  # fmt: skip

_NAMES = (exp.Table, exp.TableAlias, exp.Column, exp.Identifier, exp.Alias, exp.Aliases, exp.Star, exp.Dot, exp.Var)

_VALUES = (
    exp.Literal, exp.Null, exp.Boolean, exp.Interval, exp.IntervalSpan, exp.Placeholder, exp.HexString, exp.BitString, exp.ByteString,
    exp.RawString, exp.UnicodeString, exp.National, exp.Tuple, exp.Bracket, exp.Slice, exp.PropertyEQ, exp.Kwarg,
    exp.Lambda, exp.JSONKeyValue, exp.DataTypeParam,
)  # fmt: skip

_OTHERS = (
    exp.Paren, exp.Between, exp.In, exp.When, exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls, exp.AtTimeZone, exp.Collate,
    exp.HavingMax, exp.JSON, exp.JSONPath, exp.JSONPathPart, exp.WeekStart, exp.Any, exp.All, exp.Exists, exp.Escape, exp.Is, exp.Like,
)  # fmt: skip

_REFUSED = (
    exp.Operator,
    exp.SessionParameter,
    exp.Parameter,
    exp.Into,
    exp.Lock,
    exp.Hint,
    exp.Command,
    exp.Insert,
    exp.Update,
    exp.Delete,
    exp.Merge,
)
"""Always refused: `OPERATOR(schema.op)` calls a function of the user's; `@@x`, `@x`, `$1` read and set variables."""


def is_allowed(node: exp.Expr) -> bool:
    """Whether a part may be in a query. Functions pass here: they have a list of their own."""
    if isinstance(node, _REFUSED):
        return False
    if isinstance(node, exp.ObjectIdentifier):  # casts to regclass and the like tell which names exist
        return False
    if isinstance(node, exp.DataType):
        return True
    return isinstance(node, (*_QUERY, *_NAMES, *_VALUES, *_OTHERS, exp.Func, exp.Binary, exp.Unary))
