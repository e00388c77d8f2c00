"""Importing, deleting and finding tickets, over a real Postgres."""

import json
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.refusals import at
from contracts.statements import say
from contracts.tickets import Anomaly, ImportReport, Ticket, TicketProblem
from tests.support.campaign import TIMES
from tests.support.servers import Servers
from workers.blackboard.engine import Database, Row
from workers.errors import ConfigurationError, NotFound
from workers.llm import Embedder, load_embedder
from workers.llm.embeddings import WordLlamaEmbedder
from workers.retrieval.tokens import lexeme, tokens
from workers.saying import text_of
from workers.tickets import count_history, delete_ticket, import_tickets, search_tickets, show_ticket
from workers.tickets import tickets as tickets_module

NAUGHTY = ["'", "' | !", "a:* & b", "\\", "\\'", "((", "'; DROP TABLE tickets; --", "\x00", "\ud800", "%s %(x)s {0}", "<->", "🦄", "锁'"]


@pytest.fixture(scope="session")
def embedder(wordllama: WordLlamaEmbedder) -> Embedder:
    return wordllama


def ticket(ticket_id: str, description: str = "it is slow", cause: str = "a missing index", *phenomena: str, **more: object) -> Ticket:
    anomalies = tuple(Anomaly(description=text, observation_method=f"look at {text}") for text in phenomena)
    return Ticket.model_validate({"ticket_id": ticket_id, "description": description, "root_cause": cause, "anomalies": anomalies, **more})


def take(db: Database, embedder: Embedder | None, *tickets: Ticket, strict: bool = False) -> ImportReport:
    return import_tickets(db, embedder, enumerate(tickets, start=1), strict=strict)


def ids(rows: Iterable[Row]) -> list[str]:
    return [row["id"] for row in rows]


def test_an_import_tells_new_from_changed_from_equal(database: Database, embedder: Embedder) -> None:
    """D4: a new ticket is there at once; what has not changed is not touched."""
    one, two = ticket("T-1", "it is slow", "a missing index", "seq scan"), ticket("T-2")
    first = take(database, embedder, one, two)
    before = database.statement("SELECT ticket_id, updated_at FROM tickets ORDER BY 1")

    again = take(database, embedder, one, two.model_copy(update={"solution": "create it"}), ticket("T-3"))

    assert (first.imported, first.updated, first.unchanged) == (2, 0, 0)
    assert (again.imported, again.updated, again.unchanged) == (1, 1, 1)
    assert show_ticket(database, "T-1") == one
    assert show_ticket(database, "T-2").solution == "create it"
    assert database.statement("SELECT ticket_id, updated_at FROM tickets WHERE ticket_id = 'T-1'") == before[:1]


def test_equal_wordings_become_one_phenomenon_and_one_cause(database: Database) -> None:
    """D2: phenomena, causes and the links between them with their counts."""
    take(
        database,
        None,
        ticket("T-1", "a", "Missing index", "Seq scan on orders", "CPU > 90%"),
        ticket("T-2", "b", "missing  index.", "seq scan, on ORDERS", solution="a longer solution"),
        ticket("T-3", "c", "Stale statistics", "Seq scan on orders", "Seq scan on orders!"),
    )

    phenomena = database.statement("SELECT description, ticket_count, cause_count FROM phenomena ORDER BY ticket_count")
    causes = database.statement("SELECT description, solution, ticket_count FROM causes ORDER BY ticket_count")
    links = database.statement("SELECT ticket_count FROM phenomenon_causes ORDER BY 1")

    assert [tuple(row.values()) for row in phenomena] == [("CPU > 90%", 1, 1), ("Seq scan on orders", 3, 2)]
    assert [tuple(row.values()) for row in causes] == [("Stale statistics", "", 1), ("Missing index", "a longer solution", 2)]
    assert [row["ticket_count"] for row in links] == [1, 1, 2]


def test_a_change_takes_the_old_links_away_and_a_delete_leaves_nothing(database: Database, embedder: Embedder) -> None:
    take(database, embedder, ticket("T-1", "a", "old cause", "old sign", "shared sign"), ticket("T-2", "b", "other", "shared sign"))

    take(database, embedder, ticket("T-1", "a", "new cause", "new sign"))

    assert database.statement("SELECT description FROM causes ORDER BY 1") == [{"description": "new cause"}, {"description": "other"}]
    assert database.statement("SELECT description FROM phenomena ORDER BY 1") == [
        {"description": "new sign"},
        {"description": "shared sign"},
    ]
    delete_ticket(database, "T-1")
    delete_ticket(database, "T-2")
    assert set(count_history(database).values()) == {0}
    for table in ("phenomenon_causes", "ticket_anomalies", "symptom_words", "embeddings"):
        with database.session() as connection:
            assert connection.execute(psycopg.sql.SQL("SELECT * FROM {}").format(psycopg.sql.Identifier(table))).fetchall() == []
    with pytest.raises(NotFound, match="T-1"):
        delete_ticket(database, "T-1")
    with pytest.raises(NotFound, match="T-1"):
        show_ticket(database, "T-1")


