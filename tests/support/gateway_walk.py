"""A walk over every route of the gateway on things of the caller's own. `python -m tests.support.gateway_walk` writes what they answer into
`workers/gateway/examples.json`, the examples of the OpenAPI."""

import json
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psycopg
from fastapi.testclient import TestClient

import tests.support.noop  # noqa: F401  registers its kinds
from contracts.access import Scope
from contracts.catalogue import NodeKind
from contracts.checks import System
from contracts.jobs import SubmitJob
from contracts.own_checks import OwnCheck
from contracts.reports import Usage
from contracts.sources import Source, SourceKind
from contracts.tickets import Ticket
from tests.support.gateway import Reachable, every_route, gateway_over, key_for, working
from tests.support.servers import Servers
from workers.app.in_process import run_all
from workers.app.quarantine import SUBMISSIONS
from workers.app.services import ProcessServices
from workers.blackboard import quarantine
from workers.blackboard.engine import jsonb
from workers.blackboard.schema import migrate
from workers.blackboard.steps import claim
from workers.catalogue import Catalogue
from workers.checks.systems import add_system
from workers.coordinator import actions
from workers.coordinator.advance import advance
from workers.coordinator.intake import accept
from workers.gateway.access.keys import create_key
from workers.gateway.background import begin
from workers.gateway.openapi import EXAMPLES
from workers.kinds.registry import load_kinds
from workers.prometheus.addresses import variable as metrics_variable
from workers.reading.jobs import read_job
from workers.reading.steps import read_steps
from workers.settings import Settings
from workers.sources import add_source, list_sources
from workers.sources.addresses import variable
from workers.telemetry import configure_logging
from workers.tickets import import_tickets

OWNER = "shop"
TICKET = {"ticket_id": "T-1", "description": "orders arrive late", "root_cause": "a lock on orders", "solution": "drop the index"}


@dataclass(frozen=True, slots=True)
class Sent:
    """A request to a route: what is in its path, its query and its body."""

    path: dict[str, Any] = field(default_factory=dict[str, Any])
    query: dict[str, Any] = field(default_factory=dict[str, Any])
    body: Any = None
    data: bytes | None = None
    """A body in another form than JSON."""
    files: Any = None


class World:
    """What the owner has. Routes that end or change a job get one of their own."""

    def __init__(self, services: ProcessServices) -> None:
        self.services, self.db = services, services.database
        self.asking = self.job({"s2": {"ask": 1}})
        self.done = self.job({})
        self.answered = self.job({"s2": {"ask": 1}})
        self.session = read_job(self.db, self.job({"s1": {"ask": 1}})).session_id
        self.talk = read_job(self.db, self.job({"s1": {"ask": 1}})).session_id
        self.over = read_job(self.db, self.job({})).session_id
        self.asked = self.accept({"kind": "ask", "question": "How many orders per day in 2025?", "source": OWNER, "strategy": "direct"})
        self.diagnosis = self.accept({"kind": "diagnose", "description": "orders are late"})
        self.job({"s1": {"break": True}})
        run_all(services)
        actions.answer(self.db, self.answered, "yes")
        held = self.job({})
        advance(self.db, held, services.limits)
        claim(self.db, read_steps(self.db, held)[0].id, token=uuid4(), lease_s=600.0, worker="classifier@here")
        self.db.statement("UPDATE steps SET engine = 'qwen3-4b', usage = %(usage)s WHERE job_id = %(id)s", {
            "id": self.done, "usage": jsonb(Usage(input_tokens=900, output_tokens=80, model_calls=1).to_json()),
        })  # fmt: skip
        self.step = read_steps(self.db, self.done)[0].id
        self.key = create_key(self.db, OWNER)[0]

    def accept(self, request: dict[str, Any]) -> UUID:
        return accept(self.db, SubmitJob(job=request, owner=OWNER), owner_cap=100).job_id

    def job(self, plan: dict[str, Any]) -> UUID:
        return self.accept({"kind": "noop", "plan": plan})

    def entry(self) -> UUID:
        body = b'{"job": {"kind": "noop"}, "owner": "shop"}'
        return quarantine.put(
            self.db, source=sorted(SUBMISSIONS)[0], cause="InvalidSubmission", message="No such kind then.", body=body, job_id=self.done
        )


Own = Callable[[World], Sent]


def _of_job(name: str, body: Any = None, query: dict[str, Any] | None = None, **more: Any) -> Own:
    """A route of one of the world's jobs."""
    return lambda world: Sent({"job_id": getattr(world, name), **more}, query or {}, body)


