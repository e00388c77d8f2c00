"""What is derived from the tickets is the same, whatever way they came."""

from collections.abc import Sequence

import numpy as np
import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from psycopg import sql

from contracts.tickets import Anomaly, Ticket
from tests.support.campaign import TIMES
from tests.support.servers import Servers
from workers.blackboard.engine import Database
from workers.errors import ModelUnavailable
from workers.llm.embedder import Role
from workers.retrieval.tokens import tokens
from workers.tickets import count_history, delete_ticket, import_tickets, reindex
from workers.tickets.wording import cause_id

TABLES = {
    "tickets": "ticket_id, description, root_cause, solution, metadata, cause_id, content_hash, words, word_count",
    "ticket_anomalies": "*",
    "phenomena": "*",
    "causes": "*",
    "phenomenon_causes": "*",
    "symptom_words": "*",
    "embeddings": "*",
    "history_state": "tickets, causes, words",
}
WORDINGS = ("maxConnections reached", "maxconnections  reached", "MAXCONNECTIONS, reached!", "seq scan", "Seq Scan", "锁等待", "锁 等待")
CAUSES = ("missing index", "Missing  index.", "缺少索引", "stale statistics")


class Letters:
    """Vectors that tell spellings apart: counts of letters and capitals."""

    model = "letters-8"
    dim = 8

    def trust(self, text: str) -> float:
        return 1.0

    def embed(self, texts: Sequence[str], role: Role) -> np.ndarray:
        counts = np.ones((len(texts), 8), dtype=np.float32)
        for row, text in enumerate(texts):
            for character in text:
                counts[row, ord(character) % 8] += 1
        return counts / np.linalg.norm(counts, axis=1, keepdims=True)


def rows(db: Database) -> dict[str, list[str]]:
    with db.session() as connection:
        return {
            table: [
                str(row)
                for row in connection.execute(sql.SQL("SELECT {} FROM {} ORDER BY 1, 2").format(sql.SQL(columns), sql.Identifier(table)))
            ]
            for table, columns in TABLES.items()
        }


def forget_everything(db: Database) -> None:
    with db.session() as connection:
        connection.execute("TRUNCATE tickets, ticket_anomalies, phenomena, causes, phenomenon_causes, symptom_words, embeddings")
        connection.execute("UPDATE history_state SET tickets = 0, causes = 0, words = 0")


anomalies = st.builds(
    Anomaly,
    description=st.sampled_from(WORDINGS),
    observation_method=st.sampled_from(["", "top", "SELECT 1"]),
    why_relevant=st.sampled_from("ab"),
)
some_tickets = st.builds(
    Ticket,
    ticket_id=st.sampled_from(["T-1", "T-2", "T-10", "a", "B", "工单"]),
    description=st.sampled_from(["slow", "slow orders", "查询很慢"]),
    root_cause=st.sampled_from(CAUSES),
    solution=st.sampled_from(["", "x", "y", "long"]),
    metadata=st.sampled_from([{}, {"cause_id": "IDX"}, {"cause_id": " "}, {"cause_id": "missing index"}, {"cause_id": 7}]),
    anomalies=st.lists(anomalies, max_size=4).map(tuple),
)
"""Also what a confirmed diagnosis adds: a ticket like another."""
operations = st.lists(st.lists(some_tickets, min_size=1, max_size=4) | some_tickets.map(lambda ticket: ticket.ticket_id), max_size=7)


