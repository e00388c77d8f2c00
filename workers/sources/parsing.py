"""Lock 1: a statement is exactly one query, made of parts and functions that are known to do no harm.

Both are allow-lists (`shapes`, `functions`), so what a later release of the parser adds is refused until somebody has looked
at it. What runs later is printed from the tree that was checked here, without comments, never the text that was given:
an engine does not get to read it in another way (MySQL runs `/*! .. */`).
"""

import logging
import re

from sqlglot import exp

from contracts.sources import STATEMENT_MAX, Lock, SourceKind
from contracts.statements import Name, Statement, code, count, name, passage, say
from workers.engines.sql import bounded
from workers.engines.sql.trees import PARSER_FAULTS, words_of
from workers.errors import StatementRefused
from workers.sources.functions import FROM_ALLOWED, names_of, why_not
from workers.sources.shapes import is_allowed

DEPTH_MAX = 200
"""Levels of a statement's tree. People's statements have up to about 40; a deep one costs stack in every later walk."""

VALUE = re.compile(r"^[a-z_][a-z0-9_]{0,62}$")
"""Names of values: `:name`."""

logging.getLogger("sqlglot").setLevel(logging.ERROR)  # it warns of commands that it cannot read; they are refused here

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def parse_statement(statement: str, kind: SourceKind, *, also: frozenset[str] = frozenset(), tells_names: bool = False) -> exp.Query:
    """The tree of a statement that is one harmless query. `also`: functions that may be called besides; `tells_names`: whether a column may
    be cast to the name of an object. Raises `StatementRefused`."""
    if len(statement) > STATEMENT_MAX:
        raise _refused(say("refused.source.long", n=count(len(statement), exact=True), most=count(STATEMENT_MAX, exact=True)))
    if _CONTROL.search(statement):
        raise _refused(say("refused.source.control_characters"))
    try:
        trees = [tree for tree in bounded.parse(statement, str(kind)) if not isinstance(tree, exp.Semicolon)]  # a comment behind the end
    except PARSER_FAULTS as error:
        raise _refused(say("refused.source.unreadable", kind=name(kind), reason=passage(_brief(error)))) from None
    found = [tree for tree in trees if tree is not None]
    if len(found) != 1 or len(trees) != 1:
        raise _refused(say("refused.source.one_query", n=count(len(found))))
    tree = found[0]
    if not isinstance(tree, exp.Query):
        raise _refused(say("refused.source.only_select", part=_named(tree)))
    check_tree(tree, kind, also, tells_names)
    return tree


def check_tree(tree: exp.Expr, kind: SourceKind, also: frozenset[str] = frozenset(), tells_names: bool = False) -> None:
    """Every part and every function of a tree. Raises `StatementRefused`."""
    levels: list[tuple[exp.Expr, int]] = [(tree, 1)]
    while levels:
        node, depth = levels.pop()
        if depth > DEPTH_MAX:
            raise _refused(say("refused.source.deep", most=count(DEPTH_MAX)))
        if not is_allowed(node) and not (tells_names and _is_name_of_a_column(node)):
            raise _refused(say("refused.source.part", part=_named(node)))
        if not isinstance(node, exp.Func) or not names_of(node) & also:
            check_node(node, kind)
        levels += [(child, depth + 1) for child in node.iter_expressions()]


def _is_name_of_a_column(node: exp.Expr) -> bool:
    """`indexrelid::regclass`: the name of what the statement has read. `'secrets'::regclass` would ask whether there is such a table."""
    return isinstance(node, exp.ObjectIdentifier) and isinstance(node.parent, exp.Cast) and isinstance(node.parent.this, exp.Column)


def check_node(node: exp.Expr, kind: SourceKind) -> None:
    """A part by itself: its function, its form. Raises `StatementRefused`."""
    if isinstance(node, exp.Func) and (reason := why_not(node, kind)):
        raise _refused(reason)
    if isinstance(node, exp.Table) and isinstance(node.this, exp.Func) and not names_of(node.this) & FROM_ALLOWED:
        raise _refused(say("refused.source.table_function", function=name(sorted(names_of(node.this))[0])))
    if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Func):
        raise _refused(say("refused.source.function_of_schema", function=name(node.sql()[:80])))
    if isinstance(node, exp.Placeholder) and not VALUE.match(node.name):
        raise _refused(say("refused.source.value_form", form=code(":name")))
    if isinstance(node, exp.Select) and not node.expressions:
        raise _refused(say("refused.source.selects_nothing"))
    if isinstance(node, exp.Select) and (node.args.get("into") or node.args.get("hint") or node.args.get("locks")):
        raise _refused(say("refused.source.select_extras"))


def _refused(says: Statement) -> StatementRefused:
    return StatementRefused(Lock.PARSED, says)


def _named(node: exp.Expr) -> Name | Statement:
    if isinstance(node, exp.Command):
        return say("refused.source.command", command=name(str(node.this)[:40]))
    return name(type(node).__name__.upper())


def _brief(error: Exception) -> str:
    text = re.sub(r"\x1b\[[0-9;]*m", "", words_of(error))
    return " ".join(text.split())[:300] or type(error).__name__
