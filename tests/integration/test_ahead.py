"""What a process loads before its first step: nobody waits for it, and nobody sees that it happened."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from workers.app import ahead
from workers.app.ahead import Ahead, Piece, pieces
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.catalogue import offer_sample
from workers.kinds.diagnose.samples import sample_tickets_path
from workers.kinds.registry import all_kinds, load_kinds
from workers.settings import Settings
from workers.tickets import import_tickets
from workers.tickets.ticket_files import open_tickets


@pytest.fixture
def services(database_url: str, broker_url: str, tmp_path: Path) -> Iterator[ProcessServices]:
    """Of a process with a source and a history."""
    load_kinds()
    made = ProcessServices(Settings(database_url=database_url, broker_url=broker_url, embeddings="none", home=tmp_path), slots=2)
    offer_sample(made.database, made.settings.data_dir)
    import_tickets(made.database, None, open_tickets(sample_tickets_path()).items, strict=False)
    yield made
    made.close()


def rows(db: Database) -> dict[str, int]:
    """Table → rows."""
    found = db.statement("SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() ORDER BY 1")
    counts = dict[str, int]()
    for name in (row["table_name"] for row in found):
        counted = db.row(f"SELECT count(*) AS rows FROM {name}")  # noqa: S608  # pyright: ignore[reportArgumentType] a table of ours
        counts[name] = counted["rows"] if counted else 0
    return counts


def test_what_is_computed_ahead_succeeds_and_leaves_no_row(services: ProcessServices) -> None:
    """No job, no statement on a source, no audit."""
    before = rows(services.database)

    done = [piece() for _, piece in pieces(services)]

    assert rows(services.database) == before
    assert False not in done


def test_each_kind_that_answers_people_at_once_rehearses() -> None:
    load_kinds()

    assert {kind.name for kind in all_kinds() if kind.rehearsal is not None} == {"ask", "diagnose"}


def test_without_sources_and_history_it_is_tried_again(
    database_url: str, broker_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sample comes after the fleet on an empty folder, and a history later still; tries before it embed nothing."""
    load_kinds()
    empty = ProcessServices(Settings(database_url=database_url, broker_url=broker_url, embeddings="none", home=tmp_path), slots=2)
    embedded = list[object]()
    monkeypatch.setattr("workers.kinds.diagnose.rehearsal.gather_evidence", lambda *asked: embedded.append(asked))

    found = {name: piece() for name, piece in pieces(empty) if "rehearsal" in name}
    empty.close()

    assert found == {"ask rehearsal": False, "diagnose rehearsal": False}
    assert embedded == []


def test_a_piece_comes_again_until_it_has_something_to_work_on(services: ProcessServices, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([False, False, True])

    def planned(_: ProcessServices) -> Iterator[Piece]:
        yield "only", lambda: next(answers)

    monkeypatch.setattr(ahead, "pieces", planned)
    monkeypatch.setattr(ahead, "_AGAIN_S", 0.01)
    Ahead(services, threading.Event()).run()

    assert list(answers) == []


def test_a_piece_that_fails_is_logged_and_the_others_follow(services: ProcessServices, monkeypatch: pytest.MonkeyPatch) -> None:
    done = threading.Event()

    def fail() -> None:
        raise ValueError("no such table")

    def planned(_: ProcessServices) -> Iterator[Piece]:
        yield "first", fail
        yield "second", done.set

    monkeypatch.setattr(ahead, "pieces", planned)
    monkeypatch.setattr(ahead, "_AGAIN_S", 0.01)
    with capture_logs() as logged:
        Ahead(services, threading.Event()).run()

    assert done.is_set()
    assert [entry["piece"] for entry in logged if entry["event"] == "not_loaded_ahead"] == ["first"]


def test_none_begins_while_a_step_runs_or_when_the_process_leaves(services: ProcessServices, monkeypatch: pytest.MonkeyPatch) -> None:
    began, stop, running = threading.Event(), threading.Event(), threading.Event()

    def holding() -> int:
        running.set()
        return 1

    def planned(_: ProcessServices) -> Iterator[Piece]:
        yield "only", began.set

    monkeypatch.setattr(services.leases, "holding", holding)
    monkeypatch.setattr(ahead, "pieces", planned)
    thread = Ahead(services, stop)
    thread.start()
    assert running.wait(60)
    stop.set()
    thread.join(60)

    assert not thread.is_alive()
    assert not began.is_set()
