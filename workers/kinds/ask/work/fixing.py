"""A statement that its engine refuses, mended: the smallest change with which it runs (`fix_sql`)."""

import re
from difflib import unified_diff

from contracts.ask.results import SqlFixed
from contracts.statements import name, say
from workers.engines.sql.repair import repair, translated
from workers.engines.sql.trees import dialect_of
from workers.kinds.ask.roles.calls import ToolStep
from workers.kinds.ask.work.floor import Floor
from workers.kinds.ask.work.statements import source_of, tables_of

_COMMENT = re.compile(r"(?P<kept>'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`)|--[^\n]*|/\*.*?\*/", re.DOTALL)

_UNREADABLE = "syntax error"
"""What is said of a text that is no SQL of its dialect: there is no engine of it that would say more."""

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
    own = dialect_of(floor.dialect(source)) or floor.dialect(source)
    written = dialect_of(step.request.dialect or "") or own
    tables = floor.joined_tables(source)

    def dry_run(statement: str) -> str | None:
        step.ctx.check_stopped()
        text = statement if written == own else translated(statement, written, own, tables)
        return floor.sources.check(source, text, owner=floor.owner) if text is not None else _UNREADABLE

    found = repair(sql, step.request.error, written, tables, dry_run)
    mended = found.sql or ""
    elsewhere = () if written == own or not mended else (say("ask.fixed.elsewhere", dialect=name(written), source=name(source)),)
    return SqlFixed(
        call=step.call_id,
        source=source,
        dialect=written,
        original=sql,
        sql=mended,
        changes=(*found.changes, *elsewhere),
        diff="\n".join([*unified_diff(sql.splitlines(), mended.splitlines(), lineterm="", n=2)][_OF_FILES:]) if mended else "",
        checked=bool(mended) and written == own,
        error_class=str(found.error.kind) if found.error else "",
        problems=() if mended else (found.lacking or say("ask.problem.not_fixed"),),
        tables=tables_of(floor, source, mended or sql),
    )
