"""`bullpen tickets delete` asks in a terminal, unless it is told not to."""

import sys

import pytest
import typer

from contracts.tickets import Ticket
from workers.cli import ticket_changes

_TICKET = Ticket(ticket_id="OPS-7", description="The queue is full", root_cause="a consumer hangs")


@pytest.mark.parametrize(
    ("terminal", "yes", "says", "is_asked", "is_deleted"),
    [
        (True, False, True, True, True),
        (True, False, False, True, False),
        (True, True, False, False, True),
        (False, False, False, False, True),
    ],
)
def test_deleting_asks_in_a_terminal(monkeypatch: pytest.MonkeyPatch, terminal, yes, says, is_asked, is_deleted) -> None:
    deleted: list[str] = []
    asked: list[object] = []

    def confirmed(question: object) -> bool:
        asked.append(question)
        return says

    monkeypatch.setattr(ticket_changes.console, "_force_terminal", terminal)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: terminal, raising=False)

    def do(operation: object, ticket_id: str) -> object:
        if operation is ticket_changes.operations.ticket:
            return _TICKET
        assert operation is ticket_changes.operations.delete_ticket
        deleted.append(ticket_id)
        return None

    monkeypatch.setattr(ticket_changes, "do", do)
    monkeypatch.setattr(ticket_changes, "confirmed", confirmed)

    if is_deleted:
        ticket_changes.delete("OPS-7", yes=yes)
    else:
        with pytest.raises(typer.Exit) as left:
            ticket_changes.delete("OPS-7", yes=yes)
        assert left.value.exit_code == 7

    assert (bool(asked), deleted == ["OPS-7"]) == (is_asked, is_deleted)
