"""Where a statement is meant to run, and which tables it reads."""

from sqlglot import exp

from contracts.ask.results import SqlFixed, SqlMade, TablesFound
from workers.engines.sql.trees import NotParsed, parse
from workers.kinds.ask.roles.calls import ToolStep
from workers.kinds.ask.work.floor import Floor


def named_tables(sql: str, dialect: str) -> tuple[str, ...]:
    """The tables that a statement names, as it writes them; none when it cannot be parsed."""
    try:
        trees = parse(sql, dialect)
    except NotParsed:
        return ()
    found: dict[str, None] = {}
    for tree in trees:
        queries = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
        for table in tree.find_all(exp.Table):
            name = ".".join(part.name for part in table.parts)
            if name and name.lower() not in queries:
                found[name] = None
    return tuple(found)


def tables_of(floor: Floor, source: str, sql: str) -> tuple[str, ...]:
    """The tables that a statement reads, by their full names where they are known."""
    known = {name.lower(): table.full_name for table in floor.every(source) for name in (table.name, table.full_name)}
    return tuple(known.get(name.lower(), name) for name in named_tables(sql, floor.dialect(source)))


def source_of(floor: Floor, step: ToolStep, sql: str) -> str | None:
    """The source on which a statement is meant to run: the one that was said, that made it, where the conversation is if it has its tables,
    or the only one that has them."""
    made = step.earlier(SqlMade) or step.earlier(SqlFixed)
    carried = step.understanding.carried
    found = step.earlier(TablesFound)
    certain = (step.request.source, made.source if made else None, carried.source if carried and carried.keeps_source else None)
    name = next((source for source in certain if source and source in floor.visible), None)
    if name is not None:
        return name
    if len(floor.visible) == 1:
        return next(iter(floor.visible))
    fitting = [source for source in floor.visible if _has_all(floor, source, sql)]
    near = (carried.source if carried else None, found.tables[0].source if found and found.tables else None)
    likely = [source for source in near if source and source in floor.visible]
    return next((source for source in likely if source in fitting or not fitting), fitting[0] if len(fitting) == 1 else None)


def _has_all(floor: Floor, source: str, sql: str) -> bool:
    wanted = {name.lower() for name in named_tables(sql, floor.dialect(source))}
    known = {name.lower() for table in floor.every(source) for name in (table.name, table.full_name)}
    return bool(wanted) and wanted <= known
