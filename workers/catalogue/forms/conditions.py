"""A condition of SQL as conditions of the published grammar: the filter of a dbt metric, the restriction of one in the plain form."""

from sqlglot import exp

from workers.engines.sql.bounded import parse_one
from workers.engines.sql.trees import PARSER_FAULTS

_COMPARED: dict[type[exp.Expr], str] = {exp.GT: ">", exp.GTE: ">=", exp.LT: "<", exp.LTE: "<="}


def grammar_conditions(sql: str, table: str = "") -> list[str] | None:
    """The parts of a condition, each as the grammar says it: `with orders.status 'paid'`. None: it is no SQL, or the grammar cannot say it.
    `table`: whose the columns are that are written without one."""
    try:
        tree = parse_one(sql, "")
    except PARSER_FAULTS:
        return None
    parts = list(tree.flatten()) if isinstance(tree, exp.And) else [tree]
    found = [_condition(part.unnest(), table) for part in parts]
    return found if found and all(found) else None


def _condition(part: exp.Expr, table: str) -> str:
    """Empty for what the grammar does not say, or says otherwise."""
    column = part.this
    if not isinstance(column, exp.Column):
        return ""
    of = column.table or table
    shown = f"{of}.{column.name}" if of else column.name
    if isinstance(part, exp.EQ | exp.In):
        values = [part.expression] if isinstance(part, exp.EQ) else part.expressions
        texts = [value.name for value in values if isinstance(value, exp.Literal) and value.is_string and "'" not in value.name]
        if texts and len(texts) == len(values):
            return f"with {shown} " + " or ".join(f"'{text}'" for text in texts)
        if isinstance(part, exp.EQ) and isinstance(part.expression, exp.Boolean):
            return f"with {shown}" if part.expression.this else f"with not {shown}"
        number = isinstance(part, exp.EQ) and isinstance(part.expression, exp.Literal)
        return f"with {shown} is {part.expression.name}" if number and not part.expression.is_string else ""
    bound = part.expression if type(part) in _COMPARED else None
    if isinstance(bound, exp.Literal) and not bound.is_string:
        return f"with {shown} {_COMPARED[type(part)]} {bound.name}"
    return ""