def test_what_is_derived_is_what_a_recount_would_give(database: Database, embedder: Embedder) -> None:
    """D2: kept in step by every import, so that nothing has to be rebuilt."""
    signs = ["seq scan", "锁等待", "full disk", "many sessions", "pg_stat_activity shows waits"]
    for turn in range(3):
        take(
            database,
            embedder,
            *(
                ticket(
                    f"T-{n}", f"slow {signs[n % 5]} {turn if n % 3 else 0}", f"cause {(n + turn * (n % 2)) % 4}", *signs[n % 4 : n % 4 + 2]
                )
                for n in range(12)
            ),
        )
        delete_ticket(database, f"T-{turn}")

    words = database.statement("SELECT word, ticket_count FROM symptom_words ORDER BY word")
    recount = database.statement("SELECT word, ndoc AS ticket_count FROM ts_stat('SELECT words FROM tickets') ORDER BY word")
    links = database.statement("SELECT phenomenon_id, cause_id, ticket_count FROM phenomenon_causes ORDER BY 1, 2")
    recounted = database.statement(
        """
        SELECT phenomenon_id, cause_id, count(DISTINCT ticket_id) AS ticket_count
        FROM ticket_anomalies JOIN tickets USING (ticket_id) GROUP BY 1, 2 ORDER BY 1, 2
        """
    )
    vectors = database.statement("SELECT owner_id AS id FROM embeddings ORDER BY 1")
    owners = database.statement("SELECT ticket_id AS id FROM tickets UNION ALL SELECT phenomenon_id FROM phenomena ORDER BY 1")

    assert words == recount
    assert links == recounted
    assert ids(vectors) == ids(owners)


def test_refused_rows_are_reported_and_the_others_are_taken(database: Database) -> None:
    problem = TicketProblem(line=2, ticket_id="T-9", reason=at("root_cause", say("refused.part.missing")))
    items = [
        (1, ticket("T-1")),
        (2, problem),
        (3, ticket("T-1", "another")),
        (4, ticket("T-2")),
        (5, ticket("T-3", metadata={"x": object()})),
    ]

    report = import_tickets(database, None, items)

    assert report.imported == 2
    assert [(found.line, text_of(found.reason, "en")) for found in report.problems] == [
        (2, "root_cause is missing"),
        (3, "T-1 is already on line 1; that row is kept"),
        (5, "metadata is not JSON"),
    ]
    assert show_ticket(database, "T-1").description == "it is slow"


def test_a_strict_import_takes_every_row_or_none(database: Database) -> None:
    report = import_tickets(database, None, [(1, ticket("T-1")), (2, TicketProblem(line=2, reason="bad"))], strict=True)

    assert (report.imported, len(report.problems)) == (0, 1)
    assert count_history(database)["tickets"] == 0
    assert take(database, None, ticket("T-1"), ticket("T-2"), strict=True).imported == 2


def test_an_import_that_fails_in_its_midst_leaves_nothing_of_its_batch(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("gone")

    monkeypatch.setattr(tickets_module, "refresh", fail)

    with pytest.raises(RuntimeError, match="gone"):
        take(database, None, ticket("T-1", "a", "b", "c"), ticket("T-2"))

    assert count_history(database) == {"tickets": 0, "causes": 0, "phenomena": 0}


def test_imports_at_once_neither_deadlock_nor_lose_a_count(database: Database) -> None:
    def run(worker: int) -> int:
        order = range(30) if worker % 2 else range(29, -1, -1)
        return take(database, None, *(ticket(f"W{worker}-{n}", "slow orders", f"cause {n % 5}", f"sign {n % 7}") for n in order)).imported

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(run, range(4))) == [30] * 4

    assert database.row("SELECT sum(ticket_count) AS total FROM causes") == {"total": 120}
    assert database.row("SELECT ticket_count FROM symptom_words WHERE word = 'slow'") == {"ticket_count": 120}


def test_tickets_of_a_time_without_vectors_get_theirs_with_the_next_import(database: Database, embedder: Embedder) -> None:
    """A change of model re-embeds and loses nothing."""
    take(database, None, ticket("T-1", "a", "b", "sign"))
    assert "vectors wordllama-256" not in count_history(database)

    take(database, embedder, ticket("T-1", "a", "b", "sign"))

    assert count_history(database)["vectors wordllama-256"] == 2


