"""What the first question of a process would load: words and tables of a source, its dialect of SQL, the sandbox that statements are
reviewed in. No statement runs on a source, and nothing is kept but in memory."""

from uuid import UUID

from workers.engines.sql.build import build_sql
from workers.engines.sql.trees import dialect_of
from workers.kinds.ask.rules.labels import labelled
from workers.kinds.ask.work.floor import Floor
from workers.kinds.ask.work.reading import reader_of
from workers.kinds.ask.work.reviewing import reviewed
from workers.roles.base import Services, StepContext

_NOBODY = UUID(int=0)


def rehearse(services: Services) -> bool:
    """Read a question about the first source that has tables, and write its SQL."""
    ctx = StepContext(_NOBODY, _NOBODY, "", "ask", 1, {}, {}, (), services)
    floor = Floor(ctx)
    source = next((name for name in floor.visible if floor.tables(name)), None)
    if source is None:
        return False
    tables, own = floor.tables(source), floor.dialect(source)
    question = f"How many {tables[0].name}?"
    floor.catalogue.search(question, owner=floor.owner, source=source)
    read = reader_of(floor, source, looks_up=False).read(question)
    for found in read.readings[:1]:
        statement = build_sql(labelled(found.plan), tables, own)
        reviewed(statement, floor.joined_tables(source), dialect_of(own) or own, only_blockers=True)
    return True
