"""What could not be taken and what was given up: look, try again, or let it go; many at once."""

from uuid import UUID

from fastapi import APIRouter, Response

from workers.app.quarantine import GIVEN_UP, NEW, replay_entry
from workers.blackboard.engine import Row
from workers.blackboard.quarantine import Selection, get_entry, list_entries, settle
from workers.console.filled import Filled
from workers.console.pages import Look, Operating
from workers.console.routing import PageRoute
from workers.errors import BullpenError, InvalidInput, NotFound
from workers.gateway.access.caller import Here
from workers.gateway.context import Gateway
from workers.saying.errors import message_of

router = APIRouter(prefix="/console/quarantine", include_in_schema=False, route_class=PageRoute)

SHOWN = 200


@router.get("")
def quarantine(here: Here, look: Operating, state: str = NEW) -> Response:
    """The entries, the newest first."""
    chosen = state if state in (NEW, "replayed", GIVEN_UP) else None
    entries = [row for row in list_entries(here.db, Selection(state=chosen), limit=SHOWN) if _sees(here, look, row)]
    return look.html("quarantine.html", entries=entries, state=chosen or "", states=(NEW, "replayed", GIVEN_UP))


@router.get("/{entry}")
def show(here: Here, look: Operating, entry: UUID) -> Response:
    """An entry with the beginning of its body."""
    row = _entry(here, look, entry)
    return look.html("quarantine_entry.html", entry=row, body=bytes(row["body"]).decode("utf-8", "replace"))


@router.post("")
def settle_many(here: Here, look: Operating, form: Filled) -> Response:
    """Try the chosen entries again, or let them go."""
    chosen = [UUID(str(value)) for value in form.getlist("entry")][:SHOWN]
    deed = str(form.get("deed") or "")
    if not chosen or deed not in ("replay", "give_up"):
        raise InvalidInput(look("console.quarantine.choose"))
    problems: list[str] = []
    for entry in chosen:
        try:
            _entry(here, look, entry)
            if deed == "replay":
                replay_entry(here.services, entry)
            else:
                settle(here.db, entry, GIVEN_UP)
        except BullpenError as error:
            problems.append(message_of(error))
    return look.html("quarantine_done.html", done=len(chosen) - len(problems), problems=problems)


def _entry(here: Gateway, look: Look, entry: UUID) -> Row:
    row = get_entry(here.db, entry)
    if not _sees(here, look, row):
        raise NotFound(f"There is no quarantine entry {entry}.")
    return row


def _sees(here: Gateway, look: Look, row: Row) -> bool:
    """An entry belongs to the owner of its job; one without a job to the administrators."""
    if look.who.only_owner is None:
        return True
    if row["job_id"] is None:
        return False
    owner = here.db.row("SELECT owner FROM jobs WHERE id = %(id)s", {"id": row["job_id"]})
    return owner is not None and owner["owner"] == look.who.only_owner
