"""The ticket history: importing, showing, deleting. A batch is one transaction under one lock, so that the derived rows (phenomena,
causes, counts, words) always match the stored tickets."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any
from uuid import UUID

import psycopg

from contracts.base import clean_json, content_hash
from contracts.refusals import at
from contracts.statements import as_value, code, name, say
from contracts.tickets import Anomaly, ImportReport, Ticket, TicketProblem
from workers.blackboard.engine import Database, Row, jsonb
from workers.errors import ConfigurationError, EngineError, InvalidInput, NotFound
from workers.llm.embedder import Embedder
from workers.loggers import get_logger
from workers.retrieval.tokens import tokens
from workers.retrieval.vectors import require_dim
from workers.tickets.changes import Batch, Change, What, before, forget, last_change, mark_undone
from workers.tickets.corpora import KINDS, take_turns
from workers.tickets.derived import Touched, refresh, retract, tidy
from workers.tickets.embedding import AT_ONCE_S, embed_history
from workers.tickets.readings import with_readings
from workers.tickets.table_files import Item
from workers.tickets.ticket_files import once_each, read_tickets
from workers.tickets.ticket_rows import DRAWN, drawn_of
from workers.tickets.wording import cause_id, phenomenon_id, symptoms_of

__all__ = [
    "count_history",
    "delete_ticket",
    "edit_ticket",
    "import_tickets",
    "page_of_tickets",
    "read_tickets",
    "show_ticket",
    "store_ticket",
    "undo_change",
]

Connection = psycopg.Connection[Row]

log = get_logger(__name__)

_DRAWN_AS = {"root_cause": "root_cause", "solution": "solution", "anomalies": "observations"}
"""Field → its name in the list of those that were drawn from prose."""

OF_A_JOB, LAST_OF_A_JOB = "bullpen", 12
"""How the id of a ticket begins that a job made, before the `-` and the job's id, and the length of the last group of that."""

_PART = 1_000
_PART_CHARACTERS = 8_000_000


def import_tickets(
    db: Database,
    embedder: Embedder | None,
    items: Iterable[Item],
    *,
    strict: bool = False,
    embed_s: float | None = AT_ONCE_S,
    what: What = "import",
    progress: Callable[[int], None] | None = None,
    embedded: Callable[[int], None] | None = None,
) -> ImportReport:
    """Take tickets in by their ids: new ones are added, changed ones replaced, equal ones left alone.

    Problems in `items` and ids that come twice (the first is kept) are reported, and the rest is taken; with `strict`
    a single problem means that nothing is, and otherwise all is one transaction. `progress` is called with the number of rows
    done. Vectors are made afterwards, for about `embed_s` seconds (None: until all are made); the others are left to the fleet. `embedded`
    is called with the number of vectors made.
    Raises `ConfigurationError` before anything is stored when the embedder cannot work.
    """
    if embedder:
        vector = embedder.embed(["ready?"], "query")[0]
        with db.session() as connection:
            for kind in KINDS:
                require_dim(connection, embedder.model, kind, vector)
    problems: list[TicketProblem] = []
    counts = {"imported": 0, "updated": 0, "unchanged": 0}
    rows = _good(items, problems)
    batch = Batch(what)
    with db.session() as connection:
        if strict:
            tickets = list(rows)
            if not problems:
                with connection.transaction():
                    _store_all(connection, iter(tickets), batch, counts, progress, with_read=what == "import")
        else:
            _store_all(connection, rows, batch, counts, progress, with_read=what == "import")
        tidy(connection, counts["imported"] + counts["updated"])
    if embedder:
        _embed(db, embedder, embed_s, embedded)
    return ImportReport(
        imported=counts["imported"],
        updated=counts["updated"],
        unchanged=counts["unchanged"],
        problems=tuple(sorted(problems, key=lambda problem: problem.line)),
        at=datetime.now(UTC),
    )


def store_ticket(db: Database, embedder: Embedder | None, ticket: Ticket, *, what: What) -> ImportReport:
    """Add one ticket, or replace it. It counts at once. What was done; raises `InvalidInput` with the reason why it cannot be stored."""
    report = import_tickets(db, embedder, [(1, ticket)], what=what)
    if report.problems:
        raise InvalidInput.of(say("refused.ticket_not_stored", reason=as_value(report.problems[0].reason)))
    return report


