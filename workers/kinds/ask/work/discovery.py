"""The tables that a question is about, and the question read as a query over them (`data_discovery`)."""

from collections.abc import Mapping, Sequence
from itertools import islice

from contracts.ask.results import ChosenTable, Reading, ReadingStatus, TablesFound
from contracts.ask.tools import Tool
from contracts.catalogue import NodeKind, Passage
from contracts.pointers import AnyPointer, ColumnPointer, TablePointer
from contracts.questions import OpenWord
from contracts.sources import Source
from contracts.statements import count, names, say
from contracts.tables import ColumnDetail, JoinPath, TableDetail
from workers.engines.offered_questions import formula_offered, offered
from workers.engines.questions.edges import Edges
from workers.engines.questions.words import key, split_name
from workers.kinds.ask.roles.calls import ToolStep
from workers.kinds.ask.rules.messages import Command, command_in
from workers.kinds.ask.rules.reading import best_reading
from workers.kinds.ask.work.documents import about_tables, instead_of_data
from workers.kinds.ask.work.floor import Floor
from workers.kinds.ask.work.reading import defined_in, read_question, reader_of

MOST_TABLES = 5
"""Tables that an answer names."""

MOST_SOURCES = 6
"""Sources in which a question is read as a query, the best fitting first."""

MOST_OFFERS = 3
"""Questions that are offered in the place of one that was not read."""

MOST_LISTED = 30
"""Tables that are listed when all are asked for."""

CLOSE = 0.72
"""A further table is named when its score has this share of the best one's."""

LOOSE = 0.3
"""The same where a model or the user chooses among them."""

KINDS = frozenset({NodeKind.TABLE, NodeKind.COLUMN, NodeKind.VALUE_DOMAIN})


def discover(floor: Floor, step: ToolStep) -> TablesFound:
    """Pointers, the tables chosen from them with reasons, joins, what documents say, known queries, and the reading (S34)."""
    understanding, request = step.understanding, step.request
    wanted = request.source or (None if understanding.by_model else understanding.source) or _earlier_source(step)
    asked = floor.asked(wanted)
    if not asked:
        documents = instead_of_data(floor, understanding.words, ()) if understanding.final_intent is Tool.EXECUTE else ()
        return TablesFound(reading=Reading(status=ReadingStatus.NOTHING, question=say("ask.refuse.no_sources")), documents=documents)
    question = understanding.question
    if understanding.by_model:
        return _for_model(floor, step, asked)
    pointers = floor.search(question, wanted, KINDS)
    pointers = tuple(pointer for pointer in pointers if _source(pointer) in asked)
    reading = _reading(floor, step, list(dict.fromkeys([*(_source(pointer) for pointer in pointers), *asked]))[:MOST_SOURCES])
    if understanding.final_intent is Tool.DATA_DISCOVERY and command_in(understanding.words) is Command.ALL_TABLES:
        return _all_tables(floor, list(asked), reading)
    chosen, more = _chosen(
        floor, pointers, reading, _named(floor, step, pointers) if understanding.final_intent is Tool.DATA_DISCOVERY else ()
    )
    source = chosen[0].source if chosen else ""
    is_asked_back = reading.status is ReadingStatus.UNPLACED and understanding.final_intent is not Tool.DATA_DISCOVERY
    return TablesFound(
        tables=tuple(chosen),
        more_tables=more,
        joins=_joins(floor, source, [table.name for table in chosen if table.source == source]) if source else (),
        documents=_documents(floor, step, source, reading),
        queries=floor.catalogue.queries(question, source or None, owner=floor.owner, limit=3) if source else (),
        pointers=_near(floor, wanted, reading) if is_asked_back else pointers[:10],
        reading=reading,
    )


def _near(floor: Floor, source: str | None, reading: Reading) -> tuple[AnyPointer, ...]:
    """What the search finds for the words that were not read."""
    words = " ".join(reading.unplaced)
    found = floor.search(words, source, {NodeKind.COLUMN})
    return tuple(pointer for pointer in found if _source(pointer) in floor.asked(source))[:10]