@pytest.fixture(scope="module")
def lasting(servers: Servers, template: str):
    with psycopg.connect(servers.postgres.url, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE reindexed TEMPLATE {}").format(sql.Identifier(template)))
        db = Database(servers.database_url("reindexed"))
        yield db
        db.close()
        admin.execute("DROP DATABASE reindexed WITH (FORCE)")


@settings(max_examples=16 * TIMES)
@given(steps=operations)
def test_every_order_of_imports_and_deletes_ends_in_the_rows_of_a_reindex(lasting: Database, steps: list[list[Ticket] | str]) -> None:
    """D2, D4."""
    forget_everything(lasting)
    held: dict[str, Ticket] = {}
    for step in steps:
        if isinstance(step, list):
            import_tickets(lasting, Letters(), enumerate(step, start=1))
            held.update({ticket.ticket_id: ticket for ticket in reversed(step)})
        elif held.pop(step, None):
            delete_ticket(lasting, step, Letters())
    incremental = rows(lasting)

    report = reindex(lasting, Letters())
    again = rows(lasting)
    forget_everything(lasting)
    import_tickets(lasting, Letters(), enumerate(sorted(held.values(), key=lambda ticket: ticket.ticket_id, reverse=True), start=1))

    assert again == incremental
    assert set(report.differed.values()) == {0}
    assert report.tickets == len(held)
    assert rows(lasting) == incremental


def ticket(ticket_id: str, root_cause: str, *phenomena: str, **metadata: object) -> Ticket:
    found = tuple(Anomaly(description=text) for text in phenomena)
    return Ticket(ticket_id=ticket_id, description="slow", root_cause=root_cause, metadata=metadata, anomalies=found)


def test_a_code_is_one_cause_in_whatever_words_and_language(database: Database) -> None:
    history = (
        ticket("T-1", "missing index", cause_id="IDX-1"),
        ticket("T-2", "缺少索引", cause_id=" IDX-1 "),
        ticket("T-3", "missing index", cause_id="IDX-2"),
        ticket("T-4", "missing index"),
        ticket("T-5", "IDX-1", cause_id="  "),
        ticket("T-6", "Missing Index!", cause_id="x" * 201),
    )

    import_tickets(database, None, enumerate(reversed(history), start=1))

    causes = database.statement("SELECT description, ticket_count FROM causes ORDER BY description, ticket_count")
    assert [tuple(row.values()) for row in causes] == [("IDX-1", 1), ("missing index", 1), ("missing index", 2), ("missing index", 2)]
    assert cause_id("x", {"cause_id": "missing index"}) != cause_id("missing index")
    assert cause_id("missing index", {}) == cause_id("Missing  Index")


def test_a_cause_is_told_in_the_words_of_the_first_ticket_that_has_it_now(database: Database) -> None:
    import_tickets(database, None, [(1, ticket("T-2", "缺少索引", cause_id="I")), (2, ticket("T-3", "no index", cause_id="I"))])
    import_tickets(database, None, [(1, ticket("T-1", "missing index", cause_id="I"))])
    told = [database.row("SELECT description FROM causes")]
    delete_ticket(database, "T-1")
    told.append(database.row("SELECT description FROM causes"))

    assert told == [{"description": "missing index"}, {"description": "缺少索引"}]


def test_a_reindex_says_what_differed_and_mends_it(database: Database) -> None:
    import_tickets(
        database, Letters(), enumerate([ticket("T-1", "a", "seq scan", "maxConnections"), ticket("T-2", "b", "seq scan")], start=1)
    )
    right = rows(database)
    with database.session() as connection:
        connection.execute("UPDATE phenomena SET ticket_count = 9, words = 'x' WHERE description = 'seq scan'")
        connection.execute("UPDATE causes SET solution = 'made up' WHERE description = 'a'")
        connection.execute("UPDATE tickets SET words = 'slow:1', cause_id = (SELECT min(cause_id) FROM causes)")
        connection.execute("DELETE FROM phenomenon_causes")
        connection.execute("INSERT INTO symptom_words VALUES ('nowhere', 3)")
        connection.execute("DELETE FROM embeddings WHERE owner_id = 'T-1'")
        connection.execute("INSERT INTO embeddings VALUES ('ticket', 'T-9', 'letters-8', 2, '[0,1]')")
        connection.execute("UPDATE history_state SET tickets = 7")
    seen: list[tuple[str, int, int]] = []

    report = reindex(database, Letters(), progress=lambda *said: seen.append(said))

    assert rows(database) == right
    assert report.differed == {
        "tickets": 2,
        "links of tickets": 0,
        "phenomena": 1,
        "causes": 1,
        "links of phenomena": 3,
        "words": 1,
        "vectors": 2,
        "totals": 1,
    }
    assert seen == [("Tickets", 2, 2), ("Vectors", 2, 4), ("Vectors", 4, 4)]


def test_readers_see_the_old_state_until_a_reindex_has_ended(database: Database) -> None:
    import_tickets(database, Letters(), enumerate([ticket("T-1", "a", "seq scan")], start=1))
    database.statement("UPDATE phenomena SET description = 'wrong'")
    seen: list[object] = []

    reindex(database, Letters(), progress=lambda *_: seen.append(database.row("SELECT description FROM phenomena")))

    assert seen == [{"description": "wrong"}, {"description": "seq scan"}, {"description": "seq scan"}]  # vectors follow it
    assert database.row("SELECT description, words::text FROM phenomena") == {
        "description": "seq scan",
        "words": " ".join(f"'{word}'" for word in sorted(tokens("seq scan"))),
    }


def test_a_reindex_keeps_the_vectors_of_other_models(database: Database) -> None:
    class Other(Letters):
        model = "other-8"

    import_tickets(database, Other(), enumerate([ticket("T-1", "a", "seq scan")], start=1))

    reindex(database, Letters())

    counts = count_history(database)
    assert (counts["vectors other-8"], counts["vectors letters-8"]) == (2, 2)


def test_a_ticket_can_be_deleted_while_no_vectors_can_be_made(database: Database) -> None:
    class Gone(Letters):
        def embed(self, texts: Sequence[str], role: Role) -> np.ndarray:
            raise ModelUnavailable("gone")

    import_tickets(database, Letters(), enumerate([ticket("T-1", "a", "Seq scan"), ticket("T-2", "a", "seq scan")], start=1))

    delete_ticket(database, "T-1", Gone())
    import_tickets(database, Letters(), [(1, ticket("T-2", "a", "seq scan"))])

    assert set(reindex(database, Letters()).differed.values()) == {0}