def _of(body: Any = None, query: dict[str, Any] | None = None, **path: Any) -> Own:
    """A route whose path names nothing that the world makes."""
    return lambda _: Sent(path, query or {}, body)


DAY = {"start": "2025-09-16T00:00:00Z", "end": "2025-09-17T00:00:00Z"}
CLOSED = {"source": OWNER, "table": "orders", "owner": "bank", "denied": True}
MINE = {"stage": "s4", "content": {"stage": "mine", "given": {}}}

OWN_CHECK = {
    "name": "exports_fail", "title": "The nightly export fails", "logql": '{job="export"} |= "export failed"', "rule": {"read": "presence"},
    "tests": [
        {"expect": "confirmed", "lines": [{"line": "export failed: no rows", "labels": {"job": "export"}}]},
        {"expect": "denied", "lines": [{"line": "export done", "labels": {"job": "export"}}]},
    ],
}  # fmt: skip

OWN: dict[str, Own] = {
    "POST /v1/history/import": lambda _: Sent(
        {}, {"name": "t.csv"}, data=b"ticket_id,description,root_cause,solution\nT-1,late,a lock,drop it\n"
    ),
    "POST /v1/tickets": _of({"tickets": [TICKET]}),
    "PUT /v1/tickets/{ticket_id:path}": _of({**TICKET, "root_cause": "a slow disk"}, ticket_id="T-1"),
    "GET /v1/tickets": _of(query={"q": "late"}),
    "GET /v1/tickets/{ticket_id:path}": _of(ticket_id="T-1"),
    "GET /v1/history": _of(),
    "GET /v1/history/changes": _of(),
    "POST /v1/history/undo": _of({}),
    "POST /v1/history/reindex": _of(),
    "DELETE /v1/tickets/{ticket_id:path}": _of(ticket_id="T-1"),
    "POST /v1/sources": _of({"name": OWNER, "kind": "duckdb", "sample": True}),
    "GET /v1/sources": _of(),
    "GET /v1/sources/{name}": _of(name=OWNER),
    "POST /v1/sources/{name}/check": _of(name=OWNER),
    "POST /v1/sources/{name}/query": _of({"statement": "SELECT count(*) FROM orders"}, name=OWNER),
    "GET /v1/sources/{name}/writable": _of(name=OWNER),
    "PUT /v1/sources/{name}/writable": _of({"schema": "main", "open": True}, name=OWNER),
    "PUT /v1/sources/{name}/policies": _of({key: value for key, value in CLOSED.items() if key != "source"}, name=OWNER),
    "GET /v1/sources/{name}/policies": _of(name=OWNER),
    "DELETE /v1/sources/{name}/policies": _of(query={"table": "orders", "owner": "bank"}, name=OWNER),
    "GET /v1/audit": _of(),
    "POST /v1/catalogue/source": _of({"source": OWNER}),
    "POST /v1/catalogue/files": lambda _: Sent(
        {}, {"form": "documents", "origin": "pages", "source": OWNER}, files={"file": ("refunds.md", b"# Refunds\n\nWithin 14 days.\n")}
    ),
    "POST /v1/catalogue/reindex": _of(),
    "GET /v1/catalogue": _of(query={"q": "orders"}),
    "GET /v1/catalogue/tables": _of(query={"source": OWNER}),
    "GET /v1/catalogue/table": _of(query={"source": OWNER, "name": "main.orders"}),
    "GET /v1/catalogue/lineage": _of(query={"source": OWNER, "name": "main.orders"}),
    "GET /v1/catalogue/entry": lambda world: Sent({}, {"place": _place(world)}),
    "POST /v1/checks": _of(OWN_CHECK),
    "GET /v1/checks": _of(),
    "POST /v1/checks/{hash}/test": _of(hash=OwnCheck.model_validate(OWN_CHECK).hash),
    "POST /v1/checks/{hash}/approve": _of(hash=OwnCheck.model_validate(OWN_CHECK).hash),
    "DELETE /v1/checks/{hash}": _of(hash=OwnCheck.model_validate(OWN_CHECK).hash),
    "POST /v1/metrics": lambda _: Sent({}, {}, {"name": _metrics(), "limits": {"timeout_s": 5.0}}),
    "GET /v1/metrics": _of(),
    "POST /v1/metrics/{server}/query": _of({"query": "up", "end": DAY["end"]}, server=OWNER),
    "DELETE /v1/metrics/{server}": _of(server=OWNER),
    "POST /v1/systems": lambda world: Sent({}, {}, {"name": "orders-db", "source": _server(world), "match": ["host=orders*"]}),
    "GET /v1/systems": _of(),
    "POST /v1/systems/{system}/look": _of({"owner": OWNER}, system="orders-db"),
    "DELETE /v1/systems/{name}": _of(name="orders-db"),
    "POST /v1/logs": _of({"name": OWNER, "kind": "files", "sample": True}),
    "GET /v1/logs": _of(),
    "POST /v1/logs/{name}/read": _of({"question": "app=payment level=error per 1h 2025-09-16"}, name=OWNER),
    "POST /v1/logs/{name}/search": _of({"query": '{service="payment"}', **DAY}, name=OWNER),
    "DELETE /v1/logs/{name}": _of(name=OWNER),
    "GET /v1/skills": _of(),
    "GET /v1/skills/{name}": _of(name="capacity-analysis"),
    "POST /v1/reindex/skills": _of(),
    "GET /v1/operations/{operation_id}": lambda world: Sent({"operation_id": begin(world.db, "nothing", lambda _: {})}, {}, None),
    "GET /v1/tools": _of(),
    "POST /v1/jobs": _of({"job": {"kind": "noop"}}),
    "GET /v1/jobs": _of(),
    "GET /v1/jobs/{job_id}": _of_job("asking"),
    "GET /v1/jobs/{job_id}/steps": _of_job("asking"),
    "GET /v1/jobs/{job_id}/why": _of_job("asking"),
    "GET /v1/jobs/{job_id}/decisions": _of_job("asking"),
    "GET /v1/jobs/{job_id}/events": _of_job("asking", query={"until": "question"}),
    "GET /v1/jobs/{job_id}/deliverables": _of_job("asking"),
    "GET /v1/jobs/{job_id}/deliverables/{stage:path}": _of_job("asking", stage="s1"),
    "GET /v1/jobs/{job_id}/deliverables/{stage:path}/{version}": _of_job("asking", stage="s1", version=1),
    "GET /v1/jobs/{job_id}/calls": _of_job("asking"),
    "GET /v1/steps/{step_id}": lambda world: Sent({"step_id": world.step}),
    "GET /v1/steps/failed": _of(),
    "GET /v1/ids": lambda world: Sent({}, {"text": str(world.done)[-12:], "thing": "job"}),
    "POST /v1/jobs/{job_id}/instruct": _of_job("asking", {"text": "hurry", "stage": "s4"}),
    "POST /v1/jobs/{job_id}/answer": _of_job("asking", {"text": "yes"}),
    "POST /v1/jobs/{job_id}/run": lambda world: Sent({"job_id": _diagnosis_that_asks(world)}, {}, {"item": 1}),
    "POST /v1/jobs/{job_id}/answer/undo": _of_job("answered", {}),
    "POST /v1/jobs/{job_id}/cancel": _of_job("answered"),
    "GET /v1/jobs/{job_id}/result": _of_job("done"),
    "POST /v1/jobs/{job_id}/fork": _of_job("done", {"stage": "s3"}),
    "POST /v1/jobs/{job_id}/revise": _of_job("done", MINE),
    "POST /v1/jobs/{job_id}/unpin": _of_job("done", {"stage": "s4"}),
    "POST /v1/jobs/{job_id}/replay": _of_job("done", {"stage": "s1"}),
    "GET /v1/jobs/{job_id}/rows": _of_job("asked", query={"format": "csv"}),
    "POST /v1/jobs/{job_id}/feedback": _of_job("diagnosis", {"wrong": "a lock on orders", "solution": "drop the index"}, {"preview": True}),
    "POST /v1/bundles": lambda _: Sent({}, {"name": "job.sql"}, data=b"SELECT 1;\n"),
    "GET /v1/jobs/{job_id}/files": lambda world: Sent({"job_id": _with_files(world)}),
    "GET /v1/jobs/{job_id}/files/{name:path}": lambda world: Sent({"job_id": _with_files(world), "name": "job.sql"}),
    "GET /v1/sessions": _of(),
    "GET /v1/sessions/{session_id}": lambda world: Sent({"session_id": world.session}),
    "POST /v1/sessions/{session_id}/messages": lambda world: Sent({"session_id": world.session}, {}, {"text": "yes"}),
    "DELETE /v1/sessions/{session_id}/memory": lambda world: Sent({"session_id": world.session}),
    "POST /v1/chat/start": _of({"kind": "diagnose", "text": "orders are late"}),
    "GET /v1/chat/{session_id}/sse": lambda world: Sent({"session_id": world.over}),
    "POST /v1/chat/{session_id}/continue": lambda world: Sent({"session_id": world.talk}, {}, {"text": "yes"}),
    "POST /v1/chat/{session_id}/clear": lambda world: Sent({"session_id": world.talk}),
    "GET /v1/models": _of(),
    "GET /v1/models/{name:path}": _of(name="bullpen/ask"),
    "POST /v1/chat/completions": _of({"model": "bullpen/diagnose", "messages": [{"role": "user", "content": "orders are late"}]}),
    "POST /v1/alerts": _of({"text": "the nightly load is slow"}),
    "GET /v1/alerts": _of(),
    "GET /v1/jobs/{job_id}/alerts": lambda world: Sent({"job_id": world.db.statement("SELECT job_id FROM alerts LIMIT 1")[0]["job_id"]}),
    "GET /v1/fleet": _of(),
    "GET /v1/fleet/leases": _of(),
    "PUT /v1/fleet/roles/{role}": _of({"state": "running"}, role="analyst"),
    "GET /v1/fleet/roles/{role}": _of(role="analyst"),
    "GET /v1/usage": _of(),
    "GET /v1/kinds": _of(),
    "GET /v1/kinds/{name}": _of(name="ask"),
    "GET /v1/quarantine/{entry_id:uuid}": lambda world: Sent({"entry_id": world.entry()}),
    "GET /v1/quarantine": _of(),
    "GET /v1/quarantine/groups": _of(),
    "GET /v1/quarantine/{entry_id:uuid}/advice": lambda world: Sent({"entry_id": world.entry()}),
    "POST /v1/quarantine/{entry_id:uuid}/give-up": lambda world: Sent({"entry_id": world.entry()}, {}, {}),
    "POST /v1/quarantine/{entry_id:uuid}/replay": lambda world: Sent({"entry_id": world.entry()}, {}, {}),
    "POST /v1/quarantine/replay": _of({"cause": "NotJson"}),
    "POST /v1/quarantine/give-up": _of({"cause": "NotJson"}),
    "DELETE /v1/sources/{name}": _of(name=OWNER),
    "POST /v1/purge": _of({"older_than_s": 86_400, "dry_run": True}),
    "GET /v1/me": _of(),
    "GET /v1/keys": _of(),
    "POST /v1/keys": _of({"owner": OWNER}),
    "DELETE /v1/keys/{key_id}": lambda world: Sent({"key_id": world.key.id}),
    "GET /v1/openapi.json": _of(),
}
"""Route → a request that it has to answer, in the order in which they are tried."""