def _for_model(floor: Floor, step: ToolStep, asked: Mapping[str, Source]) -> TablesFound:
    """What the search finds; the tables that the supervisor named come first. Nothing is read by rules."""
    understanding = step.understanding
    wanted = understanding.source if understanding.source in asked else step.request.source
    found = floor.search(understanding.question, wanted, KINDS)
    pointers = tuple(pointer for pointer in found if _source(pointer) in asked)
    named = [
        (source, table.full_name)
        for name in understanding.tables
        for source in ([wanted] if wanted else list(asked))
        for table in floor.tables(source)
        if table.full_name == name
    ]
    reading = Reading(status=ReadingStatus.OPEN, text=understanding.question, open_word=_differing(floor, step, wanted, asked))
    if understanding.final_intent is Tool.DATA_DISCOVERY and not named and not pointers:
        return _all_tables(floor, list(asked), reading)
    chosen, more = _chosen(floor, pointers, reading, named)
    source = chosen[0].source if chosen else wanted or ""
    return TablesFound(
        tables=tuple(chosen),
        more_tables=more,
        joins=_joins(floor, source, [table.name for table in chosen if table.source == source]) if source else (),
        documents=about_tables(floor, understanding.question, source or None),
        queries=floor.catalogue.queries(understanding.question, source or None, owner=floor.owner, limit=3),
        pointers=pointers[:10],
        reading=reading,
    )


def _differing(floor: Floor, step: ToolStep, wanted: str | None, asked: Mapping[str, Source]) -> OpenWord | None:
    """The first word of a question about figures whose definitions compute different ones: no model chooses between them."""
    understanding = step.understanding
    source = wanted or (next(iter(asked)) if len(asked) == 1 else "")
    if not source or not step.ctx.may_ask or understanding.final_intent not in (Tool.EXECUTE, Tool.GENERATE_SQL):
        return None
    words = defined_in(floor, step, source, understanding.question)
    found = next((word.open for word in words if word.open is not None and word.open.differs), None)
    return None if found is None else found.model_copy(update={"source": source})


def _documents(floor: Floor, step: ToolStep, source: str, reading: Reading) -> tuple[Passage, ...]:
    """What documents say beside the tables that are looked for, or where a question about data is none."""
    understanding = step.understanding
    if understanding.final_intent is Tool.DATA_DISCOVERY:
        return about_tables(floor, understanding.question, source) if source else ()
    is_none = understanding.final_intent is Tool.EXECUTE and reading.status is ReadingStatus.UNPLACED and reading.unplaced
    return instead_of_data(floor, understanding.words, reading.unplaced) if is_none and not understanding.is_follow_up else ()


def _earlier_source(step: ToolStep) -> str | None:
    """Where the conversation is: a follow-up stays there."""
    understanding = step.understanding
    return understanding.carried.source or None if understanding.is_follow_up and understanding.carried else None


def _source(pointer: AnyPointer) -> str:
    return pointer.catalog if isinstance(pointer, TablePointer | ColumnPointer) else ""


def _reading(floor: Floor, step: ToolStep, sources: Sequence[str]) -> Reading:
    chosen = step.understanding.chosen
    if chosen is not None:
        return Reading(status=ReadingStatus.READ, candidates=(chosen,))
    carried = step.understanding.carried
    here = carried.source if carried is not None and carried.source in sources else ""
    if here and (reading := read_question(floor, step, here)).status in (ReadingStatus.READ, ReadingStatus.AMBIGUOUS):
        return best_reading([reading])  # the conversation stays where it is as long as its questions are read there
    found = best_reading([read_question(floor, step, source) for source in sources])
    return _with_offers(floor, step, found, sources[0]) if found.unplaced and not found.candidates else found


def _with_offers(floor: Floor, step: ToolStep, reading: Reading, source: str) -> Reading:
    """With questions about the source that are read as they are, those about the tables that the words name first."""
    reader = reader_of(floor, source, looks_up=False)
    named = reader.named_tables(step.understanding.words)
    offers = tuple(islice(offered(reader, step.language, named), MOST_OFFERS))
    return reading.model_copy(update={"offers": offers, "formula": formula_offered(reader, named)})


