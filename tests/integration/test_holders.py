"""Tickets that show what is known to be there."""

from contracts.tickets import Anomaly, Ticket
from workers.blackboard.engine import Database
from workers.tickets import import_tickets
from workers.tickets.holders import rank_by_phenomena
from workers.tickets.snapshot import snapshot
from workers.tickets.wording import phenomenon_id

LOCKS, DISK, LAG = "sessions wait for a lock", "the disk is full", "the standby lags"


def ticket(ticket_id: str, cause: str, *phenomena: str) -> Ticket:
    shown = tuple(Anomaly(description=text, observation_method="", why_relevant="") for text in phenomena)
    return Ticket(ticket_id=ticket_id, description=f"incident {ticket_id}", root_cause=cause, solution="", anomalies=shown)


def test_causes_take_turns_among_tickets_that_show_equally_much(database: Database) -> None:
    rows = (
        ticket("T-1", "one cause", LOCKS, DISK),
        ticket("T-2", "one cause", LOCKS, DISK),
        ticket("T-3", "one cause", LOCKS, LOCKS, LAG),
        ticket("T-4", "another cause", DISK, LOCKS),
        ticket("T-5", "another cause", LAG),
        ticket("T-6", "a third cause", DISK),
    )
    import_tickets(database, None, enumerate(rows, start=1))

    with snapshot(database, None) as history:
        ranked = rank_by_phenomena(history, [phenomenon_id(LOCKS), phenomenon_id(DISK), "P-of-no-ticket"], 5)
        again = rank_by_phenomena(history, [phenomenon_id(LOCKS), phenomenon_id(DISK)], 2)
        nothing = rank_by_phenomena(history, [], 5)

    assert ranked == [("T-1", 2.0), ("T-4", 2.0), ("T-2", 2.0), ("T-6", 1.0), ("T-3", 1.0)]
    assert again == ranked[:2]
    assert nothing == []
