"""The evidence of a diagnosis, gathered from a real history."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from contracts.base import canonical_json, content_hash
from contracts.tickets import Anomaly, Ticket, TicketEvidence
from contracts.wire import MAX_DELIVERABLE_BYTES
from workers.blackboard.engine import Database
from workers.llm import Embedder
from workers.llm.embeddings import WordLlamaEmbedder
from workers.tickets import EvidenceLimits, await_vectors, count_waiting, delete_ticket, embed_history, gather_evidence, import_tickets
from workers.tickets.wording import cause_id, phenomenon_id

SEQ = "The plan contains a sequential scan on a large table"
OFF = "Estimated and actual row counts differ by more than a factor of 100"
NEAR = "Estimated and actual row counts differ by less than a factor of 2"
LAG = "备库的复制延迟持续增长"
WAL = "pg_wal has grown to fill the disk"


@pytest.fixture(params=["vectors", "words"])
def embedder(request: pytest.FixtureRequest, wordllama: WordLlamaEmbedder) -> Embedder | None:
    return wordllama if request.param == "vectors" else None


def ticket(ticket_id: str, description: str, cause: str, *phenomena: str) -> Ticket:
    anomalies = tuple(
        Anomaly(description=text, observation_method=f"SELECT '{number}'", why_relevant=f"{cause} shows it")
        for number, text in enumerate(phenomena)
    )
    return Ticket(ticket_id=ticket_id, description=description, root_cause=cause, solution=f"cure {cause}", anomalies=anomalies)


HISTORY = (
    ticket("T-1", "Queries got slow after the nightly load", "stale statistics", SEQ, OFF),
    ticket("T-2", "Reports are slow since the bulk import", "stale statistics", OFF),
    ticket("T-3", "A search became slow after the release", "missing index", SEQ, NEAR),
    ticket("T-4", "查询读到旧数据", "长事务阻塞回放", LAG),
    ticket("T-5", "The database stopped accepting writes", "replication slot without a consumer", WAL, LAG),
)


@pytest.fixture
def history(database: Database, embedder: Embedder | None) -> Database:
    import_tickets(database, embedder, enumerate(HISTORY, start=1))
    return database


def test_evidence_counts_over_the_whole_history(history: Database, embedder: Embedder | None) -> None:
    """D3, D29: everything in it is stored data, counted."""
    evidence = gather_evidence(history, embedder, "Slow queries after the load", limits=EvidenceLimits(tickets=1, causes=1))

    assert (evidence.total_tickets, evidence.total_causes) == (5, 4)
    assert [card.ticket_id for card in evidence.tickets] == ["T-1"]
    assert [(card.description, card.ticket_count, card.ticket_ids) for card in evidence.causes] == [("stale statistics", 2, ("T-1",))]
    phenomena = {card.description: card for card in evidence.phenomena}
    assert set(phenomena) == {SEQ, OFF}
    assert phenomena[OFF].cause_tickets == {cause_id("stale statistics"): 2}
    assert phenomena[SEQ].cause_tickets == {cause_id("stale statistics"): 1}
    assert phenomena[SEQ].cause_count == 2
    assert phenomena[SEQ].why_relevant == {cause_id("stale statistics"): "stale statistics shows it"}
    assert set(evidence.tickets[0].phenomenon_ids) == {phenomenon_id(SEQ), phenomenon_id(OFF)}


def test_evidence_is_sorted_and_equal_for_equal_histories(history: Database, embedder: Embedder | None) -> None:
    """The hash of a deliverable decides what runs again: the same evidence has the same."""
    told = ("Slow queries, and the standby lags", [SEQ], [phenomenon_id(LAG)])
    before = gather_evidence(history, embedder, *told)
    import_tickets(history, embedder, enumerate(reversed(HISTORY), start=1))

    after = gather_evidence(history, embedder, *told)

    assert content_hash(before.to_json()) == content_hash(after.to_json())
    assert_sorted(before)


def assert_sorted(evidence: TicketEvidence) -> None:
    tickets = [(-card.similarity, card.ticket_id) for card in evidence.tickets]
    assert tickets == sorted(tickets)
    phenomena = [(-card.similarity, -sum(card.cause_tickets.values()), card.phenomenon_id) for card in evidence.phenomena]
    assert phenomena == sorted(phenomena)
    nearest = {card.ticket_id: card.similarity for card in evidence.tickets}
    causes = [(-nearest[card.ticket_ids[0]], -card.ticket_count, card.cause_id) for card in evidence.causes]
    assert causes == sorted(causes)
    for similarity in (card.similarity for card in (*evidence.tickets, *evidence.phenomena)):
        assert -1 <= similarity <= 1
        assert similarity == round(similarity, 4)


def test_evidence_holds_together(history: Database, embedder: Embedder | None) -> None:
    """D15: whatever can be cited is in it, and exists."""
    evidence = gather_evidence(history, embedder, "slow queries 备库 延迟 disk", [SEQ, WAL])

    causes = {card.cause_id for card in evidence.causes}
    phenomena = {card.phenomenon_id for card in evidence.phenomena}
    assert {card.cause_id for card in evidence.tickets} == causes
    assert all(set(card.cause_tickets) <= causes for card in evidence.phenomena)
    assert all(set(card.phenomenon_ids) <= phenomena for card in evidence.tickets)
    written = {each.ticket_id: [phenomenon_id(anomaly.description) for anomaly in each.anomalies] for each in HISTORY}
    for card in evidence.tickets:  # "how: same" means the one before it
        assert list(card.phenomenon_ids) == [found for found in written[card.ticket_id] if found in phenomena]
    assert {match.phenomenon_id for match in evidence.observations} <= phenomena


def test_the_same_symptoms_are_equally_near_whatever_the_cause(database: Database, embedder: Embedder | None) -> None:
    """D17: the label is not part of what is compared."""
    twins = (ticket("T-1", "orders are slow", "a lock held too long", SEQ), ticket("T-2", "orders are slow", "orders slow slow", SEQ))
    import_tickets(database, embedder, enumerate(twins, start=1))
    before = gather_evidence(database, embedder, "slow orders held by a lock")

    import_tickets(database, embedder, [(1, ticket("T-1", "orders are slow", "slow orders held by a lock", SEQ))])
    after = gather_evidence(database, embedder, "slow orders held by a lock")

    assert before.tickets[0].similarity == before.tickets[1].similarity
    assert [(card.ticket_id, card.similarity) for card in before.tickets] == [(card.ticket_id, card.similarity) for card in after.tickets]
    assert [(card.phenomenon_id, card.similarity) for card in before.phenomena] == [
        (card.phenomenon_id, card.similarity) for card in after.phenomena
    ]


def test_an_observation_is_matched_to_what_it_says_and_never_to_the_opposite(history: Database, embedder: Embedder | None) -> None:
    """D6."""
    observations = ["Estimated and actual row counts differ by more than a factor of 300", "备库的复制延迟持续增长。", "the coffee is cold"]

    evidence = gather_evidence(history, embedder, "slow", observations)

    assert [(match.text, match.phenomenon_id) for match in evidence.observations] == [
        (observations[0], phenomenon_id(OFF)),
        (observations[1], phenomenon_id(LAG)),
    ]
    assert all(match.similarity >= 0.75 for match in evidence.observations)


def test_a_confirmed_phenomenon_brings_the_causes_that_show_it(history: Database, embedder: Embedder | None) -> None:
    """D25: the graph of phenomena and causes helps the search."""
    limits = EvidenceLimits(tickets=2, causes=2)
    without = gather_evidence(history, embedder, "A search became slow after the release", limits=limits)

    evidence = gather_evidence(history, embedder, "A search became slow after the release", confirmed=[phenomenon_id(WAL)], limits=limits)

    assert "T-5" not in {card.ticket_id for card in without.tickets}
    assert {card.ticket_id for card in evidence.tickets} == {"T-3", "T-5"}


def test_a_small_history_comes_whole(history: Database, embedder: Embedder | None) -> None:
    """D29: how an incident is told says little about its cause, so no cause is left out while there is room."""
    limits = EvidenceLimits(tickets=1)

    evidence = gather_evidence(history, embedder, "Slow queries after the load", limits=limits)

    assert len(evidence.causes) == evidence.total_causes == 4
    assert evidence.causes[0].description == "stale statistics"
    assert evidence.tickets[0].ticket_id == "T-1"


def test_the_limits_keep_what_was_confirmed(history: Database, embedder: Embedder | None) -> None:
    limits = EvidenceLimits(causes=2, phenomena=1)

    evidence = gather_evidence(history, embedder, "slow queries", confirmed=[phenomenon_id(LAG)], limits=limits)

    assert len(evidence.causes) <= 2
    assert [card.description for card in evidence.phenomena] == [LAG]


@pytest.mark.parametrize("told", ["", "   ", "\x00", "'", "\ud800", "🦄"])
def test_whatever_is_told_gives_evidence(history: Database, embedder: Embedder | None, told: str) -> None:
    evidence = gather_evidence(history, embedder, told, [told], ["P-unknown"])

    assert evidence.total_tickets == 5
    assert evidence.observations == ()


def test_an_empty_history_says_so(database: Database, embedder: Embedder | None) -> None:
    assert gather_evidence(database, embedder, "slow") == TicketEvidence(
        causes=(), phenomena=(), tickets=(), total_tickets=0, total_causes=0
    )


def test_long_texts_do_not_make_the_evidence_too_large_for_the_blackboard(database: Database, embedder: Embedder | None) -> None:
    long = [
        Ticket(
            ticket_id=f"T-{n}",
            description="slow " + "查询" * 5_000,
            root_cause=f"cause {n} " + "原因" * 1_900,
            solution="解" * 20_000,
            anomalies=tuple(
                Anomaly(description=f"sign {n} {k} " + "很慢" * 1_500, observation_method="m" * 20_000, why_relevant="w" * 4_000)
                for k in range(4)
            ),
        )
        for n in range(55)
    ]
    import_tickets(database, embedder, enumerate(long, start=1))

    evidence = gather_evidence(database, embedder, "slow 查询")

    assert len(evidence.causes) == 50
    assert evidence.phenomena
    assert len(canonical_json(evidence.to_json()).encode()) < MAX_DELIVERABLE_BYTES


def test_evidence_sees_at_once_what_another_process_has_written(history: Database, embedder: Embedder | None) -> None:
    """D4."""
    other = Database(history.url)
    gather_evidence(history, embedder, "Slow queries after the load")

    import_tickets(other, embedder, [(1, ticket("T-9", "Slow queries after the load", "a new cause", "a new sign"))])
    added = gather_evidence(history, embedder, "Slow queries after the load")
    delete_ticket(other, "T-9", embedder)
    removed = gather_evidence(history, embedder, "Slow queries after the load")
    other.close()

    assert (added.total_tickets, added.tickets[0].ticket_id) == (6, "T-9")
    assert (removed.total_tickets, {card.ticket_id for card in removed.tickets} & {"T-9"}) == (5, set())


def test_threads_that_search_at_once_find_what_each_finds_alone(history: Database, embedder: Embedder | None) -> None:
    told = ["slow queries", "备库 延迟", "disk is full", "stopped accepting writes", "旧数据"] * 8
    alone = [gather_evidence(history, embedder, text) for text in told]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda text: gather_evidence(history, embedder, text), told)) == alone


def test_a_search_waits_for_vectors_that_are_being_made_and_no_longer_than_it_may(database: Database, wordllama: WordLlamaEmbedder) -> None:
    """The same incident has the same weights, or it is said that words alone were compared."""
    import_tickets(database, wordllama, enumerate(HISTORY, start=1), embed_s=0.0)
    missing = count_waiting(database, wordllama)

    assert missing > 0
    assert not await_vectors(database, wordllama, at_most_s=600.0, few=missing - 1)
    assert not await_vectors(database, wordllama, at_most_s=0.0, few=missing)
    with ThreadPoolExecutor(1) as background:
        background.submit(embed_history, database, wordllama)
        assert await_vectors(database, wordllama, at_most_s=600.0, few=missing)
    assert await_vectors(database, None, at_most_s=0.0, few=0)
