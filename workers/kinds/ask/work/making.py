"""The question's plan as SQL of its source, checked by the source's engine (`generate_sql`)."""

from contracts.ask.results import SqlMade, TablesFound, Understood
from contracts.statements import passage, say
from contracts.tables import TableDetail
from workers.engines.sql.build import build_sql
from workers.engines.sql.trees import dialect_of
from workers.kinds.ask.roles.calls import ToolStep
from workers.kinds.ask.rules.labels import labelled
from workers.kinds.ask.work.floor import Floor


def make_sql(floor: Floor, step: ToolStep) -> SqlMade:
    """The SQL, in the dialect that the user wants; it is checked in the source's own."""
    found = step.earlier(TablesFound)
    reading = step.understanding.chosen or (found.reading.candidates[0] if found and found.reading.candidates else None)
    if reading is None:
        return SqlMade(call=step.call_id, source="", dialect="", sql="", problems=(say("ask.problem.no_reading"),))
    return made_of(floor, step, reading)


def made_of(floor: Floor, step: ToolStep, reading: Understood) -> SqlMade:
    """The SQL of a reading."""
    tables, own, plan = floor.tables(reading.source), floor.dialect(reading.source), labelled(reading.plan)
    wanted = dialect_of(step.understanding.dialect or "") or own
    problem = floor.sources.check(reading.source, build_sql(plan, tables, own), owner=floor.owner)
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
        problems=() if problem is None else (say("ask.problem.not_checked", reason=passage(problem)),),
    )


def _discovery(step: ToolStep) -> str:
    """The call on which the SQL rests (S35)."""
    return str(step.arguments.get("found_by", ""))


def _full_name(name: str, tables: tuple[TableDetail, ...]) -> str:
    return next((table.full_name for table in tables if name in (table.full_name, table.name)), name)
