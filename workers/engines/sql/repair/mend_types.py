"""Mends of types: truth values that are compared with numbers, texts with numbers or dates, and functions that need another type."""

from collections.abc import Iterator

from sqlglot import exp

from contracts.sql_errors import SqlErrorKind
from contracts.statements import Statement, code, say
from workers.engines.sql.repair.dialects import printed
from workers.engines.sql.repair.mend import Broken, Mend, replaced

COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
TRUTH = {"boolean", "bool"}
NUMBERS = ("int", "numeric", "decimal", "double", "float", "real", "number")


def mismatch(broken: Broken) -> Iterator[Mend]:
    """Two sides of different types."""
    message = broken.error.message.lower()
    yield from _truth_as_number(broken)
    yield from _number_as_truth(broken)
    if "interval" in message or "date" in message or "timestamp" in message:
        yield from _text_as(broken, "timestamp" if "timestamp" in message else "date")
    if "text" in message or "character varying" in message or "varchar" in message or "string" in message:
        yield from _column_as_text_or_number(broken)


def type_of(column: exp.Column, broken: Broken) -> str:
    """The type of a column, lower case; empty where several tables disagree or none has it."""
    types = {item.type.lower() for table in broken.tables for item in table.columns if item.name.lower() == column.name.lower()}
    return types.pop() if len(types) == 1 else ""


def _truth_as_number(broken: Broken) -> Iterator[Mend]:
    """`is_open = 1` where is_open is true or false."""
    sure: dict[int, exp.Expr | None] = {}
    maybe: dict[int, exp.Expr | None] = {}
    for node in broken.tree.find_all(exp.EQ, exp.NEQ, exp.In):
        columns = [side for side in (node.this, node.args.get("expression")) if isinstance(side, exp.Column)]
        sides: list[object] = [node.this, node.args.get("expression"), *(node.args.get("expressions") or [])]
        literals = [side for side in sides if isinstance(side, exp.Literal) and not side.is_string and side.name in {"0", "1"}]
        if len(columns) != 1 or not literals:
            continue
        known = type_of(columns[0], broken)
        target = sure if known in TRUTH else maybe if not known else None
        if target is not None:
            target |= {id(literal): exp.Boolean(this=literal.name == "1") for literal in literals}
    for new, cost in ((sure, 1.0), (sure | maybe, 1.5)):
        if new and (new is sure or maybe):
            yield Mend(replaced(broken.tree, new), say("sql_repair.truth"), cost)


def _number_as_truth(broken: Broken) -> Iterator[Mend]:
    """`SUM(is_open)` where is_open is true or false."""
    new: dict[int, exp.Expr | None] = {}
    for node in broken.tree.find_all(exp.Sum, exp.Avg):
        if isinstance(node.this, exp.Column) and type_of(node.this, broken) in TRUTH:
            new[id(node.this)] = exp.cast(node.this.copy(), "int")
    if new:
        yield Mend(replaced(broken.tree, new), say("sql_repair.truth_counted"), 1)


def _text_as(broken: Broken, type_name: str) -> Iterator[Mend]:
    """Texts in the place of dates, and columns of text that are compared with dates."""
    new: dict[int, exp.Expr | None] = {}
    for node in broken.tree.find_all(exp.Add, exp.Sub, *COMPARISONS):
        for side, other in ((node.this, node.expression), (node.expression, node.this)):
            is_text = isinstance(side, exp.Literal) and side.is_string and side.name[:4].isdigit()
            is_text = is_text or (isinstance(side, exp.Column) and any(word in type_of(side, broken) for word in ("char", "text")))
            is_date = isinstance(other, exp.Interval | exp.CurrentDate | exp.CurrentTimestamp | exp.Add | exp.Sub | exp.TimestampTrunc)
            if is_text and is_date:
                new[id(side)] = exp.cast(side.copy(), type_name)
    if new:
        yield Mend(replaced(broken.tree, new), say("sql_repair.text_as_date"), 1)


def _column_as_text_or_number(broken: Broken) -> Iterator[Mend]:
    """A column of text compared with a number, or a number with a text."""
    for node in broken.tree.find_all(*COMPARISONS):
        for column, other in ((node.this, node.expression), (node.expression, node.this)):
            if not isinstance(column, exp.Column):
                continue
            if isinstance(other, exp.Literal) and not other.is_string:
                yield Mend(replaced(broken.tree, {id(other): exp.Literal.string(other.name)}), _cast(other, broken), 1)
            elif isinstance(other, exp.Column) and type_of(column, broken) != type_of(other, broken):
                number = column if type_of(column, broken).startswith(NUMBERS) else other
                yield Mend(replaced(broken.tree, {id(number): exp.cast(number.copy(), "text")}), _cast(number, broken), 1.5)


def _cast(node: exp.Expr, broken: Broken) -> Statement:
    return say("sql_repair.cast", value=code(printed(node, broken.dialect)))


def function_types(broken: Broken) -> Iterator[Mend]:
    """A function that exists, but not for these types."""
    wanted = broken.name.lower()
    if broken.error.kind not in {SqlErrorKind.UNKNOWN_FUNCTION, SqlErrorKind.TYPE_MISMATCH}:
        return
    if wanted == "round":
        new = {
            id(node.this): exp.cast(node.this.copy(), "numeric") for node in broken.tree.find_all(exp.Round) if node.args.get("decimals")
        }
        if new:
            yield Mend(replaced(broken.tree, new), say("sql_repair.round"), 1)
    if wanted in {"sum", "avg"}:
        yield from _number_as_truth(broken)
        kind = exp.Sum if wanted == "sum" else exp.Avg
        new = {
            id(node.this): exp.cast(node.this.copy(), "numeric") for node in broken.tree.find_all(kind) if isinstance(node.this, exp.Column)
        }
        if new:
            yield Mend(replaced(broken.tree, new), say("sql_repair.text_counted"), 1.5)
    if wanted in {"extract", "date_part", "pg_catalog.extract", "date_trunc"}:
        found = list(broken.tree.find_all(exp.Extract, exp.TimestampTrunc))
        values = [node.expression if isinstance(node, exp.Extract) else node.this for node in found]
        new = {id(value): exp.cast(value.copy(), "timestamp") for value in values}
        if new:
            yield Mend(replaced(broken.tree, new), say("sql_repair.text_as_date"), 1)
        days = {
            id(node): node.expression
            for node in found
            if isinstance(node, exp.Extract) and node.name.upper() == "DAY" and isinstance(node.expression, exp.Sub)
        }
        if days:
            yield Mend(replaced(broken.tree, dict(days)), say("sql_repair.days"), 1)
    if wanted in {"like", "lower", "upper", "length", "substr", "substring", "trim"}:
        named = {
            "lower": exp.Lower,
            "upper": exp.Upper,
            "length": exp.Length,
            "trim": exp.Trim,
            "substring": exp.Substring,
            "substr": exp.Substring,
        }
        kind = named.get(wanted)
        new = {id(node.this): exp.cast(node.this.copy(), "text") for node in broken.tree.find_all(kind)} if kind else {}
        if new:
            yield Mend(replaced(broken.tree, new), say("sql_repair.as_text"), 1)
