"""A query that somebody filled in as a question of `ask`: its plan, its SQL and how it is read back, before anything runs."""

from collections.abc import Sequence

from contracts.ask.request import AskRequest, BuiltQuestion, Strategy
from contracts.ask.results import ChartWish, Understood
from contracts.ask.steps import Carried, Understanding
from contracts.ask.tools import Tool
from contracts.plan_wishes import PlanWish
from contracts.statements import Join, lines, listing, names, say
from contracts.statements import name as identifier
from contracts.tables import JoinPath, TableDetail
from workers.blackboard.engine import Database
from workers.catalogue import Catalogue
from workers.engines.questions.understood import understood
from workers.engines.requirements import described_keys, observed_keys
from workers.engines.sql.build import build_sql
from workers.engines.sql.plan_check import plan_problems
from workers.engines.sql.trees import dialect_of
from workers.engines.wished_plans import NoPlan, plan_of
from workers.errors import InvalidInput
from workers.kinds.ask.rules.labels import labelled
from workers.kinds.ask.work.floor import Floor
from workers.kinds.base import BuiltQuery
from workers.saying import text_of
from workers.sources import get_source

MOST_WORDS = 300
"""Characters of the words that name the job."""


def build_query(db: Database, wish: PlanWish, owner: str, language: str) -> BuiltQuery:
    """The job for it, with what it will do. Raises `InvalidInput` with all that is wrong."""
    tables, paths = known_of(db, wish.source, owner)
    try:
        plan = plan_of(wish, tables, paths)
    except NoPlan as problem:
        raise InvalidInput.of(lines(*problem.problems)) from None
    says = understood(plan)
    own = get_source(db, wish.source).kind.value
    built = BuiltQuestion(plan=plan, mark=wish.mark)
    request = AskRequest(
        question=" ".join(text_of(line, language) for line in says)[:MOST_WORDS], source=wish.source, strategy=Strategy.DIRECT, built=built
    )
    return BuiltQuery(build_sql(labelled(plan), tables, dialect_of(own) or own), says, request.to_json())


def known_of(db: Database, source: str, owner: str) -> tuple[Sequence[TableDetail], Sequence[JoinPath]]:
    """The tables of a source that an owner may see, and the ways to join them."""
    catalogue = Catalogue(db, None)
    tables, _ = observed_keys(described_keys(catalogue.tables(source, owner=owner)))
    return tables, catalogue.joins(source, [table.full_name for table in tables], owner=owner) if len(tables) > 1 else ()


def understood_built(floor: Floor, request: AskRequest, carried: Carried | None) -> Understanding | None:
    """The understanding of a question that was filled in: its plan, as far as it fits the tables of today. None: it was written. Raises
    `InvalidInput`."""
    built, source = request.built, request.source
    if built is None:
        return None
    if source is None or source not in floor.visible:
        raise InvalidInput.of(say("ask.refused.built_source", known=names(sorted(floor.visible) or ["-"])))
    if problems := plan_problems(built.plan, floor.every(source)):
        raise InvalidInput.of(lines(*problems))
    says = understood(built.plan)
    label = say("ask.reading", source=identifier(source), says=listing(*says, join=Join.SENTENCES))
    return Understanding(
        question=request.question, words=request.question, subject=request.question, intent=Tool.GENERATE_SQL, final_intent=Tool.EXECUTE,
        is_direct=True, source=source, carried=carried,
        chosen=Understood(source=source, says=says, label=label, plan=built.plan),
        chart=None if built.mark is None else ChartWish(mark=built.mark),
    )  # fmt: skip
