"""What a page does asks for the right that the same act asks for at `/v1`: generated from both, so that no act is forgotten."""

import pytest

from tests.support.gateway import Reachable, routes_of, scopes_of
from workers.app.services import ProcessServices
from workers.console.routes import all_routers
from workers.gateway.app import create_gateway
from workers.settings import Settings

TWINS = {
    "POST /console/jobs/{job_id}/questions/{request_id}": "POST /v1/jobs/{job_id}/answer",
    "POST /console/jobs/{job_id}/say": "POST /v1/jobs/{job_id}/instruct",
    "POST /console/jobs/{job_id}/cancel": "POST /v1/jobs/{job_id}/cancel",
    "POST /console/jobs/{job_id}/replay": "POST /v1/jobs/{job_id}/replay",
    "POST /console/jobs/{job_id}/stages/{stage:path}/preview": "POST /v1/jobs/{job_id}/replay",
    "POST /console/jobs/{job_id}/stages/{stage:path}/replay": "POST /v1/jobs/{job_id}/replay",
    "POST /console/jobs/{job_id}/stages/{stage:path}/fork": "POST /v1/jobs/{job_id}/fork",
    "POST /console/jobs/{job_id}/stages/{stage:path}/revise": "POST /v1/jobs/{job_id}/revise",
    "POST /console/jobs/{job_id}/stages/{stage:path}/unpin": "POST /v1/jobs/{job_id}/unpin",
    "POST /console/jobs/{job_id}/questions/{request_id}/back": "POST /v1/jobs/{job_id}/answer/undo",
    "POST /console/jobs/{job_id}/feedback": "POST /v1/jobs/{job_id}/feedback",
    "POST /console/jobs/{job_id}/feedback/preview": "POST /v1/jobs/{job_id}/feedback",
    "POST /console/home/suggest": "POST /v1/jobs",
    "POST /console/spec": "POST /v1/jobs",
    "POST /console/plan": "POST /v1/jobs",
    "POST /console/plan/preview": "POST /v1/jobs",
    "POST /console/spec/fill": "POST /v1/jobs",
    "POST /console/spec/check": "POST /v1/jobs",
    "POST /console/new/{kind}": "POST /v1/jobs",
    "POST /console/home": "POST /v1/jobs",
    "POST /console/jobs": "POST /v1/jobs/{job_id}/cancel",
    "POST /console/jobs/matching": "POST /v1/jobs/{job_id}/cancel",
    "POST /console/uploads": "POST /v1/bundles",
    "PUT /console/uploads/{upload}/{file:path}": "POST /v1/bundles",
    "POST /console/uploads/{upload}/done": "POST /v1/bundles",
    "POST /console/chat": "POST /v1/jobs",
    "POST /console/chat/{session}": "POST /v1/sessions/{session_id}/messages",
    "POST /console/tickets/import/preview": "POST /v1/history/import",
    "POST /console/tickets/import": "POST /v1/history/import",
    "POST /console/tickets/import/sample": "POST /v1/history/import",
    "POST /console/tickets/undo": "POST /v1/history/undo",
    "POST /console/tickets/show/{ticket_id:path}": "PUT /v1/tickets/{ticket_id:path}",
    "POST /console/tickets/delete/{ticket_id:path}": "DELETE /v1/tickets/{ticket_id:path}",
    "POST /console/sources": "POST /v1/sources",
    "POST /console/systems/{system}/look": "POST /v1/systems/{system}/look",
    "POST /console/jobs/{job_id}/questions/{request_id}/run/{item}": "POST /v1/jobs/{job_id}/run",
    "POST /console/sources/{name}/check": "POST /v1/sources/{name}/check",
    "POST /console/sources/{name}/catalogue": "POST /v1/catalogue/source",
    "POST /console/fleet/{role}/{state}": "PUT /v1/fleet/roles/{role}",
    "POST /console/quarantine": "POST /v1/quarantine/replay",
    "POST /console/keys": "POST /v1/keys",
    "POST /console/keys/{key_id}/revoke": "DELETE /v1/keys/{key_id}",
}
"""An act of a page → the address of the same act."""

OF_A_BROWSER = {"/console/login", "/console/login/again", "/console/enter", "/console/logout"}
"""Acts that only a browser has: it logs in and out."""


def _routes() -> dict[str, Reachable]:
    services = ProcessServices(Settings(database_url="postgresql://nowhere/x", broker_url="redis://nowhere"))
    return {f"{route.method} {route.path}": route for route in routes_of(create_gateway(services, all_routers()))}


ROUTES = _routes()
ACTS = [
    act
    for act, route in ROUTES.items()
    if route.path.startswith("/console") and route.method not in ("GET", "HEAD") and route.path not in OF_A_BROWSER
]


def test_every_act_of_a_page_has_a_twin() -> None:
    assert sorted(ACTS) == sorted(TWINS)


@pytest.mark.parametrize("act", ACTS)
def test_a_page_asks_for_the_rights_of_its_twin(act: str) -> None:
    wanted = scopes_of(ROUTES[TWINS[act]])

    assert wanted
    assert scopes_of(ROUTES[act]) == wanted
