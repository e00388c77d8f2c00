"""Vectors that are made after an import: found by words at once, by meaning when all are there."""

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from psycopg import sql

from contracts.tickets import Anomaly, Ticket
from workers.blackboard.engine import Database
from workers.llm.embedder import Role
from workers.retrieval import embedding
from workers.tickets import count_waiting, gather_evidence, import_tickets, reindex, search_tickets
from workers.tickets.corpora import KINDS, TEXTS
from workers.tickets.embedding import embed_next
from workers.tickets.evidence import MATCH_THRESHOLD, _match  # pyright: ignore[reportPrivateUsage] the rule itself
from workers.tickets.facts import PhenomenonFacts
from workers.tickets.wording import symptoms_of


class Counting:
    """Vectors by letters, and how many were made."""

    dim = 8

    def __init__(self, model: str = "letters") -> None:
        self.model, self.made = model, 0

    def trust(self, text: str) -> float:
        return 1.0

    def embed(self, texts: Sequence[str], role: Role) -> np.ndarray:
        self.made += len(texts)
        counts = np.ones((len(texts), 8), dtype=np.float32)
        for row, text in enumerate(texts):
            for character in text:
                counts[row, ord(character) % 8] += 1
        return counts / np.linalg.norm(counts, axis=1, keepdims=True)


HISTORY = [
    Ticket(
        ticket_id=f"T-{n}",
        description=f"orders are slow {n}",
        root_cause=f"cause {n}",
        anomalies=(Anomaly(description=f"sign {n}", observation_method="", why_relevant=""),),
    )
    for n in range(4)
]


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("workers.retrieval.embedding._BACKGROUND_BATCH", 3)
    monkeypatch.setattr("workers.retrieval.embedding._BACKGROUND_S", 0.0)
    yield
    embedding._kept_local.cache_clear()  # pyright: ignore[reportPrivateUsage] what one test has loaded


def take(db: Database, model: Counting, embed_s: float | None) -> None:
    import_tickets(db, model, enumerate(HISTORY, start=1), embed_s=embed_s)


def test_tickets_are_found_by_words_until_their_vectors_are_complete(database: Database) -> None:
    model = Counting()
    take(database, model, 0.0)
    before = search_tickets(database, model, "orders are slow 2", 1)[0]

    waiting: list[int] = []
    while embed_next(database, model):
        waiting.append(count_waiting(database, model))
        assert search_tickets(database, model, "orders are slow 2", 1)[0].vector_rank is None
    after = search_tickets(database, model, "orders are slow 2", 1)[0]

    assert (before.ticket_id, before.vector_rank) == ("T-2", None)
    assert waiting == [5, 4, 1, 0]
    assert (after.ticket_id, after.vector_rank is not None) == ("T-2", True)
    assert not embed_next(database, model)


def test_a_change_of_model_searches_by_the_old_vectors_until_the_new_ones_are_made(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change of model re-embeds and loses nothing."""
    old, new = Counting("old"), Counting("new")
    monkeypatch.setattr(embedding, "load_local", {"old": old}.get)
    take(database, old, None)

    assert embedding.searchable(database, new, KINDS) is old
    while embed_next(database, new):
        assert embedding.searchable(database, new, KINDS) is old
    assert embedding.searchable(database, new, KINDS) is new
    assert embedding.searchable(database, old, KINDS) is old


def test_a_few_new_tickets_do_not_take_the_vectors_out_of_use_and_many_do(database: Database) -> None:
    model = Counting()
    take(database, model, None)
    more = [HISTORY[0].model_copy(update={"ticket_id": f"N-{n}", "description": f"new {n}"}) for n in range(3)]

    import_tickets(database, model, enumerate(more, start=1), embed_s=0.0)
    many = search_tickets(database, model, "orders are slow 2", 1)[0].vector_rank
    reindex(database, model)
    done = search_tickets(database, model, "orders are slow 2", 1)[0].vector_rank

    assert many is None
    assert done is not None


def test_a_vector_is_made_of_what_symptoms_are_compared_by(database: Database) -> None:
    """D17: never of the root cause."""
    long = Ticket(
        ticket_id="T-9",
        description="slow",
        root_cause="secret",
        anomalies=tuple(Anomaly(description=f"sign {n}", observation_method="", why_relevant="") for n in range(12)),
    )
    import_tickets(database, None, [(1, long)])

    with database.session() as connection:
        rows = connection.execute(sql.SQL("SELECT {} AS text FROM tickets").format(sql.SQL(TEXTS[0].text))).fetchall()

    assert rows == [{"text": symptoms_of("slow", [f"sign {n}" for n in range(12)])}]


def test_evidence_is_gathered_by_words_while_vectors_are_missing(database: Database) -> None:
    model = Counting()
    take(database, model, 0.0)

    assert gather_evidence(database, model, "orders are slow 2") == gather_evidence(database, None, "orders are slow 2")


@pytest.mark.parametrize(("likeness", "said"), [(0.75, True), (0.7499, False)])
def test_an_observation_says_a_phenomenon_from_three_quarters_of_likeness(likeness: float, said: bool) -> None:
    """D6: docs/evaluation.md says how the threshold was found; below it, one match in ten is wrong."""

    class One:
        phenomena = {"P-1": PhenomenonFacts("the disk is full", "", (), 0.0, 1, {}, None)}

        def read_phenomena(self, ids: object) -> None: ...

        def to_piece(self, phenomenon_id: str, piece: str) -> float:
            return likeness

    found = _match(One(), ["P-1"], ["the disk is full now"])  # pyright: ignore[reportArgumentType] what it needs of a likeness

    assert MATCH_THRESHOLD == 0.75
    assert bool(found) is said
