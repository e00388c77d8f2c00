"""What a model is shown of the deployment: tables, joins, documents, earlier queries, the date and the session."""

from collections.abc import Sequence

from contracts.pipelines.package import EtlPackage
from contracts.tables import JoinEvidence, JoinPath, TableDetail
from workers.engines.sql.plan_shape import is_unique
from workers.engines.sql.trees import dialect_of
from workers.errors import NotFound
from workers.kinds.etl.playbook import PACKAGE
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
        joins=_likely(floor.joins(source, [table.full_name for table in tables]), tables),
        definitions=[*floor.terms(source), *floor.definitions(words, source)],
        queries=[f"{query.question}\n{query.sql}".strip() for query in queries],
        today=today_text(floor.now, floor.ctx.services.settings.times),
        memory="\n".join(filter(None, (floor.ctx.session.context(), _demands_before(floor)))),
    )


def _demands_before(floor: Floor) -> str:
    """What the session's last requirement demanded, and what became of it."""
    session = floor.ctx.session
    last = next((earlier for earlier in session.earlier() if earlier.kind == "etl" and earlier.stage == PACKAGE), None)
    if last is None:
        return ""
    try:
        package = session.read(EtlPackage, last)
    except NotFound:
        return ""  # retention has removed it
    lines = [f"- {demand.text} {f'Met by: {demand.by}' if demand.by else 'Open.'}" for demand in package.demands]
    return "\n".join((f"Demands on {package.analysis.target.table}:", *lines)) if lines else ""


def _likely(joins: Sequence[JoinPath], tables: Sequence[TableDetail]) -> list[JoinPath]:
    """The joins without those that only equal names speak for, and no key on either side: two load times, two amounts."""
    known = {table.full_name: table for table in tables}
    return [
        path
        for path in joins
        if path.evidence is not JoinEvidence.NAMES
        or is_unique(known[path.left], set(path.left_columns))
        or is_unique(known[path.right], set(path.right_columns))
    ]
