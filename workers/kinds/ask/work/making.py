"""The question's plan as SQL of its source, checked by the source's engine (`generate_sql`)."""

from collections.abc import Sequence

from contracts.ask.results import ReadingStatus, SqlMade, TablesFound, Understood
from contracts.base import Json
from contracts.statements import Statement, passage, say
from contracts.tables import TableDetail
from workers.engines.sql.build import build_sql
from workers.engines.sql.explain import explain, statements_of
from workers.engines.sql.trees import dialect_of
from workers.kinds.ask.roles.calls import ToolStep
from workers.kinds.ask.rules.labels import labelled
from workers.kinds.ask.work.floor import Floor
from workers.kinds.ask.work.reviewing import reviewed
from workers.kinds.ask.work.statements import source_of, tables_of
from workers.kinds.ask.work.writing import write_sql
from workers.roles.reasoning import RULES, Reasoned, reason


def make_sql(floor: Floor, step: ToolStep) -> Reasoned[SqlMade]:
    """The SQL, in the dialect that the user wants; it is checked in the source's own. A model writes it where one read the message; else it
    is built from the plan that the rules have read. A statement that an operator gives is taken as it is."""
    given = str(step.arguments.get("sql") or "")
    if given:
        return Reasoned(_given(floor, step, given), RULES)
    found = step.earlier(TablesFound)
    if step.understanding.by_model and found is not None:
        return reason(step.ctx, lambda chat: write_sql(floor, step, found, chat), lambda: _nothing(step))
    reading = _reading_of(step, found)
    if reading is not None:
        return Reasoned(made_of(floor, step, reading), RULES)
    return Reasoned(_nothing(step), RULES)


def _given(floor: Floor, step: ToolStep, sql: str) -> SqlMade:
    """An operator's own statement, checked and reviewed like any other. Nobody compared it with the question."""
    source = source_of(floor, step, sql)
    made = SqlMade(call=step.call_id, found_by=_discovery(step), source=source or "", dialect="", sql="", is_verified=False)
    if source is None:
        return made.model_copy(update={"problems": (say("ask.problem.which_source"),)})
    own = floor.dialect(source)
    dialect = dialect_of(own) or own
    problem = floor.sources.check(source, sql, owner=floor.owner)
    reading: Json = {}
    if problem is None:
        tables = floor.joined_tables(source)
        reading = {"says": _says(sql, dialect, tables), "review": reviewed(sql, tables, dialect, step.understanding.question)}
    return made.model_copy(
        update={
            **reading,
            "dialect": own,
            "sql": sql,
            "tables": tables_of(floor, source, sql),
            "checked": problem is None,
            "problems": () if problem is None else (say("ask.problem.not_checked", reason=passage(problem)),),
        }
    )


def _reading_of(step: ToolStep, found: TablesFound | None) -> Understood | None:
    if step.understanding.chosen is not None:
        return step.understanding.chosen
    return found.reading.candidates[0] if found and found.reading.status is ReadingStatus.READ else None


def _nothing(step: ToolStep) -> SqlMade:
    return SqlMade(
        call=step.call_id, found_by=_discovery(step), source="", dialect="", sql="", problems=(say("ask.problem.no_reading"),)
    )  # fmt: skip


def _says(sql: str, dialect: str, tables: Sequence[TableDetail]) -> tuple[Statement, ...]:
    return statements_of(explain(sql, dialect, tables))


def made_of(floor: Floor, step: ToolStep, reading: Understood) -> SqlMade:
    """The SQL of a reading."""
    tables, own, plan = floor.every(reading.source), floor.dialect(reading.source), labelled(reading.plan)
    wanted = dialect_of(step.understanding.dialect or "") or own
    native = build_sql(plan, tables, own)
    problem = floor.sources.check(reading.source, native, owner=floor.owner)
    return SqlMade(
        call=step.call_id,
        found_by=_discovery(step),
        source=reading.source,
        dialect=wanted,
        sql=build_sql(plan, tables, wanted),
        native="" if dialect_of(wanted) == dialect_of(own) else native,
        plan=plan,
        says=reading.says,
        definitions=reading.definitions,
        tables=tuple(dict.fromkeys(_full_name(source.table, tables) for source in reading.plan.sources)),
        checked=problem is None,
        review=reviewed(native, floor.joined_tables(reading.source), dialect_of(own) or own, only_blockers=True),
        problems=() if problem is None else (say("ask.problem.not_checked", reason=passage(problem)),),
    )


def _discovery(step: ToolStep) -> str:
    """The call on which the SQL rests (S35)."""
    return str(step.arguments.get("found_by", ""))


def _full_name(name: str, tables: tuple[TableDetail, ...]) -> str:
    return next((table.full_name for table in tables if name in (table.full_name, table.name)), name)
