"""Phenomena as monitoring exports them."""

from contracts.tickets import Ticket, TicketProblem
from workers.tickets.ticket_rows import to_ticket


def row(*readings: dict[str, object], **more: object) -> Ticket | TicketProblem:
    return to_ticket(1, {"id": "run-1", "phenomena": list(readings), "root_causes": ["Lock Contention"], **more})


def test_a_reading_becomes_graded_phenomena_that_include_each_other():
    """D2: incidents share what they have in common, whatever its size."""
    ticket = row({"metric": "threads", "normal": 5, "abnormal": 90.5, "z": 8.2}, {"metric": "idle", "normal": 60, "abnormal": 2, "z": -4.0})

    assert isinstance(ticket, Ticket)
    assert [a.description for a in ticket.anomalies] == [
        "High threads",
        "Very high threads",
        "Extremely high threads",
        "Low idle",
        "Very low idle",
    ]
    assert ticket.anomalies[0].why_relevant == "90.5 where 5 is usual"
    assert ticket.root_cause == "Lock Contention"


def test_an_incident_without_words_is_told_as_its_alarm():
    """D13: the description is what monitoring reports; one that was written is kept."""
    silent = row({"metric": "threads", "z": 2.1})
    worded = row({"metric": "threads", "z": 2.1}, description="Everything hangs.")
    empty = row()

    assert isinstance(silent, Ticket)
    assert isinstance(worded, Ticket)
    assert isinstance(empty, Ticket)
    assert silent.description == "High threads. All other metrics are normal."
    assert worded.description == "Everything hangs."
    assert empty.description == "All other metrics are normal."


def test_a_reading_without_sigmas_has_the_direction_of_its_values():
    """Not every monitoring knows a spread."""
    ticket = row({"metric": "idle", "normal": 60, "abnormal": 2}, {"metric": "load", "normal": 1, "abnormal": 3}, {"metric": "state"})

    assert isinstance(ticket, Ticket)
    assert [a.description for a in ticket.anomalies] == ["Low idle", "High load", "Unusual state"]


def test_words_among_readings_do_not_make_an_alarm():
    """A row with phenomena in words still needs a description."""
    assert isinstance(to_ticket(1, {"id": "x", "phenomena": ["it hangs", {"metric": "load", "z": 3}], "root_cause": "y"}), TicketProblem)
