"""The queries of scripts that the source itself can plan: those that read only what is there already."""

from collections.abc import Callable, Iterator, Sequence

from sqlglot import exp

from contracts.pipelines.script import SqlScript
from contracts.pipelines.trial import CheckKind
from contracts.statements import code, quote, say
from workers.engines.pipelines.trial.checks import Failure
from workers.engines.sql.script import Script
from workers.engines.sql.trees import ctes_of, parse

AskSource = Callable[[str], str | None]
"""Has the source plan a query without running it: None, or why it would not run."""


def dry_run(scripts: Sequence[SqlScript], script: Script, dialect: str, ask: AskSource) -> Iterator[tuple[str, Failure]]:
    """Each query that the source refuses, with its job. Queries over tables that the scripts make cannot be asked about."""
    for job, query in queries_of(scripts, script, dialect):
        reason = ask(query)
        if reason is not None:
            text = say("pipelines.trial.source_refuses", job=code(job), query=code(" ".join(query.split())[:160]), error=quote(reason))
            yield job, Failure(CheckKind.RUNS, text)


def queries_of(scripts: Sequence[SqlScript], script: Script, dialect: str) -> Iterator[tuple[str, str]]:
    """(job, query) in the scripts' dialect."""
    parts = list(script.parts)
    known = {table.full_name.lower() for table in script.inputs}
    for written in scripts:
        many = sum(len(parse(statement, dialect)) for statement in written.statements)
        mine, parts = parts[:many], parts[many:]
        for part in mine:
            tree = part.tree
            query = tree if isinstance(tree, exp.Query) else tree.args.get("expression")
            if not isinstance(query, exp.Query):
                continue
            read = [source.table.full_name.lower() if source.table is not None else "" for source in part.resolved.tables]
            if read and all(name in known for name in read):
                outer = ctes_of(tree) if query is not tree else None
                yield written.job, _with(query, outer).sql(dialect or None)


def _with(query: exp.Query, outer: exp.With | None) -> exp.Query:
    """A query with the CTEs that are written before its INSERT."""
    if outer is None:
        return query
    made = query.copy()
    made.set("with_", outer.copy())
    return made
