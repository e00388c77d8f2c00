"""The gateway against its own OpenAPI, by schemathesis: every parameter and body at its edges, right and wrong.

The short form, which runs always, tries the examples of all addresses, a few random requests, a few sequences in which one answer's ids go
into the next request, and the edges of each field of the addresses that make jobs and sources. With BULLPEN_CAMPAIGN set there are many of
these, and the edges of all.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
import pytest

import tests.support.noop  # noqa: F401  registers its kinds
from contracts.access import Scope
from contracts.jobs import SubmitJob
from tests.support.campaign import IS_LONG
from tests.support.gateway import bearer, served, working
from workers.app.services import ProcessServices
from workers.coordinator.advance import advance
from workers.coordinator.intake import accept
from workers.gateway.access.keys import create_key
from workers.gateway.app import create_gateway
from workers.settings import Settings

EXAMPLES = "50" if IS_LONG else "2"
ENDLESS = "/events$|/sse$|/completions$"
"""Addresses that answer for as long as a job works."""
EDGES = "." if IS_LONG else "/(jobs|sources|alerts)$"
"""Addresses whose fields are tried at their edges. That takes ten times as long as all other requests together."""
OF_JOBS = "^/v1/(jobs|steps|sessions)"
"""Addresses that lead on to each other by ids."""
WALKED = [OF_JOBS, "."] if IS_LONG else [OF_JOBS]
"""Addresses that sequences of requests lead through. Through all of them, few sequences come to a job."""
SEQUENCES = "200" if IS_LONG else "25"
CONVERSATION = uuid4()
ID = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
RULES_BEYOND = "positive_data_acceptance"
"""A body of the right form may still be refused: a source that there is not, a reply_to that is not allowed."""
SCOPES = [Scope.ADMIN, Scope.READ] if IS_LONG else [Scope.ADMIN]


@pytest.fixture
def services(database_url: str, broker_url: str, tmp_path: Path) -> Iterator[ProcessServices]:
    made = ProcessServices(Settings(database_url=database_url, broker_url=broker_url, embeddings="none", home=tmp_path), slots=6)
    yield made
    made.close()


@pytest.fixture(params=SCOPES)
def gateway(request: pytest.FixtureRequest, services: ProcessServices) -> Iterator[tuple[str, str]]:
    """The address of a gateway, and a key for it."""
    _, key = create_key(services.database, "shop", scopes=[request.param])
    job = SubmitJob(job={"kind": "diagnose", "description": "orders are slow"}, owner="shop")
    advance(services.database, accept(services.database, job, owner_cap=10).job_id, services.limits)  # links lead on from what is there
    with served(ProcessServices(services.settings, slots=6)) as base:
        httpx.get(f"{base}/v1/openapi.json", headers=bearer(key), timeout=120)  # it is made once, and schemathesis waits for 10 s only
        yield base, key


def attacked(gateway: tuple[str, str], folder: Path, phases: str, *more: str, examples: str = EXAMPLES, hooks: str = "") -> str:
    """What schemathesis says when it has found no fault."""
    base, key = gateway
    command = [
        str(Path(sys.executable).with_name("schemathesis")), "run", f"{base}/v1/openapi.json", "-H", f"Authorization: Bearer {key}",
        "--phases", phases, "--max-examples", examples, "--seed", "1", "--exclude-path-regex", ENDLESS,
        "--exclude-checks", RULES_BEYOND, "--request-timeout", "60", *more,
    ]  # fmt: skip
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **({"SCHEMATHESIS_HOOKS": hooks} if hooks else {})}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    failures = done.stdout.partition("= FAILURES =")[2].partition("= WARNINGS =")[0]
    assert done.returncode == 0, (failures or done.stdout + done.stderr)[:6_000]
    assert "Tested: 0" not in done.stdout
    return done.stdout


@pytest.mark.timeout(3600 if IS_LONG else 900)
def test_no_request_breaks_what_the_description_says(gateway: tuple[str, str], tmp_path: Path) -> None:
    attacked(gateway, tmp_path, "examples,fuzzing")


@pytest.mark.nightly
@pytest.mark.timeout(3600 if IS_LONG else 900)
@pytest.mark.parametrize("walked", WALKED)
def test_no_sequence_of_requests_breaks_it(gateway: tuple[str, str], services: ProcessServices, tmp_path: Path, walked: str) -> None:
    """In any order, along the links of the description, beside a fleet that works: what an answer names is in the next request, and many of
    such requests reach it."""
    for _ in range(2):  # a conversation
        job = SubmitJob(job={"kind": "noop", "plan": {"s3": {"ask": 1}}}, owner="shop", session_id=CONVERSATION)
        accept(services.database, job, owner_cap=10)
    report = tmp_path / "requests.har"
    with working(services.settings):
        attacked(
            gateway, tmp_path, "stateful", "--include-path-regex", walked, "--report", "har", "--report-har-path", str(report),
            examples=SEQUENCES, hooks="tests.support.walk_hooks",
        )  # fmt: skip
    sent = [(method, path, status) for method, path, status in requests_of(report) if re.search(ID, path)]
    reached = {(method, re.sub(ID, "{}", path)) for method, path, status in sent if status < 300}

    if walked == OF_JOBS:
        assert len(reached) >= 6, sorted(reached)
        assert sum(status < 300 for *_, status in sent) > len(sent) / 5, sent


def requests_of(report: Path) -> list[tuple[str, str, int]]:
    """Method, path and status of the requests of a report."""
    entries = json.loads(report.read_text("utf-8"))["log"]["entries"]
    return [(entry["request"]["method"], urlsplit(entry["request"]["url"]).path, entry["response"]["status"]) for entry in entries]


def test_every_link_names_a_request_and_its_parameters(services: ProcessServices) -> None:
    paths = create_gateway(services).openapi()["paths"]
    found = {operation["operationId"]: path for path, operations in paths.items() for operation in operations.values()}
    links = [
        (link["operationId"], link["parameters"])
        for operations in paths.values()
        for operation in operations.values()
        for response in operation["responses"].values()
        for link in response.get("links", {}).values()
    ]

    assert len(links) > 80
    for target, values in links:
        assert {f"{{{name.removeprefix('path.')}}}" for name in values} <= set(re.findall(r"{[^}:]+}", found[target])), target
    assert {"answer_v1_jobs__job_id__answer_post", "result_v1_jobs__job_id__result_get"} <= {target for target, _ in links}


@pytest.mark.timeout(3600 if IS_LONG else 900)
def test_no_field_at_its_edges_breaks_it(gateway: tuple[str, str], tmp_path: Path) -> None:
    shown = attacked(gateway, tmp_path, "coverage", "--include-path-regex", EDGES)

    assert int(re.search(r"(\d+) generated", shown)[1]) > 300, shown[-3_000:]