def test_an_embedder_that_cannot_work_stops_the_import_before_anything_is_stored(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "wordllama", None)

    with pytest.raises(ConfigurationError, match=r"pip install .*\[embedded\]'"):
        take(database, load_embedder("wordllama"), ticket("T-1"))

    assert count_history(database)["tickets"] == 0


@pytest.mark.parametrize("with_vectors", [True, False])
def test_search_finds_symptoms_in_both_languages(database: Database, embedder: Embedder, with_vectors: bool) -> None:
    """D5, D7: by words and by meaning; Chinese too."""
    model = embedder if with_vectors else None
    take(
        database,
        model,
        ticket("T-1", "Queries got slow after the nightly load", "stale statistics", "Seq scan on a large table"),
        ticket("T-2", "备库延迟不断增长，查询被阻塞", "长事务", "pg_stat_replication 显示延迟"),
        ticket("T-3", "The disk of the server is full", "WAL kept by a slot", "pg_wal grows"),
    )

    def first(text: str) -> str:
        return search_tickets(database, model, text, 3)[0].ticket_id

    assert first("slow queries since the load") == "T-1"
    assert first("备库有延迟") == "T-2"
    assert first("replication") == "T-2"
    assert first("disk full") == "T-3"
    assert search_tickets(database, None, "unheard-of", 3) == []


@pytest.mark.parametrize("with_vectors", [True, False])
def test_the_label_changes_no_search(database: Database, embedder: Embedder, with_vectors: bool) -> None:
    """D17: root cause, solution and relevance are the answer; neither words nor vectors have seen them."""
    model = embedder if with_vectors else None
    same = ("orders are slow since the release", "CPU is busy")
    take(
        database,
        model,
        ticket("T-1", same[0], "deadlock in the checkpointer", same[1], solution="restart the checkpointer"),
        ticket("T-2", same[0], "vacuum cancelled", same[1], solution="tune vacuum"),
        ticket("T-3", "the backup failed", "tape lost"),
    )
    before = search_tickets(database, model, "slow orders", 3)

    take(database, model, ticket("T-2", same[0], "slow orders, slow orders", same[1], solution="orders orders slow"))

    after = search_tickets(database, model, "slow orders", 3)
    assert [(hit.ticket_id, hit.score, hit.text_rank, hit.vector_rank) for hit in before] == [
        (hit.ticket_id, hit.score, hit.text_rank, hit.vector_rank) for hit in after
    ]
    assert before[0].score == before[1].score
    assert search_tickets(database, None, "deadlock checkpointer vacuum tape", 3) == []


@pytest.mark.parametrize("text", NAUGHTY)
def test_no_text_of_a_user_breaks_a_search_or_an_import(database: Database, embedder: Embedder, text: str) -> None:
    take(database, embedder, ticket("T-1", f"lock {text}", f"cause {text}", f"sign {text}", metadata={text: [text]}))

    assert search_tickets(database, embedder, f"{text} lock", 3)[0].ticket_id == "T-1"
    assert search_tickets(database, None, text, 3) is not None
    assert show_ticket(database, "T-1").ticket_id == "T-1"


@settings(max_examples=60 * TIMES, deadline=None)
@given(text=st.text(max_size=120))
def test_every_text_is_found_by_its_own_words(servers: Servers, template: str, text: str) -> None:
    words = tokens(text)
    with psycopg.connect(servers.database_url("postgres")) as connection:
        row = (
            connection.execute(
                "SELECT array_to_tsvector(%s::text[]) @@ %s::tsquery, %s::tsquery::text",
                (words, " | ".join(map(lexeme, words)), lexeme(text.replace("\x00", "") or "x")),
            ).fetchone()
            if not _has_surrogates(text)
            else (bool(words), "")
        )

    assert row is not None
    assert row[0] == bool(words)


def test_naughty_strings_of_others_are_searched_for(database: Database, eval_data: Path) -> None:
    take(database, None, ticket("T-1"))

    for text in json.loads((eval_data / "hostile" / "naughty_strings.json").read_text()):
        search_tickets(database, None, text, 3)


def _has_surrogates(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def test_who_waits_for_an_import_sees_its_vectors_come(database: Database, embedder: Embedder) -> None:
    """The rows are stored in a moment; the vectors take the time, and a bar that is full says nothing of them."""
    made: list[int] = []
    tickets = [ticket(f"T-{number}", f"query {number} is slow") for number in range(1, 20)]

    import_tickets(database, embedder, enumerate(tickets, start=1), embedded=made.append)

    assert made == sorted(made)
    assert made[-1] >= len(tickets)
