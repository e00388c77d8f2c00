"""What was used of models in a period, by role and model."""

from datetime import UTC, datetime, timedelta

from fastapi import APIRouter, Response

from contracts.reports import Usage
from workers.console.pages import Reading
from workers.console.routing import PageRoute
from workers.gateway.access.caller import Here
from workers.reading.costs import read_costs

router = APIRouter(prefix="/console/usage", include_in_schema=False, route_class=PageRoute)

DAYS = (1, 7, 30, 365)


@router.get("")
def usage(here: Here, look: Reading, days: int = 7) -> Response:
    """The page."""
    period = days if days in DAYS else 7
    now = datetime.now(UTC)
    lines = read_costs(here.db, now - timedelta(days=period), now + timedelta(minutes=1), owner=look.who.only_owner)
    total = Usage()
    for line in lines:
        total = total.plus(line.usage)
    return look.html("usage.html", lines=lines, total=total, days=period, periods=DAYS)