BEGINS = "GET /v1/catalogue/entry"
"""Here the owner gets jobs: by now there is a source to ask, and its catalogue."""


def _place(world: "World") -> str:
    """A document's place in the catalogue."""
    (found,) = Catalogue(world.db, None).search("refunds", owner=OWNER, source=None, kinds=[NodeKind.DOCUMENT], limit=1)
    return found.place


def _server(world: "World") -> str:
    """A source at the walk's own database server, whose engine has checks."""
    os.environ[variable("orders_db")] = str(world.services.settings.database_url)
    if "orders_db" not in {source.name for source in list_sources(world.db)}:
        add_source(world.db, world.services.settings.data_dir, Source(name="orders_db", kind=SourceKind.POSTGRES, insisted=True))
    return "orders_db"


def _diagnosis_that_asks(world: "World") -> UUID:
    """A diagnosis whose question names a statement, of the system at the walk's own database server."""
    method = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active'"
    signs = [{"description": f"sign {number} is there", "observation_method": method} for number in (1, 2)]
    text = "Bookings come late since the release of Tuesday"
    import_tickets(world.db, None, enumerate((
        Ticket.model_validate({"ticket_id": f"R-{number}", "description": text, "root_cause": cause, "anomalies": [signs[number - 1]]})
        for number, cause in ((1, "A slow report"), (2, "A lost index"))
    ), 1))  # fmt: skip
    add_system(world.db, System(name="bookings", source=_server(world)))
    job = world.accept({"kind": "diagnose", "description": text, "system": "bookings"})
    run_all(world.services)
    return job


