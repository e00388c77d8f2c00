"""Reading the history ahead: whole, while nothing waits, and without a trace in any result."""

import threading
import time

import psycopg
import pytest

from tests.bench.tickets import synthetic
from workers.app import reading_ahead
from workers.app.reading_ahead import ReadingAhead
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.llm import Embedder
from workers.llm.embeddings import WordLlamaEmbedder
from workers.settings import Settings
from workers.tickets import delete_ticket, gather_evidence, import_tickets, kept
from workers.tickets.ahead import PARTS, read_ahead
from workers.tickets.kept import forget

_SAID = next(iter(synthetic(150)))[1].anomalies[0].description
TOLD = ("Queries are slow since the release, and the standby lags", ["the disk is full", "锁等待时间很长", _SAID])


@pytest.fixture(params=["vectors", "words"])
def embedder(request: pytest.FixtureRequest, wordllama: WordLlamaEmbedder) -> Embedder | None:
    return wordllama if request.param == "vectors" else None


@pytest.fixture
def history(database: Database, embedder: Embedder | None) -> Database:
    import_tickets(database, embedder, synthetic(150))
    return database


def ahead(db: Database, embedder: Embedder | None) -> int:
    """Read all that can be read; how many slices it took."""
    slices = 0
    while read_ahead(db, embedder.model if embedder else None):
        slices += 1
    return slices


def held(db: Database, embedder: Embedder | None) -> kept.Kept:
    """What the process keeps now."""
    with kept.snapshot(db, embedder.model if embedder else None) as snapshot:
        return snapshot.kept


ROWS = (
    "FROM phenomena p",
    "FROM tickets t",
    "FROM ticket_anomalies WHERE",
    "FROM causes c",
    "JOIN tickets t ON t.words",
    "JOIN phenomena p ON p.words",
)
"""What stands in the statements that read the history row by row."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Which of `ROWS` Postgres was asked for."""
    found: set[str] = set()
    execute = psycopg.Cursor.execute

    def listen(cursor: "psycopg.Cursor[object]", query: object, *args: object, **kwargs: object) -> object:
        found.update(rows for rows in ROWS if rows in str(query))
        return execute(cursor, query, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(psycopg.Cursor, "execute", listen)
    return found


def test_a_step_then_asks_for_no_rows(history: Database, embedder: Embedder | None, asked: set[str]) -> None:
    cold = gather_evidence(history, embedder, *TOLD)
    assert asked == set(ROWS)
    forget(history)
    gather_evidence(history, embedder, "the database is slow")
    assert ahead(history, embedder) > 3
    asked.clear()

    assert gather_evidence(history, embedder, *TOLD) == cold
    assert asked == set()


def test_a_process_that_never_searched_reads_nothing(history: Database, embedder: Embedder | None) -> None:
    assert ahead(history, embedder) == 0


def test_what_was_written_meanwhile_is_seen_and_read_anew(history: Database, embedder: Embedder | None) -> None:
    gather_evidence(history, embedder, *TOLD)
    model = embedder.model if embedder else None
    assert read_ahead(history, model)
    other = Database(history.url)
    gone = gather_evidence(history, embedder, *TOLD).tickets[0].ticket_id

    delete_ticket(other, gone, embedder)
    other.close()
    assert ahead(history, embedder) > 3
    warm = gather_evidence(history, embedder, *TOLD)
    forget(history)

    assert gone not in {card.ticket_id for card in warm.tickets}
    assert gather_evidence(history, embedder, *TOLD) == warm


def test_a_history_that_has_just_changed_is_left_to_settle(history: Database, embedder: Embedder | None) -> None:
    gather_evidence(history, embedder, *TOLD)
    model = embedder.model if embedder else None

    assert not read_ahead(history, model, settled_s=60)
    time.sleep(0.05)
    assert read_ahead(history, model, settled_s=0.05)


def test_it_ends_where_the_room_ends(history: Database, embedder: Embedder | None, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_TICKETS_KEPT", "_PHENOMENA_KEPT"):
        monkeypatch.setattr(kept, name, 120_000)
    gather_evidence(history, embedder, "the database is slow")
    ahead(history, embedder)
    assert not held(history, embedder).tickets.has_room
    assert not held(history, embedder).phenomena.has_room

    told = gather_evidence(history, embedder, *TOLD)
    forget(history)
    assert gather_evidence(history, embedder, *TOLD) == told


def test_the_retriever_reads_ahead_by_itself(
    history: Database, embedder: Embedder | None, asked: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading_ahead, "_LOOK_S", 0.05)
    settings = Settings(database_url=history.url, embeddings="wordllama" if embedder else "none")
    services, stop = ProcessServices(settings), threading.Event()
    gather_evidence(services.database, embedder, "the database is slow")
    thread = ReadingAhead(services, stop)
    thread.start()
    try:
        give_up_at = time.monotonic() + 30
        while held(services.database, embedder).ahead.part < len(PARTS):
            assert time.monotonic() < give_up_at
            time.sleep(0.05)
        asked.clear()
        gather_evidence(services.database, embedder, *TOLD)
    finally:
        stop.set()
        thread.join(10)
        services.close()
    assert asked == set()
    assert not thread.is_alive()
