"""The question's plan as SQL of its source, checked by the source's engine (`generate_sql`)."""

from collections.abc import Sequence

from contracts.ask.results import ReadingStatus, SqlMade, TablesFound, Understood
from contracts.base import Json
from contracts.statements import Statement, passage, say, sayables_in
from contracts.tables import TableDetail
from workers.engines.questions.edges import Edges
from workers.engines.sql.build import build_sql
from workers.engines.sql.explain import explain, lines_of
from workers.engines.sql.trees import dialect_of, parse_statement
from workers.errors import StatementFailed, StatementRefused
from workers.kinds.ask.roles.calls import ToolStep
from workers.kinds.ask.rules.labels import labelled
from workers.kinds.ask.work.drafting import Bench, Rows, draft_sql, tables_for
from workers.kinds.ask.work.floor import Floor
from workers.kinds.ask.work.reading import desk_of
from workers.kinds.ask.work.reviewing import reviewed
from workers.kinds.ask.work.statements import source_of, tables_of
from workers.llm import ChatClient
from workers.roles.reasoning import RULES, Reasoned, reason

MOST_EXAMPLES = 1_200
"""Characters of earlier questions with their statements that a model is shown."""


def make_sql(floor: Floor, step: ToolStep) -> Reasoned[SqlMade]:
    """The SQL, in the dialect that the user wants; it is checked in the source's own. What the rules have read is built from its plan; what
    they have not, a model may write. A statement that an operator gives is taken as it is."""
    given = str(step.arguments.get("sql") or "")
    if given:
        return Reasoned(_given(floor, step, given), RULES)
    found = step.earlier(TablesFound)
    reading = _reading_of(step, found)
    if reading is not None:
        return Reasoned(made_of(floor, step, reading), RULES)
    if found is None or not found.tables:
        return Reasoned(_nothing(step), RULES)
    return reason(step.ctx, lambda chat: by_model(floor, step, found, chat), lambda: _nothing(step))


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


def by_model(floor: Floor, step: ToolStep, found: TablesFound, chat: ChatClient) -> SqlMade:
    """The statement of a model, checked, repaired and compared. Raises `ModelAnswerUnusable` when no draft runs."""
    source = found.tables[0].source
    desk, own = desk_of(floor, step, source), floor.dialect(source)
    question = found.reading.text or step.understanding.question
    items, edges = desk.items(desk.spelled(question)), Edges(floor.tables(source), floor.joins(source))
    tables = tables_for(items, floor.tables(source), edges)
    pairs = ((left.full_name, right.full_name) for place, left in enumerate(tables) for right in tables[place + 1 :])
    paths = tuple(path for pair in pairs if (path := edges.between(*pair)) is not None)

    def dry_run(statement: str) -> str | None:
        step.ctx.check_stopped()
        return floor.sources.check(source, statement, owner=floor.owner)

    def rows(statement: str) -> Rows | str:
        try:
            result = floor.sources.query(source, statement, owner=floor.owner, job_id=step.ctx.job_id, step_id=step.ctx.step_id)
        except (StatementRefused, StatementFailed) as error:
            return str(error)
        return result.rows

    about = (f"The user: {step.understanding.background}",) if step.understanding.background else ()
    instructions = "\n".join((*step.understanding.definitions, *about))
    examples = "\n".join(f"{known.question}\n{known.sql}" for known in found.queries if known.question)[:MOST_EXAMPLES]
    drafted = draft_sql(chat, Bench(own, tables, paths, edges, dry_run, rows), question, items, instructions, examples)
    wanted = dialect_of(step.understanding.dialect or "") or own
    read, write = dialect_of(own), wanted
    return SqlMade(
        call=step.call_id,
        found_by=_discovery(step),
        source=source,
        dialect=wanted,
        sql=parse_statement(drafted.sql, read).sql(dialect=write, pretty=True, comments=False),
        says=_says(drafted.sql, read, tables),
        tables=tables_of(floor, source, drafted.sql),
        checked=True,
        review=reviewed(drafted.sql, floor.joined_tables(source), read, question, only_blockers=True),
        plan=drafted.plan,
        by=chat.answered_by or chat.model,
        is_verified=drafted.is_verified,
        other=drafted.other,
    )


def _says(sql: str, dialect: str, tables: Sequence[TableDetail]) -> tuple[Statement, ...]:
    return tuple(text for text in sayables_in(lines_of(explain(sql, dialect, tables))) if isinstance(text, Statement))


def made_of(floor: Floor, step: ToolStep, reading: Understood) -> SqlMade:
    """The SQL of a reading."""
    tables, own, plan = floor.tables(reading.source), floor.dialect(reading.source), labelled(reading.plan)
    wanted = dialect_of(step.understanding.dialect or "") or own
    native = build_sql(plan, tables, own)
    problem = floor.sources.check(reading.source, native, owner=floor.owner)
    return SqlMade(
        call=step.call_id,
        found_by=_discovery(step),
        source=reading.source,
        dialect=wanted,
        sql=build_sql(plan, tables, wanted),
        plan=plan,
        says=reading.says,
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
