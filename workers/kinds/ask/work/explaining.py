"""What a statement computes, in words, with the traps that the review finds in it (`explain_sql`)."""

from collections.abc import Sequence
from itertools import islice

from contracts.ask.results import SqlExplained
from contracts.statements import Join, Statement, listing, name, passage, say
from contracts.tables import TableDetail
from workers.engines.sql.explain import explain as explain_statement
from workers.engines.sql.explain import statements_of
from workers.engines.sql.trees import NotParsed, dialect_of
from workers.kinds.ask.roles.calls import ToolStep
from workers.kinds.ask.rules.glosses import MOST_NAMES, glosses
from workers.kinds.ask.work.floor import Floor
from workers.kinds.ask.work.reviewing import reviewed
from workers.kinds.ask.work.statements import source_of, tables_of


def explain(floor: Floor, step: ToolStep) -> SqlExplained:
    """The explanation; a statement that cannot be parsed has a problem instead."""
    sql = step.statement
    source = source_of(floor, step, sql)
    own = floor.dialect(source) if source else ""
    dialect = dialect_of(step.understanding.dialect or own or "")
    tables = floor.every(source) if source else ()
    try:
        says = statements_of(explain_statement(sql, dialect, tables))
    except NotParsed as error:
        return SqlExplained(dialect=dialect, sql=sql, problems=(say("ask.problem.not_parsed", reason=passage(error.reason)),))
    return SqlExplained(
        dialect=dialect,
        sql=sql,
        says=(*says, *_names(sql, tables, step.language)),
        review=reviewed(sql, tables, dialect),
        tables=tables_of(floor, source, sql) if source else (),
    )


def _names(sql: str, tables: Sequence[TableDetail], language: str) -> list[Statement]:
    """What the tables and columns of the statement are."""
    found = list(islice(glosses(sql, tables, language), MOST_NAMES))
    pairs = [say("ask.explain.name", name=name(called), meaning=passage(meaning)) for called, meaning in found]
    return [say("ask.explain.names", names=listing(*pairs, join=Join.PLAIN))] if pairs else []