def _named(floor: Floor, step: ToolStep, pointers: Sequence[AnyPointer]) -> Sequence[tuple[str, str]]:
    """Source and full name of the tables that words of the question name without doubt, and of those that connect them. The search may
    find one of them so well that the others are not near it."""
    source = next((_source(pointer) for pointer in pointers if _source(pointer)), "")
    if not source:
        return ()
    named = list(reader_of(floor, source).named_tables(step.understanding.words))
    tables = floor.tables(source)
    edges = Edges(tables, floor.joins(source))
    between = [
        table.full_name for table in tables
        if table.full_name not in named and sum(edges.between(name, table.full_name) is not None for name in named) > 1
    ]  # fmt: skip
    wanted = list(dict.fromkeys([*named[:MOST_TABLES], *between]))[:MOST_TABLES]
    return [(source, table.full_name) for table in tables if table.full_name in wanted]


def _chosen(
    floor: Floor, pointers: Sequence[AnyPointer], reading: Reading, named: Sequence[tuple[str, str]] = ()
) -> tuple[list[ChosenTable], int]:
    """The tables of the reading, or else those that the words name and that the search found; and how many more these are."""
    wanted: dict[tuple[str, str], set[str]] = {}
    for candidate in reading.candidates:
        for source in candidate.plan.sources:
            wanted.setdefault((candidate.source, source.table), set())
    if not wanted:
        best = max((pointer.score for pointer in pointers), default=0.0)
        close = LOOSE if reading.status is ReadingStatus.OPEN else CLOSE
        for pointer in pointers:
            if isinstance(pointer, TablePointer | ColumnPointer) and pointer.score >= close * best:
                full = f"{pointer.schema_name}.{pointer.table}" if pointer.schema_name else pointer.table
                columns = wanted.setdefault((pointer.catalog, full), set())
                if isinstance(pointer, ColumnPointer):
                    columns.add(pointer.column)
        for place in named:
            wanted.setdefault(place, set())
        if reading.status is not ReadingStatus.OPEN:  # a name that is said wins over names that contain it
            wanted = {
                place: columns for place, columns in wanted.items()
                if columns or place in named or not any(_is_within(name, place[1]) for _, name in named)
            }  # fmt: skip
    named_first = bool(named) or reading.status is ReadingStatus.OPEN
    order = sorted(wanted.items(), key=lambda item: item[0] not in named) if named_first else list(wanted.items())
    found: list[ChosenTable] = []
    for (source, name), columns in order[:MOST_TABLES]:
        detail = floor.catalogue.table(source, name, owner=floor.owner)
        if detail is not None:
            found.append(_chosen_table(source, detail, columns))
    return found, max(0, len(order) - MOST_TABLES)


def _is_within(name: str, other: str) -> bool:
    """Whether the name of a table is a part of the name of another: `orders` of `order_items`, 订单 of 订单明细."""
    own, its = ([key(word) for word in split_name(full.rpartition(".")[2])] for full in (name, other))
    return own != its and (set(own) < set(its) or (not name.isascii() and "".join(own) in "".join(its)))


def _all_tables(floor: Floor, sources: Sequence[str], reading: Reading) -> TablesFound:
    """The tables of the sources without their columns, in the order of their names."""
    found = [(source, table) for source in sources for table in floor.tables(source)]
    listed = tuple(
        ChosenTable(
            source=source, name=table.full_name, description=table.description, reason=say("ask.reason.all", n=count(len(table.columns)))
        )
        for source, table in found[:MOST_LISTED]
    )
    return TablesFound(tables=listed, more_tables=len(found) - len(listed), reading=reading)


def _chosen_table(source: str, detail: TableDetail, columns: set[str]) -> ChosenTable:
    reason = say("ask.reason.columns", columns=names(sorted(columns))) if columns else say("ask.reason.table")
    return ChosenTable(
        source=source,
        name=detail.full_name,
        description=detail.description,
        columns=tuple(map(_brief, detail.columns)),
        reason=reason,
    )


def _brief(column: ColumnDetail) -> ColumnDetail:
    """Name, type and meaning; what is known of the values stays in the catalogue, under its key."""
    return ColumnDetail(name=column.name, type=column.type, description=column.description)


def _joins(floor: Floor, source: str, tables: Sequence[str]) -> tuple[JoinPath, ...]:
    if len(tables) < 2:
        return ()
    found = floor.catalogue.joins(source, tables, owner=floor.owner)
    first: dict[frozenset[str], JoinPath] = {}
    for path in found:
        first.setdefault(frozenset((path.left, path.right)), path)
    return tuple(first.values())
