"""A person's words about a ticket hold against what a model reads in it."""

from typing import Any

import pytest

from contracts.access import Scope
from contracts.tickets import DrawnObservations, Ticket
from tests.support.console import browser, console_over
from tests.support.gateway import gateway_over, key_for
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.tickets import import_tickets, show_ticket
from workers.tickets.changes import list_changes
from workers.tickets.readings import keep_reading, text_hash

READ, SAID = "the network was slow", "the disk of db1 was full"
TICKET = Ticket(
    ticket_id="T-1",
    description=f"Orders hang.\nSince noon {READ}.",
    root_cause="unclear",
    metadata={"drawn": ["root_cause"], "comments": "looked at it"},
)


@pytest.fixture
def read(database: Database) -> Database:
    """A ticket whose cause a model has read."""
    with database.session() as connection:
        keep_reading(connection, text_hash(TICKET), "a-model", DrawnObservations(cause=READ, observations=()))
    import_tickets(database, None, [(1, TICKET)])
    assert show_ticket(database, "T-1").root_cause == READ
    return database


def form(ticket: Ticket, **changed: str) -> dict[str, Any]:
    texts = {"description": ticket.description, "root_cause": ticket.root_cause, "solution": ticket.solution}
    return {name: text.replace("\n", "\r\n") for name, text in {**texts, **changed}.items()}


def test_a_cause_that_is_corrected_on_its_page_stays_corrected(services: ProcessServices, read: Database) -> None:
    with console_over(services) as client:
        admin = browser(client, read, "root")
        admin.post("/console/tickets/show/T-1", data=form(show_ticket(read, "T-1"), root_cause=SAID))
    edited = show_ticket(read, "T-1")
    assert edited.root_cause == SAID
    assert edited.description == TICKET.description, "a form sends other ends of lines"
    assert list_changes(read)[0].what == "edit"

    import_tickets(read, None, [(1, edited)])
    assert show_ticket(read, "T-1").root_cause == SAID


def test_a_form_that_changes_nothing_is_no_change(services: ProcessServices, read: Database) -> None:
    before = show_ticket(read, "T-1")
    with console_over(services) as client:
        browser(client, read, "root").post("/console/tickets/show/T-1", data=form(before))

    assert show_ticket(read, "T-1") == before
    assert [change.what for change in list_changes(read)] == ["import"]


def test_a_cause_that_is_corrected_over_http_stays_corrected(services: ProcessServices, read: Database) -> None:
    with gateway_over(services) as client:
        body = {**show_ticket(read, "T-1").to_json(), "root_cause": SAID}
        assert client.put("/v1/tickets/T-1", json=body, headers=key_for(read, "root", Scope.ADMIN)).status_code == 200
    import_tickets(read, None, [(1, show_ticket(read, "T-1"))])

    assert show_ticket(read, "T-1").root_cause == SAID


def test_a_ticket_that_is_not_solved_is_taken_by_no_way(services: ProcessServices, database: Database) -> None:
    row = {"ticket_id": "T-9", "description": "db slow", "root_cause": "maybe a lock?", "Status": "Open"}
    with gateway_over(services) as client:
        report = client.post("/v1/tickets", json={"tickets": [row]}, headers=key_for(database, "root", Scope.ADMIN)).json()

    assert (report["imported"], len(report["problems"])) == (0, 1)