def edit_ticket(db: Database, embedder: Embedder | None, known: Ticket, ticket: Ticket) -> ImportReport:
    """Replace a ticket by what a person says. What the person changed was not drawn from prose, so that no reading changes it again.
    Raises `InvalidInput`."""
    changed = {drawn for field, drawn in _DRAWN_AS.items() if getattr(ticket, field) != getattr(known, field)}
    if still := drawn_of(ticket.metadata):
        metadata = {**ticket.metadata, DRAWN: [field for field in still if field not in changed]}
        ticket = ticket.model_copy(update={"metadata": metadata})
    return store_ticket(db, embedder, ticket, what="edit")


def delete_ticket(db: Database, ticket_id: str, embedder: Embedder | None = None) -> None:
    """Remove a ticket and everything that only this ticket used. Raises `NotFound`.

    If a phenomenon takes over the words of another ticket, `embedder` computes its new vector; if that fails now, the next import
    does it.
    """
    with db.session() as connection, connection.transaction():
        take_turns(connection)
        if connection.execute("SELECT 1 FROM tickets WHERE ticket_id = %(id)s", {"id": ticket_id}).fetchone() is None:
            raise NotFound.of(say("refused.no_ticket", ticket=name(ticket_id), command=code("bullpen tickets search")))
        reworded = _remove(connection, [ticket_id], Batch("delete"))
    if reworded and embedder:
        _embed(db, embedder, AT_ONCE_S)


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo did."""

    change: Change
    removed: int
    restored: int


def undo_change(db: Database, embedder: Embedder | None = None, *, ticket_id: str | None = None) -> Undone:
    """Bring the tickets of the last change back to what they were before it; with `ticket_id` the last change of that ticket, and of
    that ticket only. Raises `NotFound` when nothing is left to undo."""
    with db.session() as connection, connection.transaction():
        take_turns(connection)
        change = last_change(connection, ticket_id)
        if change is None:
            listed = code("bullpen tickets changes")
            says = say("refused.tickets.no_change_of", ticket=name(ticket_id), command=listed) if ticket_id else None
            raise NotFound.of(says or say("refused.tickets.no_change", command=listed))
        restored, gone = before(connection, change)
        if ticket_id:
            restored, gone = [ticket for ticket in restored if ticket.ticket_id == ticket_id], [each for each in gone if each == ticket_id]
        batch = Batch("undo")
        there = connection.execute("SELECT ticket_id FROM tickets WHERE ticket_id = ANY (%(ids)s)", {"ids": gone}).fetchall()
        removed = [row["ticket_id"] for row in there]
        if removed:
            _remove(connection, removed, batch)
        for start in range(0, len(restored), _PART):
            part = restored[start : start + _PART]
            _store(connection, [(ticket, content_hash(ticket.to_json())) for ticket in part], batch)
        if ticket_id and change.added + change.replaced > 1:
            forget(connection, change, ticket_id)
        else:
            mark_undone(connection, change)
    if embedder:
        _embed(db, embedder, AT_ONCE_S)
    return Undone(change, len(removed), len(restored))


def _remove(connection: Connection, ticket_ids: list[str], batch: Batch) -> bool:
    """Delete tickets that are there; whether a phenomenon lost its vectors because its wording changed."""
    batch.remember(connection, ticket_ids)
    touched = Touched()
    retract(connection, ticket_ids, touched)
    connection.execute("DELETE FROM tickets WHERE ticket_id = ANY (%(ids)s)", {"ids": ticket_ids})
    return refresh(connection, touched)


def _embed(db: Database, embedder: Embedder, at_most_s: float | None, embedded: Callable[[int], None] | None = None) -> None:
    """The tickets are stored or gone, which is what was asked for; a model that cannot work now gets its vectors made later."""
    try:
        embed_history(db, embedder, at_most_s=at_most_s, progress=embedded or (lambda made: None))
    except (EngineError, ConfigurationError) as error:
        log.warning("vectors_missing", reason=str(error))


_SHORTENED = """
SELECT DISTINCT ticket_id FROM (SELECT ticket_id FROM tickets UNION ALL SELECT ticket_id FROM ticket_changes) known
 WHERE ticket_id = %(id)s OR (starts_with(ticket_id, %(head)s) AND right(ticket_id, %(n)s) = %(end)s)
