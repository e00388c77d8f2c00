"""A statement that its engine refuses, mended: the smallest change with which it runs (`fix_sql`)."""

from difflib import unified_diff
from typing import Any

from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import TokenError

from contracts.ask.answers import FixAnswer
from contracts.ask.results import SqlFixed
from contracts.statements import name, passage, say
from workers.engines.sql.repair import repair, translated
from workers.engines.sql.schema_text import table_text
from workers.engines.sql.traps import traps_of
from workers.engines.sql.trees import NotParsed, dialect_of, parse_statement
from workers.kinds.ask.roles.calls import ToolStep
from workers.kinds.ask.work.dialogue import replies_of, session_text
from workers.kinds.ask.work.floor import Floor
from workers.kinds.ask.work.reviewing import reviewed
from workers.kinds.ask.work.statements import source_of, tables_of
from workers.llm import ChatClient
from workers.llm.brief import Brief, replies_text, today_text
from workers.llm.checked import ask_checked
from workers.saying.sql_review import objection_text

_UNREADABLE = "syntax error"
"""What is said of a text that is no SQL of its dialect: there is no engine of it that would say more."""

MOST_FINDINGS = 3
"""Findings of a review that a model is shown."""
_OF_FILES = 2
"""Lines of a diff that name its files; a statement has none."""


def without_comments(sql: str, dialect: str) -> str:
    """The statement without its comments: they are no part of what runs, and may hold anything. What is one, the dialect decides."""
    try:
        tokens = Dialect.get_or_raise(dialect_of(dialect) or None).tokenize(sql)
    except TokenError:
        return sql.strip()
    kept, end = list[str](), 0
    for token in tokens:
        between = sql[end : token.start]
        kept += [" " if between.strip() else between, sql[token.start : token.end + 1]]
        end = token.end + 1
    return "".join(kept).strip()


SHARE_TABLES, SHARE_STATEMENT, SHARE_REVIEW, SHARE_MESSAGE = 0.35, 0.25, 0.1, 0.1
"""Shares of the model's window."""


def fix_by_model(floor: Floor, step: ToolStep, chat: ChatClient) -> SqlFixed:
    """The statement as a model mends it, tried by the source's engine; its question back where the statement can be meant in several ways.
    Raises `ModelAnswerUnusable` when nothing that it writes runs."""
    source = source_of(floor, step, step.statement)
    if source is None:
        return fix(floor, step)
    own = floor.dialect(source)
    wanted = step.request.dialect or step.understanding.dialect or own
    sql = without_comments(step.statement, wanted)
    same_engine = dialect_of(wanted) == dialect_of(own)
    brief = Brief.of(chat)
    named = {name.casefold() for name in tables_of(floor, source, sql)}
    tables = [table for table in floor.every(source) if table.full_name.casefold() in named] or list(floor.tables(source))
    error = step.request.error or (floor.sources.check(source, sql, owner=floor.owner) if same_engine else "") or ""
    review = "" if error else _review(floor, step, source, sql)

    def problem_of(answer: FixAnswer) -> str | None:
        step.ctx.check_stopped()
        if sum(map(bool, (answer.sql.strip(), answer.ask, answer.cannot))) != 1:
            return "Give exactly one of `sql`, `ask` and `cannot`."
        if answer.ask and not step.ctx.may_ask:
            return "The user cannot be asked any more: take the most likely meaning and say so in `changes`."
        if not answer.sql.strip():
            return None
        if not same_engine:
            return parse_problem(answer.sql, dialect_of(wanted))
        return floor.sources.check(source, answer.sql.strip().rstrip(";"), owner=floor.owner)

    from_user: dict[str, Any] = {  # made first, so that it has room
        "statement": brief.text("statement", sql, SHARE_STATEMENT),
        "error": brief.text("error", error, SHARE_REVIEW),
        "words": brief.text("message", step.understanding.words, SHARE_MESSAGE),
        "replies": brief.text("answers", replies_text(replies_of(step.ctx)), SHARE_MESSAGE),
    }
    found = ask_checked(
        chat,
        FixAnswer,
        problem_of,
        prompt="developer/fix_sql",
        dialect=dialect_of(wanted) or own,
        traps=traps_of(wanted),
        today=today_text(floor.now, floor.ctx.services.settings.times),
        tables=brief.items("tables", [table_text(table, dialect_of(own) or own) for table in tables], SHARE_TABLES, separator="\n\n"),
        **from_user,
        review=brief.text("review", review, SHARE_REVIEW),
        session=session_text(step.ctx, brief),
        prompt_cuts=brief.cut_rows(),
    )
    mended = found.sql.strip().rstrip(";")
    return SqlFixed(
        call=step.call_id,
        source=source,
        dialect=dialect_of(wanted) or own,
        original=sql,
        sql=mended,
        changes=found.changes,
        diff=_diff(sql, mended) if mended else "",
        checked=bool(mended) and same_engine,
        by=chat.answered_by or chat.model,
        asks=found.ask,
        choices=found.choices if found.ask else (),
        problems=(say("ask.refuse.of_model", reason=passage(found.cannot)),) if found.cannot else (),
        tables=tables_of(floor, source, mended or sql),
    )


def _review(floor: Floor, step: ToolStep, source: str, sql: str) -> str:
    """What a review finds in a statement that runs, with the rows that show it: such a statement is brought for its result."""
    own = dialect_of(floor.dialect(source)) or floor.dialect(source)
    found = reviewed(sql, floor.joined_tables(source), own, step.understanding.words)
    return "\n\n".join(objection_text(finding) for finding in found.findings[:MOST_FINDINGS])


def parse_problem(sql: str, dialect: str) -> str | None:
    """Why a statement cannot be parsed in a dialect that no engine here has."""
    try:
        parse_statement(sql, dialect)
    except NotParsed as error:
        return error.reason
    return None


def _diff(before: str, after: str) -> str:
    return "\n".join([*unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=2)][_OF_FILES:])


def fix(floor: Floor, step: ToolStep) -> SqlFixed:
    """The mended statement with what was changed, or what was tried and what is lacking."""
    source = source_of(floor, step, step.statement)
    if source is None:
        problem, dialect = say("ask.problem.which_source"), step.understanding.dialect or ""
        return SqlFixed(
            call=step.call_id, dialect=dialect, original=without_comments(step.statement, dialect), sql="", problems=(problem,)
        )  # fmt: skip
    own = dialect_of(floor.dialect(source)) or floor.dialect(source)
    written = dialect_of(step.request.dialect or "") or own
    sql = without_comments(step.statement, written)
    tables = floor.joined_tables(source)

    def dry_run(statement: str) -> str | None:
        step.ctx.check_stopped()
        text = statement if written == own else translated(statement, written, own, tables)
        return floor.sources.check(source, text, owner=floor.owner) if text is not None else _UNREADABLE

    found = repair(sql, step.request.error, written, tables, dry_run, is_tried=written == own)
    mended = found.sql or ""
    elsewhere = () if written == own or not mended else (say("ask.fixed.elsewhere", dialect=name(written), source=name(source)),)
    return SqlFixed(
        call=step.call_id,
        source=source,
        dialect=written,
        original=sql,
        sql=mended,
        changes=(*found.changes, *elsewhere),
        diff=_diff(sql, mended) if mended else "",
        checked=bool(mended) and written == own,
        error_class=str(found.error.kind) if found.error else "",
        problems=() if mended else (found.lacking or say("ask.problem.not_fixed"),),
        tables=tables_of(floor, source, mended or sql),
    )
