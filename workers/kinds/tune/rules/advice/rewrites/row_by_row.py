"""Expressions of PySpark that are known to need nothing but one row, or one group of rows: all that is not known here counts as unknown."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from workers.kinds.tune.rules.advice.rewrites.source import SQL_FUNCTIONS, Source

FUNCTIONS = frozenset(
    {"abs", "add_months", "array", "array_contains", "base64", "bround", "cbrt", "ceil", "coalesce", "col", "column", "concat",
     "concat_ws", "cos", "create_map", "date_add", "date_format", "date_sub", "date_trunc", "datediff", "dayofmonth", "dayofweek",
     "dayofyear", "element_at", "exp", "explode", "explode_outer", "floor", "format_number", "format_string", "from_json",
     "from_unixtime", "from_utc_timestamp", "get_json_object", "greatest", "hash", "hour", "initcap", "instr", "isnan", "isnull",
     "last_day", "least", "length", "levenshtein", "lit", "locate", "log", "log10", "log2", "lower", "lpad", "ltrim", "map_keys",
     "map_values", "md5", "minute", "month", "months_between", "nanvl", "next_day", "pow", "quarter", "regexp_extract",
     "regexp_replace", "repeat", "reverse", "round", "rpad", "rtrim", "second", "sequence", "sha1", "sha2", "sin", "size",
     "split", "sqrt", "struct", "substring", "substring_index", "tan", "to_date", "to_json", "to_timestamp", "to_utc_timestamp",
     "translate", "trim", "trunc", "unbase64", "upper", "weekofyear", "when", "xxhash64", "year"}
)  # fmt: skip
"""Of each row by itself, and the same whenever they are called."""

AGGREGATES = frozenset(
    {"approx_count_distinct", "avg", "bool_and", "bool_or", "count", "count_distinct", "countDistinct", "every", "max", "mean",
     "min", "skewness", "some", "stddev", "stddev_pop", "stddev_samp", "sum", "sum_distinct", "sumDistinct", "var_pop",
     "var_samp", "variance"}
)  # fmt: skip
"""Independent of the order of the rows."""

OF_A_COLUMN = frozenset(
    {"alias", "astype", "between", "cast", "contains", "endswith", "eqNullSafe", "getField", "getItem", "isNotNull", "isNull",
     "isin", "like", "otherwise", "rlike", "startswith", "substr", "when"}
)  # fmt: skip
COLUMN = frozenset({"col", "column"})


@dataclass(frozen=True, slots=True)
class Functions:
    """What a script calls Spark's functions."""

    aliases: frozenset[str]
    """Of their module."""
    plain: dict[str, str]
    """Name in the script → function."""

    @classmethod
    def of(cls, source: Source) -> "Functions":
        """By the imports; a name that the script also gives to something else is none."""
        aliases: set[str] = set()
        plain: dict[str, str] = {}
        for node in ast.walk(source.tree):
            match node:
                case ast.ImportFrom(module="pyspark.sql", names=names):
                    aliases |= {name.asname or name.name for name in names if name.name == "functions"}
                case ast.ImportFrom(module=module, names=names) if module == SQL_FUNCTIONS:
                    plain |= {name.asname or name.name: name.name for name in names}
                case ast.Import(names=names):
                    aliases |= {name.asname for name in names if name.name == SQL_FUNCTIONS and name.asname}
                case _:
                    pass
        own = set(_given(source.tree))
        return cls(frozenset(aliases - own), {name: function for name, function in plain.items() if name not in own})

    def name_of(self, call: ast.Call) -> str | None:
        """The function of Spark's that is called."""
        match call.func:
            case ast.Attribute(value=ast.Name(id=alias), attr=name) if alias in self.aliases:
                return name
            case ast.Name(id=name):
                return self.plain.get(name)
            case _:
                return None

    def is_known(self, node: ast.expr, allowed: frozenset[str] = FUNCTIONS) -> bool:
        """It is made of constants, columns, operators and `allowed` functions alone."""
        match node:
            case ast.Constant():
                return True
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                return all(self.is_known(part, allowed) for part in parts)
            case ast.UnaryOp(operand=part):
                return self.is_known(part, allowed)
            case ast.BinOp(left=left, right=right):
                return self.is_known(left, allowed) and self.is_known(right, allowed)
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() | ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()], comparators=[right]):
                return self.is_known(left, allowed) and self.is_known(right, allowed)
            case ast.Call(args=arguments, keywords=[]):
                name = self.name_of(node)
                inner = node.func.value if isinstance(node.func, ast.Attribute) and name is None else None
                is_method = inner is not None and isinstance(node.func, ast.Attribute) and node.func.attr in OF_A_COLUMN
                known = name in allowed or (is_method and inner is not None and self.is_known(inner, allowed))
                return known and all(self.is_known(argument, allowed) for argument in arguments)
            case _:
                return False

    def column(self, node: ast.expr, table: str) -> str:
        """Of `F.col("day")`, `events["day"]`, `events.day`, where `table` is `events`; empty for all else."""
        match node:
            case ast.Call(args=[ast.Constant(value=str(name))], keywords=[]) if self.name_of(node) in COLUMN:
                return name
            case ast.Subscript(value=ast.Name(id=of), slice=ast.Constant(value=str(name))) if of == table:
                return name
            case ast.Attribute(value=ast.Name(id=of), attr=name) if of == table:
                return name
            case _:
                return ""


def is_plain(node: ast.expr) -> bool:
    """Constants, and lists and dictionaries of them."""
    match node:
        case ast.Constant():
            return True
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return all(map(is_plain, parts))
        case ast.Dict(keys=keys, values=values):
            return all(key is not None and is_plain(key) for key in keys) and all(map(is_plain, values))
        case _:
            return False


def _given(tree: ast.Module) -> Iterator[str]:
    """Names that something else than an import binds."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case _:
                pass
