"""What a model is shown of the deployment: tables, joins, documents, earlier queries, the date and the session."""

from workers.engines.sql.trees import dialect_of
from workers.kinds.etl.roles.by_model import Known
from workers.kinds.etl.work.floor import Floor
from workers.llm.brief import today_text


def known_of(floor: Floor, source: str, words: str, dialect: str = "") -> Known:
    """The same for every role of a job. `words`: the requirement, by which the best tables, documents and queries are found."""
    tables = floor.tables(source)
    own = floor.dialect(source)
    queries = [query for query in floor.queries(words, source) if query.sql]
    return Known(
        dialect=dialect or dialect_of(own) or own,
        tables=tables,
        pointers=floor.pointers(words, source),
        joins=floor.joins(source, [table.full_name for table in tables]),
        definitions=[*floor.terms(source), *floor.definitions(words, source)],
        queries=[f"{query.question}\n{query.sql}".strip() for query in queries],
        today=today_text(floor.now, floor.ctx.services.settings.times),
        memory=floor.ctx.session.context(),
    )