class _Answers(BaseHTTPRequestHandler):
    """A metrics server that has one series."""

    def do_POST(self) -> None:
        """Answers each query with it."""
        self.rfile.read(int(self.headers["content-length"]))
        series = [{"metric": {"__name__": "up", "instance": "orders-1", "job": "node"}, "value": [1758067200, "1"]}]
        body = json.dumps({"status": "success", "data": {"resultType": "vector", "result": series}}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@cache
def _metrics() -> str:
    """The name of a metrics server that answers as long as this process lives."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    os.environ[metrics_variable(OWNER)] = f"http://127.0.0.1:{server.server_port}"
    return OWNER


def _with_files(world: World) -> UUID:
    """A job with a file that was uploaded."""
    with gateway_over(ProcessServices(world.services.settings)) as client:
        made = client.post("/v1/bundles?name=job.sql", content=b"SELECT 1;\n", headers=key_for(world.db, OWNER))
    return world.accept({"kind": "tune", "bundle": made.json()["ref"]})


@dataclass(frozen=True, slots=True)
class Step:
    """A route, and a request that it has to answer."""

    name: str
    """`METHOD /path/{parameter}`."""
    route: Reachable
    sent: Sent

    settings: Settings

    def ask(self, client: TestClient, headers: dict[str, str]) -> Any:
        """The answer to a key. One that waits for a job gets it done meanwhile."""
        with working(self.settings) if self.name.endswith("/completions") else nullcontext():
            return self._ask(client, headers)

    def _ask(self, client: TestClient, headers: dict[str, str]) -> Any:
        path, sent = self.route.at(**self.sent.path), self.sent
        if sent.data is not None:
            return client.request(self.route.method, path, params=sent.query, content=sent.data, headers=headers)
        return client.request(self.route.method, path, params=sent.query, json=sent.body, files=sent.files, headers=headers)


def walk(services: ProcessServices) -> Iterator[Step]:
    """Every route in an order in which each finds what it needs. Raises `LookupError` for a route that has no request here."""
    routes = {f"{route.method} {route.path}": route for route in every_route()}
    if forgotten := routes.keys() ^ OWN.keys():
        raise LookupError(f"Not tried here, or no route any more: {sorted(forgotten)}")
    world: World | None = None
    for name, own in OWN.items():
        if name == BEGINS:
            world = World(services)
        yield Step(name, routes[name], own(world), services.settings)  # pyright: ignore[reportArgumentType] those before need no world


MOST_ITEMS, MOST_CHARACTERS, MOST_DEPTH = 2, 300, 6


def shortened(value: Any, depth: int = 0) -> Any:
    """An answer as an example: its first items, the beginnings of its texts."""
    if isinstance(value, dict):
        return {} if depth > MOST_DEPTH else {name: shortened(item, depth + 1) for name, item in value.items()}
    if isinstance(value, list):
        return [shortened(item, depth + 1) for item in value[:MOST_ITEMS]]
    return value[:MOST_CHARACTERS] if isinstance(value, str) else value


def _example(step: Step, answer: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if step.sent.body is not None:
        found["request"] = step.sent.body
    if answer.headers.get("content-type") == "application/json":
        found["answer"] = shortened(answer.json())
    elif answer.headers.get("content-type", "").startswith("text/event-stream"):
        found["stream"] = "\n\n".join(answer.text.split("\n\n")[:3])[:1_000] + "\n\n"
    if "key" in found.get("answer", {}) and step.name == "POST /v1/keys":
        found["answer"]["key"] = "bp_0123456789ab_..."
    return found


def main() -> int:
    """Write the examples."""
    load_kinds()
    configure_logging("console", "error")
    made: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="bullpen-walk-") as folder, Servers(Path(folder)) as servers:
        with psycopg.connect(servers.postgres.url, autocommit=True) as admin:
            admin.execute("CREATE DATABASE walk")
        settings = Settings(
            database_url=servers.database_url("walk"),
            broker_url=servers.valkey.url,
            embeddings="none",
            home=Path(folder),
            log_level="error",
        )
        services = ProcessServices(settings)
        migrate(services.database)
        headers = key_for(services.database, OWNER, *Scope)
        with gateway_over(ProcessServices(settings)) as client:
            for step in walk(services):
                answer = step.ask(client, headers)
                if answer.status_code >= 300:
                    raise LookupError(f"{step.name}: {answer.status_code} {answer.text[:500]}")
                if step.name != "GET /v1/openapi.json":
                    made[step.name] = _example(step, answer)
        services.close()
    EXAMPLES.write_text(json.dumps(made, ensure_ascii=False, indent=1, sort_keys=True) + "\n", "utf-8")
    sys.stdout.write(f"{len(made)} examples, {EXAMPLES.stat().st_size:,} bytes: {EXAMPLES}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