"""


def full_id(db: Database, text: str) -> str:
    """The id of the only ticket of a job, there or just deleted, that lists shorten to this text: `bullpen-2e40fc90f34d`. Else the text
    as it is: ids that others made have no short form, and a part of one may be another."""
    head, _, end = text.partition("-")
    if head != OF_A_JOB or len(end) != LAST_OF_A_JOB:
        return text
    rows = db.statement(_SHORTENED, {"id": text, "head": f"{head}-", "n": len(end) + 1, "end": f"-{end}"})
    found = {row["ticket_id"] for row in rows}
    made = [ticket_id for ticket_id in found if _is_of_a_job(ticket_id)]
    return made[0] if len(made) == 1 and text not in found else text


def _is_of_a_job(ticket_id: str) -> bool:
    try:
        return ticket_id == f"{OF_A_JOB}-{UUID(ticket_id.partition('-')[2])}"
    except ValueError:
        return False


def show_ticket(db: Database, ticket_id: str) -> Ticket:
    """A ticket as it was imported. Raises `NotFound`."""
    row = db.row(
        """
        SELECT t.ticket_id, t.description, t.root_cause, t.solution, t.metadata,
               ARRAY(SELECT jsonb_build_object('description', a.description, 'observation_method', a.observation_method,
                                               'why_relevant', a.why_relevant)
                     FROM ticket_anomalies a WHERE a.ticket_id = t.ticket_id ORDER BY a.position) AS anomalies
        FROM tickets t WHERE t.ticket_id = %(id)s
        """,
        {"id": ticket_id},
    )
    if row is None:
        raise NotFound.of(say("refused.no_ticket", ticket=name(ticket_id), command=code("bullpen tickets search")))
    anomalies = tuple(Anomaly.model_validate(anomaly) for anomaly in row.pop("anomalies"))
    return Ticket(**row, anomalies=anomalies)


@dataclass(frozen=True, slots=True)
class TicketLine:
    """A ticket in a list."""

    ticket_id: str
    description: str
    root_cause: str


def page_of_tickets(db: Database, *, after: str = "", limit: int = 50) -> tuple[TicketLine, ...]:
    """The tickets whose ids come after this one, by their ids."""
    rows = db.statement(
        """
        SELECT ticket_id, left(description, 500) AS description, left(root_cause, 500) AS root_cause FROM tickets
         WHERE ticket_id > %(after)s ORDER BY ticket_id LIMIT %(limit)s
        """,
        {"after": after, "limit": limit},
    )
    return tuple(TicketLine(**row) for row in rows)


def count_history(db: Database) -> dict[str, int]:
    """How much there is: tickets, causes, phenomena, and vectors per model."""
    rows = db.statement(
        """
        SELECT 'tickets' AS what, count(*) AS number FROM tickets
        UNION ALL SELECT 'causes', count(*) FROM causes
        UNION ALL SELECT 'phenomena', count(*) FROM phenomena
        UNION ALL (SELECT 'vectors ' || model, count(*) FROM embeddings
                   WHERE owner_kind IN ('ticket', 'phenomenon') GROUP BY model ORDER BY model)
        """
    )
    return {row["what"]: row["number"] for row in rows}


def _good(items: Iterable[Item], problems: list[TicketProblem]) -> Iterator[tuple[Ticket, str]]:
    """The tickets that can be stored, each with the hash of its content; the others join `problems`."""
    for line, item in once_each(items):
        if isinstance(item, TicketProblem):
            problems.append(item)
            continue
        try:
            ticket = item.model_copy(update={"metadata": clean_json(item.metadata)})
            yield ticket, content_hash(ticket.to_json())
        except (ValueError, TypeError, RecursionError):
            problems.append(TicketProblem(line=line, ticket_id=item.ticket_id, reason=at("metadata", say("refused.row.unstorable"))))


def _store_all(
    connection: Connection,
    rows: Iterator[tuple[Ticket, str]],
    batch: Batch,
    counts: dict[str, int],
    progress: Callable[[int], None] | None,
    *,
    with_read: bool,
) -> None:
    """`with_read`: tickets whose texts a model has read before have its reading again."""
    while part := _next_part(rows):
        if with_read:
            read = with_readings(connection, [ticket for ticket, _ in part])
            part = [
                (ticket, digest if ticket is old else content_hash(ticket.to_json()))
                for ticket, (old, digest) in zip(read, part, strict=True)
            ]
        with connection.transaction():
            take_turns(connection)
            stored = _store(connection, part, batch)
        for what, number in stored.items():
            counts[what] += number
        if progress:
            progress(sum(counts.values()))


def _next_part(rows: Iterator[tuple[Ticket, str]]) -> list[tuple[Ticket, str]]:
    """Up to 1,000 tickets, fewer when they are long: each of them travels in one parameter of a statement."""
    part: list[tuple[Ticket, str]] = []
    size = 0
    for row in islice(rows, _PART):
        part.append(row)
        size += len(row[0].description) + sum(len(a.description) + len(a.observation_method) for a in row[0].anomalies)
        if size > _PART_CHARACTERS:
            break
    return part


def _store(connection: Connection, part: list[tuple[Ticket, str]], batch: Batch) -> dict[str, int]:
    ids = [ticket.ticket_id for ticket, _ in part]
    found = connection.execute("SELECT ticket_id, content_hash FROM tickets WHERE ticket_id = ANY(%(ids)s)", {"ids": ids})
    known = {row["ticket_id"]: row["content_hash"] for row in found}
    fresh = [(ticket, digest) for ticket, digest in part if known.get(ticket.ticket_id) != digest]
    changed = [ticket.ticket_id for ticket, _ in fresh if ticket.ticket_id in known]
    if fresh:
        batch.remember(connection, [ticket.ticket_id for ticket, _ in fresh])
        touched = Touched()
        if changed:
            retract(connection, changed, touched)
        _write(connection, fresh, touched)
        refresh(connection, touched)
    return {"imported": len(fresh) - len(changed), "updated": len(changed), "unchanged": len(part) - len(fresh)}


def _write(connection: Connection, fresh: list[tuple[Ticket, str]], touched: Touched) -> None:
    """Rows of these tickets; the counts of what they touch are left to `refresh`."""
    tickets: list[Row] = []
    anomalies: list[Row] = []
    phenomena: dict[str, str] = {}
    causes: dict[str, str] = {}
    for ticket, digest in fresh:
        words = tokens(symptoms_of(ticket.description, (anomaly.description for anomaly in ticket.anomalies)))
        cause = cause_id(ticket.root_cause, ticket.metadata)
        causes.setdefault(cause, ticket.root_cause)
        touched.words.update(words)
        stored: Row = ticket.to_json()
        tickets.append({**stored, "cause_id": cause, "content_hash": digest, "words": words})
        for position, anomaly in enumerate(ticket.anomalies):
            phenomenon = phenomenon_id(anomaly.description)
            phenomena.setdefault(phenomenon, anomaly.description)
            row: Row = {"ticket_id": ticket.ticket_id, "position": position, "phenomenon_id": phenomenon}
            anomalies.append(row | anomaly.to_json())
    touched.phenomena.update(phenomena)
    touched.causes.update(causes)
    connection.execute(
        """
        INSERT INTO causes (cause_id, description, solution)
        SELECT key, value, '' FROM jsonb_each_text(%(causes)s) ON CONFLICT DO NOTHING
        """,
        {"causes": jsonb(causes)},
    )
    connection.execute(
        """
        INSERT INTO phenomena (phenomenon_id, description, observation_method, words)
        SELECT phenomenon_id, description, '', array_to_tsvector(words)
        FROM jsonb_to_recordset(%(rows)s) AS r(phenomenon_id text, description text, words text[]) ON CONFLICT DO NOTHING
        """,
        {"rows": _rows({"phenomenon_id": key, "description": text, "words": tokens(text)} for key, text in phenomena.items())},
    )
    connection.execute(
        """
        INSERT INTO tickets (ticket_id, description, root_cause, solution, metadata, cause_id, content_hash, words, word_count)
        SELECT ticket_id, description, root_cause, solution, metadata, cause_id, content_hash, array_to_tsvector(words), cardinality(words)
        FROM jsonb_to_recordset(%(rows)s) AS r(ticket_id text, description text, root_cause text, solution text, metadata jsonb,
                                               cause_id text, content_hash text, words text[])
        ON CONFLICT (ticket_id) DO UPDATE SET
            (description, root_cause, solution, metadata, cause_id, content_hash, words, word_count, updated_at)
            = (EXCLUDED.description, EXCLUDED.root_cause, EXCLUDED.solution, EXCLUDED.metadata, EXCLUDED.cause_id,
               EXCLUDED.content_hash, EXCLUDED.words, EXCLUDED.word_count, now())
        """,
        {"rows": _rows(tickets)},
    )
    connection.execute(
        """
        INSERT INTO ticket_anomalies (ticket_id, position, phenomenon_id, description, observation_method, why_relevant)
        SELECT ticket_id, position, phenomenon_id, description, observation_method, why_relevant
        FROM jsonb_to_recordset(%(rows)s) AS r(ticket_id text, position smallint, phenomenon_id text, description text,
                                               observation_method text, why_relevant text)
        """,
        {"rows": _rows(anomalies)},
    )


def _rows(rows: Iterable[Row]) -> Any:
    return jsonb(list(rows))
