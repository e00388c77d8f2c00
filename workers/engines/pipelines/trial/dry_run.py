"""The dry run: the source itself plans the queries of scripts, in its own dialect, and runs none of them.

A source takes queries only, so a statement that writes is asked about by the query with the same parts: that of its INSERT or CREATE, and
for an UPDATE or DELETE the rows that it is about. A table that the scripts make is not at the source yet; the query that makes it is put
in its place."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from sqlglot import exp

from contracts.pipelines.script import SqlScript
from contracts.pipelines.trial import CheckKind, CheckStatus, TrialCheck
from contracts.statements import Statement, code, count, name, quote, say
from workers.engines.pipelines.trial.checks import Failure
from workers.engines.sql.script import Part, Script
from workers.engines.sql.trees import ctes_of, dialect_of, parse, table_name

MOST_QUERIES = 60
"""Queries that a source is asked about in a trial: each is a connection of its own."""


class Reply(StrEnum):
    """What became of a query at the source."""

    PLANNED = "planned"
    REFUSED = "refused"
    """It would not run there."""
    NOT_TAKEN = "not_taken"
    """It did not come as far as the source's planner, so nothing is known."""


@dataclass(frozen=True, slots=True)
class SourceReply:
    """A source's reply to a query."""

    reply: Reply
    reason: str = ""


AskSource = Callable[[str], SourceReply]
"""Has the source plan a query without running it."""


@dataclass(frozen=True, slots=True)
class SourceAtHand:
    """The source whose tables the scripts read."""

    name: str
    dialect: str
    """As sqlglot names it."""
    ask: AskSource


@dataclass
class DryRun:
    """What the source said."""

    source: SourceAtHand
    planned: int = 0
    """Queries."""
    failures: list[tuple[str, Failure]] = field(default_factory=list[tuple[str, Failure]])
    """The first that the source refuses of each job."""
    not_tried: list[Statement] = field(default_factory=list[Statement])

    def check(self) -> TrialCheck:
        """What is said where the source refused nothing."""
        values = {"source": name(self.source.name), "engine": name(self.source.dialect)}
        if self.planned:
            text = say("pipelines.trial.passed.source", **values, n=count(self.planned))
            return TrialCheck(kind=CheckKind.SOURCE, status=CheckStatus.PASSED, text=text)
        text = self.not_tried[0] if self.not_tried else say("pipelines.trial.source_nothing", **values)
        return TrialCheck(kind=CheckKind.SOURCE, status=CheckStatus.NOT_TRIED, text=text)


def dry_run(scripts: Sequence[SqlScript], script: Script, dialect: str, source: SourceAtHand) -> DryRun:
    """Ask about each statement that the source can be asked about."""
    made = DryRun(source)
    if dialect_of(dialect) != dialect_of(source.dialect):
        made.not_tried.append(
            say("pipelines.trial.source_other_dialect", source=name(source.name), own=name(source.dialect), dialect=name(dialect))
        )
        return made
    rest = 0
    for asked, (job, query) in enumerate(queries_of(scripts, script, dialect)):
        if query is None or asked >= MOST_QUERIES:
            rest += 1
            continue
        reply = source.ask(query)
        values = {"source": name(source.name), "job": code(job), "query": code(_short(query)), "error": quote(reply.reason.rstrip("."))}
        if reply.reply is Reply.PLANNED:
            made.planned += 1
        elif reply.reply is Reply.NOT_TAKEN:
            made.not_tried.append(say("pipelines.trial.source_not_taken", **values))
        elif all(job != failed for failed, _ in made.failures):
            made.failures.append((job, Failure(CheckKind.SOURCE, say("pipelines.trial.source_refuses", **values))))
    if rest:
        made.not_tried.append(say("pipelines.trial.source_not_asked", source=name(source.name), n=count(rest)))
    return made


def queries_of(scripts: Sequence[SqlScript], script: Script, dialect: str) -> Iterator[tuple[str, str | None]]:
    """(job, query) in the scripts' dialect for each statement that reads; None: it cannot be put as a query over what is at the source."""
    parts = list(script.parts)
    known = {table.full_name.lower() for table in script.inputs} - script.first_made
    made: dict[str, exp.Query] = {}
    for written in scripts:
        many = sum(len(parse(statement, dialect)) for statement in written.statements)
        mine, parts = parts[:many], parts[many:]
        for part in mine:
            if isinstance(part.tree, exp.Drop):
                continue
            query = _asked(part, made, known)
            if query is not None or _reads(part):
                yield written.job, query.sql(dialect or None) if query is not None else None
            if isinstance(part.tree, exp.Create) and query is not None:
                made[table_name(_target(part.tree)).lower()] = query


def _reads(part: Part) -> bool:
    """It reads something; an INSERT of values, or a CREATE without a query, does not."""
    return bool(part.resolved.tables) or isinstance(part.tree, exp.Update | exp.Delete | exp.Merge)


def _asked(part: Part, made: dict[str, exp.Query], known: set[str]) -> exp.Query | None:
    query = _query(part.tree)
    if query is None:
        return None
    query = query.copy()
    hidden = {cte.alias_or_name.lower() for cte in query.find_all(exp.CTE)}
    for place in list(query.find_all(exp.Table)):
        full = table_name(place).lower()
        if not full or (not place.args.get("db") and full in hidden):
            continue
        if full in made:
            if place.args.get("joins"):
                return None
            place.replace(exp.Subquery(this=made[full].copy(), alias=exp.TableAlias(this=exp.to_identifier(place.alias_or_name))))
        elif full not in known and not any(full == table.rpartition(".")[2] for table in known):
            return None
    return query


def _query(tree: exp.Expr) -> exp.Query | None:
    """The query of a statement, or one over the rows that it changes, with the values that they get."""
    if isinstance(tree, exp.Query):
        return tree
    if isinstance(tree, exp.Update) and not tree.args.get("from_"):
        values = [item.expression.copy() for item in tree.expressions if isinstance(item, exp.EQ)]
        return _rows(tree.this, values, tree.args.get("where"))
    if isinstance(tree, exp.Delete) and not tree.args.get("using"):
        return _rows(tree.this, [exp.Literal.number(1)], tree.args.get("where"))
    query = tree.args.get("expression") if isinstance(tree, exp.Insert | exp.Create) else None
    return _with(query, ctes_of(tree)) if isinstance(query, exp.Query) else None


def _rows(table: exp.Expr, values: Sequence[exp.Expr], where: exp.Where | None) -> exp.Query | None:
    if not isinstance(table, exp.Table) or not values:
        return None
    made = exp.select(*values).from_(table.copy())
    return made.where(where.this.copy()) if where is not None else made


def _with(query: exp.Query, outer: exp.With | None) -> exp.Query:
    """A query with the CTEs that are written before its INSERT."""
    if outer is None:
        return query
    made = query.copy()
    made.set("with_", outer.copy())
    return made


def _target(tree: exp.Create) -> exp.Table:
    target = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
    return target if isinstance(target, exp.Table) else exp.Table()


def _short(text: str) -> str:
    return " ".join(text.split())[:160]
