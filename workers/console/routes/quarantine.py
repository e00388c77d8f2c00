"""What could not be taken and what was given up: look, try again, or let it go; many at once."""

from uuid import UUID

from fastapi import APIRouter, Response

from workers.app.quarantine import replay_entry
from workers.blackboard.quarantine import GIVEN_UP, NEW, Selection, get_entry, list_entries, settle
from workers.console.filled import Filled
from workers.console.pages import Operating
from workers.console.routing import PageRoute
from workers.errors import BullpenError, InvalidInput
from workers.gateway.access.caller import Here
from workers.saying.errors import message_of

router = APIRouter(prefix="/console/quarantine", include_in_schema=False, route_class=PageRoute)

SHOWN = 200


@router.get("")
def quarantine(here: Here, look: Operating, state: str = NEW) -> Response:
    """The entries, the newest first."""
    chosen = state if state in (NEW, "replayed", GIVEN_UP) else None
    entries = list_entries(here.db, Selection(state=chosen, owner=look.who.only_owner), limit=SHOWN)
    return look.html("quarantine.html", entries=entries, state=chosen or "", states=(NEW, "replayed", GIVEN_UP))


@router.get("/{entry}")
def show(here: Here, look: Operating, entry: UUID) -> Response:
    """An entry with the beginning of its body."""
    row = get_entry(here.db, entry, owner=look.who.only_owner)
    return look.html("quarantine_entry.html", entry=row, body=bytes(row["body"]).decode("utf-8", "replace"))


@router.post("")
def settle_many(here: Here, look: Operating, form: Filled) -> Response:
    """Try the chosen entries again, or let them go."""
    deed = str(form.get("deed") or "")
    try:
        chosen = [UUID(str(value)) for value in form.getlist("entry")][:SHOWN]
    except ValueError:
        chosen = []
    if not chosen or deed not in ("replay", "give_up"):
        raise InvalidInput(look("console.quarantine.choose"))
    problems: list[str] = []
    for entry in chosen:
        try:
            get_entry(here.db, entry, owner=look.who.only_owner)
            if deed == "replay":
                replay_entry(here.services, entry)
            else:
                settle(here.db, entry, GIVEN_UP)
        except BullpenError as error:
            problems.append(message_of(error))
    return look.html("quarantine_done.html", done=len(chosen) - len(problems), problems=problems)
