"""A statement that its engine refuses, mended: the smallest change with which it runs (`fix_sql`)."""

import re
from difflib import unified_diff

from contracts.ask.results import SqlFixed
from contracts.statements import say
from workers.engines.sql.repair import repair
from workers.engines.sql.trees import dialect_of
from workers.kinds.ask.roles.calls import ToolStep
from workers.kinds.ask.work.floor import Floor
from workers.kinds.ask.work.statements import source_of, tables_of

_COMMENT = re.compile(r"(?P<kept>'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`)|--[^\n]*|/\*.*?\*/", re.DOTALL)

_OF_FILES = 2
"""Lines of a diff that name its files; a statement has none."""


def without_comments(sql: str) -> str:
    """The statement without its comments: they are no part of what runs, and may hold anything."""
    return _COMMENT.sub(lambda found: found["kept"] or " ", sql).strip()


def fix(floor: Floor, step: ToolStep) -> SqlFixed:
    """The mended statement with what was changed, or what was tried and what is lacking."""
    sql = without_comments(step.statement)
    source = source_of(floor, step, sql)
    if source is None:
        problem = say("ask.problem.which_source")
        return SqlFixed(call=step.call_id, dialect=step.understanding.dialect or "", original=sql, sql="", problems=(problem,))
    own = floor.dialect(source)

    def dry_run(statement: str) -> str | None:
        step.ctx.check_stopped()
        return floor.sources.check(source, statement, owner=floor.owner)

    same_engine = step.request.dialect is None or dialect_of(step.request.dialect) == dialect_of(own)
    error = step.request.error if same_engine else None  # another engine's message does not say what is wrong in this one
    found = repair(sql, error, own, floor.joined_tables(source), dry_run)
    mended = found.sql or ""
    return SqlFixed(
        call=step.call_id,
        source=source,
        dialect=dialect_of(own) or own,
        original=sql,
        sql=mended,
        changes=found.changes,
        diff="\n".join([*unified_diff(sql.splitlines(), mended.splitlines(), lineterm="", n=2)][_OF_FILES:]) if mended else "",
        checked=bool(mended),
        error_class=str(found.error.kind) if found.error else "",
        problems=() if mended else (found.lacking or say("ask.problem.not_fixed"),),
        tables=tables_of(floor, source, mended or sql),
    )
